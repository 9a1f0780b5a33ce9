//! Reads bodies, which are JSON values in V1 to V3 and objects in V4.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::error::ReadWarning;
use super::reader::Reader;
use crate::place::Place;
use crate::{Body, Content, ContentHint, ContentType, ContentValue, Json, Object, SpecificationVersion, Text, detect};

/// Base64 decoder for bodies that the file declares as base64. Padding is optional.
const DECLARED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Reader {
    /// Reads the body of the member `name`. Puts unknown members of the body back into `members`. `declared` is the
    /// content type from the headers or the metadata.
    pub(super) fn body(
        &mut self,
        json: Json,
        declared: Option<ContentType>,
        name: &'static str,
        members: &mut Object,
        place: &Place,
    ) -> Body {
        if self.version < SpecificationVersion::V4 {
            return plain(json, declared);
        }
        let unknown = beside_content(&json);
        if !unknown.is_empty() {
            members.insert(name, unknown);
        }
        wrapped(json, declared, &place.key(name), &mut self.warnings)
    }

    /// Parses a declared content type. Returns `None` for `*/*`, which means that the type is unknown.
    pub(super) fn content_type(&mut self, text: &str, place: &Place) -> Option<ContentType> {
        content_type(text, place, &mut self.warnings)
    }
}

fn content_type(text: &str, place: &Place, warnings: &mut Vec<ReadWarning>) -> Option<ContentType> {
    if text.parse::<ContentType>().is_err() {
        warnings.push(ReadWarning::ContentType {
            at: place.to_string(),
            text: text.into(),
        });
    }
    ContentType::declared(text)
}

/// Reads a body of V1 to V3. These versions do not mark base64 or JSON documents inside a string, so the content type
/// determines how to read the string.
pub(crate) fn plain(json: Json, declared: Option<ContentType>) -> Body {
    match json {
        Json::Null => Body::Null,
        Json::String(text) if text.is_empty() => Body::Empty,
        Json::String(text) => Body::Present(plain_text(text, declared)),
        value => Body::Present(document(value, declared)),
    }
}

/// Converts a JSON value to content of the declared type. Values of types other than JSON become text.
fn document(value: Json, declared: Option<ContentType>) -> Content {
    match declared {
        Some(other) if !other.is_json() => Content::new(value.to_text(), Some(other)),
        declared => Content {
            value: ContentValue::Json(value.into()),
            content_type: declared.or_else(|| Some(ContentType::json())),
            hint: None,
        },
    }
}

fn plain_text(text: Text, declared: Option<ContentType>) -> Content {
    match declared.or_else(|| detect(text.as_bytes())) {
        Some(json) if is_json_document(&json) => {
            // A string may contain the JSON text of a string or an object. Any other text is the value of the string.
            let value = match Json::parse(text.as_bytes()) {
                Ok(value @ (Json::String(_) | Json::Object(_))) => value,
                _ => Json::String(text),
            };
            document(value, Some(json))
        }
        content_type if may_be_base64(content_type.as_ref()) => match base64_of(&text) {
            Some(bytes) => Content::new(bytes, content_type),
            None => Content::new(String::from(text), content_type),
        },
        content_type => Content::new(String::from(text), content_type),
    }
}

/// Returns true if text of this type may be base64. Writers use base64 only for bytes that JSON cannot represent.
pub(crate) fn may_be_base64(content_type: Option<&ContentType>) -> bool {
    content_type.is_none_or(|known| known.is_binary() || known.is_multipart())
}

/// Decodes base64 with canonical padding, which is unlikely to occur in other text. Returns `None` for other text.
pub(crate) fn base64_of(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// Returns true if bodies of this type are JSON documents. GraphQL bodies are not, although comparisons treat them as
/// JSON.
pub(crate) fn is_json_document(content_type: &ContentType) -> bool {
    content_type.is_json() && content_type.essence() != "application/graphql"
}

/// Reads a body of V4. Values in another form are read as in V3.
pub(crate) fn wrapped(
    json: Json,
    declared: Option<ContentType>,
    place: &Place,
    warnings: &mut Vec<ReadWarning>,
) -> Body {
    let mut members = match json {
        Json::Object(members) => members,
        bare => return plain(bare, declared),
    };
    let content = match content_name(&members) {
        Some(name) => members.remove(name).unwrap_or_default(),
        None if members.keys().all(|name| is_attribute(name)) => return Body::Missing,
        None => return Body::Present(document(members.into(), declared)),
    };
    let declared = match members.get("contentType") {
        Some(Json::String(text)) => content_type(text, &place.key("contentType"), warnings),
        _ => None,
    }
    .or(declared);
    let encoding = members.get("encoded").cloned().unwrap_or_default();
    let mut body = unwrapped(content, declared, &encoding, place, warnings);
    if let Body::Present(content) = &mut body {
        content.hint = hint(&members);
    }
    body
}

/// Returns the members of a body other than the content and its attributes.
fn beside_content(json: &Json) -> Object {
    let Json::Object(members) = json else {
        return Object::new();
    };
    let Some(content) = content_name(members) else {
        return Object::new();
    };
    let is_known = |name: &str| name == content || (is_attribute(name) && (name != HINT || hint(members).is_some()));
    let unknown = members
        .iter()
        .filter(|(name, value)| !is_known(name) && !value.is_null());
    unknown.cloned().collect()
}

/// Returns the name of the member that contains the body, or `None` if the object is not in the V4 form.
fn content_name(members: &Object) -> Option<&'static str> {
    if members.contains_key("content") {
        return Some("content");
    }
    let is_marked = members.contains_key("contentType") || members.contains_key("encoded");
    (is_marked && members.contains_key("contents")).then_some("contents")
}

const HINT: &str = "contentTypeHint";

fn is_attribute(name: &str) -> bool {
    matches!(name, "contentType" | "encoded" | HINT)
}

fn hint(members: &Object) -> Option<ContentHint> {
    match members.get(HINT)?.as_str()? {
        "BINARY" => Some(ContentHint::Binary),
        "TEXT" => Some(ContentHint::Text),
        "DEFAULT" => Some(ContentHint::Default),
        _ => None,
    }
}

fn unwrapped(
    content: Json,
    declared: Option<ContentType>,
    encoding: &Json,
    place: &Place,
    warnings: &mut Vec<ReadWarning>,
) -> Body {
    let text = match content {
        Json::Null => return Body::Null,
        Json::String(text) if text.is_empty() => return Body::Empty,
        Json::String(text) => text,
        value => return Body::Present(document(value, declared)),
    };
    let mut odd = || {
        warnings.push(ReadWarning::Encoding {
            at: place.to_string(),
            encoding: encoding.to_text(),
        });
    };
    match encoding {
        Json::Null | Json::Bool(false) => Body::Present(match declared {
            Some(json) if is_json_document(&json) => document(Json::String(text), Some(json)),
            declared => Content::new(String::from(text), declared),
        }),
        Json::String(json) if json.eq_ignore_ascii_case("json") => {
            let content = Content::new(String::from(text), declared.or_else(|| Some(ContentType::json())));
            if matches!(content.value, ContentValue::Bytes(_)) {
                odd();
            }
            Body::Present(content)
        }
        Json::Bool(true) => encoded(&text, declared, odd),
        Json::String(base64) if base64.eq_ignore_ascii_case("base64") => encoded(&text, declared, odd),
        _ => {
            odd();
            Body::from_bytes(String::from(text), declared)
        }
    }
}

fn encoded(text: &str, declared: Option<ContentType>, odd: impl FnOnce()) -> Body {
    // Some encoders insert line breaks.
    let packed: String = text.split_ascii_whitespace().collect();
    if let Ok(bytes) = DECLARED.decode(&packed) {
        return Body::from_bytes(bytes, declared);
    }
    odd();
    Body::from_bytes(text.to_owned(), declared)
}
