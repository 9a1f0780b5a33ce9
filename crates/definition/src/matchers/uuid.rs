//! UUID formats.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UuidForm {
    /// 32 hexadecimal digits without hyphens.
    Simple,
    /// Lowercase, with hyphens.
    Lowercase,
    /// Uppercase, with hyphens.
    Uppercase,
    /// Lowercase, with hyphens and the prefix `urn:uuid:`.
    Urn,
}

impl UuidForm {
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Simple => "[0-9a-fA-F]{32}",
            Self::Lowercase => "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            Self::Uppercase => "[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}",
            Self::Urn => "urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        }
    }

    /// Returns the format's name in generators, such as `lower-case-hyphenated`.
    pub(super) fn generator_format(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Lowercase => "lower-case-hyphenated",
            Self::Uppercase => "upper-case-hyphenated",
            Self::Urn => "URN",
        }
    }
}
