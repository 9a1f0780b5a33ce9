//! Applies generators to JSON, XML, form, and text bodies.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use contract_model::{Body, Content, ContentType, ContentValue, Generator, Json, PathExpression, PathRules};

use super::placed::{Placed, applicable};
use super::run::{GenerateProblem, Location, Run};
use super::{form, json, xml};
use crate::{GenerateError, generate};

/// Generates values in a body. Leaves the body unchanged if no generator produces a value.
pub(super) fn fill(
    body: &mut Body,
    generators: &BTreeMap<PathExpression, Generator>,
    rules: &PathRules,
    run: &mut Run<'_, '_>,
) {
    let applicable = applicable(generators, run.context.mode);
    match body {
        Body::Missing | Body::Empty => {}
        Body::Null => {
            let mut document = Arc::new(Json::Null);
            json::fill(&mut document, &applicable, rules, run);
            if !document.is_null() {
                *body = Body::Present(Content::json(Json::clone(&document)));
            }
        }
        Body::Present(Content {
            value: ContentValue::Json(document),
            ..
        }) => {
            json::fill(document, &applicable, rules, run);
        }
        Body::Present(_) if applicable.is_empty() => {}
        Body::Present(Content {
            value: ContentValue::Bytes(bytes),
            content_type,
            ..
        }) => match filled(bytes, content_type.as_ref(), &applicable, run) {
            Ok(None) => {}
            Ok(Some(text)) => *bytes = text.into(),
            Err(error) => run.report_all(&applicable, &error),
        },
    }
}

/// Returns the text of the body with the generated values, or `None` if no value was generated.
fn filled(
    bytes: &[u8],
    content_type: Option<&ContentType>,
    applicable: &[Placed<'_>],
    run: &mut Run<'_, '_>,
) -> Result<Option<String>, GenerateError> {
    let is = |kind: fn(&ContentType) -> bool| content_type.is_some_and(kind);
    if is(ContentType::is_json) {
        let problem = Json::parse(bytes)
            .err()
            .map_or_else(String::new, |error| error.to_string());
        return Err(GenerateError::UnreadableBody {
            format: "JSON",
            problem,
        });
    }
    let unfit = || GenerateError::ContentType {
        content_type: content_type.cloned(),
    };
    if is(ContentType::is_binary) || is(ContentType::is_multipart) {
        return Err(unfit());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| unfit())?;
    // The generator for the root comes first, if there is one.
    let (root, applicable) = match applicable {
        [(path, generator), rest @ ..] if path.tokens().is_empty() => (whole(text, path, generator, run), rest),
        applicable => (None, applicable),
    };
    let text = root.as_deref().unwrap_or(text);
    let inside = match applicable {
        [] => None,
        applicable if is(ContentType::is_form) => form::fill(text, applicable, run),
        applicable if is(ContentType::is_xml) => xml::fill(text, applicable, run)?,
        applicable => {
            run.report_all(applicable, &unfit());
            None
        }
    };
    Ok(inside.or(root))
}

/// Returns the text that a generator at `$` produces in place of the whole body. Returns `None` if the generator does
/// not apply, or if it fails; the failure is added to the problems.
fn whole(text: &str, path: &PathExpression, generator: &Generator, run: &mut Run<'_, '_>) -> Option<String> {
    let outcome = generate(generator, Some(&text.into()), run.context);
    let text = |value: Json| super::values::text_of(&value).map(Cow::into_owned);
    match outcome.and_then(|value| value.map(text).transpose()) {
        Ok(text) => text,
        Err(error) => {
            run.problems.push(GenerateProblem {
                location: Location::Body(path.clone()),
                error,
            });
            None
        }
    }
}

impl Run<'_, '_> {
    /// Reports the same error for each of these generators, because the body has no parts that their paths could
    /// address.
    fn report_all(&mut self, applicable: &[Placed<'_>], error: &GenerateError) {
        self.problems.extend(applicable.iter().map(|(path, _)| GenerateProblem {
            location: Location::Body(PathExpression::clone(path)),
            error: error.clone(),
        }));
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Generator, Response};

    use crate::{Context, Mode, Random, apply};

    /// Returns the body after applying a generator at the path, followed by the problems, one per line.
    fn filled(path: &str, body: Body) -> String {
        let mut response = Response {
            body,
            ..Response::default()
        };
        response
            .generators
            .body
            .insert(path.parse().unwrap(), Generator::Regex("new".into()));
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let problems = apply::response(
            &mut response,
            &mut Context::new(Mode::Consumer, now, Random::from_seed(1)),
        );
        let problems = problems.iter().map(|problem| format!("\n{}", problem.error));
        String::from_utf8_lossy(&response.body.bytes()).into_owned() + &problems.collect::<String>()
    }

    fn body(content_type: &str, bytes: &'static [u8]) -> Body {
        Body::from_bytes(bytes, content_type.parse().ok())
    }

    #[test]
    fn generates_whole_text_bodies() {
        assert_eq!(filled("$", body("text/plain", b"old")), "new");
        assert_eq!(filled("$", body("text/csv", b"old")), "new");
        assert_eq!(filled("$", body("application/xml", b"<old/>")), "new");
    }

    #[test]
    fn absent_bodies_stay_absent() {
        assert_eq!(filled("$", Body::Missing), "");
        assert_eq!(filled("$", Body::Empty), "");
    }

    #[test]
    fn null_can_be_filled() {
        assert_eq!(filled("$", Body::Null), r#""new""#);
        assert_eq!(filled("$.a", Body::Null), "null");
    }

    #[test]
    fn reports_bodies_without_addressable_parts() {
        for (path, content_type, bytes) in [
            ("$.a", "text/plain", &b"old"[..]),
            ("$", "image/png", b"old"),
            ("$.part", "multipart/form-data; boundary=x", b"old"),
        ] {
            let essence = content_type.split(';').next().unwrap();
            assert_eq!(
                filled(path, body(content_type, bytes)),
                format!(
                    "old\nvalues can be generated only inside JSON, XML, and form bodies, not inside a body of type {essence}"
                )
            );
        }
        assert!(filled("$", body("", b"\xff\xfe")).contains("a body of type unknown"));
        assert!(
            filled("$.a", body("application/x-www-form-urlencoded", b"\xff")).contains("can be generated only inside")
        );
    }

    #[test]
    fn reports_invalid_json() {
        assert_eq!(
            filled("$.a", body("application/json", b"{\"a\"")),
            "{\"a\"\nthe body cannot be read as JSON: the document ends in the middle of a value at line 1, column 5"
        );
    }
}
