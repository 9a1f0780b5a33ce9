//! Operations that add comments and references.

use contract_model::{Json, Object};

use crate::builder::draft::Draft;

impl Draft {
    pub(super) fn add_text_comment(&mut self, text: String) {
        match self.comments.get_mut("text") {
            Some(Json::Array(texts)) => texts.push(text.into()),
            Some(known @ Json::String(_)) => *known = vec![std::mem::take(known), text.into()].into(),
            _ => drop(self.comments.insert("text", vec![Json::from(text)])),
        }
    }

    pub(super) fn add_reference(&mut self, group: &str, name: String, value: Json) {
        let groups = object_of(&mut self.comments, "references");
        object_of(groups, group).insert(name, value);
    }
}

/// Returns the member with this name as an object. Creates an empty object if the member is missing.
fn object_of<'a>(object: &'a mut Object, name: &str) -> &'a mut Object {
    if object.get(name).and_then(Json::as_object).is_none() {
        object.insert(name, Object::new());
    }
    object
        .get_mut(name)
        .and_then(Json::as_object_mut)
        .expect("the object was just inserted")
}
