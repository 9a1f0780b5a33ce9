//! Generates the TypeScript types in `src/generated` and the Python types in `python/src/contract/_shapes.py` from the
//! core's structs, with their documentation.
//!
//! `CONTRACT_WRITE_TYPES=1 cargo test -p contract --test types` writes them; review the result with `git diff`.

#![expect(clippy::panic, reason = "a failed test panics")]

mod broker;
mod python;
mod schema;
mod source;
mod typescript;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use contract_report::Part;
use source::Declared;
use typescript::Names;

/// The files of `src/generated` and the types in each, with their names in Rust and in TypeScript.
const FILES: [(&str, &[(&str, &str)]); 7] = [
    (
        "report",
        &[
            ("Status", "InteractionStatus"),
            ("InteractionError", "InteractionError"),
            ("ReportedHeader", "ReportedHeader"),
            ("ReportedBody", "ReportedBody"),
            ("Expectation", "Expectation"),
            ("ReportedRequest", "ReportedRequest"),
            ("ReportedResponse", "ReportedResponse"),
            ("Timing", "InteractionTiming"),
            ("InteractionReport", "InteractionReport"),
            ("Origin", "ContractOrigin"),
            ("Notice", "BrokerNotice"),
            ("ContractPublication", "ContractPublication"),
            ("Publication", "Publication"),
            ("ContractReport", "ContractReport"),
            ("Summary", "VerificationSummary"),
            ("Report", "VerificationReport"),
            ("InteractionInfo", "InteractionInfo"),
            ("RequestContext", "RequestContext"),
        ],
    ),
    (
        "requests",
        &[
            ("Finding", "Finding"),
            ("InteractionRef", "ServedInteractionName"),
            ("Closest", "ClosestInteraction"),
            ("ServerMismatch", "ServerMismatch"),
            ("JournalEntry", "JournalEntry"),
        ],
    ),
    (
        "options",
        &[
            ("ContractOptions", "ContractOptions"),
            ("ServeOptions", "ServeOptions"),
            ("LimitOptions", "ServerLimits"),
            ("Certificate", "ServerTlsOptions"),
            ("MessageOptions", "MessageVerifyOptions"),
            ("PluginOptions", "PluginOptions"),
            ("SourceOptions", "SourceOptions"),
            ("PublishOptions", "PublishOptions"),
            ("FilterOptions", "FilterOptions"),
            ("MessageHandlerOptions", "MessageHandlerOptions"),
            ("StateHandlerOptions", "StateHandlerOptions"),
            ("RedirectOptions", "RedirectOptions"),
            ("Tls", "TlsOptions"),
            ("RunOptions", "VerifyRunOptions"),
            ("RecordArguments", "RecordOptions"),
            ("TestBrokerOptions", "BrokerOptions"),
            ("TestBrokerCredentials", "BrokerCredentials"),
        ],
    ),
    (
        "definitions",
        &[
            ("RequestArguments", "RequestDefinition"),
            ("ResponseArguments", "ResponseDefinition"),
            ("StateArguments", "StateDefinition"),
            ("InteractionArguments", "InteractionDefinition"),
            ("DefaultArguments", "Defaults"),
            ("PartArguments", "MultipartPart"),
        ],
    ),
    (
        "matchers",
        &[("UuidForm", "UuidFormat"), ("StateType", "StateValueType")],
    ),
    ("generators", &[("MomentGenerator", "MomentOptions")]),
    (
        "results",
        &[
            ("Mismatched", "Mismatched"),
            ("Late", "Late"),
            ("Verdict", "Verdict"),
            ("MessageFailure", "MessageFailure"),
            ("MessageVerdict", "MessageVerdict"),
            ("ListedInteraction", "ListedInteraction"),
            ("Cause", "Cause"),
            ("ServedAnswer", "ServedAnswer"),
            ("FailedVariant", "FailedVariant"),
            ("VariantReport", "VariantReport"),
            ("VariantStep", "VariantStep"),
            ("ListedVariant", "ListedVariant"),
            ("MessageVariant", "MessageVariant"),
            ("RecordedFile", "RecordedContract"),
            ("Guess", "GuessedRule"),
            ("Skipped", "SkippedRequest"),
        ],
    ),
];

/// The options of calls: the file, the variant, its fields, the name, and a description.
const OPTIONS: [(&str, &str, &str, &str, &str); 12] = [
    (
        "definitions",
        "Operation.UsingPlugin",
        "plugin version",
        "PluginReference",
        "A plugin that a contract uses.",
    ),
    (
        "definitions",
        "Operation.WithMultipartFile",
        "content_type filename boundary part",
        "MultipartFileOptions",
        "Options for `withMultipartFile`.",
    ),
    (
        "matchers",
        "Matcher.Int",
        "min max",
        "Bounds",
        "The bounds of a number.",
    ),
    (
        "matchers",
        "Matcher.Float",
        "precision",
        "PrecisionOptions",
        "The number of digits of a generated number.",
    ),
    (
        "matchers",
        "Matcher.Str",
        "size generator",
        "StringOptions",
        "Options for `match.str`.",
    ),
    (
        "matchers",
        "Matcher.Uuid",
        "format",
        "UuidOptions",
        "The format of a UUID.",
    ),
    (
        "matchers",
        "MomentArguments",
        "format format_style",
        "FormatOptions",
        "The format of a date or time.",
    ),
    (
        "matchers",
        "Matcher.Like",
        "min max",
        "Sizes",
        "The allowed length of an array.",
    ),
    (
        "matchers",
        "Matcher.Like",
        "min max generator",
        "LikeOptions",
        "Options for `match.like`.",
    ),
    (
        "matchers",
        "Matcher.EachLike",
        "min max examples allow_empty example_limit",
        "EachLikeOptions",
        "The allowed length of an array, and the size of its example.",
    ),
    (
        "matchers",
        "Matcher.FromProviderState",
        "loose type",
        "FromProviderStateOptions",
        "Options for `match.fromProviderState`.",
    ),
    (
        "generators",
        "Generator.MockServerUrl",
        "example regex",
        "MockServerUrlOptions",
        "A URL on the mock server.",
    ),
];

/// The source files, relative to `crates`.
const SOURCES: [&str; 28] = [
    "report/src/finding.rs",
    "report/src/requests/mod.rs",
    "report/src/verification/error.rs",
    "report/src/verification/mod.rs",
    "report/src/verification/origin.rs",
    "report/src/verification/parts.rs",
    "definition/src/builder/operation/arguments.rs",
    "definition/src/builder/operation/mod.rs",
    "definition/src/builder/options.rs",
    "contract/src/ending.rs",
    "contract/src/variants/report.rs",
    "contract/src/variants/run.rs",
    "contract/src/journal.rs",
    "definition/src/matchers/generator.rs",
    "definition/src/matchers/matcher.rs",
    "definition/src/matchers/moment.rs",
    "definition/src/matchers/uuid.rs",
    "contract/src/messages/consumer_session.rs",
    "contract/src/options.rs",
    "contract/src/record/call.rs",
    "definition/src/plugins/settings.rs",
    "contract/src/test_broker.rs",
    "contract/src/verify/listed.rs",
    "contract/src/verify/operation.rs",
    "contract/src/verify/publish_options.rs",
    "contract/src/verify/verified.rs",
    "recording/src/exchange.rs",
    "verifier/src/context.rs",
];

/// The TypeScript forms of other types.
const FORMS: [(&str, &str); 32] = [
    ("bool", "boolean"),
    ("f64", "number"),
    ("i64", "number"),
    ("u16", "number"),
    ("u32", "number"),
    ("u64", "number"),
    ("usize", "number"),
    ("str", "string"),
    ("String", "string"),
    ("Seed", "number"),
    ("Size", "number"),
    ("Whole", "number"),
    ("Milliseconds", "number"),
    ("Length", "number"),
    ("Numeric", "number"),
    ("Text", "string"),
    ("Pairs", "NamedValues"),
    ("Binary", "Uint8Array | ArrayBuffer"),
    ("Pattern", "Pattern"),
    ("Object", "JsonObject"),
    ("Json", "JsonValue"),
    ("Document", "JsonObject"),
    ("ErrorCode", "string"),
    ("PathBuf", "string | URL"),
    ("Pem", "string | Uint8Array"),
    ("FilterPattern", "string | RegExp"),
    ("TransportName", "'http' | 'https' | (string & {})"),
    ("VariantChoice", "VariantSet | VariantOptions"),
    (
        "ProviderState",
        "{ readonly name: string; readonly parameters: JsonObject }",
    ),
    // Their serializers write more than their fields.
    ("Part", "Part"),
    ("RequestView", "ReceivedRequest"),
    // A union, discriminated by the part.
    ("Finding", "Mismatch"),
];

/// Members that differ in TypeScript. Members with an empty string are omitted.
const MEMBERS: [(&str, &str); 40] = [
    ("Finding.part", "type: string"),
    ("Certificate.cert", "cert: string | Uint8Array"),
    ("Certificate.key", "key: string | Uint8Array"),
    (
        "ContractOptions.specification",
        "specification?: Specification | undefined",
    ),
    ("FilterOptions.kind", "kind?: 'HTTP' | 'Async' | 'Sync' | undefined"),
    ("InteractionArguments.comments", "comments?: JsonObject | undefined"),
    (
        "InteractionArguments.states",
        "states?: readonly (string | StateDefinition)[] | undefined",
    ),
    ("InteractionInfo.test_name", "testName: string | null"),
    (
        "InteractionRef.states",
        "states?: readonly { readonly name: string; readonly parameters?: JsonObject }[]",
    ),
    ("Matcher.Like.generator", "generator?: Generator<unknown> | undefined"),
    ("Matcher.Str.generator", "generator?: Generator<unknown> | undefined"),
    ("PartArguments.file", "file?: string | URL | undefined"),
    ("PartArguments.json", "json?: Template<unknown> | undefined"),
    ("PartArguments.text", "text?: string | Matcher<string> | undefined"),
    ("RequestArguments.body", "body?: unknown"),
    ("RequestArguments.path", "path?: string | Matcher<string> | undefined"),
    ("RequestArguments.xml_body", "xmlBody?: XmlElement | string | undefined"),
    ("RequestContext.state_values", "stateValues: JsonObject"),
    ("ResponseArguments.body", "body?: unknown"),
    (
        "ResponseArguments.status",
        "status?: number | Matcher<number> | undefined",
    ),
    (
        "ResponseArguments.xml_body",
        "xmlBody?: XmlElement | string | undefined",
    ),
    (
        "ResponseDefaults.status",
        "status?: number | Matcher<number> | undefined",
    ),
    ("StateArguments.parameters", "parameters?: object | undefined"),
    ("InteractionError.token", "cause?: unknown"),
    ("InteractionReport.comments", "comments?: JsonObject"),
    ("JournalEntry.body", "body: string | { readonly base64: string }"),
    (
        "JournalEntry.headers",
        "headers: Readonly<Record<string, readonly string[]>>",
    ),
    (
        "JournalEntry.outcome",
        "outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'",
    ),
    (
        "JournalEntry.query",
        "query: Readonly<Record<string, readonly (string | null)[]>>",
    ),
    ("MessageOptions.kind", ""),
    ("PublishOptions.build_url", "buildUrl?: string | URL | undefined"),
    ("PublishOptions.version", "version: string"),
    ("RecordArguments.exchanges", ""),
    ("RecordArguments.path", ""),
    ("RecordArguments.target", "target?: string | URL | undefined"),
    ("ReportedBody.encoding", "encoding: 'text' | 'base64'"),
    ("ServeOptions.only", "only?: readonly HttpInteraction[] | undefined"),
    (
        "Tls.ca",
        "ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined",
    ),
    ("Tls.passphrase", "passphrase?: string | undefined"),
    ("Tls.pfx", ""),
];

/// The files that declare the types that are written by hand.
const IMPORTS: [(&str, &str); 15] = [
    ("Generator", "template"),
    ("Matcher", "template"),
    ("NamedValues", "arguments"),
    ("Part", "interaction"),
    ("Pattern", "match"),
    ("Template", "template"),
    ("XmlElement", "xml-element"),
    ("HttpInteraction", "http-interaction"),
    ("JsonObject", "json"),
    ("JsonValue", "json"),
    ("Mismatch", "mismatch"),
    ("ReceivedRequest", "mismatch"),
    ("Specification", "contract"),
    ("VariantOptions", "variants"),
    ("VariantSet", "variants"),
];

/// The Python types, with their names in Rust and in Python.
const IN_PYTHON: [(&str, &str); 25] = [
    ("Certificate", "ServerTls"),
    ("LimitOptions", "ServerLimits"),
    ("PluginOptions", "PluginOptions"),
    ("Finding", "Mismatch"),
    ("FailedVariant", "FailedVariant"),
    ("InteractionRef", "ServedInteractionName"),
    ("Closest", "ClosestInteraction"),
    ("ServerMismatch", "ServerMismatch"),
    ("JournalEntry", "JournalEntry"),
    ("Status", "InteractionStatus"),
    ("InteractionError", "InteractionError"),
    ("ReportedHeader", "ReportedHeader"),
    ("ReportedBody", "ReportedBody"),
    ("Expectation", "Expectation"),
    ("ReportedRequest", "ReportedRequest"),
    ("ReportedResponse", "ReportedResponse"),
    ("Timing", "InteractionTiming"),
    ("InteractionReport", "InteractionReport"),
    ("Origin", "ContractOrigin"),
    // Broker notices have a different shape in the results of broker operations.
    ("Notice", "ContractNotice"),
    ("ContractPublication", "ContractPublication"),
    ("Publication", "Publication"),
    ("ContractReport", "ContractReport"),
    ("Summary", "VerificationSummary"),
    ("Report", "VerificationReport"),
];

/// The Python forms of other types.
const FORMS_IN_PYTHON: [(&str, &str); 17] = [
    ("bool", "bool"),
    ("f64", "float"),
    ("u16", "int"),
    ("u32", "int"),
    ("u64", "int"),
    ("usize", "int"),
    ("str", "str"),
    ("String", "str"),
    ("Size", "int"),
    ("Whole", "int"),
    ("Milliseconds", "int"),
    ("Length", "int"),
    ("Json", "Json"),
    ("ErrorCode", "str"),
    ("PathBuf", "str | os.PathLike[str]"),
    ("ProviderState", "ProviderState"),
    ("RequestView", "ReceivedRequest"),
];

/// Members that differ in Python. Members with an empty string are omitted.
const MEMBERS_IN_PYTHON: [(&str, &str); 10] = [
    ("Certificate.cert", "cert: str | bytes"),
    ("Certificate.key", "key: str | bytes"),
    // Python chains the raised exception to the error itself.
    ("InteractionError.token", ""),
    ("InteractionRef.states", "states: NotRequired[list[ServedState]]"),
    ("InteractionReport.comments", "comments: NotRequired[dict[str, Json]]"),
    ("JournalEntry.body", "body: str | dict[str, str]"),
    ("JournalEntry.headers", "headers: dict[str, list[str]]"),
    (
        "JournalEntry.outcome",
        "outcome: Literal[\"matched\", \"mismatched\", \"not-found\", \"preflight\"]",
    ),
    ("JournalEntry.query", "query: dict[str, list[str | None]]"),
    ("ReportedBody.encoding", "encoding: Literal[\"text\", \"base64\"]"),
];

/// The types of results for C programs, in addition to the data types of Python.
const RESULTS: [(&str, &str); 6] = [
    ("Mismatched", "Mismatched"),
    ("Late", "Late"),
    ("Verdict", "Verdict"),
    ("MessageFailure", "MessageFailure"),
    ("MessageVerdict", "MessageVerdict"),
    ("ListedInteraction", "ListedInteraction"),
];

/// The JSON Schema forms of other types.
const FORMS_OF_SCHEMA: [(&str, &str); 15] = [
    ("bool", "\"type\": \"boolean\""),
    ("f64", "\"type\": \"number\""),
    ("u16", INTEGER),
    ("u32", INTEGER),
    ("u64", INTEGER),
    ("usize", INTEGER),
    ("str", TEXT),
    ("String", TEXT),
    ("Whole", INTEGER),
    ("Milliseconds", INTEGER),
    ("Length", INTEGER),
    ("ErrorCode", TEXT),
    ("Json", ""),
    ("ProviderState", "\"$ref\": \"#/$defs/ProviderState\""),
    ("RequestView", "\"$ref\": \"#/$defs/ReceivedRequest\""),
];
const INTEGER: &str = "\"type\": \"integer\"";
const TEXT: &str = "\"type\": \"string\"";

/// Members whose serializers write more than their types.
const MEMBERS_OF_SCHEMA: [(&str, &str); 8] = [
    ("InteractionError.token", "\"type\": \"integer\""),
    (
        "InteractionRef.states",
        "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/ServedState\"}",
    ),
    ("InteractionReport.comments", "\"type\": \"object\""),
    (
        "JournalEntry.body",
        "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", \"required\": [\"base64\"], \"properties\": {\"base64\": {\"type\": \"string\"}}}]",
    ),
    (
        "JournalEntry.headers",
        "\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
    ),
    (
        "JournalEntry.outcome",
        "\"enum\": [\"matched\", \"mismatched\", \"not-found\", \"preflight\"]",
    ),
    (
        "JournalEntry.query",
        "\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", \"items\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]}}",
    ),
    ("ReportedBody.encoding", "\"enum\": [\"text\", \"base64\"]"),
];

/// Types that are written by hand.
const SCHEMAS_BY_HAND: &str = include_str!("schemas.json");

const HEAD_OF_PYTHON: &str = "\
# Generated from the types of the core by crates/contract/tests/types; do not edit.
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from typing_extensions import NotRequired

    from .types import Json, ProviderState, ReceivedRequest, ServedState
";

pub(crate) const HEAD: &str = "\
// Generated from the types of the core by crates/contract/tests/types; do not edit.
";

pub(crate) fn crates() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the imports of a file from the other files.
fn imports(file: &str, types: &str) -> String {
    let is_named = |name: &str| types.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let by_hand = IMPORTS.iter().map(|(name, from)| (*name, format!("../{from}.js")));
    let others = FILES.iter().filter(|(other, _)| *other != file);
    let others = others.flat_map(|(other, types)| types.iter().map(move |(_, name)| (*name, format!("./{other}.js"))));
    let mut needed: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, from) in by_hand.chain(others).filter(|(name, _)| is_named(name)) {
        needed.entry(from).or_default().push(name);
    }
    let lines = needed
        .iter()
        .map(|(from, names)| format!("import type {{ {} }} from '{from}'\n", names.join(", ")));
    lines.collect()
}

fn written(names: &Names<'_>, file: &str, types: &[(&str, &str)]) -> String {
    let declared = types.iter().map(|(rust, _)| names.declaration(rust));
    let options = OPTIONS.iter().filter(|(wanted, ..)| *wanted == file);
    let options = options.map(|(_, variant, fields, name, docs)| names.options(variant, fields, name, docs));
    let types = declared.chain(options).collect::<Vec<_>>().join("\n");
    format!("{HEAD}{}\n{types}", imports(file, &types))
}

/// Reads the types that the sources declare.
pub(crate) fn declared(sources: &[&str]) -> HashMap<String, Declared> {
    let mut declared = HashMap::new();
    for path in sources {
        for (name, found) in source::read(&crates().join(path)) {
            assert!(
                declared.insert(name.clone(), found).is_none(),
                "two sources declare {name}"
            );
        }
    }
    declared
}

/// Fails unless the file contains this text. Writes the file instead if `CONTRACT_WRITE_TYPES` is set.
pub(crate) fn assert_written(file: &str, text: &str) {
    let path = crates().join("..").join(file);
    if std::env::var_os("CONTRACT_WRITE_TYPES").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{file} does not match the core types. Run CONTRACT_WRITE_TYPES=1 cargo test -p contract --test types to write it"
    );
}

pub(crate) fn assert_members_are_there(names: &Names<'_>) {
    for member in names.members.keys() {
        let is_there = member
            .rsplit_once('.')
            .is_some_and(|(of, field)| names.field(of, field).is_some());
        assert!(is_there, "{member} is in the table but not in the sources");
    }
}

#[test]
fn typescript_types_match_the_core() {
    let names = Names {
        declared: &declared(&SOURCES),
        called: FILES.iter().flat_map(|(_, types)| types.iter().copied()).collect(),
        forms: FORMS.into_iter().collect(),
        members: MEMBERS.into_iter().collect(),
    };
    for (file, types) in FILES {
        assert_written(&format!("src/generated/{file}.d.ts"), &written(&names, file, types));
    }
    assert_members_are_there(&names);
}

#[test]
fn python_types_match_the_core() {
    let parts = python::literal(&Part::ALL.map(Part::name));
    let names = Names {
        declared: &declared(&SOURCES),
        called: IN_PYTHON.into_iter().collect(),
        forms: FORMS_IN_PYTHON.into_iter().chain([("Part", parts.as_str())]).collect(),
        members: MEMBERS_IN_PYTHON.into_iter().collect(),
    };
    let classes = IN_PYTHON.iter().map(|(rust, _)| format!("\n\n{}", names.class(rust)));
    let classes: String = classes.collect();
    let text = format!("{HEAD_OF_PYTHON}\n{}{classes}", python::all(&classes));
    assert_written("python/src/contract/_shapes.py", &text);
    assert_members_are_there(&names);
}

#[test]
fn schemas_match_the_core() {
    let parts = schema::words_schema(&Part::ALL.map(Part::name));
    let data = IN_PYTHON
        .into_iter()
        .filter(|(rust, _)| !["Certificate", "LimitOptions", "PluginOptions"].contains(rust));
    let types: Vec<_> = data.chain(RESULTS).collect();
    let names = Names {
        declared: &declared(&SOURCES),
        called: types.iter().copied().collect(),
        forms: FORMS_OF_SCHEMA.into_iter().chain([("Part", parts.as_str())]).collect(),
        members: MEMBERS_OF_SCHEMA.into_iter().collect(),
    };
    let generated: Vec<_> = types.iter().map(|(rust, _)| names.schema(rust)).collect();
    let by_hand = SCHEMAS_BY_HAND
        .trim()
        .trim_start_matches('{')
        .trim_end_matches('}')
        .trim();
    let text = format!("{{\n{},\n{by_hand}\n}}\n", generated.join(",\n"));
    let read = contract::parse_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for name in references(&read) {
        assert!(read.as_object().is_some_and(|all| all.get(&name).is_some()), "{name}");
    }
    assert_written("crates/capi/include/shapes.json", &text);
    assert_members_are_there(&names);
}

/// Returns the names of the types that a schema refers to.
fn references(schema: &contract::Json) -> Vec<String> {
    let text = schema.to_text();
    let found = text.split("#/$defs/").skip(1);
    found
        .map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
        .collect()
}
