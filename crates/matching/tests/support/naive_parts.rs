//! Naive matchers for everything but the body of requests and responses. They try every form of a header.

use contract_model::{Combine, Headers, Query, Request, Response, Rule, RuleList, Rules, Text};

use super::naive;

/// Compares method, path, query, and headers.
pub(crate) fn request(expected: &Request, actual: &Request) -> bool {
    let path = match &expected.rules.path {
        Some(list) => accepts(list, &expected.path, &actual.path),
        None => expected.path == actual.path,
    };
    expected.method.eq_ignore_ascii_case(&actual.method)
        && path
        && query(&expected.query, &expected.rules, &actual.query)
        && headers(&expected.headers, &expected.rules, &actual.headers)
}

/// Compares status and headers.
pub(crate) fn response(expected: &Response, actual: &Response) -> bool {
    let (wanted, got) = (u64::from(expected.status).into(), u64::from(actual.status).into());
    let status = match &expected.rules.status {
        Some(list) => list.rules.iter().all(|rule| naive::on_scalar(rule, &wanted, &got)),
        None => wanted == got,
    };
    status && headers(&expected.headers, &expected.rules, &actual.headers)
}

pub(crate) fn query(expected: &Query, rules: &Rules, actual: &Query) -> bool {
    let values = |query: &Query, name: &Text| -> Vec<Text> {
        query
            .values(name)
            .map(|value| value.cloned().unwrap_or_default())
            .collect()
    };
    let all_expected = expected.names().into_iter().all(|name| {
        let (wanted, got) = (values(expected, name), values(actual, name));
        !got.is_empty() && listed(rules.query.get(name), &wanted, &got)
    });
    all_expected && actual.names().iter().all(|name| expected.names().contains(name))
}

fn headers(expected: &Headers, rules: &Rules, actual: &Headers) -> bool {
    expected.iter().all(|(name, wanted)| {
        actual.iter().any(|(other, got)| {
            name.eq_ignore_ascii_case(other)
                && forms(name, rules.header.contains_key(name), wanted, got)
                    .iter()
                    .any(|(wanted, got)| listed(rules.header.get(name), wanted, got))
        })
    })
}

/// Returns the equivalent forms of a header: unchanged, split at commas, or joined into one line.
fn forms(name: &str, is_ruled: bool, wanted: &[Text], got: &[Text]) -> Vec<(Vec<Text>, Vec<Text>)> {
    let split = |values: &[Text]| -> Vec<Text> {
        let items = values.iter().flat_map(|value| value.split(','));
        items.map(|item| Text::from(item.trim())).collect()
    };
    let joined = |values: &[Text]| vec![Text::from(values.join(", "))];
    let mut forms = vec![(wanted.to_vec(), got.to_vec())];
    if !is_ruled || Headers::is_list(name) || wanted.len() > 1 {
        forms.push((split(wanted), split(got)));
    } else {
        forms.push((wanted.to_vec(), joined(got)));
    }
    forms
}

/// Compares the values of one name.
fn listed(list: Option<&RuleList>, wanted: &[Text], got: &[Text]) -> bool {
    let Some(list) = list else { return wanted == got };
    let count_holds = |rule: &Rule| match rule {
        Rule::Type { min, max } => (min.unwrap_or(0)..=max.unwrap_or(usize::MAX)).contains(&got.len()),
        Rule::Equality => wanted.len() == got.len(),
        _ => true,
    };
    list.rules.iter().all(count_holds)
        && got.iter().enumerate().all(|(at, value)| {
            wanted
                .get(at)
                .or(wanted.first())
                .is_none_or(|example| accepts(list, example, value))
        })
}

/// Returns whether the list accepts a string: a header, a query parameter, a path, or a text body.
pub(crate) fn accepts(list: &RuleList, example: &str, text: &str) -> bool {
    let accepted = |rule: &Rule| holds(rule, example, text);
    match list.combine {
        Combine::And => list.rules.iter().all(accepted),
        Combine::Or => list.rules.iter().any(accepted),
    }
}

fn holds(rule: &Rule, example: &str, text: &str) -> bool {
    match rule {
        Rule::Equality | Rule::Values => example == text,
        Rule::Type { .. } => true,
        Rule::Number | Rule::Decimal => is_number(text),
        Rule::Integer => is_integer(text),
        Rule::Boolean => text == "true" || text == "false",
        Rule::Include(part) => text.contains(part.as_str()),
        Rule::NotEmpty => !text.is_empty(),
        rule => naive::text::format(rule, text).unwrap_or(false),
    }
}

fn is_integer(text: &str) -> bool {
    naive::text::is_digits(text.strip_prefix('-').unwrap_or(text))
}

fn is_number(text: &str) -> bool {
    match text.split_once('.') {
        Some((whole, fraction)) => is_integer(whole) && naive::text::is_digits(fraction),
        None => is_integer(text),
    }
}
