//! Finds values at a path of an example.

use contract_model::{Json, PathToken};

/// Returns all values at a path.
pub(crate) fn examples_at<'a>(example: &'a Json, path: &[PathToken]) -> Vec<&'a Json> {
    path.iter().fold(vec![example], |places, token| {
        places.into_iter().flat_map(|place| steps(place, token)).collect()
    })
}

fn steps<'a>(place: &'a Json, token: &PathToken) -> Vec<&'a Json> {
    match (token, place) {
        (PathToken::Key(name), Json::Object(object)) => object.get(name).into_iter().collect(),
        (PathToken::Index(index), Json::Array(items)) => items.get(*index).into_iter().collect(),
        (PathToken::AnyKey, Json::Object(object)) => object.iter().map(|(_, value)| value).collect(),
        (PathToken::AnyIndex | PathToken::AnyKey, Json::Array(items)) => items.iter().collect(),
        _ => Vec::new(),
    }
}
