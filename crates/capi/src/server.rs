use std::ffi::c_char;
use std::sync::Arc;

use contract::{Canonical, Ending, Json, Object, ServeContract as _};

use crate::contract::{call_site, writing};
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
            &format!("{name} is a null pointer or too long"),
        ));
    }
    // SAFETY: the caller passes this number of handles.
    let all = unsafe { std::slice::from_raw_parts(all, count) };
    all.iter().map(|number| one(*number)).collect()
}

/// Starts a mock server for the interactions defined since the last call. Options, such as `{"port": 8080}`, may be null. If
/// `only` is not null, the server has exactly these `only_count` interactions. The test sends requests to the server's URL and
/// then calls contract_servers_end.
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
            let serving = contract.claim_for_server_text(options(json, json_length, "json")?, only, call_site())?;
            let session = contract::runtime::run_here(serving.start())??;
            put(out, "out", keep(Behind::Server(Arc::new(session))))
        })
    }
}

/// Returns the properties of a server: `{"url", "host", "port", "transport", "caCertificate", "timeout"}`. The
/// certificate is PEM or null. `timeout` is the timeout of the test in milliseconds; the caller enforces it.
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

/// Returns the current outcome of a server: `{"matched", "mismatches", …}`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_outcome(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { server_text(server, out, error, contract::MockSession::outcome_text) }
}

/// Returns the received requests as a JSON array, at most the last 10,000. Secrets are not redacted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_requests(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { server_text(server, out, error, contract::MockSession::received_text) }
}

/// Returns the log of the server, one line per request, at most the last 1,000. Secrets are redacted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_log(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { server_text(server, out, error, contract::MockSession::log) }
}

unsafe fn server_text(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
    text: impl FnOnce(&contract::MockSession) -> String,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            give(out, text(&*handles::server(server)?))
        })
    }
}

/// Writes the interactions of a server that have passed so far. Options are `{"directory", "overwrite"}`; the directory is
/// required. Returns the path of the file in `out`.
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
                return Err(Failure::misuse(
                    "ERR_CONTRACT_OPTIONS",
                    "the option directory is required",
                ));
            };
            let path = contract::runtime::run_here(server.write_file(directory.into(), mode.unwrap_or_default()))??;
            give(out, path.display().to_string())
        })
    }
}

/// Ends a test: stops its servers, returns their interactions to the contract, and writes those that passed. `json` is the
/// result of the test itself: `{"end": "passed"}`, or `failed`, `timed_out`, or `unknown`, with an optional `name` for
/// messages. Returns the verdict `{"mismatched", "late", "print"}`. The test passed if `mismatched` and `late` are null;
/// otherwise each has a `text`. Print `print` to standard error. The caller still frees the handles.
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
