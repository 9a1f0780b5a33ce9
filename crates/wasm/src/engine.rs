//! Serves the interactions of any number of contracts.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract_datetime::DateTime;
use contract_matching::ActualRequest;
use contract_model::{Contract, Interaction, InteractionKind};
use contract_report::InteractionRef;
use serde::{Deserialize, Serialize};

use crate::answer::{Inputs, Reply};
use crate::conflicts::{Conflict, conflicts};
use crate::error::OpenError;
use crate::expectation::Expectation;
use crate::explain::Unmatched;
use crate::index::Index;
use crate::states::Selection;

/// A contract in JSON format.
#[derive(Debug, Deserialize)]
pub struct Source {
    /// Name of the contract in messages. Default: the names of the consumer and the provider, joined by a hyphen, such
    /// as `web-users`.
    pub name: Option<String>,
    /// The contract file's content.
    pub text: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenOptions {
    /// Consumers whose contracts are served. If empty, the contracts of all consumers are served.
    pub consumers: Vec<String>,
    /// Providers whose contracts are served. If empty, the contracts of all providers are served.
    pub providers: Vec<String>,
    /// If true, interactions that require plugins are ignored. Otherwise, they are an error.
    pub ignore_plugins: bool,
    /// Seed for generated values.
    pub seed: u64,
    /// Maximum total size of the contracts in bytes. Default: 64 MiB.
    pub contract_limit: Option<usize>,
}

/// Default maximum total size of the contracts in bytes. A parsed contract requires about ten times the memory of its
/// text, and browsers limit the memory of a module.
const CONTRACT_LIMIT: usize = 64 << 20;

#[derive(Debug)]
pub struct Engine {
    index: Index,
    seed: u64,
    /// Number of responses so far. It is part of the seed, so that generated values differ between responses.
    answered: u64,
}

#[derive(Debug, Serialize)]
pub struct Opened {
    /// The interactions that are served, in the order of the contracts.
    pub interactions: Vec<Served>,
    /// Interactions of different contracts that match the same request but have different responses.
    pub conflicts: Vec<Conflict>,
    /// Descriptions of the interactions that are ignored because they require plugins, each with the name of the
    /// contract and the reason.
    pub ignored: Vec<String>,
    /// Problems that did not prevent a contract from being read.
    pub warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Served {
    pub contract: String,
    #[serde(flatten)]
    pub interaction: InteractionRef,
}

pub(crate) struct Matched<'a> {
    pub(crate) expectation: &'a Expectation,
    pub(crate) reply: Reply,
}

impl Engine {
    /// Reads and compiles the contracts.
    pub fn open(sources: Vec<Source>, options: &OpenOptions) -> Result<(Self, Opened), OpenError> {
        let mut engine = Self {
            index: Index::default(),
            seed: options.seed,
            answered: 0,
        };
        let limit = options.contract_limit.unwrap_or(CONTRACT_LIMIT);
        let size: usize = sources.iter().map(|source| source.text.len()).sum();
        if size > limit {
            return Err(OpenError::Size { size, limit });
        }
        let (mut warnings, mut ignored) = (Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        for (Source { name, text }, number) in sources.into_iter().zip(1..) {
            let numbered = format!("contract {number}");
            let reading = Contract::read(text.as_bytes()).map_err(|source| OpenError::Contract {
                contract: name.clone().unwrap_or_else(|| numbered.clone()),
                source,
            })?;
            if !options.selects(&reading.contract) {
                continue;
            }
            let name = name.unwrap_or_else(|| {
                let pair = format!("{}-{}", reading.contract.consumer, reading.contract.provider);
                if names.contains(&pair) {
                    format!("{pair} ({numbered})")
                } else {
                    pair
                }
            });
            names.insert(name.clone());
            warnings.extend(reading.warnings.iter().map(|warning| format!("{name}: {warning}")));
            engine.add(&name.into(), reading.contract, &mut ignored)?;
        }
        if !ignored.is_empty() && !options.ignore_plugins {
            return Err(OpenError::Plugin { interactions: ignored });
        }
        if engine.index.list.is_empty() {
            let reason = "the contracts contain no HTTP interactions for the selected consumers and providers";
            return Err(OpenError::Nothing { reason });
        }
        let opened = Opened {
            interactions: engine.index.list.iter().map(served).collect(),
            conflicts: conflicts(&engine.index),
            ignored,
            warnings,
        };
        Ok((engine, opened))
    }

    fn add(&mut self, name: &Arc<str>, mut contract: Contract, ignored: &mut Vec<String>) -> Result<(), OpenError> {
        for interaction in std::mem::take(&mut contract.interactions) {
            if let InteractionKind::Unreadable(unreadable) = &interaction.kind {
                return Err(OpenError::Unreadable {
                    contract: name.to_string(),
                    at: unreadable.at.clone(),
                    reason: unreadable.reason.clone(),
                });
            }
            let Some(http) = interaction.http().cloned() else {
                continue;
            };
            if let Some(reason) = plugin(&interaction) {
                ignored.push(format!(
                    "{name}: the interaction {:?} {reason}",
                    interaction.description
                ));
                continue;
            }
            let at = self.index.list.len();
            self.index
                .add(Expectation::new(at, name, &contract, interaction, &http)?);
        }
        Ok(())
    }

    /// Returns the response to a request. If no interaction matches, returns the reason as the error.
    pub(crate) fn answer(
        &mut self,
        actual: &ActualRequest,
        selection: &Selection,
        now: DateTime,
        base_url: &str,
    ) -> Result<Matched<'_>, Box<Unmatched>> {
        let seed = self.seed.wrapping_add(self.answered);
        self.answered = self.answered.wrapping_add(1);
        let allowed = self
            .index
            .matching(actual)
            .filter(|one| selection.allows(&one.interaction));
        // This is the first of several minima, so the order of `matching` applies.
        let Some(expectation) = allowed.min_by_key(|one| selection.rank(&one.interaction)) else {
            return Err(Box::new(Unmatched::new(&self.index, actual, selection)));
        };
        let inputs = Inputs { base_url, now, seed };
        let reply = expectation.answer.reply(&actual.method, inputs);
        Ok(Matched { expectation, reply })
    }

    /// Restarts the sequence of generated values, so that the same values are generated again.
    pub(crate) fn restart(&mut self) {
        self.answered = 0;
    }
}

impl OpenOptions {
    fn selects(&self, contract: &Contract) -> bool {
        let is_among = |names: &[String], name: &str| names.is_empty() || names.iter().any(|other| other == name);
        is_among(&self.consumers, &contract.consumer) && is_among(&self.providers, &contract.provider)
    }
}

fn served(expectation: &Expectation) -> Served {
    Served {
        contract: expectation.contract.to_string(),
        interaction: expectation.reference(),
    }
}

/// Returns the reason why the interaction requires a plugin, or `None` if it does not.
fn plugin(interaction: &Interaction) -> Option<String> {
    if let Some(name) = interaction.plugin_configuration.keys().next() {
        return Some(format!("requires the plugin {:?}", name.as_str()));
    }
    let transport = interaction.transport.as_deref()?;
    (!matches!(transport, "http" | "https")).then(|| format!("requires a plugin for the transport {transport:?}"))
}
