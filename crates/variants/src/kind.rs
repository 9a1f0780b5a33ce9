//! Kinds of variants, and the named sets of kinds.

use std::fmt;
use std::str::FromStr;

/// How a variant differs from the example. Variants are tried in the order of these kinds: those that break the most
/// consumers come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Another alternative of an OR, or another word of an enum.
    Branch,
    /// `null` instead of a value, or a value instead of `null`.
    Null,
    /// The shortest list that the rules allow, or a list with one item.
    EmptyList,
    /// An object without one of its members, because the rules do not require that member.
    Absent,
    /// An additional member or header that the contract does not define.
    Extra,
    /// Members in reverse order.
    Order,
    /// Another string that a `regex` or `semver` rule allows.
    Member,
    /// Another string: empty, blank, long, with markup, or with unusual characters.
    Text,
    Number,
    Boolean,
    Date,
    /// A list of up to 50 items.
    Many,
    Status,
    /// The content type with a charset, such as `application/json; charset=utf-8`.
    Media,
    /// Header names in upper case or in title case.
    Casing,
    /// 9007199254740993 (2^53 + 1), the first integer that a double cannot represent. No set contains this kind.
    BigInteger,
}

/// The error for a name that is not the name of a kind.
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

    /// Returns the kinds in a set, or `None` for an unknown name: `default` changes the structure, `values` also
    /// changes values, and `all` contains all kinds except [`Self::BigInteger`], which consumers often reject for good
    /// reason.
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
