use std::collections::BTreeMap;
use std::fmt;

use contract_model::{Body, Generator, Json, Object, PathExpression, PathRules, Rule};

use crate::contents::Difference;

/// Why the core could not generate a value.
pub type CoreError = Box<dyn std::error::Error + Send + Sync>;

/// Capabilities of the core that plugins can call. Methods return `None` for unknown keys.
pub trait Core: fmt::Debug + Send + Sync {
    /// Returns the log level passed to plugins, for example `WARN`.
    fn log_level(&self) -> &'static str {
        "WARN"
    }
    /// Compares contents with the content matcher `key`: `json`, `xml`, or `text`.
    fn compare(&self, key: &str, comparison: CoreComparison<'_>) -> Option<Vec<Difference>>;
    /// Compares one value by a rule.
    fn match_field(&self, rule: &Rule, path: &str, expected: &Json, actual: &Json) -> Option<Vec<Difference>>;
    /// Generates contents.
    fn generate(
        &self,
        key: &str,
        contents: &Body,
        generators: &BTreeMap<PathExpression, Generator>,
        context: &Object,
        is_provider: bool,
    ) -> Option<Result<Body, CoreError>>;
    /// Generates one value.
    fn generate_field(
        &self,
        generator: &Generator,
        example: &Json,
        context: &Object,
        is_provider: bool,
    ) -> Option<Result<Json, CoreError>>;
}

/// Contents that the core compares for a plugin.
#[derive(Clone, Copy, Debug)]
pub struct CoreComparison<'a> {
    pub expected: &'a Body,
    pub actual: &'a Body,
    /// Whether the actual contents may contain more than expected.
    pub allow_unexpected: bool,
    pub rules: &'a PathRules,
}
