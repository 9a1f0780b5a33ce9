//! Catalogues: the capabilities of each plugin and of the host.

use std::fmt;

use contract_model::ContentType;
use regex::{Regex, RegexBuilder};

use crate::wire::v2;

/// An entry in the catalogue of a plugin: one of its capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    /// Key, such as `csv`. Unique among the plugin's entries of the same kind.
    pub key: String,
    /// Regular expressions that match complete content types, as written by the plugin. Empty for kinds that do not
    /// handle contents.
    pub content_types: Vec<String>,
}

impl fmt::Display for Entry {
    /// Formats an entry such as `content-matcher/csv (text/csv)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name(), self.key)?;
        if self.content_types.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.content_types.join("; "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    ContentMatcher,
    ContentGenerator,
    /// Runs mock servers and sends requests for verifications.
    Transport,
    /// Compares single values, using a matching rule that the plugin defines.
    Matcher,
    Interaction,
    /// Generates single values.
    Generator,
}

impl EntryKind {
    /// Returns the name used in catalogue keys and in the list of host capabilities, such as `content-matcher`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ContentMatcher => "content-matcher",
            Self::ContentGenerator => "content-generator",
            Self::Transport => "transport",
            Self::Matcher => "matcher",
            Self::Interaction => "interaction",
            Self::Generator => "generator",
        }
    }

    const ALL: [Self; 6] = [
        Self::ContentMatcher,
        Self::ContentGenerator,
        Self::Transport,
        Self::Matcher,
        Self::Interaction,
        Self::Generator,
    ];

    fn from_wire(number: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// The catalogue of a plugin.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) entries: Vec<Entry>,
    /// The compiled content type patterns of each entry, in the order of `entries`.
    patterns: Vec<Vec<Regex>>,
}

const CONTENT_TYPES: &str = "content-types";
/// Maximum number of entries in the catalogue of a plugin.
const MAX_ENTRIES: usize = 1_000;
/// Maximum total length of an entry's key and content types, in bytes.
const MAX_TEXT: usize = 10_000;
/// Maximum size of a compiled content type pattern, in bytes.
const MAX_PATTERN: usize = 1 << 18;
/// Maximum number of problems to report for each plugin.
const MAX_PROBLEMS: usize = 10;

impl Catalogue {
    /// Returns the usable entries, and messages for entries and content type patterns that are ignored because they are
    /// invalid.
    pub(crate) fn read(entries: Vec<v2::CatalogueEntry>) -> (Self, Vec<String>) {
        let mut read = Self::default();
        let mut problems = Vec::new();
        if entries.len() > MAX_ENTRIES {
            let count = entries.len();
            problems.push(format!(
                "the catalogue has {count} entries; the maximum is {MAX_ENTRIES}. Additional entries are ignored"
            ));
        }
        for entry in entries.into_iter().take(MAX_ENTRIES) {
            let Some(kind) = EntryKind::from_wire(entry.r#type) else {
                problems.push(format!(
                    "the catalogue entry {:?} has an unknown type ({})",
                    entry.key, entry.r#type
                ));
                continue;
            };
            let types = entry.values.get(CONTENT_TYPES).map_or("", String::as_str);
            if entry.key.len() + types.len() > MAX_TEXT {
                problems.push(format!(
                    "a catalogue entry was ignored, because its key and content types exceed {MAX_TEXT} bytes"
                ));
                continue;
            }
            let types: Vec<String> = types
                .split(';')
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
                .collect();
            let mut patterns = Vec::with_capacity(types.len());
            for text in &types {
                match RegexBuilder::new(&format!("^(?:{text})$"))
                    .size_limit(MAX_PATTERN)
                    .build()
                {
                    Ok(pattern) => patterns.push(pattern),
                    Err(_) => problems.push(format!(
                        "the catalogue entry {:?} contains {text:?}, which is not a valid content type pattern",
                        entry.key
                    )),
                }
            }
            read.entries.push(Entry {
                kind,
                key: entry.key,
                content_types: types,
            });
            read.patterns.push(patterns);
        }
        if problems.len() > MAX_PROBLEMS {
            let more = problems.len() - MAX_PROBLEMS;
            problems.truncate(MAX_PROBLEMS);
            problems.push(format!("the catalogue has {more} more problems"));
        }
        (read, problems)
    }

    /// Returns the first entry of this kind that supports the content type, or `None` if there is none.
    pub(crate) fn claims(&self, kind: EntryKind, content_type: &ContentType) -> Option<&Entry> {
        let essence = content_type.essence();
        let all = self.entries.iter().zip(&self.patterns);
        all.filter(|(entry, _)| entry.kind == kind)
            .find(|(_, patterns)| patterns.iter().any(|pattern| pattern.is_match(essence)))
            .map(|(entry, _)| entry)
    }

    pub(crate) fn named(&self, kind: EntryKind, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.kind == kind && entry.key == key)
    }

    /// Converts the entries to protobuf messages, to send them to other plugins.
    pub(crate) fn on_wire(&self) -> impl Iterator<Item = v2::CatalogueEntry> {
        self.entries.iter().map(|entry| v2::CatalogueEntry {
            r#type: entry.kind as i32,
            key: entry.key.clone(),
            values: (!entry.content_types.is_empty())
                .then(|| (CONTENT_TYPES.to_owned(), entry.content_types.join(";")))
                .into_iter()
                .collect(),
        })
    }
}

/// The host's own catalogue. Each row contains a kind, its content types (separated by commas) or the specification
/// version that defines the entries, and the keys of the entries (separated by spaces). Plugins with interface version
/// 2 look up entries by the names that pact-plugins uses, so the names must be the same.
const CORE: [(EntryKind, &str, &str); 14] = [
    (EntryKind::Matcher, "V1", "equality"),
    (EntryKind::Matcher, "V2", "regex type min-type max-type min-max-type"),
    (
        EntryKind::Matcher,
        "V3",
        "number integer decimal date time datetime include null values content-type",
    ),
    (
        EntryKind::Matcher,
        "V4",
        "boolean status-code array-contains not-empty semver each-key each-value",
    ),
    (
        EntryKind::Generator,
        "V3",
        "RandomInt RandomDecimal RandomHexadecimal RandomString Regex Uuid Date Time DateTime RandomBoolean ProviderState",
    ),
    (EntryKind::Generator, "V4", "MockServerURL ArrayContains"),
    (EntryKind::ContentMatcher, "application/.*xml,text/xml", "xml"),
    (EntryKind::ContentMatcher, JSON, "json"),
    (EntryKind::ContentMatcher, "text/plain", "text"),
    (
        EntryKind::ContentMatcher,
        "multipart/form-data,multipart/mixed",
        "multipart-form-data",
    ),
    (EntryKind::ContentGenerator, JSON, "json"),
    (EntryKind::ContentGenerator, "application/octet-stream", "binary"),
    (EntryKind::Transport, "", "http https"),
    (
        EntryKind::Interaction,
        "",
        "request-response message synchronous-message",
    ),
];
const JSON: &str = "application/.*json,application/json-rpc,application/jsonrequest";

/// Returns the kind, the content types or specification version, and the key of each entry in [`CORE`].
fn own() -> impl Iterator<Item = (EntryKind, &'static str, &'static str)> {
    let each = |(kind, value, keys): (_, _, &'static str)| keys.split(' ').map(move |key| (kind, value, key));
    CORE.into_iter().flat_map(each)
}

/// Converts the host's catalogue to protobuf messages.
pub(crate) fn core() -> impl Iterator<Item = v2::CatalogueEntry> {
    own().map(|(kind, value, key)| {
        let name = match kind {
            EntryKind::ContentMatcher | EntryKind::ContentGenerator => CONTENT_TYPES,
            _ => "spec-version",
        };
        let values = [(name, value)].into_iter().filter(|(_, value)| !value.is_empty());
        v2::CatalogueEntry {
            r#type: kind as i32,
            key: key.to_owned(),
            values: values
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    })
}

/// Returns `<kind>/<key>` for each entry in the host's catalogue, such as `matcher/regex`.
pub(crate) fn capabilities() -> Vec<String> {
    own().map(|(kind, _, key)| format!("{}/{key}", kind.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, EntryKind};
    use crate::wire::v2;

    fn entry(kind: i32, types: &str) -> v2::CatalogueEntry {
        v2::CatalogueEntry {
            r#type: kind,
            key: format!("entry {kind}"),
            values: [("content-types".to_owned(), types.to_owned())].into(),
        }
    }

    #[test]
    fn content_type_patterns_match_the_whole_bare_type() {
        let (catalogue, problems) = Catalogue::read(vec![entry(0, r"text/csv; application/jwt\+json"), entry(2, "")]);
        assert!(problems.is_empty());
        let claims = |text: &str| {
            catalogue
                .claims(EntryKind::ContentMatcher, &text.parse().unwrap())
                .is_some()
        };
        assert!(claims("text/csv;charset=UTF-8"));
        assert!(claims("application/jwt+json"));
        assert!(!claims("text/csv2"));
        assert!(!claims("x-text/csv"));
        assert!(
            catalogue
                .claims(EntryKind::ContentGenerator, &"text/csv".parse().unwrap())
                .is_none()
        );
        assert!(catalogue.named(EntryKind::Transport, "entry 2").is_some());
    }

    #[test]
    fn reports_invalid_entries() {
        let (catalogue, problems) = Catalogue::read(vec![entry(9, ""), entry(0, "text/(csv")]);
        assert_eq!(catalogue.entries.len(), 1);
        assert_eq!(
            problems,
            [
                "the catalogue entry \"entry 9\" has an unknown type (9)",
                "the catalogue entry \"entry 0\" contains \"text/(csv\", which is not a valid content type pattern"
            ]
        );
    }

    #[test]
    fn limits_the_catalogue() {
        let (catalogue, problems) = Catalogue::read(vec![entry(0, "text/csv"); 50_000]);
        assert_eq!(catalogue.entries.len(), 1_000);
        assert_eq!(
            problems,
            ["the catalogue has 50000 entries; the maximum is 1000. Additional entries are ignored"]
        );
        let (catalogue, problems) = Catalogue::read(vec![entry(0, &"a/b;".repeat(100_000)); 100]);
        assert!(catalogue.entries.is_empty());
        assert_eq!(problems.len(), 11);
        assert_eq!(problems[10], "the catalogue has 90 more problems");
        let (_, problems) = Catalogue::read(vec![entry(0, "a{1000}{1000}")]);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
