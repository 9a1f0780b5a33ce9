//! Single values: paths, statuses, headers, and query parameters.

use contract_matching::{Location, Mismatch, PlanError};
use contract_model::{Generator, Headers, Json, RuleList, Text, ValueTemplate, split_value};

use contract_call::error::{ArgumentError, Done, EXAMPLE, HEADER, MATCHER};

/// An example, with its rules and generator if it has any.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Value {
    pub(super) example: Json,
    pub(super) rules: Option<RuleList>,
    pub(super) generator: Option<Generator>,
}

impl Value {
    pub(super) fn literal(example: impl Into<Json>) -> Self {
        Self {
            example: example.into(),
            rules: None,
            generator: None,
        }
    }

    /// Reads a plain value or matcher JSON for a single value.
    pub(super) fn new(json: &Json) -> Result<Self, ArgumentError> {
        let split = split(json)?;
        Ok(Self {
            example: split.value,
            rules: split.rules,
            generator: split.generator,
        })
    }

    pub(super) fn any_has_rules(values: &[Self]) -> bool {
        values.iter().any(|value| value.rules.is_some())
    }

    /// Like [`Self::new`], but a string may also contain matcher JSON.
    pub(super) fn parse(json: Json) -> Result<Self, ArgumentError> {
        match json {
            Json::String(text) => match from_text(&text) {
                Some(json) => Self::new(&json),
                None => Ok(Self::literal(text)),
            },
            other => Self::new(&other),
        }
    }

    /// Returns the example as the text of a header or query parameter.
    pub(super) fn text(&self, code: &'static str) -> Result<Text, ArgumentError> {
        match &self.example {
            Json::String(text) => Ok(text.clone()),
            Json::Number(_) | Json::Bool(_) => Ok(self.example.to_text().into()),
            // The message does not contain values of headers and cookies, because they are often secrets.
            other if code == HEADER => Err(ArgumentError::new(
                code,
                format!(
                    "expected a string, a number, or a boolean, received {}",
                    other.kind().with_article()
                ),
            )),
            other => Err(ArgumentError::new(
                code,
                format!(
                    "expected a string, a number, or a boolean, received {}: {other}",
                    other.kind().with_article()
                ),
            )),
        }
    }
}

fn split(json: &Json) -> Result<ValueTemplate, ArgumentError> {
    let mut split = split_value(json).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
    split.fill(crate::examples::example_generator())?;
    crate::examples::check_generators(
        split.generator.iter().chain(split.item_generators.values()),
        split.rules.iter().chain(split.item_rules.values()),
    )?;
    Ok(split)
}

/// Parses matcher JSON in a string, which is a JSON object with a `value`. Returns `None` for other strings.
fn from_text(text: &str) -> Option<Json> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    Json::parse(text.as_bytes())
        .ok()
        .filter(|json| json.get("value").is_some())
}

/// Returns a document that is passed as a JSON value or as JSON text.
pub(super) fn document(value: Json, code: &'static str) -> Result<Json, ArgumentError> {
    match value {
        Json::String(text) => Json::parse(text.as_bytes())
            .map_err(|error| ArgumentError::new(code, format!("the text is not valid JSON: {error}"))),
        other => Ok(other),
    }
}

/// Returns the values for one name: a single value for a plain value or a matcher, several for an array.
pub(super) fn values(json: Json, code: &'static str) -> Result<Vec<Value>, ArgumentError> {
    match json {
        Json::String(text) => match from_text(&text) {
            Some(json) => values(json, code),
            None => Ok(vec![Value::literal(text)]),
        },
        Json::Array(items) => items
            .into_iter()
            .map(|item| values(item, code))
            .collect::<Result<Vec<_>, _>>()
            .map(|all| all.concat()),
        Json::Object(_) => {
            let mut split = split(&json)?;
            let plain = match split.value.as_object_mut() {
                Some(members) if split.rules.is_none() => members.remove("value"),
                _ => None,
            };
            if let Some(plain) = plain {
                // The object is not a matcher. Its `value` lists several values for one name.
                return values(plain, code);
            }
            let value = std::mem::take(&mut split.value);
            let to_value = |example, at| Value {
                example,
                rules: split.item_rules.get(&at).or(split.rules.as_ref()).cloned(),
                generator: split.item_generators.get(&at).or(split.generator.as_ref()).cloned(),
            };
            Ok(match value {
                Json::Array(items) => items
                    .into_iter()
                    .enumerate()
                    .map(|(at, item)| to_value(item, at))
                    .collect(),
                value => vec![to_value(value, usize::MAX)],
            })
        }
        Json::Null => Err(ArgumentError::new(
            code,
            "null is not a valid value; omit the name or the array item instead",
        )),
        other => Ok(vec![Value::literal(other)]),
    }
}

/// Converts the result of comparing an example with its own rules. Returns an error if a rule is invalid or rejects the
/// example.
pub(super) fn check_example(found: Result<Option<Mismatch>, PlanError>) -> Done {
    match found.map_err(|error| ArgumentError::new(MATCHER, error.to_string()))? {
        None => Ok(()),
        Some(mismatch) => Err(example_error(mismatch)),
    }
}

/// Returns the error for an example that its own matcher rejects. Values that may be secret are redacted.
fn example_error(mut mismatch: Mismatch) -> ArgumentError {
    let hint = match &mismatch.at {
        Location::Header { name, .. } if Headers::is_list(name) => {
            format!(
                "; {name} is a list header: a matcher applies to each value, not to the whole line. Pass an array with a matcher for each value"
            )
        }
        _ => String::new(),
    };
    contract_report::redact::mismatch(&mut mismatch);
    ArgumentError::new(
        EXAMPLE,
        format!(
            "the example does not satisfy its own matcher at {}: {mismatch}{hint}",
            mismatch.at
        ),
    )
}
