//! Multipart bodies, part by part. What holds for a part stands below `$.name`.

use std::path::PathBuf;

use bytes::Bytes;
use contract_model::{ContentType, Json, PathExpression, PathToken, Rule, RuleList, Text, split_body};

use super::body::BodyDraft;
use super::value::Value;
use crate::error::{ArgumentError, BODY, MATCHER};

/// One part of a multipart body.
#[derive(Clone, Debug, Default)]
pub struct PartValue {
    /// The name of the form field.
    pub name: String,
    /// What it holds.
    pub content: PartContent,
    /// The name of the file; that of the path for a file, none otherwise.
    pub filename: Option<String>,
    /// Told from the content when absent; a text without one is a plain field.
    pub content_type: Option<String>,
    /// The boundary of the whole body; one that occurs in no part when absent.
    pub boundary: Option<String>,
}

/// What a part holds.
#[derive(Clone, Debug, Default)]
pub enum PartContent {
    /// Nothing.
    #[default]
    Empty,
    /// JSON with matchers in it.
    Json(Json),
    /// Text or matcher JSON.
    Text(Json),
    /// Bytes; compared by their type.
    Bytes(Bytes),
    /// A file, read now; compared by its type.
    File(PathBuf),
}

/// The parts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Multipart {
    parts: Vec<Part>,
    boundary: Option<Text>,
}

#[derive(Clone, Debug, PartialEq)]
struct Part {
    head: String,
    content: Bytes,
}

impl Multipart {
    pub(super) fn content_type(&self) -> Option<ContentType> {
        let content_type: ContentType = "multipart/form-data".parse().ok()?;
        Some(content_type.with_parameter("boundary", &self.boundary()))
    }

    /// Found by counting, so that the same body is the same file in every run.
    fn boundary(&self) -> Text {
        if let Some(boundary) = &self.boundary {
            return boundary.clone();
        }
        let occurs = |boundary: &str| {
            let needle = boundary.as_bytes();
            self.parts
                .iter()
                .any(|part| part.content.windows(needle.len()).any(|window| window == needle))
        };
        let candidates = (0_u64..).map(|count| format!("contract-boundary-{count}"));
        candidates
            .into_iter()
            .find(|candidate| !occurs(candidate))
            .unwrap_or_default()
            .into()
    }

    pub(super) fn bytes(&self) -> Bytes {
        let boundary = self.boundary();
        let mut out = Vec::new();
        for part in &self.parts {
            out.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.head).as_bytes());
            out.extend_from_slice(&part.content);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        out.into()
    }
}

/// Adds a part to a multipart body; anything else that was there makes way.
pub(super) fn add(draft: &BodyDraft, part: PartValue) -> Result<BodyDraft, ArgumentError> {
    let place = format!("multipart part {:?}", part.name);
    let refused = |problem: String| ArgumentError::new(BODY, format!("{place}: {problem}"));
    if part.name.is_empty() {
        return Err(ArgumentError::new(BODY, "a part of a multipart body needs a name"));
    }
    for text in std::iter::once(&part.name).chain(&part.filename) {
        if text.contains(char::is_control) {
            return Err(refused(format!(
                "{text:?} cannot hold line breaks or control characters"
            )));
        }
    }
    let (mut draft, mut multipart) = match draft.multipart() {
        Some(multipart) => (draft.clone(), multipart.clone()),
        None => (BodyDraft::default(), Multipart::default()),
    };
    if let Some(boundary) = part.boundary {
        let is_boundary = (1..=70).contains(&boundary.len())
            && boundary
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&b));
        if !is_boundary {
            return Err(refused(format!("{boundary:?} is no boundary (RFC 2046 section 5.1.1)")));
        }
        if multipart.boundary.as_ref().is_some_and(|known| *known != boundary) {
            return Err(refused("the body has another boundary already".to_owned()));
        }
        multipart.boundary = Some(boundary.into());
    }
    let declared = part.content_type.map(|text| text.parse::<ContentType>());
    let declared = declared.transpose().map_err(|error| refused(error.to_string()))?;
    let name: Text = part.name.as_str().into();
    let root = PathExpression::from(vec![PathToken::Key(name)]);
    let mut filename = part.filename;
    let (content, content_type): (Bytes, _) = match part.content {
        PartContent::Empty => (Bytes::new(), declared),
        PartContent::Json(template) => {
            let mut split =
                split_body(&template).map_err(|error| ArgumentError::new(MATCHER, error.to_string()).within(&place))?;
            split.fill(super::example::generated)?;
            let below = |path: &PathExpression| -> PathExpression {
                root.tokens()
                    .iter()
                    .chain(path.tokens())
                    .cloned()
                    .collect::<Vec<_>>()
                    .into()
            };
            draft
                .rules
                .extend(split.rules.iter().map(|(path, list)| (below(path), list.clone())));
            draft.generators.extend(
                split
                    .generators
                    .iter()
                    .map(|(path, generator)| (below(path), generator.clone())),
            );
            let declared = declared.unwrap_or_else(ContentType::json);
            if !declared.is_json() {
                return Err(refused(format!("JSON cannot be sent as {declared}")));
            }
            (split.example.to_text().into(), Some(declared))
        }
        PartContent::Text(template) => {
            let value = Value::new(&template).map_err(|error| error.within(&place))?;
            let text = value.text(BODY).map_err(|error| error.within(&place))?;
            draft.rules.extend(value.rules.map(|list| (root.clone(), list)));
            draft
                .generators
                .extend(value.generator.map(|generator| (root.clone(), generator)));
            (text.as_bytes().to_vec().into(), declared)
        }
        PartContent::Bytes(bytes) => {
            let content_type = declared.unwrap_or_else(|| contract_matching::sniffed_content_type(&bytes));
            draft
                .rules
                .extend(by_type(&content_type).map(|list| (root.clone(), list)));
            (bytes, Some(content_type))
        }
        PartContent::File(path) => {
            let bytes = std::fs::read(&path).map_err(|error| refused(format!("{}: {error}", path.display())))?;
            filename = filename.or_else(|| Some(path.file_name()?.to_string_lossy().into_owned()));
            let content_type = declared.unwrap_or_else(|| contract_matching::sniffed_content_type(&bytes));
            draft
                .rules
                .extend(by_type(&content_type).map(|list| (root.clone(), list)));
            (bytes.into(), Some(content_type))
        }
    };
    let quoted = |text: &str| text.replace('"', "%22");
    let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(&part.name));
    if let Some(filename) = &filename {
        head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
    }
    head.push_str("\r\n");
    if let Some(content_type) = &content_type {
        head.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    multipart.parts.push(Part { head, content });
    draft.set_multipart(multipart);
    Ok(draft)
}

/// The rule for bytes of which only the type counts. Of `application/octet-stream` every byte counts: it is no type.
pub(super) fn by_type(content_type: &ContentType) -> Option<RuleList> {
    (content_type.essence() != "application/octet-stream")
        .then(|| RuleList::one(Rule::ContentType(content_type.clone())))
}
