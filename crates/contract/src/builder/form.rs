//! Form bodies (`application/x-www-form-urlencoded`): fields by name, their rules at `$.name`.

use contract_model::{ContentType, Json, PathExpression, PathToken, Query, Text};

use super::body::BodyDraft;
use super::named::Named;
use super::value::values;
use crate::error::{ArgumentError, BODY};

/// A form from its fields: a list of names and values, each value text, matcher JSON or a list of them.
pub(super) fn draft(fields: &Json, content_type: Option<&str>) -> Result<BodyDraft, ArgumentError> {
    let refused = |message: &str| ArgumentError::new(BODY, format!("withFormBody: {message}"));
    let mut named = Named::default();
    for field in fields.as_array().ok_or_else(|| refused("the fields must be a list"))? {
        let Some([Json::String(name), value]) = field.as_array() else {
            return Err(refused("a field is a name and a value"));
        };
        let values = values(value, BODY).map_err(|error| error.within(&format!("withFormBody {name:?}")))?;
        named.append(name, values);
    }
    let mut form = Query::new();
    for (name, texts) in named.texts(BODY).map_err(|error| error.within("withFormBody"))? {
        for text in texts {
            form.append(name.clone(), Some(text));
        }
    }
    let (rules, generators) = named.placed(path);
    let default = "application/x-www-form-urlencoded".parse().ok();
    let mut draft =
        BodyDraft::of_text(form.to_text(), content_type, default).map_err(|error| error.within("withFormBody"))?;
    if draft
        .declared()
        .is_some_and(|declared: &ContentType| !declared.is_form())
    {
        return Err(refused("its content type is application/x-www-form-urlencoded"));
    }
    draft.rules = rules;
    draft.generators = generators;
    Ok(draft)
}

fn path(name: &Text, index: Option<usize>) -> PathExpression {
    let name = PathToken::Key(name.clone());
    match index {
        Some(index) => vec![name, PathToken::Index(index)].into(),
        None => vec![name].into(),
    }
}
