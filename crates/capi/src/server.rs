use std::ffi::c_char;
use std::sync::Arc;

use contract::{Canonical, Ending, Json, Object, ServeContract as _};

use crate::contract::{around, writing};
use crate::edge::{Failure, give, guarded, options, place, put, text};
use crate::handles::{self, Behind, keep};
use crate::{contract_handle, contract_status, contract_text};

unsafe fn listed<T>(
    all: *const contract_handle,
    count: usize,
    name: &str,
    one: impl Fn(contract_handle) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    if all.is_null() || isize::try_from(count.saturating_mul(8)).is_err() {
        return Err(Failure::misuse(
            "ERR_CONTRACT_NULL",
            &format!("{name} is a null pointer, or no list"),
        ));
    }
    // SAFETY: the caller gives this many handles.
    let all = unsafe { std::slice::from_raw_parts(all, count) };
    all.iter().map(|number| one(*number)).collect()
}

/// Starts a mock server for the interactions defined since the last time; options, such as `{"port": 8080}`, may be null. With
/// `only`, for exactly these `only_count` interactions; null is no such list. The test calls its URL, then contract_servers_end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_serve(
    contract: contract_handle,
    json: *const c_char,
    json_length: usize,
    only: *const contract_handle,
    only_count: usize,
    out: *mut contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let contract = handles::contract(contract)?;
            let only = if only.is_null() {
                None
            } else {
                Some(listed(only, only_count, "only", handles::interaction)?)
            };
            let serving = contract.claim_for_server_text(options(json, json_length, "json")?, only, around())?;
            let session = contract::runtime::run_here(serving.start())??;
            put(out, "out", keep(Behind::Server(Arc::new(session))))
        })
    }
}

/// Gives what a server is: `{"url", "host", "port", "transport", "caCertificate", "timeout"}`. The certificate is PEM, or null; the
/// time that a test may take is in milliseconds, and nobody but the test keeps to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_describe(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let server = handles::server(server)?;
            let mut about = Object::new();
            about.insert("url", server.url());
            about.insert("host", server.host());
            about.insert("port", u64::from(server.port()));
            about.insert("transport", server.transport());
            about.insert("caCertificate", server.ca_certificate().map_or(Json::Null, Json::from));
            about.insert(
                "timeout",
                u64::try_from(server.timeout().as_millis()).unwrap_or(u64::MAX),
            );
            give(out, Json::from(about).to_text())
        })
    }
}

/// Gives what a server has to say so far: `{"matched", "mismatches", …}`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_outcome(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { told(server, out, error, contract::MockSession::outcome_text) }
}

/// Gives the requests that came, a JSON list; the latest ten thousand. Unlike texts they hold secrets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_requests(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { told(server, out, error, contract::MockSession::received_text) }
}

/// Gives what happened, a line for each request; the latest thousand. Secrets are blanked out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_log(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { told(server, out, error, contract::MockSession::log) }
}

unsafe fn told(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
    tell: impl FnOnce(&contract::MockSession) -> String,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            give(out, tell(&*handles::server(server)?))
        })
    }
}

/// Writes the interactions of a server that passed, while it runs those that passed so far. Options are
/// `{"directory", "overwrite"}`; the directory must be given. Gives the path of the file in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_write_file(
    server: contract_handle,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let server = handles::server(server)?;
            let (directory, mode) = writing(text(json, json_length, "json")?)?;
            let Some(directory) = directory else {
                return Err(Failure::misuse("ERR_CONTRACT_OPTIONS", "the directory must be given"));
            };
            let path = contract::runtime::run_here(server.write_file(directory.into(), mode.unwrap_or_default()))??;
            give(out, path.display().to_string())
        })
    }
}

/// Ends a test: stops its servers, gives their interactions back, and writes those that passed. `json` says how the test itself
/// ended: `{"end": "passed"}`, `failed`, `timed_out` or `unknown`; `name` may stand beside it for texts. Gives the verdict
/// `{"mismatched", "late", "print"}`: the test failed unless `mismatched` and `late` are null; else each has its `text`. What is in
/// `print` is for standard error. The handles are still to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_servers_end(
    servers: *const contract_handle,
    count: usize,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let sessions = listed(servers, count, "servers", handles::server)?;
            let ending = Ending::from_text(text(json, json_length, "json")?)?;
            let verdict = contract::runtime::run_here(contract::end_test(&sessions, ending, &Canonical))??;
            give(out, contract::to_text(&verdict))
        })
    }
}
