//! Reads the arguments of `add_transport`.

use contract_model::Json;
use contract_verifier::Transport;

use super::builder::{conflicting_message_sources, is_message_transport};
use super::invalid::{invalid, setup, text_or_options};
use crate::verify::operation::{Kept, MessageHandler, MessageHandlerOptions, TransportOptions};
use crate::verify::options::{App, VerifyOptions};
use contract_call::error::ArgumentError;
use contract_call::message::{Message, listed, message, operation, option};
use contract_call::read::{self, Argument};
use contract_call::value;

impl VerifyOptions {
    /// Adds a transport. A function, or an object without the fields of a transport, is registered as message handlers.
    pub(super) fn transport(&mut self, transport: Argument<TransportOptions>) -> Result<Kept, ArgumentError> {
        let value = match transport {
            Argument::Value(options) => return self.add_transport(options),
            Argument::Json(json) => json,
        };
        if let Some(name) = misspelled_field(&value) {
            let message = message![
                format!("unknown option {name:?}. "),
                match read::suggest(&name, &PARTS) {
                    Some(near) => message!["Did you mean ", option(near), "? "],
                    None => Message::default(),
                },
                "Options: ",
                listed(&PARTS, ", ", ", "),
                ". Register message handlers with ",
                operation("message_handler")
            ];
            return Err(invalid(message).for_argument("transport"));
        }
        if value::function(&value).is_some() || is_mapping(&value) {
            let arguments = MessageHandler {
                handlers: value.into(),
                options: MessageHandlerOptions::default(),
            };
            self.message_handler(arguments)?;
            return Ok(Kept::Nothing);
        }
        let url = |url| TransportOptions {
            url: Some(url),
            ..TransportOptions::default()
        };
        let expected = "the transport must be a base URL, an object with the parts of a URL, an object with an app, or message handlers";
        self.add_transport(text_or_options(value, url, ("transport", expected))?)
    }

    fn add_transport(&mut self, options: TransportOptions) -> Result<Kept, ArgumentError> {
        let (name, target) = options.target()?;
        let transports = self.settings.transports.iter().map(|transport| &transport.name);
        if transports
            .chain(self.apps.iter().map(|app| &app.name))
            .any(|known| *known == name)
        {
            let message = message![
                format!("a transport {name:?} already exists; use another "),
                option("protocol")
            ];
            return Err(invalid(message).for_argument("protocol"));
        }
        if self.messages.is_registered && is_message_transport(&name) {
            return Err(conflicting_message_sources(&name));
        }
        match target {
            TransportTarget::Url(transport) => self.settings.transports.push(transport),
            TransportTarget::App { path } => {
                self.apps.push(App { name, path });
                return Ok(Kept::App);
            }
        }
        Ok(Kept::Nothing)
    }
}

enum TransportTarget {
    Url(Transport),
    App { path: String },
}

/// The fields of a transport object.
const PARTS: [&str; 7] = ["url", "protocol", "scheme", "host", "port", "path", "app"];

/// Returns a field whose name is probably misspelled: its object has no field of a transport, but its value is a URL,
/// which cannot be a message handler. Returns `None` if there is none.
fn misspelled_field(value: &Json) -> Option<String> {
    let is_url = |value: &Json| {
        let text = value.as_str().unwrap_or_default();
        text.starts_with("http://") || text.starts_with("https://")
    };
    let members = value.as_object().filter(|_| is_mapping(value))?;
    let (name, _) = members.iter().find(|(_, value)| is_url(value))?;
    Some(name.to_string())
}

fn is_mapping(value: &Json) -> bool {
    value::describe(value).is_none()
        && value
            .as_object()
            .is_some_and(|members| !members.is_empty() && !members.keys().any(|name| PARTS.contains(&name.as_str())))
}

impl TransportOptions {
    fn target(self) -> Result<(String, TransportTarget), ArgumentError> {
        let value = [
            ("url", self.url.is_some()),
            ("scheme", self.scheme.is_some()),
            ("host", self.host.is_some()),
            ("port", self.port.is_some()),
        ];
        let name = self.protocol.unwrap_or_else(|| "http".to_owned());
        if name.is_empty() {
            return Err(invalid(message![option("protocol"), " is empty"]).for_argument("protocol"));
        }
        let path = prefix(self.path.as_deref().unwrap_or_default());
        if self.app.is_some() {
            if let Some((other, _)) = value.into_iter().find(|(_, is_given)| *is_given) {
                let message = message!["an app listens on a free port, so ", option(other), " is not supported"];
                return Err(invalid(message).for_argument(other));
            }
            return Ok((name, TransportTarget::App { path }));
        }
        let url = if let Some(url) = self.url {
            let other = value[1..].iter().find(|(_, is_given)| *is_given);
            let path_too = self.path.is_some().then_some("path");
            if let Some(other) = other.map(|(name, _)| *name).or(path_too) {
                let message = message!["pass either ", option("url"), " or ", option(other), ", not both"];
                return Err(invalid(message).for_argument(other));
            }
            url
        } else {
            let scheme = self.scheme.as_deref().unwrap_or("http");
            let host = self.host.as_deref().unwrap_or("127.0.0.1");
            base_url(scheme, host, self.port.map(|port| port.0), &path)
        };
        let transport = if contract_plugin_work::is_foreign(&name) {
            Transport::of_plugin(name.as_str(), &url)
        } else {
            Transport::new(name.as_str(), &url)
        };
        let transport = transport.map_err(|error| setup(error).for_argument("url"))?;
        Ok((name, TransportTarget::Url(transport)))
    }
}

fn prefix(path: &str) -> String {
    if path.is_empty() || path.starts_with('/') {
        return path.to_owned();
    }
    format!("/{path}")
}

/// Returns the base URL with these parts, such as `http://127.0.0.1:8080/api`. An IPv6 address may be passed without
/// brackets, and the path without a leading slash. Without a port, the URL contains none.
pub fn base_url(scheme: &str, host: &str, port: Option<u64>, path: &str) -> String {
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", prefix(path))
}
