use napi::bindgen_prelude::Object;
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
use crate::promise::promise;

/// Converts a report to another format. `report` and `format_name` are JSON text.
#[napi(catch_unwind)]
pub fn format_report(report: String, format_name: String) -> Either<String, Failure> {
    let format = contract::report_format("format_report", &format_name);
    either(format.and_then(|format| contract::format_report(&report, &format)))
}

/// Converts a report to another format and writes it to a file. `report`, `format_name`, and `path` are JSON text.
#[napi(catch_unwind, ts_return_type = "Promise<null | Failure>")]
pub fn write_report(env: &Env, report: String, format_name: String, path: String) -> Result<Object<'_>> {
    promise(env, async move {
        let (format, path) = contract::report_place("write_report", &format_name, &path)?;
        contract::write_report(&report, &format, &path)
    })
}
