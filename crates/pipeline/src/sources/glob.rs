//! Glob patterns for paths, such as `contracts/**/*-users.json`.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// A glob pattern. Within a file or directory name, `*` matches any string, `?` matches any character, `[a-z]` matches
/// a set of characters, `[!a-z]` matches all other characters, and `{a,b}` matches one of several strings. The name
/// `**` matches any number of directories.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    /// The directory to search: the part of the path before the first name with pattern characters.
    base: PathBuf,
    /// The rest of the pattern, which is matched with paths relative to `base`.
    below: GlobMatcher,
    depth: Option<usize>,
}

/// Maximum length of a pattern, in bytes. Paths are not longer, so a longer pattern would match nothing, but would be
/// expensive to compile.
const MAX_LENGTH: usize = 4096;

#[derive(Debug, thiserror::Error)]
pub(super) enum GlobError {
    #[error(
        "the pattern is longer than {MAX_LENGTH} bytes, the maximum length of a path; split it into multiple sources"
    )]
    Long,
    #[error("{}", .0.kind())]
    Syntax(#[from] globset::Error),
}

impl Glob {
    /// Parses a path. Returns `None` if it contains no pattern characters.
    pub(super) fn parse(path: &Path) -> Result<Option<Self>, GlobError> {
        let Some(text) = path.to_str().filter(|text| text.contains(['*', '?', '[', '{'])) else {
            return Ok(None);
        };
        if text.len() > MAX_LENGTH {
            return Err(GlobError::Long);
        }
        let text = if cfg!(windows) {
            text.replace('\\', "/")
        } else {
            text.to_owned()
        };
        let is_pattern = |name: &&str| name.contains(['*', '?', '[', '{']);
        let names: Vec<_> = text.split('/').collect();
        let literal = names.iter().position(is_pattern).unwrap_or(names.len());
        let mut base: PathBuf = names[..literal].join("/").into();
        if literal == 1 && names[0].is_empty() {
            base = "/".into();
        }
        let names: Vec<_> = names[literal..]
            .iter()
            .filter(|name| !name.is_empty())
            .copied()
            .collect();
        let pattern = GlobBuilder::new(&names.join("/"))
            .literal_separator(true)
            .backslash_escape(false)
            .empty_alternates(true)
            .build()?;
        Ok(Some(Self {
            base,
            below: pattern.compile_matcher(),
            depth: (!text.contains("**")).then_some(names.len()),
        }))
    }

    /// Returns the directory to search.
    pub(super) fn base(&self) -> &Path {
        if self.base.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.base
        }
    }

    /// Returns true if the pattern matches a path relative to the base directory.
    pub(super) fn matches(&self, below: &Path) -> bool {
        let mut below: PathBuf = below.components().filter(|part| *part != Component::CurDir).collect();
        if cfg!(windows) {
            below = below.to_string_lossy().replace('\\', "/").into();
        }
        !below.as_os_str().is_empty() && self.below.is_match(below)
    }

    /// Returns the maximum depth of matching paths below the directory to search, or `None` if the pattern contains
    /// `**`.
    pub(super) fn depth(&self) -> Option<usize> {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Glob, GlobError};

    fn parse(pattern: &str) -> Result<Option<Glob>, GlobError> {
        Glob::parse(Path::new(pattern))
    }

    #[track_caller]
    fn check(pattern: &str, base: &str, matching: &[&str], others: &[&str]) {
        let glob = parse(pattern).unwrap().unwrap();
        assert_eq!(glob.base(), Path::new(base), "{pattern}");
        for path in matching {
            assert!(glob.matches(Path::new(path)), "{pattern} must match {path}");
        }
        for path in others {
            assert!(!glob.matches(Path::new(path)), "{pattern} must not match {path}");
        }
    }

    #[test]
    fn matches_patterns() {
        check(
            "contracts/*.json",
            "contracts",
            &["a.json", ".json"],
            &["a.txt", "b/a.json"],
        );
        check(
            "/a/**/*-users.json",
            "/a",
            &["web-users.json", "x/y/web-users.json"],
            &["x/users.json"],
        );
        check(
            "**/v?/[a-c]*.json",
            ".",
            &["v1/b.json", "x/v2/cc.json"],
            &["v10/b.json", "v1/d.json"],
        );
        check("[!a]{b,c{d,e}}", ".", &["xb", "xcd", "xce"], &["ab", "xc", "xd"]);
        check("a/**", "a", &["b", "b/c.json"], &[""]);
        check("{a,}b//c.json", ".", &["ab/c.json", "b/c.json"], &["c.json"]);
        check("*a*a*a*b", ".", &["aaab"], &[&"a".repeat(200)]);
    }

    #[test]
    fn many_double_stars_match_in_linear_time() {
        let (deep, other) = ("a/".repeat(1000), "a/".repeat(1000) + "b");
        let glob = parse(&format!("{}c", "**/a/".repeat(12))).unwrap().unwrap();
        for _ in 0..100 {
            assert!(glob.matches(Path::new(&(deep.clone() + "c"))));
            assert!(!glob.matches(Path::new(&other)));
        }
        let braces = parse(&"{a,b}".repeat(100)).unwrap().unwrap();
        assert!(braces.matches(Path::new(&"ab".repeat(50))) && !braces.matches(Path::new(&"a".repeat(99))));
    }

    #[test]
    fn returns_the_maximum_depth() {
        let depth = |pattern: &str| parse(pattern).unwrap().unwrap().depth();
        assert_eq!(depth("a/*/*.json"), Some(2));
        assert_eq!(depth("{a,b/c}/*.json"), Some(3));
        assert_eq!(depth("a/**/*.json"), None);
    }

    #[test]
    fn rejects_invalid_and_long_patterns() {
        assert!(parse("contracts/a.json").unwrap().is_none());
        for pattern in ["a/{b", "a/[b", "a/b}*", "[b-a]"] {
            assert!(!parse(pattern).unwrap_err().to_string().is_empty(), "{pattern}");
        }
        let error = parse(&"{a,b}*".repeat(1_000_000)).unwrap_err();
        assert!(error.to_string().contains("4096"), "{error}");
        for pattern in ["{a,b}*", "**/", "[!ab]?", "{a,b{c,}}"] {
            let longest = pattern.repeat(super::MAX_LENGTH / pattern.len());
            assert!(
                parse(&longest)
                    .unwrap()
                    .is_some_and(|glob| !glob.matches(Path::new("x/y")))
                    || pattern == "**/"
            );
        }
    }
}
