//! Checks matcher JSON when it is created, before an operation uses it.

use contract_matching::RequestPlan;
use contract_model::{Body, Content, Json, Request, split_body};

use crate::examples::{complete, is_too_large};
use contract_call::error::{ArgumentError, EXAMPLE, MATCHER};

/// Returns an error if a rule is invalid or rejects its own example.
pub(super) fn check(template: &Json) -> Result<(), ArgumentError> {
    let invalid = |code, problem: String| ArgumentError::new(code, problem);
    let mut split = split_body(template).map_err(|error| invalid(MATCHER, error.kind.to_string()))?;
    match complete(&mut split) {
        // The limit depends on the contract, so the operation that uses the matcher checks it.
        Err(error) if is_too_large(&error) => return Ok(()),
        done => done?,
    }
    let mut request = Request {
        body: Body::Present(Content::json(split.example)),
        ..Request::default()
    };
    request.rules.body = split.rules;
    let found = RequestPlan::rejected_example(&request);
    match found.map_err(|error| invalid(MATCHER, error.problem.to_string()))? {
        None => Ok(()),
        Some(mismatch) => Err(invalid(
            EXAMPLE,
            format!("the example does not satisfy the matcher: {mismatch}"),
        )),
    }
}
