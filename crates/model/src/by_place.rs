//! Rules and generators by the place of a part where they apply.

use std::collections::BTreeMap;

use crate::{Object, PathExpression, Text};

/// The rules or the generators of a request, a response or a message. See [`Rules`](crate::Rules) and
/// [`Generators`](crate::Generators).
#[derive(Clone, Debug, PartialEq)]
pub struct ByPlace<V> {
    /// Of the method.
    pub method: Option<V>,
    /// Of the path.
    pub path: Option<V>,
    /// Of the status.
    pub status: Option<V>,
    /// Of query parameters. Names are opaque: `a[]` is a name. `name[0]` names one of several values.
    pub query: BTreeMap<Text, V>,
    /// Of headers, names as written; they are compared without case.
    pub header: BTreeMap<Text, V>,
    /// Of message metadata.
    pub metadata: BTreeMap<Text, V>,
    /// Of the body.
    pub body: BTreeMap<PathExpression, V>,
    /// Categories that this library does not know, kept for writing.
    pub other: Object,
    /// Members that this library does not know inside the values that it does, kept for writing: in the form of V4, and
    /// nothing where everything is known.
    pub unknown: Object,
}

impl<V> Default for ByPlace<V> {
    fn default() -> Self {
        Self {
            method: None,
            path: None,
            status: None,
            query: BTreeMap::new(),
            header: BTreeMap::new(),
            metadata: BTreeMap::new(),
            body: BTreeMap::new(),
            other: Object::new(),
            unknown: Object::new(),
        }
    }
}

impl<V> ByPlace<V> {
    /// All of them, wherever they apply.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let single = [&self.method, &self.path, &self.status].into_iter().flatten();
        let named = [&self.query, &self.header, &self.metadata];
        single
            .chain(named.into_iter().flat_map(BTreeMap::values))
            .chain(self.body.values())
    }
}

impl<V: PartialEq> ByPlace<V> {
    pub fn is_empty(&self) -> bool {
        self.says_the_same(&Self::default())
    }

    /// Whether the other one has the same values, as far as this library knows them.
    fn says_the_same(&self, other: &Self) -> bool {
        self.other == other.other
            && Category::ALL
                .into_iter()
                .all(|category| category.of(self) == category.of(other))
    }

    /// Takes over what is not known inside the values of an older form, when they are still the same.
    pub(crate) fn keep_unknown(&mut self, older: &Self) {
        if self.unknown.is_empty() && !older.unknown.is_empty() && self.says_the_same(older) {
            self.unknown = older.unknown.clone();
        }
    }
}

/// A kind of place, as contract files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    Method,
    Path,
    Status,
    Header,
    Metadata,
    Query,
    Body,
}

/// The values of a category.
#[derive(PartialEq)]
pub(crate) enum Slot<'a, V> {
    /// There is one place only.
    One(&'a Option<V>),
    Names(&'a BTreeMap<Text, V>),
    Paths(&'a BTreeMap<PathExpression, V>),
}

/// The values of a category, to change.
pub(crate) enum SlotMut<'a, V> {
    One(&'a mut Option<V>),
    Names(&'a mut BTreeMap<Text, V>),
    Paths(&'a mut BTreeMap<PathExpression, V>),
}

impl Category {
    /// In the order in which they are written.
    pub(crate) const ALL: [Self; 7] = [
        Self::Method,
        Self::Path,
        Self::Status,
        Self::Header,
        Self::Metadata,
        Self::Query,
        Self::Body,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Path => "path",
            Self::Status => "status",
            Self::Header => "header",
            Self::Metadata => "metadata",
            Self::Query => "query",
            Self::Body => "body",
        }
    }

    /// Readers know more spellings than are written.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "headers" => Some(Self::Header),
            "metaData" => Some(Self::Metadata),
            "content" | "contents" => Some(Self::Body),
            _ => Self::ALL.into_iter().find(|category| category.name() == name),
        }
    }

    pub(crate) fn of<V>(self, all: &ByPlace<V>) -> Slot<'_, V> {
        match self {
            Self::Method => Slot::One(&all.method),
            Self::Path => Slot::One(&all.path),
            Self::Status => Slot::One(&all.status),
            Self::Header => Slot::Names(&all.header),
            Self::Metadata => Slot::Names(&all.metadata),
            Self::Query => Slot::Names(&all.query),
            Self::Body => Slot::Paths(&all.body),
        }
    }

    /// The values of the category, and what is not known inside of any.
    pub(crate) fn of_mut<V>(self, all: &mut ByPlace<V>) -> (SlotMut<'_, V>, &mut Object) {
        let slot = match self {
            Self::Method => SlotMut::One(&mut all.method),
            Self::Path => SlotMut::One(&mut all.path),
            Self::Status => SlotMut::One(&mut all.status),
            Self::Header => SlotMut::Names(&mut all.header),
            Self::Metadata => SlotMut::Names(&mut all.metadata),
            Self::Query => SlotMut::Names(&mut all.query),
            Self::Body => SlotMut::Paths(&mut all.body),
        };
        (slot, &mut all.unknown)
    }
}
