use contract::InteractionBuilder;
use napi::Either;
use napi_derive::napi;

use crate::failure::Failure;

/// An interaction that is being defined.
#[napi]
pub struct NativeInteraction(pub(crate) InteractionBuilder);

#[napi]
impl NativeInteraction {
    /// Performs an operation, given as JSON text. Returns the failure, warnings about parts that other Pact
    /// implementations interpret differently, or null if there are neither.
    #[napi(catch_unwind)]
    pub fn apply(&self, operation: String) -> Option<Either<Failure, Vec<String>>> {
        if let Err(error) = self.0.apply_text(&operation) {
            return Some(Either::A(error.into()));
        }
        let warnings = self.0.take_warnings();
        (!warnings.is_empty()).then_some(Either::B(warnings))
    }

    /// Marks the interaction as incomplete, because an argument of its next call could not be created. `problem` is the
    /// error message.
    #[napi(catch_unwind)]
    pub fn abort_call(&self, problem: String) {
        self.0.abort_call(&problem);
    }
}
