//! The content of a contract. Submodules compute its hash, merge two contents, and compare them.

mod diff;
mod hash;
mod known;
mod lists;
mod merge;
mod states;

use std::sync::OnceLock;

use contract_model::{Json, Layout, Object};

use crate::packed::Packed;
use known::Names;
use lists::without_ids;

pub use diff::text_diff;
pub use hash::hex;
pub use known::KnownContents;
pub use merge::MergeConflict;
pub use states::{ProviderState, provider_states, sizes};

/// Maximum nesting depth of a document.
const MAX_DEPTH: usize = 50;

/// A contract in the form in which the broker stores it: each interaction has an `_id`, and other members that a broker
/// adds are removed.
#[derive(Debug)]
pub struct Content {
    /// The hash of the content. The order of interactions and of object members does not affect it.
    pub sha: String,
    names: Names,
    /// What a client sent. Empty if `document` is set from the start.
    sent: Vec<u8>,
    document: OnceLock<Json>,
    text: OnceLock<String>,
    packed: OnceLock<Packed>,
}

/// The reason why a document is not a valid contract.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it must be a JSON object")]
    NotAnObject,
    #[error("it is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl Content {
    /// Parses a contract that a client sent or that the database contains.
    pub fn read(bytes: &[u8]) -> Result<Self, ContentError> {
        match Json::parse(bytes).map_err(|error| ContentError::Json(error.to_string()))? {
            Json::Object(document) if depth_within(document.members().iter().map(|(_, value)| value), MAX_DEPTH) => {
                Ok(Self::from_object(document))
            }
            Json::Object(_) => Err(ContentError::TooDeep),
            _ => Err(ContentError::NotAnObject),
        }
    }

    /// Returns the content of a document that was read before. It is parsed when a method needs it.
    fn known(sent: Vec<u8>, sha: String, names: Names) -> Self {
        Self {
            sha,
            names,
            sent,
            document: OnceLock::new(),
            text: OnceLock::new(),
            packed: OnceLock::new(),
        }
    }

    fn from_object(mut document: Object) -> Self {
        // A downloaded contract contains members that the broker added. They are not part of the content.
        document.retain(|key, _| !matches!(key, "createdAt" | "_links"));
        without_ids(&mut document);
        let sha = hash::identify(&mut document);
        let name_of = |role: &str| Some(document.get(role)?.get("name")?.as_str()?.to_owned());
        let names = Names {
            consumer: name_of("consumer"),
            provider: name_of("provider"),
        };
        Self {
            sha,
            names,
            sent: Vec::new(),
            document: Json::Object(document).into(),
            text: OnceLock::new(),
            packed: OnceLock::new(),
        }
    }

    fn document(&self) -> &Json {
        self.document.get_or_init(|| {
            // The same bytes were parsed before, so this cannot fail.
            Self::read(&self.sent)
                .ok()
                .and_then(|content| content.document.into_inner())
                .unwrap_or(Json::Null)
        })
    }

    /// Returns the JSON text of the contract.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.document().to_layout(Layout::Compact))
    }

    /// Returns the text as it is stored. The first call serializes and compresses the contract. If the content is
    /// probably new, call this before the transaction that stores it, so that other writers do not wait.
    pub fn packed(&self) -> &Packed {
        self.packed.get_or_init(|| Packed::new(self.text()))
    }

    /// Returns the name of the `consumer` or `provider` in the document.
    pub fn name_of(&self, role: &str) -> Option<&str> {
        match role {
            "consumer" => self.names.consumer.as_deref(),
            "provider" => self.names.provider.as_deref(),
            _ => None,
        }
    }
}

fn depth_within<'a>(values: impl Iterator<Item = &'a Json>, left: usize) -> bool {
    left > 0
        && values.into_iter().all(|value| match value {
            Json::Array(items) => depth_within(&mut items.iter() as &mut dyn Iterator<Item = &Json>, left - 1),
            Json::Object(object) => depth_within(
                &mut object.iter().map(|(_, value)| value) as &mut dyn Iterator<Item = &Json>,
                left - 1,
            ),
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::read(text.as_bytes()).expect("a contract")
    }

    #[test]
    fn ignores_the_order_of_interactions_and_members() {
        let one = content(
            r#"{"interactions":[{"description":"a","x":1},{"description":"b"}],"metadata":{"pactSpecification":{"version":"2.0.0"}}}"#,
        );
        let other = content(
            r#"{"metadata":{"other":1,"pactSpecification":{"version":"2.0.0"}},"interactions":[{"description":"b"},{"x":1,"description":"a"}],"consumer":{"name":"x"}}"#,
        );
        assert_eq!(one.sha, other.sha);
    }

    #[test]
    fn respects_the_order_of_arrays_in_interactions() {
        let one = content(r#"{"interactions":[{"body":[1,2]}]}"#);
        let other = content(r#"{"interactions":[{"body":[2,1]}]}"#);
        assert_ne!(one.sha, other.sha);
    }

    #[test]
    fn preserves_the_text_of_numbers() {
        assert_ne!(
            content(r#"{"interactions":[{"n":1}]}"#).sha,
            content(r#"{"interactions":[{"n":1.0}]}"#).sha
        );
        assert!(
            content(r#"{"interactions":[{"n":100000000000000000000.10}]}"#)
                .text()
                .contains("100000000000000000000.10")
        );
    }

    #[test]
    fn a_downloaded_contract_has_the_same_hash() {
        let published = content(r#"{"interactions":[{"description":"a"}]}"#);
        let downloaded = published
            .text()
            .replacen('{', r#"{"createdAt":"now","_links":{"self":{}},"#, 1);
        let republished = content(&downloaded);
        assert_eq!(republished.sha, published.sha);
        assert_eq!(republished.text(), published.text());
    }

    #[test]
    fn a_merge_has_the_hash_of_its_result() {
        let a = r#"{"description":"a","request":{"path":"/a"}}"#;
        let b = r#"{"description":"b","request":{"path":"/b"}}"#;
        let whole = content(&format!(r#"{{"interactions":[{a},{b}]}}"#));
        let merged =
            content(&format!(r#"{{"interactions":[{b}]}}"#)).merge(&content(&format!(r#"{{"interactions":[{a}]}}"#)));
        assert_eq!(merged.expect("no conflict").sha, whole.sha);
    }

    #[test]
    fn a_merge_rejects_another_request_and_accepts_another_response() {
        let with = |path: &str, status: u16| {
            content(&format!(
                r#"{{"interactions":[{{"description":"a","request":{{"path":"{path}"}},"response":{{"status":{status}}}}}]}}"#
            ))
        };
        let merged = with("/a", 200).merge(&with("/a", 201)).expect("the same request");
        assert_eq!(merged.sha, with("/a", 201).sha);
        assert_eq!(
            with("/a", 200)
                .merge(&with("/b", 200))
                .expect_err("another request")
                .description,
            "a"
        );
    }

    #[test]
    fn rejects_deep_documents() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(60), "]".repeat(60));
        assert_eq!(Content::read(deep.as_bytes()).expect_err("deep"), ContentError::TooDeep);
        assert_eq!(Content::read(b"[]").expect_err("a list"), ContentError::NotAnObject);
    }
}
