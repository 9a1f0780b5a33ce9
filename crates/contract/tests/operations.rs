//! The cases of `fixtures/operations`, which the bindings run too, and the table that they are compared with.
//!
//! `CONTRACT_WRITE_FIXTURES=1 cargo test -p contract --test operations` writes what is there now: read what `git diff` says.

#![expect(clippy::panic, reason = "tests fail by it")]

use std::path::PathBuf;

use contract::{Json, functions, matcher};

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

/// One item to a line.
fn write(name: &str, items: &[Json]) {
    let lines: Vec<_> = items.iter().map(|item| format!("  {item}")).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    std::fs::write(path(name), text).unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// What the core makes of a case: what it gives, or why it refuses.
fn outcome(case: &Json) -> (&'static str, Json) {
    let call = case.get("call").and_then(Json::as_str).unwrap_or_default();
    let arguments = case.get("arguments").map(Json::to_text).unwrap_or_default();
    match matcher(call, &arguments) {
        Ok(made) => ("gives", made.json().unwrap_or_default()),
        Err(error) => {
            let members = [
                ("code", Some(error.code)),
                ("operation", error.operation.as_deref()),
                ("argument", error.argument.as_deref()),
                ("text", Some(&*error.to_string())),
            ];
            let known = members
                .into_iter()
                .filter_map(|(name, text)| Some((name, Json::from(text?))));
            ("refused", Json::Object(known.collect()))
        }
    }
}

fn check(name: &str) {
    let cases = read(name);
    let cases = cases.as_array().unwrap_or_else(|| panic!("{name} is a list of cases"));
    if is_writing() {
        let written = cases.iter().map(|case| {
            let known = ["name", "call", "arguments"].map(|name| (name, case.get(name).cloned().unwrap_or_default()));
            Json::Object(known.into_iter().chain([outcome(case)]).collect())
        });
        write(name, &written.collect::<Vec<_>>());
        return;
    }
    for case in cases {
        let (kind, found) = outcome(case);
        assert_eq!(Some(&found), case.get(kind), "{name}: {case}");
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
fn every_function_has_a_case_that_gives_something() {
    let files: Vec<_> = ["match", "generate", "xml"].map(read).into();
    for function in functions() {
        let has_case = files
            .iter()
            .flat_map(|file| file.as_array().unwrap_or_default())
            .any(|case| case.get("call").and_then(Json::as_str) == Some(&function.name) && case.get("gives").is_some());
        assert!(has_case, "{} has no case in fixtures/operations", function.name);
    }
}

#[test]
fn the_table_of_functions_is_that_of_the_core() {
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
