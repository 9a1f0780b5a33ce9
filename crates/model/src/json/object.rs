use super::{Json, Text};

/// The members of a JSON object in the order in which they were written, no name twice.
///
/// Looking a member up is a scan: objects of contracts are small. Whoever compares large objects builds an index.
#[derive(Clone, Debug, Default)]
pub struct Object(Vec<(Text, Json)>);

impl Object {
    /// No members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The caller has made sure that no name stands twice.
    pub(crate) fn from_distinct(members: Vec<(Text, Json)>) -> Self {
        Self(members)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in order.
    pub fn members(&self) -> &[(Text, Json)] {
        &self.0
    }

    /// The members in order, values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Text, &mut Json)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Json)> {
        self.0.iter()
    }

    /// The names in order.
    pub fn keys(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().map(|(key, _)| key)
    }

    /// A member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// A member, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether there is such a member.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets a member; one that was there keeps its place, and its old value is returned.
    pub fn insert(&mut self, key: impl Into<Text> + AsRef<str>, value: impl Into<Json>) -> Option<Json> {
        let value = value.into();
        if let Some(old) = self.get_mut(key.as_ref()) {
            return Some(std::mem::replace(old, value));
        }
        self.0.push((key.into(), value));
        None
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the members for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Json) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }
}

impl PartialEq for Object {
    /// The order of the members does not count.
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        // The same order is the usual case and costs no sorting.
        if self.0.iter().zip(&other.0).all(|((a, _), (b, _))| a == b) {
            return self.0.iter().zip(&other.0).all(|((_, a), (_, b))| a == b);
        }
        let sorted = |object: &'_ Self| {
            let mut order: Vec<usize> = (0..object.0.len()).collect();
            order.sort_unstable_by(|&a, &b| object.0[a].0.cmp(&object.0[b].0));
            order
        };
        sorted(self)
            .into_iter()
            .zip(sorted(other))
            .all(|(a, b)| self.0[a] == other.0[b])
    }
}

impl Eq for Object {}

impl<K: Into<Text> + AsRef<str>, V: Into<Json>> FromIterator<(K, V)> for Object {
    /// A later member replaces an earlier one of the same name.
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
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a (Text, Json);
    type IntoIter = std::slice::Iter<'a, (Text, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
