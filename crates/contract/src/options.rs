//! Options for mock servers, message tests, and contract files.

use std::path::PathBuf;
use std::time::Duration;

use contract_mock_server::{Limits, Order, ServerCertificate, ServerOptions, Transport};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use contract_call::error::{ArgumentError, KIND, OPTIONS};
use contract_call::message::{Message, message, option, setting};
use contract_call::read::{Document, Milliseconds, Seed, Size};
use contract_call::value::not_json;
use contract_definition::{
    ContractBuilder, ContractOptions, InteractionBuilder, Kind, UnexpectedFields, VariantChoice, WriteMode,
    read_operation,
};
use contract_file::Writer;

/// Where and how a test calls the library: code location, test runner, and environment variables.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallSite {
    /// Value of `CONTRACT_OUTPUT_DIR`: the directory for contract files if the contract sets none. `None` if the
    /// variable is not set.
    pub directory: Option<PathBuf>,
    /// Value of `CONTRACT_OVERWRITE`. If it is `true` or `1` and the contract sets no write mode, contract files are
    /// overwritten. If it is `None`, empty, `false`, or `0`, they are merged.
    pub overwrite: Option<String>,
    /// The test runner's timeout in milliseconds. 0 if it has no timeout, and `None` if its timeout is unknown.
    pub runner_timeout: Option<Milliseconds<0>>,
    /// Location of the call in the user's code, such as `orders.test.ts:12:5`. `None` if it is unknown.
    pub origin: Option<String>,
    /// ID of the process or thread at whose end servers that were never stopped are reported. `None` if the binding
    /// always stops its servers.
    pub owner: Option<u64>,
    /// Value of `CONTRACT_VARIANTS`: the default set of variants, or `off` to switch all variants off. `None` if it is
    /// not set.
    pub variants: Option<String>,
    /// Value of `CONTRACT_VARIANT`: the name of the only variant to serve. `None` if it is not set.
    pub variant: Option<String>,
    /// The test run and the test, as JSON text of a [`Writer`](crate::Writer). `None` if they are unknown.
    pub writer: Option<String>,
}

/// Default timeout of a test if the test runner's timeout is unknown. It is shorter than the usual timeout of test
/// runners.
const TIMEOUT: Duration = Duration::from_secs(4);
/// Default timeout of a test if the test runner has no timeout.
const LONG_TIMEOUT: Duration = Duration::from_secs(60);

impl CallSite {
    /// Reads the call site from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read(text)
    }

    pub(crate) fn write_mode(&self) -> Result<WriteMode, ArgumentError> {
        match self.overwrite.as_deref() {
            None | Some("" | "0" | "false") => Ok(WriteMode::Merge),
            Some("1" | "true") => Ok(WriteMode::Overwrite),
            Some(other) => {
                let message = format!("CONTRACT_OVERWRITE must be true or false, received {other:?}");
                Err(ArgumentError::new(OPTIONS, message))
            }
        }
    }

    pub(crate) fn writer(&self) -> Result<Writer, ArgumentError> {
        self.writer
            .as_deref()
            .map_or_else(|| Ok(Writer::default()), Writer::from_text)
    }

    /// Returns the default timeout of a test. It is shorter than the test runner's timeout, so that the error can list
    /// the missing requests.
    pub(crate) fn timeout(&self) -> Duration {
        match self.runner_timeout.map(|limit| limit.0) {
            None => TIMEOUT,
            Some(Duration::ZERO) => LONG_TIMEOUT,
            Some(limit) => limit * 9 / 10,
        }
    }
}

/// Options for `write_file`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WriteOptions {
    /// Directory for the contract file. Default: the contract's directory.
    pub directory: Option<PathBuf>,
    /// True to overwrite an existing file, false to merge the interactions into it. Default: the contract's write mode.
    pub overwrite: Option<bool>,
}

impl WriteOptions {
    /// Reads the options from the JSON text of an operation, such as `{"write_file": {"directory": "contracts",
    /// "options": {"overwrite": true}}}`.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Call {
            WriteFile(WriteOptions),
        }
        let Call::WriteFile(mut options) = read_operation(text)?;
        let located = options
            .directory
            .as_mut()
            .map_or(Ok(()), contract_call::paths::resolve_in_place);
        located.map_err(|error| error.for_argument("directory").in_operation("write_file"))?;
        Ok(options)
    }

    /// Returns the directory. Fails if it is not set.
    pub fn needed_directory(&self) -> Result<PathBuf, ArgumentError> {
        self.directory.clone().ok_or_else(|| {
            let message = message![option("directory"), " is missing"];
            ArgumentError::new(OPTIONS, message)
                .for_argument("directory")
                .in_operation("write_file")
        })
    }

    /// Returns the write mode, or `None` if `overwrite` is not set.
    pub fn mode(&self) -> Option<WriteMode> {
        let mode = |overwrite| {
            if overwrite {
                WriteMode::Overwrite
            } else {
                WriteMode::Merge
            }
        };
        self.overwrite.map(mode)
    }
}

impl ServeOptions {
    /// Reads the options from JSON text, and checks those that depend on each other.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let options: Result<Self, _> = read(text);
        let checked = options.and_then(|options| {
            options.transport()?;
            match options
                .transport_config
                .as_ref()
                .and_then(|Document(config)| not_json(config))
            {
                Some(problem) => Err(ArgumentError::new(OPTIONS, problem).for_argument("transport_config")),
                None => Ok(options),
            }
        });
        checked.map_err(|error| error.in_operation("serve"))
    }
}

impl MessageOptions {
    /// Reads the options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = contract_call::json::parse_json(text);
        let read =
            json.and_then(|json| contract_call::read::options_with_positional(OPTIONS, json, &["kind".to_owned()]));
        read.map_err(|error: ArgumentError| {
            let is_kind = error.argument.as_deref() == Some("kind");
            error
                .with_code(if is_kind { KIND } else { OPTIONS })
                .in_operation("verify")
        })
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, ArgumentError> {
    contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
}

/// Options for a mock server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeOptions {
    /// IP address or host name to listen on. `localhost` means both 127.0.0.1 and `::1`. Default: 127.0.0.1.
    pub host: Option<String>,
    /// Other name of `host`, which other Pact libraries use. Ignored if `host` is set.
    pub addr: Option<String>,
    /// Port to listen on; 0 selects a free port. Default: 0.
    pub port: Option<u16>,
    /// Transport of the server. `http` and `https` support HTTP/1.1 and HTTP/2. Any other name selects the transport of
    /// one of the contract's plugins, whose mock server then serves HTTP interactions and synchronous messages.
    /// Default: `http`, or `https` if `tls` is set.
    pub transport: Option<TransportName>,
    /// Configuration for a plugin's mock server, in the format that the plugin defines.
    pub transport_config: Option<Document>,
    /// Certificate for HTTPS. Default: with the transport `https`, a certificate that is created for this server, whose
    /// CA certificate is available from the server object.
    pub tls: Option<Certificate>,
    /// Whether the server responds to CORS preflight requests and adds CORS headers to its responses. Default: true.
    pub cors: Option<bool>,
    /// Whether a connection can be used for several requests. If false, responses contain `Connection: close`. Default:
    /// true.
    pub keep_alive: Option<bool>,
    /// Size and time limits of the server.
    pub limits: Option<LimitOptions>,
    /// Whether a request body with fields that the contract does not define fails the test: `ignore` or `error`.
    /// Default: the contract's option.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Whether interactions that match the same request respond one after another, in the order of their definition.
    /// Each interaction responds once, or as often as its `times` allows, and the last one responds to all further
    /// requests. If false, the interaction that has responded least often responds. Default: false.
    pub in_order: Option<bool>,
    /// Whether interactions that earlier calls served are served again. Cannot be combined with `only`. Default: false.
    pub all: Option<bool>,
    /// Serves only these interactions, even if earlier calls served them. Default: the interactions defined since the
    /// last call.
    #[serde(skip)]
    pub only: Option<Vec<InteractionBuilder>>,
    /// Whether mismatches are thrown when the server stops. If false, they are only available from the server object.
    /// Default: true.
    pub raises: Option<bool>,
    /// Whether mismatches are also printed to standard error when the server stops. Default: false.
    pub verbose: Option<bool>,
    /// Timeout for the test in milliseconds; 0 disables it. Fake timers do not affect it. Default: the contract's
    /// option.
    pub timeout: Option<Milliseconds<0>>,
    /// Seed for generated values. Default: the contract's option, otherwise a random seed.
    pub seed: Option<Seed>,
    /// Whether the callback also runs with other responses that the contract allows: `off`, `default`, `values`, `all`,
    /// or options. Requires a callback. Default: the contract's option.
    pub variants: Option<VariantChoice>,
}

/// The transport of a mock server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum TransportName {
    /// HTTP without TLS.
    Http,
    /// HTTP with TLS.
    Https,
    /// The transport with this name, which a plugin provides.
    Plugin(String),
}

impl TransportName {
    /// Returns the transport's name as the user passed it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Plugin(name) => name,
        }
    }
}

impl From<String> for TransportName {
    fn from(name: String) -> Self {
        match name.as_str() {
            "http" => Self::Http,
            "https" => Self::Https,
            _ => Self::Plugin(name),
        }
    }
}

/// A certificate chain and its private key, both in PEM format.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Certificate {
    /// Certificate chain in PEM format. The server's certificate must be the first one. Required.
    #[serde(deserialize_with = "contract_call::read::text_or_bytes")]
    pub cert: Option<String>,
    /// Private key of the server's certificate in PEM format. Required.
    #[serde(deserialize_with = "contract_call::read::text_or_bytes")]
    pub key: Option<String>,
}

/// Limits for a mock server. The server rejects a request that exceeds a size limit, and the test fails with an error
/// that names the limit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitOptions {
    /// Maximum size of a request body in bytes. The server responds to larger bodies with status 413. Default: 67108864
    /// (64 MiB).
    pub body_size: Option<Size<0>>,
    /// Maximum size of a request head in bytes. The server responds to larger heads with status 431. Minimum: 8192.
    /// Default: 65536 (64 KiB).
    pub header_size: Option<Size<8192>>,
    /// Maximum number of request headers. If there are more, the server responds with status 431. Default: 100.
    pub header_count: Option<Size<1>>,
    /// Maximum number of bytes that generators produce for one response. If a response needs more, the server sends the
    /// examples instead and logs a warning. Default: the contract's option, otherwise 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Maximum number of open connections. The server responds to further connections with status 503. Default: 4096.
    pub connections: Option<Size<1>>,
    /// Maximum time from the first to the last byte of a request head, in milliseconds. Default: 30000.
    pub header_timeout: Option<Milliseconds<1>>,
    /// Time after which an idle connection is closed, in milliseconds. Default: 300000.
    pub idle_timeout: Option<Milliseconds<1>>,
    /// Maximum time to receive the request body and to send the response, in milliseconds. Default: 600000.
    pub request_timeout: Option<Milliseconds<1>>,
    /// Maximum duration of a TLS handshake in milliseconds. Default: 10000.
    pub handshake_timeout: Option<Milliseconds<1>>,
    /// Maximum time to wait for requests in progress when the server stops, in milliseconds. Default: 500.
    pub stop_timeout: Option<Milliseconds<1>>,
}

/// Options for `Contract.verify`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageOptions {
    /// Kind of the messages to test: `Async` or `Sync`.
    pub kind: Kind,
    /// Whether failures are thrown as one error. If false, they are returned. Default: true.
    pub raises: Option<bool>,
    /// Whether the handler's result for a synchronous message is compared with the response in the contract. Default:
    /// true.
    pub check_response: Option<bool>,
    /// Whether messages that earlier calls tested are passed to the handler again. Default: false.
    pub all: Option<bool>,
    /// Whether a message without contents is passed to the handler. If false, the message fails. Default: false.
    pub allow_empty: Option<bool>,
    /// Timeout for one handler call, in milliseconds. Default: the contract's option, otherwise nine tenths of the test
    /// runner's timeout, 60000 if the test runner has no timeout, and 4000 if its timeout is unknown.
    pub timeout: Option<Milliseconds<1>>,
    /// Seed for generated values. Default: the contract's option, otherwise a random seed.
    pub seed: Option<Seed>,
    /// Maximum number of bytes that generators produce for one message and its responses. If a message needs more, it
    /// fails. Default: the contract's option, otherwise 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Whether the handler is also called with other contents that the contract allows: `off`, `default`, `values`,
    /// `all`, or options. Only supported for asynchronous messages. Default: the contract's option.
    pub variants: Option<VariantChoice>,
}

impl ServeOptions {
    fn transport(&self) -> Result<Transport, ArgumentError> {
        let invalid = |message: Message| Err(ArgumentError::new(OPTIONS, message).for_argument("tls"));
        match (&self.tls, &self.transport) {
            (None, Some(TransportName::Https)) => Ok(Transport::Https(ServerCertificate::self_signed())),
            (None, _) => Ok(Transport::Http),
            (Some(_), Some(TransportName::Http)) => invalid(message![option("tls"), " requires the transport https"]),
            (
                Some(Certificate {
                    cert: Some(cert),
                    key: Some(key),
                }),
                _,
            ) => Ok(Transport::Https(ServerCertificate::from_pem(cert, key))),
            (Some(_), _) => invalid(message![
                option("tls"),
                " requires both cert and key in PEM format; omit it to use a self-signed certificate"
            ]),
        }
    }
}

impl LimitOptions {
    fn limits(self, general: &ContractOptions) -> Limits {
        let defaults = Limits::default();
        let time = |chosen: Option<Milliseconds<1>>, default| chosen.map_or(default, |time| time.0);
        Limits {
            body: self.body_size.map_or(defaults.body, Size::size),
            head: self.header_size.map_or(defaults.head, Size::size),
            generated: self
                .generated_size
                .or(general.generated_size)
                .map_or(defaults.generated, Size::size),
            headers: self.header_count.map_or(defaults.headers, Size::size),
            connections: self.connections.map_or(defaults.connections, Size::size),
            head_time: time(self.header_timeout, defaults.head_time),
            idle_time: time(self.idle_timeout, defaults.idle_time),
            request_time: time(self.request_timeout, defaults.request_time),
            handshake_time: time(self.handshake_timeout, defaults.handshake_time),
            stop_time: time(self.stop_timeout, defaults.stop_time),
            ..defaults
        }
    }
}

impl ServeOptions {
    fn host(&self) -> Result<Option<&String>, ArgumentError> {
        let (name, host) = match &self.host {
            Some(_) => ("host", &self.host),
            None => ("addr", &self.addr),
        };
        match host {
            Some(host) if !contract_mock_server::is_host(host) => {
                let message = message![
                    option(name),
                    format!(" must be an address or a host name, such as 127.0.0.1 or localhost; received {host:?}")
                ];
                Err(ArgumentError::new(OPTIONS, message).for_argument(name))
            }
            host => Ok(host.as_ref()),
        }
    }

    /// Fails if both `only` and `all` are set.
    pub(crate) fn check_choice(&self) -> Result<(), ArgumentError> {
        if self.only.is_some() && self.all == Some(true) {
            let message = message![
                "pass either the list of interactions or ",
                setting("all", "true"),
                ", not both"
            ];
            return Err(ArgumentError::new(OPTIONS, message).for_argument("only"));
        }
        Ok(())
    }

    pub(crate) fn server(&self, contract: &ContractBuilder) -> Result<ServerOptions, ArgumentError> {
        let defaults = ServerOptions::default();
        let general = contract.options();
        let host = self.host()?;
        Ok(ServerOptions {
            host: host.cloned().unwrap_or(defaults.host),
            port: self.port.unwrap_or(defaults.port),
            transport: self.transport()?,
            keep_alive: self.keep_alive.unwrap_or(defaults.keep_alive),
            limits: self.limits.unwrap_or_default().limits(&general),
            order: if self.in_order.unwrap_or(false) {
                Order::Listed
            } else {
                Order::Balanced
            },
            cors: self.cors.unwrap_or(defaults.cors),
            strict: self.unexpected_fields.or(general.unexpected_fields) == Some(UnexpectedFields::Error),
            specification: contract.specification(),
            seed: self.seed.or(general.seed).map(|seed| seed.0),
            clock: contract_mock_server::Clock::new(contract_definition::clock::now),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::CallSite;

    #[test]
    fn timeouts_are_shorter_than_those_of_test_runners() {
        let timeout = |place: &str| CallSite::from_text(place).unwrap().timeout();
        assert_eq!(
            timeout("{}"),
            Duration::from_secs(4),
            "less than the default timeout of any test runner"
        );
        assert_eq!(timeout(r#"{"runner_timeout": 5000}"#), Duration::from_millis(4500));
        assert_eq!(
            timeout(r#"{"runner_timeout": 0}"#),
            Duration::from_secs(60),
            "node:test has no timeout"
        );
    }
}
