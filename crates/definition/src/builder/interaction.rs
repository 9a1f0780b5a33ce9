//! An interaction that is being defined.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use contract_model::{Interaction, Json, Text};

use super::draft::Draft;
use super::operation::{InteractionArguments, Operation, RequestArguments, ResponseArguments};
use contract_call::error::{ArgumentError, Done, FROZEN};
use contract_call::message::{message, operation as called};
use contract_call::read::Document;

use crate::{current, examples};

/// A handle to an interaction of a [`ContractBuilder`](super::ContractBuilder). A clone refers to the same interaction.
///
/// Every call is an [`Operation`]; the methods create the most common ones. A failed call has no effect, but the
/// interaction is incomplete, so it is not served or written until another call succeeds.
#[derive(Clone, Debug)]
pub struct InteractionBuilder(pub(super) Arc<Mutex<Draft>>);

impl InteractionBuilder {
    pub(super) fn new(draft: Draft) -> Self {
        let interaction = Self(Arc::new(Mutex::new(draft)));
        interaction.make_current();
        interaction
    }

    /// Makes this the current interaction of the thread. A matcher error on the thread marks the current interaction as
    /// incomplete.
    fn make_current(&self) {
        let definition: Weak<Mutex<Draft>> = Arc::downgrade(&self.0);
        current::set(definition);
        examples::allow(self.lock().generated_size);
    }

    /// Applies an operation.
    pub fn apply(&self, operation: Operation) -> Done {
        self.make_current();
        let name = operation.name();
        let mut draft = self.lock();
        let done = if draft.frozen {
            let message = message![
                format!(
                    "the interaction {:?} was already served and cannot be changed; define another one with ",
                    draft.description
                ),
                called("upon_receiving")
            ];
            Err(ArgumentError::new(FROZEN, message))
        } else {
            let warnings = draft.warnings.len();
            let done = draft.apply(operation);
            if done.is_err() {
                draft.warnings.truncate(warnings);
            }
            done
        };
        record_result(&mut draft, done.map_err(|error| error.in_operation(name)))
    }

    /// Applies an operation, given as JSON text.
    pub fn apply_text(&self, operation: &str) -> Done {
        match Operation::from_text(operation) {
            Ok(operation) => self.apply(operation),
            Err(error) => record_result(&mut self.lock(), Err(error)),
        }
    }

    pub(super) fn define(&self, arguments: InteractionArguments) -> Done {
        let given = arguments.states.unwrap_or_default().into_iter().map(|state| {
            let operation = Operation::Given {
                state: state.name,
                name: None,
                value: None,
                parameters: state.parameters,
            };
            ("states", operation)
        });
        let parts = [
            ("request", Operation::WithRequest(Box::new(arguments.request))),
            ("response", Operation::WillRespondWith(Box::new(arguments.response))),
        ];
        let comments = arguments.comments.unwrap_or_default().0.into_iter();
        let comments = comments.map(|(key, value)| {
            let (key, value) = (key.into(), Some(value));
            ("comments", Operation::SetComment { key, value })
        });
        let rest = [
            arguments.key.map(|key| ("key", Operation::SetKey { key: Some(key) })),
            arguments
                .pending
                .map(|pending| ("pending", Operation::SetPending { pending })),
            arguments
                .test_name
                .map(|name| ("test_name", Operation::TestName { name })),
        ];
        let all = given.chain(parts).chain(comments).chain(rest.into_iter().flatten());
        all.into_iter()
            .try_for_each(|(member, operation)| self.apply(operation).map_err(|error| error.within(member)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Draft> {
        // A panic leaves a valid draft, because every operation checks first and changes last.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns new warnings about how other Pact implementations read this interaction.
    pub fn take_warnings(&self) -> Vec<String> {
        let mut draft = self.lock();
        let fresh = draft.warnings[draft.taken_warnings..].to_vec();
        draft.taken_warnings = draft.warnings.len();
        fresh
    }

    /// Returns a key that is equal for all handles to the same interaction.
    pub(super) fn key(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    pub(super) fn description(&self) -> Text {
        self.lock().description.clone()
    }

    pub(super) fn freeze(&self, frozen: bool) {
        self.lock().frozen = frozen;
    }

    /// Builds the interaction. Fails if an example does not satisfy its own matcher.
    pub fn build(&self) -> Result<Interaction, ArgumentError> {
        let draft = self.lock();
        draft.clone().build().map_err(|error| {
            error
                .within(format!("{:?}", draft.description))
                .defined_at(&draft.origin)
        })
    }

    /// Adds a provider state. `parameters` must be an object.
    pub fn given(&self, state: &str, parameters: Option<Json>) -> Done {
        self.apply(Operation::Given {
            state: state.to_owned(),
            name: None,
            value: None,
            parameters,
        })
    }

    /// Defines the request. The path is a string or matcher JSON.
    pub fn with_request(&self, method: &str, path: impl Into<Json>) -> Done {
        self.apply(Operation::WithRequest(Box::new(RequestArguments {
            method: Some(method.to_owned()),
            path: Some(path.into()),
            ..RequestArguments::default()
        })))
    }

    /// Defines the response of an HTTP interaction. The status is a number or matcher JSON.
    pub fn will_respond_with(&self, status: impl Into<Json>) -> Done {
        self.apply(Operation::WillRespondWith(Box::new(ResponseArguments {
            status: Some(status.into()),
            ..ResponseArguments::default()
        })))
    }

    /// Adds values to a header of the current part.
    pub fn with_header(&self, name: &str, value: impl Into<Json>) -> Done {
        self.apply(Operation::WithHeader {
            name: name.to_owned(),
            value: Document(value.into()),
            part: None,
        })
    }

    /// Sets the body of the current part. Strings are used unchanged, other values are JSON templates.
    pub fn with_body(&self, body: impl Into<Json>) -> Done {
        self.apply(Operation::WithBody {
            body: Some(body.into()),
            content_type: None,
            part: None,
        })
    }
}

impl current::Definition for Mutex<Draft> {
    fn call_failed(&self, error: &ArgumentError) {
        let mut draft = self.lock().unwrap_or_else(PoisonError::into_inner);
        if !draft.frozen && draft.last_error.is_none() {
            draft.last_error = Some(error.clone().defined_at(&draft.origin));
        }
    }
}

/// Records the result of an operation.
fn record_result(draft: &mut Draft, done: Done) -> Done {
    let done = done.map_err(|error| error.defined_at(&draft.origin));
    draft.last_error = done.as_ref().err().cloned();
    done
}

#[cfg(test)]
mod tests {
    use crate::builder::{ContractBuilder, Kind};

    #[test]
    fn failed_operations_leave_no_warnings() {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let interaction = contract.upon_receiving("one", Kind::Http, "").unwrap();
        let say = |call: &str| interaction.apply_text(call).map_err(|error| error.to_string());
        say(r#"{"with_body":{"body":{"01":"b"}}}"#).unwrap();
        let told = interaction.take_warnings().len();
        let rule = |name: &str| {
            format!(r#"{{"with_matching_rules":{{"rules":{{"body":{{"$['01']":{{"match":"{name}"}}}}}}}}}}"#)
        };
        assert!(say(&rule("integer")).is_err());
        assert_eq!((interaction.take_warnings().len(), told), (0, 0));
        say(&rule("type")).unwrap();
        assert_eq!(interaction.take_warnings().len(), 1);
    }
}
