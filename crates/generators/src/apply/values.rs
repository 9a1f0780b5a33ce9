//! Generates headers and query parameters, which may have multiple values.

use std::borrow::Cow;

use contract_model::{Generator, Headers, Json, Query, Text};

use crate::{Context, GenerateError, generate};

/// Replaces all values of a header, or the single value that `name[0]` denotes. Adds the header if it does not exist.
pub(super) fn header(
    headers: &mut Headers,
    name: &Text,
    generator: &Generator,
    context: &mut Context<'_>,
) -> Result<(), GenerateError> {
    let (name, index) = split(name, |name| headers.get(name).is_some());
    let mut values: Vec<Text> = headers.get(name).unwrap_or_default().to_vec();
    let examples: Vec<_> = values.iter().map(|value| Some(value.clone())).collect();
    let fresh = fresh(&examples, index, generator, context)?;
    // A line break would start a new header (RFC 9110 section 5.5).
    if fresh
        .iter()
        .any(|(_, value)| value.bytes().any(|b| b.is_ascii_control() && b != b'\t'))
    {
        return Err(GenerateError::Unfit {
            wanted: "it must not contain line breaks or other control characters",
        });
    }
    if fresh.is_empty() {
        return Ok(());
    }
    for (at, value) in fresh {
        put(&mut values, at, value);
    }
    headers.set(name, values);
    Ok(())
}

/// Replaces all values of a query parameter, or the single value that `name[0]` denotes. Adds the parameter if it does
/// not exist.
pub(super) fn query(
    query: &mut Query,
    name: &Text,
    generator: &Generator,
    context: &mut Context<'_>,
) -> Result<(), GenerateError> {
    let (name, index) = split(name, |name| query.values(name).next().is_some());
    parameter(query, name, index, generator, context).map(|_| ())
}

pub(super) fn parameter(
    query: &mut Query,
    name: &str,
    index: Option<usize>,
    generator: &Generator,
    context: &mut Context<'_>,
) -> Result<bool, GenerateError> {
    let mut values: Vec<_> = query.values(name).map(Option::<&Text>::cloned).collect();
    let fresh = fresh(&values, index, generator, context)?;
    if fresh.is_empty() {
        return Ok(false);
    }
    for (at, value) in fresh {
        put(&mut values, at, Some(value));
    }
    query.set(name, values);
    Ok(true)
}

/// Splits `a[0]` into the name and the index, unless there is a parameter called `a[0]`.
fn split(name: &str, exists: impl Fn(&str) -> bool) -> (&str, Option<usize>) {
    let indexed = || {
        let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((base, Some(index.parse().ok()?)))
    };
    if exists(name) {
        (name, None)
    } else {
        indexed().unwrap_or((name, None))
    }
}

fn put<T>(values: &mut Vec<T>, at: usize, value: T) {
    match values.get_mut(at) {
        Some(old) => *old = value,
        None => values.push(value),
    }
}

/// Generates the values at `index`, or all values if it is `None`. Returns them with their indexes. The index after the
/// last one appends a value; larger indexes are an error.
fn fresh(
    examples: &[Option<Text>],
    index: Option<usize>,
    generator: &Generator,
    context: &mut Context<'_>,
) -> Result<Vec<(usize, Text)>, GenerateError> {
    let places = match index {
        Some(index) if index > examples.len() => {
            return Err(GenerateError::NoSuchValue {
                index,
                count: examples.len(),
            });
        }
        Some(index) => index..index + 1,
        None => 0..examples.len().max(1),
    };
    let mut values = Vec::new();
    for at in places {
        let example = examples.get(at).cloned().flatten().map(Json::String);
        if let Some(value) = generate(generator, example.as_ref(), context)? {
            values.push((at, Text::from(text_of(&value)?)));
        }
    }
    Ok(values)
}

/// Returns the value as a string. Returns an error for null, because the string `null` is never intended.
pub(super) fn text_of(value: &Json) -> Result<Cow<'_, str>, GenerateError> {
    if value.is_null() {
        return Err(GenerateError::Unfit {
            wanted: "it must be a string, a number, or a boolean, not null",
        });
    }
    Ok(value.text_form())
}

#[cfg(test)]
mod tests {
    use contract_model::{Generator, Headers, Query};

    use crate::{Context, GenerateError, Mode, Random};

    fn context() -> Context<'static> {
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        Context::new(Mode::Provider, now, Random::from_seed(1))
    }

    fn fixed(text: &str) -> Generator {
        Generator::Regex(text.into())
    }

    #[track_caller]
    fn check_query(query: &str, name: &str, want: Result<&str, GenerateError>) {
        let mut query = Query::parse(query);
        let outcome = super::query(&mut query, &name.into(), &fixed("x"), &mut context());
        assert_eq!(outcome.map(|()| query.to_text()), want.map(str::to_owned));
    }

    #[test]
    fn replaces_every_value_of_a_parameter() {
        check_query("a=1&b=2&a=3", "a", Ok("a=x&a=x&b=2"));
    }

    #[test]
    fn an_index_names_one_value() {
        check_query("a=1&a&a=3", "a[2]", Ok("a=1&a&a=x"));
        check_query("a=1", "a[1]", Ok("a=1&a=x"));
        check_query("a=1", "a[3]", Err(GenerateError::NoSuchValue { index: 3, count: 1 }));
        check_query(
            "a=1",
            "a[99999999999999999999]",
            Ok("a=1&a%5B99999999999999999999%5D=x"),
        );
    }

    #[test]
    fn names_are_opaque() {
        check_query("a[]=1&a[0]=2", "a[]", Ok("a%5B%5D=x&a%5B0%5D=2"));
        check_query("a[]=1&a[0]=2", "a[0]", Ok("a%5B%5D=1&a%5B0%5D=x"));
    }

    #[test]
    fn creates_missing_values() {
        check_query("a=1", "b", Ok("a=1&b=x"));
        check_query("", "b[0]", Ok("b=x"));
    }

    #[test]
    fn header_names_are_case_insensitive() {
        let mut headers: Headers = [("X-A", "1"), ("X-A", "2")].into_iter().collect();
        super::header(&mut headers, &"x-a[1]".into(), &fixed("y"), &mut context()).unwrap();
        super::header(&mut headers, &"x-b".into(), &fixed("z"), &mut context()).unwrap();
        assert_eq!(
            headers,
            [("X-A", "1"), ("X-A", "y"), ("x-b", "z")].into_iter().collect()
        );
    }

    #[test]
    fn rejects_line_breaks_in_headers() {
        let mut headers = Headers::new();
        let outcome = super::header(&mut headers, &"x".into(), &fixed(r"a\r\nSet-Cookie: b"), &mut context());
        assert!(matches!(outcome, Err(GenerateError::Unfit { .. })));
        assert!(headers.is_empty());
    }

    #[test]
    fn a_generator_that_does_not_apply_changes_nothing() {
        let generator = Generator::MockServerUrl {
            example: "http://x/a".into(),
            regex: ".*(/a)".into(),
        };
        let mut headers: Headers = [("Location", "http://x/a")].into_iter().collect();
        super::header(&mut headers, &"location".into(), &generator, &mut context()).unwrap();
        super::header(&mut headers, &"other".into(), &generator, &mut context()).unwrap();
        assert_eq!(headers, [("Location", "http://x/a")].into_iter().collect());
    }
}
