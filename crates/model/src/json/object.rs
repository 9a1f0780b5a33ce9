use std::collections::HashMap;
use std::sync::OnceLock;

use super::{Json, Text};

/// Members of a JSON object in their original order. Names are unique.
///
/// Small objects are searched linearly. Large objects have an index, because untrusted documents may contain any number
/// of members.
#[derive(Clone, Debug)]
pub struct Object(Members);

/// The larger variant is boxed to keep objects small, because most objects have few members.
#[derive(Clone, Debug)]
enum Members {
    Few(Vec<(Text, Json)>),
    Many(Box<Many>),
}

#[derive(Clone, Debug, Default)]
struct Many {
    list: Vec<(Text, Json)>,
    /// Positions of the members by name. Built on the first lookup.
    index: OnceLock<HashMap<Text, usize>>,
}

/// Maximum number of members for which a linear search is faster than an index.
const FEW: usize = 48;

impl Many {
    fn position(&self, key: &str) -> Option<usize> {
        let index = self.index.get_or_init(|| {
            let names = self.list.iter().map(|(name, _)| name.clone());
            names.zip(0..).collect()
        });
        index.get(key).copied()
    }

    fn push(&mut self, key: Text, value: Json) {
        if let Some(index) = self.index.get_mut() {
            index.insert(key.clone(), self.list.len());
        }
        self.list.push((key, value));
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

impl Object {
    pub const fn new() -> Self {
        Self(Members::Few(Vec::new()))
    }

    /// Creates an object. The caller must ensure that names are unique.
    pub(crate) fn from_distinct(members: Vec<(Text, Json)>) -> Self {
        Self(if members.len() > FEW {
            Members::Many(Box::new(Many {
                list: members,
                index: OnceLock::new(),
            }))
        } else {
            Members::Few(members)
        })
    }

    pub fn len(&self) -> usize {
        self.members().len()
    }

    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }

    pub fn members(&self) -> &[(Text, Json)] {
        match &self.0 {
            Members::Few(list) => list,
            Members::Many(many) => &many.list,
        }
    }

    /// Returns mutable access to the members. Discards the index.
    fn list_mut(&mut self) -> &mut Vec<(Text, Json)> {
        match &mut self.0 {
            Members::Few(list) => list,
            Members::Many(many) => {
                many.index.take();
                &mut many.list
            }
        }
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.0 {
            Members::Few(list) => list.iter().position(|(name, _)| name == key),
            Members::Many(many) => many.position(key),
        }
    }

    fn value_mut(&mut self, at: usize) -> &mut Json {
        match &mut self.0 {
            Members::Few(list) => &mut list[at].1,
            Members::Many(many) => &mut many.list[at].1,
        }
    }

    /// Returns the members in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Text, &mut Json)> {
        let list = match &mut self.0 {
            Members::Few(list) => list,
            Members::Many(many) => &mut many.list,
        };
        list.iter_mut().map(|(key, value)| (&*key, value))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Json)> {
        self.members().iter()
    }

    pub fn keys(&self) -> impl Iterator<Item = &Text> {
        self.iter().map(|(key, _)| key)
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        self.position(key).map(|at| &self.members()[at].1)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.position(key).map(|at| self.value_mut(at))
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a member. Returns its old value, or `None` if the member is new. An existing member keeps its position.
    pub fn insert(&mut self, key: impl Into<Text> + AsRef<str>, value: impl Into<Json>) -> Option<Json> {
        let value = value.into();
        if let Some(at) = self.position(key.as_ref()) {
            return Some(std::mem::replace(self.value_mut(at), value));
        }
        match &mut self.0 {
            Members::Few(list) if list.len() < FEW => list.push((key.into(), value)),
            Members::Few(list) => {
                let mut list = std::mem::take(list);
                list.push((key.into(), value));
                *self = Self::from_distinct(list);
            }
            Members::Many(many) => many.push(key.into(), value),
        }
        None
    }

    /// Removes a member. Returns its value, or `None` if the member does not exist.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.position(key)?;
        Some(self.list_mut().remove(at).1)
    }

    /// Returns a copy without the named members.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let remaining = self.iter().filter(|(key, _)| !names.contains(&key.as_str()));
        Self::from_distinct(remaining.cloned().collect())
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Json) -> bool) {
        self.list_mut().retain(|(key, value)| keep(key, value));
    }
}

impl PartialEq for Object {
    /// Compares members regardless of their order.
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let (ours, theirs) = (self.members(), other.members());
        // Usually both have the same order; this check avoids sorting.
        if ours.iter().zip(theirs).all(|((a, _), (b, _))| a == b) {
            return ours.iter().zip(theirs).all(|((_, a), (_, b))| a == b);
        }
        let sorted = |members: &[(Text, Json)]| {
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_unstable_by(|&a, &b| members[a].0.cmp(&members[b].0));
            order
        };
        sorted(ours)
            .into_iter()
            .zip(sorted(theirs))
            .all(|(a, b)| ours[a] == theirs[b])
    }
}

impl Eq for Object {}

impl<K: Into<Text> + AsRef<str>, V: Into<Json>> FromIterator<(K, V)> for Object {
    /// Collects members. A later member replaces an earlier one with the same name.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object = Self::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        object
    }
}

impl IntoIterator for Object {
    type Item = (Text, Json);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Members::Few(list) => list.into_iter(),
            Members::Many(many) => many.list.into_iter(),
        }
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a (Text, Json);
    type IntoIter = std::slice::Iter<'a, (Text, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Object;
    use crate::Json;

    #[test]
    fn large_and_small_objects_behave_alike() {
        let mut object = Object::new();
        for name in 0..100_000_u64 {
            assert_eq!(object.insert(format!("a{name}"), name), None);
            assert!(!object.contains_key("b"));
        }
        assert_eq!(object.insert("a7", "x"), Some(Json::from(7_u64)));
        assert_eq!(object.remove("a0"), Some(Json::from(0_u64)));
        assert_eq!((object.get("a0"), object.get("a7")), (None, Some(&Json::from("x"))));
        *object.get_mut("a99999").unwrap() = Json::Null;
        assert_eq!(
            (object.len(), object.iter().last().unwrap()),
            (99_999, &("a99999".into(), Json::Null))
        );
        let reversed: Object = object.iter().rev().cloned().collect();
        assert_eq!(reversed, object);
        object.retain(|name, _| name == "a7");
        assert_eq!(
            (object.len(), object.get("a7"), object.get("a8")),
            (1, Some(&Json::from("x")), None)
        );
    }

    #[test]
    fn objects_do_not_enlarge_values() {
        assert_eq!(size_of::<Object>(), size_of::<Vec<(crate::Text, Json)>>());
    }
}
