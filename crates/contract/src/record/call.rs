//! Derives contracts from recordings that bindings pass as JSON.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract_model::{Headers, Text};
use contract_recording::{Captured, Exchange, Guess, SelectionError, Skipped, select};
use serde::{Deserialize, Serialize};

use super::{RecordOptions, RecordedContract, record_har};
use crate::failure::Failure;
use crate::options::CallSite;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::paths;
use contract_call::read::Size;
use contract_definition::read_operation;

/// A call that derives a contract: its operation, the recorded traffic, and the options.
#[derive(Clone, Debug)]
pub struct RecordCall {
    operation: &'static str,
    arguments: RecordArguments,
}

#[derive(Deserialize)]
enum RecordOperation {
    #[serde(rename = "record_har")]
    Har(RecordArguments),
    #[serde(rename = "record_with")]
    Server(RecordArguments),
    #[serde(rename = "record_page")]
    Page(RecordArguments),
}

/// Options for a recording.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordArguments {
    /// Path of the HTTP archive. Not set if the binding recorded the traffic itself.
    path: Option<PathBuf>,
    /// The requests and responses that the binding recorded. Empty if `path` is set.
    #[serde(default)]
    exchanges: Vec<RecordedExchange>,
    /// Name of the consumer.
    consumer: String,
    /// Name of the provider.
    provider: String,
    /// Base URL of the API, such as `https://api.example.com/v1`. Only requests below it are recorded, and its path is
    /// not part of the paths in the contract. Default: the origin of the requests, if there is only one.
    target: Option<String>,
    /// Directory for the result. It is created if it does not exist. Default: `CONTRACT_OUTPUT_DIR`, otherwise the
    /// current directory.
    directory: Option<PathBuf>,
    /// Form of the result: `file` for a contract file, or `code` for a consumer test in TypeScript. Default: `file`.
    #[serde(rename = "as")]
    form: Option<RecordedForm>,
    /// Names of headers to omit, in addition to credentials and headers that depend on the connection.
    omit_headers: Option<Vec<String>>,
    /// Maximum size of a recorded body in bytes. Requests with larger bodies are not recorded, and larger response
    /// bodies are omitted. Default: 1048576 (1 MiB).
    body_limit: Option<Size<1>>,
}

/// Form in which a recording is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedForm {
    /// A contract file.
    File,
    /// A consumer test in TypeScript.
    Code,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedExchange {
    url: String,
    method: String,
    request_headers: Vec<(String, String)>,
    /// The request body in base64.
    request_body: String,
    /// The status code; 0 if there was no response.
    status: u16,
    response_headers: Vec<(String, String)>,
    /// The response body in base64.
    response_body: String,
    /// Name of the test that sent the request. `None` if it is unknown.
    test: Option<String>,
    /// The reason why the exchange cannot be recorded. `None` if it can be.
    problem: Option<String>,
}

/// The result of a recording: the written file and what it contains.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedFile {
    /// Path of the written contract file or test. Absent if no interaction was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of requests in the traffic, including those that are not part of the contract.
    pub requests: usize,
    /// Number of interactions in the contract.
    pub interactions: usize,
    /// Number of requests that were merged with similar requests into one interaction.
    pub merged: usize,
    /// Matching rules that were guessed from the recorded values, in the order of the interactions. Review them,
    /// because a recording cannot show what the consumer needs.
    pub guesses: Vec<Guess>,
    /// Requests that are not part of the contract, with the reasons.
    pub skipped: Vec<Skipped>,
    /// Names of headers, parameters, and fields whose values are not in the contract, because they may be credentials,
    /// or depend on the client, the connection, or the time.
    pub omitted: Vec<String>,
    /// Requests that received different responses, such as `GET /orders/{number} returned 200 and 404`. Add a provider
    /// state to each of their interactions.
    pub ambiguous: Vec<String>,
    /// The complete result as text, for users.
    pub summary: String,
}

impl RecordCall {
    /// Reads the JSON text of an operation, such as `{"record_har": {"path": "traffic.har", "options":
    /// {"consumer": "web", "provider": "orders"}}}`.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let (operation, mut arguments) = match read_operation(text)? {
            RecordOperation::Har(arguments) => ("record_har", arguments),
            RecordOperation::Server(arguments) => ("record_with", arguments),
            RecordOperation::Page(arguments) => ("record_page", arguments),
        };
        arguments.check().map_err(|error| error.in_operation(operation))?;
        Ok(Self { operation, arguments })
    }

    /// Derives the contract, and writes the contract file or the test.
    pub fn run(self, site: &CallSite) -> Result<RecordedFile, Failure> {
        let operation = self.operation;
        self.write(site).map_err(|failure| match failure {
            Failure::Argument(error) => Failure::Argument(error.in_operation(operation)),
            failure => failure,
        })
    }

    fn write(self, site: &CallSite) -> Result<RecordedFile, Failure> {
        let arguments = self.arguments;
        let options = arguments.options();
        let target = arguments.target.as_deref();
        let recorded = if let Some(path) = &arguments.path {
            record_har(path, target, &options)?
        } else {
            let captured = arguments.exchanges.into_iter().map(RecordedExchange::captured);
            let captured: Result<Vec<_>, _> = captured.collect();
            let selected = select(captured?, target).map_err(|error| match error {
                SelectionError::SeveralOrigins(_) => {
                    ArgumentError::new(OPTIONS, error.to_string()).for_argument("target")
                }
                error => ArgumentError::new(OPTIONS, error.to_string()),
            })?;
            RecordedContract::from_selected(selected, &options.options()?)
        };
        let directory = arguments.directory.or_else(|| site.directory.clone());
        let directory = directory.unwrap_or_else(|| PathBuf::from("."));
        let path = if recorded.interactions() == 0 {
            None
        } else if arguments.form == Some(RecordedForm::Code) {
            Some(recorded.write_code(&directory)?)
        } else {
            Some(recorded.write(&directory)?)
        };
        Ok(RecordedFile {
            path: path.map(|path| path.display().to_string()),
            ..recorded.into_file()
        })
    }
}

impl RecordArguments {
    fn check(&mut self) -> Result<(), ArgumentError> {
        for path in [&mut self.path, &mut self.directory].into_iter().flatten() {
            paths::resolve_in_place(path)?;
        }
        if let Some(target) = &self.target {
            contract_wire::BaseUrl::parse(target)
                .map_err(|error| ArgumentError::new(OPTIONS, error.to_string()).for_argument("target"))?;
        }
        self.options().options().map(drop)
    }

    fn options(&self) -> RecordOptions {
        RecordOptions {
            consumer: self.consumer.clone(),
            provider: self.provider.clone(),
            omit_headers: self.omit_headers.clone().unwrap_or_default(),
            body_limit: self.body_limit.map(Size::size),
        }
    }
}

impl RecordedExchange {
    fn captured(self) -> Result<Captured, ArgumentError> {
        let body = |text: &str| {
            let bytes = STANDARD.decode(text);
            bytes.map_err(|error| ArgumentError::new(OPTIONS, format!("a recorded body is not valid base64: {error}")))
        };
        let headers = |pairs: &[(String, String)]| {
            let mut headers = Headers::new();
            for (name, value) in pairs {
                headers.append(Text::from(name.as_str()), value.trim());
            }
            headers
        };
        Ok(Captured {
            url: self.url,
            exchange: Exchange {
                method: self.method.to_ascii_uppercase().into(),
                request_headers: headers(&self.request_headers),
                request_body: body(&self.request_body)?.into(),
                status: self.status,
                response_headers: headers(&self.response_headers),
                response_body: body(&self.response_body)?.into(),
                problem: self.problem,
                test: self.test.map(Text::from),
                ..Exchange::default()
            },
        })
    }
}

impl RecordedContract {
    fn into_file(self) -> RecordedFile {
        let summary = self.summary();
        let interactions = self.interactions();
        let recording = self.recording;
        RecordedFile {
            path: None,
            requests: self.requests,
            interactions,
            merged: recording.merged,
            guesses: recording.guesses,
            skipped: recording.skipped,
            omitted: recording.omitted.into_iter().collect(),
            ambiguous: recording.ambiguous,
            summary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordCall, RecordedFile};
    use crate::failure::Failure;
    use crate::options::CallSite;

    fn recorded(exchanges: &str, options: &str) -> Result<RecordedFile, Failure> {
        let text = format!(r#"{{"record_with": {{"exchanges": [{exchanges}], "options": {options}}}}}"#);
        RecordCall::from_text(&text)?.run(&CallSite::default())
    }

    fn exchange(url: &str, body: &str) -> String {
        format!(
            r#"{{"url": "{url}", "method": "get", "requestHeaders": [["Authorization", "Bearer sesame"]], "requestBody": "",
                "status": 200, "responseHeaders": [["Content-Type", "application/json"]], "responseBody": "{body}",
                "test": "shows an order"}}"#
        )
    }

    #[test]
    fn exchanges_become_a_contract_file() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().display().to_string().replace('\\', "/");
        let options = format!(
            r#"{{"consumer": "web", "provider": "orders", "target": "http://h/v1", "directory": "{directory}"}}"#
        );
        let exchanges = [
            exchange("http://h/v1/orders/7", "eyJpZCI6N30="),
            exchange("http://other/", ""),
        ];
        let file = recorded(&exchanges.join(","), &options).unwrap();
        assert_eq!((file.requests, file.interactions), (1, 1));
        assert_eq!(file.guesses[0].place, "request path");
        assert!(file.omitted.contains(&"authorization".to_owned()), "{:?}", file.omitted);
        let text = std::fs::read_to_string(file.path.unwrap()).unwrap();
        assert!(text.contains("GET /orders/{number} returns 200") && text.contains("shows an order"));
        assert!(!text.contains("sesame"));
        let nothing = recorded("", &options).unwrap();
        assert_eq!((nothing.path, nothing.interactions), (None, 0));
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for (exchanges, options, part) in [
            ("", r#"{"consumer": "web"}"#, "provider"),
            (
                "",
                r#"{"consumer": " ", "provider": "a"}"#,
                "the consumer name is empty",
            ),
            (
                "",
                r#"{"consumer": "web", "provider": "a", "target": "/v1"}"#,
                "\"/v1\" is not a valid base URL",
            ),
            ("", r#"{"consumer": "web", "provider": "a", "out": "x"}"#, "out"),
            (
                &*[exchange("http://a/", ""), exchange("http://b/", "")].join(","),
                r#"{"consumer": "web", "provider": "a"}"#,
                "http://a, http://b",
            ),
        ] {
            let error = recorded(exchanges, options).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
