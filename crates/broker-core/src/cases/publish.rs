//! Publishes contracts of a consumer version.

mod notices;

use super::settings::PublishSettings;
use super::webhooks::{self, EventContract, Triggered};
use super::{CaseError, branches, tags};
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::pacts::{self, Publication, PublishEffect};
use crate::sql::versions::{self, Version};
use crate::store::{StoreError, Tx};
use contract_broker_domain::content::{Content, MergeConflict};
use contract_broker_domain::names;
use contract_broker_domain::rules::Rules;

/// A consumer version with its branch, tags, and contracts.
pub struct VersionToPublish {
    pub consumer: String,
    pub number: String,
    pub branch: Option<String>,
    pub tags: Vec<String>,
    pub build_url: Option<String>,
    pub contracts: Vec<ContractToPublish>,
}

pub struct ContractToPublish {
    pub provider: String,
    pub content: Content,
    /// Whether to merge the content into the contract that the version has already published. If false, different
    /// content is rejected or replaces the contract, depending on the rules.
    pub merge: bool,
}

pub struct PublishedVersion {
    pub is_new: bool,
    /// One entry for each contract, in the order of [`VersionToPublish::contracts`].
    pub contracts: Vec<PublishedContract>,
}

pub struct PublishedContract {
    pub effect: PublishEffect,
    pub change: ContentChange,
    pub triggered: Vec<Triggered>,
    /// Whether any contract between the consumer and the provider has a verification result.
    pub is_verified: bool,
}

/// How a published contract differs from the contracts that earlier versions with the same tags published. For a
/// version without tags, earlier versions without tags are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentChange {
    /// There is no earlier contract for at least one of the tags, and none with different content.
    First,
    Same,
    Different,
}

/// The reason why a contract was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishRejection {
    #[error(
        "The application {name:?} does not exist, and its name is similar to {similar}. If you mean that application, correct the \
         name in the contract. Otherwise create the application first: contract-broker create-or-update-pacticipant --name {name:?}, \
         or POST {{\"name\": {name:?}}} to /pacticipants."
    )]
    SimilarName {
        name: String,
        /// The similar names, quoted and separated by commas.
        similar: String,
    },
    #[error(transparent)]
    ContentChanged(Box<ContentChanged>),
    #[error("{integration}: {conflict}.")]
    MergeConflict {
        integration: String,
        conflict: MergeConflict,
    },
    #[error("{0}")]
    UnreadableContent(String),
}

/// The version has already published different content, and the rules do not allow changes.
#[derive(Debug, thiserror::Error)]
#[error(
    "{consumer} {number} has already published a different contract with {provider}. The contracts of a version cannot change, \
     because verdicts may be based on them. Publish under a new version number. To combine parts of one contract from parallel \
     builds, use onConflict: merge. If nothing should have changed, look for generated values, such as dates, in the examples."
)]
pub struct ContentChanged {
    consumer: String,
    number: String,
    provider: String,
    /// The JSON of the published contract.
    published: String,
    /// The JSON of the contract in the request.
    rejected: String,
}

type Rejected = CaseError<PublishRejection>;

/// Publishes a version with its branch, tags, and contracts.
pub fn publish_version(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    publishing: &VersionToPublish,
) -> Result<PublishedVersion, Rejected> {
    let PublishSettings { rules, now, .. } = settings;
    let providers = publishing.contracts.iter().map(|contract| contract.provider.as_str());
    let names: Vec<&str> = std::iter::once(publishing.consumer.as_str()).chain(providers).collect();
    let mut found = find_applications(tx, rules, &names)?.into_iter();
    let consumer = pacticipants::or_create(tx, found.next().flatten(), &publishing.consumer, now)?;
    let owner = (consumer.id, consumer.name.as_str());
    let (version, is_new) = versions::find_or_create(tx, owner, &publishing.number, now)?;
    if publishing.build_url.is_some() {
        versions::set_build_url(tx, &version, publishing.build_url.as_deref(), now)?;
    }
    if let Some(branch) = &publishing.branch {
        branches::add_version(tx, rules, &version, branch, now)?;
    }
    for tag in &publishing.tags {
        tags::add_and_derive_branch(tx, settings, &version, tag)?;
    }
    let mut contracts = Vec::with_capacity(publishing.contracts.len());
    for (contract, found) in publishing.contracts.iter().zip(found) {
        let provider = pacticipants::or_create(tx, found, &contract.provider, now)?;
        contracts.push(publish(
            tx,
            settings,
            &version,
            &provider,
            &contract.content,
            contract.merge,
        )?);
    }
    Ok(PublishedVersion { is_new, contracts })
}

/// Publishes one contract of a consumer version. The tuple contains the consumer's name, the version number, and the
/// provider's name.
pub fn publish_contract(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    (consumer, number, provider): (&str, &str, &str),
    content: &Content,
    merge: bool,
) -> Result<(Publication, PublishEffect), Rejected> {
    let PublishSettings { rules, now, .. } = settings;
    let mut found = find_applications(tx, rules, &[consumer, provider])?.into_iter();
    let consumer = pacticipants::or_create(tx, found.next().flatten(), consumer, now)?;
    let provider = pacticipants::or_create(tx, found.next().flatten(), provider, now)?;
    let (version, _) = versions::find_or_create(tx, (consumer.id, &consumer.name), number, now)?;
    let published = publish(tx, settings, &version, &provider, content, merge)?;
    let publication = pacts::of_version(tx, version.id, provider.id)?;
    Ok((publication.ok_or_else(StoreError::vanished)?, published.effect))
}

/// Finds the applications with these names; the result contains `None` for new names. Rejects a new name that is
/// similar to a known one, because it is usually a typo.
fn find_applications(tx: &mut Tx<'_>, rules: &Rules, names: &[&str]) -> Result<Vec<Option<Pacticipant>>, Rejected> {
    let found = pacticipants::find_all(tx, names)?;
    if !rules.refuse_similar_names {
        return Ok(found);
    }
    let mut known: Option<Vec<String>> = None;
    for (name, _) in names.iter().zip(&found).filter(|(_, found)| found.is_none()) {
        if known.is_none() {
            known = Some(pacticipants::names(tx)?);
        }
        let known = known.iter().flatten().map(String::as_str);
        let similar = names::similar(name, known);
        if !similar.is_empty() {
            let similar: Vec<String> = similar.iter().map(|known| format!("{known:?}")).collect();
            return Err(CaseError::Rejected(PublishRejection::SimilarName {
                name: (*name).to_owned(),
                similar: similar.join(", "),
            }));
        }
    }
    Ok(found)
}

/// Publishes contract content for a version, and triggers webhooks.
fn publish(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    version: &Version,
    provider: &Pacticipant,
    content: &Content,
    merge: bool,
) -> Result<PublishedContract, Rejected> {
    // Concurrent publications for the version run one after the other.
    tx.lock_row("version", version.id)?;
    let mut before = pacts::before(tx, version, provider.id, &content.sha)?;
    let mut merged = None;
    if let Some(published) = before
        .publication
        .as_ref()
        .filter(|published| published.sha != content.sha)
    {
        if merge {
            merged = Some(merge_into(tx, published, content)?);
            // The merged content has a different hash.
            before.content = None;
        } else if !settings.rules.contracts_may_change {
            let changed = ContentChanged {
                consumer: version.pacticipant.clone(),
                number: version.number.clone(),
                provider: provider.name.clone(),
                published: pacts::document(tx, published.content_id)?,
                rejected: content.text().to_owned(),
            };
            return Err(CaseError::Rejected(PublishRejection::ContentChanged(Box::new(changed))));
        }
    }
    let content = merged.as_ref().unwrap_or(content);
    let (effect, content_id) = pacts::publish(tx, version, provider.id, content, &before, settings.now)?;
    let history = pacts::history(tx, version, provider.id, content_id)?;
    let change = change(effect, content_id, &history.contents_before);
    let event_contract = EventContract {
        consumer_id: version.pacticipant_id,
        consumer: &version.pacticipant,
        provider_id: provider.id,
        provider: &provider.name,
        version_id: version.id,
        version: &version.number,
        content_id,
        sha: &content.sha,
    };
    let is_changed = matches!(change, ContentChange::First | ContentChange::Different);
    let triggered = webhooks::contract_published(tx, settings.events(), &event_contract, is_changed)?;
    Ok(PublishedContract {
        effect,
        change,
        triggered,
        is_verified: history.is_verified,
    })
}

/// Compares the published content with the contents that earlier versions published. `before` has one entry for each
/// tag.
fn change(effect: PublishEffect, content: i64, before: &[Option<i64>]) -> ContentChange {
    let is_different = |before: &Option<i64>| before.is_some_and(|before| before != content);
    if effect == PublishEffect::Unchanged {
        ContentChange::Same
    } else if before.iter().any(is_different) {
        ContentChange::Different
    } else if before.contains(&None) {
        ContentChange::First
    } else {
        ContentChange::Same
    }
}

fn merge_into(tx: &mut Tx<'_>, published: &Publication, content: &Content) -> Result<Content, Rejected> {
    let document = pacts::document(tx, published.content_id)?;
    let older = Content::read(document.as_bytes())
        .map_err(|error| CaseError::Rejected(PublishRejection::UnreadableContent(error.to_string())))?;
    older.merge(content).map_err(|conflict| {
        CaseError::Rejected(PublishRejection::MergeConflict {
            integration: format!(
                "{} {} with {}",
                published.consumer, published.version, published.provider
            ),
            conflict,
        })
    })
}
