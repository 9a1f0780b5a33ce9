use contract_model::{PathExpression, Text};
use contract_plugins::PluginError;
use contract_runtime::ResourceError;
use thiserror::Error;

/// The reason why plugins cannot process an interaction.
#[derive(Debug, Error)]
pub(crate) enum WorkError {
    /// A plugin error. It is sanitized, because its message contains text from the plugin.
    #[error("{}", contract_definition::plugins::text(.0))]
    Plugin(#[from] PluginError),
    /// An error message about two plugins that handle the same content type.
    #[error("{0}")]
    BothHandle(String),
    #[error(
        "the plugins {} and {} in the contract of {consumer} both provide the transport {transport}; a contract can use \
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
