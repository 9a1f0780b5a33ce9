//! Imports the contracts of all integrations with their results, through the API of the other broker.
//!
//! The contracts of each integration are added one by one, from the oldest version to the newest. Meanwhile, the
//! requests for the next contracts are already running.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use contract_broker_core::cases::import::{self, ImportedContent, ImportedContract, ImportedRevision, Record};
use contract_broker_core::store::Store;
use contract_broker_domain::content::Content;
use contract_broker_domain::time;
use serde_json::Value;

use super::fetch::{Fetch, FetchAhead};
use super::read::{self, MatrixRow, ResultRow, items, link, text};
use super::source::{Source, encode};
use super::{Deleted, ImportError, Target, is_deleted, read_from};

/// Maximum number of matrix rows that are requested for a contract.
const ROWS: usize = 1_000;

struct Pair {
    consumer: String,
    provider: String,
}

impl Pair {
    fn read(integration: &Value) -> Option<Self> {
        let name = |side: &str| text(integration.get(side)?, "name");
        Some(Self {
            consumer: name("consumer")?,
            provider: name("provider")?,
        })
    }

    fn path(&self) -> String {
        let (consumer, provider) = (encode(&self.consumer), encode(&self.provider));
        format!("pacts/provider/{provider}/consumer/{consumer}")
    }
}

/// The contract between a consumer version and a provider.
#[derive(Clone)]
struct Publication {
    pair: Arc<Pair>,
    version: String,
}

impl fmt::Display for Publication {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pair { consumer, provider } = &*self.pair;
        write!(out, "contract between {consumer} {} and {provider}", self.version)
    }
}

/// An entry of the list with an integration's contracts.
struct ListedContract {
    publication: Publication,
    url: String,
    /// Whether the database already has the contract.
    is_known: bool,
}

/// What the matrix of the other broker contains about a contract.
struct ContractMatrix {
    /// The verification results of all revisions of the contract.
    results: Vec<ResultRow>,
    /// The SHA of the contract's content. `None` if it is unknown, or if the revisions have different content.
    sha: Option<String>,
    /// Descriptions of the rows that could not be read.
    failures: Vec<String>,
    is_truncated: bool,
}

/// Imports the contracts of all integrations with their results.
pub(super) async fn add_all(
    source: &Arc<Source>,
    target: &mut Target,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(), ImportError> {
    let integrations = source.require(&source.at("integrations")).await?;
    let pairs: Vec<Arc<Pair>> = items(&integrations, "integrations")
        .iter()
        .filter_map(|integration| Pair::read(integration).map(Arc::new))
        .collect();
    drop(integrations);
    let (store, deleted) = (target.store.clone(), Arc::clone(&target.deleted));
    let lists = pairs.iter().map(|pair| {
        let (source, store, pair) = (Arc::clone(source), store.clone(), Arc::clone(pair));
        let deleted = Arc::clone(&deleted);
        Fetch::start(async move { list_contracts(&source, &store, &deleted, &pair).await })
    });
    let ahead = source.max_requests();
    let mut lists = FetchAhead::start(lists, ahead);
    let mut numbered = pairs.iter().enumerate();
    let mut listed = VecDeque::new();
    let mut started = VecDeque::new();
    let mut planned = VecDeque::new();
    let mut integration = Integration::default();
    loop {
        while started.len() < ahead {
            if let Some(contract) = listed.pop_front() {
                started.push_back(StartedContract::new(source, contract));
            } else if let Some((at, pair)) = numbered.next() {
                listed.extend(lists.next().await?.unwrap_or_default());
                let Pair { consumer, provider } = &**pair;
                let total = pairs.len();
                progress(&format!(
                    "[{}/{total}] contracts between {consumer} and {provider}",
                    at + 1
                ));
            } else {
                break;
            }
        }
        match started.pop_front() {
            Some(contract) => planned.push_back(integration.plan(source, target, contract).await?),
            None if planned.is_empty() => return target.flush().await,
            None => {}
        }
        if (planned.len() >= ahead || started.is_empty())
            && let Some(contract) = planned.pop_front()
        {
            contract.add(target).await?;
        }
    }
}

/// Returns the contracts of an integration, oldest version first.
async fn list_contracts(
    source: &Source,
    store: &Store,
    deleted: &Deleted,
    pair: &Arc<Pair>,
) -> Result<Vec<ListedContract>, ImportError> {
    let Some(list) = source.get(&source.at(&format!("{}/versions", pair.path()))).await? else {
        return Ok(Vec::new());
    };
    let published = items(&list, "pacts").iter().rev().filter_map(|pact| {
        let version = pact.get("_embedded")?.get("consumerVersion")?;
        let number = text(version, "number")?;
        if is_deleted(deleted, (&pair.consumer, &number)) {
            return None;
        }
        Some((number, link(pact, "self")?))
    });
    let (versions, urls): (Vec<_>, Vec<_>) = published.unzip();
    drop(list);
    let requested: Vec<_> = versions
        .iter()
        .map(|version| (pair.consumer.clone(), version.clone(), pair.provider.clone()))
        .collect();
    let known = read_from(store, move |tx| import::published(tx, &requested)).await?;
    let listed = versions.into_iter().zip(urls).zip(known);
    let contract = |((version, url), is_known)| ListedContract {
        publication: Publication {
            pair: Arc::clone(pair),
            version,
        },
        url,
        is_known,
    };
    Ok(listed.map(contract).collect())
}

/// A contract whose matrix is being fetched.
struct StartedContract {
    listed: ListedContract,
    matrix: Fetch<ContractMatrix>,
}

impl StartedContract {
    fn new(source: &Arc<Source>, listed: ListedContract) -> Self {
        let (source, publication) = (Arc::clone(source), listed.publication.clone());
        let matrix = Fetch::start(async move { read_matrix(&source, &publication).await });
        Self { listed, matrix }
    }
}

async fn read_matrix(source: &Source, publication: &Publication) -> Result<ContractMatrix, ImportError> {
    let query = format!(
        "matrix?q%5B%5D%5Bpacticipant%5D={}&q%5B%5D%5Bversion%5D={}&q%5B%5D%5Bpacticipant%5D={}&limit={ROWS}",
        encode(&publication.pair.consumer),
        encode(&publication.version),
        encode(&publication.pair.provider)
    );
    let matrix = source.require(&source.at(&query)).await?;
    let rows = items(&matrix, "matrix");
    let mut results: Vec<ResultRow> = Vec::new();
    let mut failures = Vec::new();
    let mut has_unknown_revision = false;
    for row in rows {
        match read::matrix_row(row) {
            // The provider can also be a consumer of the consumer.
            Ok(row) if (&row.consumer, &row.provider) != (&publication.pair.consumer, &publication.pair.provider) => {}
            Ok(MatrixRow { result: Some(row), .. }) => results.push(row),
            Ok(MatrixRow { result: None, .. }) => has_unknown_revision = true,
            Err(problem) => {
                has_unknown_revision = true;
                failures.push(format!("result for the {publication}: {problem}"));
            }
        }
    }
    let is_truncated = rows.len() >= ROWS;
    let sha = results.first().map(|row| row.result.sha.clone());
    let is_only = |sha: &String| results.iter().all(|row| row.result.sha == *sha);
    Ok(ContractMatrix {
        sha: sha.filter(|sha| !has_unknown_revision && !is_truncated && is_only(sha)),
        results,
        failures,
        is_truncated,
    })
}

/// What was already read of the current integration. It prevents duplicates.
#[derive(Default)]
struct Integration {
    pair: Option<Arc<Pair>>,
    /// SHAs of the contents that the database has or that were read.
    contents: HashSet<String>,
    /// Numbers of the results that were read.
    numbers: HashSet<i64>,
    /// Number of results that were read with the same SHA, provider version, outcome, and time.
    equal: HashMap<(String, String, bool, i64), i64>,
}

impl Integration {
    /// Starts the requests for those parts of a contract that the database lacks.
    async fn plan(
        &mut self,
        source: &Arc<Source>,
        target: &Target,
        contract: StartedContract,
    ) -> Result<PlannedContract, ImportError> {
        let StartedContract { listed, matrix } = contract;
        let publication = &listed.publication;
        let is_same = |pair: &Arc<Pair>| Arc::ptr_eq(pair, &publication.pair);
        if !self.pair.as_ref().is_some_and(is_same) {
            *self = Self {
                pair: Some(Arc::clone(&publication.pair)),
                ..Self::default()
            };
        }
        let matrix = matrix.finish().await?;
        let revisions = if listed.is_known {
            Revisions::Imported
        } else {
            self.plan_revisions(source, target, &listed, &matrix).await?
        };
        let (new, known_results) = self.new_results(target, matrix.results).await?;
        let details = new.into_iter().map({
            let source = Arc::clone(source);
            move |row| {
                let source = Arc::clone(&source);
                Fetch::start(async move { read_details(&source, row).await })
            }
        });
        let details: Box<dyn Iterator<Item = Fetch<ResultDetails>> + Send> = Box::new(details);
        Ok(PlannedContract {
            publication: listed.publication,
            revisions,
            known_results,
            details: FetchAhead::start(details, source.max_requests()),
            failures: matrix.failures,
            is_truncated: matrix.is_truncated,
        })
    }

    async fn plan_revisions(
        &mut self,
        source: &Arc<Source>,
        target: &Target,
        listed: &ListedContract,
        matrix: &ContractMatrix,
    ) -> Result<Revisions, ImportError> {
        let publication = &listed.publication;
        if let Some(sha) = &matrix.sha {
            let is_known = self.contents.contains(sha) || has_content(target, publication, sha).await?;
            self.contents.insert(sha.clone());
            // Old brokers omit times.
            let dated = matrix.results.iter().find(|row| row.published_at > 0);
            if let Some(row) = dated.filter(|_| is_known) {
                return Ok(Revisions::SameContent(ImportedRevision {
                    sha: sha.clone(),
                    created_at: row.published_at,
                }));
            }
        }
        let reading = ContractReader {
            source: Arc::clone(source),
            publication: publication.clone(),
        };
        let (url, sha) = (listed.url.clone(), matrix.sha.clone());
        let mut replaced: Vec<Replaced> = matrix.results.iter().map(Replaced::of_row).collect();
        replaced.sort_by_key(|one| (one.published_at, one.number));
        Ok(Revisions::Read(Fetch::start(async move {
            reading.read_revisions(&url, sha, replaced).await
        })))
    }

    /// Returns the new results, and the number of those that the database already has. Results that were read for an
    /// earlier version with the same content are omitted from both.
    async fn new_results(
        &mut self,
        target: &Target,
        mut rows: Vec<ResultRow>,
    ) -> Result<(Vec<ResultRow>, usize), ImportError> {
        // The last result of a provider version is the one that counts.
        rows.sort_by_key(|row| row.number);
        rows.retain_mut(|row| self.add_result(row));
        if rows.is_empty() {
            return Ok((rows, 0));
        }
        let results: Vec<_> = rows.iter().map(|row| row.result.clone()).collect();
        let known = target
            .read(move |tx| {
                let known = results.iter().map(|result| import::has_result(tx, result));
                known.collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let count = rows.len();
        let new = rows.into_iter().zip(known).filter(|(_, is_known)| !is_known);
        let new: Vec<ResultRow> = new.map(|(row, _)| row).collect();
        let known = count - new.len();
        Ok((new, known))
    }

    /// Records that a result was read, and sets its `occurrence`. Returns false if it was already read for an earlier
    /// version with the same content.
    fn add_result(&mut self, row: &mut ResultRow) -> bool {
        if !self.numbers.insert(row.number) {
            return false;
        }
        let result = &row.result;
        let key = (
            result.sha.clone(),
            result.provider_version.clone(),
            result.success,
            result.created_at,
        );
        let equal = self.equal.entry(key).or_default();
        *equal += 1;
        row.result.occurrence = *equal;
        true
    }
}

async fn has_content(target: &Target, publication: &Publication, sha: &str) -> Result<bool, ImportError> {
    let requested = [(
        publication.pair.consumer.clone(),
        publication.pair.provider.clone(),
        sha.to_owned(),
    )];
    let known = target.read(move |tx| import::known_contents(tx, &requested)).await?;
    Ok(known == [true])
}

/// A contract whose revisions and results are being fetched.
struct PlannedContract {
    publication: Publication,
    revisions: Revisions,
    /// Number of the contract's results that the database already has.
    known_results: usize,
    details: FetchAhead<ResultDetails, Box<dyn Iterator<Item = Fetch<ResultDetails>> + Send>>,
    failures: Vec<String>,
    is_truncated: bool,
}

enum Revisions {
    /// The database already has the contract.
    Imported,
    /// The contract has one revision, whose content the database has or was already read.
    SameContent(ImportedRevision),
    Read(Fetch<ReadRevisions>),
}

impl PlannedContract {
    async fn add(mut self, target: &mut Target) -> Result<(), ImportError> {
        let publication = &self.publication;
        if self.is_truncated {
            target.report.note(format!(
                "{publication}: only {ROWS} results could be read, because the other broker limits the matrix"
            ));
        }
        for failure in self.failures {
            target.report.fail("results", failure);
        }
        let revisions = match self.revisions {
            Revisions::Imported => {
                target.report.count("contracts").known += 1;
                Vec::new()
            }
            Revisions::SameContent(revision) => vec![revision],
            Revisions::Read(read) => add_contents(target, publication, read.finish().await?).await?,
        };
        if !revisions.is_empty() {
            let contract = ImportedContract {
                consumer: publication.pair.consumer.clone(),
                version: publication.version.clone(),
                provider: publication.pair.provider.clone(),
                revisions,
            };
            target.add(Record::Contract(contract)).await?;
        }
        if self.known_results > 0 {
            target.report.count("results").known += self.known_results;
        }
        while let Some(ResultDetails { row, problem }) = self.details.next().await? {
            if let Some(problem) = problem {
                target.report.note(problem);
            }
            target.add(Record::Result(row.result)).await?;
        }
        Ok(())
    }
}

/// Adds the contents that were read, and returns the revisions that refer to them.
async fn add_contents(
    target: &mut Target,
    publication: &Publication,
    read: ReadRevisions,
) -> Result<Vec<ImportedRevision>, ImportError> {
    for failure in read.failures {
        target.report.fail("contracts", failure);
    }
    let mut revisions = Vec::with_capacity(read.contents.len());
    for read in read.contents {
        revisions.push(ImportedRevision {
            sha: read.content.sha.clone(),
            created_at: read.published_at,
        });
        let content = ImportedContent {
            consumer: publication.pair.consumer.clone(),
            provider: publication.pair.provider.clone(),
            content: read.content,
            size: read.size,
            created_at: read.published_at,
        };
        target.add(Record::Content(content)).await?;
    }
    Ok(revisions)
}

struct ReadContent {
    content: Content,
    /// Size of the contract's JSON, in bytes.
    size: usize,
    published_at: i64,
}

/// Members that brokers add to a contract. They are not part of its content.
#[derive(serde::Deserialize)]
struct AddedMembers {
    #[serde(rename = "_links", default)]
    links: Value,
    #[serde(rename = "createdAt", default)]
    created_at: Value,
}

#[derive(Default)]
struct ReadRevisions {
    /// The contents, from the oldest revision to the latest. Empty if the latest one could not be read.
    contents: Vec<ReadContent>,
    failures: Vec<String>,
}

/// The revision to which a result belongs. A later revision may have replaced it.
struct Replaced {
    sha: String,
    published_at: i64,
    number: i64,
}

impl Replaced {
    fn of_row(row: &ResultRow) -> Self {
        Self {
            sha: row.result.sha.clone(),
            published_at: row.published_at,
            number: row.number,
        }
    }
}

/// Fetches the contents of a contract's revisions.
struct ContractReader {
    source: Arc<Source>,
    publication: Publication,
}

impl ContractReader {
    /// Fetches the latest revision of a contract from `url`, and the replaced revisions that have results. The API of
    /// the other broker does not contain other replaced revisions. `sha` is the SHA of the latest revision, or `None`
    /// if it is unknown.
    async fn read_revisions(
        &self,
        url: &str,
        sha: Option<String>,
        replaced: Vec<Replaced>,
    ) -> Result<ReadRevisions, ImportError> {
        let mut read = ReadRevisions::default();
        let Some(mut latest) = self.read_content(url, &mut read.failures).await? else {
            return Ok(read);
        };
        if let Some(sha) = sha {
            latest.content.sha = sha;
        }
        let mut known = HashSet::from([latest.content.sha.clone()]);
        for revision in replaced {
            if !known.insert(revision.sha.clone()) {
                continue;
            }
            let path = format!(
                "{}/pact-version/{}",
                self.publication.pair.path(),
                encode(&revision.sha)
            );
            let content = self.read_content(&self.source.at(&path), &mut read.failures).await?;
            if let Some(mut content) = content {
                content.content.sha = revision.sha;
                content.published_at = revision.published_at;
                read.contents.push(content);
            }
        }
        read.contents.push(latest);
        Ok(read)
    }

    async fn read_content(&self, url: &str, failures: &mut Vec<String>) -> Result<Option<ReadContent>, ImportError> {
        let publication = &self.publication;
        let Some(body) = self.source.get_body(url).await? else {
            failures.push(format!("{publication}: {url} does not exist"));
            return Ok(None);
        };
        let added: AddedMembers = serde_json::from_slice(&body).map_err(|_| ImportError::NotJson(url.to_owned()))?;
        // The text is read as it is, because a `Value` preserves neither the order of members nor all numbers.
        match Content::read(&body) {
            Ok(mut content) => {
                // Keep the hash, because it depends on the settings of the other broker, and results refer to it.
                let version = added.links.get("pb:pact-version");
                if let Some(sha) = version.and_then(|link| text(link, "name")) {
                    content.sha = sha;
                }
                // Compress the content here, and not in the transaction that writes it.
                let _ = content.packed();
                let created_at = added.created_at.as_str().and_then(time::parse);
                Ok(Some(ReadContent {
                    content,
                    size: body.len(),
                    published_at: created_at.unwrap_or_else(time::now),
                }))
            }
            Err(error) => {
                failures.push(format!("{publication}: {error}"));
                Ok(None)
            }
        }
    }
}

/// A result with its details. If they are missing, `problem` says why.
struct ResultDetails {
    row: ResultRow,
    problem: Option<String>,
}

async fn read_details(source: &Source, mut row: ResultRow) -> Result<ResultDetails, ImportError> {
    let problem = match source.get(&row.url).await? {
        Some(details) => {
            read::complete_result(&mut row, &details);
            None
        }
        None => Some(format!(
            "{}: the result was imported without details, because this resource does not exist",
            row.url
        )),
    };
    Ok(ResultDetails { row, problem })
}
