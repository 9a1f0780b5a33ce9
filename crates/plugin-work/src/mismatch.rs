//! Converts mismatches that plugins report.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_matching::{Explanation, Location, Mismatch, MismatchKind};
use contract_model::{Json, PathExpression};
use contract_plugins::{Compared, Difference};

pub(super) fn from_comparison(compared: Compared) -> Vec<Mismatch> {
    match compared {
        Compared::Contents(differences) => differences.into_iter().map(from_difference).collect(),
        Compared::Type { expected, actual } => vec![Mismatch::new(
            Location::BodyType,
            MismatchKind::BodyType {
                expected: expected.into(),
                actual: actual.into(),
            },
        )],
    }
}

pub(super) fn from_difference(difference: Difference) -> Mismatch {
    let (location, is_named) = location(&difference);
    let problem = if is_named || difference.path.is_empty() {
        difference.message
    } else {
        format!("{}: {}", difference.path, difference.message)
    };
    // The first line is the description, and the other lines are the explanation.
    let (problem, more) = problem.trim().split_once('\n').unwrap_or((problem.trim(), ""));
    let (problem, more) = (problem.trim_end().to_owned(), more.trim_end());
    let explanation: Vec<&str> = [more, difference.diff.trim_end()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    let explanation = contract_report::escape_text(&explanation.join("\n"));
    Mismatch {
        explanation: (!explanation.is_empty()).then_some(Explanation::Text(explanation)),
        expected: difference.expected.map(bytes_to_json),
        actual: difference.actual.map(bytes_to_json),
        ..Mismatch::new(location, MismatchKind::Plugin { problem })
    }
}

/// Returns the location of a mismatch, and whether it contains the whole path that the plugin reported.
fn location(difference: &Difference) -> (Location, bool) {
    let path = difference.path.as_str();
    match difference.part.as_str() {
        "metadata" if !path.is_empty() => {
            let key = path.trim_start_matches("$.").into();
            (
                Location::Metadata {
                    key,
                    path: PathExpression::root(),
                },
                true,
            )
        }
        "header" | "headers" if !path.is_empty() => {
            let name = path.trim_start_matches("$.").into();
            (Location::Header { name, index: None }, true)
        }
        _ => match path.parse::<PathExpression>() {
            Ok(path) => (Location::Body(path), true),
            Err(_) => (Location::Body(PathExpression::root()), false),
        },
    }
}

/// Creates a mismatch from a plugin error. The first line of `problem` is the description, and the other lines, which
/// contain the plugin's last output, are the explanation.
pub(super) fn problem(problem: &str) -> Mismatch {
    let (problem, more) = problem.trim().split_once('\n').unwrap_or((problem.trim(), ""));
    let problem = problem.trim_end();
    let kind = MismatchKind::Plugin {
        problem: problem.to_owned(),
    };
    Mismatch {
        explanation: (!more.is_empty()).then(|| Explanation::Text(more.to_owned())),
        ..Mismatch::new(Location::Body(PathExpression::root()), kind)
    }
}

/// Returns a string with the UTF-8 text, or with the bytes in base64 if they are not UTF-8.
fn bytes_to_json(bytes: Bytes) -> Json {
    match String::from_utf8(bytes.into()) {
        Ok(text) => text.into(),
        Err(error) => BASE64_STANDARD.encode(error.as_bytes()).into(),
    }
}
