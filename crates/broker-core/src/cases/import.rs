//! Adds records from another broker. Records that the database already has are skipped, so that an import can be
//! repeated and continued. An import does not trigger webhooks, and does not derive branches from tags.

use crate::sql::environments::{self, Description, PresenceKind};
use crate::sql::pacticipants::{self, Details};
use crate::sql::pacts;
use crate::sql::results::{self, Report};
use crate::sql::versions::{self, Version};
use crate::sql::webhooks::{self, Participant, Webhook};
use crate::sql::{branches, tags};
use crate::store::{StoreError, Tx};
use contract_broker_domain::content::Content;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Added,
    /// The database already had the record.
    Known,
    /// The version was deleted from the database after an earlier import. It cannot be added again, because it would
    /// become the latest version.
    Deleted,
    /// The reason why the record cannot be added.
    Rejected(String),
}

impl Outcome {
    fn added_if(is_new: bool) -> Self {
        if is_new { Self::Added } else { Self::Known }
    }
}

/// A record from another broker. All times are in milliseconds since 1970.
#[derive(Debug)]
pub enum Record {
    Environment(ImportedEnvironment),
    Application(ImportedApplication),
    Branch(ImportedBranch),
    Version(ImportedVersion),
    BranchHead(ImportedBranchHead),
    Content(ImportedContent),
    Contract(ImportedContract),
    Result(ImportedResult),
    TagSuccess(ImportedTagSuccess),
    Presence(ImportedPresence),
    Webhook(ImportedWebhook),
}

#[derive(Clone, Debug)]
pub struct ImportedEnvironment {
    pub uuid: String,
    pub name: String,
    pub display_name: String,
    pub production: bool,
    /// The contacts as a JSON array, or `None` if there are none.
    pub contacts: Option<String>,
    pub created_at: i64,
}

#[derive(Clone, Debug)]
pub struct ImportedApplication {
    pub name: String,
    pub details: Details,
    pub labels: Vec<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

/// A branch, which may have been created before its first version was added. Without this record, the branch is created
/// at the time at which its first version was added to it.
#[derive(Clone, Debug)]
pub struct ImportedBranch {
    pub application: String,
    pub name: String,
    pub created_at: i64,
}

/// A version. The versions of an application must be imported from the oldest to the newest.
#[derive(Clone, Debug)]
pub struct ImportedVersion {
    pub application: String,
    pub number: String,
    pub build_url: Option<String>,
    pub branches: Vec<ImportedLink>,
    pub tags: Vec<ImportedLink>,
    pub created_at: i64,
    /// Whether the database has a newer version of the application.
    pub is_old: bool,
}

/// A branch on which the version is, or a tag of the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedLink {
    pub name: String,
    /// Whether the branch was derived from a tag. Not used for tags.
    pub automatic: bool,
    pub created_at: i64,
}

/// The head of a branch. Without this record, the head is the version that was added to the branch last.
#[derive(Clone, Debug)]
pub struct ImportedBranchHead {
    pub application: String,
    pub branch: String,
    pub version: String,
}

/// Contract content, which several versions of the consumer may have published.
#[derive(Debug)]
pub struct ImportedContent {
    pub consumer: String,
    pub provider: String,
    pub content: Content,
    /// The size of the document in bytes.
    pub size: usize,
    pub created_at: i64,
}

/// All revisions of the contract that a consumer version published for a provider.
#[derive(Clone, Debug)]
pub struct ImportedContract {
    pub consumer: String,
    pub version: String,
    pub provider: String,
    /// The revisions, oldest first.
    pub revisions: Vec<ImportedRevision>,
}

#[derive(Clone, Debug)]
pub struct ImportedRevision {
    /// The hash of the contract content, which must already have been imported.
    pub sha: String,
    pub created_at: i64,
}

#[derive(Clone, Debug)]
pub struct ImportedResult {
    pub consumer: String,
    pub provider: String,
    /// The hash of the contract content.
    pub sha: String,
    pub provider_version: String,
    /// The number of this result, from 1, among results that have the same contract content, provider version, time,
    /// and status.
    pub occurrence: i64,
    /// Whether the time is rounded down to a second.
    pub is_rounded: bool,
    pub success: bool,
    pub wip: bool,
    pub build_url: Option<String>,
    /// The test results that the verifier sent, as JSON, or `None` if it sent none.
    pub test_results: Option<String>,
    /// The name and version of the verifier as JSON, or `None` if they are unknown.
    pub verified_by: Option<String>,
    pub created_at: i64,
}

/// The time at which provider versions with a tag first verified the content successfully. The verification result
/// itself may have been deleted.
#[derive(Clone, Debug)]
pub struct ImportedTagSuccess {
    pub consumer: String,
    pub provider: String,
    /// The hash of the contract content.
    pub sha: String,
    pub tag: String,
    /// Whether the content was work in progress during the verification.
    pub wip: bool,
    pub first_at: i64,
}

/// A deployment or a release.
#[derive(Clone, Debug)]
pub struct ImportedPresence {
    pub kind: PresenceKind,
    pub uuid: String,
    pub application: String,
    pub version: String,
    /// The UUID of the environment.
    pub environment: String,
    /// The application instance of a deployment, or `None` for a release and for an application with a single instance.
    pub instance: Option<String>,
    pub created_at: i64,
    /// The time at which the deployment or the support of the release ended, or `None` if it is current.
    pub ended_at: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct ImportedWebhook {
    pub uuid: String,
    pub description: Option<String>,
    pub consumer: ImportedParticipant,
    pub provider: ImportedParticipant,
    pub enabled: bool,
    /// The names of the events as a JSON array.
    pub events: String,
    /// The request as stored JSON, in which secret values are null.
    pub request: String,
    pub created_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedParticipant {
    Any,
    Application(String),
    Label(String),
}

pub fn add(tx: &mut Tx<'_>, record: &Record) -> Result<Outcome, StoreError> {
    match record {
        Record::Environment(environment) => add_environment(tx, environment),
        Record::Application(application) => add_application(tx, application),
        Record::Branch(branch) => add_branch(tx, branch),
        Record::Version(version) => add_version(tx, version),
        Record::BranchHead(head) => set_head(tx, head),
        Record::Content(content) => add_content(tx, content),
        Record::Contract(contract) => add_contract(tx, contract),
        Record::Result(result) => add_result(tx, result),
        Record::TagSuccess(success) => add_tag_success(tx, success),
        Record::Presence(presence) => add_presence(tx, presence),
        Record::Webhook(webhook) => add_webhook(tx, webhook),
    }
}

/// Returns for each triple of consumer, version, and provider whether this version has published a contract with the
/// provider.
pub fn published(tx: &mut Tx<'_>, contracts: &[(String, String, String)]) -> Result<Vec<bool>, StoreError> {
    contracts
        .iter()
        .map(|(consumer, version, provider)| {
            let (Some(version), Some(provider)) =
                (find_version(tx, consumer, version)?, pacticipants::find(tx, provider)?)
            else {
                return Ok(false);
            };
            Ok(pacts::of_version(tx, version.id, provider.id)?.is_some())
        })
        .collect()
}

/// Returns for each triple of consumer, provider, and hash whether the database has the contract content with this
/// hash.
pub fn known_contents(tx: &mut Tx<'_>, contracts: &[(String, String, String)]) -> Result<Vec<bool>, StoreError> {
    contracts
        .iter()
        .map(|(consumer, provider, sha)| Ok(pacts::content_named(tx, (consumer, provider), sha)?.is_some()))
        .collect()
}

/// Returns whether the database already has a result, including its `occurrence`.
pub fn has_result(tx: &mut Tx<'_>, result: &ImportedResult) -> Result<bool, StoreError> {
    let (consumer, provider) = (result.consumer.as_str(), result.provider.as_str());
    let Some(content) = pacts::content_named(tx, (consumer, provider), &result.sha)? else {
        return Ok(false);
    };
    match find_version(tx, provider, &result.provider_version)? {
        Some(version) => is_known(tx, content, &version, result),
        None => Ok(false),
    }
}

fn is_known(tx: &mut Tx<'_>, content: i64, version: &Version, result: &ImportedResult) -> Result<bool, StoreError> {
    let precision = if result.is_rounded { 1_000 } else { 1 };
    let times = (result.created_at, result.created_at.saturating_add(precision));
    let known = results::count_equal(tx, content, version.id, result.success, times)?;
    Ok(known >= result.occurrence)
}

/// Returns the names of all applications that have versions, each with the number of its newest version.
pub fn newest_versions(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>, StoreError> {
    versions::newest_of_all(tx)
}

/// Returns the number of an application's newest version, or `None` if the application does not exist or has no
/// versions.
pub fn newest_version(tx: &mut Tx<'_>, application: &str) -> Result<Option<String>, StoreError> {
    let Some(application) = pacticipants::find(tx, application)? else {
        return Ok(None);
    };
    Ok(versions::latest(tx, application.id)?.map(|version| version.number))
}

fn find_version(tx: &mut Tx<'_>, application: &str, number: &str) -> Result<Option<Version>, StoreError> {
    match pacticipants::find(tx, application)? {
        Some(application) => versions::find(tx, application.id, number),
        None => Ok(None),
    }
}

fn missing_version(application: &str, number: &str) -> Outcome {
    Outcome::Rejected(format!("version {number} of {application} was not imported"))
}

fn missing_content(consumer: &str, provider: &str, sha: &str) -> Outcome {
    Outcome::Rejected(format!(
        "the contract between {consumer} and {provider} with the SHA {sha} was not imported"
    ))
}

fn add_environment(tx: &mut Tx<'_>, imported: &ImportedEnvironment) -> Result<Outcome, StoreError> {
    if environments::find(tx, &imported.uuid)?.is_some() {
        return Ok(Outcome::Known);
    }
    if environments::find_named(tx, &imported.name)?.is_some() {
        let text = format!(
            "an environment named {:?} with another UUID already exists",
            imported.name
        );
        return Ok(Outcome::Rejected(text));
    }
    let description = Description {
        name: &imported.name,
        display_name: &imported.display_name,
        production: imported.production,
        contacts: imported.contacts.as_deref(),
    };
    environments::insert(tx, &imported.uuid, &description, imported.created_at)?;
    Ok(Outcome::Added)
}

fn add_application(tx: &mut Tx<'_>, imported: &ImportedApplication) -> Result<Outcome, StoreError> {
    let (application, is_new) = pacticipants::find_or_create(tx, &imported.name, imported.created_at)?;
    if is_new {
        pacticipants::update(tx, application.id, &imported.details, imported.updated_at)?;
    }
    for label in &imported.labels {
        pacticipants::add_label(tx, application.id, label, imported.created_at)?;
    }
    Ok(Outcome::added_if(is_new))
}

fn add_branch(tx: &mut Tx<'_>, imported: &ImportedBranch) -> Result<Outcome, StoreError> {
    let (application, _) = pacticipants::find_or_create(tx, &imported.application, imported.created_at)?;
    let is_new = branches::create(tx, application.id, &imported.name, imported.created_at)?;
    Ok(Outcome::added_if(is_new))
}

fn add_version(tx: &mut Tx<'_>, imported: &ImportedVersion) -> Result<Outcome, StoreError> {
    let (application, _) = pacticipants::find_or_create(tx, &imported.application, imported.created_at)?;
    let owner = (application.id, application.name.as_str());
    if imported.is_old && versions::find(tx, application.id, &imported.number)?.is_none() {
        return Ok(Outcome::Deleted);
    }
    let (version, is_new) = versions::find_or_create(tx, owner, &imported.number, imported.created_at)?;
    if imported.build_url.is_some() {
        versions::set_build_url(tx, &version, imported.build_url.as_deref(), imported.created_at)?;
    }
    let mut is_changed = is_new;
    for branch in &imported.branches {
        is_changed |= branches::add(tx, &version, &branch.name, branch.automatic, branch.created_at)?;
    }
    for tag in &imported.tags {
        is_changed |= tags::add(tx, &version, &tag.name, tag.created_at)?;
    }
    Ok(Outcome::added_if(is_changed))
}

fn set_head(tx: &mut Tx<'_>, imported: &ImportedBranchHead) -> Result<Outcome, StoreError> {
    let Some(version) = find_version(tx, &imported.application, &imported.version)? else {
        return Ok(missing_version(&imported.application, &imported.version));
    };
    match branches::find(tx, version.pacticipant_id, &imported.branch)? {
        Some(branch) => Ok(Outcome::added_if(branches::set_head(tx, &branch, version.id)?)),
        None => Ok(Outcome::Rejected(format!(
            "branch {:?} of {} was not imported",
            imported.branch, imported.application
        ))),
    }
}

fn add_content(tx: &mut Tx<'_>, imported: &ImportedContent) -> Result<Outcome, StoreError> {
    if pacts::content_named(tx, (&imported.consumer, &imported.provider), &imported.content.sha)?.is_some() {
        return Ok(Outcome::Known);
    }
    let (consumer, _) = pacticipants::find_or_create(tx, &imported.consumer, imported.created_at)?;
    let (provider, _) = pacticipants::find_or_create(tx, &imported.provider, imported.created_at)?;
    pacts::keep_content(tx, consumer.id, provider.id, &imported.content, imported.created_at)?;
    Ok(Outcome::Added)
}

fn add_contract(tx: &mut Tx<'_>, imported: &ImportedContract) -> Result<Outcome, StoreError> {
    let Some(version) = find_version(tx, &imported.consumer, &imported.version)? else {
        return Ok(missing_version(&imported.consumer, &imported.version));
    };
    let Some(provider) = pacticipants::find(tx, &imported.provider)? else {
        return Ok(Outcome::Rejected(format!("{} was not imported", imported.provider)));
    };
    tx.lock_row("version", version.id)?;
    let mut latest = pacts::of_version(tx, version.id, provider.id)?;
    // Skip the revisions up to the latest one in this database, because they were already imported.
    let new = match &latest {
        None => imported.revisions.as_slice(),
        Some(latest) => match imported
            .revisions
            .iter()
            .rposition(|revision| revision.sha == latest.sha)
        {
            Some(at) => imported.revisions.get(at + 1..).unwrap_or_default(),
            None => &[],
        },
    };
    let mut contents = Vec::with_capacity(new.len());
    for revision in new {
        match pacts::content_named(tx, (&imported.consumer, &imported.provider), &revision.sha)? {
            Some(content) => contents.push(content),
            None => return Ok(missing_content(&imported.consumer, &imported.provider, &revision.sha)),
        }
    }
    for (revision, content) in new.iter().zip(contents) {
        pacts::add_revision(tx, &version, provider.id, content, latest.as_ref(), revision.created_at)?;
        latest = pacts::of_version(tx, version.id, provider.id)?;
    }
    Ok(Outcome::added_if(!new.is_empty()))
}

fn add_result(tx: &mut Tx<'_>, imported: &ImportedResult) -> Result<Outcome, StoreError> {
    let (consumer, provider) = (imported.consumer.as_str(), imported.provider.as_str());
    let Some(content) = pacts::content_named(tx, (consumer, provider), &imported.sha)? else {
        return Ok(missing_content(consumer, provider, &imported.sha));
    };
    let (application, _) = pacticipants::find_or_create(tx, provider, imported.created_at)?;
    let owner = (application.id, application.name.as_str());
    let (version, _) = versions::find_or_create(tx, owner, &imported.provider_version, imported.created_at)?;
    if is_known(tx, content, &version, imported)? {
        return Ok(Outcome::Known);
    }
    let report = Report {
        success: imported.success,
        wip: imported.wip,
        build_url: imported.build_url.as_deref(),
        test_results: imported.test_results.as_deref(),
        verified_by: imported.verified_by.as_deref(),
    };
    results::add(tx, content, &version, &report, imported.created_at)?;
    Ok(Outcome::Added)
}

fn add_tag_success(tx: &mut Tx<'_>, imported: &ImportedTagSuccess) -> Result<Outcome, StoreError> {
    match pacts::content_named(tx, (&imported.consumer, &imported.provider), &imported.sha)? {
        Some(content) => {
            let is_new = results::note_tag_success(tx, content, &imported.tag, imported.wip, imported.first_at)?;
            Ok(Outcome::added_if(is_new))
        }
        None => Ok(missing_content(&imported.consumer, &imported.provider, &imported.sha)),
    }
}

fn add_presence(tx: &mut Tx<'_>, imported: &ImportedPresence) -> Result<Outcome, StoreError> {
    let Some(version) = find_version(tx, &imported.application, &imported.version)? else {
        return Ok(missing_version(&imported.application, &imported.version));
    };
    let Some(environment) = environments::find(tx, &imported.environment)? else {
        return Ok(Outcome::Rejected(format!(
            "environment {} was not imported",
            imported.environment
        )));
    };
    if let Some(known) = environments::find_presence(tx, imported.kind, &imported.uuid)? {
        // It may have ended since the previous import.
        return match imported.ended_at.filter(|_| known.is_current) {
            Some(ended_at) => {
                environments::end(tx, &known, ended_at)?;
                Ok(Outcome::Added)
            }
            None => Ok(Outcome::Known),
        };
    }
    let instance = imported.instance.as_deref().unwrap_or_default();
    if imported.kind == PresenceKind::Deployed && imported.ended_at.is_none() {
        let current = environments::current_deployment(tx, version.pacticipant_id, environment.id, instance)?;
        if let Some(current) = current {
            if current.created_at > imported.created_at {
                let text = format!("{} is already deployed to {}", imported.application, environment.name);
                return Ok(Outcome::Rejected(text));
            }
            environments::end(tx, &current, imported.created_at)?;
        }
    }
    let is_new = environments::insert_presence(
        tx,
        (imported.kind, imported.uuid.as_str()),
        &version,
        &environment,
        instance,
        (imported.created_at, imported.ended_at),
    )?;
    Ok(if is_new {
        Outcome::Added
    } else {
        Outcome::Rejected(format!(
            "{} {} was already recorded",
            imported.application, imported.version
        ))
    })
}

fn add_webhook(tx: &mut Tx<'_>, imported: &ImportedWebhook) -> Result<Outcome, StoreError> {
    if webhooks::find(tx, &imported.uuid)?.is_some() {
        return Ok(Outcome::Known);
    }
    let mut participants = Vec::with_capacity(2);
    for participant in [&imported.consumer, &imported.provider] {
        participants.push(match participant {
            ImportedParticipant::Any => Participant::Any,
            ImportedParticipant::Label(label) => Participant::Label(label.clone()),
            ImportedParticipant::Application(name) => match pacticipants::find(tx, name)? {
                Some(application) => Participant::Application(application.id, application.name),
                None => return Ok(Outcome::Rejected(format!("{name} was not imported"))),
            },
        });
    }
    let provider = participants.pop().unwrap_or(Participant::Any);
    let consumer = participants.pop().unwrap_or(Participant::Any);
    let webhook = Webhook {
        id: 0,
        uuid: imported.uuid.clone(),
        description: imported.description.clone(),
        consumer,
        provider,
        enabled: imported.enabled,
        events: imported.events.clone(),
        request: imported.request.clone(),
        secrets: None,
        created_at: imported.created_at,
        updated_at: None,
    };
    webhooks::save(tx, &webhook)?;
    Ok(Outcome::Added)
}
