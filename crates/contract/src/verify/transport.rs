//! Ways to reach the provider, as a call says them.

use contract_model::Json;
use contract_verifier::Transport;

use super::operation::Kept;
use super::refused::{refused, setup};
use crate::error::{ArgumentError, OPTIONS};
use crate::message::{Message, listed, operation, option, told};
use crate::read::{self, Document};
use crate::value;
use crate::verify::operation::{MessageHandler, MessageHandlerOptions};
use crate::verify::options::{TransportOptions, VerifyOptions};

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
        let parts = match given {
            Json::String(url) => TransportParts {
                url: Some(url.into()),
                ..TransportParts::default()
            },
            object @ Json::Object(_) if value::shown(&object).is_none() => read::options(OPTIONS, object)?,
            other => {
                return Err(refused(format!(
                    "a transport is a base URL, the parts of one, {{ app }} or message handlers, got {}",
                    read::shown(&other)
                ))
                .about("transport"));
            }
        };
        let is_app = parts.app.is_some();
        let added = parts.transport()?;
        if self.transports.iter().any(|known| known.name == added.name) {
            let message = told![
                format!("there is a transport {:?} already; give it another ", added.name),
                option("protocol")
            ];
            return Err(refused(message).about("protocol"));
        }
        self.one_maker_of_messages(Some(&added.name), self.messages.is_some())?;
        self.transports.push(added);
        Ok(if is_app { Kept::App } else { Kept::Nothing })
    }

    /// Where an application that was to be started listens now.
    pub(crate) fn listening(&self, apps: &[String]) -> Vec<TransportOptions> {
        let mut listening = apps.iter();
        let place = |transport: &TransportOptions| match &transport.url {
            Some(_) => Some(transport.clone()),
            None => listening.next().map(|app| TransportOptions {
                name: transport.name.clone(),
                url: Some(format!("{app}{}", transport.path)),
                path: String::new(),
            }),
        };
        self.transports.iter().filter_map(place).collect()
    }
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
    fn transport(self) -> Result<TransportOptions, ArgumentError> {
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
            return Ok(TransportOptions { name, url: None, path });
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
        Transport::new(name.as_str(), &url).map_err(|error| setup(error).about("url"))?;
        Ok(TransportOptions {
            name,
            url: Some(url),
            path: String::new(),
        })
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
