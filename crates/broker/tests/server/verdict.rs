//! Compares verdicts and selections with a reference that applies the rules of the Pact Broker to a complete history.
//! The reference examines the contracts of each consumer version. Intended deviations are listed in
//! docs/decisions/0017-broker-deviations.md.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{self, Running};
use contract_broker::Database;
use serde_json::{Value, json};

const APPS: [&str; 4] = ["a", "b", "c", "d"];
const ENVIRONMENTS: [&str; 2] = ["test", "prod"];
const BRANCH: &str = "main";

/// The history of a broker, oldest entries first, without deleted data.
#[derive(Default)]
struct History {
    /// Applications and their versions.
    versions: Vec<(usize, usize)>,
    published: Vec<Contract>,
    results: Vec<Verification>,
    /// The deployed versions, by application and environment.
    deployed: BTreeMap<(usize, usize), usize>,
    /// Whether a release is supported, by application, version, and environment.
    released: BTreeMap<(usize, usize, usize), bool>,
    /// The applications and versions on the main branch.
    branch: BTreeSet<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Contract {
    consumer: usize,
    version: usize,
    provider: usize,
    content: u64,
}

#[derive(Clone, Copy)]
struct Verification {
    consumer: usize,
    provider: usize,
    content: u64,
    version: usize,
    success: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selected {
    Every,
    Number(usize),
    Latest,
    Branch,
    NumberOnBranch(usize),
    Environment(usize),
}

impl Selected {
    fn fields(self, prefix: &str) -> String {
        match self {
            Self::Every => String::new(),
            Self::Number(number) => format!("&{prefix}[version]={number}"),
            Self::Latest => format!("&{prefix}[latest]=true"),
            Self::Branch => format!("&{prefix}[branch]={BRANCH}"),
            Self::NumberOnBranch(number) => format!("&{prefix}[version]={number}&{prefix}[branch]={BRANCH}"),
            Self::Environment(at) => format!("&{prefix}[environment]={}", ENVIRONMENTS[at]),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LatestBy {
    Nothing,
    ProviderVersion,
    Provider,
}

#[derive(Debug)]
struct Query {
    selectors: Vec<(usize, Selected)>,
    destination: Option<Selected>,
    latest_by: LatestBy,
    ignore: Vec<(usize, Selected)>,
    success: Vec<Option<bool>>,
}

impl Query {
    fn path(&self) -> String {
        let mut options = vec!["limit=1000".to_owned()];
        for (prefix, selectors) in [("q[]", &self.selectors), ("ignore[]", &self.ignore)] {
            for (app, selected) in selectors {
                options.push(format!(
                    "{prefix}[pacticipant]={}{}",
                    APPS[*app],
                    selected.fields(prefix)
                ));
            }
        }
        match self.destination {
            Some(Selected::Environment(at)) => options.push(format!("environment={}", ENVIRONMENTS[at])),
            Some(_) => options.push("latest=true".to_owned()),
            None => {}
        }
        match self.latest_by {
            LatestBy::Nothing => {}
            LatestBy::ProviderVersion => options.push("latestby=cvpv".to_owned()),
            LatestBy::Provider => options.push("latestby=cvp".to_owned()),
        }
        for success in &self.success {
            let value = success.map_or_else(String::new, |success| success.to_string());
            options.push(format!("success[]={value}"));
        }
        format!("/matrix?{}", options.join("&"))
    }

    fn is_specified(&self, app: usize) -> bool {
        self.selectors.iter().any(|(of, _)| *of == app)
    }

    fn is_about_one(&self) -> bool {
        self.selectors.iter().all(|(app, _)| *app == self.selectors[0].0)
    }
}

/// A row of the matrix: a consumer version, a provider, and the provider version with its result, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    consumer: usize,
    version: usize,
    provider: usize,
    result: Option<(usize, bool)>,
}

impl Row {
    fn success(self) -> Option<bool> {
        self.result.map(|(_, success)| success)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Answer {
    deployable: Option<bool>,
    success: usize,
    failed: usize,
    unknown: usize,
    /// The sorted rows, and whether each one is ignored.
    shown: Vec<(Row, bool)>,
}

impl History {
    fn find(&self, app: usize, selected: Selected) -> BTreeSet<usize> {
        let all = self
            .versions
            .iter()
            .filter(|(of, _)| *of == app)
            .map(|(_, version)| *version);
        match selected {
            Selected::Every => all.collect(),
            Selected::Number(number) => all.filter(|version| *version == number).collect(),
            Selected::Latest => all
                .max_by_key(|version| self.order(app, *version))
                .into_iter()
                .collect(),
            Selected::Branch => all.filter(|version| self.branch.contains(&(app, *version))).collect(),
            Selected::NumberOnBranch(number) => all
                .filter(|version| *version == number && self.branch.contains(&(app, number)))
                .collect(),
            Selected::Environment(at) => self.present(app, at),
        }
    }

    fn present(&self, app: usize, environment: usize) -> BTreeSet<usize> {
        let deployed = self.deployed.get(&(app, environment)).copied();
        let here = |((of, _, at), is_supported): &(&(usize, usize, usize), &bool)| {
            *of == app && *at == environment && **is_supported
        };
        let released = self.released.iter().filter(here).map(|((_, version, _), _)| *version);
        deployed.into_iter().chain(released).collect()
    }

    /// Returns all results of a contract, or the last result of each provider version, oldest first.
    fn results(&self, contract: &Contract, latest_by: LatestBy) -> Vec<(usize, bool)> {
        let mut found: Vec<(usize, bool)> = Vec::new();
        for result in &self.results {
            let is_same = (result.consumer, result.provider, result.content)
                == (contract.consumer, contract.provider, contract.content);
            if is_same {
                if latest_by != LatestBy::Nothing {
                    found.retain(|(version, _)| *version != result.version);
                }
                found.push((result.version, result.success));
            }
        }
        found
    }

    fn order(&self, app: usize, version: usize) -> Option<usize> {
        self.versions.iter().position(|known| *known == (app, version))
    }

    fn is_ignored(&self, query: &Query, row: Row) -> bool {
        query.ignore.iter().any(|(app, selected)| {
            let versions = self.find(*app, *selected);
            let covers = |version: Option<usize>| {
                *selected == Selected::Every || version.is_some_and(|version| versions.contains(&version))
            };
            (row.consumer == *app && covers(Some(row.version)))
                || (row.provider == *app && covers(row.result.map(|(version, _)| version)))
        })
    }

    fn selects(&self, selectors: &[(usize, Selected)], app: usize, version: usize) -> bool {
        let mut selectors = selectors.iter();
        selectors.any(|(of, selected)| *of == app && self.find(app, *selected).contains(&version))
    }

    /// Returns pairs of consumers and required providers. A selected consumer version requires each provider that it
    /// has a contract with.
    fn required(&self, query: &Query) -> BTreeSet<(usize, usize)> {
        let takes_all = query.is_about_one() || query.destination.is_some();
        self.published
            .iter()
            .filter(|one| self.selects(&query.selectors, one.consumer, one.version))
            .filter(|one| takes_all || query.is_specified(one.provider))
            .map(|one| (one.consumer, one.provider))
            .collect()
    }

    /// Returns the selectors of a query, and one for each other application in the destination.
    fn selectors(&self, query: &Query) -> Vec<(usize, Selected)> {
        let mut selectors = query.selectors.clone();
        let Some(destination) = query.destination else {
            return selectors;
        };
        // A provider does not require its consumers, but the query compares it with all of them.
        let used = self.published.iter().filter(|one| query.is_specified(one.provider));
        let mut apps: BTreeSet<usize> = used.map(|one| one.consumer).collect();
        apps.extend(self.required(query).into_iter().map(|(_, provider)| provider));
        let others = apps.into_iter().filter(|app| !query.is_specified(*app));
        selectors.extend(others.map(|app| (app, destination)));
        selectors
    }

    /// Returns the results of a contract that appear as rows. An empty list is one row without a result. `None` means
    /// that the contract does not appear.
    fn results_of(
        &self,
        query: &Query,
        selectors: &[(usize, Selected)],
        contract: &Contract,
    ) -> Option<Vec<(usize, bool)>> {
        let is_selected = self.selects(selectors, contract.consumer, contract.version);
        let mut results = self.results(contract, query.latest_by);
        let by_selected = |(version, _): &(usize, bool)| self.selects(selectors, contract.provider, *version);
        if query.is_about_one() && query.destination.is_none() {
            // Includes all results of a consumer version, or all contracts that a provider version verified.
            if !is_selected {
                results.retain(by_selected);
                if results.is_empty() {
                    return None;
                }
            }
            return Some(results);
        }
        let is_among = selectors.iter().any(|(app, _)| *app == contract.provider);
        let concerns = query.is_specified(contract.consumer) || query.is_specified(contract.provider);
        results.retain(by_selected);
        (is_selected && is_among && concerns).then_some(results)
    }

    fn rows(&self, query: &Query) -> Vec<Row> {
        let selectors = self.selectors(query);
        let mut rows = Vec::new();
        for contract in &self.published {
            let Some(mut results) = self.results_of(query, &selectors, contract) else {
                continue;
            };
            if query.latest_by == LatestBy::Provider {
                let order = |(version, _): &(usize, bool)| self.order(contract.provider, *version);
                let newest = results.iter().map(order).max();
                results.retain(|result| Some(order(result)) == newest);
            }
            let row = |result: Option<(usize, bool)>| Row {
                consumer: contract.consumer,
                version: contract.version,
                provider: contract.provider,
                result,
            };
            if results.is_empty() {
                rows.push(row(None));
            }
            rows.extend(results.into_iter().map(|result| row(Some(result))));
        }
        rows.sort_unstable();
        rows
    }

    fn answer(&self, query: &Query) -> Answer {
        let rows = self.rows(query);
        let considered: Vec<Row> = rows
            .iter()
            .copied()
            .filter(|row| !self.is_ignored(query, *row))
            .collect();
        let count = |success: Option<bool>| considered.iter().filter(|row| row.success() == success).count();
        let has_row = |(consumer, provider): (usize, usize)| {
            rows.iter()
                .any(|row| (row.consumer, row.provider) == (consumer, provider))
        };
        let without_row = self.required(query).into_iter().filter(|pair| !has_row(*pair)).count();
        let (success, failed, unknown) = (count(Some(true)), count(Some(false)), count(None) + without_row);
        let is_missing = query.selectors.iter().any(|(app, selected)| {
            *selected != Selected::Every
                && self.find(*app, *selected).is_empty()
                && !query.ignore.contains(&(*app, Selected::Every))
        });
        let deployable = if is_missing {
            Some(false)
        } else if unknown > 0 {
            None
        } else {
            Some(failed == 0)
        };
        // Filters of rows do not affect the verdict.
        let shown = rows
            .iter()
            .filter(|row| query.success.is_empty() || query.success.contains(&row.success()))
            .map(|row| (*row, self.is_ignored(query, *row)))
            .collect();
        Answer {
            deployable,
            success,
            failed,
            unknown,
            shown,
        }
    }

    fn contents(&self, consumer: usize, version: usize) -> BTreeMap<usize, u64> {
        let mut found = BTreeMap::new();
        for one in &self.published {
            if (one.consumer, one.version) == (consumer, version) {
                found.insert(one.provider, one.content);
            }
        }
        found
    }

    fn chosen(&self, provider: usize, environment: usize) -> BTreeSet<(usize, u64)> {
        let consumers = (0..APPS.len()).filter(|consumer| *consumer != provider);
        let of = |consumer: usize| {
            let present = self.present(consumer, environment).into_iter();
            present.filter_map(move |version| Some((consumer, *self.contents(consumer, version).get(&provider)?)))
        };
        consumers.flat_map(of).collect()
    }

    fn add_version(&mut self, app: usize, version: usize) {
        if !self.versions.contains(&(app, version)) {
            self.versions.push((app, version));
        }
    }

    /// Deletes an integration with the versions that have no contracts and results left.
    fn delete(&mut self, consumer: usize, provider: usize) {
        self.published
            .retain(|one| (one.consumer, one.provider) != (consumer, provider));
        self.results
            .retain(|one| (one.consumer, one.provider) != (consumer, provider));
        for app in [consumer, provider] {
            let (published, results) = (&self.published, &self.results);
            let is_kept = |version: usize| {
                published
                    .iter()
                    .any(|one| (one.consumer, one.version) == (app, version))
                    || results.iter().any(|one| (one.provider, one.version) == (app, version))
            };
            self.versions.retain(|(of, version)| *of != app || is_kept(*version));
            self.branch.retain(|(of, version)| *of != app || is_kept(*version));
            self.deployed.retain(|(of, _), version| *of != app || is_kept(*version));
            self.released
                .retain(|(of, version, _), _| *of != app || is_kept(*version));
        }
    }

    fn is_empty(&self, app: usize) -> bool {
        self.versions.iter().all(|(of, _)| *of != app)
            && self
                .published
                .iter()
                .all(|one| one.consumer != app && one.provider != app)
    }
}

/// A random history of a broker.
pub(crate) struct Story<'a> {
    broker: &'a Running,
    random: fastrand::Rng,
    history: History,
    environments: Vec<String>,
    hashes: BTreeMap<String, (usize, u64)>,
}

impl Story<'_> {
    /// Returns the path of a random query for a verdict.
    pub(crate) fn question(&mut self) -> String {
        self.query().path()
    }

    pub(crate) fn step(&mut self) {
        let (app, version) = (self.random.usize(..APPS.len()), self.random.usize(1..6));
        match self.random.u8(..24) {
            0..9 => self.publish(app, version),
            9..16 => self.verify(app, version),
            16..20 => self.deploy(app, version),
            20..22 => self.release(app, version),
            22 => self.put_on_branch(app, version),
            _ => self.delete(app),
        }
    }

    fn put_on_branch(&mut self, app: usize, version: usize) {
        let path = format!("/pacticipants/{}/branches/{BRANCH}/versions/{version}", APPS[app]);
        let answer = self.broker.json("PUT", &path, &json!({}));
        assert_eq!(answer.status / 100, 2, "{answer:?}");
        self.history.add_version(app, version);
        self.history.branch.insert((app, version));
    }

    fn delete(&mut self, consumer: usize) {
        let mut published = self.history.published.iter();
        let Some(provider) = published.find(|one| one.consumer == consumer).map(|one| one.provider) else {
            return;
        };
        let path = format!("/integrations/provider/{}/consumer/{}", APPS[provider], APPS[consumer]);
        assert_eq!(self.broker.send("DELETE", &path, &[], None).status, 204);
        self.history.delete(consumer, provider);
        for app in [consumer, provider] {
            let path = format!("/pacticipants/{}", APPS[app]);
            let found = self.broker.get(&path).status;
            assert_eq!(found, if self.history.is_empty(app) { 404 } else { 200 }, "{path}");
            self.broker.json("PUT", &path, &json!({}));
        }
    }

    fn publish(&mut self, consumer: usize, version: usize) {
        let provider = (consumer + self.random.usize(1..APPS.len())) % APPS.len();
        // The contracts of a version cannot change.
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
        self.history.published.push(Contract {
            consumer,
            version,
            provider,
            content,
        });
        self.history.add_version(consumer, version);
    }

    fn verify(&mut self, provider: usize, version: usize) {
        let known: Vec<_> = self
            .history
            .published
            .iter()
            .filter(|one| one.provider == provider)
            .copied()
            .collect();
        if known.is_empty() {
            return;
        }
        let Contract {
            consumer,
            version: number,
            content,
            ..
        } = known[self.random.usize(..known.len())];
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
        self.history.results.push(Verification {
            consumer,
            provider,
            content,
            version,
            success,
        });
        self.history.add_version(provider, version);
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
            self.history.deployed.insert((app, environment), version);
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
        self.history.released.insert((app, version, environment), is_supported);
    }

    fn selected(&mut self) -> Selected {
        match self.random.u8(..9) {
            8 => Selected::NumberOnBranch(self.random.usize(1..6)),
            0 => Selected::Every,
            1 => Selected::Latest,
            2 => Selected::Branch,
            3 => Selected::Environment(self.random.usize(..ENVIRONMENTS.len())),
            _ => Selected::Number(self.random.usize(1..6)),
        }
    }

    fn query(&mut self) -> Query {
        let mut selectors = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            selectors.push((self.random.usize(..APPS.len()), self.selected()));
        }
        let destination = match self.random.u8(..5) {
            0 => Some(Selected::Latest),
            1 => Some(Selected::Environment(self.random.usize(..ENVIRONMENTS.len()))),
            _ => None,
        };
        let all = [LatestBy::Nothing, LatestBy::ProviderVersion, LatestBy::Provider];
        let latest_by = all[self.random.usize(..all.len())];
        let mut ignore = Vec::new();
        if self.random.u8(..3) == 0 {
            let selected = if self.random.bool() {
                Selected::Every
            } else {
                self.selected()
            };
            ignore.push((self.random.usize(..APPS.len()), selected));
        }
        let mut success = Vec::new();
        if self.random.u8(..3) == 0 {
            success.push([None, Some(true), Some(false)][self.random.usize(..3)]);
        }
        Query {
            selectors,
            destination,
            latest_by,
            ignore,
            success,
        }
    }

    fn compare(&mut self) {
        for (app, name) in APPS.iter().enumerate() {
            for (environment, place) in ENVIRONMENTS.iter().enumerate() {
                for version in 1..6 {
                    let path = format!("/can-i-deploy?pacticipant={name}&version={version}&environment={place}");
                    let query = Query {
                        selectors: vec![(app, Selected::Number(version))],
                        destination: Some(Selected::Environment(environment)),
                        latest_by: LatestBy::ProviderVersion,
                        ignore: vec![],
                        success: vec![],
                    };
                    self.compare_answer(&path, &query);
                }
                self.compare_selection(app, environment);
            }
        }
        for _ in 0..80 {
            let query = self.query();
            self.compare_answer(&query.path(), &query);
        }
    }

    fn compare_answer(&self, path: &str, query: &Query) {
        let answer = self.broker.get(path).json();
        let summary = &answer["summary"];
        let count = |key: &str| usize::try_from(summary[key].as_u64().expect("a count")).expect("small");
        let app = |value: &Value| {
            let name = value["name"].as_str().expect("a name");
            APPS.iter().position(|app| *app == name).expect("an application")
        };
        let number = |value: &Value| value["version"]["number"].as_str()?.parse::<usize>().ok();
        let row = |row: &Value| {
            let success = row["verificationResult"]["success"].as_bool();
            let row_found = Row {
                consumer: app(&row["consumer"]),
                version: number(&row["consumer"]).expect("a number"),
                provider: app(&row["provider"]),
                result: number(&row["provider"]).zip(success),
            };
            (row_found, row["ignored"] == true)
        };
        let mut shown: Vec<(Row, bool)> = answer["matrix"].as_array().expect("rows").iter().map(row).collect();
        shown.sort_unstable();
        let ours = Answer {
            deployable: summary["deployable"].as_bool(),
            success: count("success"),
            failed: count("failed"),
            unknown: count("unknown"),
            shown,
        };
        assert_eq!(ours, self.history.answer(query), "{path}: {summary}");
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

/// Starts a history on an empty broker.
pub(crate) fn begin(broker: &Running, seed: u64) -> Story<'_> {
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
    Story {
        broker,
        random,
        history: History::default(),
        environments,
        hashes: BTreeMap::new(),
    }
}

fn compare_random_history(broker: &Running, seed: u64, steps: usize) {
    let mut story = begin(broker, seed);
    for step in 0..steps {
        story.step();
        if step % 25 == 24 {
            story.compare();
        }
    }
}

/// `CONTRACT_BROKER_SEEDS` is a range of seeds such as `100..300`. Default: `0..6`.
#[test]
fn verdicts_match_the_reference() {
    let range = std::env::var("CONTRACT_BROKER_SEEDS").unwrap_or_else(|_| "0..6".to_owned());
    let bounds = range
        .split_once("..")
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    let (first, end): (u64, u64) = bounds.expect("CONTRACT_BROKER_SEEDS is a range of seeds");
    for seed in first..end {
        println!("seed {seed}");
        compare_random_history(&support::start(Database::Memory), seed, 150);
    }
}

#[test]
fn verdicts_match_the_reference_on_postgres() {
    if let Some(database) = support::postgres("verdict") {
        compare_random_history(&support::start(database), 1, 150);
    }
}
