//! Changes to an answer, each at one place such as the status or a path in the body.

use contract_model::{Json, Object, PathExpression, PathToken, Text};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    Status,
    Header(Text),
    /// The names of all headers.
    Headers,
    Body(PathExpression),
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Set(Json),
    Remove,
    /// Adds a member with this name and value to the object that contains the place.
    Insert(Text, Json),
    /// Sets the number of array items: removes the last items, or repeats all items in order.
    Resize(usize),
    /// Reverses the order of the members in the object and in all objects inside it.
    Reverse,
    Status(u16),
    Header(Text),
    Casing(HeaderCase),
}

/// The letter case of header names in HTTP/1.1. Without a change, they are written in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderCase {
    /// `CONTENT-TYPE`.
    Upper,
    /// `Content-Type`.
    Title,
}

impl Place {
    /// Returns true if the places are different and, for two body paths, neither contains the other. Changes to
    /// dependent places could undo each other.
    pub(crate) fn is_independent_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Body(one), Self::Body(other)) => {
                let (one, other) = (one.tokens(), other.tokens());
                let shared = one.len().min(other.len());
                one[..shared] != other[..shared]
            }
            _ => self != other,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status => f.write_str("status"),
            Self::Header(name) => write!(f, "header.{name}"),
            Self::Headers => f.write_str("headers"),
            Self::Body(path) => write!(f, "{path}"),
        }
    }
}

/// Applies the change to the value at the path. Does nothing if the path does not exist.
pub(crate) fn apply(root: &mut Json, path: &[PathToken], change: &Change) {
    match change {
        Change::Remove => {
            if let Some((PathToken::Key(key), parents)) = path.split_last()
                && let Some(Json::Object(object)) = node(root, parents)
            {
                object.remove(key);
            }
        }
        Change::Insert(key, new) => {
            let parents = path.split_last().map_or(path, |(_, parents)| parents);
            if let Some(Json::Object(object)) = node(root, parents) {
                object.insert(key.clone(), new.clone());
            }
        }
        Change::Reverse => {
            if let Some(value) = node(root, path) {
                reverse(value);
            }
        }
        change => {
            if let Some(value) = node(root, path) {
                apply_to(value, change);
            }
        }
    }
}

fn apply_to(value: &mut Json, change: &Change) {
    match (change, value) {
        (Change::Set(new), value) => *value = new.clone(),
        (Change::Resize(size), Json::Array(items)) => {
            let examples = items.clone();
            items.truncate(*size);
            let repeated = examples.iter().cycle().take(*size).skip(items.len());
            items.extend(repeated.cloned());
        }
        _ => {}
    }
}

fn reverse(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(reverse),
        Json::Object(object) => {
            let mut members: Vec<(Text, Json)> = std::mem::take(object).into_iter().collect();
            for (_, value) in &mut members {
                reverse(value);
            }
            *object = members.into_iter().rev().collect::<Object>();
        }
        _ => {}
    }
}

fn node<'a>(root: &'a mut Json, path: &[PathToken]) -> Option<&'a mut Json> {
    path.iter().try_fold(root, |value, step| match (value, step) {
        (Json::Object(object), PathToken::Key(key)) => object.get_mut(key),
        (Json::Array(items), PathToken::Index(index)) => items.get_mut(*index),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(document: &str, path: &str, change: &Change, expected: &str) {
        let mut document = Json::parse(document.as_bytes()).unwrap();
        let path: PathExpression = path.parse().unwrap();
        apply(&mut document, path.tokens(), change);
        assert_eq!(document.to_text(), expected);
    }

    #[test]
    fn changes_one_place() {
        check(
            r#"{"a":{"b":1}}"#,
            "$.a.b",
            &Change::Set(Json::Null),
            r#"{"a":{"b":null}}"#,
        );
        check(r#"{"a":{"b":1}}"#, "$.a.b", &Change::Remove, r#"{"a":{}}"#);
        let insert = Change::Insert("c".into(), Json::Null);
        check(r#"{"a":{"b":1}}"#, "$.a.c", &insert, r#"{"a":{"b":1,"c":null}}"#);
        check("[1,2]", "$", &Change::Resize(5), "[1,2,1,2,1]");
        check("[1,2]", "$", &Change::Resize(1), "[1]");
        check("[]", "$", &Change::Resize(3), "[]");
        check(
            r#"{"a":1,"b":{"c":1,"d":2}}"#,
            "$",
            &Change::Reverse,
            r#"{"b":{"d":2,"c":1},"a":1}"#,
        );
    }

    #[test]
    fn ignores_places_that_do_not_exist() {
        check(r#"{"a":1}"#, "$.b.c", &Change::Set(Json::Null), r#"{"a":1}"#);
        check(r#"{"a":1}"#, "$.a[0]", &Change::Remove, r#"{"a":1}"#);
        check("1", "$", &Change::Remove, "1");
    }

    #[test]
    fn a_place_depends_on_what_is_above_and_below_it() {
        let body = |path: &str| Place::Body(path.parse().unwrap());
        assert!(body("$.a").is_independent_of(&body("$.b")));
        assert!(!body("$.a").is_independent_of(&body("$.a.b")));
        assert!(!body("$.a[0].b").is_independent_of(&body("$.a")));
        assert!(body("$.a").is_independent_of(&Place::Status));
        assert!(!Place::Status.is_independent_of(&Place::Status));
    }
}
