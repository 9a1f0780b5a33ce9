//! An HTTP endpoint that returns a provider's messages, as verifiers of other Pact implementations expect it. A POST
//! request contains the description and the provider states. The response body is the message contents, and the
//! `Pact-Message-Metadata` header contains the metadata.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use contract_model::{
    Body, ContentType, Interaction, InteractionKind, Json, JsonKind, Message, Object, SpecificationVersion,
    SyncMessage, WriteError,
};
use contract_verifier::{MESSAGE_LIST, Options, ProducedMessage, suggest};

use crate::callbacks::Callbacks;
use crate::message_handler::result as handler_result;
use crate::verify::{MessageHandler, MessageHandlers};
use contract_call::error::{ArgumentError, OPTIONS};

/// Responds to requests for messages by calling message handlers. The binding provides the HTTP server.
#[derive(Debug)]
pub struct MessageEndpoint {
    handlers: MessageHandlers,
}

/// A request to a message endpoint.
#[derive(Clone, Debug, Default)]
pub struct EndpointRequest {
    /// The HTTP method. Methods other than `POST` are rejected.
    pub method: String,
    /// Value of the `Accept` header, or `None` if it was not sent. It selects whether the response contains one message
    /// or a list.
    pub accept: Option<String>,
    /// The request body. If it is larger than [`MessageEndpoint::LARGEST_REQUEST`], pass one byte more than this limit,
    /// so that the endpoint rejects the request.
    pub body: Bytes,
}

/// The response of a message endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointResponse {
    /// The HTTP status code.
    pub status: u16,
    /// Name and value of each header.
    pub headers: Vec<(&'static str, String)>,
    /// The message contents, a JSON list of messages, or an error message as plain text.
    pub body: Bytes,
}

impl EndpointResponse {
    fn error(status: u16, text: String) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", "text/plain; charset=utf-8".to_owned())],
            body: text.into(),
        }
    }
}

struct MessageRequest {
    description: String,
    document: Json,
}

impl MessageEndpoint {
    /// Maximum size of a request body, in bytes.
    pub const LARGEST_REQUEST: usize = 16 * 1024 * 1024;

    /// Creates an endpoint that calls these message handlers. Fails if a handler is invalid.
    pub fn new(handlers: MessageHandler) -> Result<Self, ArgumentError> {
        let mut known = MessageHandlers::default();
        known
            .add(handlers)
            .map_err(|error| error.in_operation("message_endpoint"))?;
        Ok(Self { handlers: known })
    }

    /// Like [`Self::new`], but reads the arguments of [`VerifierOperation::MessageHandler`](crate::VerifierOperation)
    /// from JSON.
    pub fn from_json(handlers: Json) -> Result<Self, ArgumentError> {
        let read: Result<MessageHandler, _> = contract_call::read::options(OPTIONS, handlers);
        read.map_err(|error| error.in_operation("message_endpoint"))
            .and_then(Self::new)
    }

    /// Responds to a request. The status is 400, 405, or 413 for an invalid request, 404 if no handler returns this
    /// message, and 500 if the handler fails, does not finish in time, or returns an invalid message.
    pub async fn answer(&self, request: EndpointRequest, callbacks: &dyn Callbacks) -> EndpointResponse {
        self.respond(request, callbacks)
            .await
            .unwrap_or_else(|(status, text)| EndpointResponse::error(status, text))
    }

    async fn respond(
        &self,
        request: EndpointRequest,
        callbacks: &dyn Callbacks,
    ) -> Result<EndpointResponse, (u16, String)> {
        if request.method != "POST" {
            let text = format!("messages must be requested with POST, received {}", request.method);
            return Err((405, text));
        }
        let as_list = request.accept.is_some_and(|accept| accept.contains(MESSAGE_LIST));
        let MessageRequest { description, document } = parse_request(&request.body)?;
        if !self.handlers.takes(&description) {
            let hint = suggest(&description, &self.handlers.descriptions());
            return Err((404, format!("no message handler for {description:?}{hint}")));
        }
        let limit = self.handlers.timeout();
        let limit = limit.unwrap_or_else(|| Options::default().callback_timeout);
        let produced = tokio::time::timeout(limit, self.handlers.make(&description, document, callbacks)).await;
        let failed = |problem: String| (500, format!("the message handler for {description:?} {problem}"));
        let result = produced
            .map_err(|_| failed(format!("did not finish within {} ms", milliseconds(limit))))?
            .map_err(|error| failed(format!("failed: {}", error.message)))?;
        let messages = handler_result::read(&result, &format!("the result for {description:?}"), as_list)
            .map_err(|error| (500, error.to_string()))?;
        if as_list {
            return list(messages).map_err(|error| (500, error.to_string()));
        }
        Ok(single_response(messages.into_iter().next().unwrap_or_default()))
    }
}

fn milliseconds(limit: Duration) -> u128 {
    limit.as_millis()
}

fn parse_request(body: &[u8]) -> Result<MessageRequest, (u16, String)> {
    if body.len() > MessageEndpoint::LARGEST_REQUEST {
        let text = format!("the request is larger than {} bytes", MessageEndpoint::LARGEST_REQUEST);
        return Err((413, text));
    }
    let invalid = |text: &str| (400, text.to_owned());
    let document = Json::parse(body).map_err(|error| (400, format!("the request is not valid JSON: {error}")))?;
    let description = match (document.kind(), document.get("description")) {
        (JsonKind::Object, Some(Json::String(description))) => description.to_string(),
        (JsonKind::Object, Some(_)) => return Err(invalid("the member \"description\" must be a string")),
        _ => {
            return Err(invalid(
                "the request must be a JSON object with a \"description\" member, the description of the message",
            ));
        }
    };
    let request = match document.get("request") {
        None => Json::Null,
        Some(request) => {
            let (message, _) = Message::read(request, SpecificationVersion::V4)
                .map_err(|error| (400, format!("the member \"request\" is not a valid message: {error}")))?;
            crate::message_handler::to_handler_form(&message).into()
        }
    };
    let states = document
        .get("providerStates")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let mut arguments = Object::new();
    arguments.insert("description", description.as_str());
    arguments.insert("providerStates", states.iter().map(state).collect::<Vec<_>>());
    arguments.insert("request", request);
    arguments.insert("metadata", Object::new());
    arguments.insert("stateValues", Object::new());
    Ok(MessageRequest {
        description,
        document: arguments.into(),
    })
}

fn state(state_json: &Json) -> Json {
    let mut state = Object::new();
    state.insert(
        "name",
        state_json.get("name").and_then(Json::as_str).unwrap_or_default(),
    );
    let parameters = state_json
        .get("params")
        .and_then(Json::as_object)
        .cloned()
        .unwrap_or_default();
    state.insert("parameters", parameters);
    state.into()
}

fn single_response(message: ProducedMessage) -> EndpointResponse {
    let mut headers = Vec::new();
    headers.extend(message.content_type.map(|known| ("Content-Type", known)));
    if !message.metadata.is_empty() {
        let metadata = Json::Object(message.metadata).to_text();
        headers.push(("Pact-Message-Metadata", STANDARD.encode(metadata)));
    }
    EndpointResponse {
        status: 200,
        headers,
        body: message.contents,
    }
}

/// Creates the response for a list of messages. Its body is `{ "messages": […] }`, with each message as in V4 files.
fn list(messages: Vec<ProducedMessage>) -> Result<EndpointResponse, WriteError> {
    let responses = messages.into_iter().map(|message| {
        let content_type: Option<ContentType> = message.content_type.and_then(|text| text.parse().ok());
        Message {
            contents: Body::from_bytes(message.contents, content_type),
            metadata: message.metadata,
            ..Message::default()
        }
    });
    let interaction = Interaction {
        kind: InteractionKind::SyncMessage(Box::new(SyncMessage {
            request: Message::default(),
            responses: responses.collect(),
        })),
        ..Interaction::default()
    };
    let (document, _) = interaction.to_json(SpecificationVersion::V4)?;
    let mut list = Object::new();
    list.insert("messages", document.get("response").cloned().unwrap_or_default());
    Ok(EndpointResponse {
        status: 200,
        headers: vec![("Content-Type", MESSAGE_LIST.to_owned())],
        body: Json::from(list).to_text().into(),
    })
}

#[cfg(test)]
mod tests {
    use contract_model::Json;
    use contract_verifier::MESSAGE_LIST;

    use super::{EndpointRequest, MessageEndpoint};
    use crate::callbacks::NoCallbacks;
    use crate::verify::{MessageHandler, MessageHandlerOptions};

    fn answer(method: &str, accept: Option<&str>, body: &str) -> (u16, String) {
        let handlers =
            br#"{"a label": {"contents": {"contract:value": "bytes", "base64": "/w=="}, "metadata": {"k": "v"}},
            "two": [1, {"contents": "b", "contentType": "text/csv"}]}"#;
        let endpoint = MessageEndpoint::new(MessageHandler {
            handlers: Json::parse(handlers).unwrap().into(),
            options: MessageHandlerOptions::default(),
        });
        let request = EndpointRequest {
            method: method.to_owned(),
            accept: accept.map(str::to_owned),
            body: body.to_owned().into(),
        };
        let response = contract_runtime::run_here(endpoint.unwrap().answer(request, &NoCallbacks)).unwrap();
        let headers: Vec<_> = response
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let body = String::from_utf8_lossy(&response.body);
        (response.status, format!("{} {body}", headers.join(", ")))
    }

    #[test]
    fn responds_with_one_or_several_messages() {
        assert_eq!(
            answer(
                "POST",
                None,
                r#"{"description": "a label", "providerStates": [{"name": "s"}]}"#
            ),
            (
                200,
                "Content-Type: application/octet-stream, Pact-Message-Metadata: eyJrIjoidiJ9 \u{fffd}".to_owned()
            )
        );
        let list = r#"{"messages":[{"contents":{"content":1,"contentType":"application/json","encoded":false}},{"contents":{"content":"b","contentType":"text/csv","encoded":false}}]}"#;
        assert_eq!(
            answer("POST", Some(MESSAGE_LIST), r#"{"description": "two"}"#),
            (200, format!("Content-Type: {MESSAGE_LIST} {list}"))
        );
    }

    #[test]
    fn rejects_invalid_requests() {
        for (method, body, status, expected) in [
            ("PUT", "", 405, "with POST, received PUT"),
            ("POST", "{", 400, "not valid JSON"),
            ("POST", "[]", 400, "must be a JSON object"),
            ("POST", r#"{"description": 1}"#, 400, "must be a string"),
            (
                "POST",
                r#"{"description": "a lable"}"#,
                404,
                "Did you mean \"a label\"?",
            ),
            (
                "POST",
                r#"{"description": "two", "request": []}"#,
                400,
                "the member \"request\" is not a valid message",
            ),
        ] {
            let (respond, text) = answer(method, None, body);
            assert_eq!(respond, status, "{text}");
            assert!(text.contains(expected), "{text}");
        }
    }
}
