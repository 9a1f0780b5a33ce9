//! Regular expressions that cannot hang a build.
//!
//! Patterns run on the linear engine. Those that need look-around or back-references go to a backtracking engine with a
//! budget of steps. The whole text must match.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use contract_model::portable_pattern;

/// Steps that the backtracking engine may take for one text.
const BUDGET: usize = 1_000_000;
/// Longest pattern for the backtracking engine, which compiles piece by piece.
const LONGEST_BACKTRACKING: usize = 16 * 1024;
/// Largest compiled pattern in bytes, and of the backtracking engine all pieces together.
const SIZE_LIMIT: usize = 16 * 1024 * 1024;
/// The least that a piece may have: classes of Unicode need some room.
const PIECE_LIMIT: usize = 64 * 1024;
/// Largest compiled pattern that is kept for the next contract.
const KEPT_SIZE: usize = 1024 * 1024;
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
    /// The text, or its beginning.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: String,
}

impl PatternError {
    pub(crate) fn new(pattern: &str, problem: impl Into<String>) -> Self {
        const SHOWN: usize = 200;
        let pattern = match pattern.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &pattern[..end]),
            None => pattern.to_owned(),
        };
        Self {
            pattern,
            problem: problem.into(),
        }
    }
}

/// Matching took more steps than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExceeded;

static COMPILED: LazyLock<Mutex<HashMap<Box<str>, Pattern>>> = LazyLock::new(Mutex::default);

impl Pattern {
    /// Bytes of the longest pattern that is compiled: one of 5 MiB takes 12 s and 1.3 GiB.
    pub const LONGEST: usize = 128 * 1024;

    /// Compiles a pattern, or takes it from those compiled before.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        // The map holds no invariant that a panic elsewhere could break.
        let lock = || COMPILED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = lock().get(text) {
            return Ok(known.clone());
        }
        let (engine, is_small) = compile(text)?;
        let pattern = Self(Arc::new(engine));
        if !is_small {
            return Ok(pattern);
        }
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

/// With whether it is small enough to be kept.
fn compile(text: &str) -> Result<(Engine, bool), PatternError> {
    let refused = |problem: &str| PatternError::new(text, last_line(problem));
    too_long(text, Pattern::LONGEST).map_or(Ok(()), Err)?;
    let portable = portable_pattern(text);
    // The text is parsed by itself first: `a)|(b` would be a pattern once it stands in brackets.
    let problem = match regex_syntax::parse(&portable) {
        Ok(_) => {
            if let Ok(regex) = anchored(&portable, |pattern| linear(pattern, KEPT_SIZE)) {
                return Ok((Engine::Linear(regex), true));
            }
            return match anchored(&portable, |pattern| linear(pattern, SIZE_LIMIT)) {
                Ok(regex) => Ok((Engine::Linear(regex), false)),
                Err(regex::Error::CompiledTooBig(_)) => Err(PatternError::new(text, too_large())),
                Err(error) => Err(refused(&error.to_string())),
            };
        }
        Err(error) => error.to_string(),
    };
    if portable.contains(r"\g") || portable.contains("(?P>") {
        return Err(PatternError::new(
            text,
            r"it uses a group as a pattern (\g), which is not supported; write the pattern out",
        ));
    }
    if let Some(too_long) = too_long(text, LONGEST_BACKTRACKING) {
        return Err(if needs_the_other(&problem) {
            too_long
        } else {
            refused(&problem)
        });
    }
    let limit = SIZE_LIMIT / pieces(&portable);
    let failed = |error: &fancy_regex::Error| {
        if is_too_large(error) {
            PatternError::new(text, too_large())
        } else {
            refused(&reason(&problem, error))
        }
    };
    let regex = backtracking(&portable, limit).map_err(|error| failed(&error))?;
    if let Some(group) = condition_beyond(&portable, regex.captures_len()) {
        return Err(PatternError::new(
            text,
            format!("it asks for the group {group}, which it does not have"),
        ));
    }
    anchored(&portable, |pattern| backtracking(pattern, limit))
        .map(|regex| (Engine::Backtracking(regex), limit <= KEPT_SIZE))
        .map_err(|error| failed(&error))
}

fn too_long(text: &str, most: usize) -> Option<PatternError> {
    (text.len() > most).then(|| {
        let problem = format!("it has {} bytes, and at most {most} are compiled", text.len());
        PatternError::new(text, problem)
    })
}

fn too_large() -> String {
    format!(
        "compiled it would take more than {} MiB; use smaller counts, and [0-9A-Za-z] in place of \\w",
        SIZE_LIMIT >> 20
    )
}

fn is_too_large(error: &fancy_regex::Error) -> bool {
    let fancy_regex::Error::CompileError(error) = error else {
        return false;
    };
    match &**error {
        fancy_regex::CompileError::InnerError(error) => error.size_limit().is_some(),
        fancy_regex::CompileError::PatternTooComplex => true,
        _ => false,
    }
}

/// How many pieces the backtracking engine compiles at most: look-around, atomic groups and back-references part them.
fn pieces(pattern: &str) -> usize {
    let parting = pattern.matches("(?").count() + pattern.matches('\\').count();
    (2 * parting + 1).min(SIZE_LIMIT / PIECE_LIMIT)
}

/// What the linear engine says, unless it only says that the other one is needed.
fn reason(problem: &str, error: &fancy_regex::Error) -> String {
    if needs_the_other(problem) {
        error.to_string()
    } else {
        problem.to_owned()
    }
}

fn needs_the_other(problem: &str) -> bool {
    ["look-around", "backreferences"]
        .iter()
        .any(|what| last_line(problem).starts_with(what))
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

fn linear(pattern: &str, limit: usize) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).size_limit(limit).build()
}

fn backtracking(pattern: &str, limit: usize) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(BUDGET)
        .delegate_size_limit(limit)
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
    fn patterns_beyond_every_measure_are_refused() {
        let refused = |pattern: &str| {
            let error = Pattern::new(pattern).unwrap_err();
            assert!(error.to_string().len() < 1000, "the pattern itself is cut");
            error.problem
        };
        let huge = "(a|b)+".repeat(1 << 20);
        assert_eq!(refused(&huge), "it has 6291456 bytes, and at most 131072 are compiled");
        let huge = "(?=a)".repeat(10_000);
        assert_eq!(refused(&huge), "it has 50000 bytes, and at most 16384 are compiled");
        for large in [
            r"\w{5000}",
            r"((\w{50}){50}){50}",
            r"(?=a)\w{5000}",
            r"(?=(\w{50}){50})a",
        ] {
            assert!(
                refused(large).starts_with("compiled it would take more than 16 MiB"),
                "{large}"
            );
        }
        let deep = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(matches(&deep(200), "a"));
        for depth in [300, 60_000] {
            assert!(refused(&deep(depth)).contains("nest"), "{}", refused(&deep(depth)));
            assert!(!refused(&format!("(?=a){}", deep(depth.min(8000)))).is_empty());
        }
        assert!(matches("a{1,1000}", "a") && matches(r"\w{1,255}", "a") && matches("[a-z]{5000}", &"a".repeat(5000)));
        assert!(matches(
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*\s)[\w\W]{8,100}$",
            "abCD1234"
        ));
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
