//! Lists all matcher and generator functions with their names and arguments.

use super::generator::Generator;
use super::matcher::Matcher;
use super::xml::Xml;
use contract_call::read::{names, variants};

/// A function for a matcher, generator, or XML element that bindings provide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name in snake case, such as `match.each_like`.
    pub name: String,
    /// Argument names in snake case.
    pub arguments: &'static [&'static str],
    /// Alternative names, such as `match.integer` for `match.int`.
    pub aliases: Vec<&'static str>,
}

/// Pairs of an alternative name and the name for which it stands.
const ALIASES: [(&str, &str); 13] = [
    ("match.integer", "match.int"),
    ("match.decimal", "match.float"),
    ("match.string", "match.str"),
    ("match.boolean", "match.bool"),
    ("match.timestamp", "match.datetime"),
    ("match.type", "match.like"),
    ("match.none", "match.null"),
    ("generate.integer", "generate.int"),
    ("generate.decimal", "generate.float"),
    ("generate.hexadecimal", "generate.hex"),
    ("generate.string", "generate.str"),
    ("generate.boolean", "generate.bool"),
    ("generate.timestamp", "generate.datetime"),
];

/// Pairs of the name that bindings use outside the `match` namespace, and the matcher's variant.
const OTHER_NAMESPACES: [(&str, &str); 2] = [
    ("graphql.document", "graphql_document"),
    ("with_bearer_token", "bearer_token"),
];

/// The enum that defines a function, with the name of its variant.
pub(super) enum FunctionKind<'a> {
    Matcher(&'a str),
    Generator(&'a str),
    Xml(&'a str),
}

/// Returns the canonical name in snake case of any spelling of a function, such as `match.eachLike` or `match.integer`.
pub(super) fn canonical(name: &str) -> String {
    let name = contract_call::read::snake(name);
    match ALIASES.iter().find(|(alias, _)| *alias == name) {
        Some((_, own)) => (*own).to_owned(),
        None => name,
    }
}

pub(super) fn find(name: &str) -> Option<FunctionKind<'_>> {
    if let Some((_, own)) = OTHER_NAMESPACES.iter().find(|(elsewhere, _)| *elsewhere == name) {
        return Some(FunctionKind::Matcher(own));
    }
    let (namespace, function) = name.split_once('.')?;
    let is_elsewhere = OTHER_NAMESPACES.iter().any(|(_, own)| *own == function);
    match namespace {
        "match" if !is_elsewhere && names::<Matcher>().contains(&function) => Some(FunctionKind::Matcher(function)),
        "generate" if names::<Generator>().contains(&function) => Some(FunctionKind::Generator(function)),
        "xml" if names::<Xml>().contains(&function) => Some(FunctionKind::Xml(function)),
        _ => None,
    }
}

/// Returns all functions, in the order of the enums.
pub fn functions() -> Vec<Function> {
    let matchers = variants::<Matcher>().into_iter().map(|(function, arguments)| {
        let elsewhere = OTHER_NAMESPACES.iter().find(|(_, own)| *own == function);
        let name = elsewhere.map_or_else(|| format!("match.{function}"), |(name, _)| (*name).to_owned());
        (name, arguments)
    });
    let qualified = |namespace, (function, arguments)| (format!("{namespace}.{function}"), arguments);
    let generators = variants::<Generator>()
        .into_iter()
        .map(|function| qualified("generate", function));
    let elements = variants::<Xml>().into_iter().map(|function| qualified("xml", function));
    let functions = matchers.chain(generators).chain(elements).map(|(name, arguments)| {
        let own = ALIASES.iter().filter(|(_, own)| *own == name);
        Function {
            aliases: own.map(|(alias, _)| *alias).collect(),
            name,
            arguments,
        }
    });
    functions.collect()
}
