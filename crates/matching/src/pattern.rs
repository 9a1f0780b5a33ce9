//! Regular expressions that cannot hang a build.
//!
//! Patterns run on the linear engine. Those that need look-around or back-references go to a backtracking engine with a
//! budget of steps. The whole text must match.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use contract_model::portable_pattern;

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
    let portable = portable_pattern(text);
    // The text is parsed by itself first: `a)|(b` would be a pattern once it stands in brackets.
    let problem = match regex_syntax::parse(&portable) {
        Ok(_) => match anchored(&portable, linear) {
            Ok(regex) => return Ok(Engine::Linear(regex)),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let refused = |problem: &str| PatternError {
        pattern: text.to_owned(),
        problem: last_line(problem),
    };
    if portable.contains(r"\g") || portable.contains("(?P>") {
        return Err(PatternError {
            pattern: text.to_owned(),
            problem: r"it uses a group as a pattern (\g), which is not supported; write the pattern out".to_owned(),
        });
    }
    let regex = fancy_regex::Regex::new(&portable).map_err(|error| refused(&reason(&problem, &error)))?;
    if let Some(group) = condition_beyond(&portable, regex.captures_len()) {
        return Err(PatternError {
            pattern: text.to_owned(),
            problem: format!("it asks for the group {group}, which it does not have"),
        });
    }
    anchored(&portable, backtracking)
        .map(Engine::Backtracking)
        .map_err(|error| refused(&reason(&problem, &error)))
}

/// What the linear engine says, unless it only says that the other one is needed.
fn reason(problem: &str, error: &fancy_regex::Error) -> String {
    let needs_the_other = ["look-around", "backreferences"]
        .iter()
        .any(|what| last_line(problem).starts_with(what));
    if needs_the_other {
        error.to_string()
    } else {
        problem.to_owned()
    }
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

#[cfg(test)]
mod tests {
    use super::{BudgetExceeded, Pattern};

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
    fn spellings_of_other_engines_are_read() {
        assert!(matches(r"[\w-.]+@x", "a-b.c@x") && !matches(r"[\w-.]+@x", "a+b@x"));
        assert!(matches(r"(?=a)[\w-.]+", "a-b") && matches(r"[+-\d]", "-") && !matches(r"[+-\d]", "."));
        assert!(matches(r".*\Qa.b\E\/\d+$", "http://x/a.b/1") && !matches(r".*\Qa.b\E\/\d+$", "http://x/a-b/1"));
        assert_eq!(Pattern::new(r"\Qa\E(").unwrap_err().pattern, r"\Qa\E(");
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
        let problem = |text| Pattern::new(text).unwrap_err().problem;
        assert!(!problem("(?=a)[z").contains("look-around"), "look-around is supported");
        assert!(problem(r"(a)\2").contains("group 2"), "back-references are supported");
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
}
