//! `include/contract.h` is made from the sources: their documentation, types and signatures.
//!
//! `CONTRACT_WRITE_HEADER=1 cargo test -p contract-capi --test header` writes it; read what `git diff` says.

#![expect(clippy::panic, reason = "tests fail by it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// In the order in which people read.
const SOURCES: [&str; 12] = [
    "types",
    "lib",
    "edge",
    "operations",
    "handles",
    "contract",
    "matchers",
    "server",
    "messages",
    "calls",
    "verifier",
    "polling",
];

const HEAD: &str = r#"/*
 * contract: consumer-driven contract testing. Made from the sources by crates/capi/tests/header.rs; not to be edited.
 *
 * Texts go in as UTF-8 with their length in bytes; no zero byte is needed behind them, and they are borrowed for the call. Texts
 * come out as contract_text, which is the caller's and is freed with contract_text_free. Operations, options and results are JSON;
 * their names are those of fixtures/operations, in snake_case.
 *
 * Functions give a status. `error` may be null; else it gets {"kind", "code", "message", …} as JSON when the call failed, and null
 * when it did not. A place for a result must not be null unless it says so; it is written to without looking at what is
 * there, so free an earlier text first, and holds null or 0 when the call failed.
 *
 * Every function may be called on every thread, and from callbacks; calls with one handle may overlap. Callbacks come on threads of
 * the library's, never while a lock is held. In a process that was forked after the library had begun to work there, nothing is
 * promised. No panic and no exception leaves the library.
 */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
"#;

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

/// Most functions: who binds another language writes each of them down.
const MOST: usize = 40;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The items of a file: their documentation, and their text up to the body.
fn items(source: &str) -> Vec<(Vec<String>, String)> {
    let mut items = Vec::new();
    let mut docs = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim_start().to_owned());
        } else if line.starts_with("#[") {
            // Attributes stand between an item and its documentation.
        } else if line.starts_with("pub ") && !line.starts_with("pub mod") && !line.starts_with("pub use") {
            let mut text = line.to_owned();
            let is_struct = line.starts_with("pub struct");
            let is_open = |text: &str| {
                if is_struct {
                    !text.ends_with('}')
                } else {
                    !text.ends_with(['{', ';'])
                }
            };
            while is_open(&text) {
                let Some(more) = lines.next() else { break };
                text.push('\n');
                text.push_str(more.trim());
            }
            items.push((std::mem::take(&mut docs), text));
        } else {
            docs.clear();
        }
    }
    items
}

fn c_type(rust: &str) -> String {
    let rust = rust.trim().trim_end_matches(',');
    if let Some(pointed) = rust.strip_prefix("*const ") {
        return format!("const {} *", c_type(pointed));
    }
    if let Some(pointed) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(pointed));
    }
    let known = match rust {
        "c_char" => "char",
        "c_void" => "void",
        "usize" => "size_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        name if name.starts_with("contract_") => name,
        other => panic!("{other} has no form in C yet"),
    };
    known.to_owned()
}

/// `name: type` as C declares it.
fn declared(argument: &str) -> String {
    let (name, rust) = argument.split_once(':').unwrap_or_else(|| panic!("{argument}"));
    let of = c_type(rust);
    let space = if of.ends_with('*') { "" } else { " " };
    format!("{of}{space}{}", name.trim())
}

fn arguments(text: &str) -> String {
    let all: Vec<_> = text
        .split(',')
        .map(str::trim)
        .filter(|argument| !argument.is_empty())
        .map(declared)
        .collect();
    match all.as_slice() {
        [] => "void".to_owned(),
        few if few.iter().map(String::len).sum::<usize>() < 70 => few.join(", "),
        many => format!("\n    {}", many.join(",\n    ")),
    }
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("{text}: no {from}")) + from.len();
    let end = text[start..].rfind(to).unwrap_or_else(|| panic!("{text}: no {to}"));
    &text[start..start + end]
}

fn comment(docs: &[String]) -> String {
    match docs {
        [] => panic!("everything public is documented"),
        [line] => format!("/* {line} */\n"),
        lines => format!("/*\n * {}\n */\n", lines.join("\n * ")),
    }
}

fn item(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("pub const ") {
        let name = rest.split(':').next().unwrap_or_default();
        return Some(format!("#define {name} {}\n", between(rest, "= ", ";")));
    }
    if let Some(rest) = text.strip_prefix("pub type ") {
        let name = rest.split(' ').next().unwrap_or_default();
        return Some(if rest.contains("extern \"C\" fn(") {
            format!("typedef void (*{name})({});\n", arguments(between(rest, "fn(", ")")))
        } else {
            format!("typedef {} {name};\n", c_type(between(rest, "= ", ";")))
        });
    }
    if let Some(rest) = text.strip_prefix("pub struct ") {
        let name = rest.split(' ').next().unwrap_or_default();
        let mut fields = String::new();
        for line in between(rest, "{", "}").lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("///") {
                Some(doc) => writeln!(fields, "    /*{doc} */"),
                None => writeln!(
                    fields,
                    "    {};",
                    declared(line.trim_start_matches("pub ").trim_end_matches(','))
                ),
            }
            .unwrap_or_else(|error| panic!("{error}"));
        }
        return Some(format!("typedef struct {name} {{\n{fields}}} {name};\n"));
    }
    let (head, rest) = text.split_once("extern \"C\" fn ")?;
    assert!(head.starts_with("pub "), "{text}");
    let name = rest.split('(').next().unwrap_or_default();
    let result = rest
        .rsplit_once(") -> ")
        .map_or("void".to_owned(), |(_, of)| c_type(of.trim_end_matches(['{', ' '])));
    let given = rest
        .rsplit_once(") -> ")
        .map_or_else(|| between(rest, "(", ")"), |(given, _)| &given[name.len() + 1..]);
    Some(format!("{result} {name}({});\n", arguments(given)))
}

#[test]
fn the_header_is_that_of_the_sources() {
    // Types come first: functions use them.
    let (mut types, mut functions) = (String::new(), String::new());
    let mut count = 0;
    for name in SOURCES.iter().chain(&["log"]) {
        for (docs, text) in items(&read(&folder().join(format!("src/{name}.rs")))) {
            if let Some(declaration) = item(&text) {
                let is_function = text.contains("extern \"C\" fn contract");
                count += usize::from(is_function);
                let into = if is_function { &mut functions } else { &mut types };
                into.push('\n');
                into.push_str(&comment(&docs));
                into.push_str(&declaration);
            }
        }
    }
    let header = [HEAD, &types, &functions, TAIL].concat();
    assert!(count > 30 && count <= MOST, "{count} functions");
    let path = folder().join("include/contract.h");
    if std::env::var_os("CONTRACT_WRITE_HEADER").is_some() {
        std::fs::write(&path, header).unwrap_or_else(|error| panic!("{error}"));
        return;
    }
    assert_eq!(header, read(&path), "write it anew, as the head of this file says");
}
