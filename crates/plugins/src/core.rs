use std::collections::BTreeMap;
use std::fmt;

use contract_model::{Body, Generator, Json, Object, PathExpression, PathRules, Rule};

use crate::contents::Difference;

pub type CoreError = Box<dyn std::error::Error + Send + Sync>;

/// The functions of this library that plugins can call. They return `None` if the key or name is unknown. The default
/// implementations always return `None`.
pub trait Core: fmt::Debug + Send + Sync {
    /// Returns the log level for plugins, such as `WARN`, which is the default.
    fn log_level(&self) -> &'static str {
        "WARN"
    }
    /// Compares contents. `key` is the key of a content matcher: `json`, `xml`, or `text`.
    fn compare(&self, _key: &str, _comparison: CoreComparison<'_>) -> Option<Vec<Difference>> {
        None
    }
    /// Compares a single value. Returns an empty list if it matches.
    fn match_field(&self, _rule: &Rule, _path: &str, _expected: &Json, _actual: &Json) -> Option<Vec<Difference>> {
        None
    }
    /// Returns the contents with generated values. `key` is the key of a content generator.
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

/// The arguments of [`Core::compare`].
#[derive(Clone, Copy, Debug)]
pub struct CoreComparison<'a> {
    pub expected: &'a Body,
    pub actual: &'a Body,
    /// If true, values that are not expected are not mismatches.
    pub allow_unexpected: bool,
    pub rules: &'a PathRules,
}
