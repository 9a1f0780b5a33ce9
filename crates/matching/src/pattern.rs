//! Regular expressions that cannot hang a build.
//!
//! Patterns run on the linear engine. Those that need look-around or back-references go to a backtracking engine with a
//! budget of steps. The whole text must match.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// Steps that the backtracking engine may take for one text.
const BUDGET: usize = 1_000_000;
/// Largest compiled pattern.
const SIZE_LIMIT: usize = 16 * 1024 * 1024;
/// Compiled patterns kept for the next contract: tests use the same few over and over, and compiling one costs more than
/// matching it a thousand times.
const KEPT: usize = 512;

/// A compiled pattern that matches whole texts.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<Engine>);

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Backtracking(fancy_regex::Regex),
}

/// A text that is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is not a regular expression: {problem}")]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Matching took more steps than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExceeded;

static COMPILED: LazyLock<Mutex<HashMap<Box<str>, Pattern>>> = LazyLock::new(Mutex::default);

impl Pattern {
    /// Compiles a pattern, or takes it from those compiled before.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        // The map holds no invariant that a panic elsewhere could break.
        let lock = || COMPILED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = lock().get(text) {
            return Ok(known.clone());
        }
        let pattern = Self(Arc::new(compile(text)?));
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(text.into(), pattern.clone());
        Ok(pattern)
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> Result<bool, BudgetExceeded> {
        match &*self.0 {
            Engine::Linear(regex) => Ok(regex.is_match(text)),
            Engine::Backtracking(regex) => regex.is_match(text).map_err(|_| BudgetExceeded),
        }
    }
}

fn compile(text: &str) -> Result<Engine, PatternError> {
    compile_plain(&plain(text)).map_err(|error| PatternError {
        pattern: text.to_owned(),
        ..error
    })
}

/// Takes away what only the engines here give a meaning of its own: `\<` and `\>` are word boundaries to them, `--` and `~~`
/// in a class operators. Wherever else patterns are written, these are the characters, and a class may hold the range `+--`.
fn plain(text: &str) -> Cow<'_, str> {
    if ![r"\<", r"\>", "--", "~~"].iter().any(|special| text.contains(special)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut classes = 0_usize;
    // What stands before a hyphen in a class: whether it may begin a range, and whether one has begun.
    let (mut may_begin, mut begun) = (false, false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let mut is_atom = true;
        match c {
            '\\' => {
                let escaped = characters.next();
                is_atom = !escaped.is_some_and(|c| "dDwWsSpPhH".contains(c));
                if !escaped.is_some_and(|c| matches!(c, '<' | '>')) {
                    out.push('\\');
                }
                out.extend(escaped);
            }
            '[' => {
                classes += 1;
                is_atom = false;
                out.push('[');
                out.extend(characters.next_if_eq(&'^'));
                // A bracket in the first place is a character.
                out.extend(characters.next_if_eq(&']'));
            }
            ']' if classes > 0 => {
                classes -= 1;
                is_atom = false;
                out.push(']');
            }
            '~' if classes > 0 => out.push_str(r"\~"),
            '-' if classes > 0 && may_begin && characters.peek().is_some_and(|next| *next != ']') => {
                out.push('-');
                begun = true;
                if characters.next_if_eq(&'-').is_none() {
                    continue;
                }
                out.push_str(r"\-");
            }
            '-' if classes > 0 => out.push_str(r"\-"),
            other => out.push(other),
        }
        may_begin = is_atom && !begun;
        begun = false;
    }
    Cow::Owned(out)
}

fn compile_plain(text: &str) -> Result<Engine, PatternError> {
    // The text is parsed by itself first: `a)|(b` would be a pattern once it stands in brackets.
    let problem = match regex_syntax::parse(text) {
        Ok(_) => match anchored(text, linear) {
            Ok(regex) => return Ok(Engine::Linear(regex)),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let refused = || PatternError {
        pattern: text.to_owned(),
        problem: last_line(&problem),
    };
    if text.contains(r"\g") || text.contains("(?P>") {
        return Err(PatternError {
            pattern: text.to_owned(),
            problem: r"it uses a group as a pattern (\g), which is not supported; write the pattern out".to_owned(),
        });
    }
    let regex = fancy_regex::Regex::new(text).map_err(|_| refused())?;
    if let Some(group) = condition_beyond(text, regex.captures_len()) {
        return Err(PatternError {
            pattern: text.to_owned(),
            problem: format!("it asks for the group {group}, which it does not have"),
        });
    }
    anchored(text, backtracking)
        .map(Engine::Backtracking)
        .map_err(|_| refused())
}

/// Compiles a pattern for whole texts. The comment at the end of a verbose pattern, `(?x)a # one`, would go on over the
/// closing bracket; a line end ends it, and in a verbose pattern is nothing else.
fn anchored<R, E>(text: &str, compile: impl Fn(&str) -> Result<R, E>) -> Result<R, E> {
    compile(&format!(r"\A(?:{text})\z")).or_else(|error| {
        if text.contains('#') {
            compile(&format!("\\A(?:{text}\n)\\z")).map_err(|_| error)
        } else {
            Err(error)
        }
    })
}

/// The group that a condition such as `(?(5)a|b)` asks for, where there are not so many: the engine would read beyond its
/// groups.
fn condition_beyond(text: &str, groups: usize) -> Option<usize> {
    let conditions = text.split("(?(").skip(1);
    let mut asked = conditions.filter_map(|rest| rest.split_once(')')?.0.parse::<usize>().ok());
    asked.find(|group| *group >= groups)
}

fn linear(pattern: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build()
}

fn backtracking(pattern: &str) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(BUDGET)
        .delegate_size_limit(SIZE_LIMIT)
        .build()
        .map_err(Box::new)
}

/// The engine draws the pattern with a caret under the fault; the reason stands in the last line.
fn last_line(message: &str) -> String {
    message
        .lines()
        .last()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_owned()
}

/// The pattern of a JavaScript `RegExp` with the meaning that it has there: `\d`, `\w`, `\s` and `\b` are ASCII, the flags
/// `i`, `m` and `s` are carried inline, `u` is what patterns are anyway. Other flags are refused.
pub fn from_javascript(source: &str, flags: &str) -> Result<String, PatternError> {
    let refused = |problem: String| PatternError {
        pattern: format!("/{source}/{flags}"),
        problem,
    };
    let mut inline = String::new();
    for flag in flags.chars() {
        match flag {
            'i' | 'm' | 's' => inline.push(flag),
            // Patterns are Unicode patterns already.
            'u' => {}
            other => {
                return Err(refused(format!(
                    "the flag {other:?} is not supported; i, m, s and u are"
                )));
            }
        }
    }
    let mut out = if inline.is_empty() {
        String::new()
    } else {
        format!("(?{inline})")
    };
    let mut in_class = false;
    let mut characters = source.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('d') => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str(if in_class { "A-Za-z0-9_" } else { "[A-Za-z0-9_]" }),
                Some('W') => out.push_str("[^A-Za-z0-9_]"),
                Some('s') => out.push_str(if in_class { r"\t\n\v\f\r " } else { r"[\t\n\v\f\r ]" }),
                Some('S') => out.push_str(r"[^\t\n\v\f\r ]"),
                Some('b') if in_class => out.push_str(r"\x08"),
                Some('b') => out.push_str(r"(?-u:\b)"),
                Some('B') => out.push_str(r"(?-u:\B)"),
                Some('/') => out.push('/'),
                Some('0') if !characters.peek().is_some_and(char::is_ascii_digit) => out.push_str(r"\x00"),
                Some(other) => out.extend(['\\', other]),
                None => return Err(refused("a backslash at the end".to_owned())),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            // Inside a class JavaScript takes these literally, the engines here do not.
            '[' => out.push_str(r"\["),
            '&' | '~' if in_class => out.extend(['\\', c]),
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{BudgetExceeded, Pattern, from_javascript};

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(text).unwrap()
    }

    #[test]
    fn the_whole_text_must_match() {
        assert!(!matches("b", "abc") && matches("a|ab", "ab") && matches("^a$", "a"));
    }

    #[test]
    fn a_verbose_pattern_may_end_in_a_comment() {
        assert!(matches("(?x) a b # both", "ab") && !matches("(?x) a b # both", "ab\n"));
        assert!(matches("(?x) (?=a) \\w # a letter", "a") && !matches("(?x) (?=a) \\w # a letter", "a\n"));
        assert!(matches("a # c", "a # c") && Pattern::new("(?x)(a # c").is_err());
    }

    #[test]
    fn characters_that_other_engines_take_literally() {
        assert!(matches(r"\<a\>", "<a>") && !matches(r"\<a\>", "a"));
        assert!(matches(r"(?=.)\<(a)\1\>", "<aa>") && matches(r"[\<\>]", ">"));
        for (class, inside, outside) in [
            ("[+--]", "+,-", "./~"),
            ("[--9]", "-/09", ",:"),
            ("[a-z--9]", "az-5", ",:A"),
            (r"[\w--]", "a_-", ".,"),
            ("[a~~b]", "a~b", "c"),
            ("[^+--]", "a.", "+,-"),
            ("[[:digit:]+--]", "1+,-", "."),
        ] {
            for c in inside.chars() {
                assert!(matches(class, &c.to_string()), "{class} {c}");
            }
            for c in outside.chars() {
                assert!(!matches(class, &c.to_string()), "{class} {c}");
            }
        }
        assert!(matches(r"a--b~~\\<", r"a--b~~\<"));
    }

    #[test]
    fn look_around_and_back_references_work() {
        assert!(matches(r"(?=a)\w+", "abc") && matches(r"(a|b)\1", "bb") && !matches(r"(a|b)\1", "ab"));
    }

    #[test]
    fn a_pattern_that_explodes_is_given_up() {
        assert!(matches("(a+)+b", &("a".repeat(5000) + "b")));
        assert_eq!(
            Pattern::new(r"(?=a)(a|aa)+\1$")
                .unwrap()
                .matches(&"a".repeat(60).replace("aaaaa", "aaaab")),
            Ok(false)
        );
        assert_eq!(
            Pattern::new(r"(?=x*)((a+)+)+(?!c)\2d")
                .unwrap()
                .matches(&"a".repeat(40)),
            Err(BudgetExceeded)
        );
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert_eq!(
            Pattern::new("a(b").unwrap_err().to_string(),
            r#""a(b" is not a regular expression: unclosed group"#
        );
        assert!(Pattern::new("a)|(b").is_err());
        assert_eq!(
            Pattern::new("(?(5)a|b)(?!c)").unwrap_err().to_string(),
            r#""(?(5)a|b)(?!c)" is not a regular expression: it asks for the group 5, which it does not have"#
        );
        // The engine writes such patterns out: two calls at each level are a million at the twentieth.
        for text in [r"(a\g1\g1)*", r"(?<n>a\g<n>?\g<n>?)", "(?P<n>a(?P>n)?(?P>n)?)"] {
            assert!(
                Pattern::new(text)
                    .unwrap_err()
                    .to_string()
                    .contains("uses a group as a pattern")
            );
        }
        assert!(matches("(a)?(?(1)b|c)", "ab") && matches("(a)?(?(1)b|c)", "c"));
    }

    #[test]
    fn javascript_patterns_keep_their_meaning() {
        for (source, flags, want) in [
            (r"^\d+$", "", "^[0-9]+$"),
            (r"\w[\w-]", "i", "(?i)[A-Za-z0-9_][A-Za-z0-9_-]"),
            (r"a\/b", "u", "a/b"),
            (r"[[&]", "", r"[\[\&]"),
            (r"\bx", "", r"(?-u:\b)x"),
        ] {
            let pattern = from_javascript(source, flags).unwrap();
            assert_eq!(pattern, want);
            Pattern::new(&pattern).unwrap();
        }
        assert!(!matches(&from_javascript(r"\d", "").unwrap(), "٣"));
        assert!(
            from_javascript("a", "v")
                .unwrap_err()
                .to_string()
                .contains("the flag 'v' is not supported")
        );
    }
}
