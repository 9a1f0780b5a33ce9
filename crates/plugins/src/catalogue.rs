//! What plugins, and the host, can do.

use std::fmt;

use contract_model::ContentType;
use regex::Regex;

use crate::wire::v2;
use crate::wire::v2::catalogue_entry::EntryType;

/// What a plugin can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing.
    pub kind: EntryKind,
    /// Its name among those of the plugin.
    pub key: String,
    /// Content types as the plugin wrote them: patterns of whole types.
    pub content_types: Vec<String>,
}

impl fmt::Display for Entry {
    /// `content-matcher/csv (text/csv)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name(), self.key)?;
        if self.content_types.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.content_types.join("; "))
    }
}

/// The kinds of things that a plugin can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Compares contents.
    ContentMatcher,
    /// Generates contents.
    ContentGenerator,
    /// Mock servers and verification over a protocol.
    Transport,
    /// A matching rule for single values.
    Matcher,
    /// A kind of interaction.
    Interaction,
    /// A generator of single values.
    Generator,
}

impl EntryKind {
    /// As keys and capabilities name it.
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

    fn on_wire(self) -> EntryType {
        match self {
            Self::ContentMatcher => EntryType::ContentMatcher,
            Self::ContentGenerator => EntryType::ContentGenerator,
            Self::Transport => EntryType::Transport,
            Self::Matcher => EntryType::Matcher,
            Self::Interaction => EntryType::Interaction,
            Self::Generator => EntryType::Generator,
        }
    }

    fn from_wire(number: i32) -> Option<Self> {
        Some(match EntryType::try_from(number).ok()? {
            EntryType::ContentMatcher => Self::ContentMatcher,
            EntryType::ContentGenerator => Self::ContentGenerator,
            EntryType::Transport => Self::Transport,
            EntryType::Matcher => Self::Matcher,
            EntryType::Interaction => Self::Interaction,
            EntryType::Generator => Self::Generator,
        })
    }
}

/// The entries of a plugin, its content types compiled.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) entries: Vec<Entry>,
    /// For each entry.
    patterns: Vec<Vec<Regex>>,
}

const CONTENT_TYPES: &str = "content-types";

impl Catalogue {
    /// The entries that make sense, and a word about each of the others.
    pub(crate) fn read(entries: Vec<v2::CatalogueEntry>) -> (Self, Vec<String>) {
        let mut read = Self::default();
        let mut problems = Vec::new();
        for entry in entries {
            let Some(kind) = EntryKind::from_wire(entry.r#type) else {
                problems.push(format!(
                    "its entry {:?} has a kind that is not known ({})",
                    entry.key, entry.r#type
                ));
                continue;
            };
            let types = entry.values.get(CONTENT_TYPES).map_or("", String::as_str);
            let types: Vec<String> = types
                .split(';')
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
                .collect();
            let mut patterns = Vec::with_capacity(types.len());
            for text in &types {
                match Regex::new(&format!("^(?:{text})$")) {
                    Ok(pattern) => patterns.push(pattern),
                    Err(_) => problems.push(format!(
                        "{text:?} of its entry {:?} is no pattern of content types",
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
        (read, problems)
    }

    /// The entry of the kind that claims the content type.
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

    /// As other plugins get to see them.
    pub(crate) fn on_wire(&self) -> impl Iterator<Item = v2::CatalogueEntry> {
        self.entries.iter().map(|entry| v2::CatalogueEntry {
            r#type: entry.kind.on_wire().into(),
            key: entry.key.clone(),
            values: (!entry.content_types.is_empty())
                .then(|| (CONTENT_TYPES.to_owned(), entry.content_types.join(";")))
                .into_iter()
                .collect(),
        })
    }
}

/// What the host can do itself: kind, key, and the content types or the version of the specification that brought it, in the
/// words of the field: plugins of the second version ask for what they need by them. (Its content types stand between commas
/// here, and between semicolons in the entries of plugins.)
const CORE: [(EntryKind, &[(&str, &str)]); 6] = [
    (
        EntryKind::Matcher,
        &[
            ("equality", "V1"),
            ("regex", "V2"),
            ("type", "V2"),
            ("min-type", "V2"),
            ("max-type", "V2"),
            ("min-max-type", "V2"),
            ("number", "V3"),
            ("integer", "V3"),
            ("decimal", "V3"),
            ("date", "V3"),
            ("time", "V3"),
            ("datetime", "V3"),
            ("include", "V3"),
            ("null", "V3"),
            ("values", "V3"),
            ("content-type", "V3"),
            ("boolean", "V4"),
            ("status-code", "V4"),
            ("array-contains", "V4"),
            ("not-empty", "V4"),
            ("semver", "V4"),
            ("each-key", "V4"),
            ("each-value", "V4"),
        ],
    ),
    (
        EntryKind::Generator,
        &[
            ("RandomInt", "V3"),
            ("RandomDecimal", "V3"),
            ("RandomHexadecimal", "V3"),
            ("RandomString", "V3"),
            ("Regex", "V3"),
            ("Uuid", "V3"),
            ("Date", "V3"),
            ("Time", "V3"),
            ("DateTime", "V3"),
            ("RandomBoolean", "V3"),
            ("ProviderState", "V3"),
            ("MockServerURL", "V4"),
            ("ArrayContains", "V4"),
        ],
    ),
    (
        EntryKind::ContentMatcher,
        &[
            ("xml", "application/.*xml,text/xml"),
            ("json", JSON),
            ("text", "text/plain"),
            ("multipart-form-data", "multipart/form-data,multipart/mixed"),
        ],
    ),
    (
        EntryKind::ContentGenerator,
        &[("json", JSON), ("binary", "application/octet-stream")],
    ),
    (EntryKind::Transport, &[("http", ""), ("https", "")]),
    (
        EntryKind::Interaction,
        &[("request-response", ""), ("message", ""), ("synchronous-message", "")],
    ),
];
const JSON: &str = "application/.*json,application/json-rpc,application/jsonrequest";

/// What the host tells plugins about itself.
pub(crate) fn core() -> impl Iterator<Item = v2::CatalogueEntry> {
    let each = |(kind, entries): (EntryKind, &'static [(&'static str, &'static str)])| {
        entries.iter().map(move |(key, value)| {
            let name = match kind {
                EntryKind::ContentMatcher | EntryKind::ContentGenerator => CONTENT_TYPES,
                _ => "spec-version",
            };
            v2::CatalogueEntry {
                r#type: kind.on_wire().into(),
                key: (*key).to_owned(),
                values: (!value.is_empty())
                    .then(|| (name.to_owned(), (*value).to_owned()))
                    .into_iter()
                    .collect(),
            }
        })
    };
    CORE.into_iter().flat_map(each)
}

/// `<kind>/<key>` of each of them.
pub(crate) fn capabilities() -> Vec<String> {
    let each = |(kind, entries): (EntryKind, &'static [(&'static str, &'static str)])| {
        entries.iter().map(move |(key, _)| format!("{}/{key}", kind.name()))
    };
    CORE.into_iter().flat_map(each).collect()
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
    fn content_types_are_anchored_patterns_of_the_bare_type() {
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
    fn what_makes_no_sense_is_left_out_with_a_word() {
        let (catalogue, problems) = Catalogue::read(vec![entry(9, ""), entry(0, "text/(csv")]);
        assert_eq!(catalogue.entries.len(), 1);
        assert_eq!(
            problems,
            [
                "its entry \"entry 9\" has a kind that is not known (9)",
                "\"text/(csv\" of its entry \"entry 0\" is no pattern of content types"
            ]
        );
    }
}
