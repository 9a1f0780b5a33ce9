//! The capabilities of plugins and of the host.

use std::fmt;

use contract_model::ContentType;
use regex::{Regex, RegexBuilder};

use crate::wire::v2;

/// A capability of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    /// Key of the entry. It is unique within the plugin.
    pub key: String,
    /// Regular expressions for the content types, as written in the catalogue of the plugin.
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
    /// Runs mock servers and verifies interactions for a transport.
    Transport,
    /// Compares single values by a matching rule.
    Matcher,
    /// Supports a type of interaction.
    Interaction,
    /// Generates single values.
    Generator,
}

impl EntryKind {
    /// Returns the name of the kind in keys and capabilities.
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

    /// All kinds, in the order of the protobuf enum.
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

/// The catalogue of a plugin, with compiled patterns for content types.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) entries: Vec<Entry>,
    /// The compiled patterns of each entry.
    patterns: Vec<Vec<Regex>>,
}

const CONTENT_TYPES: &str = "content-types";
/// Maximum number of entries in the catalogue of a plugin.
const MAX_ENTRIES: usize = 1_000;
/// Maximum length in bytes of a key, and of the content types of an entry.
const MAX_TEXT: usize = 10_000;
/// Maximum size in bytes of a compiled pattern for content types.
const MAX_PATTERN: usize = 1 << 18;
/// Maximum number of problems to report.
const MAX_PROBLEMS: usize = 10;

impl Catalogue {
    /// Returns the valid entries, and an error message for each invalid entry.
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
                problems.push(format!("entry {:?} has an unknown kind ({})", entry.key, entry.r#type));
                continue;
            };
            let types = entry.values.get(CONTENT_TYPES).map_or("", String::as_str);
            if entry.key.len() + types.len() > MAX_TEXT {
                problems.push(format!(
                    "an entry whose key and content types exceed {MAX_TEXT} bytes is ignored"
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
                        "{text:?} of entry {:?} is not a valid content type pattern",
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

    /// Returns the entry of this kind that supports the content type, if there is one.
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

    /// Returns the entries in the form that is sent to other plugins.
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

/// The matchers, generators, and transports of this library, which plugins can use. Each row has a kind, a
/// specification version or content types separated by commas, and the keys of its entries. The names are those of
/// pact-plugins: plugins with interface version 2 look up entries by these names.
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

/// Returns the kind, the value, and the key of each capability.
fn own() -> impl Iterator<Item = (EntryKind, &'static str, &'static str)> {
    let each = |(kind, value, keys): (_, _, &'static str)| keys.split(' ').map(move |key| (kind, value, key));
    CORE.into_iter().flat_map(each)
}

/// Returns the catalogue of the host in the form that is sent to plugins.
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

/// Returns the name `<kind>/<key>` of each capability.
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
                "entry \"entry 9\" has an unknown kind (9)",
                "\"text/(csv\" of entry \"entry 0\" is not a valid content type pattern"
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
