//! Locations in a JSON document, which are converted to text only for messages.

/// A location in a JSON document, stored as a chain on the stack and displayed as a JSON pointer (RFC 6901).
///
/// The readers create a location for every member, but convert it to text only for errors and warnings.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(crate) const fn key(&'a self, name: &'a str) -> Self {
        Self::Key(self, name)
    }

    pub(crate) const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(parent, name) => write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1")),
            Self::Index(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn prints_a_json_pointer() {
        assert_eq!(Place::Root.to_string(), "");
        let list = Place::Root.key("a/b~c");
        assert_eq!(list.index(3).to_string(), "/a~1b~0c/3");
    }
}
