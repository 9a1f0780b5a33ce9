//! The generated data: services that use each other, with versions, branches, contracts, results, and deployments. The
//! same seed always produces the same data.

use std::collections::HashMap;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use serde_json::{Value, json};

/// Number of branches of a service, including the main branch. Most of them get no new versions.
const BRANCHES: usize = 30;
/// Number of consecutive versions that publish the same contracts.
pub(crate) const SAME: usize = 5;
/// Minimum and maximum size of a contract, in bytes.
const SMALLEST: f64 = 1_000.0;
const LARGEST: f64 = 200_000.0;

pub(crate) const ENVIRONMENTS: [&str; 4] = ["dev", "test", "staging", "prod"];
pub(crate) const INSTANCES: [&str; 2] = ["blue", "green"];

/// How much data to generate.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) services: usize,
    pub(crate) pairs: usize,
    pub(crate) versions: usize,
    pub(crate) results: usize,
}

impl Size {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (services, pairs, versions, results) = match name {
            "XS" => (8, 16, 160, 400),
            "S" => (20, 40, 2_000, 5_000),
            "M" => (200, 500, 50_000, 200_000),
            // For measurements of retention.
            "clean" => (200, 400, 100_000, 100_000),
            "L" => (1_000, 3_000, 500_000, 2_000_000),
            _ => return None,
        };
        Some(Self {
            services,
            pairs,
            versions,
            results,
        })
    }

    /// Returns the number of versions per service.
    pub(crate) fn versions_of_each(self) -> usize {
        self.versions / self.services
    }

    /// Returns the number of results per version of a service that has consumers.
    pub(crate) fn results_of_each(self) -> usize {
        self.results.div_ceil(self.versions)
    }
}

/// A consumer and one of its providers, as indexes of services.
pub(crate) struct Pair {
    pub(crate) consumer: usize,
    pub(crate) provider: usize,
    /// Size of the contract between them, in bytes.
    size: usize,
}

pub(crate) struct World {
    pub(crate) size: Size,
    pub(crate) pairs: Vec<Pair>,
    /// Indexes of the pairs, by the names of consumer and provider.
    indexes: HashMap<(String, String), usize>,
    /// For each pair, what all its contracts have in common. Generated on first use.
    other_interactions: Vec<OnceLock<String>>,
}

pub(crate) fn name(service: usize) -> String {
    format!("service-{service:04}")
}

pub(crate) fn version(number: usize) -> String {
    // Version numbers look like commit hashes.
    format!(
        "{:016x}",
        (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995
    )
}

impl World {
    pub(crate) fn new(size: Size, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut pairs: Vec<Pair> = Vec::new();
        while pairs.len() < size.pairs {
            // Each service is the consumer of at least one integration.
            let consumer = if pairs.len() < size.services {
                pairs.len()
            } else {
                random.usize(..size.services)
            };
            let provider = random.usize(..size.services);
            let is_known = pairs
                .iter()
                .any(|pair| (pair.consumer, pair.provider) == (consumer, provider));
            if consumer == provider || is_known {
                continue;
            }
            // Sizes are distributed logarithmically.
            let size = SMALLEST * (LARGEST / SMALLEST).powf(random.f64());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between the two sizes"
            )]
            let size = size as usize;
            pairs.push(Pair {
                consumer,
                provider,
                size,
            });
        }
        let indexes = pairs.iter().enumerate();
        let indexes = indexes.map(|(at, pair)| ((name(pair.consumer), name(pair.provider)), at));
        Self {
            size,
            indexes: indexes.collect(),
            other_interactions: pairs.iter().map(|_| OnceLock::new()).collect(),
            pairs,
        }
    }

    /// Returns the index of the pair of this consumer and this provider.
    pub(crate) fn pair(&self, consumer: &str, provider: &str) -> usize {
        self.indexes[&(consumer.to_owned(), provider.to_owned())]
    }

    pub(crate) fn uses(&self, service: usize) -> impl Iterator<Item = (usize, &Pair)> {
        self.pairs
            .iter()
            .enumerate()
            .filter(move |(_, pair)| pair.consumer == service)
    }

    pub(crate) fn used_by(&self, service: usize) -> impl Iterator<Item = (usize, &Pair)> {
        self.pairs
            .iter()
            .enumerate()
            .filter(move |(_, pair)| pair.provider == service)
    }

    /// Returns the branch of version `number`. Six in ten versions are on the main branch. The others are on feature
    /// branches, which neighboring versions share and later versions reuse.
    pub(crate) fn branch(&self, number: usize) -> String {
        if number % 10 < 6 {
            return "main".to_owned();
        }
        let branch = number * (BRANCHES - 1) / self.size.versions_of_each().max(1) % (BRANCHES - 1);
        format!("feature/{branch}")
    }

    /// Returns the body of the request that publishes all contracts of a consumer version.
    pub(crate) fn publication(&self, service: usize, number: usize, content: usize) -> String {
        let contracts: Vec<Value> = self
            .uses(service)
            .map(|(at, pair)| {
                json!({
                    "consumerName": name(service),
                    "providerName": name(pair.provider),
                    "specification": "pact",
                    "contentType": "application/json",
                    "content": STANDARD.encode(self.contract(at, content)),
                })
            })
            .collect();
        let body = json!({
            "pacticipantName": name(service),
            "pacticipantVersionNumber": version(number),
            "branch": self.branch(number),
            "contracts": contracts,
        });
        body.to_string()
    }

    /// Returns a contract of about the pair's size. Contracts with different `content` differ in the first interaction.
    pub(crate) fn contract(&self, pair: usize, content: usize) -> String {
        let known = &self.pairs[pair];
        let (consumer, provider) = (name(known.consumer), name(known.provider));
        let first = interaction(0, content, &mut Rng::with_seed(pair as u64));
        let others = self.other_interactions[pair].get_or_init(|| other_interactions(pair, known.size));
        format!(
            r#"{{"consumer":{{"name":"{consumer}"}},"provider":{{"name":"{provider}"}},"interactions":[{first}{others}],"metadata":{{"pactSpecification":{{"version":"3.0.0"}}}}}}"#
        )
    }
}

/// Returns the interactions of a pair's contracts after the first, each with a comma before it.
fn other_interactions(pair: usize, size: usize) -> String {
    let mut random = Rng::with_seed(pair as u64);
    let first = interaction(0, 0, &mut random);
    let mut others = String::new();
    let mut at = 1;
    while first.len() + others.len() < size {
        others.push(',');
        others += &interaction(at, 0, &mut random);
        at += 1;
    }
    others
}

/// Returns the index of the contract content that version `number` publishes.
pub(crate) fn content(number: usize) -> usize {
    number / SAME
}

fn interaction(at: usize, change: usize, random: &mut Rng) -> String {
    let word = |random: &mut Rng| (0..8).map(|_| random.lowercase()).collect::<String>();
    let items: Vec<Value> = (0..4)
        .map(|_| json!({ "id": random.u32(..), "name": word(random), "price": f64::from(random.u16(..)) / 100.0, "tags": [word(random), word(random)] }))
        .collect();
    let interaction = json!({
        "description": format!("a request for things of kind {at}"),
        "providerStates": [{ "name": format!("things of kind {at} exist"), "params": { "kind": at, "change": change } }],
        "request": { "method": "GET", "path": format!("/things/{at}"), "query": { "page": ["1"] }, "headers": { "Accept": "application/json" } },
        "response": {
            "status": 200,
            "headers": { "Content-Type": "application/json" },
            "body": { "items": items, "total": random.u16(..) },
            "matchingRules": { "body": { "$.items": { "matchers": [{ "match": "type", "min": 1 }] } } },
        },
    });
    interaction.to_string()
}

/// Returns the body of a verification result with 20 interactions.
pub(crate) fn result(number: usize, success: bool) -> String {
    result_value(number, success).to_string()
}

pub(crate) fn result_value(number: usize, success: bool) -> Value {
    let results: Vec<Value> = (0..20)
        .map(|at| json!({ "interactionId": format!("{at:040x}"), "success": success || at > 0, "mismatches": [], "exceptions": [] }))
        .collect();
    json!({
        "success": success,
        "providerApplicationVersion": version(number),
        "testResults": results,
        "verifiedBy": { "implementation": "contract", "version": "0.1.0" },
    })
}
