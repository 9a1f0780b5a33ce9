use std::ffi::c_char;

use contract::{CallSite, ContractBuilder, ServeContract as _, WriteMode};

use crate::edge::{Failure, give, give_some, guarded, optional, options, place, put, text};
use crate::handles::{self, Behind, keep};
use crate::{contract_handle, contract_status, contract_text};

/// Creates a contract from `{"consumer", "provider", "options"}`. The options are `specification`, `directory`,
/// `write_mode`, `unexpected_fields`, `seed`, `lock_timeout`, `timeout`, `generated_size`, and `plugins`;
/// contract_operations describes them. The caller must free the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_new(
    json: *const c_char,
    json_length: usize,
    out: *mut contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let contract = ContractBuilder::from_text(text(json, json_length, "json")?)?;
            put(out, "out", keep(Behind::Contract(contract)))
        })
    }
}

/// Performs an operation on a contract, such as `{"upon_receiving": {"description": "a request"}}`. `origin` is the
/// location in the user's code, such as `orders_test.c:12`, or null. If the operation defines an interaction,
/// `interaction` receives its handle, which the caller must free. Otherwise, it receives 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_apply(
    contract: contract_handle,
    operation: *const c_char,
    operation_length: usize,
    origin: *const c_char,
    origin_length: usize,
    interaction: *mut contract_handle,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(interaction, "interaction")?;
            let contract = handles::contract(contract)?;
            let origin = optional(origin, origin_length, "origin")?.unwrap_or_default();
            let defined = contract.apply_text(text(operation, operation_length, "operation")?, origin)?;
            put(
                interaction,
                "interaction",
                defined.map_or(0, |defined| keep(Behind::Interaction(defined))),
            )
        })
    }
}

/// Performs an operation on an interaction, such as `{"with_header": {"name": "X-Id", "value": "7"}}`. If `warnings` is
/// not null, it receives a JSON array of warnings about parts of the interaction that other Pact tools interpret
/// differently, or null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_interaction_apply(
    interaction: contract_handle,
    operation: *const c_char,
    operation_length: usize,
    warnings: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            if !warnings.is_null() {
                place(warnings, "warnings")?;
            }
            let interaction = handles::interaction(interaction)?;
            interaction.apply_text(text(operation, operation_length, "operation")?)?;
            if warnings.is_null() {
                return Ok(());
            }
            let messages = interaction.take_warnings();
            give_some(warnings, (!messages.is_empty()).then(|| contract::to_text(&messages)))
        })
    }
}

/// Returns a JSON array with all interactions defined so far, in the format of V4 files. `kind` is `HTTP`, `Sync`,
/// `Async`, or null for all kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_interactions(
    contract: contract_handle,
    kind: *const c_char,
    kind_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let contract = handles::contract(contract)?;
            give(out, contract.interactions_text(optional(kind, kind_length, "kind")?)?)
        })
    }
}

/// Writes the contract file with the interactions that passed or were never served. The options are `{"directory",
/// "overwrite"}` or null. Default for `directory`: the contract's directory, the environment variable
/// CONTRACT_OUTPUT_DIR, or the current directory, whichever is set first. If `overwrite` is true, an existing file is
/// replaced instead of merged. `out` receives the path of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_write_file(
    contract: contract_handle,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let contract = handles::contract(contract)?;
            let (directory, mode) = writing(options(json, json_length, "json")?)?;
            let path = contract.write_file(directory.map(Into::into), mode, &call_site())?;
            give(out, path.display().to_string())
        })
    }
}

/// Parses options of the form `{"directory", "overwrite"}`.
pub(crate) fn writing(json: &str) -> Result<(Option<String>, Option<WriteMode>), Failure> {
    let options = contract::parse_json(json)?;
    let invalid = |message| Failure::misuse("ERR_CONTRACT_OPTIONS", message);
    let members = options
        .as_object()
        .ok_or_else(|| invalid("options must be an object"))?;
    let (mut directory, mut mode) = (None, None);
    for (name, value) in members {
        match (name.as_str(), value) {
            ("directory", contract::Json::String(path)) => directory = Some(path.to_string()),
            ("overwrite", contract::Json::Bool(true)) => mode = Some(WriteMode::Overwrite),
            ("overwrite", contract::Json::Bool(false)) => mode = Some(WriteMode::Merge),
            _ => {
                return Err(invalid(
                    "options may contain only \"directory\" (a string) and \"overwrite\" (true or false)",
                ));
            }
        }
    }
    Ok((directory, mode))
}

/// Returns the settings from the environment variables CONTRACT_OUTPUT_DIR and CONTRACT_OVERWRITE.
pub(crate) fn call_site() -> CallSite {
    let directory = std::env::var_os("CONTRACT_OUTPUT_DIR").filter(|directory| !directory.is_empty());
    CallSite {
        directory: directory.map(Into::into),
        overwrite: std::env::var("CONTRACT_OVERWRITE").ok(),
        ..CallSite::default()
    }
}
