//! Settings that determine which variants are derived and how many answers are served.

use contract_model::{PathExpression, PathToken};

use crate::kind::Kind;

#[derive(Clone, Debug)]
pub struct Settings {
    pub kinds: Vec<Kind>,
    /// Paths in the body whose values, including nested values, never vary.
    pub except: Vec<PathExpression>,
    /// Maximum number of answers to serve, not counting those that isolate a failure.
    pub max: usize,
    /// True to also serve answers that combine two variants at different places.
    pub pairs: bool,
    /// Seed for the generated strings of the kinds `member` and `text`.
    pub seed: u64,
}

impl Settings {
    /// Default maximum number of answers.
    pub const MAX: usize = 30;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kinds: Kind::set("default").unwrap_or_default().to_vec(),
            except: Vec::new(),
            max: Self::MAX,
            pairs: false,
            seed: 0,
        }
    }
}

impl Settings {
    pub(crate) fn excludes(&self, path: &[PathToken]) -> bool {
        self.except.iter().any(|except| is_prefix(except.tokens(), path))
    }
}

/// Returns true if the pattern matches the path or one of its ancestors.
pub(crate) fn is_prefix(pattern: &[PathToken], path: &[PathToken]) -> bool {
    pattern.len() <= path.len()
        && pattern
            .iter()
            .zip(path)
            .all(|(pattern, step)| step_matches(pattern, step))
}

pub(crate) fn step_matches(pattern: &PathToken, step: &PathToken) -> bool {
    match (pattern, step) {
        (PathToken::AnyKey, PathToken::Key(_) | PathToken::AnyKey)
        | (PathToken::AnyIndex, PathToken::Index(_) | PathToken::AnyIndex) => true,
        (pattern, step) => pattern == step,
    }
}
