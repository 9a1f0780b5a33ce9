//! Fills an empty broker through its API, version by version, like months of builds.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Barrier, Mutex};

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{self, ENVIRONMENTS, INSTANCES, World, name, version};

/// The URLs for the results of each content, by pair and content.
pub(crate) type Contents = HashMap<(usize, usize), String>;

/// The ids of the generated data.
pub(crate) struct Filled {
    pub(crate) contents: Contents,
}

pub(crate) fn fill(address: SocketAddr, world: &World, threads: usize) -> Filled {
    let mut client = Client::new(address);
    for service in 0..world.size.services {
        expect(
            &client.send(
                "POST",
                "/pacticipants",
                &json!({ "name": name(service), "mainBranch": "main" }).to_string(),
            ),
            201,
        );
    }
    let environments: Vec<String> = ENVIRONMENTS
        .iter()
        .map(|name| {
            let body = json!({ "name": name, "production": *name == "prod" }).to_string();
            let made = expect(&client.send("POST", "/environments", &body), 201);
            made["uuid"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    let contents = Mutex::new(Contents::new());
    let (barrier, results) = (Barrier::new(threads), Mutex::new(world.size.results));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let filling = Filling {
                world,
                environments: &environments,
                contents: &contents,
                results: &results,
            };
            let barrier = &barrier;
            scope.spawn(move || {
                let mut client = Client::new(address);
                for number in 0..world.size.versions_of_each() {
                    let own = (thread..world.size.services).step_by(threads);
                    own.clone()
                        .for_each(|service| filling.publish(&mut client, service, number));
                    // All contracts must be published before their verification.
                    barrier.wait();
                    own.for_each(|service| filling.verify(&mut client, service, number));
                    barrier.wait();
                }
            });
        }
    });
    Filled {
        contents: contents.into_inner().unwrap_or_default(),
    }
}

/// Returns the ids of data from an earlier run, or `None` if the broker is empty.
pub(crate) fn known(address: SocketAddr, world: &World) -> Option<Filled> {
    let mut client = Client::new(address);
    if client.get(&format!("/pacticipants/{}", name(0))).status == 404 {
        return None;
    }
    let mut contents = Contents::new();
    for (at, pair) in world.pairs.iter().enumerate() {
        for number in (0..world.size.versions_of_each()).step_by(world::SAME) {
            let (consumer, provider) = (name(pair.consumer), name(pair.provider));
            let url = results_url(&mut client, &consumer, &provider, &version(number));
            contents.insert((at, world::content(number)), url);
        }
    }
    Some(Filled { contents })
}

/// Returns the number of versions in the broker.
pub(crate) fn count_versions(address: SocketAddr) -> usize {
    let counts = expect(&Client::new(address).get("/metrics"), 200);
    let count = counts["pacticipantVersions"]["count"].as_u64();
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

#[derive(Clone, Copy)]
struct Filling<'a> {
    world: &'a World,
    environments: &'a [String],
    contents: &'a Mutex<Contents>,
    /// Number of results that are left to publish.
    results: &'a Mutex<usize>,
}

impl Filling<'_> {
    fn publish(&self, client: &mut Client, service: usize, number: usize) {
        expect(
            &client.send(
                "POST",
                "/contracts/publish",
                &self.world.publication(service, number, world::content(number)),
            ),
            200,
        );
        if !number.is_multiple_of(world::SAME) {
            return;
        }
        for (at, pair) in self.world.uses(service) {
            let url = results_url(client, &name(service), &name(pair.provider), &version(number));
            if let Ok(mut contents) = self.contents.lock() {
                contents.insert((at, world::content(number)), url);
            }
        }
    }

    /// Verifies the newest contents of the consumers, and older contents while results are left to publish.
    fn verify(&self, client: &mut Client, service: usize, number: usize) {
        let mut left = self.world.size.results_of_each();
        for back in 0..8 {
            for (at, _) in self.world.used_by(service) {
                let Some(content) = world::content(number).checked_sub(back) else {
                    return self.deploy(client, service, number);
                };
                let url = self
                    .contents
                    .lock()
                    .ok()
                    .and_then(|contents| contents.get(&(at, content)).cloned());
                let (Some(url), true) = (url, left > 0 && self.take()) else {
                    continue;
                };
                left -= 1;
                // One in fifty fails.
                let success = (number + at) % 50 != 7;
                expect(&client.send("POST", &url, &world::result(number, success)), 201);
            }
        }
        self.deploy(client, service, number);
    }

    fn take(&self) -> bool {
        let Ok(mut left) = self.results.lock() else {
            return false;
        };
        let there = *left > 0;
        *left -= usize::from(there);
        there
    }

    fn deploy(&self, client: &mut Client, service: usize, number: usize) {
        for (at, environment) in self.environments.iter().enumerate() {
            // Test environments have more deployments than production.
            if number.is_multiple_of(5 << at) {
                let path = format!(
                    "/pacticipants/{}/versions/{}/deployed-versions/environment/{environment}",
                    name(service),
                    version(number)
                );
                for instance in INSTANCES {
                    expect(
                        &client.send("POST", &path, &json!({ "applicationInstance": instance }).to_string()),
                        201,
                    );
                }
            }
        }
    }
}

/// Returns the URL for the results of a contract.
pub(crate) fn results_url(client: &mut Client, consumer: &str, provider: &str, number: &str) -> String {
    let pact = expect(
        &client.get(&format!(
            "/pacts/provider/{provider}/consumer/{consumer}/version/{number}"
        )),
        200,
    );
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .unwrap_or_default();
    url.splitn(4, '/')
        .nth(3)
        .map(|path| format!("/{path}"))
        .unwrap_or_default()
}

pub(crate) fn expect(answer: &crate::client::Answer, status: u16) -> Value {
    if answer.status != status {
        crate::fail(&format!(
            "{} instead of {status}: {:.500}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        ));
    }
    answer.json()
}
