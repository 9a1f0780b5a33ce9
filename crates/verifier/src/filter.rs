//! Selects the interactions to verify.

use contract_model::Interaction;
use regex::Regex;

use crate::context::kind_is;
use crate::{InteractionInfo, SetupError};

/// Selects interactions. An interaction must meet all conditions.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Regular expression that must match a part of the description. `None` accepts any description.
    pub description: Option<Regex>,
    /// Regular expression that must match a part of the name of at least one provider state. `None` accepts any states.
    pub state: Option<Regex>,
    /// If true, the interaction must not have provider states.
    pub no_state: bool,
    /// Key, broker ID, or fingerprint of the interaction to select. `None` accepts all interactions.
    pub id: Option<String>,
    /// Interaction type, ignoring case: `HTTP`, `Async`, `Sync`, or the type in contract files, such as
    /// `Synchronous/HTTP`. `None` accepts all types.
    pub kind: Option<String>,
    /// Names of the consumers to select. An empty list accepts all consumers.
    pub consumers: Vec<String>,
    /// Keys, broker IDs, or fingerprints of the interactions to select, such as those that failed in the last run.
    /// `None` accepts all interactions.
    pub only: Option<Vec<String>>,
}

/// Returns the error message for an invalid pattern, on one line.
fn problem_of(pattern: &str, error: &regex::Error) -> String {
    let text = error.to_string();
    let problem = text
        .rsplit_once("error: ")
        .map_or(text.as_str(), |(_, problem)| problem);
    format!("{pattern:?} is not a valid regular expression: {problem}")
}

impl Filter {
    /// Compiles the patterns. If `state` is an empty string, only interactions without provider states are selected.
    pub fn new(description: Option<&str>, state: Option<&str>) -> Result<Self, SetupError> {
        let compile = |filter, pattern: &str| {
            Regex::new(pattern).map_err(|error| SetupError::Filter {
                what: filter,
                problem: problem_of(pattern, &error),
            })
        };
        let no_state = state == Some("");
        Ok(Self {
            description: description.map(|pattern| compile("description", pattern)).transpose()?,
            state: state
                .filter(|_| !no_state)
                .map(|pattern| compile("state", pattern))
                .transpose()?,
            no_state,
            ..Self::default()
        })
    }

    /// Returns an error for contradictory conditions or an unknown interaction type.
    pub fn check(&self) -> Result<(), SetupError> {
        if self.no_state && self.state.is_some() {
            return Err(SetupError::Contradiction(
                "the filter for a state and the filter for interactions without states are mutually exclusive. Use only one of them",
            ));
        }
        if let Some(kind) = &self.kind {
            let known = [
                "http",
                "async",
                "sync",
                "synchronous/http",
                "asynchronous/messages",
                "synchronous/messages",
            ];
            if !known.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
                return Err(SetupError::Filter {
                    what: "kind",
                    problem: format!("unknown interaction type {kind:?}. Use HTTP, Async, or Sync"),
                });
            }
        }
        Ok(())
    }

    pub(crate) fn takes(&self, interaction: &Interaction, info: &InteractionInfo) -> bool {
        let names = |names: &[String]| names.iter().any(|name| info.is_named(name));
        self.description
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(&info.description))
            && self
                .state
                .as_ref()
                .is_none_or(|pattern| info.states.iter().any(|state| pattern.is_match(&state.name)))
            && (!self.no_state || info.states.is_empty())
            && self.id.as_ref().is_none_or(|id| info.is_named(id))
            && self.kind.as_ref().is_none_or(|kind| kind_is(&interaction.kind, kind))
            && (self.consumers.is_empty() || self.consumers.iter().any(|consumer| *consumer == info.consumer))
            && self.only.as_deref().is_none_or(names)
    }

    pub(crate) fn describe(&self) -> String {
        let mut parts = Vec::new();
        let mut add =
            |filter: &str, value: Option<String>| parts.extend(value.map(|value| format!("{filter} {value:?}")));
        add("description", self.description.as_ref().map(ToString::to_string));
        add("state", self.state.as_ref().map(ToString::to_string));
        add("id", self.id.clone());
        add("kind", self.kind.clone());
        add(
            "consumers",
            (!self.consumers.is_empty()).then(|| self.consumers.join(", ")),
        );
        add("only", self.only.as_ref().map(|only| only.join(", ")));
        if self.no_state {
            parts.push("no state".to_owned());
        }
        parts.join(", ")
    }
}
