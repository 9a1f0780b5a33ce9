//! The content of a contract: what makes two the same, and how two become one.

use std::collections::HashSet;

use contract_model::{Json, Layout, Object, write_string};
use sha1::{Digest, Sha1};

/// Deepest nesting of a document that is kept.
const MAX_DEPTH: usize = 50;

/// A contract as it is stored: each interaction with its `_id`, nothing in it that a broker added before.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) document: Object,
    /// Equal for contents that mean the same: order counts only where it means something.
    pub(crate) sha: String,
}

/// Why a text is not the content of a contract.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ContentError {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it must be a JSON object")]
    NotAnObject,
    #[error("it is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// Two contents have an interaction of the same description and states with different requests.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the interaction {description:?} is there already with another request; one request must not be merged into another"
)]
pub(crate) struct MergeConflict {
    pub(crate) description: String,
}

impl Content {
    /// Reads a document that somebody sends.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ContentError> {
        match Json::parse(bytes).map_err(|error| ContentError::Json(error.to_string()))? {
            Json::Object(document) if depth_within(document.members().iter().map(|(_, value)| value), MAX_DEPTH) => {
                Ok(Self::of(document))
            }
            Json::Object(_) => Err(ContentError::TooDeep),
            _ => Err(ContentError::NotAnObject),
        }
    }

    fn of(mut document: Object) -> Self {
        // A downloaded contract carries what the broker added to it; it is the same contract.
        document.retain(|key, _| !matches!(key, "createdAt" | "_links"));
        for (_, list) in lists_mut(&mut document) {
            for interaction in list {
                if let Some(members) = interaction.as_object_mut() {
                    members.remove("_id");
                }
            }
        }
        let sha = content_sha(&document);
        for (_, list) in lists_mut(&mut document) {
            for interaction in list {
                let id = hex_sha(&canonical(interaction));
                if let Some(members) = interaction.as_object_mut() {
                    let rest = std::mem::take(members);
                    members.insert("_id", Json::String(id.as_str().into()));
                    for (key, value) in rest.members() {
                        members.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        Self { document, sha }
    }

    pub(crate) fn text(&self) -> String {
        Json::Object(self.document.clone()).to_layout(Layout::Compact)
    }

    /// The name that the document gives to its `consumer` or `provider`.
    pub(crate) fn name_of(&self, role: &str) -> Option<&str> {
        self.document.get(role)?.get("name")?.as_str()
    }

    /// What is here already with what `newer` says: an interaction of the same description and states is replaced, others
    /// are added.
    pub(crate) fn merge(mut self, newer: &Self) -> Result<Self, MergeConflict> {
        for (name, list) in newer.document.members() {
            let (Some(news), Some(Json::Array(olds))) = (list.as_array(), self.document.get_mut(name)) else {
                if !self.document.contains_key(name) {
                    self.document.insert(name.clone(), list.clone());
                }
                continue;
            };
            if !is_list(name) {
                continue;
            }
            merge_lists(olds, news)?;
        }
        Ok(Self::of(self.document))
    }
}

fn merge_lists(olds: &mut Vec<Json>, news: &[Json]) -> Result<(), MergeConflict> {
    let mut places: std::collections::HashMap<String, usize> =
        olds.iter().enumerate().map(|(at, old)| (identity(old), at)).collect();
    for new in news {
        match places.get(&identity(new)) {
            Some(&at) if request_of(&olds[at]) == request_of(new) => olds[at] = new.clone(),
            Some(_) => {
                let description = new
                    .get("description")
                    .map(|text| text.text_form().into_owned())
                    .unwrap_or_default();
                return Err(MergeConflict { description });
            }
            None => {
                places.insert(identity(new), olds.len());
                olds.push(new.clone());
            }
        }
    }
    Ok(())
}

/// Description and provider states, in whatever form a version of the specification writes these.
fn identity(interaction: &Json) -> String {
    let mut parts = String::new();
    for key in ["description", "providerState", "provider_state", "providerStates"] {
        if let Some(value) = interaction.get(key) {
            write_canonical(value, &mut parts);
        }
        parts.push('\n');
    }
    parts
}

fn request_of(interaction: &Json) -> Option<String> {
    let request = interaction.get("request")?;
    let of = |key: &str| request.get(key).map(canonical);
    Some(format!("{:?}", ["method", "path", "query", "body", "headers"].map(of)))
}

fn is_list(name: &str) -> bool {
    matches!(name, "interactions" | "messages")
}

fn lists_mut(document: &mut Object) -> impl Iterator<Item = (&str, &mut Vec<Json>)> {
    document.iter_mut().filter_map(|(key, value)| match value {
        Json::Array(list) if is_list(key) => Some((key.as_str(), list)),
        _ => None,
    })
}

/// The relation by which the field's brokers tell contents apart, so that their data can move here: interactions and messages
/// without order, object members without order, the version of the specification; nothing else.
fn content_sha(document: &Object) -> String {
    let list = |name: &str| document.get(name).filter(|value| value.as_array().is_some());
    let (interactions, messages) = (list("interactions"), list("messages"));
    if interactions.is_none() && messages.is_none() {
        return hex_sha(&canonical(&Json::Object(document.clone())));
    }
    let mut members = Vec::new();
    if let Some(list) = interactions {
        members.push(format!("\"interactions\":{}", sorted_items(list)));
    }
    if let Some(list) = messages {
        // Only one list is without order where both are there: the relation is the field's.
        let text = if interactions.is_some() {
            canonical(list)
        } else {
            sorted_items(list)
        };
        members.push(format!("\"messages\":{text}"));
    }
    if let Some(version) = specification_version(document) {
        members.push(format!("\"pact_specification_version\":{}", canonical(version)));
    }
    hex_sha(&format!("{{{}}}", members.join(",")))
}

fn specification_version(document: &Object) -> Option<&Json> {
    let metadata = document.get("metadata")?;
    let nested = |name: &str| metadata.get(name).and_then(|value| value.get("version"));
    nested("pactSpecification")
        .or_else(|| nested("pact-specification"))
        .or_else(|| metadata.get("pactSpecificationVersion"))
}

fn sorted_items(list: &Json) -> String {
    let mut items: Vec<String> = list.as_array().unwrap_or_default().iter().map(canonical).collect();
    items.sort_unstable();
    format!("[{}]", items.join(","))
}

/// Compact, members sorted.
fn canonical(value: &Json) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            out.push('{');
            for (at, (key, item)) in members.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
        scalar => scalar.write_into(Layout::Compact, 0, out),
    }
}

fn hex_sha(text: &str) -> String {
    use std::fmt::Write as _;
    Sha1::digest(text.as_bytes())
        .iter()
        .fold(String::with_capacity(40), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
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

/// One provider state named by a contract, with its parameters.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) parameters: Option<String>,
}

/// All provider states that a stored document names, each once, in their order.
pub(crate) fn provider_states(document: &str) -> Vec<State> {
    let Ok(document) = Json::parse(document.as_bytes()) else {
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let mut states = Vec::new();
    let mut add = |state: State| {
        if seen.insert(state.clone()) {
            states.push(state);
        }
    };
    for list in ["interactions", "messages"] {
        for interaction in document.get(list).and_then(Json::as_array).unwrap_or_default() {
            for key in ["providerState", "provider_state"] {
                if let Some(name) = interaction.get(key).and_then(Json::as_str) {
                    add(State {
                        name: name.to_owned(),
                        parameters: None,
                    });
                }
            }
            for state in interaction
                .get("providerStates")
                .and_then(Json::as_array)
                .unwrap_or_default()
            {
                let name = state.get("name").or(Some(state)).and_then(Json::as_str);
                let parameters = state.get("params").map(canonical);
                if let Some(name) = name {
                    add(State {
                        name: name.to_owned(),
                        parameters,
                    });
                }
            }
        }
    }
    states
}

/// How many interactions and how many messages a stored document holds.
pub(crate) fn sizes(document: &str) -> (usize, usize) {
    let document = Json::parse(document.as_bytes()).unwrap_or(Json::Null);
    let length = |name: &str| document.get(name).and_then(Json::as_array).map_or(0, <[Json]>::len);
    (length("interactions"), length("messages"))
}

/// The difference of two stored documents for people: pretty JSON, line by line, without the ids a broker adds.
pub(crate) fn text_diff(older: &str, newer: &str) -> String {
    let (older, newer) = (pretty(older), pretty(newer));
    similar::TextDiff::configure()
        .timeout(std::time::Duration::from_millis(500))
        .diff_lines(older.as_str(), newer.as_str())
        .unified_diff()
        .context_radius(3)
        .to_string()
}

fn pretty(document: &str) -> String {
    let mut document = Json::parse(document.as_bytes()).unwrap_or(Json::Null);
    if let Some(members) = document.as_object_mut() {
        for (_, list) in lists_mut(members) {
            for interaction in list {
                if let Some(members) = interaction.as_object_mut() {
                    members.remove("_id");
                }
            }
        }
    }
    document.to_layout(Layout::Sorted) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::read(text.as_bytes()).expect("a contract")
    }

    #[test]
    fn order_of_interactions_and_members_means_nothing() {
        let one = content(
            r#"{"interactions":[{"description":"a","x":1},{"description":"b"}],"metadata":{"pactSpecification":{"version":"2.0.0"}}}"#,
        );
        let other = content(
            r#"{"metadata":{"other":1,"pactSpecification":{"version":"2.0.0"}},"interactions":[{"description":"b"},{"x":1,"description":"a"}],"consumer":{"name":"x"}}"#,
        );
        assert_eq!(one.sha, other.sha);
    }

    #[test]
    fn order_within_an_interaction_means_something() {
        let one = content(r#"{"interactions":[{"body":[1,2]}]}"#);
        let other = content(r#"{"interactions":[{"body":[2,1]}]}"#);
        assert_ne!(one.sha, other.sha);
    }

    #[test]
    fn numbers_keep_their_text() {
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
    fn a_downloaded_contract_is_the_same_contract() {
        let published = content(r#"{"interactions":[{"description":"a"}]}"#);
        let downloaded = published
            .text()
            .replacen('{', r#"{"createdAt":"now","_links":{"self":{}},"#, 1);
        let again = content(&downloaded);
        assert_eq!(
            (again.sha.clone(), again.text()),
            (published.sha.clone(), published.text())
        );
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
    fn a_merge_refuses_another_request_and_takes_another_response() {
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
    fn deep_documents_are_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(60), "]".repeat(60));
        assert_eq!(Content::read(deep.as_bytes()).expect_err("deep"), ContentError::TooDeep);
        assert_eq!(Content::read(b"[]").expect_err("a list"), ContentError::NotAnObject);
    }
}
