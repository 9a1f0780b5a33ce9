//! The error of using plugins.

use contract_model::{PathExpression, Text};
use contract_plugins::PluginError;
use contract_runtime::ResourceError;
use thiserror::Error;

/// The reason why plugins cannot process an interaction.
#[derive(Debug, Error)]
pub enum WorkError {
    /// An error of a plugin. Its message is sanitized, because it contains text from the plugin.
    #[error("{}", contract_definition::plugins::text(.0))]
    Plugin(#[from] PluginError),
    /// Two plugins handle the same content type. Contains the complete message.
    #[error("{0}")]
    BothHandle(String),
    /// Two plugins in the contract provide the same transport.
    #[error(
        "the plugins {} and {} in the contract of {consumer} both provide the transport {transport:?}; a contract can use \
         only one of them",
        .plugins[0], .plugins[1]
    )]
    BothProvide {
        /// Names of the plugins.
        plugins: [String; 2],
        /// Name of the consumer.
        consumer: Text,
        /// Name of the transport.
        transport: String,
    },
    /// The operating system could not start a thread or open a file.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// A plugin must generate the value at this path, but the body is not JSON.
    #[error("{0}: plugins can generate values only in JSON bodies")]
    NotJson(PathExpression),
}
