//! The kinds of variants.

use std::fmt;
use std::str::FromStr;

/// How a variant differs from the example. Variants are tried in this order: the kinds that break the most consumers
/// come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Another alternative of an OR, or another word of an enum.
    Branch,
    /// `null` instead of a value, or a value instead of `null`.
    Null,
    /// The shortest list that the rules allow, or a list with one item.
    EmptyList,
    /// A member that the rules do not require.
    Absent,
    /// An unknown member or header.
    Extra,
    /// Members in reverse order.
    Order,
    /// Another string that matches a pattern.
    Member,
    /// Another string: empty, blank, long, with markup, or with unusual characters.
    Text,
    Number,
    Boolean,
    Date,
    /// A long list.
    Many,
    Status,
    /// The content type with a charset.
    Media,
    /// Another letter case of header names.
    Casing,
    /// The first integer that a double cannot represent. No set contains this kind.
    BigInteger,
}

/// The error for an unknown kind or set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of variants {0:?}")]
pub struct UnknownKind(pub String);

impl Kind {
    pub const ALL: [Self; 16] = [
        Self::Branch,
        Self::Null,
        Self::EmptyList,
        Self::Absent,
        Self::Extra,
        Self::Order,
        Self::Member,
        Self::Text,
        Self::Number,
        Self::Boolean,
        Self::Date,
        Self::Many,
        Self::Status,
        Self::Media,
        Self::Casing,
        Self::BigInteger,
    ];

    /// The names of the sets.
    pub const SETS: [&str; 3] = ["default", "values", "all"];

    pub fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Null => "null",
            Self::EmptyList => "empty-list",
            Self::Absent => "absent",
            Self::Extra => "extra",
            Self::Order => "order",
            Self::Member => "member",
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Many => "many",
            Self::Status => "status",
            Self::Media => "media",
            Self::Casing => "casing",
            Self::BigInteger => "big-integer",
        }
    }

    /// Returns the kinds in a set: `default` changes the structure, `values` also changes values, and `all` contains
    /// all kinds except [`Self::BigInteger`], which is often correct to reject.
    pub fn set(name: &str) -> Option<&'static [Self]> {
        match name {
            "default" => Some(&Self::ALL[..6]),
            "values" => Some(&Self::ALL[..11]),
            "all" => Some(&Self::ALL[..15]),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_parsed_from_its_name() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("nulls".parse::<Kind>().is_err());
    }

    #[test]
    fn each_set_extends_the_one_before() {
        let sizes: Vec<_> = Kind::SETS.map(|name| Kind::set(name).map_or(0, <[_]>::len)).into();
        assert_eq!(sizes, [6, 11, 15]);
        assert_eq!(Kind::set("some"), None);
    }
}
