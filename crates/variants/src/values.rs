//! Values that the rules may allow instead of the example. They are checked against the compiled rules later.

use contract_datetime::DateTime;
use contract_generators::{Context, Mode, Random, generate};
use contract_model::{Combine, Generator, Json, Number, Rule, RuleList, Text};

use crate::kind::Kind;

/// Maximum number of words in a pattern that is treated as an enum, such as `open|paid`.
const WORDS: usize = 16;
/// Maximum length in characters of a string generated for a pattern.
const MEMBER: usize = 64;
/// Number of strings to generate for a pattern. Only the shortest and the longest are tried.
const ATTEMPTS: u64 = 12;

/// A value to try instead of the example.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) kind: Kind,
    pub(crate) value: Json,
    /// Name of the value in the variant's name, such as `empty`. `None` means the value itself.
    pub(crate) label: Option<&'static str>,
}

impl Candidate {
    fn new(kind: Kind, value: impl Into<Json>) -> Self {
        Self {
            kind,
            value: value.into(),
            label: None,
        }
    }

    fn named(kind: Kind, label: &'static str, value: impl Into<Json>) -> Self {
        Self {
            label: Some(label),
            ..Self::new(kind, value)
        }
    }
}

/// Returns the values to try at a place, without the example. `seed` determines the generated strings.
pub(crate) fn candidates(list: &RuleList, example: &Json, seed: u64) -> Vec<Candidate> {
    let mut found = Vec::new();
    for rule in &list.rules {
        of_rule(rule, list.combine == Combine::Or, example, seed, &mut found);
    }
    found.retain(|candidate| candidate.value != *example);
    found
}

fn of_rule(rule: &Rule, is_choice: bool, example: &Json, seed: u64, found: &mut Vec<Candidate>) {
    // Values of other alternatives have a different type than the example.
    let is_other = |value: &Json| is_choice && value.kind() != example.kind();
    let branch = |value: Json| {
        let kind = if example.is_null() { Kind::Null } else { Kind::Branch };
        Candidate::new(kind, value)
    };
    match rule {
        Rule::Null => found.push(Candidate::new(Kind::Null, Json::Null)),
        Rule::Regex(pattern) => match words(pattern) {
            Some(words) => found.extend(words.into_iter().map(|word| branch(word.into()))),
            None => members(pattern, is_other(&Json::from("")), example, seed, found),
        },
        Rule::Include(text) if is_other(&Json::from("")) => found.push(branch(text.clone().into())),
        Rule::Include(text) => found.extend([
            Candidate::named(Kind::Text, "alone", text.clone()),
            Candidate::named(Kind::Text, "surrounded", format!("{}{text}<b>&\"'", " ".repeat(3))),
        ]),
        Rule::Integer | Rule::Number | Rule::Decimal => {
            let number = if *rule == Rule::Decimal { "1.5" } else { "1" };
            if is_other(&Json::from(1_u64)) {
                found.extend(Number::from_text(number).map(|number| branch(Json::Number(number))));
            } else {
                numbers(found);
            }
        }
        Rule::Boolean if is_other(&Json::from(true)) => found.extend([true, false].map(|value| branch(value.into()))),
        Rule::Boolean => booleans(example, found),
        Rule::Date(format) => moments(format.as_ref(), "yyyy-MM-dd", found),
        Rule::Time(format) => moments(format.as_ref(), "HH:mm:ss", found),
        Rule::DateTime(format) => moments(format.as_ref(), "yyyy-MM-dd'T'HH:mm:ssXXX", found),
        Rule::Semver => found.extend(["0.0.0", "10.20.30-rc.1+build.5"].map(|text| Candidate::new(Kind::Member, text))),
        Rule::NotEmpty | Rule::Type { .. } => of_type(example, seed, found),
        _ => {}
    }
}

fn of_type(example: &Json, seed: u64, found: &mut Vec<Candidate>) {
    match example {
        Json::String(_) => texts(seed, found),
        Json::Number(_) => numbers(found),
        Json::Bool(_) => booleans(example, found),
        Json::Null | Json::Array(_) | Json::Object(_) => {}
    }
}

fn texts(seed: u64, found: &mut Vec<Candidate>) {
    let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[usize::try_from(seed % 26).unwrap_or_default()]);
    found.extend([
        Candidate::named(Kind::Text, "empty", ""),
        Candidate::named(Kind::Text, "blank", "   "),
        // A combining accent, an emoji outside the basic plane, and right-to-left text.
        Candidate::named(Kind::Text, "unicode", "e\u{301} \u{1f600} \u{5d0}\u{5d1}"),
        Candidate::named(Kind::Text, "markup", "<b>&\"'"),
        Candidate::named(Kind::Text, "long", letter.to_string().repeat(1000)),
    ]);
}

fn numbers(found: &mut Vec<Candidate>) {
    let numbers = ["0", "-1", "9007199254740991", "1.5", "0.1"];
    let numbers = numbers.into_iter().filter_map(Number::from_text);
    found.extend(numbers.map(|number| Candidate::new(Kind::Number, Json::Number(number))));
    // 2^53 + 1.
    let big = Number::from_text("9007199254740993");
    found.extend(big.map(|number| Candidate::new(Kind::BigInteger, Json::Number(number))));
}

fn booleans(example: &Json, found: &mut Vec<Candidate>) {
    found.extend(example.as_bool().map(|value| Candidate::new(Kind::Boolean, !value)));
}

/// Adds three dates or times in the given format, or in the `usual` format if there is none: the last second of a leap
/// day, the last second of 1999 with a fraction, and a time with the offset +05:45.
fn moments(format: Option<&Text>, usual: &str, found: &mut Vec<Candidate>) {
    let Ok(format) = contract_datetime::Format::parse(format.map_or(usual, Text::as_str)) else {
        return;
    };
    let moment = |(year, month, day): (i32, u32, u32), nanosecond, offset| {
        DateTime::new(year, month, day)?
            .at(23, 59, 59, nanosecond)?
            .with_offset(offset)
    };
    let moments = [
        moment((2024, 2, 29), 0, 0),
        moment((1999, 12, 31), 123_000_000, 0),
        moment((2038, 1, 20), 0, 5 * 3600 + 45 * 60),
    ];
    let texts = moments
        .into_iter()
        .flatten()
        .filter_map(|moment| format.format(&moment).ok());
    found.extend(texts.map(|text| Candidate::new(Kind::Date, text)));
}

/// Adds the shortest and the longest of several strings that match the pattern, and one string for each of its
/// alternatives. If `is_branch` is true, adds only the shortest string.
fn members(pattern: &Text, is_branch: bool, example: &Json, seed: u64, found: &mut Vec<Candidate>) {
    let mut texts: Vec<String> = (0..ATTEMPTS)
        .filter_map(|attempt| generated(pattern, seed.wrapping_add(attempt)))
        .filter(|text| text.chars().count() <= MEMBER)
        .collect();
    texts.sort_by(|a, b| (a.chars().count(), a).cmp(&(b.chars().count(), b)));
    if is_branch {
        let kind = if example.is_null() { Kind::Null } else { Kind::Branch };
        found.extend(texts.into_iter().next().map(|text| Candidate::new(kind, text)));
        return;
    }
    let mut chosen: Vec<String> = texts.first().into_iter().chain(texts.last()).cloned().collect();
    let alternatives = alternatives(stripped(pattern));
    if alternatives.len() > 1 {
        let texts = alternatives
            .iter()
            .take(WORDS)
            .filter_map(|pattern| generated(&Text::from(*pattern), seed));
        chosen.extend(texts.filter(|text| text.chars().count() <= MEMBER));
    }
    chosen.dedup();
    found.extend(chosen.into_iter().map(|text| Candidate::new(Kind::Member, text)));
}

fn generated(pattern: &Text, seed: u64) -> Option<String> {
    let now = DateTime::new(2024, 2, 29).ok()?;
    let mut context = Context::new(Mode::Consumer, now, Random::from_seed(seed));
    let value = generate(&Generator::Regex(pattern.clone()), None, &mut context).ok()??;
    value.as_str().map(str::to_owned)
}

/// Returns the words of a pattern such as `^(open|paid)$`, or `None` if the pattern is not a list of at most [`WORDS`]
/// words.
fn words(pattern: &str) -> Option<Vec<String>> {
    let words: Option<Vec<String>> = alternatives(stripped(pattern)).into_iter().map(word).collect();
    words.filter(|words| words.len() <= WORDS)
}

/// Removes anchors, and the parentheses of a group that contains the whole pattern.
fn stripped(pattern: &str) -> &str {
    let mut rest = pattern;
    loop {
        let inner = rest
            .strip_prefix('^')
            .or_else(|| rest.strip_prefix("\\A"))
            .unwrap_or(rest);
        let is_escaped = inner.ends_with("\\$");
        let inner = if is_escaped {
            inner
        } else {
            inner.strip_suffix('$').unwrap_or(inner)
        };
        let inner = inner
            .strip_suffix("\\z")
            .or_else(|| inner.strip_suffix("\\Z"))
            .unwrap_or(inner);
        let group = inner
            .strip_suffix(')')
            .and_then(|group| group.strip_prefix("(?:").or_else(|| group.strip_prefix('(')));
        let inner = group
            .filter(|group| !group.starts_with('?') && is_balanced(group))
            .unwrap_or(inner);
        if inner == rest {
            return rest;
        }
        rest = inner;
    }
}

/// Returns true if the parentheses are balanced. Returns false for `a)|(b`, for example.
fn is_balanced(pattern: &str) -> bool {
    let mut depth = 0_i32;
    for (_, character) in unescaped(pattern) {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0 && !pattern.ends_with('\\')
}

/// Splits a pattern at each `|` outside of groups and character classes.
fn alternatives(pattern: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut in_class) = (Vec::new(), 0, 0_i32, false);
    for (at, character) in unescaped(pattern) {
        match character {
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth -= 1,
            '|' if depth == 0 && !in_class => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pattern[start..]);
    parts
}

fn unescaped(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_escaped = false;
    pattern.char_indices().filter(move |(_, character)| {
        let skip = is_escaped;
        is_escaped = !is_escaped && *character == '\\';
        !skip && *character != '\\'
    })
}

/// Returns the only string that a pattern without operators matches, or `None` if the pattern contains operators.
fn word(pattern: &str) -> Option<String> {
    let mut word = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.push(characters.next().filter(|next| !next.is_alphanumeric())?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' | '|' => return None,
            other => word.push(other),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_words(pattern: &str, expected: Option<&[&str]>) {
        let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(pattern), expected, "{pattern}");
    }

    #[test]
    fn finds_the_words_of_an_enum() {
        check_words("open|paid", Some(&["open", "paid"]));
        check_words("^(open|paid)$", Some(&["open", "paid"]));
        check_words("^(?:open|paid)$", Some(&["open", "paid"]));
        check_words("(a)|(b)", None);
        check_words(
            "in progress|don't|a\\.b|x-y",
            Some(&["in progress", "don't", "a.b", "x-y"]),
        );
        check_words("\\d+|none", None);
        check_words("[a|b]", None);
        check_words("a{2}|b", None);
        check_words("price \\$", Some(&["price $"]));
        check_words("", Some(&[""]));
        let many: Vec<String> = (0..17).map(|number| format!("w{number}")).collect();
        check_words(&many.join("|"), None);
    }

    #[track_caller]
    fn check(rules: Vec<Rule>, combine: Combine, example: &Json, expected: &[(Kind, &str)]) {
        let found = candidates(&RuleList { rules, combine }, example, 0);
        let found: Vec<_> = found.iter().map(|found| (found.kind, found.value.to_text())).collect();
        let found: Vec<_> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_the_other_alternatives() {
        let text = || Rule::Type { min: None, max: None };
        check(
            vec![Rule::Null, Rule::Integer],
            Combine::Or,
            &Json::from("a"),
            &[(Kind::Null, "null"), (Kind::Branch, "1")],
        );
        check(
            vec![Rule::Null, Rule::Integer],
            Combine::Or,
            &Json::Null,
            &[(Kind::Null, "1")],
        );
        check(vec![Rule::Equality], Combine::And, &Json::from("a"), &[]);
        check(
            vec![text()],
            Combine::And,
            &Json::from(true),
            &[(Kind::Boolean, "false")],
        );
        check(
            vec![Rule::Boolean, Rule::Null],
            Combine::Or,
            &Json::from(true),
            &[(Kind::Boolean, "false"), (Kind::Null, "null")],
        );
    }

    #[test]
    fn the_seed_picks_only_texts() {
        let list = RuleList::single(Rule::Regex("[a-z]{3,9}".into()));
        let texts = |seed| {
            let found = candidates(&list, &Json::from("abc"), seed);
            found.iter().map(|found| found.value.to_text()).collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(1000));
    }

    #[test]
    fn dates_have_the_format_of_the_rule() {
        let list = RuleList::single(Rule::Date(Some("dd.MM.yyyy".into())));
        let found = candidates(&list, &Json::from("01.01.2020"), 0);
        assert_eq!(found[0].value, Json::from("29.02.2024"));
        let invalid = RuleList::single(Rule::Date(Some("bbbb".into())));
        assert!(candidates(&invalid, &Json::from("x"), 0).is_empty());
    }
}
