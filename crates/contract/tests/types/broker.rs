//! Generates the broker calls for TypeScript and Python, with the types of their arguments and results, from the table
//! in `crates/pipeline/src/broker/mod.rs` and the structs that it refers to.

#![expect(clippy::format_push_string, reason = "files of a few kilobytes")]

use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Item, Token, Type, parenthesized};

use crate::python::{docstring, literal};
use crate::source::{Field, cased, docs};
use crate::typescript::{Names, comment, named, option, union};
use crate::{HEAD, assert_members_are_there, assert_written, crates, declared};

/// The source files of the structs, relative to `crates`.
const SOURCES: [&str; 13] = [
    "broker-client/src/environments.rs",
    "broker-client/src/matrix.rs",
    "broker-client/src/pacticipants.rs",
    "pipeline/src/broker/access.rs",
    "pipeline/src/broker/arguments.rs",
    "pipeline/src/broker/contracts.rs",
    "pipeline/src/broker/deploy.rs",
    "pipeline/src/broker/explain.rs",
    "pipeline/src/broker/publish.rs",
    "pipeline/src/broker/records.rs",
    "pipeline/src/broker/values.rs",
    "pipeline/src/broker/versions.rs",
    "pipeline/src/broker/webhooks.rs",
];

/// The TypeScript types, with their names in Rust and in TypeScript.
const IN_TYPESCRIPT: [(&str, &str); 31] = [
    ("AccessOptions", "BrokerAccess"),
    ("PublishArguments", "PublishOptions"),
    ("VersionChoice", "VersionChoice"),
    ("CanIDeployArguments", "CanIDeployOptions"),
    ("CanIMergeArguments", "CanIMergeOptions"),
    ("DeploymentArguments", "DeploymentOptions"),
    ("UndeploymentArguments", "UndeploymentOptions"),
    ("ReleaseArguments", "ReleaseOptions"),
    ("GetContractsArguments", "GetContractsOptions"),
    ("EnvironmentChange", "EnvironmentOptions"),
    ("PacticipantChange", "PacticipantOptions"),
    ("VersionArguments", "VersionOptions"),
    ("DescribeVersionArguments", "DescribeVersionOptions"),
    ("WebhookArguments", "WebhookOptions"),
    ("Detected", "Detected"),
    ("PublishedContract", "PublishedContract"),
    ("PublishedConsumer", "PublishedConsumer"),
    ("PublishedContracts", "PublishedContracts"),
    ("RowSide", "VerdictSide"),
    ("Row", "VerdictRow"),
    ("Reason", "VerdictExplanation"),
    ("DeploymentVerdict", "DeploymentVerdict"),
    ("DeploymentRecord", "DeploymentRecord"),
    ("Environment", "Environment"),
    ("Pacticipant", "Pacticipant"),
    ("PacticipantVersion", "PacticipantVersion"),
    ("BrokerContract", "BrokerContract"),
    ("RequestedState", "RequestedState"),
    ("Branch", "Branch"),
    ("Webhook", "Webhook"),
    ("Diagnosis", "Diagnosis"),
];
/// The type that is declared last.
const DELETION: (&str, &str) = ("Deletion", "Deletion");

const FORMS: [(&str, &str); 12] = [
    ("bool", "boolean"),
    ("u64", "number"),
    ("str", "string"),
    ("String", "string"),
    ("SingleLine", "string"),
    ("Whole", "number"),
    ("Milliseconds", "number"),
    ("Pem", "string"),
    ("Latest", "true | string"),
    ("Document", "JsonValue"),
    ("Json", "JsonValue"),
    ("Notice", "BrokerNotice"),
];

/// Members that differ in TypeScript. Members with an empty string are omitted.
const MEMBERS: [(&str, &str); 20] = [
    ("AccessOptions.url", "url?: string | URL | undefined"),
    ("CanIDeployArguments.dry_run", ""),
    ("CanIDeployArguments.limit", ""),
    ("CanIDeployArguments.selectors", "selectors: readonly VersionChoice[]"),
    ("CanIMergeArguments.dry_run", ""),
    (
        "DeploymentVerdict.explanation",
        "explanation?: readonly VerdictExplanation[]",
    ),
    ("EnvironmentChange.name", "name: string"),
    ("EnvironmentChange.uuid", ""),
    ("PublishArguments.files", ""),
    ("Pacticipant.created", ""),
    ("Reason.pair", PAIR),
    (
        "Reason.problem",
        "problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'",
    ),
    (
        "RequestedState.params",
        "params?: Readonly<Record<string, JsonValue>> | readonly JsonValue[]",
    ),
    ("VersionChoice.main_branch", "mainBranch?: true | undefined"),
    ("VersionChoice.latest", "latest?: true | string | undefined"),
    ("DescribeVersionArguments.latest", "latest?: true | string | undefined"),
    ("Webhook.others", "[name: string]: JsonValue"),
    ("WebhookArguments.body", "body?: JsonValue | undefined"),
    ("WebhookArguments.events", "events: readonly WebhookEvent[]"),
    ("WebhookArguments.uuid", ""),
];
/// Members that are either all present or all absent.
const PAIR: &str = "consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The affected provider versions. */
  readonly providerVersions?: readonly string[]
  readonly resultUrl?: string | null";

/// The groups of functions in TypeScript.
const GROUPS: [(&str, &str); 5] = [
    ("environments", "Manages environments."),
    (
        "pacticipants",
        "Manages pacticipants: the applications that have contracts with each other.",
    ),
    ("versions", "Manages versions with their tags and branches."),
    ("branches", "Manages branches."),
    (
        "webhooks",
        "Manages webhooks: requests that the broker sends when an event occurs.",
    ),
];

/// Options and results with a different type in TypeScript.
const OPTIONS: [(&str, &str); 2] = [
    (
        "update_environment",
        "Partial<EnvironmentOptions> & { readonly uuid: string }",
    ),
    ("create_or_update_webhook", "WebhookOptions & { readonly uuid: string }"),
];
const RESULTS: [(&str, &str); 2] = [
    (
        "create_or_update_pacticipant",
        "Pacticipant & { readonly created: boolean }",
    ),
    ("test_webhook", "Readonly<Record<string, JsonValue>>"),
];

const HEAD_OF_FUNCTIONS: &str = "\
import { brokerCall as call } from '../broker-call.js'
import type { JsonValue } from '../json.js'
import type {
";

/// The Python types, with their names in Rust and in Python.
const IN_PYTHON: [(&str, &str); 22] = [
    ("VersionChoice", "VersionChoice"),
    ("IgnoredVersion", "IgnoredVersion"),
    ("DetectedBuild", "DetectedBuild"),
    ("PublishedContract", "PublishedContract"),
    ("PublishedConsumer", "PublishedConsumer"),
    ("PublishedContracts", "PublishedContracts"),
    ("RowSide", "VerdictSide"),
    ("Row", "VerdictRow"),
    ("Reason", "VerdictExplanation"),
    ("DeploymentVerdict", "DeploymentVerdict"),
    ("DeploymentRecord", "DeploymentRecord"),
    ("Contact", "Contact"),
    ("Environment", "Environment"),
    ("Pacticipant", "Pacticipant"),
    ("VersionBranch", "VersionBranch"),
    ("PacticipantVersion", "PacticipantVersion"),
    ("TaggedVersion", "TaggedVersion"),
    ("BrokerContract", "BrokerContract"),
    ("RequestedState", "RequestedState"),
    ("Branch", "Branch"),
    ("Check", "Check"),
    ("Diagnosis", "Diagnosis"),
];

const FORMS_IN_PYTHON: [(&str, &str); 13] = [
    ("bool", "bool"),
    ("u64", "int"),
    ("str", "str"),
    ("String", "str"),
    ("SingleLine", "str"),
    ("Whole", "int"),
    ("Milliseconds", "int"),
    ("Latest", "Literal[True] | str"),
    ("Document", "Json"),
    ("Json", "Json"),
    ("Notice", "BrokerNotice"),
    ("Detected", "Detected"),
    ("Webhook", "dict[str, Json]"),
];

const MEMBERS_IN_PYTHON: [(&str, &str); 6] = [
    (
        "DeploymentVerdict.explanation",
        "explanation: NotRequired[list[VerdictExplanation]]",
    ),
    ("Reason.pair", PAIR_IN_PYTHON),
    (
        "Reason.problem",
        "problem: Literal[\"failed\", \"unverified\", \"not_deployed\", \"unknown\"]",
    ),
    ("VersionChoice.latest", "latest: NotRequired[Literal[True] | str]"),
    ("VersionChoice.main_branch", "main_branch: NotRequired[Literal[True]]"),
    ("WebhookArguments.events", "events: Sequence[WebhookEvent]"),
];
const PAIR_IN_PYTHON: &str = "consumer: NotRequired[str]
    consumerVersion: NotRequired[str | None]
    provider: NotRequired[str]
    providerVersions: NotRequired[list[str]]
    \"\"\"The affected provider versions.\"\"\"
    resultUrl: NotRequired[str | None]";

/// Calls whose positional arguments in Python differ from the required arguments: the call, its positional arguments, and
/// the argument that is omitted.
const POSITIONAL: [(&str, &str, &str); 5] = [
    ("can_i_deploy", "selectors", ""),
    ("create_environment", "name", "uuid"),
    ("update_environment", "uuid", ""),
    ("create_webhook", "url events", "uuid"),
    ("create_or_update_webhook", "uuid url events", ""),
];

const HEAD_OF_TYPES: &str = "\
# Generated from the types of the core by crates/contract/tests/types; do not edit.
\"\"\"Types of the arguments and results of ``Broker``. Results are plain JSON data.\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from .types import BrokerNotice, Json

Detected = TypedDict(\"Detected\", {\"value\": str, \"from\": str})
\"\"\"A detected value and its source: an environment variable or a git command.\"\"\"
";

const HEAD_OF_CALLS: &str = "\
# Generated from the calls of the core by crates/contract/tests/types; do not edit.
\"\"\"The calls of ``Broker``.\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .broker_types import (
";

const CLASS: &str = "
__tracebackhide__ = True


class BrokerCalls:
    \"\"\"Methods of ``Broker`` that pass their arguments through unchanged.\"\"\"

    def _call(self, call: str, /, **arguments: object) -> Any:
        raise NotImplementedError
";

/// A call in the core's table.
struct Call {
    docs: Vec<String>,
    name: String,
    arguments: Type,
    value: Type,
}

struct Calls(Vec<Call>);

impl Parse for Calls {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut calls = Vec::new();
        while !input.is_empty() {
            let attributes = input.call(Attribute::parse_outer)?;
            let name = input.parse::<Ident>()?.to_string();
            let argument;
            parenthesized!(argument in input);
            argument.parse::<Ident>()?;
            argument.parse::<Token![:]>()?;
            let arguments = argument.parse()?;
            input.parse::<Token![->]>()?;
            let value = input.parse()?;
            input.parse::<Token![=]>()?;
            input.parse::<Token![|]>()?;
            input.parse::<Ident>()?;
            input.parse::<Token![|]>()?;
            input.parse::<Expr>()?;
            input.parse::<Token![;]>()?;
            calls.push(Call {
                docs: docs(&attributes),
                name,
                arguments,
                value,
            });
        }
        Ok(Self(calls))
    }
}

/// Reads the core's table.
fn calls() -> Vec<Call> {
    let path = crates().join("pipeline/src/broker/mod.rs");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table = file.items.into_iter().find_map(|item| match item {
        Item::Macro(item) if item.mac.path.is_ident("calls") => Some(item.mac),
        _ => None,
    });
    let table = table.expect("the table of calls").parse_body::<Calls>();
    table.unwrap_or_else(|error| panic!("the table of calls: {error}")).0
}

fn found<'a>(table: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[test]
fn typescript_broker_functions_match_the_core() {
    let names = Names {
        declared: &declared(&SOURCES),
        called: IN_TYPESCRIPT.into_iter().chain([DELETION]).collect(),
        forms: FORMS.into_iter().collect(),
        members: MEMBERS.into_iter().collect(),
    };
    let calls = calls();
    assert_written("src/generated/broker.d.ts", &types_of_typescript(&names, &calls));
    assert_written("src/generated/broker-functions.ts", &functions(&names, &calls));
    assert_members_are_there(&names);
}

fn types_of_typescript(names: &Names<'_>, calls: &[Call]) -> String {
    let options: Vec<_> = calls.iter().map(|call| named(&call.arguments).0).collect();
    let types = IN_TYPESCRIPT.into_iter().chain([DELETION]).map(|(rust, name)| {
        let declaration = names.declaration(rust);
        if options.iter().any(|one| one == rust) {
            let head = format!("export interface {name} ");
            declaration.replace(&head, &format!("{head}extends BrokerCall "))
        } else {
            declaration
        }
    });
    let types = types.collect::<Vec<_>>().join("\n");
    let retry = names.options(
        "CanIDeployArguments",
        "retry_while_unknown retry_interval wait",
        "RetryOptions",
        "Options for waiting until a verdict is known.",
    );
    let events = union(&contract::broker::WEBHOOK_EVENTS.map(str::to_owned)).replace(" | ", "\n  | ");
    let text = format!(
        "{HEAD}import type {{ BrokerNotice }} from '../errors.js'
import type {{ JsonValue }} from '../json.js'

/** Options for every call to a broker. */
export interface BrokerCall {{
  /** Address and credentials of the broker. */
  readonly broker?: BrokerAccess | undefined
}}

{types}
{retry}
/** An event that triggers a webhook. */
export type WebhookEvent =
  | {events}
"
    );
    as_functions(&text)
}

/// Returns the calls that have a different name in TypeScript, from the Node binding's table.
fn other_names() -> Vec<(String, String)> {
    let path = crates().join("napi/src/failure.rs");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, table) = text.split_once("const OTHER_NAMES").expect("the table of names");
    let (table, _) = table.split_once("];").expect("the end of the table");
    let words: Vec<_> = table.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let pairs = words.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    pairs.collect()
}

/// Returns the name of the TypeScript function for a call.
fn function_of(call: &str) -> String {
    let other = other_names().into_iter().find(|(name, _)| name == call);
    other.map_or_else(|| cased(call, Some("camelCase")), |(_, name)| name)
}

/// Replaces the names of calls with the names of their TypeScript functions.
fn as_functions(text: &str) -> String {
    other_names()
        .into_iter()
        .fold(text.to_owned(), |text, (call, function)| {
            let camel = cased(&call, Some("camelCase"));
            text.replace(&format!("`{camel}`"), &format!("`{function}`"))
        })
}

fn functions(names: &Names<'_>, calls: &[Call]) -> String {
    // `publish` is written by hand, because its files come before its options.
    let calls = calls.iter().filter(|call| call.name != "publish");
    let calls: Vec<_> = calls.map(|call| (call, function_of(&call.name))).collect();
    let mut text = String::new();
    for (call, function) in calls.iter().filter(|(_, function)| !function.contains('.')) {
        text += &format!(
            "\n{}export function {function}({}): Promise<{}> {{\n  return call('{}', options)\n}}\n",
            comment(&call.docs, ""),
            options(names, call, "  "),
            result(names, call),
            call.name
        );
    }
    for (group, docs) in GROUPS {
        text += &format!("\n/** {docs} */\nexport const {group} = {{\n");
        for (call, function) in &calls {
            if let Some(member) = function.strip_prefix(group).and_then(|rest| rest.strip_prefix('.')) {
                text += &format!(
                    "{}  {member}: ({}): Promise<{}> => call('{}', options),\n",
                    comment(&call.docs, "  "),
                    options(names, call, "    "),
                    result(names, call),
                    call.name
                );
            }
        }
        text += "} as const\n";
    }
    for (call, _) in &calls {
        assert!(
            text.contains(&format!("call('{}', options)", call.name)),
            "{} has no group",
            call.name
        );
    }
    let text = as_functions(&text);
    let is_named = |name: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let known = IN_TYPESCRIPT.iter().chain([&DELETION]).map(|(_, name)| *name);
    let mut needed: Vec<_> = known.chain(["BrokerCall"]).filter(|name| is_named(name)).collect();
    needed.sort_unstable();
    let needed = needed.iter().map(|name| format!("  {name},\n"));
    let needed: String = needed.collect();
    format!("{HEAD}{HEAD_OF_FUNCTIONS}{needed}}} from './broker.js'\n{text}")
}

/// Returns the parameter of a TypeScript function.
fn options(names: &Names<'_>, call: &Call, indent: &str) -> String {
    let rust = named(&call.arguments).0;
    let known = found(&OPTIONS, &call.name).or_else(|| names.called.get(rust.as_str()).copied());
    if let Some(known) = known {
        return format!("options: {known}");
    }
    let fields = fields_of(names, call);
    if fields.is_empty() {
        return "options: BrokerCall = {}".to_owned();
    }
    let members = names.members(&rust, fields, true, &format!("{indent}  "));
    format!("options: BrokerCall & {{\n{members}{indent}}}")
}

fn result(names: &Names<'_>, call: &Call) -> String {
    if let Some(known) = found(&RESULTS, &call.name) {
        return known.to_owned();
    }
    match named(&call.value) {
        (name, items) if name == "Vec" => format!("{}[]", names.form(items[0])),
        _ => names.form(&call.value),
    }
}

fn fields_of<'a>(names: &'a Names<'_>, call: &Call) -> &'a [Field] {
    let rust = named(&call.arguments).0;
    let fields = names.declared.get(&rust).and_then(|one| one.fields(None));
    fields.unwrap_or_else(|| panic!("no source declares {rust}"))
}

#[test]
fn python_broker_calls_match_the_core() {
    let names = Names {
        declared: &declared(&SOURCES),
        called: IN_PYTHON.into_iter().chain([DELETION]).collect(),
        forms: FORMS_IN_PYTHON.into_iter().collect(),
        members: MEMBERS_IN_PYTHON.into_iter().collect(),
    };
    let calls = calls();
    let classes = IN_PYTHON.iter().chain([&DELETION]);
    let classes = classes.map(|(rust, _)| format!("\n\n{}", names.class(rust)));
    let classes: String = classes.collect();
    let events = literal(&contract::broker::WEBHOOK_EVENTS);
    let text =
        format!("{HEAD_OF_TYPES}{classes}\n\nWebhookEvent = {events}\n\"\"\"An event that triggers a webhook.\"\"\"\n");
    assert_written("python/src/contract/broker_types.py", &in_python_terms(&text));
    let methods = calls.iter().filter(|call| call.name != "publish");
    let methods: String = methods.map(|call| method(&names, call)).collect();
    // Every second part is a docstring, which does not contain type names.
    let code: String = methods.split("\"\"\"").step_by(2).collect();
    let is_named = |name: &str| code.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let known = IN_PYTHON.iter().chain([&DELETION]).map(|(_, name)| *name);
    let needed = known.chain(["WebhookEvent"]).filter(|name| is_named(name));
    let needed = needed.map(|name| format!("        {name},\n"));
    let needed: String = needed.collect();
    let text = format!("{HEAD_OF_CALLS}{needed}    )\n    from .types import Json\n{CLASS}{methods}");
    assert_written("python/src/contract/_broker_calls.py", &in_python_terms(&text));
    assert_members_are_there(&names);
}

/// Replaces terms with their Python equivalents.
fn in_python_terms(text: &str) -> String {
    text.replace("not thrown", "not raised").replace("``true``", "``True``")
}

/// Returns a method of the Python class.
fn method(names: &Names<'_>, call: &Call) -> String {
    let rust = named(&call.arguments).0;
    let special = POSITIONAL.iter().find(|(name, ..)| *name == call.name);
    let excluded = special.map_or("", |(_, _, excluded)| *excluded);
    let fields: Vec<_> = fields_of(names, call)
        .iter()
        .filter(|field| field.in_rust != excluded)
        .collect();
    let field = |name: &str| {
        let found = fields.iter().find(|field| field.in_rust == name);
        *found.unwrap_or_else(|| panic!("{} has no argument {name}", call.name))
    };
    let is_required = |field: &&&Field| !field.may_be_absent && option(&field.of).is_none();
    let positional: Vec<&Field> = match special {
        Some((_, positional, _)) => positional.split(' ').map(field).collect(),
        None => fields.iter().filter(is_required).copied().collect(),
    };
    let is_positional = |field: &Field| positional.iter().any(|positional| positional.in_rust == field.in_rust);
    let others: Vec<&Field> = fields.iter().filter(|field| !is_positional(field)).copied().collect();
    let hint = |field: &Field| {
        let known = names.members.get(format!("{rust}.{}", field.in_rust).as_str());
        let known = known
            .and_then(|known| known.split_once(": "))
            .map(|(_, hint)| hint.to_owned());
        known.unwrap_or_else(|| names.hint(option(&field.of).unwrap_or(&field.of), true))
    };
    let mut parameters = vec!["self".to_owned()];
    parameters.extend(
        positional
            .iter()
            .map(|field| format!("{}: {}", field.in_rust, hint(field))),
    );
    if !others.is_empty() {
        parameters.push("*".to_owned());
    }
    parameters.extend(
        others
            .iter()
            .map(|field| format!("{}: {} | None = None", field.in_rust, hint(field))),
    );
    let parameters = if others.is_empty() {
        parameters.join(", ")
    } else {
        let lines = parameters.iter().map(|parameter| format!("\n        {parameter},"));
        lines.collect::<String>() + "\n    "
    };
    let all: Vec<&Field> = positional.iter().chain(&others).copied().collect();
    let result = names.hint(&call.value, false);
    let result = if result == "Json" {
        "dict[str, Json]".to_owned()
    } else {
        result
    };
    let passed = all.iter().map(|field| format!(", {0}={0}", field.in_rust));
    let (name, docs, passed) = (&call.name, method_docs(&call.docs, &all), passed.collect::<String>());
    format!(
        "\n    def {name}({parameters}) -> {result}:\n{docs}        answer: {result} = self._call(\"{name}\"{passed})\n        return answer\n"
    )
}

/// Returns the docstring of a method, with a summary in the imperative and the arguments.
fn method_docs(docs: &[String], fields: &[&Field]) -> String {
    let mut lines = vec![imperative(&docs.join(" "))];
    let documented = fields.iter().filter(|field| !field.docs.is_empty());
    let parameters = documented.map(|field| {
        let text = field.docs.join(" ");
        format!(":param {}: {}", field.in_rust, lower(text.trim_end_matches('.')))
    });
    let parameters: Vec<_> = parameters.collect();
    if !parameters.is_empty() {
        lines.push(String::new());
        lines.extend(parameters);
    }
    docstring(&lines, "        ")
}

/// Converts a summary to the imperative, for example `Creates or updates a version.` to `Create or update a version.`
fn imperative(docs: &str) -> String {
    let mut words: Vec<_> = docs.split(' ').collect();
    let verbs = if words.get(1) == Some(&"or") { 2 } else { 1 };
    for verb in words.iter_mut().step_by(2).take(verbs) {
        *verb = verb.trim_end_matches('s');
    }
    words.join(" ")
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text[first.len_utf8()..].starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}
