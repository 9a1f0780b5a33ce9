//! Serializes multipart bodies.

use bytes::Bytes;
use contract_model::{ContentType, Rule, RuleList, Text};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Multipart {
    pub(super) parts: Vec<Part>,
    pub(super) boundary: Option<Text>,
}

/// A part of a multipart body, serialized for HTTP.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) head: String,
    pub(super) content: Bytes,
}

impl Multipart {
    pub(super) fn content_type(&self) -> Option<ContentType> {
        let content_type: ContentType = "multipart/form-data".parse().ok()?;
        Some(content_type.with_parameter("boundary", &self.boundary()))
    }

    /// Returns the boundary. If none was set, returns the first of `contract-boundary-0`, `contract-boundary-1`, and so
    /// on that occurs in no part, so that equal bodies have equal bytes.
    fn boundary(&self) -> Text {
        if let Some(boundary) = &self.boundary {
            return boundary.clone();
        }
        let candidates = (0_u64..).map(|count| format!("contract-boundary-{count}"));
        let mut free = candidates.filter(|candidate| !self.holds(candidate));
        free.next().unwrap_or_default().into()
    }

    /// Returns true if the content of any part contains the text.
    pub(super) fn holds(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let mut contents = self.parts.iter().map(|part| &part.content);
        contents.any(|content| content.windows(text.len()).any(|window| window == text))
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

/// Returns the rule that compares only the content type, or `None` for `application/octet-stream`, which does not
/// identify a type.
pub(super) fn content_type_rule(content_type: &ContentType) -> Option<RuleList> {
    (content_type.essence() != "application/octet-stream")
        .then(|| RuleList::single(Rule::ContentType(content_type.clone())))
}
