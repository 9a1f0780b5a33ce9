//! What only a mock server needs to know of an interaction: it never reaches the contract file.

use std::sync::Arc;

use contract_mock_server::Times;
use contract_model::Json;

use super::{ContractBuilder, InteractionBuilder, State, Taken};
use crate::error::ArgumentError;

/// Bounds on how often it is requested that make no sense.
const TIMES: &str = "ERR_CONTRACT_TIMES";
/// An interaction that this contract cannot serve.
const SERVE: &str = "ERR_CONTRACT_SERVE";

/// How often a test requests an interaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Local {
    /// Without: once or more.
    pub(crate) times: Option<Times>,
    /// Whether it may stay unrequested.
    pub(crate) optional: bool,
}

impl InteractionBuilder {
    /// How often the test requests it: a number, or `{ min, max }` with one of both or both. Without: once or more.
    pub fn times(&self, times: &Json) -> Result<(), ArgumentError> {
        let times = bounds(times).ok_or_else(|| {
            ArgumentError::new(
                TIMES,
                format!(
                    "times: expected a whole number from 1, or {{ min, max }} of such with min not above max, got {times}; \
                     an interaction that may stay unrequested is optional()"
                ),
            )
        })?;
        self.draft()?.local.times = Some(times);
        Ok(())
    }

    /// Whether the test may leave it unrequested.
    pub fn optional(&self, optional: bool) -> Result<(), ArgumentError> {
        self.draft()?.local.optional = optional;
        Ok(())
    }

    pub(super) fn local(&self) -> Local {
        self.lock().local
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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

impl ContractBuilder {
    /// Takes exactly these interactions for a server, those of earlier servers as well. They belong to that server until
    /// [`Self::finish`].
    pub(crate) fn take_only(&self, only: &[InteractionBuilder]) -> Result<Vec<Taken>, ArgumentError> {
        let mut definition = self.lock();
        for wanted in only {
            let found = definition.entries.iter().find(|entry| entry.builder.is(wanted));
            let problem = match found.map(|entry| &entry.state) {
                None => "is not one of this contract",
                Some(State::Served) => "is being served already; it can be served again when that server has stopped",
                Some(_) => continue,
            };
            let message = format!("serve: the interaction {:?} {problem}", wanted.description().as_str());
            return Err(ArgumentError::new(SERVE, message));
        }
        let taken = definition.built(|entry| only.iter().any(|wanted| entry.builder.is(wanted)))?;
        definition.refuse_duplicates(&taken)?;
        definition.give_out(&taken);
        Ok(taken)
    }

    /// What only the server needs to know of each.
    pub(crate) fn locals(&self, taken: &[Taken]) -> Vec<Local> {
        let definition = self.lock();
        taken
            .iter()
            .map(|taken| definition.entries[taken.entry].builder.local())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::bounds;

    #[test]
    fn bounds_of_times() {
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
