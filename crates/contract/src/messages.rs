//! How messages cross to a binding and back: what handlers are handed, and what they return.

use bytes::Bytes;
use contract_model::{
    Body, ContentType, Interaction, InteractionKind, Json, Message, Object, SpecificationVersion, detect,
};
use contract_verifier::{InteractionInfo, MessageRequest, ProducedMessage};

use crate::error::ArgumentError;

/// A message as bindings hand it to handlers: `{ form, raw, contentType, metadata }`. The form is `none`, `json`, `text` or
/// `bytes`; raw is text, or `{ base64 }`.
pub(crate) fn handed(message: &Message) -> Object {
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
    object.insert("raw", crate::binary::to_json(&message.contents.bytes()));
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
        object.insert("name", state.name.clone());
        object.insert("parameters", state.parameters.clone());
        Json::from(object)
    };
    states.iter().map(state).collect()
}

/// What a provider's message handler is asked: `{ description, kind, providerStates, request, metadata, answers,
/// stateValues }`, the request as [`handed`] writes it, or null.
pub(crate) fn question(request: MessageRequest) -> Json {
    let info: &InteractionInfo = &request.interaction;
    let mut object = Object::new();
    object.insert("description", info.description.clone());
    object.insert("kind", info.kind.clone());
    object.insert("providerStates", states(&info.states));
    object.insert(
        "request",
        request.request.map_or(Json::Null, |message| asked(message).into()),
    );
    object.insert("metadata", request.metadata);
    object.insert("answers", u64::try_from(request.answers).unwrap_or(u64::MAX));
    object.insert("stateValues", request.state_values);
    object.into()
}

fn asked(message: ProducedMessage) -> Object {
    let content_type = message.content_type.and_then(|text| text.parse().ok());
    handed(&Message {
        contents: Body::from_bytes(message.contents, content_type),
        metadata: message.metadata,
        ..Message::default()
    })
}

/// A message in the form of V4 files, as the request of a synchronous message stands in the field's HTTP form; gives the JSON
/// text of `{ form, raw, contentType, metadata }`.
pub fn read_message(document: &Json) -> Result<String, ArgumentError> {
    let (message, _) = Message::read(document, SpecificationVersion::V4)
        .map_err(|error| ArgumentError::new("ERR_CONTRACT_JSON", format!("the request of the message: {error}")))?;
    Ok(Json::from(handed(&message)).to_text())
}

/// The first of a handler's answers as it goes over HTTP: JSON text of `{ form, raw, contentType, metadata }`.
pub fn first_message(answer: &Json) -> Result<String, ArgumentError> {
    let first = returned(answer)?.into_iter().next().unwrap_or_default();
    Ok(Json::from(handed(&first)).to_text())
}

/// All answers of a handler in the form of V4 files, as the HTTP form for several answers has them: JSON text of
/// `{ messages }`.
pub fn message_list(answer: &Json) -> Result<String, ArgumentError> {
    let interaction = Interaction {
        kind: InteractionKind::SyncMessage(Box::new(contract_model::SyncMessage {
            request: Message::default(),
            responses: returned(answer)?,
        })),
        ..Interaction::default()
    };
    let (document, _) = interaction
        .to_json(SpecificationVersion::V4)
        .map_err(|error| result_error(&error))?;
    let mut list = Object::new();
    list.insert("messages", document.get("response").cloned().unwrap_or_default());
    Ok(Json::from(list).to_text())
}

fn returned(answer: &Json) -> Result<Vec<Message>, ArgumentError> {
    let messages = produced(answer).map_err(|problem| result_error(&problem))?.into_iter();
    Ok(messages
        .map(|message| Message {
            contents: Body::from_bytes(
                message.contents,
                message.content_type.and_then(|text| text.parse().ok()),
            ),
            metadata: message.metadata,
            ..Message::default()
        })
        .collect())
}

fn result_error(problem: &impl ToString) -> ArgumentError {
    ArgumentError::new("ERR_CONTRACT_MESSAGE_RESULT", problem.to_string())
}

/// Reads what a handler returned: a list of `{ contents, contentType, metadata }`, the contents `{ json }`, `{ text }` or
/// `{ base64 }`. What has no type gets one: JSON, what a text looks like, or any bytes.
pub(crate) fn produced(answer: &Json) -> Result<Vec<ProducedMessage>, String> {
    let Json::Array(messages) = answer else {
        return Err("a message handler's answer is no list".to_owned());
    };
    messages.iter().map(produced_one).collect()
}

fn produced_one(message: &Json) -> Result<ProducedMessage, String> {
    let contents = message.get("contents").unwrap_or(&Json::Null);
    let (bytes, default_type) = if let Some(json) = contents.get("json") {
        (json.to_text().into(), Some(ContentType::json()))
    } else if let Some(text) = contents.get("text").and_then(Json::as_str) {
        (Bytes::from(text.to_owned()), detect(text.as_bytes()))
    } else if contents.get("base64").is_some() {
        (crate::binary::from_json(contents)?, Some(ContentType::binary()))
    } else {
        (Bytes::new(), None)
    };
    let content_type = match message.get("contentType").and_then(Json::as_str) {
        Some(text) => Some(
            text.parse::<ContentType>()
                .map_err(|error| format!("the content type of the message: {error}"))?,
        ),
        None => default_type.filter(|_| !bytes.is_empty()),
    };
    let metadata = match message.get("metadata") {
        None | Some(Json::Null) => Object::new(),
        Some(Json::Object(metadata)) => metadata.clone(),
        Some(other) => {
            return Err(format!(
                "the metadata of the message must be an object, got {}",
                other.kind()
            ));
        }
    };
    Ok(ProducedMessage {
        contents: bytes,
        content_type: content_type.map(|known| known.to_string()),
        metadata,
    })
}

/// The end of a sentence about a message that nobody produces: what was meant, and what there is.
pub fn suggest_handler(description: &str, known: &[String]) -> String {
    contract_verifier::suggest(description, known, "add one")
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{message_list, produced, read_message};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_handlers_return() {
        let list = json(
            r#"[{"contents": {"json": {"a": 1}}}, {"contents": {"text": "<a/>"}, "contentType": "text/xml"},
                {"contents": {"base64": "/w=="}, "metadata": {"k": [1]}}, {"contents": {"text": ""}}]"#,
        );
        let types: Vec<_> = produced(&list)
            .unwrap()
            .into_iter()
            .map(|one| one.content_type)
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            types,
            [
                some("application/json"),
                some("text/xml"),
                some("application/octet-stream"),
                None
            ]
        );
        for (answer, problem) in [
            ("{}", "no list"),
            (
                r#"[{"contents": {"text": "a"}, "contentType": "so so"}]"#,
                "content type",
            ),
            (
                r#"[{"contents": {"text": "a"}, "metadata": 1}]"#,
                "must be an object, got",
            ),
        ] {
            assert!(produced(&json(answer)).unwrap_err().contains(problem), "{answer}");
        }
    }

    #[test]
    fn messages_of_the_http_form() {
        let request =
            json(r#"{"contents": {"content": "AQI=", "contentType": "application/x-label", "encoded": "base64"}}"#);
        assert_eq!(
            read_message(&request).unwrap(),
            r#"{"form":"bytes","raw":"\u0001\u0002","contentType":"application/x-label","metadata":{}}"#
        );
        let answer = json(r#"[{"contents": {"json": 1}}, {"contents": {"base64": "/w=="}, "metadata": {"k": "v"}}]"#);
        assert_eq!(
            message_list(&answer).unwrap(),
            r#"{"messages":[{"contents":{"content":1,"contentType":"application/json","encoded":false}},{"contents":{"content":"/w==","contentType":"application/octet-stream","encoded":"base64"},"metadata":{"k":"v"}}]}"#
        );
    }
}
