//! Generates the examples that are missing in a template.

use crate::{Generator, Json, PathExpression, PathToken};

pub(super) fn fill<E>(
    example: &mut Json,
    places: &mut Vec<PathExpression>,
    makers: &mut Vec<Generator>,
    mut make: impl FnMut(&Generator) -> Result<Json, E>,
) -> Result<(), E> {
    for (path, generator) in places.iter().zip(makers.iter()) {
        put(example, path.tokens(), &mut || make(generator))?;
    }
    places.clear();
    makers.clear();
    Ok(())
}

/// Replaces null values at a path with generated values. Other values, which the user specified, are kept.
fn put<E>(value: &mut Json, path: &[PathToken], make: &mut impl FnMut() -> Result<Json, E>) -> Result<(), E> {
    let Some((token, rest)) = path.split_first() else {
        if value.is_null() {
            *value = make()?;
        }
        return Ok(());
    };
    match (token, value) {
        (PathToken::Key(name), Json::Object(object)) => match object.get_mut(name) {
            Some(member) => put(member, rest, make),
            None => Ok(()),
        },
        (PathToken::AnyKey, Json::Object(object)) => {
            object.iter_mut().try_for_each(|(_, member)| put(member, rest, make))
        }
        (PathToken::Index(index), Json::Array(items)) => match items.get_mut(*index) {
            Some(item) => put(item, rest, make),
            None => Ok(()),
        },
        (PathToken::AnyIndex | PathToken::AnyKey, Json::Array(items)) => {
            items.iter_mut().try_for_each(|item| put(item, rest, make))
        }
        _ => Ok(()),
    }
}
