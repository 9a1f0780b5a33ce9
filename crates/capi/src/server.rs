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
    convert: impl Fn(contract_handle) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    if all.is_null() || isize::try_from(count.saturating_mul(8)).is_err() {
        return Err(Failure::misuse(
            "ERR_CONTRACT_NULL",
            &format!("{name} is a null pointer or too long"),
        ));
    }
    // SAFETY: the caller guarantees that this number of handles is readable.
    let all = unsafe { std::slice::from_raw_parts(all, count) };
    all.iter().map(|number| convert(*number)).collect()
}

/// Starts a mock server for the interactions that were defined since the last call. The options, such as `{"port":
/// 8080}`, may be null. If `only` is not null, it is an array of `only_count` interaction handles, and the server
/// serves exactly these interactions. The test sends its requests to the server's URL (see contract_server_describe)
/// and then calls contract_servers_end.
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

/// Returns the properties of a server: `{"url", "host", "port", "transport", "caCertificate", "timeout"}`.
/// `caCertificate` is the CA certificate that clients must trust, in PEM format, or null for plain HTTP and if the
/// caller passed a certificate. `timeout` is the timeout of the test in milliseconds, which the caller must enforce. 0
/// means no timeout.
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
            let mut description = Object::new();
            description.insert("url", server.url());
            description.insert("host", server.host());
            description.insert("port", u64::from(server.port()));
            description.insert("transport", server.transport());
            description.insert("caCertificate", server.ca_certificate().map_or(Json::Null, Json::from));
            description.insert(
                "timeout",
                u64::try_from(server.timeout().as_millis()).unwrap_or(u64::MAX),
            );
            give(out, Json::from(description).to_text())
        })
    }
}

/// Returns the current results of a server: `{"matched", "mismatches", …}`. `matched` is true if there are no
/// mismatches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_outcome(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { server_text(server, out, error, contract::MockSession::outcome_text) }
}

/// Returns the last 10,000 received requests as a JSON array. Secrets are not redacted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_server_requests(
    server: contract_handle,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe { server_text(server, out, error, contract::MockSession::received_text) }
}

/// Returns the last 1,000 lines of the server's log, with one line per request. Secrets are redacted.
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

/// Writes the interactions of a server that have passed so far. The options are `{"directory", "overwrite"}`.
/// `directory` is required. If `overwrite` is true, an existing file is replaced instead of merged. `out` receives the
/// path of the file.
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
                    "the option \"directory\" is required",
                ));
            };
            let path = contract::runtime::run_here(server.write_file(directory.into(), mode.unwrap_or_default()))??;
            give(out, path.display().to_string())
        })
    }
}

/// Ends a test: stops its servers, and writes the interactions that passed. Afterwards, the interactions are no longer
/// served. `json` is the result of the test itself: `{"end": "passed"}`, or `failed`, `timed_out`, or `unknown` instead
/// of `passed`. It may also contain a `name`, such as `The test in orders_test.c:12`, with which error messages start.
/// Returns the verdict `{"mismatched", "late", "print"}`. The test has passed if `mismatched` and `late` are null.
/// Otherwise, their `text` is the error message. Print the strings in `print` to standard error. The caller must still
/// free the handles.
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
