//! Publishing contract files.

use bytes::Bytes;
use contract_broker_client::{BrokerClient, BrokerError, BrokerErrorKind, ContractToPublish, Publication, Published};
use contract_model::{Json, Object};
use serde::Deserialize;

use super::arguments::{refuse, said};
use super::call::Call;
use super::detect::{Detected, Found, Given, detect, git_branch};
use super::failure::BrokerFailure;
use super::files::{Checks, Contracts, gather};
use super::reply::BrokerReply;
use super::shape;
use crate::message::{option, setting, told};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Arguments {
    files: Vec<String>,
    consumer_version: Option<String>,
    branch: Option<String>,
    tags: Vec<String>,
    build_url: Option<String>,
    auto_detect: bool,
    tag_with_git_branch: bool,
    merge: bool,
    validate: bool,
    strict: bool,
    dry_run: bool,
}

/// What all contracts are published as.
struct As {
    /// Without a consumer and its contracts yet.
    publication: Publication,
    detected: Detected,
    warnings: Vec<String>,
}

pub(super) async fn publish(call: &Call<'_>, mut given: Arguments) -> Result<BrokerReply, BrokerFailure> {
    if given.files.is_empty() {
        return Err(refuse("files", "give the contract files, or directories that hold them").into());
    }
    if let Some(url) = given.files.iter().find(|path| path.contains("://")) {
        let shown = contract_wire::shown_url(url);
        return Err(refuse(
            "files",
            format!("{shown} is a URL; contract files on this machine are published"),
        )
        .into());
    }
    let files = std::mem::take(&mut given.files);
    let checks = Checks {
        validate: given.validate,
        strict: given.strict,
        merge: given.merge,
    };
    let dry_run = given.dry_run;
    let mut meant = meant(call, given)?;
    let client = call.client()?;
    let gathered = tokio::task::spawn_blocking(move || gather(&files, checks)).await;
    let gathered =
        gathered.map_err(|panicked| BrokerFailure::local("ERR_CONTRACT_INTERNAL", panicked.to_string()))??;
    meant.warnings.extend(gathered.warnings);
    let consumers = send_all(&client, gathered.contracts, meant.publication, dry_run).await?;
    let mut value = Object::new();
    value.insert("dryRun", dry_run);
    value.insert("detected", meant.detected.to_json());
    value.insert("warnings", shape::texts(&meant.warnings));
    value.insert("consumers", consumers);
    Ok(Json::from(value).into())
}

fn meant(call: &Call<'_>, given: Arguments) -> Result<As, BrokerFailure> {
    let mut warnings = Vec::new();
    let mut detected = Detected::default();
    if given.auto_detect {
        // Whoever names tags does without branches.
        let knows = Given {
            commit: given.consumer_version.is_some(),
            branch: given.branch.is_some(),
        };
        detected = detect(call.environment, knows).map_err(|missing| missing.failure("consumer_version"))?;
        if detected.is_tag && detected.branch.is_none() && given.branch.is_none() {
            warnings.push("this is the build of a tag, so the version is published without a branch".to_owned());
        }
    }
    let mut tags = given.tags;
    if given.tag_with_git_branch {
        let branch = git_branch(call.environment).map_err(|missing| missing.failure("tags"))?;
        if !tags.contains(&branch.value) {
            tags.push(branch.value);
        }
    }
    let value = |found: &Option<Found>| found.as_ref().map(|found| found.value.clone());
    let Some(version) = given.consumer_version.or_else(|| value(&detected.commit)) else {
        let message = told![
            "which version of the consumer? Give it as ",
            option("consumer_version"),
            ", or let ",
            setting("auto_detect", "true"),
            " find it"
        ];
        return Err(refuse("consumer_version", message).into());
    };
    said("consumer_version", &version)?;
    let branch = given.branch.or_else(|| value(&detected.branch));
    if let Some(branch) = &branch {
        said("branch", branch)?;
    }
    for tag in &tags {
        said("tags", tag)?;
    }
    let build_url = given.build_url.or_else(|| value(&detected.build_url));
    Ok(As {
        publication: Publication {
            consumer: String::new(),
            version,
            branch,
            tags,
            build_url,
            contracts: Vec::new(),
            merge: given.merge,
        },
        detected,
        warnings,
    })
}

/// One request for each consumer. When one fails, what was published by then is told.
async fn send_all(
    client: &BrokerClient,
    contracts: Contracts,
    mut publication: Publication,
    dry_run: bool,
) -> Result<Json, BrokerFailure> {
    let mut out: Vec<Json> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for (consumer, by_provider) in contracts {
        let mut files = Vec::with_capacity(by_provider.len());
        publication.consumer = consumer;
        publication.contracts = by_provider
            .into_iter()
            .map(|(provider, one)| {
                files.push(one.files);
                let content = one.content;
                ContractToPublish { provider, content }
            })
            .collect();
        let Publication { consumer, version, .. } = &publication;
        let outcome = if dry_run {
            compare(client, &publication).await
        } else {
            client.publish(&publication).await.map(|published| told_of(&published))
        };
        let failed = |error: BrokerError| of_conflict(error, consumer, version).behind(&done);
        let mut told = outcome.map_err(failed)?;
        let providers = publication.contracts.iter().map(|one| one.provider.as_str());
        done.extend(
            providers
                .clone()
                .map(|provider| format!("{consumer} {version} → {provider}")),
        );
        for ((one, provider), files) in told.contracts.iter_mut().zip(providers).zip(files) {
            one.insert("provider", provider);
            one.insert("files", shape::texts(&files));
        }
        let mut of_consumer = Object::new();
        of_consumer.insert("consumer", consumer.as_str());
        of_consumer.insert("version", version.as_str());
        of_consumer.insert("branch", shape::or_null(publication.branch.as_deref()));
        of_consumer.insert("tags", shape::texts(&publication.tags));
        of_consumer.insert("buildUrl", shape::or_null(publication.build_url.as_deref()));
        let contracts: Vec<Json> = told.contracts.into_iter().map(Json::from).collect();
        of_consumer.insert("contracts", contracts);
        of_consumer.insert("notices", told.notices);
        out.push(of_consumer.into());
    }
    Ok(out.into())
}

/// What a conflict means, in fewer words than brokers have for it: those stand in the notices.
fn of_conflict(error: BrokerError, consumer: &str, version: &str) -> BrokerFailure {
    let is_content = error.reasons().iter().any(|reason| reason.starts_with("contracts "));
    if error.kind() != BrokerErrorKind::Conflict || !is_content {
        return error.into();
    }
    let what = format!("version {version} of {consumer} is published with another content already");
    let advice = told![
        "publish this one as a new version, or add it to the other with ",
        setting("merge", "true")
    ];
    BrokerFailure::advised(error.told(what), advice)
}

/// What is told of a consumer's contracts, in the order of their providers.
struct Told {
    contracts: Vec<Object>,
    notices: Json,
}

fn told_of(published: &Published) -> Told {
    let one = |contract: &contract_broker_client::PublishedContract| {
        let mut out = Object::new();
        out.insert("url", shape::or_null(contract.url.as_deref()));
        out
    };
    Told {
        contracts: published.contracts.iter().map(one).collect(),
        notices: shape::notices(&published.notices),
    }
}

/// What publishing would do.
async fn compare(client: &BrokerClient, publication: &Publication) -> Result<Told, BrokerError> {
    let mut contracts = Vec::new();
    for one in &publication.contracts {
        let there = client
            .contract_of_version(&publication.consumer, &one.provider, &publication.version)
            .await;
        let outcome = match there {
            Ok(there) if is_same(there.bytes(), &one.content) => "unchanged",
            Ok(_) if publication.merge => "merged",
            Ok(_) => "conflict",
            Err(error) if error.kind() == BrokerErrorKind::NotFound => "created",
            Err(error) => return Err(error),
        };
        let mut out = Object::new();
        out.insert("url", Json::Null);
        out.insert("outcome", outcome);
        contracts.push(out);
    }
    Ok(Told {
        contracts,
        notices: Json::from(Vec::new()),
    })
}

/// Whether two files say the same about their interactions.
fn is_same(there: &Bytes, here: &Bytes) -> bool {
    let meaning = |bytes: &Bytes| {
        let mut document = Json::parse(bytes).ok()?;
        let members = document.as_object_mut()?;
        members.retain(|name, _| matches!(name, "interactions" | "messages"));
        for list in ["interactions", "messages"] {
            if let Some(Json::Array(items)) = members.get_mut(list) {
                for item in items.iter_mut().filter_map(Json::as_object_mut) {
                    item.remove("_id");
                }
                items.sort_by_cached_key(|item| {
                    item.get("description")
                        .map(|text| text.text_form().into_owned())
                        .unwrap_or_default()
                });
            }
        }
        Some(document)
    };
    match (meaning(there), meaning(here)) {
        (Some(there), Some(here)) => there == here,
        _ => false,
    }
}
