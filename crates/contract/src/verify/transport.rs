//! Ways to reach the provider, as a call says them.

use contract_model::Json;
use contract_verifier::Transport;

use super::builder::{makes_messages, two_makers};
use super::operation::Kept;
use super::refused::{refused, setup, text_or_options};
use crate::verify::operation::{MessageHandler, MessageHandlerOptions};
use crate::verify::options::{App, VerifyOptions};
use contract_call::error::ArgumentError;
use contract_call::message::{Message, listed, operation, option, told};
use contract_call::read::{self, Document};
use contract_call::value;

impl VerifyOptions {
    /// What can be told from an argument of `add_transport`: an object with none of a transport's options is message handlers.
    pub(super) fn transport(&mut self, Document(given): Document) -> Result<Kept, ArgumentError> {
        if let Some(name) = misspelt(&given) {
            let message = told![
                format!("there is no option {name}; "),
                match read::near(&name, &PARTS) {
                    Some(near) => told!["did you mean ", option(near), "? "],
                    None => Message::default(),
                },
                "options are ",
                listed(&PARTS, ", ", ", "),
                "; messages are given to ",
                operation("message_handler")
            ];
            return Err(refused(message).about("transport"));
        }
        if value::function(&given).is_some() || is_mapping(&given) {
            let said = MessageHandler {
                handlers: given.into(),
                options: MessageHandlerOptions::default(),
            };
            self.message_handler(said)?;
            return Ok(Kept::Nothing);
        }
        let url = |url| TransportParts {
            url: Some(url),
            ..TransportParts::default()
        };
        let what = "a transport is a base URL, the parts of one, { app } or message handlers";
        let parts = text_or_options(given, url, ("transport", what))?;
        let (name, way) = parts.way()?;
        let transports = self.said.transports.iter().map(|transport| &transport.name);
        if transports
            .chain(self.apps.iter().map(|app| &app.name))
            .any(|known| *known == name)
        {
            let message = told![
                format!("there is a transport {name:?} already; give it another "),
                option("protocol")
            ];
            return Err(refused(message).about("protocol"));
        }
        if self.messages.is_given && makes_messages(&name) {
            return Err(two_makers(&name));
        }
        match way {
            Way::Url(transport) => self.said.transports.push(transport),
            Way::App { path } => {
                self.apps.push(App { name, path });
                return Ok(Kept::App);
            }
        }
        Ok(Kept::Nothing)
    }
}

/// Where a transport leads.
enum Way {
    Url(Transport),
    App { path: String },
}

/// The names that an object has which is a transport.
const PARTS: [&str; 7] = ["url", "protocol", "scheme", "host", "port", "path", "app"];

/// The name behind which the URL stands of an object that was meant as a transport: no message is the URL of a service.
fn misspelt(given: &Json) -> Option<String> {
    let is_url = |value: &Json| {
        let text = value.as_str().unwrap_or_default();
        text.starts_with("http://") || text.starts_with("https://")
    };
    let members = given.as_object().filter(|_| is_mapping(given))?;
    let (name, _) = members.iter().find(|(_, value)| is_url(value))?;
    Some(name.to_string())
}

fn is_mapping(given: &Json) -> bool {
    value::shown(given).is_none()
        && given
            .as_object()
            .is_some_and(|members| !members.is_empty() && !members.keys().any(|name| PARTS.contains(&name.as_str())))
}

/// A base URL or its parts, or an application that will listen.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TransportParts {
    url: Option<String>,
    protocol: Option<String>,
    scheme: Option<String>,
    host: Option<String>,
    port: Option<read::Whole<1, 65535>>,
    path: Option<String>,
    app: Option<Document>,
}

impl TransportParts {
    /// The transport's name, and where it leads.
    fn way(self) -> Result<(String, Way), ArgumentError> {
        let given = [
            ("url", self.url.is_some()),
            ("scheme", self.scheme.is_some()),
            ("host", self.host.is_some()),
            ("port", self.port.is_some()),
        ];
        let name = self.protocol.unwrap_or_else(|| "http".to_owned());
        if name.is_empty() {
            return Err(refused(told![option("protocol"), " is empty"]).about("protocol"));
        }
        let path = prefix(self.path.as_deref().unwrap_or_default());
        if self.app.is_some() {
            if let Some((other, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                let message = told![
                    "an app listens where there is a free port; ",
                    option(other),
                    " says something else"
                ];
                return Err(refused(message).about(other));
            }
            return Ok((name, Way::App { path }));
        }
        let url = if let Some(url) = self.url {
            let other = given[1..].iter().find(|(_, is_given)| *is_given);
            let path_too = self.path.is_some().then_some("path");
            if let Some(other) = other.map(|(name, _)| *name).or(path_too) {
                let message = told![
                    option("url"),
                    " already says what ",
                    option(other),
                    " says; give one of them"
                ];
                return Err(refused(message).about(other));
            }
            url
        } else {
            let scheme = self.scheme.as_deref().unwrap_or("http");
            let host = self.host.as_deref().unwrap_or("127.0.0.1");
            base_url(scheme, host, self.port.map(|port| port.0), &path)
        };
        let made = if crate::plugins::is_foreign(&name) {
            Transport::of_plugin(name.as_str(), &url)
        } else {
            Transport::new(name.as_str(), &url)
        };
        let transport = made.map_err(|error| setup(error).about("url"))?;
        Ok((name, Way::Url(transport)))
    }
}

fn prefix(path: &str) -> String {
    if path.is_empty() || path.starts_with('/') {
        return path.to_owned();
    }
    format!("/{path}")
}

/// A base URL from its parts.
pub fn base_url(scheme: &str, host: &str, port: Option<u64>, path: &str) -> String {
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", prefix(path))
}
