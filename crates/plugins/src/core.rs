use std::collections::BTreeMap;
use std::fmt;

use contract_model::{Body, Generator, Json, Object, PathExpression, PathRules, Rule};

use crate::contents::Difference;

/// Reason why the core could not generate a value.
pub type CoreError = Box<dyn std::error::Error + Send + Sync>;

/// Capabilities of the core that plugins can call. The methods return `None` for unknown keys, as do their default
/// implementations.
pub trait Core: fmt::Debug + Send + Sync {
    /// Returns the log level for plugins, such as `WARN`.
    fn log_level(&self) -> &'static str {
        "WARN"
    }
    /// Compares contents using the content matcher `key`, which is `json`, `xml`, or `text`.
    fn compare(&self, _key: &str, _comparison: CoreComparison<'_>) -> Option<Vec<Difference>> {
        None
    }
    /// Compares a single value by a matching rule.
    fn match_field(&self, _rule: &Rule, _path: &str, _expected: &Json, _actual: &Json) -> Option<Vec<Difference>> {
        None
    }
    /// Generates the values in contents.
    fn generate(
        &self,
        _key: &str,
        _contents: &Body,
        _generators: &BTreeMap<PathExpression, Generator>,
        _context: &Object,
        _is_provider: bool,
    ) -> Option<Result<Body, CoreError>> {
        None
    }
    /// Generates a single value.
    fn generate_field(
        &self,
        _generator: &Generator,
        _example: &Json,
        _context: &Object,
        _is_provider: bool,
    ) -> Option<Result<Json, CoreError>> {
        None
    }
}

/// Contents to compare for a plugin.
#[derive(Clone, Copy, Debug)]
pub struct CoreComparison<'a> {
    pub expected: &'a Body,
    pub actual: &'a Body,
    /// True if the actual contents may contain values that are not expected.
    pub allow_unexpected: bool,
    pub rules: &'a PathRules,
}
