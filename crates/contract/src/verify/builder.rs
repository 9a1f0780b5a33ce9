//! Applies the operations that configure a verifier. An operation that fails changes nothing.

use contract_model::Json;
use contract_verifier::{CustomHeader, Filter, Options};

use super::filter_pattern::FilterPattern;
use super::invalid::{invalid, setup};
use super::source::parsed;
use crate::verify::broker_place::BrokerPlace;
use crate::verify::operation::{FilterOptions, Kept, MessageHandler, VerifierOperation};
use crate::verify::options::{Header, VerifyOptions};
use crate::verify::publish_options::{PublishOptions, refuse_filter};
use contract_call::error::{ArgumentError, NAME, OPTIONS};
use contract_call::message::{message, operation};
use contract_call::read::{self, Argument, Document, TextOrFunction};
use contract_call::value;

/// Maximum number of custom headers. Limited because every request contains all of them.
const MAX_HEADERS: usize = 1_000;

impl VerifyOptions {
    /// Creates the options for verifying a provider. Fails if its name is empty.
    pub fn new(provider: &str) -> Result<Self, ArgumentError> {
        if provider.trim().is_empty() {
            return Err(ArgumentError::new(NAME, "the provider name is empty").for_argument("provider"));
        }
        Ok(Self {
            settings: Options::new(provider),
            ..Self::default()
        })
    }

    /// Applies an operation. On error, the options remain unchanged. Returns what the binding must keep.
    pub fn apply(&mut self, call: VerifierOperation) -> Result<Kept, ArgumentError> {
        let name = call.name();
        self.apply_unnamed(call).map_err(|error| error.in_operation(name))
    }

    fn apply_unnamed(&mut self, call: VerifierOperation) -> Result<Kept, ArgumentError> {
        match call {
            VerifierOperation::AddSource { source, options } => self.sources.push(parsed(source, options)?),
            VerifierOperation::BrokerSource { options } => {
                self.broker = Some(BrokerPlace::new(options, self.broker.as_ref())?);
            }
            VerifierOperation::Select { source, call } => match &mut self.broker {
                Some(broker) => broker.select(source, call)?,
                None => {
                    return Err(invalid(message![
                        "a selector requires a call to ",
                        operation("broker_source")
                    ]));
                }
            },
            VerifierOperation::SetPublishOptions { options, branch } => {
                let options = PublishOptions::read(options, branch)?;
                if leaves_out(&self.settings.filter) {
                    return Err(refuse_filter());
                }
                self.publish = Some(options);
            }
            VerifierOperation::AddTransport { transport } => return self.transport(transport),
            VerifierOperation::MessageHandler(arguments) => self.message_handler(arguments)?,
            VerifierOperation::StateHandler { handler, options } => self.states.add(handler, options)?,
            VerifierOperation::Filter { filter: json } => {
                let mut filter = filter(json)?.filter().map_err(setup)?;
                if self.publish.is_some() && leaves_out(&filter) {
                    return Err(refuse_filter());
                }
                std::mem::swap(&mut filter.consumers, &mut self.settings.filter.consumers);
                self.settings.filter = filter;
            }
            VerifierOperation::FilterConsumers { names } => self.settings.filter.consumers = names,
            VerifierOperation::AddCustomHeader { name, value } => {
                let header = Header { name, value };
                header.check()?;
                self.set_header(header)?;
            }
            VerifierOperation::AddCustomHeaders { headers: json } => {
                let headers = headers(json)?;
                headers.iter().try_for_each(Header::check)?;
                for header in headers {
                    self.set_header(header)?;
                }
            }
            VerifierOperation::RequestFilter { filter } => self.request_filters.push(filter),
            VerifierOperation::BeforeEach(arguments) => self.before.push(arguments.hook),
            VerifierOperation::AfterEach(arguments) => self.after.push(arguments.hook),
            VerifierOperation::SetRequestTimeout(arguments) => self.settings.request_timeout = arguments.milliseconds.0,
            VerifierOperation::SetCallbackTimeout(arguments) => {
                self.settings.callback_timeout = arguments.milliseconds.0;
            }
            VerifierOperation::SetBodyLimit(arguments) => self.client.body_limit = arguments.bytes.size(),
            VerifierOperation::SetGeneratedSize(arguments) => self.settings.generated_size = arguments.bytes.size(),
            VerifierOperation::SetPatternSize(arguments) => self.settings.pattern_size = arguments.bytes.size(),
            VerifierOperation::SetSourceLimit(arguments) => self.source_limit = Some(arguments.bytes.0),
            VerifierOperation::SetTotalSourceLimit(arguments) => self.total_source_limit = Some(arguments.bytes.0),
            VerifierOperation::SetDirectoryLimit { count } => self.directory_limit = Some(count.size()),
            VerifierOperation::Tls(arguments) => self.tls(arguments)?,
            VerifierOperation::DisableSslVerification { disabled } => self.client.tls.insecure = disabled,
            VerifierOperation::SetHttpVersion { version } => self.http_version(&version.0)?,
            VerifierOperation::SetErrorOnEmptyContract(arguments) => self.settings.allow_empty = !arguments.enabled,
            VerifierOperation::FollowRedirects { follow, options } => {
                self.settings.redirects = if follow { Options::default().redirects } else { 0 };
                self.settings.redirect_credentials = options.credentials;
            }
            VerifierOperation::SetColouredOutput(arguments) => self.color = Some(arguments.enabled),
            VerifierOperation::SetQuiet(arguments) => self.is_quiet = arguments.enabled,
            VerifierOperation::SetPlugins(mut arguments) => {
                arguments.resolve_directories()?;
                self.plugins = arguments;
            }
        }
        Ok(Kept::Nothing)
    }

    /// Adds a header, or replaces the one with the same name. Names are case-sensitive, because they are sent
    /// unchanged.
    fn set_header(&mut self, header: Header) -> Result<(), ArgumentError> {
        if let Some(known) = self.headers.iter_mut().find(|known| known.name == header.name) {
            *known = header;
        } else if self.headers.len() < MAX_HEADERS {
            self.headers.push(header);
        } else {
            return Err(invalid(format!("at most {MAX_HEADERS} custom headers can be set")));
        }
        Ok(())
    }

    pub(super) fn message_handler(&mut self, arguments: MessageHandler) -> Result<(), ArgumentError> {
        let transports = self.settings.transports.iter().map(|transport| &transport.name);
        let mut names = transports.chain(self.apps.iter().map(|app| &app.name));
        if let Some(name) = names.find(|name| is_message_transport(name)) {
            return Err(conflicting_message_sources(name));
        }
        self.messages.add(arguments)
    }

    fn http_version(&mut self, json: &Json) -> Result<(), ArgumentError> {
        let text = json.text_form().into_owned();
        self.client.http = match text.as_str() {
            "1.1" => contract_wire::HttpVersion::Http1,
            "2" => contract_wire::HttpVersion::Http2,
            _ => {
                return Err(invalid(format!(
                    "HTTP version {} is not supported; use 1.1 or 2",
                    read::describe(json)
                ))
                .for_argument("version"));
            }
        };
        Ok(())
    }
}

impl Header {
    fn check(&self) -> Result<(), ArgumentError> {
        let value = match &self.value {
            TextOrFunction::Text(value) => value.as_str(),
            TextOrFunction::Function(_) => "",
        };
        let checked = CustomHeader::fixed(self.name.as_str(), value).check();
        checked.map_err(|error| setup(error).for_argument("name"))
    }
}

/// Returns true if this name stands for a message endpoint.
pub(super) fn is_message_transport(transport: &str) -> bool {
    matches!(transport, "message" | "async-message" | "sync-message")
}

pub(super) fn conflicting_message_sources(name: &str) -> ArgumentError {
    invalid(format!(
        "messages can come from message handlers or from the transport {name:?}, not from both"
    ))
}

/// Returns true if the filter can exclude interactions of a contract. A filter for consumers excludes only whole
/// contracts.
fn leaves_out(filter: &Filter) -> bool {
    let has_pattern = filter.description.is_some() || filter.state.is_some();
    has_pattern || filter.no_state || filter.id.is_some() || filter.kind.is_some()
}

fn filter(filter: Argument<FilterOptions>) -> Result<FilterOptions, ArgumentError> {
    let json = match filter {
        Argument::Value(options) => return Ok(options),
        Argument::Json(json) => json,
    };
    let is_pattern =
        matches!(json, Json::String(_)) || matches!(value::foreign(&json), Some(value::Foreign::Pattern { .. }));
    if is_pattern {
        let description: FilterPattern =
            read::value(json).map_err(|error| error.into_error(OPTIONS).for_argument("description"))?;
        return Ok(FilterOptions {
            description: Some(description),
            ..FilterOptions::default()
        });
    }
    if value::describe(&json).is_some() || !matches!(json, Json::Object(_)) {
        return Err(invalid(format!(
            "the filter must be an object, or a regular expression for the description; received {}",
            read::describe(&json)
        ))
        .for_argument("filter"));
    }
    read::options(OPTIONS, json)
}

fn headers(Document(json): Document) -> Result<Vec<Header>, ArgumentError> {
    let header = |name: String, value: Json| {
        let value = read::value(value)
            .map_err(|problem| invalid(format!("the value of header {name:?} {problem}")).for_argument("headers"))?;
        Ok(Header { name, value })
    };
    match json {
        Json::Object(members) if value::is_plain(&members) => members
            .into_iter()
            .map(|(name, value)| header(name.into(), value))
            .collect(),
        Json::Array(pairs) => pairs
            .into_iter()
            .map(|pair| match pair {
                Json::Array(pair) => match <[Json; 2]>::try_from(pair) {
                    Ok([Json::String(name), value]) => header(name.into(), value),
                    _ => Err(invalid("each header must be an array [name, value]").for_argument("headers")),
                },
                _ => Err(invalid("each header must be an array [name, value]").for_argument("headers")),
            })
            .collect(),
        other => Err(invalid(format!(
            "headers must be an object or an array of [name, value] pairs, received {}",
            read::describe(&other)
        ))
        .for_argument("headers")),
    }
}
