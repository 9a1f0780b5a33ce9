//! The `publish` operation.

use bytes::Bytes;
use contract_broker_client::{
    BrokerClient, BrokerError, BrokerErrorKind, ContractToPublish, Notice, Publication, without_additions,
};
use contract_model::Json;
use serde::Deserialize;

use super::access::Call;
use super::arguments::{invalid_argument, valid_line};
use super::detect::{Detector, Undetected};
use super::failure::BrokerFailure;
use super::files::{Checks, Contracts, gather};
use super::reply::BrokerReply;
use super::values::{
    Detected, DetectedBuild, PublishOutcome, PublishedConsumer, PublishedContract, PublishedContracts,
};
use crate::environment::Environment;
use contract_call::message::{message, option, setting};

/// Options for `publish`: the contract files, and the consumer version that publishes them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublishArguments {
    /// Paths of contract files, directories, and glob patterns such as `contracts/**/*.json`. At least one is required.
    pub files: Vec<String>,
    /// Version of the consumer, such as a commit hash. Required unless `auto_detect` is true.
    pub consumer_version: Option<String>,
    /// Branch of the consumer version, such as `main`.
    pub branch: Option<String>,
    /// Tags to add to the consumer version.
    pub tags: Vec<String>,
    /// URL of the CI build that publishes the contracts.
    pub build_url: Option<String>,
    /// Whether the version, branch, and build URL are detected from the CI system or git if they are not set.
    /// Default: false.
    pub auto_detect: bool,
    /// Whether the name of the branch, which is detected from the CI system or git, is added as a tag. Default: false.
    pub tag_with_git_branch: bool,
    /// Whether contracts are merged: files with the same consumer and provider, and contracts that other parts of the
    /// build have already published for this version. Default: false.
    pub merge: bool,
    /// Whether a file with an interaction that cannot be read prevents publishing. Default: false.
    pub validate: bool,
    /// Whether a warning about a file prevents publishing. Includes `validate`. Default: false.
    pub strict: bool,
    /// Whether the contracts are only compared with those in the broker, without publishing them. Default: false.
    pub dry_run: bool,
}

struct PublicationPlan {
    /// The version to publish. The consumer and its contracts are added later.
    publication: Publication,
    detected: DetectedBuild,
    warnings: Vec<String>,
}

pub(super) async fn publish(
    call: Call<'_>,
    mut arguments: PublishArguments,
) -> Result<BrokerReply<PublishedContracts>, BrokerFailure> {
    if arguments.files.is_empty() {
        return Err(invalid_argument("files", "pass at least one contract file or directory").into());
    }
    if let Some(url) = arguments.files.iter().find(|path| path.contains("://")) {
        let redacted = contract_wire::redact_url(url);
        return Err(invalid_argument(
            "files",
            format!("{redacted} is a URL, but only local files can be published"),
        )
        .into());
    }
    let files = std::mem::take(&mut arguments.files);
    let checks = Checks {
        validate: arguments.validate,
        strict: arguments.strict,
        merge: arguments.merge,
    };
    let dry_run = arguments.dry_run;
    let mut plan = plan(&call.broker.environment, arguments)?;
    let client = call.client()?;
    let gathered = contract_runtime::spawn_blocking(move || gather(&files, checks)).await;
    let gathered = gathered.map_err(|error| BrokerFailure::local(error.code(), error.to_string()))??;
    plan.warnings.extend(gathered.warnings);
    let published = PublishedContracts {
        dry_run,
        detected: plan.detected,
        warnings: plan.warnings,
        consumers: send_all(&client, gathered.contracts, plan.publication, dry_run).await?,
    };
    Ok(BrokerReply::new(&published))
}

fn plan(environment: &Environment, arguments: PublishArguments) -> Result<PublicationPlan, BrokerFailure> {
    let mut warnings = Vec::new();
    let mut detected = DetectedBuild::default();
    let detector = Detector::new(environment);
    if arguments.auto_detect {
        let failed = |missing: Undetected| missing.failure("consumer_version");
        if arguments.consumer_version.is_none() {
            detected.version = Some(detector.version().map_err(failed)?);
        }
        if arguments.branch.is_none() {
            detected.branch = detector.branch().map_err(failed)?;
            if detected.branch.is_none() {
                warnings.push("the build of a tag has no branch; the version is published without a branch".to_owned());
            }
        }
        detected.build_url = detector.build_url();
    }
    let mut tags = arguments.tags;
    if arguments.tag_with_git_branch {
        // A tag was requested, so a missing branch is an error.
        let branch = detector.branch_for_tags();
        let branch = branch.map_err(|missing| missing.failure("tags"))?;
        if !tags.contains(&branch) {
            tags.push(branch);
        }
    }
    let value = |found: &Option<Detected>| found.as_ref().map(|found| found.value.clone());
    let Some(version) = arguments.consumer_version.or_else(|| value(&detected.version)) else {
        let message = message![
            "the consumer version is missing; set ",
            option("consumer_version"),
            " or detect it with ",
            setting("auto_detect", "true")
        ];
        return Err(invalid_argument("consumer_version", message).into());
    };
    valid_line("consumer_version", &version)?;
    let branch = arguments.branch.or_else(|| value(&detected.branch));
    if let Some(branch) = &branch {
        valid_line("branch", branch)?;
    }
    for tag in &tags {
        valid_line("tags", tag)?;
    }
    let build_url = arguments.build_url.or_else(|| value(&detected.build_url));
    Ok(PublicationPlan {
        publication: Publication {
            consumer: String::new(),
            version,
            branch,
            tags,
            build_url,
            contracts: Vec::new(),
            merge: arguments.merge,
        },
        detected,
        warnings,
    })
}

/// Sends one request for each consumer. If a request fails, the error contains the contracts that were already
/// published.
async fn send_all(
    client: &BrokerClient,
    contracts: Contracts,
    mut publication: Publication,
    dry_run: bool,
) -> Result<Vec<PublishedConsumer>, BrokerFailure> {
    let mut out = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for (consumer, by_provider) in contracts {
        let mut files = Vec::with_capacity(by_provider.len());
        publication.consumer = consumer;
        publication.contracts = by_provider
            .into_iter()
            .map(|(provider, contract)| {
                files.push(contract.files);
                let content = contract.content;
                ContractToPublish { provider, content }
            })
            .collect();
        let Publication { consumer, version, .. } = &publication;
        let outcome = if dry_run {
            compare(client, &publication).await
        } else {
            let published = client.publish(&publication).await;
            published.map(|published| {
                let urls = published.contracts.into_iter().map(|contract| (contract.url, None));
                (urls.collect(), published.notices)
            })
        };
        let failed = |error: BrokerError| conflict_failure(error, consumer, version).with_published(&done);
        let (outcomes, notices) = outcome.map_err(failed)?;
        let providers = publication.contracts.iter().map(|contract| &contract.provider);
        done.extend(providers.map(|provider| format!("{consumer} {version} → {provider}")));
        let version = version.clone();
        let consumer = std::mem::take(&mut publication.consumer);
        let contracts = std::mem::take(&mut publication.contracts);
        let contracts = outcomes.into_iter().zip(contracts).zip(files);
        out.push(PublishedConsumer {
            consumer,
            version,
            branch: publication.branch.clone(),
            tags: publication.tags.clone(),
            build_url: publication.build_url.clone(),
            contracts: contracts
                .map(|(((url, outcome), contract), files)| PublishedContract {
                    url,
                    outcome,
                    provider: contract.provider,
                    files,
                })
                .collect(),
            notices,
        });
    }
    Ok(out)
}

/// For a conflict, creates an error with a shorter message. The broker's message remains in the notices.
fn conflict_failure(error: BrokerError, consumer: &str, version: &str) -> BrokerFailure {
    if error.kind() != BrokerErrorKind::Conflict || !error.is_about("contracts") {
        return error.into();
    }
    let problem = format!("version {version} of {consumer} was already published with different content");
    let advice = message![
        "publish a new version, or merge the contents with ",
        setting("merge", "true")
    ];
    BrokerFailure::advised(error.with_message(problem).without_repeated_notices(), advice)
}

/// The URL and the outcome of each contract, and the broker's notices.
type ContractOutcomes = (Vec<(Option<String>, Option<PublishOutcome>)>, Vec<Notice>);

/// Determines the outcome for each contract without publishing it.
async fn compare(client: &BrokerClient, publication: &Publication) -> Result<ContractOutcomes, BrokerError> {
    let mut outcomes = Vec::new();
    for contract in &publication.contracts {
        let existing = client
            .contract_of_version(&publication.consumer, &contract.provider, &publication.version)
            .await;
        let outcome = match existing {
            Ok(existing) if is_same(existing.bytes(), &contract.content) => PublishOutcome::Unchanged,
            Ok(_) if publication.merge => PublishOutcome::Merged,
            Ok(_) => PublishOutcome::Conflict,
            Err(error) if error.kind() == BrokerErrorKind::NotFound => PublishOutcome::Created,
            Err(error) => return Err(error),
        };
        outcomes.push((None, Some(outcome)));
    }
    Ok((outcomes, Vec::new()))
}

/// Returns true if both contracts have the same interactions and messages, in any order.
fn is_same(existing: &Bytes, new: &Bytes) -> bool {
    let interactions = |bytes: &Bytes| {
        let contract = without_additions(&Json::parse(bytes).ok()?);
        let sorted = |list: &str| {
            let mut items = contract.get(list)?.as_array()?.to_vec();
            items.sort_by_cached_key(|item| {
                item.get("description")
                    .map(|text| text.text_form().into_owned())
                    .unwrap_or_default()
            });
            Some(items)
        };
        Some(["interactions", "messages"].map(sorted))
    };
    matches!((interactions(existing), interactions(new)), (Some(existing), Some(new)) if existing == new)
}
