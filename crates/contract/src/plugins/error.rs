use contract_model::{PathExpression, Text};
use contract_plugins::PluginError;
use contract_runtime::ResourceError;
use thiserror::Error;

/// Plugins cannot process an interaction.
#[derive(Debug, Error)]
pub(crate) enum WorkError {
    /// An error of a plugin. Its message is sanitized, because it contains text from the plugin.
    #[error("{}", contract_definition::plugins::text(.0))]
    Plugin(#[from] PluginError),
    /// Two plugins handle the same content type. Contains the complete message.
    #[error("{0}")]
    BothHandle(String),
    #[error(
        "the plugins {} and {} in the contract of {consumer} both provide the transport {transport:?}; a contract can use \
         only one of them",
        .plugins[0], .plugins[1]
    )]
    BothProvide {
        plugins: [String; 2],
        consumer: Text,
        transport: String,
    },
    #[error(transparent)]
    Resource(#[from] ResourceError),
    #[error("{0}: plugins can generate values only in JSON bodies")]
    NotJson(PathExpression),
}
