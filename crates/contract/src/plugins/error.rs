use contract_model::{PathExpression, Text};
use contract_plugins::PluginError;
use contract_runtime::ResourceError;
use thiserror::Error;

/// Why plugins cannot handle their part of an interaction.
#[derive(Debug, Error)]
pub(crate) enum WorkError {
    /// Sanitized, because the message contains the plugin's own text.
    #[error("{}", contract_definition::plugins::text(.0))]
    Plugin(#[from] PluginError),
    /// Two plugins for one content type. Contains the message.
    #[error("{0}")]
    BothHandle(String),
    #[error(
        "the plugins {} and {} of the contract of {consumer} both provide the transport {transport}; a contract can use \
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
