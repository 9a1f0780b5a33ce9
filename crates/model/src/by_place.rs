//! Matching rules and generators, grouped by the part of the request, response, or message to which they apply.

use std::collections::BTreeMap;

use crate::{Object, PathExpression, Text};

/// The matching rules or the generators of a request, a response, or a message. See [`Rules`](crate::Rules) and
/// [`Generators`](crate::Generators).
#[derive(Clone, Debug, PartialEq)]
pub struct ByPlace<V> {
    pub method: Option<V>,
    pub path: Option<V>,
    pub status: Option<V>,
    /// By parameter name. A name may contain brackets: `a[]` is a name, not a path. `name[0]` refers to the first of
    /// several values.
    pub query: BTreeMap<Text, V>,
    /// By header name as written in the contract. Lookups ignore case.
    pub header: BTreeMap<Text, V>,
    pub metadata: BTreeMap<Text, V>,
    pub body: BTreeMap<PathExpression, V>,
    /// Unknown categories, kept so that they are not lost when the contract is written again.
    pub other: Object,
    /// Unknown members of known rules or generators, in the V4 format, kept so that they are not lost when the contract
    /// is written again.
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
        self.has_same_values(&Self::default())
    }

    /// Returns true if all rules or generators and all unknown categories are equal. Ignores unknown members.
    fn has_same_values(&self, other: &Self) -> bool {
        self.other == other.other
            && Category::ALL
                .into_iter()
                .all(|category| category.slot(self) == category.slot(other))
    }

    /// Copies the unknown members of an older version, but only if all rules or generators are unchanged.
    pub(crate) fn keep_unknown(&mut self, older: &Self) {
        if self.unknown.is_empty() && !older.unknown.is_empty() && self.has_same_values(older) {
            self.unknown = older.unknown.clone();
        }
    }
}

/// A category of rules or generators, as named in contract files.
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

#[derive(PartialEq)]
pub(crate) enum Slot<'a, V> {
    /// A category with a single value.
    One(&'a Option<V>),
    Names(&'a BTreeMap<Text, V>),
    Paths(&'a BTreeMap<PathExpression, V>),
}

pub(crate) enum SlotMut<'a, V> {
    One(&'a mut Option<V>),
    Names(&'a mut BTreeMap<Text, V>),
    Paths(&'a mut BTreeMap<PathExpression, V>),
}

impl Category {
    /// All categories, in the order in which they are written.
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

    /// Parses a category name. Also accepts spellings that only some tools write. Returns `None` for unknown names.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "headers" => Some(Self::Header),
            "metaData" => Some(Self::Metadata),
            "content" | "contents" => Some(Self::Body),
            _ => Self::ALL.into_iter().find(|category| category.name() == name),
        }
    }

    pub(crate) fn slot<V>(self, all: &ByPlace<V>) -> Slot<'_, V> {
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

    /// Returns mutable access to the values of the category and to their unknown members.
    pub(crate) fn slot_mut<V>(self, all: &mut ByPlace<V>) -> (SlotMut<'_, V>, &mut Object) {
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
