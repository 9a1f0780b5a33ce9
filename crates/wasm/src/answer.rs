//! Creates the responses of matched interactions for the Fetch API.

use contract_datetime::DateTime;
use contract_generators::{Context, Mode, Random, apply};
use contract_model::{Generators, Headers, Response, Rules};

/// Headers that describe the transfer of a body. JavaScript sets them itself.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// A response of the contract. Its generators run for each request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The response without its generators and matching rules, which are stored in the other fields.
    response: Response,
    generators: Generators,
    rules: Rules,
}

/// A response to send, and error messages for values that could not be generated.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Names and values. Each character of a value is one byte, as in the Fetch API.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) problems: Vec<String>,
}

pub(crate) struct Inputs<'a> {
    pub(crate) base_url: &'a str,
    pub(crate) now: DateTime,
    pub(crate) seed: u64,
}

impl Answer {
    /// Prepares the response. If the Fetch API cannot represent it, returns the reason as the error.
    pub(crate) fn new(response: &Response) -> Result<Self, String> {
        check(response)?;
        let fixed = apply::is_fixed(&response.generators, &response.rules);
        Ok(Self {
            response: Response {
                status: response.status,
                headers: response.headers.clone(),
                body: response.body.clone(),
                ..Response::default()
            },
            generators: if fixed {
                Generators::default()
            } else {
                response.generators.clone()
            },
            rules: if fixed {
                Rules::default()
            } else {
                response.rules.clone()
            },
        })
    }

    /// Returns true if both responses have the same examples and generators.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.response == other.response && self.generators == other.generators
    }

    pub(crate) fn reply(&self, method: &str, inputs: Inputs<'_>) -> Reply {
        let mut response = self.response.clone();
        let mut problems = Vec::new();
        if !apply::is_fixed(&self.generators, &self.rules) {
            let mut context = Context {
                base_url: Some(inputs.base_url),
                variant_matches: &contract_matching::variant_matches,
                ..Context::new(Mode::Consumer, inputs.now, Random::from_seed(inputs.seed))
            };
            let found = apply::response_with(&mut response, &self.generators, &self.rules, &mut context);
            problems.extend(found.iter().map(ToString::to_string));
            if let Err(problem) = check(&response) {
                problems.push(format!("the generated response cannot be sent: {problem}"));
                response = self.response.clone();
            }
        }
        let lines = response.headers.lines();
        let headers = lines
            .filter(|(name, _)| !FRAMING.iter().any(|framing| name.eq_ignore_ascii_case(framing)))
            .map(|(name, line)| (name.to_string(), byte_string(&line)))
            .collect();
        let is_head = method.eq_ignore_ascii_case("HEAD");
        Reply {
            status: response.status,
            headers,
            body: if is_head {
                Vec::new()
            } else {
                response.body.bytes().to_vec()
            },
            problems,
        }
    }
}

/// Checks that the Fetch API can represent the response. If it cannot, returns the reason as the error.
fn check(response: &Response) -> Result<(), String> {
    if !(200..=599).contains(&response.status) {
        return Err(format!(
            "the status {} is not supported; use a status from 200 to 599",
            response.status
        ));
    }
    for (name, line) in response.headers.lines() {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(format!("{name:?} is not a valid header name"));
        }
        if line.chars().any(|c| c.is_ascii_control() && c != '\t') {
            return Err(format!(
                "the value of header {name:?} contains line breaks or other control characters"
            ));
        }
    }
    Ok(())
}

/// Converts a header value to bytes, and returns a string with one character for each byte.
fn byte_string(text: &str) -> String {
    Headers::encode_value(text).iter().copied().map(char::from).collect()
}
