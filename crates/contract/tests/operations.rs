//! The cases of `fixtures/operations`, which the bindings run too, and the table that they are compared with.
//!
//! `CONTRACT_WRITE_FIXTURES=1 cargo test -p contract --test operations` writes what is there now: read what `git diff` says.

#![expect(clippy::panic, reason = "tests fail by it")]

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
        Err(error) => ("refused", refusal(&error)),
    }
}

fn refusal(error: &ArgumentError) -> Json {
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

/// What the builder makes of a list of calls: the interactions as V4 files have them, or why it refuses the last call or what came of all. Calls
/// before the first interaction, and those that only contracts know, are the contract's.
fn built(case: &Json) -> (&'static str, Json) {
    let contract = ContractBuilder::new("web", "orders").unwrap_or_else(|error| panic!("{error}"));
    let calls = case.get("calls").and_then(Json::as_array).unwrap_or_default();
    let mut current: Option<contract::InteractionBuilder> = None;
    for call in calls {
        let name = call
            .as_object()
            .and_then(|call| call.keys().next())
            .map_or("", |name| name.as_str());
        let of_contract = matches!(
            name,
            "with_specification" | "defaults" | "upon_receiving" | "interaction"
        );
        let done = match &current {
            Some(interaction) if !of_contract => interaction.apply_text(&call.to_text()).map(|()| None),
            _ => contract.apply_text(&call.to_text(), ""),
        };
        match done {
            Ok(begun) => current = begun.or(current),
            Err(error) => return ("refused", refusal(&error)),
        }
    }
    match contract.interactions_text(None) {
        Ok(text) => (
            "gives",
            Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")),
        ),
        Err(error) => ("refused", refusal(&error)),
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
fn builder() {
    let cases = read("builder");
    let cases = cases.as_array().unwrap_or_else(|| panic!("a list of cases"));
    if is_writing() {
        let written = cases.iter().map(|case| {
            let known = ["name", "calls"].map(|name| (name, case.get(name).cloned().unwrap_or_default()));
            Json::Object(known.into_iter().chain([built(case)]).collect())
        });
        write("builder", &written.collect::<Vec<_>>());
        return;
    }
    for case in cases {
        let (kind, found) = built(case);
        assert_eq!(Some(&found), case.get(kind), "{case}");
    }
}

#[test]
fn every_operation_has_a_case_that_gives_something() {
    let cases = read("builder");
    let good = cases
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter(|case| case.get("gives").is_some());
    let called: Vec<&str> = good
        .flat_map(|case| case.get("calls").and_then(Json::as_array).unwrap_or_default())
        .flat_map(|call| call.as_object().into_iter().flat_map(|call| call.iter()))
        .map(|(name, _)| &**name)
        .collect();
    for (kind, table) in operations()
        .into_iter()
        .filter(|(kind, _)| ["contract", "interaction"].contains(kind))
    {
        for (name, _) in table {
            // One reads a file, the others start a plugin: their tests are beside files and plugins.
            let is_elsewhere = ["with_binary_file", "using_plugin", "with_plugin_contents"].contains(&name);
            assert!(is_elsewhere || called.contains(&name), "{kind} {name}");
        }
    }
}

#[test]
fn the_table_of_calls_is_that_of_the_core() {
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

/// The names in quotes behind `word(` in the sources below a folder, tests and folders that are passed over apart.
fn named(folder: &Path, words: &[&str], passed_over: &[&str], found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if passed_over.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            named(&path, words, passed_over, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in words {
            let called = format!("{word}(");
            let behind = code.split(&called).skip(1);
            let names = behind.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

/// What texts tell people to call or to give has to be there in every language: each compares this table with its own surface.
#[test]
fn the_table_of_advice_has_all_that_the_core_names() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let areas = [
        ("broker", "broker", [].as_slice()),
        ("verifier", "verify", &[]),
        ("contract", "", &["src/broker", "src/verify"]),
    ];
    let table = areas.map(|(of, folder, passed_over)| {
        let list = |words: &[&str]| {
            let mut found = BTreeSet::new();
            named(&source.join(folder), words, passed_over, &mut found);
            Json::from(found.into_iter().map(Json::from).collect::<Vec<_>>())
        };
        let row = [
            ("of", Json::from(of)),
            ("operations", list(&[" operation", "[operation"])),
            ("options", list(&["option", "setting"])),
            ("arguments", list(&[".about"])),
        ];
        Json::Object(row.into_iter().collect())
    });
    if is_writing() {
        return write("advice", &table);
    }
    // What no text names any more may stand there.
    for (row, known) in table.iter().zip(read("advice").as_array().unwrap_or_default()) {
        for kind in ["operations", "options", "arguments"] {
            let list = |row: &Json| row.get(kind).and_then(Json::as_array).unwrap_or_default().to_vec();
            let known = list(known);
            let missing: Vec<_> = list(row).into_iter().filter(|name| !known.contains(name)).collect();
            assert!(missing.is_empty(), "{kind}: write the fixtures anew for {missing:?}");
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
