//! Keeps secrets out of what people and logs get to read. Matching never sees this.

use std::borrow::Cow;
use std::sync::LazyLock;

use contract_matching::{Location, Mismatch, MismatchKind};
use contract_model::{Json, Number, Object, Query, REDACTED, Text, is_secret};
use regex::Regex;

/// A header's value. The scheme of an authorization is no secret and often the fault.
pub(crate) fn header<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if !is_secret(name) {
        return Cow::Borrowed(value);
    }
    match value.split_once(' ') {
        Some((scheme, _))
            if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) && !name.to_ascii_lowercase().contains("cookie") =>
        {
            Cow::Owned(format!("{scheme} {REDACTED}"))
        }
        _ => Cow::Borrowed(REDACTED),
    }
}

/// A query as text.
pub(crate) fn query(query: &Query) -> String {
    if !query.pairs().iter().any(|(name, _)| is_secret(name)) {
        return query.raw().map_or_else(|| query.to_text(), str::to_owned);
    }
    let mut shown = Query::new();
    for (name, value) in query.pairs() {
        let value = if is_secret(name) {
            Some(REDACTED.into())
        } else {
            value.clone()
        };
        shown.append(name.clone(), value);
    }
    shown.to_text().replace("%5Bredacted%5D", REDACTED)
}

/// A document, its members by name. The kinds of the values stay, since a text may speak of them.
pub(crate) fn json(value: &mut Json) {
    match value {
        Json::Object(members) => {
            for (name, value) in members.iter_mut() {
                if is_secret(name) {
                    hide(value);
                } else {
                    json(value);
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(json),
        _ => {}
    }
}

fn hide(value: &mut Json) {
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(number) => {
            *number = Number::from_text(if number.to_string().contains(['.', 'e', 'E']) {
                "0.0"
            } else {
                "0"
            })
            .unwrap_or_else(|| 0_u64.into());
        }
        Json::String(text) => *text = Text::const_new(REDACTED),
        Json::Array(items) => items.iter_mut().for_each(hide),
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| hide(value)),
    }
}

/// Text of any kind: `name=value`, `"name": "value"`, `Name: value`, `<name>value<`.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<name>[A-Za-z][A-Za-z0-9_-]*)(?P<between>["']?\s*[:=]\s*|>)(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|(?:Bearer |Basic )?[^\s&,;<>"'{}\[\]]+)"#)
            .expect("the pattern is fixed")
    });
    PAIR.replace_all(text, |found: &regex::Captures<'_>| {
        if is_secret(&found["name"]) {
            let quote = match found["value"].chars().next() {
                Some(quote @ ('"' | '\'')) => quote.to_string(),
                _ => String::new(),
            };
            format!("{}{}{quote}{REDACTED}{quote}", &found["name"], &found["between"])
        } else {
            found[0].to_owned()
        }
    })
}

/// The text of a multipart body: parts by their names, and what stands in the others.
pub(crate) fn parts(body: &str) -> String {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)(?P<head>\bname="?(?P<name>[^"\r\n;]+)"?[^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)(?P<value>.*?)(?P<end>\r?\n--|$)"#)
            .expect("the pattern is fixed")
    });
    let hidden = PART.replace_all(body, |found: &regex::Captures<'_>| {
        if is_secret(&found["name"]) {
            format!("{}{REDACTED}{}", &found["head"], &found["end"])
        } else {
            found[0].to_owned()
        }
    });
    text(&hidden).into_owned()
}

/// A difference with what it shows of secrets taken out.
pub(crate) fn mismatch(mut mismatch: Mismatch) -> Mismatch {
    let secret = mismatch.at.is_secret();
    let header_name = match &mismatch.at {
        Location::Header { name, .. } => Some(name.clone()),
        _ => None,
    };
    for value in [&mut mismatch.expected, &mut mismatch.actual].into_iter().flatten() {
        match (value, &header_name) {
            (Json::String(value), Some(name)) => *value = header(name, value).into(),
            (value, _) if secret => hide(value),
            (Json::String(value), None) if matches!(mismatch.at, Location::Body(_)) => *value = text(value).into(),
            (value, _) => json(value),
        }
    }
    if let MismatchKind::Unreadable { problem, .. } | MismatchKind::NotApplicable { problem } = &mut mismatch.kind {
        *problem = text(problem).into_owned();
    }
    if let Some(explanation) = &mut mismatch.explanation {
        *explanation = text(explanation).into_owned();
    }
    if secret && mismatch.explanation.is_none() {
        mismatch.explanation = Some("the values are not shown, because they may be secrets".into());
    }
    mismatch
}

/// The members of an object, redacted.
pub(crate) fn object(object: &Object) -> Object {
    let mut value = Json::Object(object.clone());
    json(&mut value);
    match value {
        Json::Object(object) => object,
        _ => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Json, Query};

    use super::{header, json, parts, query, text};

    #[test]
    fn headers_keep_the_scheme() {
        assert_eq!(header("Authorization", "Bearer abc.def"), "Bearer [redacted]");
        assert_eq!(header("authorization", "abc"), "[redacted]");
        assert_eq!(header("Cookie", "a=1 b=2"), "[redacted]");
        assert_eq!(header("Accept", "a b"), "a b");
    }

    #[test]
    fn queries() {
        assert_eq!(query(&Query::parse("a=%20b&token=x")), "a=+b&token=[redacted]");
        assert_eq!(query(&Query::parse("a=%20b")), "a=%20b");
    }

    #[test]
    fn documents_keep_their_shape() {
        let mut value =
            Json::parse(br#"{"a": [{"password": "x", "pin": 1}], "token": {"n": 12, "d": 1.5, "z": null}}"#).unwrap();
        json(&mut value);
        assert_eq!(
            value.to_text(),
            r#"{"a":[{"password":"[redacted]","pin":1}],"token":{"n":0,"d":0.0,"z":null}}"#
        );
    }

    #[test]
    fn parts_of_multipart_bodies() {
        let body = |password: &str| {
            format!(
                "--x\r\nContent-Disposition: form-data; name=\"password\"\r\nX: 1\r\n\r\n{password}\r\n\
                 --x\r\nContent-Disposition: form-data; name=user\r\n\r\nann\r\n--x--"
            )
        };
        assert_eq!(parts(&body("a\r\nb")), body("[redacted]"));
    }

    #[test]
    fn texts() {
        for (given, want) in [
            ("a=1&password=x%20y&b=2", "a=1&password=[redacted]&b=2"),
            (r#"{"token": "a\"b", "n": 1}"#, r#"{"token": "[redacted]", "n": 1}"#),
            ("Authorization: Bearer abc", "Authorization: [redacted]"),
            ("<password>x</password>", "<password>[redacted]</password>"),
            ("nothing here: at all", "nothing here: at all"),
        ] {
            assert_eq!(text(given), want);
        }
    }
}
