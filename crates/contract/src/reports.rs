//! Converts verification reports to other formats, and writes them to files.

use std::fs;
use std::path::{Component, Path, PathBuf};

use contract_verifier::{Report, ReportFormat};

use crate::failure::Failure;
use contract_call::error::ArgumentError;
use contract_call::files::{self, FileError};
use contract_call::{names, read};

/// The error code for an invalid report or format.
pub(crate) const REPORT: &str = "ERR_CONTRACT_REPORT";

/// Converts a report from JSON text to a format: `json`, `junit`, `markdown`, `html`, or `github`.
pub fn format_report(report: &str, format: &str) -> Result<String, ArgumentError> {
    let invalid = |message: String| ArgumentError::new(REPORT, message);
    let format: ReportFormat = format
        .parse()
        .map_err(|error: contract_verifier::UnknownFormat| invalid(error.to_string()))?;
    let mut report = Report::read(report).map_err(|error| invalid(error.to_string()))?;
    if format == ReportFormat::Github
        && let Ok(directory) = std::env::current_dir()
    {
        let environment = contract_pipeline::Environment::from_process();
        let checkout = environment
            .get("GITHUB_WORKSPACE")
            .map_or(directory.as_path(), Path::new);
        for contract in &mut report.contracts {
            if let Some(path) = path_in_checkout(&contract.source, &directory, checkout) {
                contract.source = path;
            }
        }
    }
    Ok(format.write(&report))
}

/// Returns the path of a contract file for a GitHub annotation: relative to the root of the checkout, with slashes.
/// Returns `None` for files outside the checkout.
fn path_in_checkout(source: &str, directory: &Path, checkout: &Path) -> Option<String> {
    if source.contains("://") {
        return None;
    }
    let mut path = PathBuf::new();
    for component in directory.join(source).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    let inside: Vec<_> = path
        .strip_prefix(checkout)
        .ok()?
        .components()
        .map(|component| component.as_os_str().to_str())
        .collect::<Option<_>>()?;
    Some(inside.join("/"))
}

/// Reads a format and a path from JSON text, which must be strings. The path may be a `file:` URL. It is not checked
/// whether the format exists.
pub fn report_place(operation: &'static str, format: &str, path: &str) -> Result<(String, PathBuf), ArgumentError> {
    let value = contract_call::json::parse_json(path)?;
    let path = value
        .as_str()
        .filter(|path| !path.is_empty())
        .and_then(contract_call::paths::parse_path)
        .ok_or_else(|| {
            ArgumentError::new(
                REPORT,
                format!(
                    "the path must be a file path or a file: URL, received {}",
                    read::describe(&value)
                ),
            )
            .for_argument("path")
            .in_operation(operation)
        })?;
    Ok((report_format(operation, format)?, path))
}

/// Reads the name of a format from JSON text. It is not checked whether the format exists.
pub fn report_format(operation: &'static str, format: &str) -> Result<String, ArgumentError> {
    names::text(REPORT, operation, "format", format)
}

/// Converts a report from JSON text to a format, as [`format_report`] does, and writes it to a file. Creates missing
/// directories and replaces an existing file.
pub fn write_report(report: &str, format: &str, path: &Path) -> Result<(), Failure> {
    let text = format_report(report, format)?;
    let failed = |error| FileError::io(path, "write the report", error);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    files::write(path, text.as_bytes()).map_err(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{format_report, path_in_checkout, write_report};

    const EMPTY: &str = r#"{"formatVersion": 1, "provider": "p", "success": true, "warnings": [], "contracts": [],
        "summary": {"total": 0, "passed": 0, "failed": 0, "pending": 0, "skipped": 0, "filtered": 0, "durationMs": 1}}"#;

    #[test]
    fn creates_directories_and_replaces_files() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b/report.json");
        for _ in 0..2 {
            write_report(EMPTY, "json", &path).unwrap();
        }
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .starts_with("{\n  \"formatVersion\": 1,")
        );
        let message = write_report(EMPTY, "json", place.path()).unwrap_err().to_string();
        assert!(message.starts_with("could not write the report "), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn rejects_named_pipes_without_waiting() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        let created = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(created.unwrap().success());
        let error = write_report(EMPTY, "json", &pipe).unwrap_err().to_string();
        assert!(
            error.ends_with("it is a named pipe, not a regular file; choose another path"),
            "{error}"
        );
    }

    #[test]
    fn annotation_paths_are_relative_to_the_checkout() {
        let path = |source| path_in_checkout(source, Path::new("/repo/packages/web"), Path::new("/repo"));
        for (source, expected) in [
            ("contracts/a.json", Some("packages/web/contracts/a.json")),
            ("../../contracts/./a.json", Some("contracts/a.json")),
            ("/repo/contracts/a.json", Some("contracts/a.json")),
            ("/elsewhere/a.json", None),
            ("../../../a.json", None),
            ("https://broker.example/a.json", None),
        ] {
            assert_eq!(path(source).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn rejects_invalid_reports_and_formats() {
        assert_eq!(
            format_report(EMPTY, "pdf").unwrap_err().message,
            "unknown report format \"pdf\"; valid formats are json, junit, markdown, html, and github"
        );
        assert!(format_report("[]", "json").is_err());
    }
}
