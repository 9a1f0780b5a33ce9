//! Generates values from provider states.

use std::borrow::Cow;

use contract_model::{DataType, Json, Number, NumberKind, Object, PathExpression, PathToken, Text};

use crate::{Budget, GenerateError};

/// Generates a value from provider state values. A single `${name}`, or a name without braces, keeps the JSON type of
/// the value. Any other template produces a string. The result is then converted to the data type if there is one.
pub(super) fn generate(
    expression: &str,
    data_type: Option<DataType>,
    state: &Object,
    budget: &mut Budget,
) -> Result<Json, GenerateError> {
    let value = match pieces(expression)?.as_slice() {
        [Piece::Name(name)] => Cow::Borrowed(value(name, expression, state)?),
        [Piece::Text(name)] => Cow::Borrowed(value(name.trim(), expression, state)?),
        pieces => Cow::Owned(filled(pieces, expression, state, budget)?.into()),
    };
    match data_type {
        None | Some(DataType::Raw) => Ok(value.into_owned()),
        Some(data_type) => convert(&value, data_type).ok_or_else(|| GenerateError::Conversion {
            expression: expression.into(),
            found: value.kind(),
            wanted: data_type,
        }),
    }
}

/// Returns an error if a `${` is not closed or contains no name.
pub(super) fn check(expression: &str) -> Result<(), GenerateError> {
    pieces(expression).map(|_| ())
}

enum Piece<'e> {
    Text(&'e str),
    Name(&'e str),
}

fn pieces(expression: &str) -> Result<Vec<Piece<'_>>, GenerateError> {
    let mut pieces = Vec::new();
    let mut rest = expression;
    while let Some((text, behind)) = rest.split_once("${") {
        let broken = |problem| GenerateError::Template {
            expression: expression.into(),
            column: expression[..expression.len() - behind.len()].chars().count() - 1,
            problem,
        };
        let (name, behind) = behind
            .split_once('}')
            .ok_or_else(|| broken("close \"${\" with \"}\""))?;
        if name.trim().is_empty() {
            return Err(broken("write a name between \"${\" and \"}\""));
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.push(Piece::Name(name.trim()));
        rest = behind;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

fn filled(
    pieces: &[Piece<'_>],
    expression: &str,
    state: &Object,
    budget: &mut Budget,
) -> Result<String, GenerateError> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Name(name) => match value(name, expression, state)? {
                // Otherwise, the verifier would send a request to "/users/null".
                Json::Null => {
                    return Err(GenerateError::NullStateValue {
                        name: (*name).into(),
                        expression: expression.into(),
                    });
                }
                value => text.push_str(&value.text_form()),
            },
        }
        if text.len() > budget.left() {
            budget.spend(text.len())?;
        }
    }
    Ok(text)
}

/// Returns the value with this name, or the value at a path such as `user.id` or `orders[0].id`.
fn value<'s>(name: &str, expression: &str, state: &'s Object) -> Result<&'s Json, GenerateError> {
    state
        .get(name)
        .or_else(|| nested(&name.parse().ok()?, state))
        .ok_or_else(|| GenerateError::MissingStateValue {
            name: name.into(),
            expression: expression.into(),
            available: state.keys().cloned().collect(),
        })
}

fn nested<'s>(path: &PathExpression, state: &'s Object) -> Option<&'s Json> {
    let (PathToken::Key(first), rest) = path.tokens().split_first()? else {
        return None;
    };
    rest.iter().try_fold(state.get(first)?, |value, token| match token {
        PathToken::Key(key) => value.get(key),
        PathToken::Index(index) => value.as_array()?.get(*index),
        PathToken::AnyKey | PathToken::AnyIndex => None,
    })
}

fn convert(value: &Json, data_type: DataType) -> Option<Json> {
    match data_type {
        DataType::String => scalar_or_document(value).map(Json::from),
        DataType::Integer => integer(&scalar(value)?).map(Json::Number),
        DataType::Decimal | DataType::Float => decimal(&scalar(value)?).map(Json::Number),
        DataType::Boolean => boolean(value),
        DataType::Raw => Some(value.clone()),
    }
}

fn scalar_or_document(value: &Json) -> Option<Text> {
    (!value.is_null()).then(|| value.text_form().into())
}

/// Returns the text of a number or a string, which may contain a number, or `None` for other values.
fn scalar(value: &Json) -> Option<Cow<'_, str>> {
    matches!(value, Json::Number(_) | Json::String(_)).then(|| value.text_form())
}

/// Parses an integer. Removes leading zeros and a fraction of zeros: `"007"` and `7.0` become 7. Returns `None` for
/// other text.
fn integer(text: &str) -> Option<Number> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|b| b == b'0');
    let is_number = !whole.is_empty() && whole.bytes().all(|b| b.is_ascii_digit());
    if !is_whole || !is_number {
        return None;
    }
    match whole.trim_start_matches('0') {
        "" => Number::from_text("0"),
        whole => Number::from_text(&format!("{sign}{whole}")),
    }
}

/// Adds a fraction to an integer, so that it is written as a decimal. Returns `None` if the text is not a number.
fn decimal(text: &str) -> Option<Number> {
    let number = Number::from_text(text)?;
    match number.kind() {
        NumberKind::Decimal => Some(number),
        NumberKind::Integer => Number::from_text(&format!("{text}.0")),
    }
}

fn boolean(value: &Json) -> Option<Json> {
    match value {
        Json::Bool(value) => Some((*value).into()),
        Json::String(text) if text.eq_ignore_ascii_case("true") => Some(true.into()),
        Json::String(text) if text.eq_ignore_ascii_case("false") => Some(false.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{DataType, Json};

    use crate::{Budget, GenerateError};

    fn generate(
        expression: &str,
        data_type: Option<DataType>,
        state: &contract_model::Object,
    ) -> Result<Json, GenerateError> {
        super::generate(expression, data_type, state, &mut Budget::default())
    }

    fn state() -> contract_model::Object {
        let state = br#"{"id":42,"big":12345678901234567890123,"price":1.50,"name":"Al","no":null,"yes":true,"true":"TRUE",
            "zeros":"007","list":[{"id":1}],"user":{"id":7,"a b":8},"user.dotted":9,"5.0":5.0,"5.5":5.5,"-0":"-0","half":"1."}"#;
        Json::parse(state).unwrap().as_object().unwrap().clone()
    }

    /// Returns the generated value as JSON, or the error message.
    fn generated(expression: &str, data_type: Option<DataType>) -> String {
        generate(expression, data_type, &state()).map_or_else(|error| error.to_string(), |value| value.to_text())
    }

    #[test]
    fn a_single_name_keeps_the_kind() {
        for (expression, want) in [
            ("${id}", "42"),
            ("id", "42"),
            ("${ price }", "1.50"),
            ("${name}", r#""Al""#),
            ("${no}", "null"),
            ("${list}", r#"[{"id":1}]"#),
            ("${big}", "12345678901234567890123"),
        ] {
            assert_eq!(generated(expression, None), want, "{expression}");
        }
    }

    #[test]
    fn surrounding_text_produces_a_string() {
        for (expression, want) in [
            ("/users/${id}", r#""/users/42""#),
            ("${id}${name}", r#""42Al""#),
            ("/${user.id}/${price}?x", r#""/7/1.50?x""#),
            ("$${id}}", r#""$42}""#),
            ("é${yes}", r#""étrue""#),
        ] {
            assert_eq!(generated(expression, None), want, "{expression}");
        }
    }

    #[test]
    fn names_may_be_paths() {
        for (expression, want) in [
            ("${user.id}", "7"),
            ("${user['a b']}", "8"),
            ("user.id", "7"),
            ("${list[0].id}", "1"),
            ("${user.dotted}", "9"),
        ] {
            assert_eq!(generated(expression, None), want, "{expression}");
        }
    }

    #[test]
    fn conversions() {
        use DataType::{Boolean, Decimal, Float, Integer, Raw, String};
        for (expression, data_type, want) in [
            ("${id}", String, r#""42""#),
            ("${list}", String, r#""[{\"id\":1}]""#),
            ("${zeros}", Integer, "7"),
            ("${5.0}", Integer, "5"),
            ("${-0}", Integer, "0"),
            ("1${id}", Integer, "142"),
            ("${big}", Integer, "12345678901234567890123"),
            ("${id}", Decimal, "42.0"),
            ("${price}", Float, "1.50"),
            ("${id}.${id}", Decimal, "42.42"),
            ("${yes}", Boolean, "true"),
            ("${true}", Boolean, "true"),
            ("${no}", Raw, "null"),
        ] {
            assert_eq!(generated(expression, Some(data_type)), want, "{expression}");
        }
    }

    #[test]
    fn rejects_impossible_conversions() {
        use DataType::{Boolean, Decimal, Integer, String};
        for (expression, data_type) in [
            ("${name}", Integer),
            ("${5.5}", Integer),
            ("${half}", Integer),
            ("${yes}", Integer),
            ("${zeros}", Decimal),
            ("${list}", Decimal),
            ("${id}", Boolean),
            ("${no}", String),
        ] {
            let text = generated(expression, Some(data_type));
            assert!(text.contains("cannot be converted to"), "{expression}: {text}");
        }
        assert_eq!(
            generated("${name}", Some(Integer)),
            r#"the provider state value for "${name}" cannot be converted to INTEGER: it is a string"#
        );
    }

    #[test]
    fn a_missing_value_lists_the_available_names() {
        let state = [("id", Json::from(1_u64)), ("name", "x".into())].into_iter().collect();
        assert_eq!(
            generate("/${userId}", None, &state).unwrap_err().to_string(),
            r#"no provider state handler returned a value named "userId", which "/${userId}" requires; returned values: "id", "name""#
        );
        assert!(
            generate("${a}", None, &contract_model::Object::new())
                .unwrap_err()
                .to_string()
                .ends_with("no handler returned a value")
        );
        for expression in [
            "${user.no}",
            "${list[1]}",
            "${list[*]}",
            "${}x",
            "",
            "${.}",
            "${*}",
            "${list.x}",
        ] {
            assert!(
                generate(expression, None, &super::Object::new()).is_err(),
                "{expression}"
            );
        }
        assert!(generated("a${no}", None).contains("is null"));
    }

    #[test]
    fn reports_the_column_of_invalid_templates() {
        assert_eq!(
            generated("é/${id", None),
            r#"the provider state expression "é/${id" is invalid at column 3: close "${" with "}""#
        );
        assert!(generated("${ }", None).contains("at column 1: write a name"));
    }
}
