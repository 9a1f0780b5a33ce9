//! Generates a single value.

mod decimal;
mod integer;
mod length;
mod mock_server_url;
mod moment;
mod provider_state;
mod regex;
mod text;
mod uuid;

use contract_model::{Generator, Json};

use crate::budget::size;
use crate::{Context, GenerateError, Mode};

/// Generates a value. Returns `None` if the generator does not apply in the current mode. If the example is a string,
/// generated numbers and booleans are converted to strings.
///
/// ```
/// use contract_generators::{Context, Mode, Random, generate};
/// use contract_model::{Generator, Json, Object};
///
/// let state: Object = [("id", Json::from(42_u64))].into_iter().collect();
/// let now = contract_datetime::DateTime::new(2026, 7, 1)?;
/// let mut context = Context { state_values: &state, ..Context::new(Mode::Provider, now, Random::from_seed(1)) };
///
/// let path = Generator::ProviderState { expression: "/users/${id}".into(), data_type: None };
/// assert_eq!(generate(&path, None, &mut context)?, Some("/users/42".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate(
    generator: &Generator,
    example: Option<&Json>,
    context: &mut Context<'_>,
) -> Result<Option<Json>, GenerateError> {
    if !applies(generator, context.mode) {
        return Ok(None);
    }
    context.budget.check()?;
    let (random, budget) = (&mut context.random, &mut context.budget);
    let value = match generator {
        Generator::RandomInt { min, max } => like(example, integer::generate(*min, *max, random)?),
        Generator::RandomDecimal { digits } => like(
            example,
            decimal::generate(length::checked_length(*digits, budget)?, random)?,
        ),
        Generator::RandomHexadecimal { digits } => text::hexadecimal(length::checked_length(*digits, budget)?, random),
        Generator::RandomString { size } => text::letters_and_digits(length::checked_length(*size, budget)?, random),
        Generator::Regex(pattern) => regex::generate(pattern, example, random, budget)?,
        Generator::Uuid(format) => uuid::generate(*format, random),
        Generator::Date(moment) => moment::date(moment, &context.now)?,
        Generator::Time(moment) => moment::time(moment, &context.now)?,
        Generator::DateTime(moment) => moment::date_time(moment, &context.now)?,
        Generator::RandomBoolean => like(example, random.boolean().into()),
        Generator::ProviderState { expression, data_type } => {
            provider_state::generate(expression, *data_type, context.state_values, budget)?
        }
        Generator::MockServerUrl { example, regex } => mock_server_url::generate(example, regex, context.base_url)?,
        Generator::Custom { name, .. } => return Err(GenerateError::UnknownGenerator { name: name.clone() }),
    };
    context.budget.spend(size(&value))?;
    Ok(Some(value))
}

/// Checks whether the pattern, format, and expression of a generator are valid. Provider state values and size limits
/// can be checked only when a value is generated.
///
/// ```
/// use contract_generators::check;
/// use contract_model::Generator;
///
/// let state = |expression: &str| Generator::ProviderState { expression: expression.into(), data_type: None };
/// assert!(check(&state("/users/${id}")).is_ok());
/// assert_eq!(
///     check(&state("/users/${id")).unwrap_err().to_string(),
///     "the provider state expression \"/users/${id\" is invalid at column 8: close \"${\" with \"}\""
/// );
/// ```
pub fn check(generator: &Generator) -> Result<(), GenerateError> {
    match generator {
        Generator::RandomInt {
            min: Some(min),
            max: Some(max),
        } if min > max => Err(GenerateError::Bounds { min: *min, max: *max }),
        Generator::RandomDecimal { digits: Some(0) } => Err(GenerateError::NoDigits),
        Generator::Regex(pattern) => regex::check(pattern),
        Generator::Date(moment) => moment::check_date(moment),
        Generator::Time(moment) => moment::check_time(moment),
        Generator::DateTime(moment) => moment::check_date_time(moment),
        Generator::ProviderState { expression, .. } => provider_state::check(expression),
        Generator::MockServerUrl { example, regex } => {
            mock_server_url::generate(example, regex, Some("http://localhost")).map(|_| ())
        }
        Generator::Custom { name, .. } => Err(GenerateError::UnknownGenerator { name: name.clone() }),
        Generator::RandomInt { .. }
        | Generator::RandomDecimal { .. }
        | Generator::RandomHexadecimal { .. }
        | Generator::RandomString { .. }
        | Generator::Uuid(_)
        | Generator::RandomBoolean => Ok(()),
    }
}

/// Returns true if the generator applies in this mode. Provider state values are available only during verification,
/// and the URL of the mock server only in consumer tests.
pub fn applies(generator: &Generator, mode: Mode) -> bool {
    match generator {
        Generator::ProviderState { .. } => mode == Mode::Provider,
        Generator::MockServerUrl { .. } => mode == Mode::Consumer,
        _ => true,
    }
}

/// Converts the value to a string if the example is a string.
fn like(example: Option<&Json>, value: Json) -> Json {
    match example {
        Some(Json::String(_)) => value.to_text().into(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Generator, Json};

    use super::check;

    #[track_caller]
    fn problem(generator: &str) -> Option<String> {
        let generator = Generator::from_json(&Json::parse(generator.as_bytes()).unwrap()).unwrap();
        check(&generator).err().map(|error| error.to_string())
    }

    #[test]
    fn accepts_valid_generators() {
        for generator in [
            r#"{"type": "RandomInt", "min": 1}"#,
            r#"{"type": "RandomDecimal", "digits": 1}"#,
            r#"{"type": "Regex", "regex": "(?=a)[\\w-.]+"}"#,
            r#"{"type": "Uuid"}"#,
            r#"{"type": "Date", "expression": "next monday"}"#,
            r#"{"type": "Time", "format": "HH:mm", "expression": "noon"}"#,
            r#"{"type": "DateTime", "expression": "today @ noon"}"#,
            r#"{"type": "ProviderState", "expression": "id"}"#,
            r#"{"type": "MockServerURL", "example": "http://x/a", "regex": ".*(/a)"}"#,
        ] {
            assert_eq!(problem(generator), None, "{generator}");
        }
    }

    #[test]
    fn reports_invalid_generators() {
        for (generator, want) in [
            (r#"{"type": "RandomDecimal", "digits": 0}"#, "digits must be at least 1"),
            (
                r#"{"type": "Regex", "regex": "(?=a)["}"#,
                "is not a valid regular expression",
            ),
            (
                r#"{"type": "Date", "format": "yyyy-MM-ddT"}"#,
                "unquoted letter \"T\" at column 11",
            ),
            (
                r#"{"type": "Date", "expression": "tomorow"}"#,
                "column 1: expected \"+\", \"-\", or a word such as \"today\"",
            ),
            (r#"{"type": "Date", "expression": "today @ noon"}"#, "column 7"),
            (
                r#"{"type": "Time", "expression": "+ 1 day"}"#,
                "column 5: expected hours",
            ),
            (
                r#"{"type": "ProviderState", "expression": "a${}"}"#,
                "invalid at column 2",
            ),
            (
                r#"{"type": "MockServerURL", "example": "http://x/a", "regex": ".*/a"}"#,
                "has no capturing group",
            ),
            (
                r#"{"type": "MockServerURL", "example": "http://x/b", "regex": ".*(/a)"}"#,
                "does not match",
            ),
            (r#"{"type": "Lorem"}"#, "unknown generator"),
        ] {
            let found = problem(generator).unwrap();
            assert!(found.contains(want), "{generator}: {found}");
        }
    }
}
