//! Matchers for URLs of the provider.

use contract_model::Json;

use super::json::{GENERATOR, TYPE, checked, fields, invalid, text};
use super::template::Template;
use crate::literal::literal;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};

/// Returns a matcher for a URL with this path and any host. The mock server replaces the origin with its own address.
pub(super) fn matcher(path: &[Json], base: Option<&str>) -> Result<Template, ArgumentError> {
    if path.is_empty() {
        return Err(invalid("the path is empty").for_argument("path"));
    }
    let pieces: Vec<_> = path.iter().map(piece).collect::<Result<_, _>>()?;
    let mut example = trimmed(base.unwrap_or("http://localhost")).to_owned();
    let mut pattern = String::from(".*(");
    for (piece, form) in &pieces {
        example.extend(["/", trimmed(piece)]);
        pattern.extend(["/", form]);
    }
    pattern.push(')');
    checked(fields([
        (TYPE, text("regex")),
        ("regex", Some(pattern.into())),
        (GENERATOR, text("MockServerURL")),
        ("example", text(&example)),
        ("value", text(&example)),
    ]))
}

/// Returns the example and the pattern for a path segment.
fn piece(piece: &Json) -> Result<(String, String), ArgumentError> {
    if let Json::String(text) = piece {
        return Ok((text.to_string(), literal(trimmed(text))));
    }
    let member = |name| piece.get(name).and_then(Json::as_str);
    if let (Some("regex"), Some(pattern), Some(example)) = (member(TYPE), member("regex"), member("value")) {
        return Ok((example.to_owned(), format!("(?:{pattern})")));
    }
    let message = message![
        "each part of the path must be a string, or ",
        operation("match.regex"),
        " with an example"
    ];
    Err(invalid(message).for_argument("path"))
}

/// Removes slashes at both ends.
fn trimmed(piece: &str) -> &str {
    piece.trim_matches('/')
}
