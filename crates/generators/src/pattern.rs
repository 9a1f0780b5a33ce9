//! Patterns that were read, as the budget remembers them.

use std::sync::Arc;

use contract_model::Text;
use regex_syntax::hir::Hir;

/// A pattern that was read.
#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) text: Text,
    /// Or why it has no structure although it is a pattern: look-around and back-references.
    pub(crate) structure: Result<Arc<Hir>, String>,
}
