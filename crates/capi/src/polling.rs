use std::ffi::c_char;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use contract::{Json, RunContext, RunOptions, Verified};

use crate::edge::{Failure, give, give_some, guarded, place, text};
use crate::events::Event;
use crate::handles::{self, Verifier};
use crate::verifier::{result_json, run_context};
use crate::{contract_handle, contract_status, contract_text};

enum Work {
    Run(RunOptions),
    VerifyOne(usize),
}

impl Work {
    fn from_text(text: &str) -> Result<Self, Failure> {
        let invalid = || {
            let message = "the JSON must be {\"run\": {options}} or {\"verify_one\": index}";
            Failure::misuse("ERR_CONTRACT_OPTIONS", message)
        };
        let work = contract::parse_json(text)?;
        let members = work.as_object().ok_or_else(invalid)?;
        match members.members() {
            [(name, options)] if name.as_str() == "run" => Ok(Self::Run(RunOptions::from_text(&options.to_text())?)),
            [(name, Json::Number(index))] if name.as_str() == "verify_one" => {
                let index = index.to_string().parse().map_err(|_| invalid())?;
                Ok(Self::VerifyOne(index))
            }
            _ => Err(invalid()),
        }
    }

    async fn carry_out(self, verifier: &Verifier) -> Result<Arc<Verified>, Failure> {
        Ok(match self {
            Self::Run(options) => {
                verifier
                    .core
                    .verify(options, &run_context(), verifier.callbacks())
                    .await?
            }
            Self::VerifyOne(index) => verifier.core.verify_one(index, &RunContext::default()).await?.into(),
        })
    }
}

/// Starts contract_verifier_run (`{"run": {options}}`) or contract_verifier_verify_one (`{"verify_one": index}`) in the
/// background and returns immediately. Function calls are then returned by contract_poll_event as events instead of
/// calling the callback. Use this function in languages whose functions must not be called on threads of the library.
/// Only one verification per verifier may run at a time. Freeing the verifier with contract_free aborts the
/// verification.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_verifier_begin(
    verifier: contract_handle,
    json: *const c_char,
    json_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let verifier = handles::verifier(verifier)?;
            let work = Work::from_text(text(json, json_length, "json")?)?;
            let runtime = contract::runtime::try_handle()?;
            let mut events = verifier.polled.events()?;
            if events.is_some() {
                drop(events);
                return verifier.polled.idle();
            }
            let (sender, receiver) = channel();
            verifier.calls.send_to(Some(sender.clone()));
            *events = Some(receiver);
            let worker = Arc::clone(&verifier);
            let task = runtime.spawn(async move { work.carry_out(&worker).await });
            let abort = task.abort_handle();
            *verifier.polled.abort.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(Box::new(move || abort.abort()));
            let calls = Arc::clone(&verifier.calls);
            runtime.spawn(async move {
                let ended = match task.await {
                    Ok(ended) => ended,
                    Err(error) if error.is_cancelled() => {
                        Err(Failure::misuse("ERR_CONTRACT_HANDLE", "the verifier was freed"))
                    }
                    Err(_) => Err(Failure::internal()),
                };
                calls.send_to(None);
                let text = match ended {
                    Ok(done) => format!(r#"{{"event":"ended","result":{},"error":null}}"#, result_json(&done)),
                    Err(failure) => format!(r#"{{"event":"ended","result":null,"error":{}}}"#, failure.to_text()),
                };
                // The receiver is dropped when the verifier is freed.
                drop(sender.send(Event { text, is_last: true }));
            });
            Ok(())
        })
    }
}

/// Returns the next event of the verification that contract_verifier_begin started. Waits for at most `timeout`
/// milliseconds, and returns null if no event occurred in this time. `{"event": "call", "call", "function", "role",
/// "arguments"}` is a function call (see contract_callback). Answer it with contract_answer, before or after polling
/// for further events. `{"event": "ended", "result", "error"}` is the last event. Its `result` has the format of
/// contract_verifier_run, and is null if there is an `error`. Only one thread may poll at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_poll_event(
    verifier: contract_handle,
    timeout: u32,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verifier = handles::verifier(verifier)?;
            let mut events = verifier.polled.events()?;
            let Some(receiver) = events.as_ref() else {
                let message = "no verification is running; call contract_verifier_begin first";
                return Err(Failure::misuse("ERR_CONTRACT_NOT_RUNNING", message));
            };
            match receiver.recv_timeout(Duration::from_millis(timeout.into())) {
                Ok(event) => {
                    if event.is_last {
                        *events = None;
                    }
                    give(out, event.text)
                }
                Err(RecvTimeoutError::Timeout) => give_some(out, None),
                Err(RecvTimeoutError::Disconnected) => {
                    *events = None;
                    Err(Failure::internal())
                }
            }
        })
    }
}
