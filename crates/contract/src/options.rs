//! Options of mock servers and message tests, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use contract_mock_server::{Limits, Order, ServerCertificate, ServerOptions, Transport};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::file::Writer;
use contract_call::error::{ArgumentError, KIND, OPTIONS};
use contract_call::message::{Message, message, option, setting};
use contract_call::read::{Document, Milliseconds, Seed, Size};
use contract_call::value::not_json;
use contract_definition::{
    ContractBuilder, ContractOptions, InteractionBuilder, Kind, UnexpectedFields, WriteMode, read_operation,
};

/// Facts about the location of a call in the user's tests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallSite {
    /// Default directory for contract files, from the environment.
    pub directory: Option<PathBuf>,
    /// The value of `CONTRACT_OVERWRITE`: `true` overwrites contract files unless the contract has a write mode.
    pub overwrite: Option<String>,
    /// The timeout of the test runner in milliseconds; zero means no timeout, absent means unknown.
    pub runner_timeout: Option<Milliseconds<0>>,
    /// The code location: `orders.test.ts:12:5`.
    pub origin: Option<String>,
    /// Identifies the process or thread that reports servers that were never stopped. Absent if the binding always
    /// stops them.
    pub owner: Option<u64>,
    /// Provenance of contract files: the JSON text of a [`Writer`](crate::Writer).
    pub writer: Option<String>,
}

/// Default if the test runner's timeout is unknown: less than the usual timeout of test runners.
const TIMEOUT: Duration = Duration::from_secs(4);
/// Default if the test runner has no timeout.
const LONG_TIMEOUT: Duration = Duration::from_secs(60);

impl CallSite {
    /// Reads the JSON text from a binding.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read(text)
    }

    pub(crate) fn write_mode(&self) -> Result<WriteMode, ArgumentError> {
        match self.overwrite.as_deref() {
            None | Some("" | "0" | "false") => Ok(WriteMode::Merge),
            Some("1" | "true") => Ok(WriteMode::Overwrite),
            Some(other) => {
                let message = format!("CONTRACT_OVERWRITE must be true or false, got {other:?}");
                Err(ArgumentError::new(OPTIONS, message))
            }
        }
    }

    pub(crate) fn writer(&self) -> Result<Writer, ArgumentError> {
        self.writer
            .as_deref()
            .map_or_else(|| Ok(Writer::default()), Writer::from_text)
    }

    /// Returns a timeout shorter than that of the test runner, so that the error can name what was missing.
    pub(crate) fn timeout(&self) -> Duration {
        match self.runner_timeout.map(|limit| limit.0) {
            None => TIMEOUT,
            Some(Duration::ZERO) => LONG_TIMEOUT,
            Some(limit) => limit * 9 / 10,
        }
    }
}

/// Options for writing a contract file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WriteOptions {
    /// The directory. Default: that of the contract.
    pub directory: Option<PathBuf>,
    /// Whether the existing file is replaced rather than merged. Default: the option of the contract.
    pub overwrite: Option<bool>,
}

impl WriteOptions {
    /// Reads the options from the JSON text of an operation: `{"write_file": {"directory": …, "options": {"overwrite":
    /// …}}}`.
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

    /// Returns the directory, or an error if it is missing.
    pub fn needed_directory(&self) -> Result<PathBuf, ArgumentError> {
        self.directory.clone().ok_or_else(|| {
            let message = message![option("directory"), " is missing"];
            ArgumentError::new(OPTIONS, message)
                .for_argument("directory")
                .in_operation("write_file")
        })
    }

    /// Returns the write mode, if set.
    pub fn mode(&self) -> Option<WriteMode> {
        let mode = |anew| if anew { WriteMode::Overwrite } else { WriteMode::Merge };
        self.overwrite.map(mode)
    }
}

impl ServeOptions {
    /// Reads the options from JSON text. Sizes are in bytes, times in milliseconds.
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

/// Options of a mock server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeOptions {
    /// Address to listen on; `localhost` is 127.0.0.1 and `::1`. Default: 127.0.0.1.
    pub host: Option<String>,
    /// Alias of `host`, as in other languages.
    pub addr: Option<String>,
    /// Port. Default: a free port.
    pub port: Option<u16>,
    /// `http` and `https` support HTTP/1.1 and HTTP/2. Any other name is a protocol of a plugin of the contract, whose
    /// mock server is then used for HTTP interactions and synchronous messages. Default: `http`, or `https` with `tls`.
    pub transport: Option<TransportName>,
    /// Configuration passed to the mock server of a plugin, as documented by the plugin.
    pub transport_config: Option<Document>,
    /// Certificate for https. Default: a certificate created for this server; the running server provides its
    /// authority.
    pub tls: Option<Certificate>,
    /// Whether preflight requests of browsers are answered. Default: true.
    pub cors: Option<bool>,
    /// Whether a connection serves several requests; if not, responses contain `Connection: close`. Default: true.
    pub keep_alive: Option<bool>,
    /// Limits of size and time.
    pub limits: Option<LimitOptions>,
    /// Whether body fields that the contract does not mention fail the test. Default: the option of the contract.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Whether interactions that match the same request respond one after another, in the order of their definition:
    /// each once, or as often as its `times` allows, and the last one from then on. Otherwise the interaction that
    /// responded least often responds. Default: false.
    pub in_order: Option<bool>,
    /// Whether interactions of earlier calls are served again. Default: false.
    pub all: Option<bool>,
    /// Serves exactly these interactions, whether or not they were served before. Default: the interactions defined
    /// since the last call.
    #[serde(skip)]
    pub only: Option<Vec<InteractionBuilder>>,
    /// Whether mismatches are thrown at the end. Default: true; otherwise they are available on the server object.
    pub raises: Option<bool>,
    /// Whether mismatches are printed to standard error at the end, thrown or not. Default: false.
    pub verbose: Option<bool>,
    /// Timeout of the test in milliseconds; 0 disables it. Fake timers do not affect it. Default: the option of the
    /// contract.
    pub timeout: Option<Milliseconds<0>>,
    /// Seed for generated values. Default: the option of the contract.
    pub seed: Option<Seed>,
}

/// The transport of a mock server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum TransportName {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
    /// The transport of a plugin.
    Plugin(String),
}

impl TransportName {
    /// Returns the name as passed by the user.
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

/// A certificate chain and its key, as PEM.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Certificate {
    /// The certificate chain, starting with the server's own certificate.
    #[serde(deserialize_with = "contract_call::read::text_or_bytes")]
    pub cert: Option<String>,
    /// The private key.
    #[serde(deserialize_with = "contract_call::read::text_or_bytes")]
    pub key: Option<String>,
}

/// Limits of a mock server. A request that exceeds a size limit is rejected, and the test fails with an error that
/// names the limit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitOptions {
    /// Maximum size of a request body in bytes; larger ones are answered with 413. Default: 67108864 (64 MiB).
    pub body_size: Option<Size<0>>,
    /// Maximum size of a request head in bytes, at least 8192; larger ones are answered with 431. Default: 65536 (64
    /// KiB).
    pub header_size: Option<Size<8192>>,
    /// Maximum number of request headers; more are answered with 431. Default: 100.
    pub header_count: Option<Size<1>>,
    /// Maximum number of bytes generated for one response; beyond it, examples are sent and a warning is logged. Default:
    /// the option of the contract.
    pub generated_size: Option<Size<1>>,
    /// Maximum number of open connections; further ones are answered with 503. Default: 4096.
    pub connections: Option<Size<1>>,
    /// Timeout for the head of a request, from its first byte, in milliseconds. Default: 30000.
    pub header_timeout: Option<Milliseconds<1>>,
    /// Idle timeout of a connection in milliseconds. Default: 300000.
    pub idle_timeout: Option<Milliseconds<1>>,
    /// Timeout for sending the request body and receiving the response, in milliseconds. Default: 600000.
    pub request_timeout: Option<Milliseconds<1>>,
    /// Timeout of a TLS handshake in milliseconds. Default: 10000.
    pub handshake_timeout: Option<Milliseconds<1>>,
    /// Time for requests in flight when the server stops, in milliseconds. Default: 500.
    pub stop_timeout: Option<Milliseconds<1>>,
}

/// Options of `Contract.verify`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageOptions {
    /// `Async` or `Sync`.
    pub kind: Kind,
    /// Whether failures are thrown as one error. Default: true; otherwise they are returned.
    pub raises: Option<bool>,
    /// Whether a value that the handler of a synchronous message returns is compared with the response. Default: true.
    pub check_response: Option<bool>,
    /// Whether messages of earlier calls are passed again. Default: false.
    pub all: Option<bool>,
    /// Whether a message without contents is passed to the handler. Default: false; it fails.
    pub allow_empty: Option<bool>,
    /// Timeout of the handler for one message, in milliseconds. Default: the option of the contract, otherwise nine
    /// tenths of the limit of the test runner, otherwise 4000.
    pub timeout: Option<Milliseconds<1>>,
    /// Seed for generated values. Default: the option of the contract.
    pub seed: Option<Seed>,
    /// Maximum number of bytes generated for one message and its responses; beyond it, the message fails. Default: the
    /// option of the contract.
    pub generated_size: Option<Size<1>>,
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
                    format!(" must be an address or a host name such as 127.0.0.1 or localhost, got {host:?}")
                ];
                Err(ArgumentError::new(OPTIONS, message).for_argument(name))
            }
            host => Ok(host.as_ref()),
        }
    }

    /// Rejects `only` together with `all`.
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
            "less than any usual runner allows"
        );
        assert_eq!(timeout(r#"{"runner_timeout": 5000}"#), Duration::from_millis(4500));
        assert_eq!(
            timeout(r#"{"runner_timeout": 0}"#),
            Duration::from_secs(60),
            "node:test has no limit"
        );
    }
}
