//! Generates values in form bodies (`application/x-www-form-urlencoded`). Fields have the paths `$.name`, `$.name[0]`,
//! and `$.name[*]`.

use contract_model::{PathToken, Query, Text};

use super::placed::Placed;
use super::run::{Location, Run};
use super::values;

/// Generates values in a form. Returns `None` if no value was generated.
pub(super) fn fill(text: &str, applicable: &[Placed<'_>], run: &mut Run<'_, '_>) -> Option<String> {
    // The parser removes a leading question mark. Add one, so that a question mark at the start of the body is kept.
    let mut form = Query::parse(&format!("?{text}"));
    let mut changed = false;
    for (path, generator) in applicable {
        let (first, index) = match path.tokens() {
            [first] | [first, PathToken::AnyKey | PathToken::AnyIndex] => (first, None),
            [first, PathToken::Index(index)] => (first, Some(*index)),
            _ => continue,
        };
        for name in names(&form, first) {
            let count = form.values(&name).count();
            if count == 0 || index.is_some_and(|index| index >= count) {
                continue;
            }
            let outcome = values::parameter(&mut form, &name, index, generator, run.context);
            changed |= matches!(outcome, Ok(true));
            run.note(outcome.map(|_| ()), || Location::Body((*path).clone()));
        }
    }
    changed.then(|| form.to_text())
}

fn names(form: &Query, token: &PathToken) -> Vec<Text> {
    match token {
        PathToken::Key(name) => vec![name.clone()],
        PathToken::AnyKey => form.names().into_iter().cloned().collect(),
        PathToken::Index(_) | PathToken::AnyIndex => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Generator, Request};

    use crate::{Context, Mode, Random, apply};

    #[track_caller]
    fn check(path: &str, form: &str, want: &str) {
        let content_type = "application/x-www-form-urlencoded".parse().unwrap();
        let mut request = Request {
            body: Body::from_bytes(form.to_owned(), Some(content_type)),
            ..Request::default()
        };
        request
            .generators
            .body
            .insert(path.parse().unwrap(), Generator::Regex("x y".into()));
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let problems = apply::request(
            &mut request,
            &mut Context::new(Mode::Provider, now, Random::from_seed(1)),
        );
        assert_eq!(problems, []);
        assert_eq!(request.body.bytes(), want.to_owned(), "{path}");
    }

    #[test]
    fn names_and_indexes() {
        check("$.a", "a=1&b=2&a=3", "a=x+y&a=x+y&b=2");
        check("$.a[1]", "a=1&b=2&a=3", "a=1&a=x+y&b=2");
        check("$.a[*]", "a=1", "a=x+y");
        check("$.*", "a=1&b=2", "a=x+y&b=x+y");
        check("$['a[]']", "a%5B%5D=1", "a%5B%5D=x+y");
        check("$", "a=1", "x y");
    }

    #[test]
    fn missing_fields_leave_the_body_unchanged() {
        for path in ["$.c", "$.a[1]", "$.a.b", "$[0]"] {
            check(path, "?=%41&a=%20", "?=%41&a=%20");
        }
    }

    #[test]
    fn a_question_mark_is_kept() {
        check("$.a", "?q=1&a=2", "%3Fq=1&a=x+y");
    }
}
