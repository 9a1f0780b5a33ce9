//! A verifier under construction: each call checks what it is told, and what is refused leaves nothing behind.

use std::path::PathBuf;

use contract_model::Json;
use contract_verifier::{CustomHeader, SetupError, Transport};

use crate::error::{ArgumentError, NAME, OPTIONS};
use crate::message::{Message, operation, option, told};
use crate::read::{self, Document};
use crate::sources::{RemoteSource, Source};
use crate::value::{self, FilterPattern, TextOrFunction};
use crate::verify::operation::{
    AddSource, AddTransport, Filter, FilterOptions, MessageHandler, MessageHandlerOptions, SourceOptions, Tls,
    VerifierOperation,
};
use crate::verify::options::{Header, TransportOptions, VerifyOptions};
use crate::verify::pem::Pem;

/// What a binding has to keep of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing: the core has it all.
    Nothing,
    /// The application, which the binding lets listen while a verification runs, see [`Surroundings::apps`](crate::Surroundings).
    App,
}

fn refused(message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message)
}

fn setup(error: &SetupError) -> ArgumentError {
    refused(error.to_string())
}

impl VerifyOptions {
    /// For a provider of this name.
    pub fn new(provider: &str) -> Result<Self, ArgumentError> {
        if provider.trim().is_empty() {
            return Err(ArgumentError::new(NAME, "the provider needs a name").about("provider"));
        }
        Ok(Self {
            provider: provider.to_owned(),
            ..Self::default()
        })
    }

    /// Takes what one call says, or refuses it and stays as it was.
    pub fn say(&mut self, said: VerifierOperation) -> Result<Kept, ArgumentError> {
        let name = said.name();
        self.take(said).map_err(|error| error.of(name))
    }

    fn take(&mut self, said: VerifierOperation) -> Result<Kept, ArgumentError> {
        match said {
            VerifierOperation::AddSource(said) => self.sources.push(source(said)?),
            VerifierOperation::AddTransport(said) => return self.transport(said),
            VerifierOperation::MessageHandler(said) => self.message_handler(said)?,
            VerifierOperation::StateHandler(said) => self.states.add(said)?,
            VerifierOperation::Filter(said) => {
                let filter = filter(said)?;
                filter
                    .assembled(&[])
                    .and_then(|filter| filter.check())
                    .map_err(|error| setup(&error))?;
                self.filter = filter;
            }
            VerifierOperation::FilterConsumers(said) => self.consumers = said.names,
            VerifierOperation::AddCustomHeader(said) => self.header(Header {
                name: said.name,
                value: said.value,
            })?,
            VerifierOperation::AddCustomHeaders(said) => {
                let headers = headers(said.headers)?;
                let mut next = self.clone_headers();
                for header in headers {
                    next.header(header)?;
                }
                self.headers = next.headers;
            }
            VerifierOperation::RequestFilter(said) => self.request_filters.push(said.filter),
            VerifierOperation::BeforeEach(said) => self.before.push(said.hook),
            VerifierOperation::AfterEach(said) => self.after.push(said.hook),
            VerifierOperation::SetRequestTimeout(said) => self.request_timeout = Some(said.milliseconds.0),
            VerifierOperation::SetCallbackTimeout(said) => self.callback_timeout = Some(said.milliseconds.0),
            VerifierOperation::SetBodyLimit(said) => self.body_limit = Some(said.bytes.size()),
            VerifierOperation::SetGeneratedSize(said) => self.generated_size = Some(said.bytes.size()),
            VerifierOperation::SetSourceLimit(said) => self.source_limit = Some(said.bytes.0),
            VerifierOperation::Tls(said) => self.tls(said)?,
            VerifierOperation::DisableSslVerification(said) => self.tls.insecure = said.disabled,
            VerifierOperation::SetHttpVersion(said) => self.http_version(&said.version.0)?,
            VerifierOperation::SetErrorOnEmptyContract(said) => self.allow_empty = !said.enabled,
            VerifierOperation::FollowRedirects(said) => {
                self.follow_redirects = Some(said.follow);
                self.redirect_credentials = said.options.credentials;
            }
            VerifierOperation::SetColouredOutput(said) => self.colour = Some(said.enabled),
        }
        Ok(Kept::Nothing)
    }

    fn header(&mut self, header: Header) -> Result<(), ArgumentError> {
        if let TextOrFunction::Text(value) = &header.value {
            CustomHeader::fixed(header.name.as_str(), value.as_str()).check()
        } else {
            CustomHeader::fixed(header.name.as_str(), "").check()
        }
        .map_err(|error| setup(&error).about("name"))?;
        // The same name again replaces; names are compared as they stand, as they are sent.
        match self.headers.iter_mut().find(|known| known.name == header.name) {
            Some(known) => *known = header,
            None => self.headers.push(header),
        }
        Ok(())
    }

    fn clone_headers(&self) -> Self {
        Self {
            headers: self.headers.clone(),
            ..Self::default()
        }
    }

    /// What can be told from an argument of `add_transport`: an object with none of a transport's options is message handlers.
    fn transport(&mut self, AddTransport { transport }: AddTransport) -> Result<Kept, ArgumentError> {
        let Document(given) = transport;
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

    fn message_handler(&mut self, said: MessageHandler) -> Result<(), ArgumentError> {
        self.one_maker_of_messages(None, true)?;
        let mut handlers = self.messages.clone().unwrap_or_default();
        handlers.add(said)?;
        self.messages = Some(handlers);
        Ok(())
    }

    /// Messages come from one place: handlers, or an endpoint.
    fn one_maker_of_messages(&self, added: Option<&str>, with_handlers: bool) -> Result<(), ArgumentError> {
        let names = self
            .transports
            .iter()
            .map(|transport| transport.name.as_str())
            .chain(added);
        let endpoint = names
            .into_iter()
            .find(|name| matches!(*name, "message" | "async-message" | "sync-message"));
        match endpoint.filter(|_| with_handlers) {
            None => Ok(()),
            Some(name) => Err(refused(format!(
                "the transport {name:?} and message handlers both give messages; choose the handlers or the endpoint"
            ))),
        }
    }

    fn tls(&mut self, said: Tls) -> Result<(), ArgumentError> {
        if let Some(Document(passphrase)) = said.passphrase {
            let problem = if said.key.is_none() {
                " is about a key, and there is none".to_owned()
            } else {
                format!(
                    " must be text, got {}",
                    value::shown(&passphrase).unwrap_or_else(|| passphrase.kind().to_string())
                )
            };
            return Err(refused(told![option("passphrase"), problem]).about("passphrase"));
        }
        if said.pfx.is_some() {
            let message = told![
                option("pfx"),
                " cannot be read; turn it into PEM once, by `openssl pkcs12 -in client.pfx -nodes`, and give ",
                option("cert"),
                " and ",
                option("key")
            ];
            return Err(refused(message).about("pfx"));
        }
        let mut tls = self.tls.clone();
        if let Some(Document(ca)) = said.ca {
            let pem = |json: &Json| {
                Pem::from_json(json).map_err(|problem| refused(told![option("ca"), format!(" {problem}")]).about("ca"))
            };
            tls.ca = match ca {
                Json::Array(items) => items.iter().map(pem).collect::<Result<_, _>>()?,
                one => vec![pem(&one)?],
            };
        }
        tls.cert = said.cert.or(tls.cert);
        tls.key = said.key.or(tls.key);
        let before = std::mem::replace(&mut self.tls, tls);
        if let Err(error) = self.client(None, &mut Vec::new(), None) {
            self.tls = before;
            return Err(error);
        }
        Ok(())
    }

    fn http_version(&mut self, given: &Json) -> Result<(), ArgumentError> {
        let text = given.text_form().into_owned();
        self.http_version = Some(match text.as_str() {
            "1.1" => contract_wire::HttpVersion::Http1,
            "2" => contract_wire::HttpVersion::Http2,
            _ => {
                return Err(refused(format!(
                    "there is no {} here; versions are 1.1 and 2",
                    read::shown(given)
                ))
                .about("version"));
            }
        });
        Ok(())
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
        Transport::new(name.as_str(), &url).map_err(|error| setup(&error).about("url"))?;
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

fn source(AddSource { source, options }: AddSource) -> Result<Source, ArgumentError> {
    let source = match source.0 {
        Json::String(text) => located(&text, options)?,
        object @ Json::Object(_) if value::shown(&object).is_none() => {
            let parts: SourceParts = read::options(OPTIONS, object)?;
            parts.source(options)?
        }
        other => {
            return Err(refused(format!(
                "a source is a path, a URL or {{ json }}, got {}",
                read::shown(&other)
            ))
            .about("source"));
        }
    };
    source.check().map_err(|error| error.about("source"))?;
    Ok(source)
}

/// A source as an object.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SourceParts {
    url: Option<String>,
    json: Option<Document>,
    name: Option<String>,
    username: Option<String>,
    password: Option<String>,
    token: Option<String>,
    headers: Option<std::collections::BTreeMap<String, String>>,
}

impl SourceParts {
    fn source(self, options: SourceOptions) -> Result<Source, ArgumentError> {
        let options = SourceOptions {
            username: self.username.or(options.username),
            password: self.password.or(options.password),
            token: self.token.or(options.token),
            headers: self.headers.or(options.headers),
        };
        match (self.url, self.json) {
            (Some(url), None) if self.name.is_none() => located(&url, options),
            (None, Some(Document(json))) => {
                local(&options)?;
                let json = match json {
                    Json::String(text) => text.into(),
                    document => match value::not_json(&document) {
                        Some(problem) => return Err(refused(problem).about("json")),
                        None => document.to_text(),
                    },
                };
                Ok(Source::Text { json, name: self.name })
            }
            (Some(_), Some(_)) => Err(refused(told![
                option("url"),
                " or ",
                option("json"),
                ": give one of them"
            ])),
            (Some(_), None) => Err(refused(told![option("name"), " is about ", option("json")]).about("name")),
            (None, None) => Err(refused(told![
                "an object as source has ",
                option("url"),
                " or ",
                option("json")
            ])),
        }
    }
}

/// What opens URLs means nothing for what is on this machine.
fn local(options: &SourceOptions) -> Result<(), ArgumentError> {
    let given = [
        ("username", options.username.is_some()),
        ("password", options.password.is_some()),
        ("token", options.token.is_some()),
        ("headers", options.headers.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = told![
                option(name),
                " is about http and https URLs; what is on this machine needs none"
            ];
            Err(refused(message).about(name))
        }
    }
}

fn located(text: &str, options: SourceOptions) -> Result<Source, ArgumentError> {
    let begins = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if begins("http://") || begins("https://") {
        return Ok(Source::Url(RemoteSource {
            url: text.to_owned(),
            username: options.username,
            password: options.password,
            token: options.token,
            headers: options.headers.unwrap_or_default(),
        }));
    }
    if text.trim().is_empty() {
        return Err(refused("the path is empty").about("source"));
    }
    local(&options)?;
    let path = if begins("file:") {
        file_path(text).ok_or_else(|| refused(format!("{text:?} is no file: URL of this machine")).about("source"))?
    } else if let Some((scheme, _)) = text.split_once("://") {
        return Err(refused(format!("{scheme}: sources are paths and file, http and https URLs")).about("source"));
    } else {
        text.into()
    };
    Ok(Source::Path { path })
}

/// A path, or what a `file:` URL names.
pub(crate) fn path_of(text: &str) -> Option<PathBuf> {
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:")) {
        return file_path(text);
    }
    Some(text.into())
}

/// The path in a `file:` URL, percent-decoded.
fn file_path(url: &str) -> Option<PathBuf> {
    let rest = &url["file:".len()..];
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => match rest.strip_prefix("localhost").unwrap_or(rest) {
            path if path.starts_with('/') => path,
            _ => return None,
        },
    };
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = path.get(at + 1..at + 3)?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    let decoded = String::from_utf8(decoded).ok()?;
    // Before a drive's letter the slash is none of the path.
    let has_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    Some(decoded[usize::from(has_drive)..].into())
}

fn filter(Filter { filter }: Filter) -> Result<FilterOptions, ArgumentError> {
    let Document(given) = filter;
    let is_pattern =
        matches!(given, Json::String(_)) || matches!(value::foreign(&given), Some(value::Foreign::Pattern { .. }));
    if is_pattern {
        let description: FilterPattern =
            read::value(given).map_err(|refused| refused.into_error(OPTIONS).about("description"))?;
        return Ok(FilterOptions {
            description: Some(description),
            ..FilterOptions::default()
        });
    }
    if value::shown(&given).is_some() || !matches!(given, Json::Object(_)) {
        return Err(refused(format!(
            "a filter is a pattern for the description or an object, got {}",
            read::shown(&given)
        ))
        .about("filter"));
    }
    read::options(OPTIONS, given)
}

fn headers(Document(given): Document) -> Result<Vec<Header>, ArgumentError> {
    let header = |name: String, value: Json| {
        let value =
            read::value(value).map_err(|problem| refused(format!("the value of {name} {problem}")).about("headers"))?;
        Ok(Header { name, value })
    };
    match given {
        Json::Object(members) if value::shown(&members.clone().into()).is_none() => members
            .into_iter()
            .map(|(name, value)| header(name.into(), value))
            .collect(),
        Json::Array(pairs) => pairs
            .into_iter()
            .map(|pair| match pair {
                Json::Array(pair) => match <[Json; 2]>::try_from(pair) {
                    Ok([Json::String(name), value]) => header(name.into(), value),
                    _ => Err(refused("a pair is a name and a value").about("headers")),
                },
                _ => Err(refused("a pair is a name and a value").about("headers")),
            })
            .collect(),
        other => Err(refused(format!(
            "headers are an object or pairs of name and value, got {}",
            read::shown(&other)
        ))
        .about("headers")),
    }
}

/// Names of options elsewhere, and what says the same here.
const ELSEWHERE: [(&str, Elsewhere); 21] = [
    (
        "provider",
        Elsewhere::Words("the provider's name is the first argument"),
    ),
    ("provider_base_url", Elsewhere::Option("transports")),
    ("pact_urls", Elsewhere::Option("sources")),
    ("contract_urls", Elsewhere::Option("sources")),
    ("state_handlers", Elsewhere::Option("state_handler")),
    ("message_providers", Elsewhere::Option("message_handler")),
    ("provider_states_setup_url", Elsewhere::Option("state_handler")),
    ("custom_provider_headers", Elsewhere::Option("custom_headers")),
    ("consumer_filters", Elsewhere::Option("filter_consumers")),
    ("timeout", Elsewhere::Option("request_timeout")),
    ("fail_if_no_pacts_found", Elsewhere::Option("error_on_empty_contract")),
    ("tls_client_options", Elsewhere::Option("tls")),
    ("validate_ssl", Elsewhere::Option("disable_ssl_verification")),
    (
        "change_origin",
        Elsewhere::Words("requests go to the provider directly; leave it out"),
    ),
    (
        "proxy_host",
        Elsewhere::Words("requests go to the provider directly; leave it out"),
    ),
    ("log_level", Elsewhere::Log),
    ("log_file", Elsewhere::Log),
    ("log_dir", Elsewhere::Log),
    (
        "format",
        Elsewhere::Words("the report is data, which verify gives; leave it out"),
    ),
    (
        "out",
        Elsewhere::Words("the report is data, which verify gives; leave it out"),
    ),
    ("verbose", Elsewhere::Log),
];

enum Elsewhere {
    Option(&'static str),
    Words(&'static str),
    Log,
}

/// What a verifier is told at once, by the names of its operations.
pub const VERIFIER_OPTIONS: [&str; 23] = [
    "sources",
    "transports",
    "state_handler",
    "state_handler_options",
    "message_handler",
    "filter",
    "filter_consumers",
    "custom_headers",
    "request_filter",
    "before_each",
    "after_each",
    "request_timeout",
    "callback_timeout",
    "body_limit",
    "generated_size",
    "source_limit",
    "tls",
    "disable_ssl_verification",
    "http_version",
    "follow_redirects",
    "error_on_empty_contract",
    "coloured_output",
    "message_handler_options",
];

/// Refuses options for a new verifier with other names than [`VERIFIER_OPTIONS`], and options of a handler that is not there.
/// What they hold is for the operations of their names.
pub(super) fn check_verifier_options(options: &Json) -> Result<(), ArgumentError> {
    let refused = |message: Message| Err(refused(message).of("Verifier"));
    let members = match options {
        Json::Null => return Ok(()),
        other if value::is_undefined(other) => return Ok(()),
        Json::Object(members) if value::shown(options).is_none() => members,
        other => return refused(format!("options must be an object, got {}", read::shown(other)).into()),
    };
    let is_given = |wanted: &str| {
        let given =
            |(name, value): &&(contract_model::Text, Json)| read::snake(name) == wanted && !value::is_undefined(value);
        members.iter().find(given).is_some()
    };
    for name in members.keys() {
        let known = read::snake(name);
        if VERIFIER_OPTIONS.contains(&known.as_str()) {
            continue;
        }
        let mut message = told![format!("there is no option {name:?}; ")];
        match ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == known) {
            Some((_, Elsewhere::Option(here))) => message.push(told!["use ", option(*here)]),
            Some((_, Elsewhere::Words(words))) => message.push(*words),
            Some((_, Elsewhere::Log)) => message.push(told!["use ", operation("contract_ffi.log_to_stderr")]),
            None => match read::near(&known, &VERIFIER_OPTIONS) {
                Some(near) => message.push(told!["did you mean ", option(near), "?"]),
                None => message.push(told![
                    "options are ",
                    crate::message::listed(&VERIFIER_OPTIONS, ", ", " and ")
                ]),
            },
        }
        return refused(message);
    }
    for (name, value) in members {
        let known = read::snake(name);
        let is_list = matches!(known.as_str(), "sources" | "transports");
        if is_list && !value::is_undefined(value) && !matches!(value, Json::Array(_)) {
            return refused(told![
                option(known),
                format!(" must be a list, got {}", read::shown(value))
            ]);
        }
    }
    for handler in ["state_handler", "message_handler"] {
        let options = format!("{handler}_options");
        if is_given(&options) && !is_given(handler) {
            return refused(told![
                option(options),
                " are about a ",
                option(handler),
                ", and there is none"
            ]);
        }
    }
    Ok(())
}
