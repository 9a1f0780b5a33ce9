//! GraphQL bodies. A query becomes a regular expression that matches the same document with any formatting.
//!
//! Contract files have no rule for GraphQL, but all Pact implementations support regular expressions. Between two
//! tokens, the expression allows insignificant characters (whitespace, line breaks, commas, and comments), and requires
//! one only where the tokens would otherwise merge. The order of fields and the content of strings are significant.

mod parse;
mod scan;

use contract_matching::GRAPHQL_IGNORED as IGNORED;
use contract_model::{Json, Object};

use self::parse::{Document, Variable};
use self::scan::{Token, TokenKind};
use crate::literal::literal;
use contract_call::error::{ArgumentError, BODY};
use contract_call::message::{Message, message, option};

/// Pattern for a comment at the end of the document, where the line break may be missing.
const LAST: &str = r"(?:#[^\n\r]*)?";

/// The query object has no source text. Documents that a GraphQL library parsed contain their source text; documents
/// that were built programmatically do not.
pub(crate) const NO_TEXT: &str = "the query must be a string, or a parsed document with its source text";

/// Returns the matcher JSON of a GraphQL request and an optional warning. `variables` and `extensions` may be
/// templates.
pub(crate) fn template(
    query: &Json,
    variables: Option<Json>,
    operation_name: Option<Json>,
    extensions: Option<Json>,
) -> Result<(Json, Option<String>), ArgumentError> {
    let query = query.as_str().ok_or_else(|| ArgumentError::new(BODY, NO_TEXT))?;
    let document = parse::document(query).map_err(|error| ArgumentError::new(BODY, error.to_string()))?;
    let warning = check(&document, operation_name.as_ref(), variables.as_ref());
    let warning = warning.map_err(|problem| ArgumentError::new(BODY, problem))?;
    let matcher = [
        ("contract:matcher:type", Json::from("regex")),
        ("regex", pattern(&document).into()),
        ("value", query.into()),
    ];
    let matcher: Object = matcher.into_iter().collect();
    let members = [
        ("query", Some(matcher.into())),
        ("variables", variables),
        ("operationName", operation_name),
        ("extensions", extensions),
    ];
    let known = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
    Ok((known.collect::<Object>().into(), warning))
}

pub(crate) fn graphql_pattern(query: &str) -> Result<String, ArgumentError> {
    let document = parse::document(query).map_err(|error| ArgumentError::new(BODY, error.to_string()))?;
    Ok(pattern(&document))
}

/// Checks the operation name and the variables against the document. Undeclared variables only cause a warning, because
/// GraphQL servers ignore them.
fn check(document: &Document<'_>, name: Option<&Json>, variables: Option<&Json>) -> Result<Option<String>, Message> {
    let operations = &document.operations;
    let named: Vec<_> = operations.iter().filter_map(|operation| operation.name).collect();
    let all = named.join(", ");
    let operation = match name {
        None | Some(Json::Null) => match operations.as_slice() {
            [operation] => Ok(operation),
            _ => Err(message![
                format!("the query has multiple operations ({all}); select one with "),
                option("operation_name")
            ]),
        },
        Some(Json::String(name)) => {
            let found = operations.iter().find(|operation| operation.name == Some(name));
            found.ok_or_else(|| match named.as_slice() {
                [] => message![
                    "the operation has no name, so ",
                    option("operation_name"),
                    format!(" cannot be {name:?}")
                ],
                _ => format!("the query has no operation {name:?}; its operations are {all}").into(),
            })
        }
        Some(other) => Err(message![
            option("operation_name"),
            format!(" must be a string or null, received {}", other.kind().with_article())
        ]),
    }?;
    let passed = match variables {
        None | Some(Json::Null) => &Object::new(),
        // The object is a matcher. Its example contains the names of the variables and is checked when it is sent.
        Some(Json::Object(variables)) if variables.keys().any(|name| name.contains(':')) => return Ok(None),
        Some(Json::Object(variables)) => variables,
        Some(other) => {
            return Err(format!("variables must be an object, received {}", other.kind().with_article()).into());
        }
    };
    let known: Vec<_> = operation.variables.iter().map(|variable| variable.name).collect();
    let unknown = passed.keys().find(|name| !known.contains(&name.as_str()));
    let is_missing = |variable: &&Variable<'_>| variable.is_required && !passed.contains_key(variable.name);
    match operation.variables.iter().find(is_missing) {
        Some(missing) => Err(format!(
            "the query requires the variable ${0}; add {0:?} to variables",
            missing.name
        )
        .into()),
        None => Ok(unknown.map(|name| {
            let known = match known.as_slice() {
                [] => "no variables".to_owned(),
                known => format!("${}", known.join(", $")),
            };
            format!("the query does not declare the variable ${name}; it declares {known}")
        })),
    }
}

fn pattern(document: &Document<'_>) -> String {
    let mut out = format!("{IGNORED}*");
    let mut before: Option<&Token<'_>> = None;
    for (at, token) in document.tokens.iter().enumerate() {
        if document.optional_query.contains(&at) {
            // `query {` and `{` are equivalent.
            if token.text == "query" {
                continue;
            }
            separate(before, token, &mut out);
            out.extend(["(?:query", IGNORED, "*)?"]);
        } else {
            separate(before, token, &mut out);
        }
        out.push_str(&literal(token.text));
        before = Some(token);
    }
    out.extend([IGNORED, "*", LAST]);
    out
}

fn separate(before: Option<&Token<'_>>, token: &Token<'_>, out: &mut String) {
    if let Some(before) = before {
        out.push_str(IGNORED);
        out.push(if before.runs_into(token) { '+' } else { '*' });
    }
}

impl Token<'_> {
    /// Returns true if the two tokens would merge without a separator.
    fn runs_into(&self, next: &Self) -> bool {
        let is_word = |token: &Self| matches!(token.kind, TokenKind::Name | TokenKind::Number);
        match (self.kind, next.kind) {
            (TokenKind::String, TokenKind::String) => self.text == "\"\"",
            (TokenKind::Number, TokenKind::Punctuator) => next.text == "...",
            _ => is_word(self) && is_word(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_matching::Pattern;
    use contract_model::Json;

    use super::{graphql_pattern, template};

    const QUERY: &str = "query User($id: ID!, $full: Boolean = true) { user(id: $id, tags: [1 2.5, \"a b\"]) { id ...on Person @include(if: $full) { name } ...Rest } } fragment Rest on User { x: y }";

    #[track_caller]
    fn check(query: &str, same: &[&str], different: &[&str]) {
        let pattern = Pattern::new(&graphql_pattern(query).unwrap()).unwrap();
        for text in same.iter().chain([&query]) {
            assert!(pattern.matches(text).unwrap(), "{text}");
        }
        for text in different {
            assert!(!pattern.matches(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn ignores_insignificant_characters() {
        check(
            "{ a(x: 1, y: \"1, 2\") { b c } }",
            &[
                "{a(x:1 y:\"1, 2\"){b c}}",
                "query{a(x:1,y:\"1, 2\"),{b,c}}",
                "  query # why\n { a ( x : 1 y : \"1, 2\" ) { b # {\r\n c } } # end",
            ],
            &[
                "{ a(x: 1, y: \"1, 2\") { c b } }",
                "{ a(x: 1, y: \"1,2\") { b c } }",
                "{ a(x: 1, y: \"1, 2\") { bc } }",
                "{ a(x: 1, y: \"1, 2\") { b # c } }",
                "mutation { a(x: 1, y: \"1, 2\") { b c } }",
                "query Q { a(x: 1, y: \"1, 2\") { b c } }",
                "{ a(x: 1, y: \"1, 2\") { b c } } { d }",
            ],
        );
        check("query { a }", &["{a}", "query{a}"], &["{b}"]);
        check("query Q { a }", &["query Q{a}"], &["{a}", "queryQ{a}"]);
        check(
            "query ($a: Int) { a(b: $a) }",
            &["query($a:Int){a(b:$a)}"],
            &["($a:Int){a(b:$a)}"],
        );
        check(
            "{ a(b: [\"\" \"c\"]) }",
            &["{a(b:[\"\",\"c\"])}"],
            &["{a(b:[\"\"\"c\"])}"],
        );
        check(QUERY, &[&QUERY.replace(", ", "\n\t")[..]], &[]);
    }

    #[test]
    fn rejects_invalid_queries() {
        for (query, want) in [
            ("", "the query is empty"),
            (
                "{",
                "line 1, column 2: expected a field, '...', or '}', found the end of the document",
            ),
            ("{ }", "line 1, column 3: expected a field or '...', found '}'"),
            (
                "{ a\n b( }",
                "line 2, column 5: expected the name of an argument, found '}'",
            ),
            ("{ a(x: ) }", "line 1, column 8: expected a value, found ')'"),
            ("{ a \"x }", "line 1, column 5: the string is not closed on its line"),
            ("{ a ? }", "line 1, column 5: unexpected character '?'"),
            ("{ a(x: 01) }", "line 1, column 8: \"01\" is not a number"),
            (
                "type User { id: ID }",
                "line 1, column 1: \"type\" is part of a schema; expected query, mutation, subscription, fragment, or '{'",
            ),
            (
                "{ a } { b }",
                "line 1, column 7: an operation without a name must be the only one",
            ),
            ("{ ...F }", "the fragment \"F\" is used but not defined"),
            ("fragment F on T { a }", "the query has no operation, only fragments"),
            (
                "query ($a: [Int!]!) { a(b: $c) }",
                "the variable $c is used but not defined",
            ),
        ] {
            let message = graphql_pattern(query).unwrap_err().to_string();
            assert_eq!(message, want, "{query}");
        }
        let deep = "{a".repeat(2_000);
        assert!(
            graphql_pattern(&deep)
                .unwrap_err()
                .to_string()
                .contains("nested deeper")
        );
    }

    #[track_caller]
    fn request(text: &str) -> Result<String, String> {
        let request = Json::parse(text.as_bytes()).unwrap();
        let member = |name| request.get(name).cloned();
        let query = member("query").unwrap();
        template(&query, member("variables"), member("operationName"), None)
            .map(|(json, warning)| warning.unwrap_or_else(|| json.to_text()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn checks_operation_names_and_variables() {
        for (text, want) in [
            (
                r#"{"query":"query A { a } query B { b }"}"#,
                "the query has multiple operations (A, B); select one with operation_name",
            ),
            (
                r#"{"query":"query A { a }","operationName":"B"}"#,
                "the query has no operation \"B\"; its operations are A",
            ),
            (
                r#"{"query":"{ a }","operationName":"B"}"#,
                "the operation has no name, so operation_name cannot be \"B\"",
            ),
            (
                r#"{"query":"query ($a: ID!, $b: Int) { a(a: $a, b: $b) }","variables":{"b":1}}"#,
                "the query requires the variable $a; add \"a\" to variables",
            ),
            (r#"{"query":1}"#, super::NO_TEXT),
        ] {
            assert_eq!(request(text), Err(want.to_owned()));
        }
        for (text, warning) in [
            (
                r#"{"query":"{ a }","variables":{"x":1}}"#,
                "the query does not declare the variable $x; it declares no variables",
            ),
            (
                r#"{"query":"query ($a: ID, $b: ID) { a(a: $a, b: $b) }","variables":{"foo":"bar"}}"#,
                "the query does not declare the variable $foo; it declares $a, $b",
            ),
        ] {
            assert_eq!(request(text), Ok(warning.to_owned()));
        }
        assert!(request(r#"{"query":"query ($a: ID! = 1) { a(a: $a) }","operationName":null}"#).is_ok());
    }
}
