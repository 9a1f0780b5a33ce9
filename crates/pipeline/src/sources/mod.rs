//! Reads contracts from files, directories, glob patterns, URLs, and JSON documents.

mod error;
mod fetched;
mod glob;
mod remote;
mod source;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_model::{Contract, Interaction, InteractionKind, Json, ReadError, Text, Unreadable, lines_of_items};
use contract_verifier::{NamedContract, Origin, OriginKind};

pub use error::SourceError;
pub use fetched::Fetched;
pub use remote::{RemoteSource, raise_source_limit};
use source::READ;
pub use source::{DIRECTORY_LIMIT, SIZE_LIMIT, Source, TOTAL_SIZE_LIMIT};

use contract_call::files::{self, FileError};
use contract_call::message::{Message, message, operation};
use contract_runtime::ResourceError;
use glob::Glob;

/// Advice for a file that exceeds a limit which no option can raise.
pub const FIXED_LIMIT: &str = "split a contract of this size, for example by provider states";

/// The contracts that have been read so far, with the warnings and problems that occurred.
#[derive(Debug, Default)]
pub struct ContractSet {
    pub contracts: Vec<Located>,
    pub warnings: Vec<String>,
    problems: Vec<SourceProblem>,
    /// Locations that were searched but contain no contract for the provider.
    missing: Vec<String>,
    /// The directories between the root of the search and the current directory, to detect circular links.
    searched: HashSet<PathBuf>,
    /// Number of directories in which the current source has been searched.
    directories: usize,
    directory_limit: usize,
    limit: u64,
    /// Total size of all contracts that were read, in bytes.
    total_size: u64,
    total_limit: u64,
    /// Whether no operation or option can raise the limits, so that errors must not suggest it.
    has_fixed_limits: bool,
}

/// A contract, and what is needed to publish its verification result.
#[derive(Debug)]
pub struct Located {
    pub named: NamedContract,
    /// What is needed to publish the result, or `None` if the contract does not come from a broker.
    pub fetched: Option<Arc<Fetched>>,
}

/// What the broker reports about a contract.
pub struct BrokerProperties {
    pub origin: Origin,
    pub pending: bool,
    /// Notices to print before the verification.
    pub notices: Vec<String>,
}

#[derive(Debug)]
enum SourceProblem {
    /// A location that does not exist or cannot be read. Its contracts are unknown, so nothing can be verified.
    Source(SourceError),
    /// A document that cannot be read. Other contracts can still be verified.
    Document(UnreadableDocument),
}

#[derive(Debug)]
struct UnreadableDocument {
    name: String,
    /// The name of the consumer, or `None` if it cannot be read.
    consumer: Option<Text>,
    provider: Option<Text>,
    reason: String,
    /// Whether the file exceeds a limit that an operation can raise.
    is_too_large: bool,
}

impl ContractSet {
    fn read_source(&mut self, source: &Source) -> Result<(), SourceError> {
        match source {
            Source::Text { json, .. } => {
                self.count(json.len())?;
                self.read_document(json.as_bytes(), source.name(), OriginKind::Document, true);
                Ok(())
            }
            Source::Path { path } => self.read_path(path),
            Source::Url(remote) => Err(SourceError::invalid(message![
                format!("{} must be fetched before tests are declared; await ", remote.name()),
                operation("prepare"),
                "() before ",
                operation("suite"),
                "(), or call prepareSync() in CommonJS, which has no top-level await"
            ])),
        }
    }

    pub fn new(limit: u64, total_limit: u64, directory_limit: usize) -> Self {
        Self {
            directory_limit,
            limit,
            total_limit,
            ..Self::default()
        }
    }

    /// Creates a set for publishing contracts. The default limits apply, and no option can raise them.
    pub fn with_fixed_limits() -> Self {
        Self {
            has_fixed_limits: true,
            ..Self::new(SIZE_LIMIT, u64::MAX, DIRECTORY_LIMIT)
        }
    }

    /// Reads local sources until the total size limit is exceeded. Problems are recorded.
    #[must_use]
    pub fn read(mut self, sources: &[Source]) -> Self {
        for source in sources {
            if let Err(problem) = self.read_source(source) {
                self.problems.push(SourceProblem::Source(problem));
            }
            if self.is_over_total_limit() {
                break;
            }
        }
        self
    }

    /// Adds to the total size of the contracts. Returns an error if the total exceeds the limit.
    pub fn count(&mut self, bytes: usize) -> Result<(), SourceError> {
        self.total_size = self.total_size.saturating_add(bytes as u64);
        if !self.is_over_total_limit() {
            return Ok(());
        }
        let message = format!(
            "the total size of the contracts exceeds the limit of {} bytes per verification. Verify fewer contracts, or raise \
             the limit with ",
            self.total_limit
        );
        Err(SourceError::invalid(message![
            message,
            operation("set_total_source_limit")
        ]))
    }

    /// Returns true if the total size exceeds the limit, so that no more sources are read.
    pub fn is_over_total_limit(&self) -> bool {
        self.total_size > self.total_limit
    }

    /// Like [`ContractSet::read`], but runs on a blocking thread.
    pub async fn read_blocking(self, sources: Vec<Source>) -> Result<Self, ResourceError> {
        contract_runtime::spawn_blocking(move || self.read(&sources)).await
    }

    /// Returns all contracts, or one error that lists all problems.
    pub fn into_all(mut self) -> Result<Self, SourceError> {
        combine_problems(&mut self.problems)?;
        Ok(self)
    }

    /// Records a location that does not exist or cannot be read.
    pub fn add_problem(&mut self, problem: SourceError) {
        self.problems.push(SourceProblem::Source(problem));
    }

    /// Adds a contract that was downloaded from a URL. If the URL comes from a broker, it may mark the contract as
    /// pending.
    pub fn add_from_url(
        &mut self,
        remote: &RemoteSource,
        bytes: &[u8],
        fetched: Option<Fetched>,
    ) -> Result<(), SourceError> {
        self.count(bytes.len())?;
        if let Some(located) = self.read_document(bytes, remote.name(), OriginKind::Url, true) {
            located.fetched = fetched.map(Arc::new);
            let properties = contract_broker_client::metadata_of(&remote.url);
            located.named.pending = properties.pending || properties.wip;
            if let Some(origin) = &mut located.named.origin {
                origin.wip = properties.wip;
            }
        }
        Ok(())
    }

    /// Adds a contract from a broker. If it cannot be read, adds a contract with one interaction that always fails.
    pub fn add_from_broker(
        &mut self,
        name: String,
        provider: &str,
        properties: BrokerProperties,
        fetched: Arc<Fetched>,
    ) {
        let is_read = self
            .read_document(fetched.document(), name, OriginKind::Broker, true)
            .is_some();
        // An unreadable contract fails like a contract with mismatches. It may be pending.
        if !is_read && let Some(SourceProblem::Document(document)) = self.problems.pop() {
            self.contracts.push(document.into_contract(provider).into());
        }
        if let Some(located) = self.contracts.last_mut() {
            located.named.origin = Some(properties.origin);
            located.named.pending = properties.pending;
            located.named.notices = properties.notices;
            located.fetched = Some(fetched);
        }
    }

    /// Records a location that was searched but contains no contract for the provider.
    pub fn add_missing(&mut self, place: String) {
        self.missing.push(place);
    }

    pub fn empty_places(&self) -> &[String] {
        &self.missing
    }

    /// Returns the provider's contracts, or one error that lists all problems. If at least one contract can be
    /// verified, each unreadable document becomes a contract with one unreadable interaction, and is not an error.
    pub fn into_provider_contracts(mut self, provider: &str) -> Result<Self, SourceError> {
        let is_for_another = |problem: &SourceProblem| match problem {
            SourceProblem::Document(document) => document.provider.as_ref().is_some_and(|name| name != provider),
            SourceProblem::Source(_) => false,
        };
        let (mut skipped, mut problems): (Vec<_>, Vec<_>) = self.problems.drain(..).partition(is_for_another);
        self.contracts
            .retain(|located| located.named.contract.provider == provider);
        if self.contracts.is_empty() && problems.is_empty() {
            // If there are no other problems, the skipped documents are the likely cause.
            std::mem::swap(&mut problems, &mut skipped);
        }
        let is_partial = problems
            .iter()
            .all(|problem| matches!(problem, SourceProblem::Document(_)));
        if !is_partial || self.contracts.is_empty() {
            combine_problems(&mut problems)?;
        }
        for problem in skipped {
            let problem = SourceError::from(problem);
            self.warnings
                .push(format!("skipped, because it is for another provider: {problem}"));
        }
        for problem in problems {
            if let SourceProblem::Document(document) = problem {
                self.contracts.push(document.into_contract(provider).into());
            }
        }
        Ok(self)
    }

    /// Returns the names of all providers that occur in the contracts.
    pub fn providers(&self) -> BTreeSet<&str> {
        self.contracts
            .iter()
            .map(|located| located.named.contract.provider.as_str())
            .collect()
    }

    fn add(&mut self, reading: contract_model::Reading, source: String, kind: OriginKind) {
        self.warnings
            .extend(reading.warnings.iter().map(|warning| format!("{source}: {warning}")));
        let named = NamedContract {
            origin: Some(Origin::new(kind)),
            ..NamedContract::new(Arc::new(reading.contract), source)
        };
        self.contracts.push(named.into());
    }

    fn read_path(&mut self, path: &Path) -> Result<(), SourceError> {
        self.directories = 0;
        match std::fs::metadata(path) {
            Ok(kind) if kind.is_dir() => self.read_directory(path, &|_| true, None),
            Ok(_) => self.read_file(path, true),
            Err(error) => match Glob::parse(path) {
                // An existing path is never treated as a pattern, even if it contains pattern characters.
                Ok(Some(glob)) => self.read_pattern(path, &glob),
                _ => Err(FileError::io(path, READ, error).into()),
            },
        }
    }

    fn read_pattern(&mut self, pattern: &Path, glob: &Glob) -> Result<(), SourceError> {
        let before = self.contracts.len() + self.warnings.len() + self.problems.len();
        let base = glob.base().to_owned();
        self.read_directory(
            &base,
            &|path| glob.matches(path.strip_prefix(&base).unwrap_or(path)),
            glob.depth(),
        )?;
        if self.contracts.len() + self.warnings.len() + self.problems.len() == before {
            let message = format!(
                "the pattern {} matches no .json file in {}",
                pattern.display(),
                base.display()
            );
            return Err(SourceError::invalid(message));
        }
        Ok(())
    }

    fn read_directory(
        &mut self,
        directory: &Path,
        matches: &dyn Fn(&Path) -> bool,
        depth: Option<usize>,
    ) -> Result<(), SourceError> {
        let failed = |error| FileError::io(directory, "list the directory", error);
        if !self.searched.insert(directory.canonicalize().map_err(failed)?) {
            return Ok(());
        }
        self.directories += 1;
        if self.directories > self.directory_limit {
            let message = format!(
                "{}: the search stopped after {} directories; choose a directory closer to the contracts and check for \
                 links that lead to the same directories repeatedly",
                directory.display(),
                self.directory_limit
            );
            if self.has_fixed_limits {
                return Err(SourceError::invalid(message));
            }
            let raise = operation("set_directory_limit");
            return Err(SourceError::invalid(message![
                message,
                ", or raise the limit with ",
                raise
            ]));
        }
        let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        entries.sort();
        for path in entries {
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if path.is_dir() {
                let deeper = depth.map(|depth| depth.saturating_sub(1));
                if deeper != Some(0) && path.file_name().is_some_and(|name| name != "node_modules") {
                    self.read_directory(&path, matches, deeper)?;
                }
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
                && matches(&path)
            {
                self.read_file(&path, false)?;
            }
        }
        // The directory may be searched again for another source or another pattern.
        if let Ok(whole) = directory.canonicalize() {
            self.searched.remove(&whole);
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, named: bool) -> Result<(), SourceError> {
        let name = path.display().to_string();
        let advice = if self.has_fixed_limits {
            FIXED_LIMIT
        } else {
            "raise the source limit"
        };
        match files::read(path, self.limit, advice) {
            Ok(bytes) => {
                self.count(bytes.len())?;
                self.read_document(&bytes, name, OriginKind::File, named);
            }
            Err(error) => self.problems.push(SourceProblem::Document(UnreadableDocument {
                name,
                consumer: None,
                provider: None,
                is_too_large: !self.has_fixed_limits && matches!(error, files::ReadError::Size { .. }),
                reason: error.to_string(),
            })),
        }
        Ok(())
    }

    /// Reads a document and returns the contract. `named` is true if the user passed the file's own path. Otherwise, a
    /// file that is not a contract is skipped with a warning.
    fn read_document(&mut self, bytes: &[u8], name: String, kind: OriginKind, named: bool) -> Option<&mut Located> {
        match Contract::read(bytes) {
            Ok(reading) => {
                let count = reading.contract.interactions.len();
                self.add(reading, name, kind);
                let added = self.contracts.last_mut()?;
                if kind == OriginKind::File {
                    let lines = lines_of_items(bytes, &["interactions", "messages"]);
                    if lines.len() == count {
                        added.named.lines = lines.into();
                    }
                }
                return Some(added);
            }
            Err(ReadError::NotAContract { .. }) if !named => {
                self.warnings.push(format!("skipped {name}: it is not a contract"));
            }
            Err(error) => {
                let json = Json::parse(bytes).unwrap_or_default();
                let participant = |role| json.get(role)?.get("name")?.as_str().map(Text::from);
                self.problems.push(SourceProblem::Document(UnreadableDocument {
                    name,
                    consumer: participant("consumer"),
                    provider: participant("provider"),
                    reason: error.to_string(),
                    is_too_large: false,
                }));
            }
        }
        None
    }
}

impl UnreadableDocument {
    fn into_contract(self, provider: &str) -> NamedContract {
        let interaction = Interaction {
            description: Text::const_new(contract_report::WHOLE_CONTRACT),
            kind: InteractionKind::Unreadable(Box::new(Unreadable {
                kind: Text::const_new("unknown"),
                document: Json::Null,
                is_identified: false,
                at: String::new(),
                reason: self.reason,
            })),
            ..Interaction::default()
        };
        let contract = Contract {
            consumer: self.consumer.unwrap_or(Text::const_new("(unknown)")),
            provider: provider.into(),
            interactions: vec![interaction],
            ..Contract::default()
        };
        NamedContract::new(Arc::new(contract), self.name)
    }
}

/// Returns one error that lists all problems. A single problem is returned unchanged.
fn combine_problems(problems: &mut Vec<SourceProblem>) -> Result<(), SourceError> {
    let count = problems.len();
    let mut message = Message::from(format!("{count} sources cannot be read:"));
    for problem in problems.drain(..).map(SourceError::from) {
        if count == 1 {
            return Err(problem);
        }
        message.push(message!["\n- ", problem.message()]);
    }
    if count == 0 {
        Ok(())
    } else {
        Err(SourceError::invalid(message))
    }
}

impl From<NamedContract> for Located {
    fn from(contract: NamedContract) -> Self {
        Self {
            named: contract,
            fetched: None,
        }
    }
}

impl From<SourceProblem> for SourceError {
    fn from(problem: SourceProblem) -> Self {
        match problem {
            SourceProblem::Source(error) => error,
            SourceProblem::Document(UnreadableDocument {
                name,
                reason,
                is_too_large: true,
                ..
            }) => Self::invalid(message![
                format!("{name}: {reason} with "),
                operation("set_source_limit")
            ]),
            SourceProblem::Document(document) => Self::invalid(format!("{}: {}", document.name, document.reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContractSet, SIZE_LIMIT, Source, TOTAL_SIZE_LIMIT, operation};

    #[test]
    fn limits_the_total_size() {
        let json = r#"{"consumer": {"name": "web"}, "provider": {"name": "shop"}, "interactions": [], "metadata": {}}"#
            .to_owned();
        let total = 3 * json.len() as u64;
        let source = Source::Text { json, name: None };
        let read = |total| ContractSet::new(SIZE_LIMIT, total, 1).read(&vec![source.clone(); 3]);
        assert_eq!(read(total).into_all().unwrap().contracts.len(), 3);
        let found = read(total / 2);
        assert!(found.is_over_total_limit());
        assert_eq!(found.contracts.len(), 1, "nothing is read after the limit");
        let error = found.into_all().unwrap_err().to_string();
        assert!(
            error.contains("exceeds the limit of") && error.contains("bytes per verification"),
            "{error}"
        );
        assert!(
            error.ends_with("raise the limit with set_total_source_limit"),
            "{error}"
        );
    }

    #[test]
    fn a_file_above_the_limit_names_the_operation() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.json");
        std::fs::write(&path, r#"{"consumer": {"name": "web"}}"#).unwrap();
        let found = ContractSet::new(10, TOTAL_SIZE_LIMIT, 1).read(&[Source::Path { path }]);
        let error = found.into_all().unwrap_err();
        let named = error.message().pieces().last().cloned();
        assert_eq!(named, Some(operation("set_source_limit")), "{error}");
        assert!(
            error
                .to_string()
                .ends_with("10; raise the source limit with set_source_limit"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn limits_the_number_of_directories() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        // Each level has two paths to the level above, so the last level has 2^40 paths.
        for level in 0..40 {
            let next = place.path().join(format!("{}", level + 1));
            std::fs::create_dir(&next).unwrap();
            if level > 0 {
                for link in ["a", "b"] {
                    symlink(&next, place.path().join(format!("{level}")).join(link)).unwrap();
                }
            }
        }
        let mut found = ContractSet::new(SIZE_LIMIT, TOTAL_SIZE_LIMIT, 1000);
        let error = found.read_path(&place.path().join("1")).unwrap_err().to_string();
        assert!(error.contains("after 1000 directories"), "{error}");
        assert!(error.ends_with("raise the limit with set_directory_limit"), "{error}");
        found.read_path(&place.path().join("30/a/b/a")).unwrap();
    }
}
