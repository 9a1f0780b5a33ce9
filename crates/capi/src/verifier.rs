use std::ffi::{c_char, c_void};
use std::sync::{Arc, PoisonError};

use contract::{Environment, Json, Object, RunContext, RunOptions, Verification, Verified};

use crate::calls::{User, contract_callback};
use crate::edge::{give, give_some, guarded, options, place, put, text};
use crate::events::Polled;
use crate::handles::{self, Behind, Verifier, keep};
use crate::{contract_handle, contract_status, contract_text};

pub(crate) fn run_context() -> RunContext {
    use std::io::IsTerminal;
    RunContext {
        environment: Environment::from_process(),
        terminal: std::io::stderr().is_terminal(),
        ..RunContext::default()
    }
}

pub(crate) fn result_json(verified: &Verified) -> String {
    let cause = |cause: &contract::Cause| {
        let mut members = Object::new();
        members.insert("contract", cause.contract as u64);
        members.insert("interaction", cause.interaction as u64);
        members.insert("teardown", cause.teardown);
        members.insert("call", cause.token);
        Json::from(members)
    };
    let mut members = Object::new();
    members.insert(
        "report",
        contract::parse_json(&verified.report_text()).unwrap_or_default(),
    );
    members.insert("failures", verified.failures.clone().map_or(Json::Null, Json::from));
    members.insert("text", verified.text.clone());
    members.insert("log", verified.log.iter().cloned().map(Json::from).collect::<Vec<_>>());
    members.insert("causes", verified.causes.iter().map(cause).collect::<Vec<_>>());
    Json::from(members).to_text()
}

/// Creates a verifier for the provider with the given name. The caller must free the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_new(
    provider: *const c_char,
    provider_length: usize,
    out: *mut contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let provider = text(provider, provider_length, "provider")?;
            let verifier = Verifier {
                core: Verification::new(provider)?,
                calls: Arc::default(),
                polled: Polled::default(),
            };
            put(out, "out", keep(Behind::Verifier(Arc::new(verifier))))
        })
    }
}

/// Performs an operation on a verifier, such as `{"add_source": {"source": "./contracts"}}` or `{"state_handler":
/// {"handler": {"an order exists": {"contract:value": "function", "id": 1}}}}`. The caller assigns the function IDs,
/// which are passed to contract_callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_apply(
    verifier: contract_handle,
    operation: *const c_char,
    operation_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let verifier = handles::verifier(verifier)?;
            verifier
                .core
                .apply_text_operation(text(operation, operation_length, "operation")?)?;
            Ok(())
        })
    }
}

/// Sets the callback that calls the user's functions. `user` is passed as its first argument. A null callback removes
/// the current one. `callback` and `user` must remain valid until they are replaced, or until the verifier is freed and
/// no call is running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_set_callback(
    verifier: contract_handle,
    callback: contract_callback,
    user: *mut c_void,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let verifier = handles::verifier(verifier)?;
            let user = callback.map(|callback| User {
                callback,
                pointer: user,
            });
            *verifier.calls.user.lock().unwrap_or_else(PoisonError::into_inner) = user;
            Ok(())
        })
    }
}

/// Runs the verification and blocks until it has finished. The options are `{"exit_first", "last_failed",
/// "concurrency", "progress"}` or null. Returns `{"report", "failures", "text", "log", "causes"}`. `failures` is a
/// string that describes the failures, or null if the provider satisfies its contracts. `text` is the complete output,
/// `log` contains the last lines of the log, and `causes` lists the failures that errors of the user's functions
/// caused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_run(
    verifier: contract_handle,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verifier = handles::verifier(verifier)?;
            verifier.polled.idle()?;
            let run = RunOptions::from_text(options(json, json_length, "json")?)?;
            let result = contract::runtime::run_here(verifier.core.verify(run, &run_context(), verifier.callbacks()))??;
            give(out, result_json(&result))
        })
    }
}

/// Reads all sources and returns the interactions to verify as a JSON array of `{"contract", "group", "title"}`, with
/// one object per test. `contract` is the index of the contract, `group` the title of its tests, and `title` the test's
/// own title, which is unique in the group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_interactions(
    verifier: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verifier = handles::verifier(verifier)?;
            let context = run_context();
            contract::runtime::run_here(verifier.core.prepare(&context))??;
            give(out, contract::to_text(&verifier.core.interactions(&context)?))
        })
    }
}

/// Prepares to verify interactions one at a time with contract_verifier_verify_one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_start(
    verifier: contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let verifier = handles::verifier(verifier)?;
            Ok(verifier.core.start(&run_context(), &verifier.callbacks())?)
        })
    }
}

/// Verifies the interaction at `index` in the result of contract_verifier_interactions. Call contract_verifier_start
/// first. Returns the result of this interaction in the format of contract_verifier_run. Verify only one interaction at
/// a time, because the interactions share the state of the provider.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_verify_one(
    verifier: contract_handle,
    index: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verifier = handles::verifier(verifier)?;
            verifier.polled.idle()?;
            let result = contract::runtime::run_here(verifier.core.verify_one(index, &RunContext::default()))??;
            give(out, result_json(&result))
        })
    }
}

/// Ends the verification that contract_verifier_start prepared. Publishes the results if requested, and closes all
/// connections. Returns the results of all interactions in the format of contract_verifier_run, or null if
/// contract_verifier_start was not called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_finish(
    verifier: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verifier = handles::verifier(verifier)?;
            let finished = contract::runtime::run_here(verifier.core.finish(&run_context()))?;
            verifier.core.close();
            give_some(out, finished.map(|verified| result_json(&verified)))
        })
    }
}

/// Returns the result of the last run in the format of contract_verifier_run. While interactions are verified one at a
/// time, returns the results so far. Returns null before the first run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_last(
    verifier: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let last = handles::verifier(verifier)?.core.last();
            give_some(out, last.map(|verified| result_json(&verified)))
        })
    }
}

/// Converts a report in JSON to another format: `json`, `junit`, `markdown`, `html`, or `github`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_report_format(
    report: *const c_char,
    report_length: usize,
    format: *const c_char,
    format_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let report = text(report, report_length, "report")?;
            give(
                out,
                contract::format_report(report, text(format, format_length, "format")?)?,
            )
        })
    }
}
