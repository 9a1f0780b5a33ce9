//! Publishes results to the brokers from which the contracts came.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use contract_broker_client::{BrokerError, VerificationResult};
use contract_model::{InteractionKind, Json, Object};
use contract_verifier::{
    ContractPublication, ContractReport, Finding, InteractionReport, Notice, NoticeTime, OriginKind, Part, Publication,
    Report, Status,
};
use thiserror::Error;

use crate::verify::gathered::Gathered;
use crate::verify::invalid::invalid;
use crate::verify::options::VerifyOptions;
use crate::verify::publish_options::PublishOptions;
use contract_call::error::ArgumentError;
use contract_pipeline::Environment;
use contract_pipeline::Fetched;
use contract_pipeline::{Detector, Undetected};

/// The version that stands for the one that is detected from the CI system or git.
const AUTO: &str = "auto";
/// Maximum number of mismatches that are published for an interaction.
const MAX_MISMATCHES: usize = 100;
/// Maximum length of a published text, in characters.
const MAX_TEXT_LENGTH: usize = 2000;

impl VerifyOptions {
    /// If the version is `auto`, replaces it with the version from the CI system or git, and sets the branch and the
    /// build URL if they are not set.
    pub(super) fn settled(self: &Arc<Self>, environment: &Environment) -> Result<Arc<Self>, ArgumentError> {
        let mut settled = Arc::clone(self);
        if self.publish.as_ref().is_none_or(|publish| publish.version != AUTO) {
            return Ok(settled);
        }
        let has_branch = self.publish_branch().is_some();
        let detector = Detector::new(environment);
        if let Some(publish) = &mut Arc::make_mut(&mut settled).publish {
            publish.version = detector.version().map_err(|missing| undetected(&missing))?.value;
            if !has_branch {
                let branch = detector.branch().map_err(|missing| undetected(&missing))?;
                publish.branch = branch.map(|found| found.value);
            }
            if publish.build_url.is_none() {
                publish.build_url = detector.build_url().map(|found| found.value);
            }
        }
        Ok(settled)
    }

    /// Adds the date, provider version, branch, and build URL to a report. Values that are not set are read from the
    /// environment variables of the CI system.
    pub(super) fn describe_run(&self, environment: &Environment, report: &mut Report) {
        let detector = Detector::new(environment);
        let publish = self.publish.as_ref();
        let redacted = |text: String| contract_report::redact::text(&text).into_owned();
        report.date = Some(contract_definition::clock::timestamp());
        report.provider_version = publish
            .map(|publish| publish.version.clone())
            .or_else(|| detector.commit_of_build())
            .map(redacted);
        report.provider_branch = self
            .publish_branch()
            .map(str::to_owned)
            .or_else(|| detector.branch_of_build())
            .map(redacted);
        report.build_url = publish
            .and_then(|publish| publish.build_url.clone())
            .or_else(|| detector.build_url().map(|found| found.value))
            .map(redacted);
    }

    /// Prepares to publish the results of a run. If `withheld` is a reason, they are not published.
    pub(super) fn publishing(&self, environment: &Environment, withheld: Option<String>) -> Publishing<'_> {
        Publishing {
            options: self.publish.as_ref(),
            branch: self.publish_branch(),
            withheld: withheld.or_else(|| environment.withholds_results()),
        }
    }
}

fn undetected(missing: &Undetected) -> ArgumentError {
    invalid(missing.message("version"))
        .in_operation("set_publish_options")
        .for_argument(missing.option("version"))
}

/// Publishes the results of a run, or adds the reason why they are not published to the report.
pub(super) struct Publishing<'a> {
    pub(super) options: Option<&'a PublishOptions>,
    pub(super) branch: Option<&'a str>,
    /// The reason why no results are published. `None` if they are published.
    pub(super) withheld: Option<String>,
}

impl Publishing<'_> {
    /// Publishes the results. Adds the outcome and the broker's notices to the report.
    pub(super) async fn finish(&self, gathered: &Gathered, report: &mut Report) {
        let outcomes = self.outcomes(gathered, report).await;
        for (at, outcome) in outcomes.iter().enumerate() {
            let contract = &mut report.contracts[at];
            let is_published = matches!(outcome, Delivery::Published(_));
            let fetched = gathered.fetched(contract.number);
            let is_satisfied = is_satisfied(gathered, contract);
            if let Some(fetched) = fetched.filter(|_| was_verified(contract)) {
                let when = format!("after_verification:success_{is_satisfied}_published_{is_published}");
                let notices = fetched.notices.iter().filter(|notice| notice.when == when);
                contract
                    .notices
                    .extend(notices.map(|notice| Notice::new(NoticeTime::After, &notice.text)));
            }
            if self.options.is_some() {
                contract.publication = Some(outcome.to_publication());
            }
        }
        if let Some(options) = self.options {
            report.set_publication(self.publication(options, &outcomes, report));
        }
        if let (Some(_), Some(reason)) = (self.options, &self.withheld) {
            report.warn(&[format!("no results were published: {reason}")]);
        }
    }

    async fn outcomes(&self, gathered: &Gathered, report: &Report) -> Vec<Delivery> {
        let mut outcomes = Vec::with_capacity(report.contracts.len());
        // The provider version is created only once per broker.
        let mut versions: BTreeMap<String, Result<(), BrokerError>> = BTreeMap::new();
        for contract in &report.contracts {
            let fetched = match self.publishable(gathered, contract) {
                Ok(fetched) => fetched,
                Err(reason) => {
                    outcomes.push(Delivery::Kept(reason.to_string()));
                    continue;
                }
            };
            let Some(options) = self.options else { continue };
            let client = &fetched.client;
            let created = match versions.entry(client.url()) {
                Entry::Occupied(created) => created.into_mut(),
                Entry::Vacant(place) => {
                    let version = options.version(self.branch);
                    place.insert(client.create_provider_version(&fetched.resource, &version).await)
                }
            };
            let published = match created {
                Ok(()) => {
                    let result = result(gathered, contract, options);
                    client.publish_result(&fetched.resource, &result).await
                }
                Err(error) => Err(error.clone()),
            };
            outcomes.push(match published {
                Ok(url) => Delivery::Published(url),
                Err(error) => Delivery::Failed(error.to_string()),
            });
        }
        outcomes
    }

    /// Returns the data for publishing the result of a contract, or the reason why the result is not published.
    fn publishable<'a>(&self, gathered: &'a Gathered, contract: &ContractReport) -> Result<&'a Fetched, Withheld> {
        if self.options.is_none() {
            return Err(Withheld::NotRequested);
        }
        if let Some(reason) = &self.withheld {
            return Err(Withheld::Run(reason.clone()));
        }
        let Some(fetched) = gathered.fetched(contract.number) else {
            let place = match contract.origin.as_ref().map(|origin| origin.kind) {
                Some(OriginKind::File) => "the contract was read from a file",
                Some(OriginKind::Document) => "the contract was passed as a document",
                _ => "the contract was read from a URL that does not belong to a broker",
            };
            return Err(Withheld::Origin(place));
        };
        if !was_verified(contract) {
            return Err(Withheld::NotVerified);
        }
        let gathered_contract = &gathered.contracts[contract.number];
        let is_unreadable = |kind: &InteractionKind| matches!(kind, InteractionKind::Unreadable(unreadable) if !unreadable.is_identified);
        if let [interaction] = gathered_contract.contract.interactions.as_slice()
            && interaction.description.as_str() == contract_report::WHOLE_CONTRACT
            && is_unreadable(&interaction.kind)
        {
            return Err(Withheld::Unreadable);
        }
        let is_whole = contract.interactions.len() == gathered_contract.contract.interactions.len();
        let count = |status| {
            contract
                .interactions
                .iter()
                .filter(|interaction| interaction.status == status)
                .count()
        };
        if !is_whole || (count(Status::Skipped) > 0 && count(Status::Failed) == 0) {
            return Err(Withheld::Incomplete);
        }
        Ok(fetched)
    }

    fn publication(&self, options: &PublishOptions, outcomes: &[Delivery], report: &Report) -> Publication {
        let failed: Vec<_> = report
            .contracts
            .iter()
            .zip(outcomes)
            .filter_map(|(contract, outcome)| match outcome {
                Delivery::Failed(problem) => Some((contract.consumer.as_str(), problem.as_str())),
                _ => None,
            })
            .collect();
        let published = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Delivery::Published(_)))
            .count();
        Publication {
            version: options.version.clone(),
            branch: self.branch.map(str::to_owned),
            tags: options.tags.clone(),
            published,
            error: failure(&failed, outcomes.len()),
        }
    }
}

/// Returns an error message that lists each distinct problem once, with the consumers that it affects. Returns `None`
/// if everything was published. `all` is the number of contracts.
fn failure(failed: &[(&str, &str)], all: usize) -> Option<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (consumer, problem) in failed {
        match reasons.iter_mut().find(|(known, _)| known == problem) {
            Some((_, consumers)) => consumers.push(consumer),
            None => reasons.push((problem, vec![consumer])),
        }
    }
    let lines: Vec<_> = reasons
        .iter()
        .map(|(problem, consumers)| {
            if failed.len() == all && reasons.len() == 1 {
                (*problem).to_owned()
            } else {
                format!("contract with {}: {problem}", consumers.join(", "))
            }
        })
        .collect();
    let text = contract_report::redact::text(&lines.join("; ")).into_owned();
    (!text.is_empty()).then_some(text)
}

/// Why the result of a contract is not published.
#[derive(Debug, Error)]
enum Withheld {
    #[error("")]
    NotRequested,
    /// The reason applies to the whole run.
    #[error("{0}")]
    Run(String),
    #[error("{0}; results can be published only for contracts from a broker")]
    Origin(&'static str),
    #[error("no interaction of the contract was verified")]
    NotVerified,
    #[error("the contract could not be read")]
    Unreadable,
    #[error("not all interactions of the contract were verified")]
    Incomplete,
}

/// Whether the result of a contract was published.
enum Delivery {
    Published(Option<String>),
    /// The result was not to be published, for this reason.
    Kept(String),
    Failed(String),
}

impl Delivery {
    fn to_publication(&self) -> ContractPublication {
        let redacted = |text: &str| contract_report::redact::text(text).into_owned();
        match self {
            Self::Published(url) => ContractPublication {
                published: true,
                url: url.as_deref().map(redacted),
                reason: None,
            },
            Self::Kept(reason) | Self::Failed(reason) => ContractPublication {
                published: false,
                url: None,
                reason: Some(redacted(reason)),
            },
        }
    }
}

fn was_verified(contract: &ContractReport) -> bool {
    contract
        .interactions
        .iter()
        .any(|interaction| interaction.status != Status::Skipped)
}

/// Returns true if the provider honors the contract. Failures of interactions that the consumer has marked as pending
/// do not count.
fn is_satisfied(gathered: &Gathered, contract: &ContractReport) -> bool {
    let interactions = &gathered.contracts[contract.number].contract.interactions;
    contract.is_satisfied(|at| {
        let reported = &contract.interactions[at];
        // Without a filter, the results are in the order of the contract.
        interactions
            .get(at)
            .is_some_and(|own| own.pending && own.description.as_str() == reported.description)
    })
}

fn result(gathered: &Gathered, contract: &ContractReport, options: &PublishOptions) -> VerificationResult {
    VerificationResult {
        success: is_satisfied(gathered, contract),
        provider_version: options.version.clone(),
        build_url: options.build_url.clone(),
        test_results: contract.interactions.iter().filter_map(interaction_result).collect(),
        verified_by: Some(("contract".to_owned(), env!("CARGO_PKG_VERSION").to_owned())),
    }
}

/// Returns the result of an interaction in the Pact Broker's format, or `None` if it was skipped.
fn interaction_result(interaction: &InteractionReport) -> Option<Json> {
    if interaction.status == Status::Skipped {
        return None;
    }
    let mut out = Object::new();
    if let Some(id) = &interaction.id {
        out.insert("interactionId", id.as_str());
    }
    out.insert("interactionDescription", interaction.description.as_str());
    out.insert("success", interaction.status == Status::Passed);
    let mismatches: Vec<Json> = interaction
        .mismatches
        .iter()
        .take(MAX_MISMATCHES)
        .map(mismatch)
        .collect();
    if !mismatches.is_empty() {
        out.insert("mismatches", Json::from(mismatches));
    }
    let exceptions: Vec<Json> = interaction
        .error
        .iter()
        .chain(&interaction.teardown_error)
        .map(|error| {
            let exception: Object = [
                ("message", cut(&error.message).as_str()),
                ("exceptionClass", error.code.as_str()),
            ]
            .into_iter()
            .collect();
            exception.into()
        })
        .collect();
    if !exceptions.is_empty() {
        out.insert("exceptions", Json::from(exceptions));
    }
    Some(out.into())
}

fn mismatch(finding: &Finding) -> Json {
    let attribute = match finding.part {
        Part::Status => "status",
        Part::Header => "header",
        Part::Metadata => "metadata",
        Part::BodyType | Part::Body => "body",
        _ => "interaction",
    };
    let mut out = Object::new();
    out.insert("attribute", attribute);
    let root = (finding.part == Part::BodyType).then_some("$");
    if let Some(identifier) = finding.key.as_deref().or(finding.path.as_deref()).or(root) {
        out.insert("identifier", cut(identifier).as_str());
    }
    out.insert("description", cut(&finding.sentence).as_str());
    out.into()
}

fn cut(text: &str) -> String {
    contract_report::cut_text(text, MAX_TEXT_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn lists_each_problem_once() {
        assert_eq!(failure(&[], 2), None);
        assert_eq!(failure(&[("a", "no"), ("b", "no")], 2).unwrap(), "no");
        assert_eq!(
            failure(&[("a", "no"), ("b", "no")], 3).unwrap(),
            "contract with a, b: no"
        );
        assert_eq!(
            failure(&[("a", "no"), ("b", "late")], 2).unwrap(),
            "contract with a: no; contract with b: late"
        );
    }
}
