use std::path::Path;

use contract::{ArgumentError, BodyValue, BytesMatch, GivenArguments, InteractionBuilder, PartContent, PartValue};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::convert::{done, json, part};
use crate::failure::Failure;

/// An interaction under construction. Values are JSON texts, parts `request`, `response` or nothing.
#[napi]
pub struct NativeInteraction(pub(crate) InteractionBuilder);

#[napi]
impl NativeInteraction {
    #[napi(catch_unwind)]
    pub fn given(
        &self,
        state: String,
        name: Option<String>,
        value: Option<String>,
        parameters: Option<String>,
    ) -> Option<Failure> {
        done((|| {
            let value = value.as_deref().map(json).transpose()?;
            let parameters = parameters.as_deref().map(json).transpose()?;
            self.0.given(
                &state,
                GivenArguments {
                    name,
                    value,
                    parameters,
                },
            )
        })())
    }

    /// What has been told since the last time about how other tools read what was defined.
    #[napi(catch_unwind)]
    pub fn take_warnings(&self) -> Vec<String> {
        self.0.take_warnings()
    }

    #[napi(catch_unwind)]
    pub fn with_request(&self, method: Option<String>, path: Option<String>) -> Option<Failure> {
        done((|| {
            let path = path.as_deref().map(json).transpose()?;
            self.0.with_request_parts(method.as_deref(), path.as_ref())
        })())
    }

    /// Begins the response with the default status.
    #[napi(catch_unwind)]
    pub fn begin_response(&self) -> Option<Failure> {
        done(self.0.begin_response())
    }

    #[napi(catch_unwind)]
    pub fn with_cookie(&self, name: String, value: String, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            self.0.with_cookie(&name, &json(&value)?, part(part_name.as_deref())?)
        })())
    }

    #[napi(catch_unwind)]
    pub fn will_respond_with(&self, status: Option<String>) -> Option<Failure> {
        done(
            status
                .as_deref()
                .map(json)
                .transpose()
                .and_then(|status| self.0.will_respond_with(status.as_ref())),
        )
    }

    #[napi(catch_unwind)]
    pub fn with_header(&self, name: String, value: String, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            self.0.with_header(&name, &json(&value)?, part(part_name.as_deref())?)
        })())
    }

    #[napi(catch_unwind)]
    pub fn set_header(&self, name: String, value: String, part_name: Option<String>) -> Option<Failure> {
        done(part(part_name.as_deref()).and_then(|part| self.0.set_header(&name, &value, part)))
    }

    #[napi(catch_unwind)]
    pub fn with_query_parameter(&self, name: String, value: String) -> Option<Failure> {
        done(json(&value).and_then(|value| self.0.with_query_parameter(&name, &value)))
    }

    /// A body of JSON with matchers in it.
    #[napi(catch_unwind)]
    pub fn with_template_body(
        &self,
        template: String,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Option<Failure> {
        done((|| {
            self.body(Some(BodyValue::Template(json(&template)?)), content_type, part_name)
        })())
    }

    /// A body of text; nothing takes the body away.
    #[napi(catch_unwind)]
    pub fn with_text_body(
        &self,
        text: Option<String>,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Option<Failure> {
        done(self.body(text.map(BodyValue::Text), content_type, part_name))
    }

    /// Bytes, compared byte by byte or by their type (`bytes`, `contentType`).
    #[napi(catch_unwind)]
    pub fn with_binary_body(
        &self,
        bytes: Option<Uint8Array>,
        how: Option<String>,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Option<Failure> {
        let bytes = bytes.map(|bytes| bytes.to_vec().into());
        done((|| {
            let how = bytes_match(how.as_deref(), BytesMatch::Bytes)?;
            self.body(Some(BodyValue::Bytes(bytes, how)), content_type, part_name)
        })())
    }

    /// The bytes of a file, compared by their type or byte by byte.
    #[napi(catch_unwind)]
    pub fn with_binary_file(
        &self,
        path: String,
        how: Option<String>,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Option<Failure> {
        done((|| {
            let how = bytes_match(how.as_deref(), BytesMatch::ContentType)?;
            self.0.with_binary_file(
                Path::new(&path),
                content_type.as_deref(),
                how,
                part(part_name.as_deref())?,
            )
        })())
    }

    /// A body that is a document of its own kind: `text`, `form`, `xml` or `graphql`, described in JSON.
    #[napi(catch_unwind)]
    pub fn with_document_body(
        &self,
        kind: String,
        document: String,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Option<Failure> {
        done((|| {
            let document = json(&document)?;
            let body = match kind.as_str() {
                "form" => BodyValue::Form(document),
                "xml" => BodyValue::Xml(document),
                "text" => BodyValue::Plain(document),
                _ => BodyValue::GraphQl(document),
            };
            self.body(Some(body), content_type, part_name)
        })())
    }

    /// One more part of a multipart body.
    #[napi(catch_unwind)]
    pub fn with_multipart(&self, value: NativePart, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            let content = match value {
                NativePart { json: Some(text), .. } => PartContent::Json(json(&text)?),
                NativePart { text: Some(text), .. } => PartContent::Text(json(&text)?),
                NativePart { file: Some(path), .. } => PartContent::File(path.into()),
                NativePart { bytes: Some(bytes), .. } => PartContent::Bytes(bytes.to_vec().into()),
                _ => PartContent::Empty,
            };
            let value = PartValue {
                name: value.name,
                content,
                filename: value.filename,
                content_type: value.content_type,
                boundary: value.boundary,
            };
            self.0.with_multipart(value, part(part_name.as_deref())?)
        })())
    }

    #[napi(catch_unwind)]
    pub fn with_matching_rules(&self, rules: String, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            self.0.with_matching_rules(&json(&rules)?, part(part_name.as_deref())?)
        })())
    }

    #[napi(catch_unwind)]
    pub fn with_generators(&self, generators: String, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            self.0.with_generators(&json(&generators)?, part(part_name.as_deref())?)
        })())
    }

    /// Nothing takes the entry away.
    #[napi(catch_unwind)]
    pub fn with_metadata(&self, key: String, value: Option<String>, part_name: Option<String>) -> Option<Failure> {
        done((|| {
            let value = value.as_deref().map(json).transpose()?;
            self.0.with_metadata(&key, value.as_ref(), part(part_name.as_deref())?)
        })())
    }

    /// Nothing takes the comment away.
    #[napi(catch_unwind)]
    pub fn set_comment(&self, key: String, value: Option<String>) -> Option<Failure> {
        done(
            value
                .as_deref()
                .map(json)
                .transpose()
                .and_then(|value| self.0.set_comment(&key, value)),
        )
    }

    #[napi(catch_unwind)]
    pub fn add_text_comment(&self, text: String) -> Option<Failure> {
        done(self.0.add_text_comment(&text))
    }

    #[napi(catch_unwind)]
    pub fn add_reference(&self, group: String, name: String, value: String) -> Option<Failure> {
        done(json(&value).and_then(|value| self.0.add_reference(&group, &name, value)))
    }

    #[napi(catch_unwind)]
    pub fn set_key(&self, key: Option<String>) -> Option<Failure> {
        done(self.0.set_key(key.as_deref()))
    }

    #[napi(catch_unwind)]
    pub fn set_pending(&self, pending: bool) -> Option<Failure> {
        done(self.0.set_pending(pending))
    }

    #[napi(catch_unwind)]
    pub fn test_name(&self, name: String) -> Option<Failure> {
        done(self.0.test_name(&name))
    }
}

/// A part of a multipart body: one of `json`, `text`, `file` and `bytes`, or none of them.
#[napi(object)]
pub struct NativePart {
    pub name: String,
    /// JSON text with matchers in it.
    pub json: Option<String>,
    /// JSON text of a string or of matcher JSON.
    pub text: Option<String>,
    /// A path.
    pub file: Option<String>,
    pub bytes: Option<Uint8Array>,
    pub content_type: Option<String>,
    pub filename: Option<String>,
    pub boundary: Option<String>,
}

fn bytes_match(name: Option<&str>, default: BytesMatch) -> Result<BytesMatch, ArgumentError> {
    name.map_or(Ok(default), str::parse)
}

#[napi]
impl NativeInteraction {
    /// How often the test requests it, as JSON text: a number, or `{ min, max }`.
    #[napi(catch_unwind)]
    pub fn times(&self, times: String) -> Option<Failure> {
        done(json(&times).and_then(|times| self.0.times(&times)))
    }

    /// Whether the test may leave it unrequested.
    #[napi(catch_unwind)]
    pub fn optional(&self, optional: bool) -> Option<Failure> {
        done(self.0.optional(optional))
    }
}

impl NativeInteraction {
    fn body(
        &self,
        body: Option<BodyValue>,
        content_type: Option<String>,
        part_name: Option<String>,
    ) -> Result<(), ArgumentError> {
        self.0
            .with_body(body, content_type.as_deref(), part(part_name.as_deref())?)
    }
}
