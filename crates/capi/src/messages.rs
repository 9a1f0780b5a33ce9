use std::ffi::c_char;
use std::sync::Arc;

use contract::{CallSite, Canonical, Handled, Json, Object, TakeMessages as _};

use crate::contract::around;
use crate::edge::{Failure, give, guarded, place, put, text};
use crate::handles::{self, Behind, keep};
use crate::{contract_handle, contract_status, contract_text};

/// Takes the messages of one kind that were defined since the last time, for a test of the consumer's own code. Options hold
/// `kind`, `Async` or `Sync`, and may hold `raises`, `check_response`, `allow_empty`, `all`, `seed` and `generated_size`. The caller
/// tells of each message how it was taken, calls contract_messages_finish, and frees the handle.
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
            let session = contract.take_messages_text(text(json, json_length, "json")?, &place_text(&around()))?;
            put(out, "out", keep(Behind::Messages(Arc::new(session))))
        })
    }
}

fn place_text(around: &CallSite) -> String {
    let mut place = Object::new();
    if let Some(directory) = &around.directory {
        place.insert("directory", directory.display().to_string());
    }
    Json::from(place).to_text()
}

/// Gives the messages, a JSON list of `{"description", "raw", "contentType", "metadata", "isReady", …}`. One that is not ready is
/// not for the handler.
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

/// Takes down how the user's code took the message at `index`: `"passed"`, `"timed_out"`, `{"threw": "why"}`, or
/// `{"returned": …}` with a response that is compared with the defined one. A message that is not ready `passed`; one that nobody
/// told of has failed in the end. The last word on a message holds.
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
                let message = format!("there is no message {index}: there are {count}, and the first is 0");
                return Err(Failure::misuse("ERR_CONTRACT_INDEX", &message));
            }
            let how = Handled::from_text(text(json, json_length, "json")?)?;
            // Without a response that it is compared with, what was returned means nothing.
            let is_returned = matches!(how, Handled::Returned(_));
            let how = if is_returned && messages.compared_with(index) == 0 {
                Handled::Passed
            } else {
                how
            };
            messages.handled(index, how, &Canonical);
            Ok(())
        })
    }
}

/// Gives the messages back and writes those that passed. Gives the verdict `{"raises", "failures", "text"}`: the test failed unless
/// `failures` is empty. The handle is still to be freed.
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
