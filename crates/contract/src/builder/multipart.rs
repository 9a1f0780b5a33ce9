//! Multipart bodies as bytes.

use bytes::Bytes;
use contract_model::{ContentType, Rule, RuleList, Text};

/// The parts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Multipart {
    pub(super) parts: Vec<Part>,
    pub(super) boundary: Option<Text>,
}

/// A part as it is sent.
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

    /// Found by counting, so that the same body is the same file in every run.
    fn boundary(&self) -> Text {
        if let Some(boundary) = &self.boundary {
            return boundary.clone();
        }
        let candidates = (0_u64..).map(|count| format!("contract-boundary-{count}"));
        let mut free = candidates.filter(|candidate| !self.holds(candidate));
        free.next().unwrap_or_default().into()
    }

    /// Whether the text occurs in a part.
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

/// The rule for bytes of which only the type counts. Of `application/octet-stream` every byte counts: it is no type.
pub(super) fn by_type(content_type: &ContentType) -> Option<RuleList> {
    (content_type.essence() != "application/octet-stream")
        .then(|| RuleList::one(Rule::ContentType(content_type.clone())))
}
