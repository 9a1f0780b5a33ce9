//! Reads and writes the published test cases of the Pact Specification in the folder `CONTRACT_SPEC_CASES`. The tests
//! of the matching crate check whether these cases match.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use contract_model::{Contract, Json, Message, Object, Request, Response, SpecificationVersion, file_order};

#[test]
fn every_part_is_loaded_and_survives_writing() {
    let Some(folder) = std::env::var_os("CONTRACT_SPEC_CASES") else {
        // Bypass the test harness, which hides the output of passing tests.
        let text = "CONTRACT_SPEC_CASES is not set: the published cases were NOT read";
        return writeln!(std::io::stderr(), "{text}").unwrap();
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        if let Err(failure) = case(file) {
            failures.push(format!("{}: {failure}", file.display()));
        }
    }
    assert!(files.len() > 800, "only {} cases in {}", files.len(), folder.display());
    assert!(
        failures.is_empty(),
        "{} of {} failed:\n{}",
        failures.len(),
        files.len(),
        failures.join("\n")
    );
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

/// Reads one test case. Its folders determine the version and the kind.
fn case(file: &Path) -> Result<(), String> {
    let folders: Vec<_> = file.iter().map(|name| name.to_string_lossy()).collect();
    let version = folders
        .iter()
        .find_map(|name| SpecificationVersion::parse(name.strip_prefix("version-")?))
        .ok_or("no folder of the path names a version")?;
    let kind = ["request", "response", "message"]
        .into_iter()
        .find(|kind| folders.iter().any(|name| name == kind))
        .ok_or("no folder of the path names a kind")?;
    let document = Json::parse(&fs::read(file).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    for side in ["expected", "actual"] {
        let part = document.get(side).ok_or("a side is missing")?;
        load(kind, part, version).map_err(|failure| format!("{side}: {failure}"))?;
        write_back(kind, part, version).map_err(|failure| format!("{side}: {failure}"))?;
    }
    Ok(())
}

fn load(kind: &str, part: &Json, version: SpecificationVersion) -> Result<(), String> {
    let warnings = match kind {
        "request" => Request::read(part, version).map(|(_, warnings)| warnings),
        "response" => Response::read(part, version).map(|(_, warnings)| warnings),
        _ => Message::read(part, version).map(|(_, warnings)| warnings),
    };
    match warnings.map_err(|error| error.to_string())?.first() {
        None => Ok(()),
        Some(warning) => Err(format!("warning: {warning}")),
    }
}

/// Wraps the part in a complete document, because the readers and writers require one.
fn write_back(kind: &str, part: &Json, version: SpecificationVersion) -> Result<(), String> {
    let mut interaction = match part {
        Json::Object(members) if kind == "message" => members.clone(),
        _ => [(kind, part.clone())].into_iter().collect::<Object>(),
    };
    interaction.insert("description", "a case");
    let is_v4 = version == SpecificationVersion::V4;
    if is_v4 {
        let type_name = if kind == "message" {
            "Asynchronous/Messages"
        } else {
            "Synchronous/HTTP"
        };
        interaction.insert("type", type_name);
    }
    let list = if kind == "message" && !is_v4 {
        "messages"
    } else {
        "interactions"
    };
    let mut document = Json::parse(
        format!(
            r#"{{"consumer":{{"name":"c"}},"provider":{{"name":"p"}},"metadata":{{"pactSpecification":{{"version":"{}"}}}}}}"#,
            version.number()
        )
        .as_bytes(),
    )
    .map_err(|e| e.to_string())?;
    if let Some(members) = document.as_object_mut() {
        members.insert(list, vec![Json::Object(interaction)]);
    }
    let contract = Contract::from_json(document).map_err(|e| e.to_string())?.contract;
    let target = version.max(SpecificationVersion::V2);
    let written = contract.write(target).map_err(|e| e.to_string())?;
    if let Some(warning) = written.warnings.first() {
        return Err(format!("warning: {warning}"));
    }
    let mut again = Contract::read(written.text.as_bytes())
        .map_err(|e| e.to_string())?
        .contract;
    again.specification = contract.specification;
    again.interactions.sort_by(file_order);
    if again == contract {
        Ok(())
    } else {
        Err(format!("read back as\n{again:#?}\ninstead of\n{contract:#?}"))
    }
}
