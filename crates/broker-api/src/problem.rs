//! Reads error responses of the API, so that pages can show the errors.

use serde_json::Value;

use super::reply::{HandlerError, Reply};

/// The error response to the API request that a form was converted to.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: u16,
    /// The error messages, as complete sentences.
    pub details: Vec<String>,
    /// Names of request fields, such as `request.url`, and the error message about each.
    pub fields: Vec<(String, String)>,
}

impl Problem {
    pub(crate) fn from_reply(reply: &Reply) -> Self {
        Self {
            status: reply.status,
            details: details(&reply.body),
            fields: fields(&reply.body),
        }
    }

    /// Converts the problem to an error response with the same status, which is displayed as an error page.
    pub(crate) fn rejected(&self) -> HandlerError {
        Reply::error(self.status, self.details.join(" ")).into()
    }
}

fn fields(body: &str) -> Vec<(String, String)> {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    let fields = parsed["errors"].as_object().into_iter().flatten();
    let texts = fields.flat_map(|(field, texts)| {
        let texts = texts.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(move |text| (field.clone(), format!("{text}.")))
    });
    texts.collect()
}

/// Returns the messages in the body of an error response, as complete sentences.
pub(super) fn details(body: &str) -> Vec<String> {
    let Ok(parsed) = serde_json::from_str::<Value>(body) else {
        return vec![body.to_owned()];
    };
    let mut details = Vec::new();
    if let Some(error) = parsed.get("error") {
        let text = error.as_str().or_else(|| error.get("message")?.as_str());
        details.extend(text.map(str::to_owned));
    }
    match parsed.get("errors") {
        Some(Value::Array(texts)) => details.extend(texts.iter().filter_map(Value::as_str).map(str::to_owned)),
        Some(Value::Object(fields)) => {
            for (field, texts) in fields {
                let texts = texts.as_array().into_iter().flatten().filter_map(Value::as_str);
                details.extend(texts.map(|text| format!("{field} {text}.")));
            }
        }
        _ => (),
    }
    details
}
