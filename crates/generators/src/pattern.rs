//! Parsed patterns, which the budget caches.

use std::sync::Arc;

use contract_model::Text;
use regex_syntax::hir::Hir;

#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) text: Text,
    /// An error if the pattern is valid but uses look-around or back-references.
    pub(crate) structure: Result<Arc<Hir>, String>,
}
