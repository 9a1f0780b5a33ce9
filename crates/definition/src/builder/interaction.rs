//! Handles to interactions that are being defined.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract_model::{Interaction, Json, Text};

use super::draft::Draft;
use super::operation::{InteractionArguments, Operation, RequestArguments, ResponseArguments};
use contract_call::error::{ArgumentError, Done, FROZEN, VALUE};
use contract_call::message::{message, operation as called};
use contract_call::read::Document;

use crate::examples;

/// A handle to an interaction of a [`ContractBuilder`](super::ContractBuilder). All clones refer to the same
/// interaction.
///
/// Every call is an [`Operation`]; the methods of this type create the most common ones. A failed call has no effect
/// except that the interaction becomes incomplete: it is not served or written until another call succeeds.
#[derive(Clone, Debug)]
pub struct InteractionBuilder(pub(super) Arc<Mutex<Draft>>);

impl InteractionBuilder {
    pub(super) fn new(draft: Draft) -> Self {
        Self(Arc::new(Mutex::new(draft)))
    }

    /// Applies an operation. On error, the interaction becomes incomplete until another operation succeeds.
    pub fn apply(&self, operation: Operation) -> Done {
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
            let done = examples::with_limit(draft.generated_size, || draft.apply(operation));
            if done.is_err() {
                draft.warnings.truncate(warnings);
            }
            done
        };
        record_result(&mut draft, done.map_err(|error| error.in_operation(name)))
    }

    /// Marks the interaction as incomplete, because creating an argument of its next operation failed with the error
    /// text `problem`. Bindings call this because the operation itself is never called. The next successful operation
    /// completes the interaction again.
    pub fn abort_call(&self, problem: &str) {
        let mut draft = self.lock();
        if !draft.frozen && draft.last_error.is_none() {
            let error = ArgumentError::new(VALUE, problem.to_owned());
            draft.last_error = Some(error.defined_at(&draft.origin));
        }
    }

    /// Like [`Self::apply`], with the operation as JSON text.
    pub fn apply_text(&self, operation: &str) -> Done {
        match Operation::from_text(operation) {
            Ok(operation) => self.apply(operation),
            Err(error) => record_result(&mut self.lock(), Err(error)),
        }
    }

    pub(super) fn define(&self, arguments: InteractionArguments) -> Done {
        let states = arguments.states.unwrap_or_default().into_iter().map(|state| {
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
        let all = states.chain(parts).chain(comments).chain(rest.into_iter().flatten());
        all.into_iter()
            .try_for_each(|(member, operation)| self.apply(operation).map_err(|error| error.within(member)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Draft> {
        // Operations validate before they change anything, so the draft is still valid after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the warnings that were added since the last call, about content that other Pact implementations read
    /// differently.
    pub fn take_warnings(&self) -> Vec<String> {
        let mut draft = self.lock();
        let fresh = draft.warnings[draft.taken_warnings..].to_vec();
        draft.taken_warnings = draft.warnings.len();
        fresh
    }

    /// Returns a number that identifies the interaction. All of its handles have the same number.
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

    /// Adds a provider state. `parameters` is a JSON object, or `None` for a state without parameters.
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

    /// Defines the response of an HTTP interaction. The status is a number from 100 to 599 or matcher JSON.
    pub fn will_respond_with(&self, status: impl Into<Json>) -> Done {
        self.apply(Operation::WillRespondWith(Box::new(ResponseArguments {
            status: Some(status.into()),
            ..ResponseArguments::default()
        })))
    }

    /// Adds values to a header of the current part: a string, matcher JSON, or an array of these.
    pub fn with_header(&self, name: &str, value: impl Into<Json>) -> Done {
        self.apply(Operation::WithHeader {
            name: name.to_owned(),
            value: Document(value.into()),
            part: None,
        })
    }

    /// Sets the body of the current part. Strings are used unchanged, and other values are JSON templates.
    pub fn with_body(&self, body: impl Into<Json>) -> Done {
        self.apply(Operation::WithBody {
            body: Some(body.into()),
            content_type: None,
            part: None,
        })
    }
}

/// Stores the error of an operation in the draft, or removes the stored error if the operation succeeded.
fn record_result(draft: &mut Draft, done: Done) -> Done {
    let done = done.map_err(|error| error.defined_at(&draft.origin));
    draft.last_error = done.as_ref().err().cloned();
    done
}

#[cfg(test)]
mod tests {
    use contract_call::read::Whole;

    use crate::builder::{ContractBuilder, ContractOptions, InteractionBuilder, Kind, Selection};
    use crate::matchers::matcher;

    fn defined(contract: &ContractBuilder, description: &str) -> InteractionBuilder {
        let interaction = contract.upon_receiving(description, Kind::Http, "").unwrap();
        interaction.with_request("GET", "/").unwrap();
        interaction.will_respond_with(200_u64).unwrap();
        interaction
    }

    fn claim(contract: &ContractBuilder) -> Result<usize, String> {
        let claimed = contract.claim_and_build(Selection::New(Kind::Http));
        claimed.map(|claimed| claimed.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn matcher_errors_do_not_affect_complete_interactions() {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let _one = defined(&contract, "one");
        assert!(matcher("match.int", r#"{"example":5,"min":6}"#).is_err());
        assert_eq!(claim(&contract), Ok(1));
    }

    #[test]
    fn aborted_calls_leave_only_their_interaction_incomplete() {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let (one, _two) = (defined(&contract, "one"), defined(&contract, "two"));
        one.abort_call("match.int: the example 5 is less than min 6");
        assert_eq!(claim(&contract), Ok(1));
        assert!(
            claim(&contract)
                .unwrap_err()
                .contains("the example 5 is less than min 6")
        );
        one.with_header("X-Id", "7").unwrap();
        assert_eq!(claim(&contract), Ok(1));
    }

    #[test]
    fn the_limit_of_one_contract_does_not_affect_another() {
        let options = ContractOptions {
            generated_size: Some(Whole(4)),
            ..ContractOptions::default()
        };
        let small = ContractBuilder::with_options("web", "small", options).unwrap();
        let large = ContractBuilder::new("web", "large").unwrap();
        let template = matcher("match.str", r#"{"size":100}"#).unwrap().json().unwrap();
        let (one, other) = (defined(&small, "one"), defined(&large, "other"));
        assert!(one.with_body(template.clone()).is_err());
        assert!(matcher("match.any", r#"{"alternatives":[{"contract:matcher:type":"type","contract:generator:type":"RandomString","size":100},{"contract:matcher:type":"type","value":"a"}]}"#).is_ok());
        other.with_body(template).unwrap();
    }

    #[test]
    fn failed_operations_leave_no_warnings() {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let interaction = contract.upon_receiving("one", Kind::Http, "").unwrap();
        let apply = |call: &str| interaction.apply_text(call).map_err(|error| error.to_string());
        apply(r#"{"with_body":{"body":{"01":"b"}}}"#).unwrap();
        let warnings = interaction.take_warnings().len();
        let rule = |name: &str| {
            format!(r#"{{"with_matching_rules":{{"rules":{{"body":{{"$['01']":{{"match":"{name}"}}}}}}}}}}"#)
        };
        assert!(apply(&rule("integer")).is_err());
        assert_eq!((interaction.take_warnings().len(), warnings), (0, 0));
        apply(&rule("type")).unwrap();
        assert_eq!(interaction.take_warnings().len(), 1);
    }
}
