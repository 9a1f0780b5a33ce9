use std::ffi::c_char;
use std::sync::Arc;

use contract::{CallSite, Canonical, Handled, Json, Object, TakeMessages as _};

use crate::contract::call_site;
use crate::edge::{Failure, give, guarded, place, put, text};
use crate::handles::{self, Behind, keep};
use crate::{contract_handle, contract_status, contract_text};

/// Returns a handle for the messages of one kind that were defined since the last call, to test the consumer's message
/// handler. The options are `kind` (`Async` or `Sync`, required), `raises`, `check_response`, `allow_empty`, `all`,
/// `seed`, and `generated_size`. The caller must report the result of each message with contract_messages_handled, call
/// contract_messages_finish, and free the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_messages_take(
    contract: contract_handle,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let contract = handles::contract(contract)?;
            let session =
                contract.take_messages_text(text(json, json_length, "json")?, &call_site_text(&call_site()))?;
            put(out, "out", keep(Behind::Messages(Arc::new(session))))
        })
    }
}

fn call_site_text(call_site: &CallSite) -> String {
    let mut place = Object::new();
    if let Some(directory) = &call_site.directory {
        place.insert("directory", directory.display().to_string());
    }
    Json::from(place).to_text()
}

/// Returns the messages as a JSON array of `{"description", "raw", "contentType", "metadata", "isReady", …}`. Do not
/// pass a message to the handler if its `isReady` is false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_messages_list(
    messages: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            give(out, handles::messages(messages)?.messages_text())
        })
    }
}

/// Reports the handler's result for the message at `index`, which starts at 0: `"passed"`, `"timed_out"`, `{"threw":
/// "error message"}`, or `{"returned": …}` with a response to compare with the expected response. For a message that is
/// not ready, report `"passed"`. A message without a reported result fails. If several results are reported for a
/// message, the last one applies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_messages_handled(
    messages: contract_handle,
    index: usize,
    json: *const c_char,
    json_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let messages = handles::messages(messages)?;
            let count = messages.count();
            if index >= count {
                let message =
                    format!("message {index} does not exist; there are {count} messages, and their indexes start at 0");
                return Err(Failure::misuse("ERR_CONTRACT_INDEX", &message));
            }
            let handled = Handled::from_text(text(json, json_length, "json")?)?;
            // The returned value is only needed if it is compared with a response.
            let is_returned = matches!(handled, Handled::Returned(_));
            let handled = if is_returned && messages.compared_with(index) == 0 {
                Handled::Passed
            } else {
                handled
            };
            messages.handled(index, handled, &Canonical);
            Ok(())
        })
    }
}

/// Ends the test of the messages and writes the messages that passed. Returns `{"raises", "failures", "text"}`. The
/// test has passed if the array `failures` is empty. `text` describes the failures. If `raises` is true, the caller
/// must report them as an error. The caller must still free the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_messages_finish(
    messages: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let verdict = handles::messages(messages)?.finish()?;
            give(out, contract::to_text(&verdict))
        })
    }
}
