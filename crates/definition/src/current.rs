//! The interaction that is being defined on this thread.

use std::cell::RefCell;
use std::sync::Weak;

use contract_call::error::{ArgumentError, VALUE};

/// A definition that a failed call leaves incomplete.
pub(crate) trait Definition {
    fn call_failed(&self, error: &ArgumentError);
}

thread_local! {
    /// The interaction that was defined last on this thread.
    static CURRENT: RefCell<Option<Weak<dyn Definition>>> = const { RefCell::new(None) };
}

pub(crate) fn set(definition: Weak<dyn Definition>) {
    CURRENT.set(Some(definition));
}

/// Marks the current interaction as incomplete after a matcher error. A matcher is created before the operation that
/// uses it, so after an error, the operation is never called. The next successful call on the interaction resets this.
pub(crate) fn call_failed(error: &ArgumentError) {
    if let Some(definition) = CURRENT.with_borrow(|current| current.as_ref().and_then(Weak::upgrade)) {
        definition.call_failed(error);
    }
}

/// Reports that a binding could not convert a value, so the operation that uses it is never called.
pub fn value_refused(problem: &str) {
    call_failed(&ArgumentError::new(VALUE, problem.to_owned()));
}
