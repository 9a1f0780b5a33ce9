//! What the host can do by itself when a plugin asks for it.

use std::collections::BTreeMap;
use std::fmt;

use contract_model::{Body, Generator, Json, Object, PathExpression, PathRules, Rule};

use crate::contents::Difference;

/// What the host itself can do for plugins. Each answers `None` for an entry that it does not have.
pub trait Core: fmt::Debug + Send + Sync {
    /// The log level that plugins start with: `WARN`, `INFO` and the like.
    fn log_level(&self) -> &'static str {
        "WARN"
    }
    /// Compares contents as the content matcher `key` does: `json`, `xml`, `text`.
    fn compare(&self, key: &str, comparison: CoreComparison<'_>) -> Option<Vec<Difference>>;
    /// Compares one value by a rule.
    fn match_field(&self, rule: &Rule, path: &str, expected: &Json, actual: &Json) -> Option<Vec<Difference>>;
    /// Fills contents in.
    fn generate(
        &self,
        key: &str,
        contents: &Body,
        generators: &BTreeMap<PathExpression, Generator>,
        context: &Object,
        is_provider: bool,
    ) -> Option<Result<Body, String>>;
    /// Makes one value.
    fn generate_field(
        &self,
        generator: &Generator,
        example: &Json,
        context: &Object,
        is_provider: bool,
    ) -> Option<Result<Json, String>>;
}

/// Contents that the host compares for a plugin.
#[derive(Clone, Copy, Debug)]
pub struct CoreComparison<'a> {
    /// What is expected.
    pub expected: &'a Body,
    /// The received body.
    pub actual: &'a Body,
    /// Whether more may have come than is expected.
    pub allow_unexpected: bool,
    /// Rules.
    pub rules: &'a PathRules,
}
