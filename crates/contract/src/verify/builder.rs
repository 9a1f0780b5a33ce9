//! The calls that configure a verifier. A rejected call changes nothing.

use contract_model::Json;
use contract_verifier::{CustomHeader, Filter, Options};

use super::filter_pattern::FilterPattern;
use super::refused::{refused, setup};
use super::source::parsed;
use crate::verify::broker_place::BrokerPlace;
use crate::verify::operation::{FilterOptions, Kept, MessageHandler, VerifierOperation};
use crate::verify::options::{Header, VerifyOptions};
use crate::verify::publish_options::{PublishOptions, refuse_filter};
use contract_call::error::{ArgumentError, NAME, OPTIONS};
use contract_call::message::{message, operation};
use contract_call::read::{self, Document, TextOrFunction};
use contract_call::value;

/// All headers are set on every request.
const MAX_HEADERS: usize = 1_000;

impl VerifyOptions {
    /// Creates the options for a provider.
    pub fn new(provider: &str) -> Result<Self, ArgumentError> {
        if provider.trim().is_empty() {
            return Err(ArgumentError::new(NAME, "the provider name is empty").for_argument("provider"));
        }
        Ok(Self {
            said: Options::new(provider),
            ..Self::default()
        })
    }

    /// Applies one call. A rejected call changes nothing.
    pub fn say(&mut self, said: VerifierOperation) -> Result<Kept, ArgumentError> {
        let name = said.name();
        self.take(said).map_err(|error| error.in_operation(name))
    }

    fn take(&mut self, said: VerifierOperation) -> Result<Kept, ArgumentError> {
        match said {
            VerifierOperation::AddSource { source, options } => self.sources.push(parsed(source, options)?),
            VerifierOperation::BrokerSource { options } => {
                self.broker = Some(BrokerPlace::new(options, self.broker.as_ref())?);
            }
            VerifierOperation::Select { source, call } => match &mut self.broker {
                Some(broker) => broker.select(source, call)?,
                None => {
                    return Err(refused(message![
                        "a selector requires a call of ",
                        operation("broker_source")
                    ]));
                }
            },
            VerifierOperation::SetPublishOptions { options, branch } => {
                let options = PublishOptions::read(options, branch)?;
                if leaves_out(&self.said.filter) {
                    return Err(refuse_filter());
                }
                self.publish = Some(options);
            }
            VerifierOperation::AddTransport { transport } => return self.transport(transport),
            VerifierOperation::MessageHandler(said) => self.message_handler(said)?,
            VerifierOperation::StateHandler { handler, options } => self.states.add(handler, options)?,
            VerifierOperation::Filter { filter: given } => {
                let mut filter = filter(given)?.filter().map_err(setup)?;
                if self.publish.is_some() && leaves_out(&filter) {
                    return Err(refuse_filter());
                }
                std::mem::swap(&mut filter.consumers, &mut self.said.filter.consumers);
                self.said.filter = filter;
            }
            VerifierOperation::FilterConsumers { names } => self.said.filter.consumers = names,
            VerifierOperation::AddCustomHeader { name, value } => {
                let header = Header { name, value };
                header.check()?;
                self.set_header(header)?;
            }
            VerifierOperation::AddCustomHeaders { headers: given } => {
                let headers = headers(given)?;
                headers.iter().try_for_each(Header::check)?;
                for header in headers {
                    self.set_header(header)?;
                }
            }
            VerifierOperation::RequestFilter { filter } => self.request_filters.push(filter),
            VerifierOperation::BeforeEach(said) => self.before.push(said.hook),
            VerifierOperation::AfterEach(said) => self.after.push(said.hook),
            VerifierOperation::SetRequestTimeout(said) => self.said.request_timeout = said.milliseconds.0,
            VerifierOperation::SetCallbackTimeout(said) => self.said.callback_timeout = said.milliseconds.0,
            VerifierOperation::SetBodyLimit(said) => self.client.body_limit = said.bytes.size(),
            VerifierOperation::SetGeneratedSize(said) => self.said.generated_size = said.bytes.size(),
            VerifierOperation::SetPatternSize(said) => self.said.pattern_size = said.bytes.size(),
            VerifierOperation::SetSourceLimit(said) => self.source_limit = Some(said.bytes.0),
            VerifierOperation::SetTotalSourceLimit(said) => self.total_source_limit = Some(said.bytes.0),
            VerifierOperation::SetDirectoryLimit { count } => self.directory_limit = Some(count.size()),
            VerifierOperation::Tls(said) => self.tls(said)?,
            VerifierOperation::DisableSslVerification { disabled } => self.client.tls.insecure = disabled,
            VerifierOperation::SetHttpVersion { version } => self.http_version(&version.0)?,
            VerifierOperation::SetErrorOnEmptyContract(said) => self.said.allow_empty = !said.enabled,
            VerifierOperation::FollowRedirects { follow, options } => {
                self.said.redirects = if follow { Options::default().redirects } else { 0 };
                self.said.redirect_credentials = options.credentials;
            }
            VerifierOperation::SetColouredOutput(said) => self.colour = Some(said.enabled),
            VerifierOperation::SetQuiet(said) => self.is_quiet = said.enabled,
            VerifierOperation::SetPlugins(mut said) => {
                said.resolve_directories()?;
                self.plugins = said;
            }
        }
        Ok(Kept::Nothing)
    }

    /// Replaces the header of the same name. Names are compared case-sensitively, because they are sent unchanged.
    fn set_header(&mut self, header: Header) -> Result<(), ArgumentError> {
        if let Some(known) = self.headers.iter_mut().find(|known| known.name == header.name) {
            *known = header;
        } else if self.headers.len() < MAX_HEADERS {
            self.headers.push(header);
        } else {
            return Err(refused(format!("at most {MAX_HEADERS} custom headers can be set")));
        }
        Ok(())
    }

    pub(super) fn message_handler(&mut self, said: MessageHandler) -> Result<(), ArgumentError> {
        let transports = self.said.transports.iter().map(|transport| &transport.name);
        let mut names = transports.chain(self.apps.iter().map(|app| &app.name));
        if let Some(name) = names.find(|name| makes_messages(name)) {
            return Err(two_makers(name));
        }
        self.messages.add(said)
    }

    fn http_version(&mut self, given: &Json) -> Result<(), ArgumentError> {
        let text = given.text_form().into_owned();
        self.client.http = match text.as_str() {
            "1.1" => contract_wire::HttpVersion::Http1,
            "2" => contract_wire::HttpVersion::Http2,
            _ => {
                return Err(refused(format!(
                    "HTTP version {} is not supported; use 1.1 or 2",
                    read::describe(given)
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

/// Whether a transport with this name is a message endpoint.
pub(super) fn makes_messages(transport: &str) -> bool {
    matches!(transport, "message" | "async-message" | "sync-message")
}

pub(super) fn two_makers(name: &str) -> ArgumentError {
    refused(format!(
        "messages can come from message handlers or from the transport {name:?}, not from both"
    ))
}

/// Whether the filter excludes interactions of a contract.
fn leaves_out(filter: &Filter) -> bool {
    let has_pattern = filter.description.is_some() || filter.state.is_some();
    has_pattern || filter.no_state || filter.id.is_some() || filter.kind.is_some()
}

fn filter(Document(given): Document) -> Result<FilterOptions, ArgumentError> {
    let is_pattern =
        matches!(given, Json::String(_)) || matches!(value::foreign(&given), Some(value::Foreign::Pattern { .. }));
    if is_pattern {
        let description: FilterPattern =
            read::value(given).map_err(|refused| refused.into_error(OPTIONS).for_argument("description"))?;
        return Ok(FilterOptions {
            description: Some(description),
            ..FilterOptions::default()
        });
    }
    if value::describe(&given).is_some() || !matches!(given, Json::Object(_)) {
        return Err(refused(format!(
            "the filter must be a pattern for the description or an object, got {}",
            read::describe(&given)
        ))
        .for_argument("filter"));
    }
    read::options(OPTIONS, given)
}

fn headers(Document(given): Document) -> Result<Vec<Header>, ArgumentError> {
    let header = |name: String, value: Json| {
        let value = read::value(value)
            .map_err(|problem| refused(format!("the value of header {name} {problem}")).for_argument("headers"))?;
        Ok(Header { name, value })
    };
    match given {
        Json::Object(members) if value::is_plain(&members) => members
            .into_iter()
            .map(|(name, value)| header(name.into(), value))
            .collect(),
        Json::Array(pairs) => pairs
            .into_iter()
            .map(|pair| match pair {
                Json::Array(pair) => match <[Json; 2]>::try_from(pair) {
                    Ok([Json::String(name), value]) => header(name.into(), value),
                    _ => Err(refused("each header must be a pair of name and value").for_argument("headers")),
                },
                _ => Err(refused("each header must be a pair of name and value").for_argument("headers")),
            })
            .collect(),
        other => Err(refused(format!(
            "headers must be an object or an array of [name, value] pairs, got {}",
            read::describe(&other)
        ))
        .for_argument("headers")),
    }
}
