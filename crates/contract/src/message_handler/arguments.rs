//! Converts messages to the form that bindings pass to handlers.

use bytes::Bytes;
use contract_model::{Body, ContentType, Json, Message, Object};
use contract_verifier::{InteractionInfo, MessageRequest, ProducedMessage};

/// Returns a message as `{ form, raw, contentType, metadata }`. `form` is `none`, `json`, `text`, or `bytes`. `raw` is
/// a string if the contents are UTF-8 text, otherwise `{ base64 }`. `contentType` may be null.
pub(crate) fn to_handler_form(message: &Message) -> Object {
    let (form, content_type) = match &message.contents {
        Body::Missing | Body::Empty => ("none", None),
        Body::Null => ("json", Some(ContentType::json())),
        Body::Present(content) => {
            let bytes = content.bytes();
            (
                form_of(&bytes, content.content_type.as_ref()),
                content.content_type.clone(),
            )
        }
    };
    let mut object = Object::new();
    object.insert("form", form);
    object.insert("raw", contract_call::binary::to_json(&message.contents.bytes()));
    let content_type = content_type.map_or(Json::Null, |known| known.to_string().into());
    object.insert("contentType", content_type);
    object.insert("metadata", message.metadata.clone());
    object
}

fn form_of(bytes: &Bytes, content_type: Option<&ContentType>) -> &'static str {
    if bytes.is_empty() {
        "none"
    } else if content_type.is_some_and(ContentType::is_json) && Json::parse(bytes).is_ok() {
        "json"
    } else if content_type.is_some_and(ContentType::is_binary) || std::str::from_utf8(bytes).is_err() {
        "bytes"
    } else {
        "text"
    }
}

pub(crate) fn states(states: &[contract_model::ProviderState]) -> Vec<Json> {
    let state = |state: &contract_model::ProviderState| {
        let mut object = Object::new();
        object.insert("name", state.name.as_str());
        object.insert("parameters", state.parameters.clone());
        Json::from(object)
    };
    states.iter().map(state).collect()
}

/// Returns the argument of a provider's message handler: `{ description, kind, providerStates, request, metadata,
/// answers, stateValues }`. `request` has the form that [`to_handler_form`] returns. It is null for an asynchronous
/// message.
pub(crate) fn handler_argument(request: MessageRequest) -> Json {
    let info: &InteractionInfo = &request.interaction;
    let mut object = Object::new();
    object.insert("description", info.description.as_str());
    object.insert("kind", info.kind.as_str());
    object.insert("providerStates", states(&info.states));
    object.insert(
        "request",
        request
            .request
            .map_or(Json::Null, |message| request_json(message).into()),
    );
    object.insert("metadata", request.metadata);
    object.insert("answers", u64::try_from(request.answers).unwrap_or(u64::MAX));
    object.insert("stateValues", request.state_values);
    object.into()
}

fn request_json(message: ProducedMessage) -> Object {
    let content_type = message.content_type.and_then(|text| text.parse().ok());
    to_handler_form(&Message {
        contents: Body::from_bytes(message.contents, content_type),
        metadata: message.metadata,
        ..Message::default()
    })
}
