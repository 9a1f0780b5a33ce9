//! Merges interactions into contract files, and caches the content of the files between writes.

use std::collections::{BTreeSet, HashMap};
use std::io::{IoSlice, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use contract_model::{
    Contract, Interaction, Json, Layout, Object, SpecificationVersion, Text, WriteError, WriteWarning, file_order,
    identity_text, place_of,
};

use super::error::WritingError;
use super::stamp::FileStamp;
use super::writing::Writing;
use super::{cache, replace, texts};
use contract_call::files::{self, FileError};
use contract_definition::{ClaimedInteraction, duplicate};

/// Maximum number of cached files. When it is exceeded, the cache is cleared.
const MAX_CACHED: usize = 64;

static CACHE: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<Content>>>>> = LazyLock::new(Mutex::default);

/// The last known content of a contract file.
#[derive(Default)]
struct Content {
    stamp: Option<FileStamp>,
    /// The contract without its interactions.
    contract: Contract,
    /// The interactions in the order in which they are written.
    entries: Vec<Entry>,
}

struct Entry {
    interaction: Arc<Interaction>,
    /// The interaction's JSON text in the file. Empty if the interaction has not been serialized yet.
    text: Arc<str>,
    /// True if `text` was serialized from the interaction. Text that was read from the file may contain unknown
    /// members, so it is kept until a test defines the interaction again.
    is_printed: bool,
    /// The code location where this process defined the interaction. `None` if it was only read from the file.
    origin: Option<Arc<str>>,
}

impl AsRef<Interaction> for Entry {
    fn as_ref(&self) -> &Interaction {
        &self.interaction
    }
}

impl Entry {
    fn from_file(interaction: Interaction, text: Option<&str>) -> Self {
        Self {
            interaction: Arc::new(interaction),
            text: Arc::from(text.unwrap_or_default()),
            is_printed: false,
            origin: None,
        }
    }

    /// Returns the interaction's identity and content hash. They do not depend on the formatting of the file.
    fn mark(&self, version: SpecificationVersion) -> Mark {
        let printed = if self.is_printed {
            None
        } else {
            printed(&self.interaction, version).ok()
        };
        let text = printed.as_ref().map_or(&*self.text, |(text, _)| text);
        Mark {
            identity: identity_of(&self.interaction),
            content: format!("{:016x}", cache::hash(text.as_bytes())),
        }
    }

    fn forget_text(&mut self) {
        self.text = Arc::from("");
    }
}

/// Returns a hash that identifies an interaction. An interaction replaces another one with the same identity.
fn identity_of(interaction: &Interaction) -> String {
    format!("{:016x}", cache::hash(identity_text(interaction).as_bytes()))
}

/// Returns the file and the name of the test in the interaction's comments. Returns `None` if the comments contain no
/// name.
fn test_of(interaction: &Interaction) -> Option<(Option<&str>, &str)> {
    let references = interaction.comments.get("references");
    let test = references.and_then(|references| references.get("test"));
    let file = test.and_then(|test| test.get("file")).and_then(Json::as_str);
    let name = interaction.comments.get("testname").and_then(Json::as_str)?;
    Some((file, name))
}

/// Returns true if the interactions name different tests in their comments, and are otherwise equal except for unknown
/// fields.
fn differs_in_test(known: &Interaction, new: &Interaction) -> bool {
    if test_of(known) == test_of(new) {
        return false;
    }
    let without_test = |interaction: &Interaction| {
        let mut comments = interaction.comments.clone();
        comments.remove("testname");
        let is_empty = match comments.get_mut("references").and_then(Json::as_object_mut) {
            Some(references) => {
                references.remove("test");
                references.is_empty()
            }
            None => false,
        };
        if is_empty {
            comments.remove("references");
        }
        comments
    };
    let mut same = new.clone();
    same.comments = without_test(new);
    let mut older = known.clone();
    older.comments = without_test(known);
    same.keep_unknown(&older);
    same == older
}

/// Serializes an interaction in this specification version. Also returns warnings about parts that the version does not
/// support.
fn printed(
    interaction: &Interaction,
    version: SpecificationVersion,
) -> Result<(String, Vec<WriteWarning>), WriteError> {
    let (json, warnings) = interaction.to_json(version)?;
    let mut text = String::new();
    json.write_into(Layout::Sorted, 2, &mut text);
    Ok((text, warnings))
}

impl contract_model::Entry<&ClaimedInteraction> for Entry {
    type Conflict = WritingError;

    fn new(claimed: &ClaimedInteraction) -> Self {
        Self {
            interaction: Arc::clone(&claimed.interaction),
            text: Arc::from(""),
            is_printed: true,
            origin: Some(Arc::clone(&claimed.origin)),
        }
    }

    fn replace(&mut self, claimed: &ClaimedInteraction) -> Result<(), WritingError> {
        let mut new = Self::new(claimed);
        if self.interaction != new.interaction {
            // Unknown fields that another program added do not count as a difference.
            Arc::make_mut(&mut new.interaction).keep_unknown(&self.interaction);
        }
        if self.interaction == new.interaction {
            self.origin = new.origin;
            if !self.is_printed {
                self.forget_text();
            }
            return Ok(());
        }
        if let Some(origin) = self
            .origin
            .as_ref()
            .filter(|_| self.interaction.is_same_as(&new.interaction))
            && source(origin) != source(&claimed.origin)
        {
            return Err(duplicate(&claimed.interaction, origin, &claimed.origin).into());
        }
        *self = new;
        Ok(())
    }
}

/// Returns the entries for `metadata.plugins`, without duplicates.
fn plugins(interactions: &[ClaimedInteraction]) -> Vec<Json> {
    let mut all: Vec<Json> = Vec::new();
    for used in interactions.iter().flat_map(|claimed| claimed.plugins.iter()) {
        let entry = used.to_json();
        if !all.contains(&entry) {
            all.push(entry);
        }
    }
    all
}

/// The identity and content hash of an interaction.
pub(super) struct Mark {
    pub(super) identity: String,
    pub(super) content: String,
}

/// Merges the interactions into the file, or overwrites it. `is_written_in_run` returns true if a test of the current
/// run has written an interaction with this identity. Returns the identity and content of each interaction, or nothing
/// if the test file is unknown. The caller must hold the lock of the file.
pub(super) fn write(
    path: &Path,
    writing: &Writing,
    interactions: &[ClaimedInteraction],
    overwrite: bool,
    is_written_in_run: &dyn Fn(&str) -> bool,
) -> Result<Vec<Mark>, WritingError> {
    let content = content_of(path);
    let mut content = content.lock().unwrap_or_else(PoisonError::into_inner);
    if overwrite {
        *content = Content::default();
    } else {
        content.refresh(path)?;
    }
    let chosen = content.choose_tests(interactions, is_written_in_run);
    match content
        .merge(path, writing, &chosen)
        .and_then(|version| Ok(content.save(path, version)?))
    {
        Ok(()) if writing.writer.file.is_none() => Ok(Vec::new()),
        Ok(()) => Ok(content.marks(interactions)),
        Err(problem) => {
            // The cached content may now differ from the file.
            *content = Content::default();
            Err(problem)
        }
    }
}

/// Removes the interactions with these identities and content hashes. Interactions whose content has changed since then
/// are kept. Returns the descriptions of the removed interactions. The caller must hold the lock of the file.
pub(super) fn remove(path: &Path, obsolete: &BTreeSet<(String, String)>) -> Result<Vec<String>, FileError> {
    let content = content_of(path);
    let mut content = content.lock().unwrap_or_else(PoisonError::into_inner);
    content.refresh(path)?;
    let version = content.contract.specification;
    content.print(path, version)?;
    let is_obsolete = |entry: &Entry| {
        let mark = entry.mark(version);
        obsolete.contains(&(mark.identity, mark.content))
    };
    let (removed, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut content.entries).into_iter().partition(is_obsolete);
    content.entries = kept;
    if removed.is_empty() {
        return Ok(Vec::new());
    }
    let saved = content.save(path, version);
    if saved.is_err() {
        *content = Content::default();
    }
    saved?;
    Ok(removed
        .iter()
        .map(|entry| entry.interaction.description.to_string())
        .collect())
}

fn content_of(path: &Path) -> Arc<Mutex<Content>> {
    let mut known = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MAX_CACHED && !known.contains_key(path) {
        known.clear();
    }
    Arc::clone(known.entry(path.to_owned()).or_default())
}

impl Content {
    /// Reads the file if it has changed since it was last read or written.
    fn refresh(&mut self, path: &Path) -> Result<(), FileError> {
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                *self = Self::default();
                return Ok(());
            }
            Err(error) => return Err(FileError::io(path, "read", error)),
        };
        let stamp = FileStamp::from_metadata(&metadata);
        if self.stamp == Some(stamp) {
            return Ok(());
        }
        let failed = |error| FileError::io(path, "read", error);
        let mut bytes = Vec::new();
        let (mut file, metadata) = files::open_to_read(path).map_err(failed)?;
        file.read_to_end(&mut bytes).map_err(failed)?;
        let stamp = FileStamp::from_metadata(&metadata);
        let mut contract = Contract::read(&bytes)
            .map_err(|error| FileError::unreadable(path, error))?
            .contract;
        let texts = texts::read(&bytes, &contract);
        let interactions = std::mem::take(&mut contract.interactions);
        let mut interactions: Vec<_> = interactions.into_iter().zip(texts).collect();
        interactions.sort_by(|(a, _), (b, _)| file_order(a, b));
        // Keep the origins of interactions that this process wrote.
        let mut origins: HashMap<Text, Vec<Entry>> = HashMap::new();
        for entry in self.entries.drain(..).filter(|entry| entry.origin.is_some()) {
            origins
                .entry(entry.interaction.description.clone())
                .or_default()
                .push(entry);
        }
        self.stamp = Some(stamp);
        self.contract = contract;
        self.entries = interactions
            .into_iter()
            .map(|(interaction, text)| {
                let known = origins.get_mut(&interaction.description).and_then(|same| {
                    let at = same.iter().position(|entry| *entry.interaction == interaction)?;
                    Some(same.swap_remove(at))
                });
                match known {
                    Some(known) if text.is_none_or(|text| *known.text == *text) => known,
                    Some(known) => Entry {
                        origin: known.origin,
                        ..Entry::from_file(interaction, text)
                    },
                    None => Entry::from_file(interaction, text),
                }
            })
            .collect();
        Ok(())
    }

    /// Chooses which test the comments of an interaction name if several tests of a run define it. This is the first
    /// one in alphabetical order, so that the file does not depend on the order in which the tests run.
    fn choose_tests(
        &mut self,
        interactions: &[ClaimedInteraction],
        is_written_in_run: &dyn Fn(&str) -> bool,
    ) -> Vec<ClaimedInteraction> {
        let mut chosen = interactions.to_vec();
        for candidate in &mut chosen {
            let Some(at) = place_of(&self.entries, &candidate.interaction) else {
                continue;
            };
            let entry = &mut self.entries[at];
            if !differs_in_test(&entry.interaction, &candidate.interaction) {
                continue;
            }
            let (known, new) = (test_of(&entry.interaction), test_of(&candidate.interaction));
            if known.is_some() && known < new && is_written_in_run(&identity_of(&entry.interaction)) {
                Arc::make_mut(&mut candidate.interaction).comments = entry.interaction.comments.clone();
            } else {
                Arc::make_mut(&mut entry.interaction).comments = candidate.interaction.comments.clone();
                entry.is_printed = true;
                entry.forget_text();
            }
        }
        chosen
    }

    /// Merges the interactions into the cached content. Returns the specification version in which to write the file.
    fn merge(
        &mut self,
        path: &Path,
        writing: &Writing,
        interactions: &[ClaimedInteraction],
    ) -> Result<SpecificationVersion, WritingError> {
        let is_new = self.stamp.is_none();
        let pair = (writing.consumer.as_str(), writing.provider.as_str());
        let found = (self.contract.consumer.as_str(), self.contract.provider.as_str());
        if !is_new && found != pair {
            return Err(FileError::foreign(path, found, pair).into());
        }
        // A file in a later version keeps its version, because it may use features that the earlier version does not
        // support.
        let version = if is_new {
            writing.specification
        } else {
            writing.specification.max(self.contract.specification)
        };
        if version != writing.specification {
            tracing::warn!(
                target: "contract::file",
                "{} keeps specification version {version}; converting it to {} could lose information",
                path.display(),
                writing.specification
            );
        } else if !is_new && version != self.contract.specification {
            tracing::warn!(
                target: "contract::file",
                "{} changes from specification version {} to {version}",
                path.display(),
                self.contract.specification
            );
        }
        if is_new || version != self.contract.specification {
            self.entries.iter_mut().for_each(Entry::forget_text);
        }
        let newer = Contract {
            consumer: writing.consumer.clone(),
            provider: writing.provider.clone(),
            metadata: metadata(writing),
            plugins: plugins(interactions),
            specification: version,
            ..Contract::default()
        };
        if is_new {
            self.contract = newer;
        } else {
            self.contract
                .merge(newer)
                .map_err(|_| FileError::foreign(path, ("", ""), pair))?;
        }
        contract_model::merge_entries(&mut self.entries, interactions.iter().collect())?;
        self.print(path, version)?;
        Ok(version)
    }

    /// Serializes the interactions that have no text yet.
    fn print(&mut self, path: &Path, version: SpecificationVersion) -> Result<(), FileError> {
        for entry in self.entries.iter_mut().filter(|entry| entry.text.is_empty()) {
            let (text, warnings) =
                printed(&entry.interaction, version).map_err(|error| FileError::version(path, error))?;
            for warning in warnings {
                tracing::warn!(target: "contract::file", "{warning}");
            }
            entry.text = text.into();
            entry.is_printed = true;
        }
        Ok(())
    }

    fn marks(&self, interactions: &[ClaimedInteraction]) -> Vec<Mark> {
        let version = self.contract.specification;
        let places = interactions
            .iter()
            .filter_map(|claimed| place_of(&self.entries, &claimed.interaction));
        places.map(|at| self.entries[at].mark(version)).collect()
    }

    fn save(&mut self, path: &Path, version: SpecificationVersion) -> Result<(), FileError> {
        let (head, tail) = self.frame(path, version)?;
        let mut parts = Vec::with_capacity(2 * self.entries.len() + 2);
        parts.push(IoSlice::new(head.as_bytes()));
        for (at, entry) in self.entries.iter().enumerate() {
            parts.push(IoSlice::new(if at == 0 { b"\n    " } else { b",\n    " }));
            parts.push(IoSlice::new(entry.text.as_bytes()));
        }
        parts.push(IoSlice::new(tail.as_bytes()));
        let metadata = replace::replace(path, &mut parts).map_err(|error| FileError::io(path, "write", error))?;
        self.stamp = Some(FileStamp::from_metadata(&metadata));
        Ok(())
    }

    /// Returns the text of the file before the first interaction and after the last one.
    fn frame(&self, path: &Path, version: SpecificationVersion) -> Result<(String, String), FileError> {
        let list = self.listing(version).map_err(|error| FileError::version(path, error))?;
        let envelope = self.contract.envelope(version, &mut Vec::new());
        let mut members: Vec<_> = envelope.iter().collect();
        members.sort_unstable_by_key(|(name, _)| name.as_str());
        let after = members.partition_point(|(name, _)| name.as_str() < list);
        let mut head = String::from("{");
        let mut tail = String::from(if self.entries.is_empty() { "]" } else { "\n  ]" });
        for (at, (name, value)) in members.into_iter().enumerate() {
            let out = if at < after { &mut head } else { &mut tail };
            if at >= after {
                out.push(',');
            }
            out.push_str("\n  ");
            contract_model::write_string(name, out);
            out.push_str(": ");
            value.write_into(Layout::Sorted, 1, out);
            if at < after {
                out.push(',');
            }
        }
        head.push_str("\n  ");
        contract_model::write_string(list, &mut head);
        head.push_str(": [");
        tail.push_str("\n}\n");
        Ok((head, tail))
    }

    /// Returns the name of the array that contains the interactions. In V3 and earlier, it depends on the kinds of the
    /// interactions.
    fn listing(&self, version: SpecificationVersion) -> Result<&'static str, WriteError> {
        if version >= SpecificationVersion::V4 {
            return self.contract.list_name(version);
        }
        let interactions = self.entries.iter().map(|entry| (*entry.interaction).clone()).collect();
        Contract {
            interactions,
            ..self.contract.clone()
        }
        .list_name(version)
    }
}

/// Returns the file of a code location, without line and column, because an edit may move the definition of an
/// interaction to another line.
fn source(origin: &str) -> &str {
    let without_column = origin.rsplit_once(':').map_or(origin, |(head, _)| head);
    without_column.rsplit_once(':').map_or(without_column, |(head, _)| head)
}

fn metadata(writing: &Writing) -> Object {
    let mut metadata = writing.metadata.clone();
    let mut library = Object::new();
    library.insert("version", env!("CARGO_PKG_VERSION"));
    metadata.insert("contract", library);
    metadata
}
