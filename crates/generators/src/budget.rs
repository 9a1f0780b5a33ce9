//! Limits the total size of generated values.

use contract_model::Json;

use crate::GenerateError;
use crate::pattern::Pattern;

/// Default maximum total size of the values generated for a request, a response, or a message, in bytes (64 MiB).
const MOST: usize = 64 << 20;

/// Limits the total size of the values generated for a request, a response, or a message, and thus the memory and time
/// that an untrusted contract can use. Failed attempts to generate a value also count.
///
/// ```
/// use contract_generators::Budget;
/// assert_eq!(format!("{:?}", Budget::default()), "Budget { most: 67108864, left: 67108864, .. }");
/// ```
#[derive(Clone)]
pub struct Budget {
    most: usize,
    left: usize,
    /// The most recently parsed pattern, or `None` if none was parsed. Many places in a body often use the same
    /// pattern.
    pub(crate) pattern: Option<Pattern>,
}

impl Budget {
    pub const fn new(most: usize) -> Self {
        Self {
            most,
            left: most,
            pattern: None,
        }
    }

    pub(crate) fn left(&self) -> usize {
        self.left
    }

    pub(crate) fn check(&self) -> Result<(), GenerateError> {
        if self.left == 0 {
            return Err(self.spent());
        }
        Ok(())
    }

    pub(crate) fn room(&self, bytes: usize) -> Result<(), GenerateError> {
        if bytes > self.left { Err(self.spent()) } else { Ok(()) }
    }

    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), GenerateError> {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or_else(|| self.spent())
    }

    fn spent(&self) -> GenerateError {
        GenerateError::TooMuch { most: self.most }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("most", &self.most)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

/// Returns the approximate size in bytes of the value as text.
pub(crate) fn size(value: &Json) -> usize {
    const AROUND: usize = 4;
    let inside = match value {
        Json::Null | Json::Bool(_) => AROUND,
        Json::Number(number) => number.as_str().len(),
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(name, value)| name.len() + size(value)).sum(),
    };
    inside.saturating_add(AROUND)
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Content, Generator, Json, Object, Response};

    use super::Budget;
    use crate::{Context, Mode, Random, apply};

    /// Generates an array of `count` strings. Returns the size of the result and the problems.
    #[track_caller]
    fn filled(count: usize, generator: Generator, budget: usize, state: &Object) -> (usize, Vec<String>) {
        let mut response = Response {
            body: Body::Present(Content::json(Json::Array(vec!["x".into(); count]))),
            ..Response::default()
        };
        response.generators.body.insert("$[*]".parse().unwrap(), generator);
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let mut context = Context {
            budget: Budget::new(budget),
            state_values: state,
            ..Context::new(Mode::Provider, now, Random::from_seed(1))
        };
        let problems = apply::response(&mut response, &mut context);
        let problems = problems.iter().map(ToString::to_string).collect();
        (response.body.bytes().len(), problems)
    }

    const SPENT: &str = "the generated values exceed 100000 bytes in total; generate fewer or smaller values, or raise the limit \
                         generatedSize";

    #[test]
    fn limits_long_texts_at_many_places() {
        let nothing = Object::new();
        let (length, problems) = filled(
            100_000,
            Generator::RandomString { size: Some(10_000) },
            100_000,
            &nothing,
        );
        // Each value keeps its example: a letter in quotes. A comma follows.
        assert!(length < 500_000, "{length}");
        assert_eq!(
            problems,
            [format!("no value was generated for the body at $[9]: {SPENT}")]
        );
        let (length, problems) = filled(9, Generator::RandomString { size: Some(10_000) }, 100_000, &nothing);
        assert_eq!((length > 90_000, problems.len()), (true, 0));
    }

    #[test]
    fn rejects_values_beyond_the_limit_before_generating() {
        let nothing = Object::new();
        for generator in [
            Generator::RandomString { size: Some(usize::MAX) },
            Generator::RandomHexadecimal {
                digits: Some(usize::MAX),
            },
            Generator::RandomDecimal {
                digits: Some(usize::MAX),
            },
        ] {
            let (length, problems) = filled(3, generator, 100_000, &nothing);
            assert_eq!(length, r#"["x","x","x"]"#.len());
            assert_eq!(
                problems,
                [format!("no value was generated for the body at $[0]: {SPENT}")]
            );
        }
    }

    #[test]
    fn counts_steps_and_templates() {
        let state: Object = [("long", Json::from("x".repeat(1000)))].into_iter().collect();
        for generator in [
            Generator::Regex("(a?){9999}b".into()),
            Generator::Regex("a$b".into()),
            Generator::Regex("(|b){4294967295}".into()),
            Generator::ProviderState {
                expression: "${long}-".repeat(100_000).into(),
                data_type: None,
            },
            Generator::ProviderState {
                expression: "long".into(),
                data_type: None,
            },
        ] {
            let (length, problems) = filled(100_000, generator.clone(), 100_000, &state);
            assert!(length < 700_000, "{generator:?}: {length}");
            assert!(
                problems.last().is_some_and(|problem| problem.ends_with(SPENT)),
                "{problems:?}"
            );
            assert!(problems.len() < 3, "{problems:?}");
        }
    }
}
