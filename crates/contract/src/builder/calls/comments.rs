//! Comments and references.

use contract_model::{Json, Object};

use crate::builder::draft::Draft;
use crate::builder::operation::Operation;
use crate::error::Done;

impl Draft {
    pub(super) fn comment(&mut self, operation: Operation) -> Done {
        self.v4()?;
        let comments = &mut self.comments;
        match operation {
            Operation::SetComment {
                key,
                value: Some(value),
            } => drop(comments.insert(key, value)),
            Operation::SetComment { key, value: None } => drop(comments.remove(&key)),
            Operation::AddTextComment { text } => match comments.get_mut("text") {
                Some(Json::Array(texts)) => texts.push(text.into()),
                Some(known @ Json::String(_)) => *known = vec![std::mem::take(known), text.into()].into(),
                _ => drop(comments.insert("text", vec![Json::from(text)])),
            },
            Operation::AddReference { group, name, value } => {
                let groups = object_of(comments, "references");
                object_of(groups, &group).insert(name, value);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The object under a name; one is put there if there is none.
fn object_of<'a>(object: &'a mut Object, name: &str) -> &'a mut Object {
    if object.get(name).and_then(Json::as_object).is_none() {
        object.insert(name, Object::new());
    }
    object
        .get_mut(name)
        .and_then(Json::as_object_mut)
        .expect("an object that has just been put there")
}
