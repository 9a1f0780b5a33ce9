//! A typical mix of requests, sent at a constant rate or without pauses.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::json;

use crate::client::Client;
use crate::fill::Filled;
use crate::world::{self, ENVIRONMENTS, World, name, version};

/// The kinds of requests. [`KINDS`] contains their shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Pact,
    ForVerification,
    Result,
    Publish,
    Verdict,
    Rest,
}

pub(crate) const KINDS: [(Kind, &str, usize); 6] = [
    (Kind::Pact, "pact", 45),
    (Kind::ForVerification, "for-verification", 15),
    (Kind::Result, "result", 15),
    (Kind::Publish, "publish", 10),
    (Kind::Verdict, "verdict", 10),
    (Kind::Rest, "rest", 5),
];

/// For each kind of request, its durations in microseconds, sorted.
pub(crate) struct Times(pub(crate) Vec<(Kind, Vec<u64>)>);

impl Times {
    fn new(mut measured: Vec<(Kind, u64)>) -> Self {
        measured.sort_by_key(|(_, took)| *took);
        let times_of = |kind| {
            measured
                .iter()
                .filter(|(other, _)| *other == kind)
                .map(|(_, took)| *took)
                .collect()
        };
        Self(KINDS.iter().map(|(kind, ..)| (*kind, times_of(*kind))).collect())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|(_, times)| times.len()).sum()
    }
}

/// Returns a percentile of sorted durations, in milliseconds. The durations are in microseconds.
#[expect(clippy::cast_precision_loss, reason = "microseconds of seconds")]
pub(crate) fn percentile(sorted: &[u64], percent: usize) -> f64 {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted
        .get(at)
        .map_or(f64::NAN, |microseconds| *microseconds as f64 / 1_000.0)
}

pub(crate) struct Mix<'a> {
    pub(crate) world: &'a World,
    pub(crate) filled: &'a Filled,
    /// The number of published versions.
    pub(crate) published: &'a AtomicUsize,
    /// Sends only requests of this kind. `None` sends all kinds.
    pub(crate) only: Option<Kind>,
}

/// When to send requests: at a constant rate per second, or each after the response to the previous one.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    PerSecond(u64),
    Unpaused,
}

fn random_kind(random: &mut Rng) -> Kind {
    let mut at = random.usize(..100);
    for (kind, _, share) in KINDS {
        if at < share {
            return kind;
        }
        at -= share;
    }
    Kind::Rest
}

impl Mix<'_> {
    /// Sends requests, and returns how long each took. The time counts from the moment when the request was due, and so
    /// includes queueing.
    pub(crate) fn run(
        &self,
        address: SocketAddr,
        connections: usize,
        pace: Pace,
        length: Duration,
        seed: u64,
    ) -> Times {
        let next = AtomicU64::new(0);
        let begun = Instant::now();
        let measured = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..connections)
                .map(|thread| {
                    let next = &next;
                    scope.spawn(move || {
                        self.ask(
                            &mut Client::with_token(address, &self.filled.token),
                            pace,
                            (begun, length),
                            next,
                            seed ^ thread as u64,
                        )
                    })
                })
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_default())
                .collect()
        });
        Times::new(measured)
    }

    fn ask(
        &self,
        client: &mut Client,
        pace: Pace,
        (begun, length): (Instant, Duration),
        next: &AtomicU64,
        seed: u64,
    ) -> Vec<(Kind, u64)> {
        let mut random = Rng::with_seed(seed);
        let mut measured = Vec::new();
        loop {
            let due = match pace {
                Pace::PerSecond(count) => {
                    begun + Duration::from_micros(next.fetch_add(1, Ordering::Relaxed) * 1_000_000 / count)
                }
                Pace::Unpaused => Instant::now(),
            };
            if due >= begun + length {
                return measured;
            }
            // Requests are prepared before they are due, so that only the broker is measured.
            let kind = self.only.unwrap_or_else(|| random_kind(&mut random));
            let prepared = self.prepare(kind, &mut random);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let sent = Instant::now();
            prepared.send(client);
            let due = if matches!(pace, Pace::Unpaused) { sent } else { due };
            measured.push((kind, u64::try_from(due.elapsed().as_micros()).unwrap_or(u64::MAX)));
        }
    }

    /// Returns one of the latest versions, because builds mostly use new versions.
    fn recent(&self, random: &mut Rng) -> usize {
        let all = self.world.size.versions_of_each();
        all - 1 - random.usize(..all.min(30))
    }

    pub(crate) fn prepare(&self, kind: Kind, random: &mut Rng) -> Prepared {
        let world = self.world;
        let number = self.recent(random);
        let at = random.usize(..world.pairs.len());
        let (consumer, provider) = (name(world.pairs[at].consumer), name(world.pairs[at].provider));
        let (method, path, body) = match kind {
            Kind::Pact if random.bool() => {
                let url = &self.filled.contents[&(at, world::content(number))];
                (
                    "GET",
                    url.trim_end_matches("/verification-results").to_owned(),
                    String::new(),
                )
            }
            Kind::Pact => (
                "GET",
                format!("/pacts/provider/{provider}/consumer/{consumer}/latest"),
                String::new(),
            ),
            Kind::ForVerification => {
                let selection = json!({
                    "consumerVersionSelectors": [{ "mainBranch": true }, { "deployedOrReleased": true }],
                    "providerVersionBranch": world.branch(number),
                    "includePendingStatus": true,
                    "includeWipPactsSince": "2020-01-01",
                });
                (
                    "POST",
                    format!("/pacts/provider/{provider}/for-verification"),
                    selection.to_string(),
                )
            }
            Kind::Result => {
                let url = self.filled.contents[&(at, world::content(number))].clone();
                ("POST", url, world::result(number, random.u8(..) > 4))
            }
            Kind::Publish => {
                let published = self.published.fetch_add(1, Ordering::Relaxed);
                let number = world.size.versions_of_each() + published;
                // One in five versions has new content.
                let content =
                    world::content(world.size.versions_of_each()) + published / (world.size.services * world::SAME);
                (
                    "POST",
                    "/contracts/publish".to_owned(),
                    world.publication(world.pairs[at].consumer, number, content),
                )
            }
            Kind::Verdict => {
                let environment = ENVIRONMENTS[random.usize(..ENVIRONMENTS.len())];
                let path = format!(
                    "/matrix?q%5B%5D%5Bpacticipant%5D={consumer}&q%5B%5D%5Bversion%5D={}&latestby=cvpv&environment={environment}",
                    version(number)
                );
                ("GET", path, String::new())
            }
            Kind::Rest => {
                let path = match random.usize(..5) {
                    0 => "/".to_owned(),
                    1 => format!("/pacticipants/{consumer}"),
                    2 => format!("/pacticipants/{consumer}/versions/{}", version(number)),
                    3 => format!("/pacticipants/{consumer}/branches?size=20"),
                    _ => "/dashboard?size=10".to_owned(),
                };
                ("GET", path, String::new())
            }
        };
        Prepared { method, path, body }
    }
}

pub(crate) struct Prepared {
    method: &'static str,
    path: String,
    body: String,
}

impl Prepared {
    /// Sends the request and expects success.
    pub(crate) fn send(&self, client: &mut Client) {
        let Self { method, path, body } = self;
        let answer = client.send(method, path, body);
        if !matches!(answer.status, 200 | 201) {
            let text = String::from_utf8_lossy(&answer.body);
            crate::fail(&format!("{} for {method} {path}: {text:.500}", answer.status));
        }
    }
}
