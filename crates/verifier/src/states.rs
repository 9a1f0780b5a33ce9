//! Sets up and tears down the provider states of an interaction.

use std::sync::Arc;

use contract_model::{Object, ProviderState, Text};
use contract_wire::seconds;

use crate::{
    CallbackError, ErrorCode, InteractionError, InteractionInfo, MissingState, Options, StateAction, StateChange,
    States,
};

/// The result of [`set_up`].
#[derive(Default)]
pub(crate) struct SetUp {
    /// Parameters of all states, overridden by values that state handlers returned.
    pub(crate) values: Object,
    /// The states whose setup was started, even if it failed. They are torn down later.
    pub(crate) tried: Vec<ProviderState>,
    /// Names of the states without a handler to list in a warning.
    pub(crate) missed: Vec<Text>,
    pub(crate) error: Option<InteractionError>,
}

/// Sets up the states in order. Stops after the first failure.
pub(crate) async fn set_up(options: &Options, info: &Arc<InteractionInfo>) -> SetUp {
    let mut outcome = SetUp::default();
    for state in &info.states {
        for (name, value) in &state.parameters {
            outcome.values.insert(name.clone(), value.clone());
        }
    }
    let Some(states) = &options.states else {
        outcome.missed = info.states.iter().map(|state| state.name.clone()).collect();
        return outcome;
    };
    let required_states = required_states(states, info);
    let known = |state: &ProviderState| states.handler.knows(&state.name) != Some(false);
    if states.missing == MissingState::Error
        && let Some(missing) = required_states.iter().find(|state| !known(state))
    {
        outcome.error = Some(unknown(states, &missing.name));
        return outcome;
    }
    for state in required_states {
        if !known(&state) {
            if states.missing == MissingState::Warn {
                outcome.missed.push(state.name);
            }
            continue;
        }
        outcome.tried.push(state.clone());
        match change(options, states, info, &state, StateAction::Setup).await {
            Ok(values) => {
                for (name, value) in values {
                    outcome.values.insert(name, value);
                }
            }
            Err(error) => {
                outcome.error = Some(error);
                break;
            }
        }
    }
    outcome
}

/// Tears down the states in reverse order, if teardown is enabled for them. Continues after a failure, and returns the
/// first error.
pub(crate) async fn tear_down(
    options: &Options,
    info: &Arc<InteractionInfo>,
    tried: &[ProviderState],
) -> Option<InteractionError> {
    let states = options.states.as_ref()?;
    let mut first = None;
    for state in tried.iter().rev() {
        if states.handler.tears_down(&state.name).unwrap_or(states.teardown) {
            let result = change(options, states, info, state, StateAction::Teardown).await;
            first = first.or(result.err());
        }
    }
    first
}

fn required_states(states: &States, info: &InteractionInfo) -> Vec<ProviderState> {
    if info.states.is_empty() && states.handler.takes_empty_state() {
        vec![ProviderState::default()]
    } else {
        info.states.clone()
    }
}

async fn change(
    options: &Options,
    states: &States,
    info: &Arc<InteractionInfo>,
    state: &ProviderState,
    action: StateAction,
) -> Result<Object, InteractionError> {
    let change = StateChange {
        state: state.name.clone(),
        action,
        parameters: state.parameters.clone(),
        interaction: Arc::clone(info),
    };
    tracing::debug!("{action} of the state {:?}", state.name);
    let limit = options.callback_timeout;
    match tokio::time::timeout(limit, states.handler.change(change)).await {
        Ok(Ok(values)) => Ok(values),
        Ok(Err(error)) => Err(failed(state, action, &error)),
        Err(_) => Err(InteractionError::new(
            ErrorCode::StateTimeout,
            format!(
                "the {action} of the state {:?} did not finish within {}. Check whether its handler waits for something that \
                 never happens, or raise the callback timeout",
                state.name,
                seconds(limit)
            ),
        )),
    }
}

fn failed(state: &ProviderState, action: StateAction, error: &CallbackError) -> InteractionError {
    let subject = format!("the {action} of the state {:?} failed", state.name);
    crate::error::callback_failed(ErrorCode::StateHandler, subject, error)
}

fn unknown(states: &States, name: &str) -> InteractionError {
    InteractionError::new(
        ErrorCode::StateUnknown,
        format!(
            "no provider state handler for {name:?}{}",
            suggest(name, &states.handler.known_names())
        ),
    )
}

/// Returns the end of the error message for a missing handler: similar names, or else the known names.
pub fn suggest(name: &str, known: &[String]) -> String {
    const SHOWN: usize = 10;
    if known.is_empty() {
        return ". Add a handler.".to_owned();
    }
    let plain = name.to_lowercase();
    let mut near: Vec<_> = known
        .iter()
        .map(|known| {
            (
                strsim::normalized_damerau_levenshtein(&plain, &known.to_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.6)
        .collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let quoted = |names: &mut dyn Iterator<Item = &String>| names.map(|name| format!("{name:?}")).collect::<Vec<_>>();
    if !near.is_empty() {
        let near = quoted(&mut near.into_iter().take(3).map(|(_, known)| known));
        return format!(". Did you mean {}? Otherwise, add a handler.", near.join(" or "));
    }
    let more = known.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        ". Add a handler. Known names: {}{more}",
        quoted(&mut known.iter().take(SHOWN)).join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn suggestions() {
        let known = ["an order exists".to_owned(), "a user is logged in".to_owned()];
        assert_eq!(
            suggest("An order exist", &known),
            ". Did you mean \"an order exists\"? Otherwise, add a handler."
        );
        assert_eq!(
            suggest("nothing", &known),
            ". Add a handler. Known names: \"an order exists\", \"a user is logged in\""
        );
        assert_eq!(suggest("nothing", &[]), ". Add a handler.");
    }
}
