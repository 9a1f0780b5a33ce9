//! Parsed patterns, which the budget caches.

use std::sync::Arc;

use contract_model::Text;
use regex_syntax::hir::Hir;

#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) text: Text,
    /// The parsed structure, or an error if the pattern is valid but no string can be generated from its structure.
    pub(crate) structure: Result<Arc<Hir>, Unsupported>,
}

/// Reason why no string can be generated from a valid pattern.
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
