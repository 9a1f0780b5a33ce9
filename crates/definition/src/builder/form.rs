//! Form bodies (`application/x-www-form-urlencoded`). Rules for the field `name` are stored under the path `$.name`.

use contract_model::{PathExpression, PathToken, Query, Text};

use super::body::BodyDraft;
use super::named::ValuesByName;
use super::operation::Pairs;
use super::value::values;
use contract_call::error::{ArgumentError, BODY};

/// Creates a form body. Each field value is a string, matcher JSON, or an array of these.
pub(super) fn draft(draft: BodyDraft, fields: Pairs) -> Result<BodyDraft, ArgumentError> {
    let mut named = ValuesByName::default();
    for (name, value) in fields.0 {
        let values = values(value, BODY).map_err(|error| error.within(format!("{:?}", name.as_str())))?;
        named.append(&name, values);
    }
    let mut form = Query::new();
    for (name, texts) in named.texts(BODY)? {
        for text in texts {
            form.append(name.clone(), Some(text));
        }
    }
    let (rules, generators) = named.rules_by_key(path);
    let default = "application/x-www-form-urlencoded".parse().ok();
    let mut draft = draft.text(form.to_text(), default);
    if draft.declared().is_some_and(|declared| !declared.is_form()) {
        let message = "the content type of a form must be application/x-www-form-urlencoded";
        return Err(ArgumentError::new(BODY, message).for_argument("content_type"));
    }
    (draft.rules, draft.generators) = (rules, generators);
    Ok(draft)
}

fn path(name: &Text, index: Option<usize>) -> PathExpression {
    let name = PathToken::Key(name.clone());
    match index {
        Some(index) => vec![name, PathToken::Index(index)].into(),
        None => vec![name].into(),
    }
}
