//! Versions of the Pact Specification.

/// A version of the Pact Specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SpecificationVersion {
    /// Version 1.0.0.
    V1,
    /// Version 1.1.0.
    V1_1,
    /// Version 2.0.0.
    V2,
    /// Version 3.0.0.
    V3,
    /// Version 4.0.
    #[default]
    V4,
}

impl SpecificationVersion {
    /// Returns the display name, such as `V1.1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V1_1 => "V1.1",
            Self::V2 => "V2",
            Self::V3 => "V3",
            Self::V4 => "V4",
        }
    }

    /// Returns the version number as written in contract files, such as `1.1.0`.
    pub fn number(self) -> &'static str {
        match self {
            Self::V1 => "1.0.0",
            Self::V1_1 => "1.1.0",
            Self::V2 => "2.0.0",
            Self::V3 => "3.0.0",
            Self::V4 => "4.0",
        }
    }

    /// Parses text such as `V4`, `v4`, `4`, `4.0`, or `4.0.0`. Returns `None` for other text and unknown versions.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let numbers = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let mut parts = numbers.split('.').map(|part| part.parse::<u32>().ok());
        let major = parts.next()??;
        let minor = parts.next().unwrap_or(Some(0))?;
        let patch = parts.next().unwrap_or(Some(0));
        if patch.is_none() || parts.next().is_some() {
            return None;
        }
        match (major, minor) {
            (1, 1) => Some(Self::V1_1),
            (1, _) => Some(Self::V1),
            (2, _) => Some(Self::V2),
            (3, _) => Some(Self::V3),
            (4, _) => Some(Self::V4),
            _ => None,
        }
    }
}

impl std::fmt::Display for SpecificationVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::SpecificationVersion;

    #[test]
    fn versions() {
        for (text, want) in [
            ("V4", "V4"),
            ("v1.1", "V1.1"),
            ("2", "V2"),
            ("3.0.0", "V3"),
            ("4.0", "V4"),
            ("1.0.0", "V1"),
        ] {
            assert_eq!(SpecificationVersion::parse(text).unwrap().name(), want);
        }
        for text in ["", "V5", "vier", "1.x", "4.0.0.0", "-4"] {
            assert_eq!(SpecificationVersion::parse(text), None, "{text}");
        }
    }
}
