use std::collections::BTreeMap;
use std::fmt;

use contract_model::{Body, Generator, Json, Object, PathExpression, PathRules, Rule};

use crate::contents::Difference;

/// Why the core could not generate a value.
pub type CoreError = Box<dyn std::error::Error + Send + Sync>;

/// Capabilities of the core that plugins can call. Methods return `None` for unknown keys, as they do by default.
pub trait Core: fmt::Debug + Send + Sync {
    /// Returns the log level passed to plugins, for example `WARN`.
    fn log_level(&self) -> &'static str {
        "WARN"
    }
    /// Compares contents with the content matcher `key`: `json`, `xml`, or `text`.
    fn compare(&self, _key: &str, _comparison: CoreComparison<'_>) -> Option<Vec<Difference>> {
        None
    }
    /// Compares one value by a rule.
    fn match_field(&self, _rule: &Rule, _path: &str, _expected: &Json, _actual: &Json) -> Option<Vec<Difference>> {
        None
    }
    /// Generates contents.
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
    /// Generates one value.
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

/// Contents that the core compares for a plugin.
#[derive(Clone, Copy, Debug)]
pub struct CoreComparison<'a> {
    pub expected: &'a Body,
    pub actual: &'a Body,
    /// Whether the actual contents may contain more than expected.
    pub allow_unexpected: bool,
    pub rules: &'a PathRules,
}
