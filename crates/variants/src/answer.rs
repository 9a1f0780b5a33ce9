//! Responses and messages of a provider, which this crate calls answers.

use std::sync::Arc;

use contract_matching::{ActualMessage, ActualResponse, MessagePlan, Options, PlanError, ResponsePlan};
use contract_model::{Body, ContentValue, Generators, Headers, Json, Message, PathExpression, Response, Rules, Text};

use crate::change::{Change, Place, apply};
use crate::settings::step_matches;

/// A response or a message, including its matching rules and generators.
#[derive(Clone, Debug)]
pub enum Answer {
    Response(Response),
    Message(Message),
}

/// The compiled rules of an answer.
#[derive(Debug)]
pub(crate) enum Plan {
    Response(ResponsePlan),
    Message(MessagePlan),
}

impl Plan {
    pub(crate) fn new(answer: &Answer) -> Result<Self, PlanError> {
        Ok(match answer {
            Answer::Response(response) => Self::Response(ResponsePlan::new(response, Options::LENIENT)?),
            Answer::Message(message) => Self::Message(MessagePlan::new(message, Options::LENIENT)?),
        })
    }

    pub(crate) fn accepts(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Self::Response(plan), Answer::Response(response)) => {
                plan.compare(&ActualResponse::from(response)).is_empty()
            }
            (Self::Message(plan), Answer::Message(message)) => plan.compare(&ActualMessage::from(message)).is_empty(),
            _ => false,
        }
    }
}

impl Answer {
    pub(crate) fn rules(&self) -> &Rules {
        match self {
            Self::Response(response) => &response.rules,
            Self::Message(message) => &message.rules,
        }
    }

    /// Returns the body as text. Returns an empty string for a missing body and for bytes that are not UTF-8.
    pub fn body_text(&self) -> String {
        match self.body() {
            Body::Null => "null".to_owned(),
            Body::Present(content) => content.text().map(String::from).unwrap_or_default(),
            Body::Missing | Body::Empty => String::new(),
        }
    }

    pub fn is_json(&self) -> bool {
        match self.body() {
            Body::Null => true,
            Body::Present(content) => matches!(content.value, ContentValue::Json(_)),
            Body::Missing | Body::Empty => false,
        }
    }

    pub(crate) fn body(&self) -> &Body {
        match self {
            Self::Response(response) => &response.body,
            Self::Message(message) => &message.contents,
        }
    }

    /// Returns the body as JSON, or `None` for missing bodies and other formats.
    pub(crate) fn json(&self) -> Option<Json> {
        match self.body() {
            Body::Null => Some(Json::Null),
            Body::Present(content) => match &content.value {
                ContentValue::Json(value) => Some(Json::clone(value)),
                ContentValue::Bytes(_) => None,
            },
            Body::Missing | Body::Empty => None,
        }
    }

    pub(crate) fn headers(&self) -> Option<&Headers> {
        match self {
            Self::Response(response) => Some(&response.headers),
            Self::Message(_) => None,
        }
    }

    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Response(response) => Some(response.status),
            Self::Message(_) => None,
        }
    }

    /// Returns a copy of the answer with these changes. Generators that would overwrite them are removed.
    pub(crate) fn with<'a>(&self, changes: impl IntoIterator<Item = (&'a Place, &'a Change)>) -> Self {
        let mut result = self.clone();
        let mut document = self.json();
        for (place, change) in changes {
            result.forget_generators(place, change);
            match (place, change, &mut result) {
                (Place::Body(path), change, _) => {
                    if let Some(document) = &mut document {
                        apply(document, path.tokens(), change);
                    }
                }
                (Place::Status, Change::Status(status), Self::Response(response)) => response.status = *status,
                (Place::Header(name), Change::Header(value), Self::Response(response)) => {
                    response.headers.set(name.clone(), vec![value.clone()]);
                }
                _ => {}
            }
        }
        if let Some(document) = document {
            result.set_json(document);
        }
        result
    }

    fn set_json(&mut self, document: Json) {
        let body = match self {
            Self::Response(response) => &mut response.body,
            Self::Message(message) => &mut message.contents,
        };
        match body {
            Body::Present(content) => content.value = ContentValue::Json(Arc::new(document)),
            body if document.is_null() => *body = Body::Null,
            body => *body = Body::Present(contract_model::Content::json(document)),
        }
    }

    fn generators_mut(&mut self) -> &mut Generators {
        match self {
            Self::Response(response) => &mut response.generators,
            Self::Message(message) => &mut message.generators,
        }
    }

    fn forget_generators(&mut self, place: &Place, change: &Change) {
        let generators = self.generators_mut();
        match place {
            Place::Status => generators.status = None,
            Place::Header(name) => generators
                .header
                .retain(|known: &Text, _| !known.eq_ignore_ascii_case(name)),
            // The names of headers are not generated.
            Place::Headers => {}
            // These changes preserve the values at and below their place.
            Place::Body(_) if matches!(change, Change::Insert(..) | Change::Reverse) => {}
            Place::Body(path) => generators.body.retain(|generator, _| !overlaps(generator, path)),
        }
    }
}

/// Returns true if a generator writes a value at, above, or below the path.
fn overlaps(generator: &PathExpression, path: &PathExpression) -> bool {
    let steps = generator.tokens().iter().zip(path.tokens());
    steps.into_iter().all(|(pattern, step)| step_matches(pattern, step))
}
