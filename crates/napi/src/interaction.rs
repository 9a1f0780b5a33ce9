use contract::InteractionBuilder;
use napi_derive::napi;

use crate::convert::done;
use crate::failure::Failure;

/// An interaction under construction.
#[napi]
pub struct NativeInteraction(pub(crate) InteractionBuilder);

#[napi]
impl NativeInteraction {
    /// Does what the JSON text of an operation says.
    #[napi(catch_unwind)]
    pub fn apply(&self, operation: String) -> Option<Failure> {
        done(self.0.apply_text(&operation))
    }

    /// What has been told since the last time about how other tools read what was defined.
    #[napi(catch_unwind)]
    pub fn take_warnings(&self) -> Vec<String> {
        self.0.take_warnings()
    }
}
