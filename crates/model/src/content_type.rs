//! Parses, formats, and compares content types such as `application/json; charset=utf-8`.

use crate::Text;

/// A media type with its parameters (RFC 9110 section 8.3.1). Type and subtype are in lower case.
///
/// ```
/// use contract_model::ContentType;
/// let vendor: ContentType = "application/vnd.shop+json; charset=UTF-8".parse()?;
/// assert!(vendor.is_json());
/// assert_eq!(vendor.essence(), "application/vnd.shop+json");
/// # Ok::<(), contract_model::ContentTypeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    essence: Text,
    slash: usize,
    parameters: Vec<(Text, Text)>,
}

/// The error for text that is not a content type. Contains the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid content type; use a type such as application/json")]
pub struct ContentTypeError(pub String);

impl ContentType {
    /// Returns `application/json`.
    pub fn json() -> Self {
        Self::plain("application", "json")
    }

    /// Returns `text/plain`.
    pub fn text() -> Self {
        Self::plain("text", "plain")
    }

    /// Returns `application/octet-stream`.
    pub fn binary() -> Self {
        Self::plain("application", "octet-stream")
    }

    /// Returns `application/xml`.
    pub fn xml() -> Self {
        Self::plain("application", "xml")
    }

    fn plain(kind: &str, subtype: &str) -> Self {
        Self {
            essence: compact_str::format_compact!("{kind}/{subtype}"),
            slash: kind.len(),
            parameters: Vec::new(),
        }
    }

    /// Parses a declared content type. Returns `None` for `*/*` and for invalid values.
    pub(crate) fn declared(text: &str) -> Option<Self> {
        text.parse::<Self>().ok().filter(|declared| declared.essence() != "*/*")
    }

    /// Returns the type and subtype without parameters, such as `text/plain`.
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// Returns the part before the slash, such as `application`.
    pub fn main_type(&self) -> &str {
        &self.essence[..self.slash]
    }

    /// Returns the part after the slash, such as `hal+json`.
    pub fn subtype(&self) -> &str {
        &self.essence[self.slash + 1..]
    }

    /// Returns the part of the subtype after the last `+`, such as `json` (RFC 6839), or `None` if there is no `+`.
    pub fn suffix(&self) -> Option<&str> {
        self.subtype().rsplit_once('+').map(|(_, suffix)| suffix)
    }

    /// Returns the parameters in their original order. Names are in lower case.
    pub fn parameters(&self) -> &[(Text, Text)] {
        &self.parameters
    }

    /// Returns the value of a parameter, or `None` if there is no such parameter. The name must be in lower case.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Adds or replaces a parameter.
    #[must_use]
    pub fn with_parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.parameters.push((name.to_ascii_lowercase().into(), value.into()));
        self
    }

    /// Returns the type that the suffix denotes, without parameters: `application/json` for `application/hal+json`.
    /// Without a suffix, returns the type itself without parameters.
    #[must_use]
    pub fn base(&self) -> Self {
        Self::plain(self.main_type(), self.suffix().unwrap_or_else(|| self.subtype()))
    }

    /// Returns true for the JSON format of Kafka schema registry serializers, which write a schema ID in front of the
    /// document.
    pub fn is_kafka_schema_registry_json(&self) -> bool {
        self.essence() == "application/vnd.schemaregistry.v1+json"
    }

    /// Returns true for types such as `application/json`, `text/json`, and `application/hal+json`, and for
    /// `application/graphql`.
    pub fn is_json(&self) -> bool {
        (self.main_type() == "application" && (self.subtype().starts_with("json") || self.subtype() == "graphql"))
            || self.suffix() == Some("json")
            || self.essence == "text/json"
    }

    /// Returns true for types such as `application/xml`, `text/xml`, and `application/atom+xml`.
    pub fn is_xml(&self) -> bool {
        matches!(self.main_type(), "application" | "text") && (self.subtype() == "xml" || self.suffix() == Some("xml"))
    }

    /// Returns true for `multipart/…`.
    pub fn is_multipart(&self) -> bool {
        self.main_type() == "multipart"
    }

    /// Returns true for `application/x-www-form-urlencoded`.
    pub fn is_form(&self) -> bool {
        self.essence == "application/x-www-form-urlencoded"
    }

    /// Returns true for `text/…`, except for JSON and XML.
    pub fn is_text(&self) -> bool {
        self.main_type() == "text" && !self.is_json() && !self.is_xml()
    }

    /// Returns true for images, audio, video, fonts, and all types that are not known to be text. XML-based types such
    /// as SVG and multipart types are not binary.
    pub fn is_binary(&self) -> bool {
        match self.main_type() {
            "audio" | "font" | "image" | "video" => !self.is_xml(),
            "text" | "multipart" | "message" => false,
            _ => !(self.is_json() || self.is_xml() || self.is_form() || self.is_textual_application()),
        }
    }

    fn is_textual_application(&self) -> bool {
        matches!(
            self.subtype(),
            "javascript"
                | "ecmascript"
                | "yaml"
                | "x-yaml"
                | "toml"
                | "sql"
                | "x-sh"
                | "x-ndjson"
                | "jsonl"
                | "csv"
                | "rtf"
        ) || matches!(self.suffix(), Some("yaml"))
    }

    /// Returns true if an actual body of type `actual` satisfies this expected type: type and subtype are equal, and
    /// `actual` has all expected parameters with the same values (compared case-insensitively). `application/xml` and
    /// `text/xml` are equivalent (RFC 7303).
    pub fn accepts(&self, actual: &Self) -> bool {
        self.accepts_with_any(actual, None)
    }

    /// Like [`accepts`](Self::accepts), but ignores the parameter `free`, whose name must be in lower case.
    pub fn accepts_with_any(&self, actual: &Self, free: Option<&str>) -> bool {
        let same = self.essence == actual.essence
            || (self.subtype() == "xml" && self.is_xml() && actual.subtype() == "xml" && actual.is_xml());
        // If a parameter occurs more than once, the first occurrence counts.
        let counts = |name: &str, value: &str| free != Some(name) && self.parameter(name) == Some(value);
        same && self.parameters.iter().all(|(name, value)| {
            let other = actual.parameter(name);
            !counts(name, value) || other.is_some_and(|other| other.eq_ignore_ascii_case(value))
        })
    }
}

impl std::str::FromStr for ContentType {
    type Err = ContentTypeError;

    fn from_str(text: &str) -> Result<Self, ContentTypeError> {
        let invalid = || ContentTypeError(text.to_owned());
        let mut pieces = split_unquoted(text);
        let essence = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
        let slash = essence.find('/').ok_or_else(invalid)?;
        let is_token = |part: &str| !part.is_empty() && part.bytes().all(is_token_byte);
        if !is_token(&essence[..slash]) || !is_token(&essence[slash + 1..]) {
            return Err(invalid());
        }
        let mut parameters = Vec::new();
        for piece in pieces.map(str::trim).filter(|piece| !piece.is_empty()) {
            let (name, value) = piece.split_once('=').ok_or_else(invalid)?;
            let name = name.trim().to_ascii_lowercase();
            if !is_token(&name) {
                return Err(invalid());
            }
            parameters.push((name.into(), unquote(value.trim())));
        }
        Ok(Self {
            essence: essence.into(),
            slash,
            parameters,
        })
    }
}

/// Splits text at semicolons outside quotes.
fn split_unquoted(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |c| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == ';' && !quoted
    })
}

fn unquote(value: &str) -> Text {
    match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => {
            let mut out = Text::default();
            let mut characters = inner.chars();
            while let Some(c) = characters.next() {
                out.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
            }
            out
        }
        None => value.into(),
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

impl std::fmt::Display for ContentType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.essence)?;
        for (name, value) in &self.parameters {
            if !value.is_empty() && value.bytes().all(is_token_byte) {
                write!(f, ";{name}={value}")?;
            } else {
                write!(f, ";{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ContentType;

    fn parse(text: &str) -> ContentType {
        text.parse().unwrap()
    }

    #[test]
    fn parameters_are_parsed() {
        let content_type = parse(r#"Multipart/Form-Data; Boundary="a;b\"c" ; charset=utf-8;"#);
        assert_eq!(content_type.essence(), "multipart/form-data");
        assert_eq!(content_type.parameter("boundary"), Some("a;b\"c"));
        assert_eq!(
            content_type.to_string(),
            r#"multipart/form-data;boundary="a;b\"c";charset=utf-8"#
        );
    }

    #[test]
    fn rejects_invalid_content_types() {
        for text in [
            "",
            "json",
            "a/",
            "/b",
            "a b/c",
            "text/plain; charset",
            "text/plain; a\"b=c",
        ] {
            assert!(text.parse::<ContentType>().is_err(), "{text}");
        }
    }

    #[test]
    fn kinds() {
        assert!(parse("application/hal+json").is_json() && parse("application/json-patch+json").is_json());
        assert!(parse("text/xml").is_xml() && parse("application/atom+xml").is_xml());
        assert!(parse("image/png").is_binary() && parse("application/pdf").is_binary());
        assert!(!parse("text/csv").is_binary() && !parse("image/svg+xml").is_json());
        assert!(parse("application/x-www-form-urlencoded").is_form());
    }

    #[test]
    fn accepts_additional_parameters() {
        assert!(parse("application/json").accepts(&parse("application/json; charset=utf-8")));
        assert!(parse("application/json;charset=utf-8").accepts(&parse("application/json;charset=UTF-8;v=1")));
        assert!(!parse("application/json;charset=utf-8").accepts(&parse("application/json")));
        assert!(parse("text/xml").accepts(&parse("application/xml")));
        assert!(!parse("application/json").accepts(&parse("application/hal+json")));
        assert!(parse("text/plain;a=1;a=2").accepts(&parse("text/plain;a=1;a=2")));
    }
}
