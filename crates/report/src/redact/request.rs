//! Redacts secrets in queries, multipart bodies, and objects.

use std::sync::LazyLock;

use contract_model::{Json, Object, Query, REDACTED, is_secret};
use regex::Regex;

use super::{json, text};

pub fn query(query: &Query) -> String {
    let whole = query.raw().map_or_else(|| query.to_text(), str::to_owned);
    text(&whole).into_owned()
}

/// Redacts a multipart body: the whole content of parts with sensitive names, and the secrets in all other parts.
pub fn parts(body: &str) -> String {
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

pub fn object(object: &Object) -> Object {
    let mut value = Json::Object(object.clone());
    json(&mut value);
    match value {
        Json::Object(object) => object,
        _ => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Query;

    use super::{parts, query};

    #[test]
    fn queries() {
        assert_eq!(query(&Query::parse("a=%20b&token=x")), "a=%20b&token=[redacted]");
        assert_eq!(query(&Query::parse("a=%20b")), "a=%20b");
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
}
