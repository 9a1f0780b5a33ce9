//! Cookies, which are values inside the headers `Cookie` and `Set-Cookie`.

use contract_model::{Json, Rule, RuleList, Text};

use super::head::describe_invalid_character;
use super::value::Value;
use crate::literal::literal;
use contract_call::error::{ArgumentError, HEADER, MATCHER};

/// A cookie with an example value and a pattern for all accepted values.
#[derive(Clone, Debug)]
pub(super) struct Cookie {
    name: Text,
    example: Text,
    pattern: String,
}

impl Cookie {
    pub(super) fn new(name: &str, value: Json) -> Result<Self, ArgumentError> {
        let place = format!("{name:?}");
        if name.is_empty() || name.contains(|c: char| c.is_control() || " =;,\"".contains(c)) {
            return Err(ArgumentError::new(
                HEADER,
                "the cookie name must not be empty or contain spaces, control characters, or any of = ; , \"",
            )
            .within(place));
        }
        let value = Value::parse(value).map_err(|error| error.within(&place))?;
        let example = value.text(HEADER).map_err(|error| error.within(&place))?;
        // Messages do not contain the value, because it may be a secret.
        if let Some(found) = describe_invalid_character(&example, |c| c.is_control() || " ;,\"".contains(c)) {
            let message =
                format!("the cookie value contains {found}; encode it, for example with encodeURIComponent()");
            return Err(ArgumentError::new(HEADER, message).within(place));
        }
        let pattern = match value.rules.as_ref().map(|list| list.rules.as_slice()) {
            None => literal(&example),
            Some([Rule::Regex(pattern)]) => {
                let whole = contract_matching::Pattern::new(pattern);
                let fits = whole.is_ok_and(|whole| whole.matches(&example).unwrap_or(false));
                if !fits {
                    let message = format!("the example does not match the pattern {pattern:?}");
                    return Err(ArgumentError::new(MATCHER, message).within(place));
                }
                format!("(?:{pattern})")
            }
            Some(_) => "[^;,\\s]*".to_owned(),
        };
        Ok(Self {
            name: name.into(),
            example,
            pattern,
        })
    }

    fn pattern(&self) -> String {
        format!("{}={}", literal(&self.name), self.pattern)
    }

    /// Returns the header value for `Set-Cookie`. The response may add any attributes.
    pub(super) fn set(&self) -> Value {
        let pattern = format!("{}(?:\\s*;.*)?", self.pattern());
        ruled(format!("{}={}", self.name, self.example), pattern)
    }
}

/// Returns the header value for `Cookie`, which accepts the cookies in any order and allows other cookies.
pub(super) fn header(cookies: &[Cookie]) -> Value {
    let examples: Vec<_> = cookies
        .iter()
        .map(|cookie| format!("{}={}", cookie.name, cookie.example))
        .collect();
    let pattern = match cookies {
        [cookie] => format!("(?:.*;\\s*)?{}(?:\\s*;.*)?", cookie.pattern()),
        cookies => {
            let each = cookies
                .iter()
                .map(|cookie| format!("(?=(?:.*;\\s*)?{}\\s*(?:;|$))", cookie.pattern()));
            format!("{}.*", each.collect::<String>())
        }
    };
    ruled(examples.join("; "), pattern)
}

fn ruled(example: String, pattern: String) -> Value {
    Value {
        rules: Some(RuleList::single(Rule::Regex(pattern.into()))),
        ..Value::literal(example)
    }
}

#[cfg(test)]
mod tests {
    use contract_matching::Pattern;
    use contract_model::{Json, Rule};

    use super::{Cookie, Value, header};

    #[track_caller]
    fn check(value: &Value, accepted: &[&str], rejected: &[&str]) {
        let Some([Rule::Regex(pattern)]) = value.rules.as_ref().map(|list| list.rules.as_slice()) else {
            panic!("no pattern")
        };
        let pattern = Pattern::new(pattern).unwrap();
        for text in accepted {
            assert!(pattern.matches(text).unwrap(), "{text}");
        }
        for text in rejected {
            assert!(!pattern.matches(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn cookies_may_be_in_any_order() {
        let number = Json::parse(br#"{"contract:matcher:type":"regex","regex":"[0-9]+","value":"7"}"#).unwrap();
        let (a, b) = (
            Cookie::new("a", "x.y".into()).unwrap(),
            Cookie::new("b", number).unwrap(),
        );
        check(
            &header(std::slice::from_ref(&a)),
            &["a=x.y", "c=1; a=x.y; d=2"],
            &["a=x-y", "ca=x.y", "a=x.yz"],
        );
        check(
            &header(&[a.clone(), b.clone()]),
            &["a=x.y; b=7", "b=12;c=1; a=x.y"],
            &["a=x.y", "a=x.y; b=z", "a=x.y; bb=7"],
        );
        check(&b.set(), &["b=1", "b=1; Path=/; HttpOnly"], &["b=x; Path=/", "ab=1"]);
        for (name, value) in [("a b", "x"), ("a", "x; y"), ("", "x")] {
            assert!(Cookie::new(name, value.into()).is_err());
        }
    }
}
