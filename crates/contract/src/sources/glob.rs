//! Patterns for paths: `contracts/**/*-users.json`.

use std::path::{Component, Path, PathBuf};

/// A pattern for paths. `*` stands for any text and `?` for one character within a name, `[a-z]` for one of several
/// characters (`[!a-z]` for any other), `{a,b}` for one of several texts, and `**` as a name of its own for any number of
/// directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    /// Where the search begins: the names before the first that is a pattern.
    base: PathBuf,
    /// One for each alternative of the braces; in each, one for each name.
    alternatives: Vec<Vec<Step>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Any number of directories.
    Directories,
    Name(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Any,
    One,
    Char(char),
    Set { negated: bool, ranges: Vec<(char, char)> },
}

/// More alternatives than this are no pattern that a person has written.
const MOST_ALTERNATIVES: usize = 256;

impl Glob {
    /// The pattern in the path; none if it is a path like any other.
    pub(super) fn parse(path: &Path) -> Result<Option<Self>, String> {
        let Some(text) = path.to_str().filter(|text| text.contains(['*', '?', '[', '{'])) else {
            return Ok(None);
        };
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
        let alternatives = expand(&names[literal..].join("/"))?
            .iter()
            .map(|alternative| {
                alternative
                    .split('/')
                    .filter(|name| !name.is_empty())
                    .map(step)
                    .collect()
            })
            .collect::<Result<_, _>>()?;
        Ok(Some(Self { base, alternatives }))
    }

    /// Where the search begins.
    pub(super) fn base(&self) -> &Path {
        if self.base.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.base
        }
    }

    /// Whether the pattern takes a file at this path below its base.
    pub(super) fn takes(&self, below: &Path) -> bool {
        let names: Option<Vec<&str>> = below
            .components()
            .map(|component| match component {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        names.is_some_and(|names| self.alternatives.iter().any(|steps| steps_take(steps, &names)))
    }

    /// How many directories deep the pattern can reach; none when that is unbounded.
    pub(super) fn depth(&self) -> Option<usize> {
        let deepest = self.alternatives.iter().map(Vec::len).max().unwrap_or(0);
        let is_unbounded = self
            .alternatives
            .iter()
            .flatten()
            .any(|step| *step == Step::Directories);
        (!is_unbounded).then_some(deepest)
    }
}

/// The texts that the braces stand for.
fn expand(text: &str) -> Result<Vec<String>, String> {
    let Some(open) = text.find('{') else {
        return Ok(vec![text.to_owned()]);
    };
    let mut depth = 0_usize;
    let mut starts = vec![open + 1];
    let mut parts = Vec::new();
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(&text[starts[starts.len() - 1]..at]);
                starts.push(at + 1);
            }
            '}' if depth == 1 => {
                parts.push(&text[starts[starts.len() - 1]..at]);
                let mut all = Vec::new();
                for part in parts {
                    all.extend(expand(&format!("{}{part}{}", &text[..open], &text[at + 1..]))?);
                    if all.len() > MOST_ALTERNATIVES {
                        return Err(format!("its braces stand for more than {MOST_ALTERNATIVES} paths"));
                    }
                }
                return Ok(all);
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    Err("a { in it is never closed".to_owned())
}

fn step(name: &str) -> Result<Step, String> {
    if name == "**" {
        return Ok(Step::Directories);
    }
    let mut tokens = Vec::new();
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Any,
            '?' => Token::One,
            '[' => {
                let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    match chars.next() {
                        None => return Err("a [ in it is never closed".to_owned()),
                        Some(']') if !ranges.is_empty() => break,
                        Some(from) => {
                            let mut ahead = chars.clone();
                            match (ahead.next(), ahead.next()) {
                                (Some('-'), Some(to)) if to != ']' => {
                                    chars = ahead;
                                    ranges.push((from, to));
                                }
                                _ => ranges.push((from, from)),
                            }
                        }
                    }
                }
                Token::Set { negated, ranges }
            }
            c => Token::Char(c),
        });
    }
    Ok(Step::Name(tokens))
}

fn steps_take(steps: &[Step], names: &[&str]) -> bool {
    match steps.split_first() {
        None => names.is_empty(),
        Some((Step::Directories, rest)) => {
            // At the end it takes everything below.
            if rest.is_empty() {
                return !names.is_empty();
            }
            (0..=names.len()).any(|skipped| steps_take(rest, &names[skipped..]))
        }
        Some((Step::Name(tokens), rest)) => names
            .split_first()
            .is_some_and(|(name, further)| name_takes(tokens, name) && steps_take(rest, further)),
    }
}

/// In one pass, going back to the last `*` only: patterns with many of them stay cheap.
fn name_takes(tokens: &[Token], name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let (mut token, mut char) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while char < chars.len() {
        match tokens.get(token) {
            Some(Token::Any) => {
                retry = Some((token, char));
                token += 1;
            }
            Some(one) if one.takes(chars[char]) => {
                token += 1;
                char += 1;
            }
            _ => match retry {
                None => return false,
                Some((any, from)) => {
                    retry = Some((any, from + 1));
                    token = any + 1;
                    char = from + 1;
                }
            },
        }
    }
    tokens[token..].iter().all(|token| *token == Token::Any)
}

impl Token {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Char(own) => *own == c,
            Self::Set { negated, ranges } => ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Glob;

    #[track_caller]
    fn check(pattern: &str, base: &str, taken: &[&str], left: &[&str]) {
        let glob = Glob::parse(Path::new(pattern)).unwrap().unwrap();
        assert_eq!(glob.base(), Path::new(base), "{pattern}");
        for path in taken {
            assert!(glob.takes(Path::new(path)), "{pattern} takes {path}");
        }
        for path in left {
            assert!(!glob.takes(Path::new(path)), "{pattern} leaves {path}");
        }
    }

    #[test]
    fn patterns() {
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
        check("*a*a*a*b", ".", &["aaab"], &[&"a".repeat(200)]);
    }

    #[test]
    fn depth() {
        let depth = |pattern: &str| Glob::parse(Path::new(pattern)).unwrap().unwrap().depth();
        assert_eq!(depth("a/*/*.json"), Some(2));
        assert_eq!(depth("a/**/*.json"), None);
    }

    #[test]
    fn no_patterns() {
        assert_eq!(Glob::parse(Path::new("contracts/a.json")), Ok(None));
        assert!(Glob::parse(Path::new("a/{b")).unwrap_err().contains("never closed"));
        assert!(Glob::parse(Path::new("a/[b")).unwrap_err().contains("never closed"));
        assert!(Glob::parse(Path::new(&"{a,b}".repeat(12))).unwrap_err().contains("256"));
    }
}
