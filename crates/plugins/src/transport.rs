//! Calls to plugins that provide a transport: they run mock servers for consumer tests, and send requests for
//! verifications.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Body, Json, Object};

use crate::contents::{Difference, read_body, write_body};
use crate::error::{MessageError, PluginError};
use crate::plugin::{Configuration, Plugin};
use crate::values::{as_struct, from_value, to_value};
use crate::wire::{v1, v2};

#[derive(Clone, Debug)]
pub struct MockServerRequest<'a> {
    /// Host for the mock server to listen on. If empty, the plugin selects a host.
    pub host: &'a str,
    /// Port for the mock server to listen on. 0 selects a free port.
    pub port: u16,
    pub tls: bool,
    /// The contract as JSON. Sent only to plugins with interface version 1.
    pub contract: &'a str,
    /// The interactions to serve. Sent only to plugins with interface version 2.
    pub interactions: &'a [TransportInteraction],
    /// Data about the test for the plugin, such as `testRunId`.
    pub context: &'a Object,
}

/// An interaction in the format of interface version 2.
#[derive(Clone, Debug, Default)]
pub struct TransportInteraction {
    /// Interaction type as in contract files, such as `Synchronous/Messages`.
    pub kind: String,
    pub configuration: Configuration,
    pub consumer: String,
    pub provider: String,
}

/// A mock server that a plugin runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginMockServer {
    /// Key that identifies the mock server in later calls.
    pub key: String,
    pub port: u16,
    /// Host on which the mock server listens, without brackets around IPv6 addresses.
    pub host: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginResults {
    pub ok: bool,
    pub results: Vec<PluginResult>,
}

/// The result of a request to a plugin's mock server, or of a request that is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PluginResult {
    /// Name of the request. The transport determines its format.
    pub path: String,
    pub error: String,
    pub mismatches: Vec<Difference>,
}

/// A request prepared by a plugin, which may be changed before it is sent, or the response to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    pub body: Body,
    /// Names and values, such as headers.
    pub metadata: Vec<(String, MetadataValue)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    Json(Json),
    Bytes(Bytes),
}

#[derive(Clone, Debug)]
pub struct VerificationRequest<'a> {
    /// The contract as JSON. Each interaction has a key. Sent only to plugins with interface version 1.
    pub contract: &'a str,
    /// Key of the interaction to verify. Sent only to plugins with interface version 1.
    pub key: &'a str,
    /// The interaction to verify. Sent only to plugins with interface version 2.
    pub interaction: &'a TransportInteraction,
    /// Settings for the plugin: `host` and `port` of the provider, if known, and `providerState`.
    pub config: &'a Object,
    /// Data about the test for the plugin, such as `testRunId`.
    pub context: &'a Object,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginVerification {
    pub success: bool,
    /// The provider's response, or `None` if the plugin did not return it.
    pub response: Option<Prepared>,
    pub mismatches: Vec<Difference>,
    pub errors: Vec<String>,
    /// Lines that the plugin wants to show to the user.
    pub output: Vec<String>,
}

impl Plugin {
    pub async fn start_mock_server(
        &self,
        request: MockServerRequest<'_>,
        limit: Duration,
    ) -> Result<PluginMockServer, PluginError> {
        use v2::start_mock_server_response::Response;
        let (host_interface, port, tls) = (request.host.to_owned(), u32::from(request.port), request.tls);
        let test_context = Some(as_struct(request.context));
        let first = || v1::StartMockServerRequest {
            host_interface: host_interface.clone(),
            port,
            tls,
            pact: request.contract.to_owned(),
            test_context: test_context.clone(),
        };
        let second = || v2::StartMockServerRequest {
            host_interface: host_interface.clone(),
            port,
            tls,
            interactions: request.interactions.iter().map(TransportInteraction::on_wire).collect(),
            test_context: test_context.clone(),
        };
        let mark = self.mark();
        match self.0.start_mock_server(first, second, limit).await?.response {
            Some(Response::Details(details)) => {
                let port = u16::try_from(details.port).ok().filter(|port| *port != 0);
                let port = port.ok_or_else(|| {
                    self.invalid(format_args!("a mock server with the invalid port {}", details.port))
                })?;
                Ok(PluginMockServer {
                    host: host_of(&details.address, request.host),
                    key: details.key,
                    port,
                })
            }
            Some(Response::Error(error)) => Err(self.refusal("start a mock server", &error, mark)),
            None => Err(self.invalid("neither a mock server nor an error")),
        }
    }

    /// Returns the results of the requests that the mock server has received so far. `key` is
    /// [`PluginMockServer::key`].
    pub async fn mock_server_results(&self, key: &str, limit: Duration) -> Result<PluginResults, PluginError> {
        let request = v2::MockServerRequest {
            server_key: key.to_owned(),
        };
        let results = self.0.mock_server_results(request, limit, None).await?;
        Ok(PluginResults::from_wire(results))
    }

    /// Stops the mock server and returns its results. `key` is [`PluginMockServer::key`].
    pub async fn shutdown_mock_server(&self, key: &str, limit: Duration) -> Result<PluginResults, PluginError> {
        let request = v2::MockServerRequest {
            server_key: key.to_owned(),
        };
        let results = self.0.shutdown_mock_server(request, limit, None).await?;
        Ok(PluginResults::from_wire(results))
    }

    /// Returns the request that the plugin would send to the provider.
    pub async fn prepare(&self, request: &VerificationRequest<'_>, limit: Duration) -> Result<Prepared, PluginError> {
        use v2::verification_preparation_response::Response;
        let config = Some(as_struct(request.config));
        let first = || v1::VerificationPreparationRequest {
            pact: request.contract.to_owned(),
            interaction_key: request.key.to_owned(),
            config: config.clone(),
        };
        let second = || v2::VerificationPreparationRequest {
            interaction_contents: Some(request.interaction.on_wire()),
            config: config.clone(),
            test_context: Some(as_struct(request.context)),
        };
        let mark = self.mark();
        match self.0.prepare(first, second, limit).await?.response {
            Some(Response::InteractionData(data)) => Prepared::from_wire(data).map_err(|error| self.invalid(error)),
            Some(Response::Error(error)) => Err(self.refusal("prepare the request", &error, mark)),
            None => Err(self.invalid("neither a request nor an error")),
        }
    }

    /// Sends the prepared request to the provider, and compares the response.
    pub async fn verify(
        &self,
        request: &VerificationRequest<'_>,
        prepared: &Prepared,
        limit: Duration,
    ) -> Result<PluginVerification, PluginError> {
        use v2::verification_result_item::Result as Item;
        use v2::verify_interaction_response::Response;
        let config = Some(as_struct(request.config));
        let data = prepared.on_wire();
        let first = || v1::VerifyInteractionRequest {
            interaction_data: Some(data.clone()),
            config: config.clone(),
            pact: request.contract.to_owned(),
            interaction_key: request.key.to_owned(),
        };
        let second = || v2::VerifyInteractionRequest {
            interaction_data: Some(data.clone()),
            config: config.clone(),
            interaction_contents: Some(request.interaction.on_wire()),
            test_context: Some(as_struct(request.context)),
        };
        let mark = self.mark();
        let result = match self.0.verify(first, second, limit).await?.response {
            Some(Response::Result(result)) => result,
            Some(Response::Error(error)) => return Err(self.refusal("verify the interaction", &error, mark)),
            None => return Err(self.invalid("neither a result nor an error")),
        };
        let mut found = PluginVerification {
            success: result.success,
            response: result
                .response_data
                .map(Prepared::from_wire)
                .transpose()
                .map_err(|error| self.invalid(error))?,
            output: result.output,
            ..PluginVerification::default()
        };
        for item in result.mismatches {
            match item.result {
                Some(Item::Error(error)) => found.errors.push(error),
                Some(Item::Mismatch(mismatch)) => found.mismatches.push(Difference::from_wire(mismatch)),
                None => {}
            }
        }
        Ok(found)
    }

    fn invalid(&self, description: impl Display) -> PluginError {
        let title = self.0.manifest.title();
        PluginError::answer(format!("the plugin {title} returned {description}")).after(self.last_output())
    }
}

/// Returns the host of an address or a URL. Replaces a wildcard address with the loopback address. If the plugin
/// returned no host, returns the requested host.
fn host_of(address: &str, requested: &str) -> String {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        // A single colon precedes a port. Several colons are part of an IPv6 address.
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or_default(),
        None => host,
    };
    match (host, requested) {
        ("", "") | ("0.0.0.0", _) => "127.0.0.1".to_owned(),
        ("", requested) => requested.to_owned(),
        ("::", _) => "::1".to_owned(),
        (host, _) => host.to_owned(),
    }
}

impl TransportInteraction {
    fn on_wire(&self) -> v2::InteractionContents {
        v2::InteractionContents {
            interaction_type: self.kind.clone(),
            plugin_configuration: Some(self.configuration.on_wire()),
            consumer: self.consumer.clone(),
            provider: self.provider.clone(),
        }
    }
}

impl PluginResults {
    fn from_wire(results: v2::MockServerResults) -> Self {
        let result = |result: v2::MockServerResult| PluginResult {
            path: result.path,
            error: result.error,
            mismatches: result.mismatches.into_iter().map(Difference::from_wire).collect(),
        };
        Self {
            ok: results.ok,
            results: results.results.into_iter().map(result).collect(),
        }
    }
}

impl Prepared {
    fn from_wire(data: v2::InteractionData) -> Result<Self, MessageError> {
        use v2::metadata_value::Value;
        let value = |value: v2::MetadataValue| match value.value {
            Some(Value::NonBinaryValue(value)) => MetadataValue::Json(from_value(value)),
            Some(Value::BinaryValue(bytes)) => MetadataValue::Bytes(bytes),
            None => MetadataValue::Json(Json::Null),
        };
        Ok(Self {
            body: read_body(data.body)?,
            metadata: data
                .metadata
                .into_iter()
                .map(|(name, entry)| (name, value(entry)))
                .collect(),
        })
    }

    fn on_wire(&self) -> v2::InteractionData {
        use v2::metadata_value::Value;
        let value = |value: &MetadataValue| v2::MetadataValue {
            value: Some(match value {
                MetadataValue::Json(json) => Value::NonBinaryValue(to_value(json, &mut Vec::new())),
                MetadataValue::Bytes(bytes) => Value::BinaryValue(bytes.clone()),
            }),
        };
        let metadata: BTreeMap<_, _> = self
            .metadata
            .iter()
            .map(|(name, entry)| (name.clone(), value(entry)))
            .collect();
        v2::InteractionData {
            body: Some(write_body(&self.body)),
            metadata,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn reads_hosts_from_addresses_and_urls() {
        for (address, requested, want) in [
            ("127.0.0.1", "", "127.0.0.1"),
            ("http://127.0.0.1:4000", "", "127.0.0.1"),
            ("http://[::1]:4000/", "", "::1"),
            ("::1", "", "::1"),
            ("[::1]", "", "::1"),
            ("[::]:4000", "", "::1"),
            ("0.0.0.0", "", "127.0.0.1"),
            ("", "", "127.0.0.1"),
            ("", "localhost", "localhost"),
            ("localhost:80", "", "localhost"),
        ] {
            assert_eq!(host_of(address, requested), want, "{address:?}");
        }
    }
}
