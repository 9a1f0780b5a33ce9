//! Determines the order in which the generators of a body are applied.

use std::collections::BTreeMap;

use contract_model::{Generator, PathExpression, PathToken};

use crate::{Mode, applies};

pub(super) type Placed<'g> = (&'g PathExpression, &'g Generator);

/// Returns the generators that apply in the given mode, in the order in which to apply them. A generator for an object
/// or array comes before those for values inside it. Among generators for the same value, the most specific path comes
/// last and takes precedence.
pub(super) fn applicable(generators: &BTreeMap<PathExpression, Generator>, mode: Mode) -> Vec<Placed<'_>> {
    let exact = |token: &&PathToken| matches!(token, PathToken::Key(_) | PathToken::Index(_));
    let mut applicable: Vec<_> = generators
        .iter()
        .filter(|(_, generator)| applies(generator, mode))
        .collect();
    applicable.sort_by_key(|(path, _)| (path.tokens().len(), path.tokens().iter().filter(exact).count()));
    applicable
}
