//! Parsed patterns, which the budget caches.

use std::sync::Arc;

use contract_model::Text;
use regex_syntax::hir::Hir;

#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) text: Text,
    /// The parsed structure. An error if the pattern is valid, but its structure cannot be used to generate matching
    /// strings.
    pub(crate) structure: Result<Arc<Hir>, Unsupported>,
}

/// Reason why a valid pattern has no structure.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Unsupported {
    #[error("")]
    Long,
    /// The pattern contains look-around or back-references.
    #[error("{}", syntax_problem(.0))]
    Syntax(Box<regex_syntax::Error>),
}

fn syntax_problem(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string(),
    }
}
