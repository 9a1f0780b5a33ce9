//! The number of times that the consumer sends a request. It is not written to contract files; only the mock server
//! checks it.

use contract_model::Json;

use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};

const TIMES: &str = "ERR_CONTRACT_TIMES";

/// Minimum and maximum number of requests, both inclusive. A `max` of `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub min: u64,
    pub max: Option<u64>,
}

impl Times {
    fn exactly(count: u64) -> Self {
        Self {
            min: count,
            max: Some(count),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// Allowed number of requests. `None` means at least one.
    pub times: Option<Times>,
    /// True if the test passes without the request.
    pub optional: bool,
}

impl Frequency {
    pub(super) fn set_times(&mut self, times: &Json) -> Result<(), ArgumentError> {
        let bounds = bounds(times).ok_or_else(|| {
            let message = message![
                "expected a whole number of at least 1, or { min, max } with min not greater than max, received ",
                format!("{times}; to make the request optional, use "),
                operation("optional"),
                "()"
            ];
            ArgumentError::new(TIMES, message)
        })?;
        self.times = Some(bounds);
        Ok(())
    }
}

fn bounds(times: &Json) -> Option<Times> {
    let count = |value: &Json| value.as_u64().filter(|count| *count > 0);
    let Json::Object(members) = times else {
        return count(times).map(Times::exactly);
    };
    let bound = |name| members.get(name).map(|value| count(value).ok_or(())).transpose();
    let (min, max) = (bound("min").ok()?, bound("max").ok()?);
    let are_all = members.keys().all(|name| name == "min" || name == "max");
    let is_empty = min.is_none() && max.is_none();
    let min = min.unwrap_or(1);
    (are_all && !is_empty && max.is_none_or(|max| min <= max)).then_some(Times { min, max })
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::bounds;

    #[test]
    fn reads_numbers_and_bounds() {
        let read = |text: &str| bounds(&Json::parse(text.as_bytes()).unwrap()).map(|times| (times.min, times.max));
        assert_eq!(read("2"), Some((2, Some(2))));
        assert_eq!(read(r#"{"min":2}"#), Some((2, None)));
        assert_eq!(read(r#"{"max":2}"#), Some((1, Some(2))));
        assert_eq!(read(r#"{"min":2,"max":3}"#), Some((2, Some(3))));
        for wrong in [
            "0",
            "-1",
            "1.5",
            "\"2\"",
            "null",
            "{}",
            r#"{"min":3,"max":2}"#,
            r#"{"most":2}"#,
            r#"{"min":null}"#,
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
