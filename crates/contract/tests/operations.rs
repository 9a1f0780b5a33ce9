//! Runs the cases in `fixtures/operations`, which the bindings' tests share, and checks the tables of operations.
//!
//! `CONTRACT_WRITE_FIXTURES=1 cargo test -p contract --test operations` updates the files. Review the difference.

#![expect(clippy::panic, reason = "a panic fails the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use contract::{ArgumentError, ContractBuilder, Json, functions, matcher, operations};

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/operations");
    folder.join(format!("{name}.json"))
}

fn is_writing() -> bool {
    std::env::var_os("CONTRACT_WRITE_FIXTURES").is_some()
}

fn read(name: &str) -> Json {
    let text = std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Json::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes one item per line.
fn write(name: &str, items: &[Json]) {
    let lines: Vec<_> = items.iter().map(|item| format!("  {item}")).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    std::fs::write(path(name), text).unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Returns the result of a matcher call, or its error.
fn outcome(case: &Json) -> (&'static str, Json) {
    let call = case.get("call").and_then(Json::as_str).unwrap_or_default();
    let arguments = case.get("arguments").map(Json::to_text).unwrap_or_default();
    match matcher(call, &arguments) {
        Ok(template) => ("result", template.json().unwrap_or_default()),
        Err(error) => ("error", error_json(&error)),
    }
}

fn error_json(error: &ArgumentError) -> Json {
    let members = [
        ("code", Some(error.code)),
        ("operation", error.operation.as_deref()),
        ("argument", error.argument.as_deref()),
        ("text", Some(&*error.to_string())),
    ];
    let known = members
        .into_iter()
        .filter_map(|(name, text)| Some((name, Json::from(text?))));
    Json::Object(known.collect())
}

/// Applies a list of operations. Returns the interactions in the format of V4 files, or the first error. Operations before
/// the first interaction, and those that only contracts have, are applied to the contract.
fn run_builder(case: &Json) -> (&'static str, Json) {
    let contract = ContractBuilder::new("web", "orders").unwrap_or_else(|error| panic!("{error}"));
    let calls = case.get("calls").and_then(Json::as_array).unwrap_or_default();
    let mut current: Option<contract::InteractionBuilder> = None;
    for call in calls {
        let name = call
            .as_object()
            .and_then(|call| call.keys().next())
            .map_or("", |name| name.as_str());
        let is_contract_operation = matches!(
            name,
            "with_specification" | "defaults" | "upon_receiving" | "interaction"
        );
        let outcome = match &current {
            Some(interaction) if !is_contract_operation => interaction.apply_text(&call.to_text()).map(|()| None),
            _ => contract.apply_text(&call.to_text(), ""),
        };
        match outcome {
            Ok(defined) => current = defined.or(current),
            Err(error) => return ("error", error_json(&error)),
        }
    }
    match contract.interactions_text(None) {
        Ok(text) => (
            "result",
            Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")),
        ),
        Err(error) => ("error", error_json(&error)),
    }
}

fn check(name: &str) {
    let cases = read(name);
    let cases = cases.as_array().unwrap_or_else(|| panic!("{name} is not an array"));
    if is_writing() {
        let written = cases.iter().map(|case| {
            let known = ["name", "call", "arguments"].map(|name| (name, case.get(name).cloned().unwrap_or_default()));
            Json::Object(known.into_iter().chain([outcome(case)]).collect())
        });
        write(name, &written.collect::<Vec<_>>());
        return;
    }
    for case in cases {
        let (kind, actual) = outcome(case);
        assert_eq!(Some(&actual), case.get(kind), "{name}: {case}");
    }
}

#[test]
fn builder() {
    let cases = read("builder");
    let cases = cases.as_array().unwrap_or_else(|| panic!("builder is not an array"));
    if is_writing() {
        let written = cases.iter().map(|case| {
            let known = ["name", "calls"].map(|name| (name, case.get(name).cloned().unwrap_or_default()));
            Json::Object(known.into_iter().chain([run_builder(case)]).collect())
        });
        write("builder", &written.collect::<Vec<_>>());
        return;
    }
    for case in cases {
        let (kind, actual) = run_builder(case);
        assert_eq!(Some(&actual), case.get(kind), "{case}");
    }
}

#[test]
fn every_operation_has_a_successful_case() {
    // Other tests are writing the files at the same time.
    if is_writing() {
        return;
    }
    let cases = read("builder");
    let successful = cases
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter(|case| case.get("result").is_some());
    let called: Vec<&str> = successful
        .flat_map(|case| case.get("calls").and_then(Json::as_array).unwrap_or_default())
        .flat_map(|call| call.as_object().into_iter().flat_map(|call| call.iter()))
        .map(|(name, _)| &**name)
        .collect();
    for (kind, table) in operations()
        .into_iter()
        .filter(|(kind, _)| ["contract", "interaction"].contains(kind))
    {
        for (name, _) in table {
            // These operations read a file or start a plugin, and have separate tests.
            let is_elsewhere = ["with_binary_file", "using_plugin", "with_plugin_contents"].contains(&name);
            assert!(is_elsewhere || called.contains(&name), "{kind} {name}");
        }
    }
}

#[test]
fn the_table_of_operations_is_current() {
    let list = |names: &[&str]| Json::from(names.iter().map(|name| Json::from(*name)).collect::<Vec<_>>());
    let rows = operations().into_iter().flat_map(|(kind, table)| {
        table.into_iter().map(move |(name, arguments)| {
            let members = [
                ("of", Json::from(kind)),
                ("name", name.into()),
                ("arguments", list(arguments)),
            ];
            Json::Object(members.into_iter().collect())
        })
    });
    let table: Vec<_> = rows.collect();
    if is_writing() {
        write("calls", &table);
    } else {
        assert_eq!(Json::from(table), read("calls"));
    }
}

/// Collects the string literals after `function(` in the sources of a folder, without tests and skipped folders.
fn collect_names(folder: &Path, functions: &[&str], skipped: &[&str], found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if skipped.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            collect_names(&path, functions, skipped, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for function in functions {
            let call = format!("{function}(");
            let arguments = code.split(&call).skip(1);
            let names = arguments.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

/// Messages advise users to call operations and pass options. Each binding checks that it has everything in this table.
#[test]
fn the_table_of_advice_is_complete() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let areas = [
        ("broker", ["pipeline/src/broker"].as_slice()),
        ("verifier", &["contract/src/verify"]),
        (
            "contract",
            &["call/src", "contract/src", "definition/src", "pipeline/src"],
        ),
    ];
    let skipped = ["pipeline/src/broker", "contract/src/verify"];
    let table = areas.map(|(of, folders)| {
        let skipped = if of == "contract" { skipped.as_slice() } else { &[] };
        let list = |functions: &[&str]| {
            let mut found = BTreeSet::new();
            for folder in folders {
                collect_names(&crates.join(folder), functions, skipped, &mut found);
            }
            Json::from(found.into_iter().map(Json::from).collect::<Vec<_>>())
        };
        let row = [
            ("of", Json::from(of)),
            ("operations", list(&[" operation", "[operation"])),
            ("options", list(&["option", "setting"])),
            ("arguments", list(&[".for_argument"])),
        ];
        Json::Object(row.into_iter().collect())
    });
    if is_writing() {
        return write("advice", &table);
    }
    // The file may contain names that no message uses anymore.
    for (row, known) in table.iter().zip(read("advice").as_array().unwrap_or_default()) {
        for kind in ["operations", "options", "arguments"] {
            let list = |row: &Json| row.get(kind).and_then(Json::as_array).unwrap_or_default().to_vec();
            let known = list(known);
            let missing: Vec<_> = list(row).into_iter().filter(|name| !known.contains(name)).collect();
            assert!(
                missing.is_empty(),
                "{kind}: update the fixtures, {missing:?} is missing"
            );
        }
    }
}

#[test]
fn matchers() {
    check("match");
}

#[test]
fn generators() {
    check("generate");
}

#[test]
fn elements() {
    check("xml");
}

#[test]
fn every_function_has_a_successful_case() {
    // Other tests are writing the files at the same time.
    if is_writing() {
        return;
    }
    let files: Vec<_> = ["match", "generate", "xml"].map(read).into();
    for function in functions() {
        let has_case = files
            .iter()
            .flat_map(|file| file.as_array().unwrap_or_default())
            .any(|case| {
                case.get("call").and_then(Json::as_str) == Some(&function.name) && case.get("result").is_some()
            });
        assert!(has_case, "{} has no case in fixtures/operations", function.name);
    }
}

#[test]
fn the_table_of_functions_is_current() {
    let list = |names: &[&str]| Json::from(names.iter().map(|name| Json::from(*name)).collect::<Vec<_>>());
    let table: Vec<_> = functions()
        .iter()
        .map(|function| {
            let members = [
                ("name", Json::from(function.name.as_str())),
                ("arguments", list(function.arguments)),
                ("aliases", list(&function.aliases)),
            ];
            Json::Object(members.into_iter().collect())
        })
        .collect();
    if is_writing() {
        write("functions", &table);
    } else {
        assert_eq!(Json::from(table), read("functions"));
    }
}
