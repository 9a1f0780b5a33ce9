//! Orders the generators of a body.

use std::collections::BTreeMap;

use contract_model::{Generator, PathExpression, PathToken};

use crate::{Mode, applies};

pub(super) type Placed<'g> = (&'g PathExpression, &'g Generator);

/// Returns the generators that apply in this mode, outer ones first. At the same path, the most specific one comes last
/// and takes precedence.
pub(super) fn placed(generators: &BTreeMap<PathExpression, Generator>, mode: Mode) -> Vec<Placed<'_>> {
    let exact = |token: &&PathToken| matches!(token, PathToken::Key(_) | PathToken::Index(_));
    let mut placed: Vec<_> = generators
        .iter()
        .filter(|(_, generator)| applies(generator, mode))
        .collect();
    placed.sort_by_key(|(path, _)| (path.tokens().len(), path.tokens().iter().filter(exact).count()));
    placed
}
