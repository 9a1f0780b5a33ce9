//! Generates random strings that match a regular expression.
//!
//! The generator traverses the parsed pattern and writes each part. For anchors and word boundaries, it writes nothing
//! but records their positions, and checks them when the string is complete. If a check fails, it generates another
//! string. The result therefore matches, even though the pattern is never compiled.

use std::sync::Arc;

use contract_matching::BudgetExceeded;
use contract_model::{Json, portable_pattern};
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::pattern::{Pattern, Unsupported};
use crate::{Budget, GenerateError, Random};

/// Maximum number of repetitions if the pattern sets no maximum, as in `a*`.
const REPEATS: u32 = 20;
/// Maximum number of repetitions in addition to the minimum if the pattern sets a maximum, as in `a{2,9}`.
const SPREAD: u32 = 1000;
/// Once the generated text has this size in bytes, each repetition uses its minimum count.
const LONG: usize = 4096;
/// Maximum total number of steps and bytes of all attempts.
const BUDGET: usize = 2_000_000;
/// Maximum number of attempts to satisfy anchors and word boundaries.
const ATTEMPTS: usize = 1000;
/// Cost of parsing one byte of a pattern, counted in generation steps.
const READING: usize = 20;

/// Generates a string that matches the complete pattern. If the pattern requires look-around or back-references, or if
/// no string can be generated, returns the example, provided that it matches.
pub(super) fn generate(
    pattern: &str,
    example: Option<&Json>,
    random: &mut Random,
    budget: &mut Budget,
) -> Result<Json, GenerateError> {
    let known = budget.pattern.take().filter(|known| known.text == pattern);
    let known = known.map_or_else(|| read(pattern, budget), Ok)?;
    let structure = budget.pattern.insert(known).structure.clone();
    let problem = match structure {
        Ok(hir) => match write(&hir, random, budget)? {
            Ok(text) => return Ok(text.into()),
            Err(stop) => stop.to_string(),
        },
        Err(error) => error.to_string(),
    };
    checked_example(pattern, example, problem)
}

fn read(pattern: &str, budget: &mut Budget) -> Result<Pattern, GenerateError> {
    budget.spend(pattern.len().saturating_mul(READING))?;
    Ok(Pattern {
        text: pattern.into(),
        structure: parse(pattern)?,
    })
}

/// Checks the syntax of a pattern.
pub(super) fn check(pattern: &str) -> Result<(), GenerateError> {
    parse(pattern).map(|_| ())
}

fn parse(pattern: &str) -> Result<Result<Arc<Hir>, Unsupported>, GenerateError> {
    let unsupported = if pattern.len() > contract_matching::Pattern::LONGEST {
        Unsupported::Long
    } else {
        match regex_syntax::parse(&portable_pattern(pattern)) {
            Ok(hir) => return Ok(Ok(Arc::new(hir))),
            Err(error) => Unsupported::Syntax(Box::new(error)),
        }
    };
    // The backtracking engine may still support the pattern.
    compiled(pattern).map(|_| Err(unsupported))
}

fn compiled(pattern: &str) -> Result<contract_matching::Pattern, GenerateError> {
    contract_matching::Pattern::new(pattern).map_err(|error| GenerateError::InvalidPattern {
        pattern: error.pattern.into(),
        problem: error.problem,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Stop {
    #[error("a part of it cannot match any character")]
    Nothing,
    #[error("the string would be too long")]
    Budget,
    #[error("its anchors or word boundaries contradict each other")]
    Looks,
    #[error("it matches bytes that are not valid UTF-8")]
    NoText,
}

fn write(hir: &Hir, random: &mut Random, budget: &mut Budget) -> Result<Result<String, Stop>, GenerateError> {
    let most = BUDGET.min(budget.left());
    let mut writer = Writer {
        random,
        out: Vec::new(),
        looks: Vec::new(),
        budget: most,
    };
    let written = writer.attempts(hir);
    // The caller already counts the size of the string.
    let tried = most - writer.budget;
    match &written {
        // The remaining budget was not sufficient.
        Err(Stop::Budget) if most < BUDGET => budget.spend(usize::MAX)?,
        Err(_) => budget.spend(tried)?,
        Ok(text) => budget.spend(tried.saturating_sub(text.len()))?,
    }
    Ok(written)
}

struct Writer<'r> {
    random: &'r mut Random,
    out: Vec<u8>,
    /// Anchors and word boundaries, with their offsets in the string.
    looks: Vec<(usize, Look)>,
    budget: usize,
}

impl Writer<'_> {
    fn attempts(&mut self, hir: &Hir) -> Result<String, Stop> {
        for _ in 0..ATTEMPTS {
            self.out.clear();
            self.looks.clear();
            self.write(hir)?;
            let text = std::str::from_utf8(&self.out).map_err(|_| Stop::NoText)?;
            if self.looks.iter().all(|&(at, look)| holds(look, text, at)) {
                return Ok(text.to_owned());
            }
        }
        Err(Stop::Looks)
    }

    /// Writes text that matches the expression. The recursion depth is limited, because the parser limits nesting.
    fn write(&mut self, hir: &Hir) -> Result<(), Stop> {
        self.spend(1)?;
        match hir.kind() {
            HirKind::Empty => Ok(()),
            HirKind::Literal(literal) => {
                self.spend(literal.0.len())?;
                self.out.extend_from_slice(&literal.0);
                Ok(())
            }
            HirKind::Class(class) => {
                let character = choose(class, self.random).ok_or(Stop::Nothing)?;
                self.out
                    .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                Ok(())
            }
            HirKind::Look(look) => {
                self.looks.push((self.out.len(), *look));
                Ok(())
            }
            HirKind::Repetition(repetition) => {
                (0..self.count(repetition)).try_for_each(|_| self.write(&repetition.sub))
            }
            HirKind::Capture(capture) => self.write(&capture.sub),
            HirKind::Concat(pieces) => pieces.iter().try_for_each(|piece| self.write(piece)),
            HirKind::Alternation(choices) => {
                let at = self.random.below(choices.len() as u64);
                let choice = usize::try_from(at).ok().and_then(|at| choices.get(at));
                choice.map_or(Err(Stop::Nothing), |choice| self.write(choice))
            }
        }
    }

    fn count(&mut self, repetition: &Repetition) -> u32 {
        let min = repetition.min;
        if self.out.len() >= LONG {
            return min;
        }
        let max = match repetition.max {
            Some(max) => max.min(min.saturating_add(SPREAD)),
            None => min.max(REPEATS),
        };
        let more = self.random.below(u64::from(max.saturating_sub(min)) + 1);
        min.saturating_add(u32::try_from(more).unwrap_or(0))
    }

    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.budget = self.budget.checked_sub(steps).ok_or(Stop::Budget)?;
        Ok(())
    }
}

type Range = (u32, u32);

/// Sets of preferred characters, best first: characters that are safe in headers, URLs, and terminals; then European
/// letters; then all except control characters; then all.
const PREFERRED: [&[Range]; 4] = [
    &[(0x20, 0x7e)],
    &[(0xc0, 0x24f)],
    &[(0xa0, 0xd7ff), (0xf900, 0x0010_ffff)],
    &[(0, 0x0010_ffff)],
];
const LETTERS_AND_DIGITS: [Range; 3] = [(0x30, 0x39), (0x41, 0x5a), (0x61, 0x7a)];
/// Maximum number of non-ASCII characters in a specific class. Larger classes are generic, such as `.`, `\d`, and
/// `[^/]`; for them, only letters and digits are generated.
const WIDE: u32 = 128;

fn choose(class: &Class, random: &mut Random) -> Option<char> {
    let ranges: Vec<Range> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let plain: &[&[Range]] = if is_wide(&ranges) { &[&LETTERS_AND_DIGITS] } else { &[] };
    plain
        .iter()
        .chain(&PREFERRED)
        .map(|wanted| within(&ranges, wanted))
        .find(|found| !found.is_empty())
        .and_then(|found| pick(&found, random))
}

/// Returns true for classes with many characters. Stops counting early, because the class of all letters has hundreds
/// of ranges.
fn is_wide(ranges: &[Range]) -> bool {
    let mut outside = 0;
    ranges.iter().filter(|(_, end)| *end > 0x7f).any(|&(start, end)| {
        outside += end - start.max(0x80) + 1;
        outside > WIDE
    })
}

/// Returns the intersection of two sorted lists of ranges.
fn within(ranges: &[Range], wanted: &[Range]) -> Vec<Range> {
    let last = wanted.last().map_or(0, |(_, end)| *end);
    ranges
        .iter()
        .take_while(|(start, _)| *start <= last)
        .flat_map(|&(start, end)| wanted.iter().map(move |&(from, to)| (start.max(from), end.min(to))))
        .filter(|(start, end)| start <= end)
        .collect()
}

fn pick(ranges: &[Range], random: &mut Random) -> Option<char> {
    let length = |&(start, end): &Range| u64::from(end - start) + 1;
    let mut at = random.below(ranges.iter().map(length).sum());
    for range @ &(start, _) in ranges {
        if at < length(range) {
            let code = u32::try_from(u64::from(start) + at).ok()?;
            // A range may include surrogates, which are not characters. The start and end of a range are always
            // characters.
            return char::from_u32(code).or_else(|| char::from_u32(start));
        }
        at -= length(range);
    }
    None
}

fn holds(look: Look, text: &str, at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    let ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let unicode = |c: Option<char>| c.is_some_and(|c| regex_syntax::try_is_word_character(c).unwrap_or(false));
    match look {
        Look::Start => before.is_empty(),
        Look::End => after.is_empty(),
        Look::StartLF => matches!(previous, None | Some('\n')),
        Look::EndLF => matches!(next, None | Some('\n')),
        Look::StartCRLF => match previous {
            None | Some('\n') => true,
            Some('\r') => next != Some('\n'),
            Some(_) => false,
        },
        Look::EndCRLF => match next {
            None | Some('\r') => true,
            Some('\n') => previous != Some('\r'),
            Some(_) => false,
        },
        Look::WordAscii => ascii(previous) != ascii(next),
        Look::WordAsciiNegate => ascii(previous) == ascii(next),
        Look::WordUnicode => unicode(previous) != unicode(next),
        Look::WordUnicodeNegate => unicode(previous) == unicode(next),
        Look::WordStartAscii => !ascii(previous) && ascii(next),
        Look::WordEndAscii => ascii(previous) && !ascii(next),
        Look::WordStartUnicode => !unicode(previous) && unicode(next),
        Look::WordEndUnicode => unicode(previous) && !unicode(next),
        Look::WordStartHalfAscii => !ascii(previous),
        Look::WordEndHalfAscii => !ascii(next),
        Look::WordStartHalfUnicode => !unicode(previous),
        Look::WordEndHalfUnicode => !unicode(next),
    }
}

/// Returns the example if the pattern matches it completely.
fn checked_example(pattern: &str, example: Option<&Json>, problem: String) -> Result<Json, GenerateError> {
    let not_generable = |problem| GenerateError::NotGenerable {
        pattern: pattern.into(),
        problem,
    };
    let Some(example) = example else {
        return Err(not_generable(problem));
    };
    let text = example.text_form();
    match compiled(pattern)?.matches(&text) {
        Ok(true) => Ok(example.clone()),
        Ok(false) => Err(GenerateError::ExampleMismatch {
            pattern: pattern.into(),
            problem,
            example: text.as_ref().into(),
        }),
        Err(BudgetExceeded) => Err(not_generable(format!(
            "{problem}, and checking the example takes too many steps"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use crate::{Budget, GenerateError, Random};

    fn generate(pattern: &str, example: Option<&Json>, random: &mut Random) -> Result<Json, GenerateError> {
        super::generate(pattern, example, random, &mut Budget::default())
    }

    #[test]
    fn rejects_patterns_that_rules_reject() {
        let mut random = Random::from_seed(1);
        for pattern in ["(?(5)a|b)(?!c)", r"(a\g1\g1)*", &"a".repeat(1 << 20)] {
            let refused = generate(pattern, Some(&"b".into()), &mut random).unwrap_err();
            assert!(matches!(refused, GenerateError::InvalidPattern { .. }), "{refused}");
            assert!(refused.to_string().len() < 500, "the pattern itself is cut");
            assert_eq!(super::check(pattern), Err(refused));
        }
    }

    /// Generates a hundred strings and checks that the pattern matches each of them completely.
    #[track_caller]
    fn texts(pattern: &str) -> Vec<String> {
        let whole = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        let mut random = Random::from_seed(1);
        (0..100)
            .map(|_| {
                let text = generate(pattern, None, &mut random)
                    .unwrap()
                    .as_str()
                    .unwrap()
                    .to_owned();
                assert!(whole.is_match(&text), "{pattern} made {text:?}");
                text
            })
            .collect()
    }

    #[track_caller]
    fn alphabet(pattern: &str) -> String {
        let mut characters: Vec<_> = texts(pattern).concat().chars().collect();
        characters.sort_unstable();
        characters.dedup();
        characters.into_iter().collect()
    }

    #[test]
    fn generated_strings_match() {
        for pattern in [
            "",
            "a",
            "abc|def|",
            "^(ab|a)?b*c+$",
            r"\d{4}-\d{2}-\d{2}",
            r"[^\s]+@[\w.]+\.(com|org)",
            r"(?i)ch(at|ien)",
            r"(?s).{3}",
            r"(?m)^a$\n^b$",
            r"(?mR)^a$\r\n^b$",
            r"\bword\b",
            r"\bword\b.*",
            r"\b{start}a\b{end}",
            r"\b{start-half}a\b{end-half}",
            r"a\Bb(?-u:\B)c(?-u:\b)",
            r"\p{Greek}{3}\p{Lu}",
            r"[\x00-\x1f]",
            r"[^\x00-\x7f]+",
            r"[^\x00-\u{ffff}]",
            r"[\u{d7ff}-\u{e000}]",
            "(?x) a b # comment\n",
            r"\A[a-z_]{1,255}\z",
            "ab{3,}?c{2}d{0,1}",
            "((a{3}){3}){3}",
            "é[à-ü]",
        ] {
            texts(pattern);
        }
    }

    #[test]
    fn accepts_syntax_of_other_engines() {
        let mut random = Random::from_seed(1);
        let quoted = generate(r"\Qa.b\E[+-\d]", None, &mut random).unwrap();
        assert!(
            quoted
                .as_str()
                .is_some_and(|text| text.starts_with("a.b") && text.len() == 4)
        );
        let example = Json::from("a-b");
        assert_eq!(
            generate(r"(?=a)[\w-.]+", Some(&example), &mut random),
            Ok(example.clone())
        );
    }

    #[test]
    fn anchors_generate_nothing() {
        assert_eq!(texts("^abc$")[0], "abc");
        assert_eq!(texts("^(?:^abc$|^abc$)$")[0], "abc");
    }

    #[test]
    fn wide_classes_generate_letters_and_digits() {
        assert_eq!(alphabet(r"\d+"), "0123456789");
        assert!(alphabet("[^/]+").chars().all(|c| c.is_ascii_alphanumeric()));
        assert_eq!(alphabet(".+"), alphabet(r"\w+"));
        assert_eq!(alphabet(r"\s+"), " ");
    }

    #[test]
    fn narrow_classes_generate_all_of_their_ascii_characters() {
        assert_eq!(alphabet("[-_a ]"), " -_a");
        assert_eq!(alphabet("(?i)[jk]"), "JKjk");
        assert_eq!(alphabet("[äöü]"), "äöü");
    }

    #[test]
    fn open_repetitions_are_limited() {
        let longest = |pattern| texts(pattern).iter().map(String::len).max().unwrap();
        assert_eq!(
            (longest("a*"), longest("a+"), longest("a{5,}"), longest("a{30,}")),
            (20, 20, 20, 30)
        );
        let length = |pattern| {
            let text = generate(pattern, None, &mut Random::from_seed(1)).unwrap();
            text.as_str().unwrap().len()
        };
        assert!(length(r"((((\w+ ?)+\n?)+\t?)+)+") < 10_000);
        assert!(length("a{0,1000000}") <= 1000);
    }

    #[track_caller]
    fn error(pattern: &str, example: Option<&str>) -> GenerateError {
        generate(pattern, example.map(Json::from).as_ref(), &mut Random::from_seed(1)).unwrap_err()
    }

    #[test]
    fn rejects_excessive_lengths() {
        for pattern in [
            "a{1000000000}",
            "((a{1000}){1000}){1000}",
            "(a?){4294967295}",
            "(|b){4294967295}",
        ] {
            assert!(
                matches!(error(pattern, None), GenerateError::NotGenerable { .. }),
                "{pattern}"
            );
        }
        assert_eq!(
            error("a{1000000000}", None).to_string(),
            r#"no string can be generated for the regular expression "a{1000000000}" (the string would be too long); pass an example"#
        );
    }

    #[test]
    fn rejects_unsatisfiable_patterns() {
        for pattern in ["a$b", r"\Ba\bb", r"[^\s\S]"] {
            assert!(
                matches!(error(pattern, None), GenerateError::NotGenerable { .. }),
                "{pattern}"
            );
        }
    }

    #[test]
    fn look_around_and_back_references_return_the_example() {
        let mut random = Random::from_seed(1);
        for (pattern, example) in [(r"^(?!0)\d+$", "10"), (r"(a|b)\1", "bb"), ("(?<=a)b|ab", "ab")] {
            assert_eq!(
                generate(pattern, Some(&example.into()), &mut random),
                Ok(example.into())
            );
            assert!(matches!(
                error(pattern, Some("0")),
                GenerateError::ExampleMismatch { .. }
            ));
            assert!(matches!(error(pattern, None), GenerateError::NotGenerable { .. }));
        }
        let number = Json::from(10_u64);
        assert_eq!(generate(r"(?!0)\d+", Some(&number), &mut random), Ok(number));
    }

    #[test]
    fn checking_an_example_is_limited() {
        let example = "a".repeat(40);
        assert!(
            error(r"(?=x*)((a+)+)+(?!c)\2d", Some(&example))
                .to_string()
                .contains("too many steps")
        );
    }

    #[test]
    fn rejects_invalid_patterns() {
        assert_eq!(
            error("a(b", Some("ab")).to_string(),
            r#""a(b" is not a valid regular expression: unclosed group"#
        );
        assert!(matches!(
            error("a)|(b", Some("a")),
            GenerateError::InvalidPattern { .. }
        ));
    }
}
