use std::path::PathBuf;

use contract::{WriteProblem, format_report as format, write_report as write};
use napi::bindgen_prelude::Object;
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
use crate::promise::promise;

/// A report, given as JSON text, in one of the formats.
#[napi(catch_unwind)]
pub fn format_report(report: String, format_name: String) -> Either<String, Failure> {
    either(format(&report, &format_name))
}

/// Writes a report, given as JSON text, to a file in one of the formats.
#[napi(catch_unwind, ts_return_type = "Promise<null | Failure>")]
pub fn write_report(env: &Env, report: String, format_name: String, path: String) -> Result<Object<'_>> {
    promise(env, async move {
        write(&report, &format_name, &PathBuf::from(path))?;
        Ok::<_, WriteProblem>(())
    })
}
