//! Writes bodies, which are JSON values in V2 and V3 and objects in V4.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Loss, Writer, inside};
use crate::place::Place;
use crate::read::{base64_of, is_json_document, may_be_base64, plain_body, wrapped_body};
use crate::{Body, Content, ContentHint, ContentType, ContentValue, Json, Object, SpecificationVersion};

impl Writer<'_> {
    /// Writes a body as the member `name`. `declared` is the content type from the headers or the metadata, which
    /// readers use if the body does not specify one. `other` contains the unknown members of the part.
    pub(super) fn body(
        &mut self,
        name: &'static str,
        body: &Body,
        declared: Option<ContentType>,
        other: &Object,
        object: &mut Object,
    ) {
        let is_wrapped = self.version >= SpecificationVersion::V4;
        let mut json = match body {
            Body::Missing => return self.add_inside(name, None, inside(other, name)),
            _ if is_wrapped => wrapped(body),
            Body::Null => Json::Null,
            Body::Empty => "".into(),
            Body::Present(content) => plain(content),
        };
        if !is_wrapped && is_null_document(body) {
            self.lost(Loss::NullBody { part: self.part });
        } else if !is_plainly_exact(body, is_wrapped, declared.as_ref()) {
            let is_declared = declared.is_some();
            let read = if is_wrapped {
                wrapped_body(json.clone(), declared, &Place::Root, &mut Vec::new())
            } else {
                plain_body(json.clone(), declared)
            };
            if read != *body {
                let part = self.part;
                let lacks_type = match body.content_type() {
                    Some(content_type) => !is_wrapped && plain_body(json.clone(), Some(content_type.clone())) == *body,
                    None => !is_declared,
                };
                self.lost(if lacks_type {
                    Loss::BodyType { part }
                } else {
                    Loss::Body { part }
                });
            }
        }
        self.add_inside(name, is_wrapped.then_some(&mut json), inside(other, name));
        object.insert(name, json);
    }
}

/// Returns true for the JSON document `null`, which versions before V4 cannot distinguish from a missing body.
fn is_null_document(body: &Body) -> bool {
    matches!(body, Body::Present(Content { value: ContentValue::Json(value), content_type: Some(known), .. })
        if value.is_null() && is_json_document(known))
}

/// Returns true for common bodies that are known to be read back unchanged. For these, the writer need not copy and
/// compare a large JSON document.
fn is_plainly_exact(body: &Body, is_wrapped: bool, declared: Option<&ContentType>) -> bool {
    let Body::Present(content) = body else { return true };
    let ContentValue::Json(value) = &content.value else {
        return false;
    };
    let Some(content_type) = content.content_type.as_ref().filter(|known| is_json_document(known)) else {
        return false;
    };
    let is_said = match declared {
        _ if is_wrapped => true,
        Some(declared) => declared == content_type && content.hint.is_none(),
        None => *content_type == ContentType::json() && content.hint.is_none(),
    };
    is_said && matches!(**value, Json::Object(_) | Json::Array(_))
}

/// Writes the V2 and V3 format. A JSON string is written as JSON text inside a string; otherwise, readers could not
/// distinguish it from plain text.
fn plain(content: &Content) -> Json {
    match &content.value {
        ContentValue::Json(value) => match &**value {
            text @ Json::String(_) => text.to_text().into(),
            // For types without JSON strings, this differs from the null body.
            Json::Null if !content.content_type.as_ref().is_some_and(is_json_document) => "null".into(),
            value => value.clone(),
        },
        ContentValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if !(may_be_base64(content.content_type.as_ref()) && base64_of(text).is_some()) => text.into(),
            _ => STANDARD.encode(bytes).into(),
        },
    }
}

/// Writes the V4 format.
fn wrapped(body: &Body) -> Json {
    let mut object = Object::new();
    match body {
        Body::Missing | Body::Null => {
            object.insert("content", Json::Null);
        }
        Body::Empty => {
            object.insert("content", "");
        }
        Body::Present(content) => {
            let (value, encoded) = encoded(content);
            object.insert("content", value);
            let content_type = content.content_type.as_ref();
            object.insert("contentType", content_type.map_or("*/*".into(), ToString::to_string));
            object.insert("encoded", encoded);
            if let Some(hint) = content.hint {
                object.insert("contentTypeHint", name_of(hint));
            }
        }
    }
    object.into()
}

/// Returns the values of `content` and `encoded`.
fn encoded(content: &Content) -> (Json, Json) {
    let base64 = |bytes: &[u8]| (STANDARD.encode(bytes).into(), "base64".into());
    let content_type = content.content_type.as_ref();
    match &content.value {
        ContentValue::Json(value) => match &**value {
            // Without `encoded`, readers would treat these as an empty body and a null body.
            Json::Null => ("null".into(), "json".into()),
            Json::String(text) if text.is_empty() => ("\"\"".into(), "json".into()),
            // A string in a body of another type is text, not JSON.
            Json::String(_) if !content_type.is_some_and(is_json_document) => (value.to_text().into(), "json".into()),
            value => (value.clone(), false.into()),
        },
        ContentValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if !wants_base64(content) => (text.into(), false.into()),
            _ => base64(bytes),
        },
    }
}

/// Returns true for binary data and for invalid JSON. If these were written as text, they would be read back as a JSON
/// string.
fn wants_base64(content: &Content) -> bool {
    content.hint == Some(ContentHint::Binary)
        || content.content_type.as_ref().is_some_and(|known| {
            is_json_document(known) || (known.is_binary() && content.hint != Some(ContentHint::Text))
        })
}

fn name_of(hint: ContentHint) -> &'static str {
    match hint {
        ContentHint::Binary => "BINARY",
        ContentHint::Text => "TEXT",
        ContentHint::Default => "DEFAULT",
    }
}
