//! The verdict and the selection, against a reference that looks at everything that ever happened.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{self, Running};
use contract_broker::Database;
use serde_json::{Value, json};

const APPS: [&str; 4] = ["a", "b", "c", "d"];
const ENVIRONMENTS: [&str; 2] = ["test", "prod"];

/// All that happened, in order.
#[derive(Default)]
struct History {
    /// Consumer, its version, provider, content.
    published: Vec<(usize, usize, usize, u64)>,
    /// Consumer, provider, content, provider version, success.
    results: Vec<(usize, usize, u64, usize, bool)>,
    /// Application, version, environment.
    deployed: Vec<(usize, usize, usize)>,
    released: Vec<(usize, usize, usize, bool)>,
    versions: BTreeSet<(usize, usize)>,
}

impl History {
    fn present(&self, app: usize, environment: usize) -> BTreeSet<usize> {
        let here = |(of, _, at): &&(usize, usize, usize)| *of == app && *at == environment;
        let deployed = self.deployed.iter().rev().find(here).map(|(_, version, _)| *version);
        let mut supported: BTreeMap<usize, bool> = BTreeMap::new();
        for (of, version, at, is_supported) in &self.released {
            if *of == app && *at == environment {
                supported.insert(*version, *is_supported);
            }
        }
        let released = supported
            .into_iter()
            .filter(|(_, is_supported)| *is_supported)
            .map(|(version, _)| version);
        deployed.into_iter().chain(released).collect()
    }

    fn contents(&self, consumer: usize, version: usize) -> BTreeMap<usize, u64> {
        let of = self
            .published
            .iter()
            .filter(|(app, number, ..)| (*app, *number) == (consumer, version));
        of.map(|(_, _, provider, content)| (*provider, *content)).collect()
    }

    fn result(&self, consumer: usize, provider: usize, content: u64, version: usize) -> Option<bool> {
        let same = |known: &&(usize, usize, u64, usize, bool)| {
            (known.0, known.1, known.2, known.3) == (consumer, provider, content, version)
        };
        self.results.iter().rev().find(same).map(|known| known.4)
    }

    /// Joins every publication with every result.
    fn verdict(&self, app: usize, version: usize, environment: usize) -> (Option<bool>, usize, usize, usize) {
        if !self.versions.contains(&(app, version)) {
            return (Some(false), 0, 0, 0);
        }
        let (mut success, mut failed, mut unknown) = (0, 0, 0);
        let mut row = |consumer: usize, provider: usize, content: u64, providers: &BTreeSet<usize>| {
            let results: Vec<bool> = providers
                .iter()
                .filter_map(|version| self.result(consumer, provider, content, *version))
                .collect();
            success += results.iter().filter(|success| **success).count();
            failed += results.iter().filter(|success| !**success).count();
            unknown += usize::from(results.is_empty());
        };
        for (provider, content) in self.contents(app, version) {
            row(app, provider, content, &self.present(provider, environment));
        }
        for consumer in (0..APPS.len()).filter(|consumer| *consumer != app) {
            for present in self.present(consumer, environment) {
                if let Some(content) = self.contents(consumer, present).get(&app) {
                    row(consumer, app, *content, &BTreeSet::from([version]));
                }
            }
        }
        let deployable = if unknown > 0 { None } else { Some(failed == 0) };
        (deployable, success, failed, unknown)
    }

    fn chosen(&self, provider: usize, environment: usize) -> BTreeSet<(usize, u64)> {
        let consumers = (0..APPS.len()).filter(|consumer| *consumer != provider);
        let of = |consumer: usize| {
            let present = self.present(consumer, environment).into_iter();
            present.filter_map(move |version| Some((consumer, *self.contents(consumer, version).get(&provider)?)))
        };
        consumers.flat_map(of).collect()
    }
}

struct Story<'a> {
    broker: &'a Running,
    random: fastrand::Rng,
    history: History,
    environments: Vec<String>,
    hashes: BTreeMap<String, (usize, u64)>,
}

impl Story<'_> {
    fn step(&mut self) {
        let (app, version) = (self.random.usize(..APPS.len()), self.random.usize(1..6));
        match self.random.u8(..10) {
            0..4 => self.publish(app, version),
            4..7 => self.verify(app, version),
            7..9 => self.deploy(app, version),
            _ => self.release(app, version),
        }
    }

    fn publish(&mut self, consumer: usize, version: usize) {
        let provider = (consumer + self.random.usize(1..APPS.len())) % APPS.len();
        // What a version published does not change.
        if self.history.contents(consumer, version).contains_key(&provider) {
            return;
        }
        let content = self.random.u64(..3);
        let path = format!(
            "/pacts/provider/{}/consumer/{}/version/{version}",
            APPS[provider], APPS[consumer]
        );
        let document = json!({ "interactions": [{ "description": format!("{content}") }] });
        let answer = self.broker.json("PUT", &path, &document);
        assert_eq!(answer.status, 201, "{answer:?}");
        let sha = answer.json()["_links"]["pb:pact-version"]["name"]
            .as_str()
            .expect("a hash")
            .to_owned();
        self.hashes.insert(
            format!("{}/{}/{sha}", APPS[provider], APPS[consumer]),
            (consumer, content),
        );
        self.history.published.push((consumer, version, provider, content));
        self.history.versions.insert((consumer, version));
    }

    fn verify(&mut self, provider: usize, version: usize) {
        let known: Vec<_> = self
            .history
            .published
            .iter()
            .filter(|one| one.2 == provider)
            .copied()
            .collect();
        if known.is_empty() {
            return;
        }
        let (consumer, number, _, content) = known[self.random.usize(..known.len())];
        let path = format!(
            "/pacts/provider/{}/consumer/{}/version/{number}",
            APPS[provider], APPS[consumer]
        );
        let pact = self.broker.get(&path).json();
        let url = pact["_links"]["pb:publish-verification-results"]["href"]
            .as_str()
            .expect("a link")
            .to_owned();
        let success = self.random.bool();
        let result = json!({ "success": success, "providerApplicationVersion": version.to_string() });
        let answer = self.broker.json("POST", &url.replace(&self.broker.base(), ""), &result);
        assert_eq!(answer.status, 201, "{answer:?}");
        self.history
            .results
            .push((consumer, provider, content, version, success));
        self.history.versions.insert((provider, version));
    }

    fn at(&self, app: usize, version: usize, kind: &str, environment: usize) -> String {
        let uuid = &self.environments[environment];
        format!(
            "/pacticipants/{}/versions/{version}/{kind}/environment/{uuid}",
            APPS[app]
        )
    }

    fn deploy(&mut self, app: usize, version: usize) {
        let environment = self.random.usize(..ENVIRONMENTS.len());
        let answer = self.broker.json(
            "POST",
            &self.at(app, version, "deployed-versions", environment),
            &json!({}),
        );
        let is_known = self.history.versions.contains(&(app, version));
        assert_eq!(answer.status, if is_known { 201 } else { 404 }, "{answer:?}");
        if is_known {
            self.history.deployed.push((app, version, environment));
        }
    }

    fn release(&mut self, app: usize, version: usize) {
        if !self.history.versions.contains(&(app, version)) {
            return;
        }
        let environment = self.random.usize(..ENVIRONMENTS.len());
        let made = self.broker.json(
            "POST",
            &self.at(app, version, "released-versions", environment),
            &json!({}),
        );
        let is_supported = self.random.bool();
        if !is_supported {
            let path = format!("/released-versions/{}", made.json()["uuid"].as_str().expect("an id"));
            let ended = self
                .broker
                .json("PATCH", &path, &json!({ "currentlySupported": false }));
            assert_eq!(ended.status, 200, "{ended:?}");
        }
        self.history.released.push((app, version, environment, is_supported));
    }

    fn compare(&self) {
        for (app, name) in APPS.iter().enumerate() {
            for (environment, place) in ENVIRONMENTS.iter().enumerate() {
                for version in 1..6 {
                    let path = format!("/can-i-deploy?pacticipant={name}&version={version}&environment={place}");
                    let answer = self.broker.get(&path).json();
                    let summary = &answer["summary"];
                    let count = |key: &str| usize::try_from(summary[key].as_u64().expect("a count")).expect("small");
                    let ours = (
                        summary["deployable"].as_bool(),
                        count("success"),
                        count("failed"),
                        count("unknown"),
                    );
                    assert_eq!(
                        ours,
                        self.history.verdict(app, version, environment),
                        "{path}: {answer}"
                    );
                }
                self.compare_selection(app, environment);
            }
        }
    }

    fn compare_selection(&self, provider: usize, environment: usize) {
        let wanted = json!({ "consumerVersionSelectors": [{ "environment": ENVIRONMENTS[environment] }] });
        let path = format!("/pacts/provider/{}/for-verification", APPS[provider]);
        let answer = self.broker.json("POST", &path, &wanted).json();
        let of = |entry: &Value| {
            let url = entry["_links"]["self"]["href"].as_str().expect("a link").to_owned();
            let parts: Vec<&str> = url.split('/').collect();
            let at = parts.iter().position(|part| *part == "provider").expect("a provider");
            self.hashes[&format!("{}/{}/{}", parts[at + 1], parts[at + 3], parts[at + 5])]
        };
        let ours: Vec<_> = answer["_embedded"]["pacts"]
            .as_array()
            .expect("a list")
            .iter()
            .map(of)
            .collect();
        let expected = self.history.chosen(provider, environment);
        assert_eq!(ours.len(), expected.len(), "each once: {answer}");
        assert_eq!(ours.into_iter().collect::<BTreeSet<_>>(), expected, "{answer}");
    }
}

fn tell(broker: &Running, seed: u64, steps: usize) {
    for app in APPS {
        assert_eq!(
            broker.json("PUT", &format!("/pacticipants/{app}"), &json!({})).status,
            201
        );
    }
    let environments = ENVIRONMENTS
        .iter()
        .map(|name| {
            let made = broker
                .json("POST", "/environments", &json!({ "name": name, "production": false }))
                .json();
            made["uuid"].as_str().expect("an id").to_owned()
        })
        .collect();
    let random = fastrand::Rng::with_seed(seed);
    let mut story = Story {
        broker,
        random,
        history: History::default(),
        environments,
        hashes: BTreeMap::new(),
    };
    for step in 0..steps {
        story.step();
        if step % 25 == 24 {
            story.compare();
        }
    }
}

#[test]
fn verdicts_are_those_of_a_reference_that_joins_everything() {
    for seed in 0..6 {
        tell(&support::start(Database::Memory), seed, 150);
    }
}

#[test]
fn verdicts_on_postgres_are_those_of_a_reference_that_joins_everything() {
    if let Some(database) = support::postgres("verdict") {
        tell(&support::start(database), 1, 150);
    }
}
