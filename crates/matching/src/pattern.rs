//! Regular expressions with limits on time and memory.
//!
//! A linear-time engine compiles most patterns. Patterns with look-around or back-references require a backtracking
//! engine, which has a step limit. A pattern must match the entire string.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use contract_model::portable_pattern;
use regex_automata::meta;
use regex_automata::util::syntax;

/// Maximum number of steps of the backtracking engine for each string.
const BUDGET: usize = 1_000_000;
/// Maximum size in bytes of a pattern for the backtracking engine, which splits it into pieces and compiles each of
/// them.
const MAX_BACKTRACKING_SIZE: usize = 16 * 1024;
/// Maximum size in bytes of a compiled pattern. For the backtracking engine, this is the total size of all pieces.
const SIZE_LIMIT: usize = 16 * 1024 * 1024;
/// Minimum size limit in bytes for each piece. Unicode classes require this much.
const PIECE_LIMIT: usize = 64 * 1024;
/// Approximate memory in bytes that an engine requires in addition to the compiled pattern.
const ENGINE_OVERHEAD: usize = 16 * 1024;
/// Maximum number and maximum total size in bytes of the cached patterns. Tests use the same few patterns repeatedly,
/// and compiling a pattern takes about as long as matching it a thousand times.
const CACHE_LIMITS: (usize, usize) = (512, 32 * 1024 * 1024);
/// Maximum size in bytes of a cached pattern.
const MAX_CACHED_SIZE: usize = 1024 * 1024;

/// A compiled pattern that must match the entire string.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    engine: Engine,
    /// Approximate size of the compiled pattern in bytes.
    size: usize,
}

#[derive(Debug)]
enum Engine {
    /// A pattern without operators, which requires no engine.
    Literal(Box<str>),
    Linear(meta::Regex),
    Backtracking(fancy_regex::Regex),
}

/// An invalid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is not a valid regular expression: {problem}")]
pub struct PatternError {
    /// The pattern, truncated to 200 characters.
    pub pattern: String,
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

/// The pattern exceeded the step limit while matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExceeded;

/// All patterns in use, and the most recently compiled patterns.
#[derive(Default)]
struct PatternCache {
    all: HashMap<Box<str>, Weak<Compiled>>,
    /// Number of entries in `all` at which unused entries are removed.
    sweep_at: usize,
    recent: Vec<Arc<Compiled>>,
    recent_size: usize,
}

static CACHE: LazyLock<Mutex<PatternCache>> = LazyLock::new(Mutex::default);

impl PatternCache {
    fn add(&mut self, text: &str, compiled: &Arc<Compiled>) {
        if self.all.len() >= self.sweep_at {
            self.all.retain(|_, known| known.strong_count() > 0);
            self.sweep_at = (2 * self.all.len()).max(1024);
        }
        self.all.insert(text.into(), Arc::downgrade(compiled));
        if compiled.size > MAX_CACHED_SIZE {
            return;
        }
        if self.recent.len() >= CACHE_LIMITS.0 || self.recent_size + compiled.size > CACHE_LIMITS.1 {
            self.recent.clear();
            self.recent_size = 0;
        }
        self.recent_size += compiled.size;
        self.recent.push(Arc::clone(compiled));
    }
}

impl Pattern {
    /// Maximum length of a pattern in bytes. Compiling a pattern of 5 MiB would take 12 s and 1.3 GiB.
    pub const LONGEST: usize = 128 * 1024;

    /// Maximum size in bytes of a compiled pattern.
    pub(crate) const LARGEST: usize = SIZE_LIMIT;

    /// Compiles a pattern, or returns it from the cache if it was compiled before.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        too_long(text, Self::LONGEST).map_or(Ok(()), Err)?;
        if let Some(literal) = literal(text) {
            let size = literal.len();
            let engine = Engine::Literal(literal);
            return Ok(Self(Arc::new(Compiled { engine, size })));
        }
        // A panic in another thread cannot leave the cache in an invalid state.
        let lock = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().all.get(text).and_then(Weak::upgrade) {
            return Ok(Self(known));
        }
        let compiled = Arc::new(compile(text)?);
        lock().add(text, &compiled);
        Ok(Self(compiled))
    }

    /// Returns whether the pattern matches the entire string.
    pub fn matches(&self, text: &str) -> Result<bool, BudgetExceeded> {
        match &self.0.engine {
            Engine::Literal(literal) => Ok(**literal == *text),
            Engine::Linear(regex) => Ok(regex.is_match(text)),
            Engine::Backtracking(regex) => regex.is_match(text).map_err(|_| BudgetExceeded),
        }
    }

    /// Returns the approximate size of the compiled pattern in bytes.
    pub(crate) fn size(&self) -> usize {
        self.0.size
    }
}

/// Returns the literal text of a pattern without operators, or `None` if the pattern has operators.
fn literal(pattern: &str) -> Option<Box<str>> {
    if !pattern.contains('\\') {
        return (!pattern.contains(OPERATORS)).then(|| pattern.into());
    }
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(characters.next().filter(char::is_ascii_punctuation)?),
            _ if OPERATORS.contains(&character) => return None,
            _ => text.push(character),
        }
    }
    Some(text.into())
}

const OPERATORS: [char; 14] = ['.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$', '#'];

fn compile(text: &str) -> Result<Compiled, PatternError> {
    let reject = |problem: &str| PatternError::new(text, last_line(problem));
    let portable = portable_pattern(text);
    // Parse the pattern on its own first: `a)|(b` is invalid, but would become valid inside a group.
    let problem = match regex_syntax::parse(&portable) {
        Ok(_) => {
            return match anchored(&portable, linear) {
                Ok(regex) => Ok(Compiled {
                    size: regex.memory_usage() + ENGINE_OVERHEAD,
                    engine: Engine::Linear(regex),
                }),
                Err(error) if error.size_limit().is_some() => Err(PatternError::new(text, too_large())),
                Err(error) => Err(reject(&error.to_string())),
            };
        }
        Err(error) => error.to_string(),
    };
    if portable.contains(r"\g") || portable.contains("(?P>") {
        return Err(PatternError::new(
            text,
            r"a group used as a pattern (\g) is not supported; repeat the pattern instead",
        ));
    }
    if let Some(too_long) = too_long(text, MAX_BACKTRACKING_SIZE) {
        return Err(if needs_backtracking(&problem) {
            too_long
        } else {
            reject(&problem)
        });
    }
    let pieces = pieces(&portable);
    let failed = |error: &fancy_regex::Error| {
        if is_too_large(error) {
            PatternError::new(text, too_large())
        } else {
            reject(&reason(&problem, error))
        }
    };
    let limit = SIZE_LIMIT / pieces;
    let regex = backtracking(&portable, limit).map_err(|error| failed(&error))?;
    if let Some(group) = invalid_condition(&portable, regex.captures_len()) {
        return Err(PatternError::new(
            text,
            format!("the condition refers to group {group}, which does not exist"),
        ));
    }
    // The engine does not report the size of a pattern, so try a small limit first. Most patterns are small.
    let small = (PIECE_LIMIT.min(limit), PIECE_LIMIT.min(limit) * pieces.min(4));
    for (limit, size) in [small, (limit, SIZE_LIMIT)] {
        match anchored(&portable, |pattern| backtracking(pattern, limit)) {
            Ok(regex) => {
                return Ok(Compiled {
                    engine: Engine::Backtracking(regex),
                    size: size + ENGINE_OVERHEAD,
                });
            }
            Err(error) if size == SIZE_LIMIT || !is_too_large(&error) => return Err(failed(&error)),
            Err(_) => {}
        }
    }
    Err(PatternError::new(text, too_large()))
}

fn too_long(text: &str, most: usize) -> Option<PatternError> {
    (text.len() > most).then(|| {
        let problem = format!("it has {} bytes, but the maximum is {most}", text.len());
        PatternError::new(text, problem)
    })
}

fn too_large() -> String {
    format!(
        "the compiled pattern exceeds {} MiB; use smaller counts, and [0-9A-Za-z] instead of \\w",
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

/// Returns the maximum number of pieces into which the backtracking engine splits the pattern. Look-around, atomic
/// groups, and back-references separate pieces.
fn pieces(pattern: &str) -> usize {
    let parting = pattern.matches("(?").count() + pattern.matches('\\').count();
    (2 * parting + 1).min(SIZE_LIMIT / PIECE_LIMIT)
}

/// Returns the message of the linear-time engine, unless it only reports a feature that requires the backtracking
/// engine.
fn reason(problem: &str, error: &fancy_regex::Error) -> String {
    if needs_backtracking(problem) {
        error.to_string()
    } else {
        problem.to_owned()
    }
}

fn needs_backtracking(problem: &str) -> bool {
    ["look-around", "backreferences"]
        .iter()
        .any(|prefix| last_line(problem).starts_with(prefix))
}

/// Compiles a pattern that must match the entire string. A verbose pattern may end with a comment, as in `(?x)a # one`,
/// which would include the closing parenthesis. In this case, a line break is added; verbose patterns ignore line
/// breaks.
fn anchored<R, E>(text: &str, compile: impl Fn(&str) -> Result<R, E>) -> Result<R, E> {
    compile(&format!(r"\A(?:{text})\z")).or_else(|error| {
        if text.contains('#') {
            compile(&format!("\\A(?:{text}\n)\\z")).map_err(|_| error)
        } else {
            Err(error)
        }
    })
}

/// Returns the group that a condition such as `(?(5)a|b)` refers to if it does not exist. The engine would access its
/// groups out of bounds.
fn invalid_condition(text: &str, groups: usize) -> Option<usize> {
    let conditions = text.split("(?(").skip(1);
    let mut referenced = conditions.filter_map(|rest| rest.split_once(')')?.0.parse::<usize>().ok());
    referenced.find(|group| *group >= groups)
}

fn linear(pattern: &str) -> Result<meta::Regex, Box<meta::BuildError>> {
    meta::Builder::new()
        .configure(meta::Config::new().nfa_size_limit(Some(SIZE_LIMIT)))
        .syntax(syntax::Config::new())
        .build(pattern)
        .map_err(Box::new)
}

fn backtracking(pattern: &str, limit: usize) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(BUDGET)
        .delegate_size_limit(limit)
        .build()
        .map_err(Box::new)
}

/// Returns the last line of an engine's message, which contains the reason. The previous lines contain the pattern and
/// a caret.
pub fn last_line(message: &str) -> String {
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
    fn literal_patterns_are_not_compiled() {
        for (pattern, text) in [
            ("abc", "abc"),
            (r"a\.b\-c\/d", "a.b-c/d"),
            ("", ""),
            ("ä b", "ä b"),
            (r"\$\{a\}\#\\", r"${a}#\"),
        ] {
            assert_eq!(super::literal(pattern).as_deref(), Some(text), "{pattern}");
            assert!(
                matches(pattern, text) && !matches(pattern, &format!("{text}x")),
                "{pattern}"
            );
        }
        for pattern in [
            r"\d", "a.c", "[a]", "a|b", r"\n", r"\ä", "a\\", "(?i)a", "a{2}", "^a", "a$",
        ] {
            assert_eq!(super::literal(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn equal_patterns_share_memory() {
        let (one, other) = (Pattern::new("[a-z]{7}x").unwrap(), Pattern::new("[a-z]{7}x").unwrap());
        assert!(std::sync::Arc::ptr_eq(&one.0, &other.0));
        let size = |pattern| Pattern::new(pattern).unwrap().size();
        assert!(size("[a-z]+") < size(r"\w{100}") && size(r"\w{200}") < super::SIZE_LIMIT);
        assert!(size("(?=a)[a-z]+") < super::SIZE_LIMIT && size(r"(?=\w{20})a") > super::SIZE_LIMIT);
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
    fn supports_literals_of_other_engines() {
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
    fn supports_syntax_of_other_engines() {
        assert!(matches(r"[\w-.]+@x", "a-b.c@x") && !matches(r"[\w-.]+@x", "a+b@x"));
        assert!(matches(r"(?=a)[\w-.]+", "a-b") && matches(r"[+-\d]", "-") && !matches(r"[+-\d]", "."));
        assert!(matches(r".*\Qa.b\E\/\d+$", "http://x/a.b/1") && !matches(r".*\Qa.b\E\/\d+$", "http://x/a-b/1"));
        assert_eq!(Pattern::new(r"\Qa\E(").unwrap_err().pattern, r"\Qa\E(");
    }

    #[test]
    fn limits_backtracking() {
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
    fn rejects_oversized_patterns() {
        let reject = |pattern: &str| {
            let error = Pattern::new(pattern).unwrap_err();
            assert!(error.to_string().len() < 1000, "the pattern itself is cut");
            error.problem
        };
        let huge = "(a|b)+".repeat(1 << 20);
        assert_eq!(reject(&huge), "it has 6291456 bytes, but the maximum is 131072");
        let huge = "(?=a)".repeat(10_000);
        assert_eq!(reject(&huge), "it has 50000 bytes, but the maximum is 16384");
        for large in [
            r"\w{5000}",
            r"((\w{50}){50}){50}",
            r"(?=a)\w{5000}",
            r"(?=(\w{50}){50})a",
        ] {
            assert!(
                reject(large).starts_with("the compiled pattern exceeds 16 MiB"),
                "{large}"
            );
        }
        let deep = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(matches(&deep(200), "a"));
        for depth in [300, 60_000] {
            assert!(reject(&deep(depth)).contains("nest"), "{}", reject(&deep(depth)));
            assert!(!reject(&format!("(?=a){}", deep(depth.min(8000)))).is_empty());
        }
        assert!(matches("a{1,1000}", "a") && matches(r"\w{1,255}", "a") && matches("[a-z]{5000}", &"a".repeat(5000)));
        assert!(matches(
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*\s)[\w\W]{8,100}$",
            "abCD1234"
        ));
    }

    #[test]
    fn errors_contain_the_reason() {
        assert_eq!(
            Pattern::new("a(b").unwrap_err().to_string(),
            r#""a(b" is not a valid regular expression: unclosed group"#
        );
        let problem = |text| Pattern::new(text).unwrap_err().problem;
        assert!(!problem("(?=a)[z").contains("look-around"), "look-around is supported");
        assert!(problem(r"(a)\2").contains("group 2"), "back-references are supported");
        assert!(Pattern::new("a)|(b").is_err());
        assert_eq!(
            Pattern::new("(?(5)a|b)(?!c)").unwrap_err().to_string(),
            r#""(?(5)a|b)(?!c)" is not a valid regular expression: the condition refers to group 5, which does not exist"#
        );
        // The engine expands such patterns: with two calls per level, level 20 has a million of them.
        for text in [r"(a\g1\g1)*", r"(?<n>a\g<n>?\g<n>?)", "(?P<n>a(?P>n)?(?P>n)?)"] {
            assert!(
                Pattern::new(text)
                    .unwrap_err()
                    .to_string()
                    .contains("group used as a pattern")
            );
        }
        assert!(matches("(a)?(?(1)b|c)", "ab") && matches("(a)?(?(1)b|c)", "c"));
    }
}
