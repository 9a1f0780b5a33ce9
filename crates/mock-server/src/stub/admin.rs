//! Administration requests, which read and change the state of a stub.

use bytes::Bytes;
use contract_model::{Json, Object};
use hyper::header::ALLOW;
use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};

use super::Stub;
use super::problem::{reply, simple};
use super::state::parse_json;
use crate::handler::Reply;

impl Stub {
    /// Responds to an administration request. `path` is the rest of the path after [`super::StubOptions::admin_path`],
    /// such as `/state`.
    pub(super) fn administer(&self, method: &Method, path: &str, body: &Bytes) -> Reply {
        match (path.trim_end_matches('/'), method.as_str()) {
            ("", "GET") => json(self.summary().to_text().into_bytes()),
            ("/state", "GET") => json(self.selection().to_text().into_bytes()),
            ("/state", "PUT") => match Json::parse(body)
                .map_err(|error| format!("the body is not valid JSON: {error}"))
                .and_then(|document| parse_json(&document))
            {
                Ok(states) => {
                    self.set_states(states);
                    json(self.selection().to_text().into_bytes())
                }
                Err(problem) => simple(StatusCode::BAD_REQUEST, "Invalid provider state", &problem),
            },
            ("/state", "DELETE") => {
                self.set_states(self.options.states.clone());
                json(self.selection().to_text().into_bytes())
            }
            ("/requests", "GET") => json(self.journal.to_json()),
            ("/requests", "DELETE") => {
                self.journal.clear();
                json(self.journal.to_json())
            }
            ("", _) => not_allowed("GET"),
            ("/state", _) => not_allowed("GET, PUT, DELETE"),
            ("/requests", _) => not_allowed("GET, DELETE"),
            _ => simple(
                StatusCode::NOT_FOUND,
                "Not found",
                &format!(
                    "the administration paths are {0}, {0}/state, and {0}/requests",
                    self.options.admin_path
                ),
            ),
        }
    }

    fn selection(&self) -> Json {
        let states = self
            .states()
            .iter()
            .map(super::ChosenState::to_json)
            .collect::<Vec<_>>();
        let mut members = Object::new();
        members.insert("states", Json::from(states));
        members.into()
    }

    fn summary(&self) -> Json {
        let catalog = self.catalog();
        let contracts = catalog.contracts().iter().map(|contract| {
            let mut members = Object::new();
            members.insert("consumer", contract.contract.consumer.as_str());
            members.insert("provider", contract.contract.provider.as_str());
            members.insert("source", contract.source.as_str());
            members.insert("interactions", contract.contract.interactions.len() as u64);
            Json::from(members)
        });
        let mut members = Object::new();
        members.insert("contracts", Json::from(contracts.collect::<Vec<_>>()));
        members.insert("interactions", catalog.len() as u64);
        members.insert("requests", self.requests());
        members.into()
    }
}

fn json(body: Vec<u8>) -> Reply {
    reply(StatusCode::OK, "application/json", body)
}

fn not_allowed(methods: &'static str) -> Reply {
    let mut reply = simple(
        StatusCode::METHOD_NOT_ALLOWED,
        "Method not allowed",
        &format!("this path supports only the methods {methods}"),
    );
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    reply
}
