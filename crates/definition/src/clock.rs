//! The only module that reads the system clock.

use std::time::{SystemTime, UNIX_EPOCH};

use contract_datetime::DateTime;
use contract_generators::{Budget, Context, GenerateError, Mode, Random, generate};
use contract_model::{Generator, Json};

/// Returns the current date and time in UTC.
pub fn now() -> DateTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    at(seconds, since.subsec_nanos())
}

/// Returns the current date and time in UTC as RFC 3339 text without fractions, such as `2026-11-22T23:00:00Z`.
pub fn timestamp() -> String {
    let now = now();
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        now.year(),
        now.month(),
        now.day(),
        now.hour(),
        now.minute(),
        now.second()
    )
}

fn at(seconds: i64, nanosecond: u32) -> DateTime {
    DateTime::from_unix(seconds, nanosecond, 0).expect("the system clock must be between the years 1970 and 9999")
}

/// The date and time of all generated examples, 2000-02-01T12:30:45Z. It is fixed so that contract files do not change
/// from run to run.
const EXAMPLE_MOMENT: i64 = 949_408_245;

/// Generates an example for a contract file. The same generator and seed always produce the same example.
pub fn example(generator: &Generator, seed: u64, budget: &mut Budget) -> Result<Json, NoExample> {
    let mut context = Context::new(Mode::Consumer, at(EXAMPLE_MOMENT, 0), Random::from_seed(seed));
    std::mem::swap(&mut context.budget, budget);
    let generated = generate(generator, None, &mut context);
    std::mem::swap(&mut context.budget, budget);
    match generated {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(NoExample {
            is_too_large: false,
            problem: match generator {
                Generator::ProviderState { expression, .. } => {
                    format!("the provider state value {expression:?} has no example; pass an example")
                }
                other => format!(
                    "the generator {} cannot produce an example; pass an example",
                    other.name()
                ),
            },
        }),
        Err(error) => Err(NoExample {
            is_too_large: matches!(error, GenerateError::TooMuch { .. }),
            problem: error.to_string(),
        }),
    }
}

pub struct NoExample {
    /// True if the example exceeds the size limit for generated values.
    pub is_too_large: bool,
    pub problem: String,
}
