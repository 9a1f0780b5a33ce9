//! Serves one contract file as a mock server that reports mismatches.

use std::path::Path;
use std::sync::Arc;

use contract_mock_server::{MockServer, Outcome, ServedInteraction};
use contract_model::{Interaction, InteractionKind};

use crate::contracts::read_contracts;
use crate::failure::Failure;
use crate::listen::ListenOptions;

/// A running mock server for the HTTP interactions of a contract file.
#[derive(Debug)]
pub struct MockFile {
    server: MockServer,
    names: Vec<String>,
    title: String,
    warnings: Vec<String>,
}

impl MockFile {
    /// Reads the contract and starts the server. If `allow_unexpected_fields` is false, body fields that the contract
    /// does not define are mismatches. If `optional` is false, interactions that are not requested are mismatches.
    pub async fn start(
        path: &Path,
        listen: &ListenOptions,
        allow_unexpected_fields: bool,
        optional: bool,
    ) -> Result<Self, Failure> {
        let mut found = read_contracts(&[path.to_owned()])?;
        let (Some((source, contract)), true) = (found.contracts.pop(), found.contracts.is_empty()) else {
            let message = format!(
                "{} must be a single contract file; to serve multiple contracts, use \"contract stub\"",
                path.display()
            );
            return Err(Failure::source(message));
        };
        let title = format!("{} and {}", contract.consumer, contract.provider);
        let (mut names, mut interactions, mut messages) = (Vec::new(), Vec::new(), 0);
        for interaction in contract.interactions {
            match &interaction.kind {
                InteractionKind::Http(_) => check_plugins(&source, &interaction)?,
                InteractionKind::AsyncMessage(_) | InteractionKind::SyncMessage(_) => {
                    messages += 1;
                    continue;
                }
                InteractionKind::Unknown { kind, .. } => {
                    return Err(unsupported(
                        &source,
                        &interaction,
                        &format!("the type {kind:?} is not supported"),
                    ));
                }
                InteractionKind::Unreadable(unreadable) => {
                    return Err(unsupported(&source, &interaction, &unreadable.reason));
                }
            }
            names.push(interaction.description.to_string());
            let served = ServedInteraction::from(Arc::new(interaction));
            interactions.push(if optional { served.optional() } else { served });
        }
        if interactions.is_empty() {
            return Err(Failure::source(format!("{source} contains no HTTP interactions")));
        }
        let mut warnings = found.warnings;
        if messages > 0 {
            warnings.push(format!(
                "not served: {messages} message interaction{}, because a mock server serves only HTTP",
                if messages == 1 { "" } else { "s" }
            ));
        }
        let mut options = listen.server_options();
        options.strict = !allow_unexpected_fields;
        options.specification = contract.specification;
        let server = MockServer::start(interactions, options).await?;
        Ok(Self {
            server,
            names,
            title,
            warnings,
        })
    }

    /// Returns the base URL.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Returns the names of the consumer and the provider, such as `web and orders`.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns, in PEM format, the CA certificate that clients must trust. Returns `None` unless the certificate was
    /// created for this server.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.server.ca_certificate()
    }

    /// Returns the descriptions of the interactions, in the order in which the outcome counts them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns warnings about unusual content in the file, and about messages, which are not served.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Stops the server and returns the outcome.
    pub async fn stop(&self) -> Outcome {
        self.server.stop().await
    }
}

fn check_plugins(source: &str, interaction: &Interaction) -> Result<(), Failure> {
    match interaction.plugin_configuration.iter().next() {
        None => Ok(()),
        Some((plugin, _)) => Err(unsupported(
            source,
            interaction,
            &format!(
                "its content requires the plugin {:?}; serve it in a consumer test, which can use plugins",
                plugin.as_str()
            ),
        )),
    }
}

fn unsupported(source: &str, interaction: &Interaction, problem: &str) -> Failure {
    Failure::source(format!(
        "{source}: the interaction {:?} cannot be served: {problem}",
        interaction.description.as_str()
    ))
}
