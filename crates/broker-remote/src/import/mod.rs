//! Imports the data of another broker, either through its HTTP API or from the database of a Pact Broker.
//!
//! Both ways import applications, environments, versions, contracts, results, deployments, releases, and webhooks.
//! Records that the target database already has are skipped, so that an interrupted import can be run again.

mod contracts;
mod database;
mod fetch;
mod read;
mod source;
mod walk;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use contract_broker_core::cases::import::{self, Outcome, Record};
use contract_broker_core::store::{Database, Limits, Store, StoreError, TxOutcome};
use reqwest::StatusCode;

use crate::failure::request_failure;
pub use database::import_from_database;
use source::Source;
pub use source::{ImportSource, SourceCredentials};

/// Maximum number of problems that a report lists. Further problems are only counted.
const MAX_PROBLEMS: usize = 1_000;
/// Maximum number of records that are written in one transaction.
const BATCH: usize = 100;
/// Total size in bytes of the contract contents at which a batch of records is written.
const BATCH_SIZE: usize = 16 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    #[error("{0:?} is not a URL that starts with http:// or https://")]
    Url(String),
    #[error("the URL must not contain credentials. Use --from-token, or --from-username and --from-password.")]
    UrlCredentials,
    #[error("the credentials contain characters that are not allowed in headers")]
    Credentials,
    #[error("certificates: {0}")]
    Certificates(String),
    #[error("{url}: {}", request_failure(.source))]
    Request { url: String, source: reqwest::Error },
    #[error("{0} returned status {1}")]
    Status(String, StatusCode),
    #[error("{0} returned status {1}. Use credentials with read access to all data.")]
    Denied(String, StatusCode),
    #[error("{0}: the response is too large")]
    TooLarge(String),
    #[error("{0}: the response is not a JSON object. Is this the URL of a broker?")]
    NotJson(String),
    #[error("{0} is not a Pact Broker: its index has no link pb:pacticipants")]
    NotBroker(String),
    #[error("{0} does not exist")]
    Missing(String),
    #[error("the link {0:?} is not a URL")]
    Link(String),
    #[error(
        "the link {link} has a different host than the base URL {base}. Pass the base URL that the broker uses in its links, or change the base URL in the broker's settings."
    )]
    OtherHost { link: String, base: String },
    #[error("{0}: the links to the next page form a cycle")]
    Circle(String),
    #[error(
        "the application {application:?} has the version {version}, which the other broker does not have. Import into an empty \
        database, or into one that contains only data from that broker."
    )]
    ForeignVersion { application: String, version: String },
    #[error(
        "the database to import does not belong to a Pact Broker: the schema_migrations table does not exist. To import \
        a database of contract-broker, run contract-broker migrate."
    )]
    NotPactBroker,
    #[error(
        "the database to import has the schema of an old Pact Broker (last migration: {0}). Update the Pact Broker to version 2.90 or later, \
         and start it once."
    )]
    OldSchema(String),
    #[error("the database to import: {}", with_causes(.0))]
    OtherDatabase(StoreError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// How many records of one kind were added, skipped, or failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCount {
    pub added: usize,
    /// Number of records that were skipped, because the database already has them.
    pub known: usize,
    /// Number of records that could not be read or written.
    pub failed: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Keys: kinds of records, such as `versions`.
    pub counts: BTreeMap<&'static str, ImportCount>,
    /// Descriptions of records that were not imported completely, with the reasons, at most 1,000.
    pub problems: Vec<String>,
    /// Number of further problems that are not in `problems`.
    pub further_problems: usize,
}

impl ImportReport {
    fn count(&mut self, kind: &'static str) -> &mut ImportCount {
        self.counts.entry(kind).or_default()
    }

    fn note(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.further_problems += 1;
        }
    }

    fn fail(&mut self, kind: &'static str, problem: String) {
        self.count(kind).failed += 1;
        self.note(problem);
    }
}

/// Imports all data of another broker through its API into a database. `progress` is called with a line of text for
/// each completed part of the import.
pub async fn import_from_broker(
    from: &ImportSource,
    database: &Database,
    limits: &Limits,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<ImportReport, ImportError> {
    let source = Arc::new(Source::new(from)?);
    // Check the other broker before creating a database.
    walk::check(&source).await?;
    let mut target = Target::open(database, limits).await?;
    let walked = walk::walk(&source, &mut target, progress).await;
    target.close(walked).await
}

/// The database to write to, and the report about the import.
struct Target {
    store: Store,
    report: ImportReport,
    /// Records that have been added but not yet written.
    batch: Vec<Record>,
    /// Total size of the contract contents in `batch`, in bytes.
    batch_size: usize,
    /// Applications whose newest version in the database has not been reached, with its number. Versions before it are
    /// old.
    newest: HashMap<String, String>,
    /// The versions that are not imported, because they were deleted from the database after an earlier import.
    deleted: Arc<Deleted>,
}

/// Numbers of versions by application.
type Deleted = HashMap<String, HashSet<String>>;

impl Target {
    async fn open(database: &Database, limits: &Limits) -> Result<Self, ImportError> {
        let store = Store::open(database, limits).await?;
        let newest = read_from(&store, import::newest_versions).await?;
        Ok(Self {
            store,
            report: ImportReport::default(),
            batch: Vec::new(),
            batch_size: 0,
            newest: newest.into_iter().collect(),
            deleted: Arc::default(),
        })
    }

    /// Writes the remaining records if the import succeeded, and closes the database. Returns the report, or the error
    /// in `imported`.
    async fn close(mut self, imported: Result<(), ImportError>) -> Result<ImportReport, ImportError> {
        let written = match imported {
            Ok(()) => self.flush().await,
            Err(error) => Err(error),
        };
        self.store.close().await;
        written?;
        let mut deleted: Vec<_> = self.deleted.iter().collect();
        deleted.sort_by_key(|(application, _)| *application);
        for (application, versions) in deleted {
            let text = match versions.len() {
                1 => "1 version was not imported again, because it was".to_owned(),
                count => format!("{count} versions were not imported again, because they were"),
            };
            self.report
                .note(format!("{application}: {text} deleted from this database"));
        }
        Ok(self.report)
    }

    /// Adds a record to the batch, and writes the batch if it is full. `flush` must be called at the end.
    async fn add(&mut self, mut record: Record) -> Result<(), ImportError> {
        if let Record::Version(version) = &mut record {
            match self.newest.get(&version.application) {
                Some(newest) if *newest == version.number => {
                    self.newest.remove(&version.application);
                }
                Some(_) => version.is_old = true,
                None => {}
            }
        } else if matches!(self.batch.last(), Some(Record::Version(_))) {
            // The next records refer to the versions.
            self.flush().await?;
        }
        if version_of(&record).is_some_and(|version| is_deleted(&self.deleted, version)) {
            return Ok(());
        }
        if let Record::Content(content) = &record {
            self.batch_size += content.size;
        }
        self.batch.push(record);
        if self.batch.len() >= BATCH || self.batch_size >= BATCH_SIZE {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), ImportError> {
        let records = std::mem::take(&mut self.batch);
        self.batch_size = 0;
        if records.is_empty() {
            return Ok(());
        }
        let described: Vec<_> = records
            .iter()
            .map(|record| {
                let version =
                    version_of(record).map(|(application, number)| (application.to_owned(), number.to_owned()));
                (kind(record), is_counted(record), place(record), version)
            })
            .collect();
        let write = move |tx: &mut contract_broker_core::store::Tx<'_>| {
            let outcomes = records.iter().map(|record| import::add(tx, record));
            outcomes.collect::<Result<Vec<_>, StoreError>>().map(TxOutcome::Commit)
        };
        let outcomes = self.store.write(write).await?;
        for ((kind, is_counted, place, version), outcome) in described.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Added | Outcome::Known if !is_counted => {}
                Outcome::Added => self.report.count(kind).added += 1,
                Outcome::Known => self.report.count(kind).known += 1,
                Outcome::Deleted => {
                    let deleted = Arc::make_mut(&mut self.deleted);
                    if let Some((application, number)) = version {
                        deleted.entry(application).or_default().insert(number);
                    }
                }
                Outcome::Rejected(reason) => self.report.fail(kind, format!("{place}: {reason}")),
            }
        }
        Ok(())
    }

    async fn read<O: Send + 'static>(
        &self,
        read: impl FnMut(&mut contract_broker_core::store::Tx<'_>) -> Result<O, StoreError> + Send + 'static,
    ) -> Result<O, ImportError> {
        read_from(&self.store, read).await
    }
}

fn is_deleted(deleted: &Deleted, (application, number): (&str, &str)) -> bool {
    deleted.get(application).is_some_and(|numbers| numbers.contains(number))
}

/// Returns the application and the number of the version to which a record belongs, or `None` if it belongs to none.
fn version_of(record: &Record) -> Option<(&str, &str)> {
    match record {
        Record::Version(imported) => Some((&imported.application, &imported.number)),
        Record::BranchHead(imported) => Some((&imported.application, &imported.version)),
        Record::Contract(imported) => Some((&imported.consumer, &imported.version)),
        Record::Result(imported) => Some((&imported.provider, &imported.provider_version)),
        Record::Presence(imported) => Some((&imported.application, &imported.version)),
        _ => None,
    }
}

/// Runs a read transaction.
async fn read_from<O: Send + 'static>(
    store: &Store,
    mut read: impl FnMut(&mut contract_broker_core::store::Tx<'_>) -> Result<O, StoreError> + Send + 'static,
) -> Result<O, ImportError> {
    Ok(store.read(move |tx| read(tx).map(TxOutcome::Rollback)).await?)
}

fn kind(record: &Record) -> &'static str {
    match record {
        Record::Environment(_) => "environments",
        Record::Application(_) => "applications",
        Record::Branch(_) => "branches",
        Record::Version(_) => "versions",
        Record::BranchHead(_) => "branchHeads",
        Record::Content(_) | Record::Contract(_) => "contracts",
        Record::Result(_) => "results",
        Record::TagSuccess(_) => "tagSuccesses",
        Record::Presence(_) => "deployments",
        Record::Webhook(_) => "webhooks",
    }
}

/// Returns true if the report counts a record. Contents are not counted, because they are parts of contracts.
fn is_counted(record: &Record) -> bool {
    !matches!(record, Record::Content(_))
}

/// Describes a record, for a problem in the report.
fn place(record: &Record) -> String {
    match record {
        Record::Environment(imported) => format!("environment {}", imported.name),
        Record::Application(imported) => format!("application {}", imported.name),
        Record::Branch(imported) => format!("branch {} of {}", imported.name, imported.application),
        Record::Version(imported) => format!("version {} of {}", imported.number, imported.application),
        Record::BranchHead(imported) => format!("head of branch {} of {}", imported.branch, imported.application),
        Record::Content(imported) => format!(
            "content {} of the contract between {} and {}",
            imported.content.sha, imported.consumer, imported.provider
        ),
        Record::Contract(imported) => format!(
            "contract between {} {} and {}",
            imported.consumer, imported.version, imported.provider
        ),
        Record::Result(imported) => format!(
            "result of {} {} for a contract with {}",
            imported.provider, imported.provider_version, imported.consumer
        ),
        Record::TagSuccess(imported) => format!(
            "success of {} {} with tag {}",
            imported.consumer, imported.sha, imported.tag
        ),
        Record::Presence(imported) => format!("deployment or release of {} {}", imported.application, imported.version),
        Record::Webhook(imported) => format!("webhook {}", imported.uuid),
    }
}
