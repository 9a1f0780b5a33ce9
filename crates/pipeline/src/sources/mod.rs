//! Where contracts come from: files, directories, patterns, URLs, documents at hand.

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
pub use remote::RemoteSource;
use source::READ;
pub use source::{DIRECTORY_LIMIT, SIZE_LIMIT, Source};

use contract_call::files::{self, FileError};
use contract_call::message::{Message, operation, told};
use glob::Glob;

/// What to do about a file that is larger than a limit that no option raises.
pub const FIXED_LIMIT: &str = "if it is one, split it, for example by provider states";

/// Contracts read, and files of directories that turned out to be none.
#[derive(Debug, Default)]
pub struct Found {
    pub contracts: Vec<Located>,
    pub warnings: Vec<String>,
    problems: Vec<Unread>,
    /// Places that were asked and have nothing for the provider.
    missing: Vec<String>,
    /// Directories on the way to the one that is searched, so that links in circles come to an end.
    searched: HashSet<PathBuf>,
    /// How many directories the source has led through.
    directories: usize,
    directory_limit: usize,
    limit: u64,
    /// Whether the limits are fixed: no operation or option raises them.
    has_fixed_limits: bool,
}

/// A contract, and how its result can be published.
#[derive(Debug)]
pub struct Located {
    pub named: NamedContract,
    /// For one that a broker gave.
    pub fetched: Option<Arc<Fetched>>,
}

/// What a broker says of a contract.
pub struct Said {
    pub origin: Origin,
    pub pending: bool,
    /// What is to be read before it is verified.
    pub notices: Vec<String>,
}

/// Why something was not read.
#[derive(Debug)]
enum Unread {
    /// A place that is not there or cannot be reached: nobody knows what it holds.
    Source(SourceError),
    /// A document that cannot be read. The others can be verified all the same.
    Document(UnreadableDocument),
}

/// A document that cannot be read.
#[derive(Debug)]
struct UnreadableDocument {
    name: String,
    /// Those that it is between, as far as can be told.
    consumer: Option<Text>,
    provider: Option<Text>,
    reason: String,
}

impl Found {
    fn source(&mut self, source: &Source) -> Result<(), SourceError> {
        match source {
            Source::Text { json, .. } => {
                self.document(json.as_bytes(), source.name(), OriginKind::Document, true);
                Ok(())
            }
            Source::Path { path } => self.path(path),
            Source::Url(remote) => Err(SourceError::invalid(told![
                format!(
                    "{} must be fetched before tests can be declared. Before ",
                    remote.name()
                ),
                operation("suite"),
                ", await ",
                operation("prepare"),
                "; in CommonJS, which has no top-level await, call prepareSync"
            ])),
        }
    }

    pub fn new(limit: u64, directory_limit: usize) -> Self {
        Self {
            directory_limit,
            limit,
            ..Self::default()
        }
    }

    /// Publishing has limits that no option raises.
    pub fn with_fixed_limits() -> Self {
        Self {
            has_fixed_limits: true,
            ..Self::new(SIZE_LIMIT, DIRECTORY_LIMIT)
        }
    }

    /// Reads sources that are on this machine.
    #[must_use]
    pub fn read(mut self, sources: &[Source]) -> Self {
        for source in sources {
            if let Err(problem) = self.source(source) {
                self.problems.push(Unread::Source(problem));
            }
        }
        self
    }

    /// Reads sources that are on this machine, on a thread for that.
    pub async fn read_aside(self, sources: Vec<Source>) -> Result<Self, SourceError> {
        tokio::task::spawn_blocking(move || self.read(&sources))
            .await
            .map_err(|panicked| SourceError::invalid(panicked.to_string()))
    }

    /// All contracts, whoever's they are, or what is wrong.
    pub fn whole(mut self) -> Result<Self, SourceError> {
        all(&mut self.problems)?;
        Ok(self)
    }

    /// Says that a place is not there or cannot be reached.
    pub fn failed(&mut self, problem: SourceError) {
        self.problems.push(Unread::Source(problem));
    }

    /// Takes in what is behind a URL. A broker's URL may say itself that it may fail.
    pub fn behind(&mut self, remote: &RemoteSource, bytes: &[u8], fetched: Option<Fetched>) {
        if let Some(located) = self.document(bytes, remote.name(), OriginKind::Url, true) {
            located.fetched = fetched.map(Arc::new);
            let said = contract_broker_client::metadata_of(&remote.url);
            located.named.pending = said.pending || said.wip;
            if let Some(origin) = &mut located.named.origin {
                origin.wip = said.wip;
            }
        }
    }

    /// Takes in a contract that a broker gave, with what it says about it.
    pub fn fetched(&mut self, name: String, provider: &str, said: Said, fetched: Arc<Fetched>) {
        let is_read = self
            .document(fetched.document(), name, OriginKind::Broker, true)
            .is_some();
        // One that cannot be read fails as the contract that it is, and may do so if that may.
        if !is_read && let Some(Unread::Document(document)) = self.problems.pop() {
            self.contracts.push(document.into_contract(provider).into());
        }
        if let Some(located) = self.contracts.last_mut() {
            located.named.origin = Some(said.origin);
            located.named.pending = said.pending;
            located.named.notices = said.notices;
            located.fetched = Some(fetched);
        }
    }

    /// Says that a place was asked and has nothing.
    pub fn missing(&mut self, place: String) {
        self.missing.push(place);
    }

    /// Places that were asked and have nothing for the provider.
    pub fn empty_places(&self) -> &[String] {
        &self.missing
    }

    /// The contracts of the provider, or all that is wrong. A document that cannot be read fails where others could be: it
    /// stands among them as a contract with one interaction, which cannot be read.
    pub fn of_provider(mut self, provider: &str) -> Result<Self, SourceError> {
        let is_for_another = |problem: &Unread| match problem {
            Unread::Document(document) => document.provider.as_ref().is_some_and(|name| name != provider),
            Unread::Source(_) => false,
        };
        let (mut others, mut problems): (Vec<_>, Vec<_>) = self.problems.drain(..).partition(is_for_another);
        self.contracts
            .retain(|located| located.named.contract.provider == provider);
        if self.contracts.is_empty() && problems.is_empty() {
            // Where there is nothing else, that may be what was meant.
            std::mem::swap(&mut problems, &mut others);
        }
        let is_partial = problems.iter().all(|problem| matches!(problem, Unread::Document(_)));
        if !is_partial || self.contracts.is_empty() {
            all(&mut problems)?;
        }
        for problem in others {
            let problem = SourceError::from(problem);
            self.warnings
                .push(format!("left out, for it is for another provider: {problem}"));
        }
        for problem in problems {
            if let Unread::Document(document) = problem {
                self.contracts.push(document.into_contract(provider).into());
            }
        }
        Ok(self)
    }

    /// The names of the providers that there are contracts for.
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

    fn path(&mut self, path: &Path) -> Result<(), SourceError> {
        self.directories = 0;
        match std::fs::metadata(path) {
            Ok(kind) if kind.is_dir() => self.directory(path, &|_| true, None),
            Ok(_) => {
                self.file(path, true);
                Ok(())
            }
            Err(error) => match Glob::parse(path) {
                // A path that is there is that path, whatever characters it is made of.
                Ok(Some(glob)) => self.pattern(path, &glob),
                _ => Err(FileError::io(path, READ, error).into()),
            },
        }
    }

    fn pattern(&mut self, pattern: &Path, glob: &Glob) -> Result<(), SourceError> {
        let before = self.contracts.len() + self.warnings.len() + self.problems.len();
        let base = glob.base().to_owned();
        self.directory(
            &base,
            &|path| glob.takes(path.strip_prefix(&base).unwrap_or(path)),
            glob.depth(),
        )?;
        if self.contracts.len() + self.warnings.len() + self.problems.len() == before {
            let message = format!(
                "the pattern {} finds no .json file in {}",
                pattern.display(),
                base.display()
            );
            return Err(SourceError::invalid(message));
        }
        Ok(())
    }

    fn directory(
        &mut self,
        directory: &Path,
        takes: &dyn Fn(&Path) -> bool,
        depth: Option<usize>,
    ) -> Result<(), SourceError> {
        let failed = |error| FileError::io(directory, "list the directory", error);
        if !self.searched.insert(directory.canonicalize().map_err(failed)?) {
            return Ok(());
        }
        self.directories += 1;
        if self.directories > self.directory_limit {
            let message = format!(
                "{} is the end of a search: the source leads through more than {} directories; name one that is nearer to \
                 the contracts, see whether links lead to the same directories again and again",
                directory.display(),
                self.directory_limit
            );
            if self.has_fixed_limits {
                return Err(SourceError::invalid(message));
            }
            let raise = operation("set_directory_limit");
            return Err(SourceError::invalid(told![
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
                    self.directory(&path, takes, deeper)?;
                }
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
                && takes(&path)
            {
                self.file(&path, false);
            }
        }
        // The same directory may be a source of its own, or be searched by another pattern.
        if let Ok(whole) = directory.canonicalize() {
            self.searched.remove(&whole);
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, named: bool) {
        let name = path.display().to_string();
        let advice = if self.has_fixed_limits {
            FIXED_LIMIT
        } else {
            "if it is one, raise the limit: setSourceLimit(bytes), on the command line --source-limit"
        };
        match files::read(path, self.limit, advice) {
            Ok(bytes) => drop(self.document(&bytes, name, OriginKind::File, named)),
            Err(reason) => self.problems.push(Unread::Document(UnreadableDocument {
                name,
                consumer: None,
                provider: None,
                reason,
            })),
        }
    }

    /// What was named must be a contract; what only lies in a directory may be something else.
    fn document(&mut self, bytes: &[u8], name: String, kind: OriginKind, named: bool) -> Option<&mut Located> {
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
                self.warnings.push(format!("{name} is no contract and was left out"));
            }
            Err(error) => {
                let json = Json::parse(bytes).unwrap_or_default();
                let party = |role| json.get(role)?.get("name")?.as_str().map(Text::from);
                self.problems.push(Unread::Document(UnreadableDocument {
                    name,
                    consumer: party("consumer"),
                    provider: party("provider"),
                    reason: error.to_string(),
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

/// All of them as one.
fn all(problems: &mut Vec<Unread>) -> Result<(), SourceError> {
    let count = problems.len();
    let mut message = Message::from(format!("{count} sources cannot be used:"));
    for problem in problems.drain(..).map(SourceError::from) {
        if count == 1 {
            return Err(problem);
        }
        message.push(told!["\n- ", problem.message()]);
    }
    if count == 0 {
        Ok(())
    } else {
        Err(SourceError::invalid(message))
    }
}

impl From<NamedContract> for Located {
    fn from(named: NamedContract) -> Self {
        Self { named, fetched: None }
    }
}

impl From<Unread> for SourceError {
    fn from(problem: Unread) -> Self {
        match problem {
            Unread::Source(error) => error,
            Unread::Document(document) => Self::invalid(format!("{}: {}", document.name, document.reason)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::{Found, SIZE_LIMIT};

    #[test]
    fn links_that_multiply_come_to_an_end() {
        let place = tempfile::tempdir().unwrap();
        // Each level can be reached in two ways from the one above: two to the power of 40 ways to the last.
        for level in 0..40 {
            let next = place.path().join(format!("{}", level + 1));
            std::fs::create_dir(&next).unwrap();
            if level > 0 {
                for link in ["a", "b"] {
                    symlink(&next, place.path().join(format!("{level}")).join(link)).unwrap();
                }
            }
        }
        let mut found = Found::new(SIZE_LIMIT, 1000);
        let error = found.path(&place.path().join("1")).unwrap_err().to_string();
        assert!(error.contains("more than 1000 directories"), "{error}");
        assert!(error.ends_with("raise the limit with set_directory_limit"), "{error}");
        found.path(&place.path().join("30/a/b/a")).unwrap();
    }
}
