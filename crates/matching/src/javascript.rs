//! Translates JavaScript regular expressions.

use thiserror::Error;

use crate::PatternError;

/// Reason why a JavaScript pattern cannot be translated.
#[derive(Debug, Error)]
enum Problem {
    #[error("the flag {0:?} is not supported; supported flags: i, m, s, u")]
    Flag(char),
    #[error("the pattern ends with a backslash")]
    Backslash,
    #[error(r"\{0}{{…}} requires the flag u")]
    Property(char),
    #[error(r"\u{{{0}}} is not a valid character")]
    Character(String),
    #[error(r"\u{0:04x} is an unpaired surrogate")]
    Surrogate(u32),
    #[error("unclosed [")]
    UnclosedClass,
}

/// Translates a JavaScript `RegExp` to a pattern with the same meaning: `\d`, `\w`, `\s`, and `\b` are ASCII. The flags
/// `i`, `m`, and `s` become inline flags. The flag `u` is implied. Other flags are rejected. Unlike in JavaScript, a
/// dot also matches a carriage return.
pub fn from_javascript(source: &str, flags: &str) -> Result<String, PatternError> {
    let invalid = |problem: Problem| PatternError::new(&format!("/{source}/{flags}"), problem.to_string());
    let mut inline = String::new();
    for flag in flags.chars() {
        match flag {
            'i' | 'm' | 's' => inline.push(flag),
            // Patterns always support Unicode.
            'u' => {}
            other => return Err(invalid(Problem::Flag(other))),
        }
    }
    let mut translator = Translator {
        rest: source,
        out: String::new(),
        is_unicode: flags.contains('u'),
    };
    if !inline.is_empty() {
        translator.out = format!("(?{inline})");
    }
    translator.pattern().map_err(invalid)?;
    let pattern = translator.out;
    if regex_syntax::parse(&pattern).is_ok() {
        return Ok(pattern);
    }
    // The backtracking engine supports only Unicode word boundaries.
    Ok(pattern
        .replace(BOUNDARY, BOUNDARY_BY_LOOKING)
        .replace(NO_BOUNDARY, NO_BOUNDARY_BY_LOOKING))
}

const BOUNDARY: &str = r"(?-u:\b)";
const NO_BOUNDARY: &str = r"(?-u:\B)";
const BOUNDARY_BY_LOOKING: &str = "(?:(?<![A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?![A-Za-z0-9_]))";
const NO_BOUNDARY_BY_LOOKING: &str = "(?:(?<![A-Za-z0-9_])(?![A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_]))";
const DIGITS: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";
const BLANKS: &str = r"\t\n\v\f\r ";

struct Translator<'s> {
    rest: &'s str,
    out: String,
    /// True if the flag `u` is set. It allows fewer escapes, and escapes with braces have a meaning.
    is_unicode: bool,
}

/// An element of a pattern, inside or outside a character class.
enum Item<'s> {
    Character(char),
    /// A set of characters, in the syntax of a class.
    Set(&'static str),
    /// The complement of a set, in the syntax of a class.
    AllBut(&'static str),
    /// An element with the same syntax and meaning in both languages.
    Same(&'s str),
    /// An element with a different syntax in the two languages that is not a character, such as `\b`.
    Other(&'static str),
}

impl<'s> Translator<'s> {
    fn pattern(&mut self) -> Result<(), Problem> {
        loop {
            let from = self.rest;
            let Some(c) = self.next() else { return Ok(()) };
            match c {
                '\\' => match self.escape(from, false)? {
                    Item::Character(c) => self.character(c, r"\.+*?()|[]{}^$"),
                    Item::Set(set) => self.extend(["[", set, "]"]),
                    Item::AllBut(set) => self.extend(["[^", set, "]"]),
                    Item::Same(text) | Item::Other(text) => self.out.push_str(text),
                },
                '[' => self.class()?,
                '{' => match quantifier(self.rest) {
                    Some(length) => {
                        self.out.push('{');
                        let text = self.take(length);
                        self.out.push_str(text);
                    }
                    None => self.out.push_str(r"\{"),
                },
                ']' | '}' => self.out.extend(['\\', c]),
                other => self.out.push(other),
            }
        }
    }

    /// Translates an escape sequence. `from` starts after the backslash. Escaped letters without a special meaning are
    /// literals in JavaScript, but not in this engine.
    fn escape(&mut self, from: &'s str, in_class: bool) -> Result<Item<'s>, Problem> {
        let Some(letter) = self.next() else {
            return Err(Problem::Backslash);
        };
        Ok(match letter {
            'd' => Item::Set(DIGITS),
            'D' => Item::AllBut(DIGITS),
            'w' => Item::Set(WORD),
            'W' => Item::AllBut(WORD),
            's' => Item::Set(BLANKS),
            'S' => Item::AllBut(BLANKS),
            'b' if in_class => Item::Character('\u{8}'),
            'b' => Item::Other(BOUNDARY),
            'B' if !in_class => Item::Other(NO_BOUNDARY),
            'n' => Item::Character('\n'),
            't' => Item::Character('\t'),
            'r' => Item::Character('\r'),
            'v' => Item::Character('\u{b}'),
            'f' => Item::Character('\u{c}'),
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => Item::Character('\0'),
            'c' if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                let letter = self.take(1).as_bytes().first().copied().unwrap_or_default();
                Item::Character(char::from(letter % 32))
            }
            'x' => match self.hexadecimal(2) {
                Some(code) => Item::Character(char::from_u32(code).unwrap_or('x')),
                None => Item::Character('x'),
            },
            'u' => self.unicode()?,
            'p' | 'P' if self.is_unicode => self.same(from, from.find('}').map_or(2, |end| end + 1)),
            'p' | 'P' if self.rest.starts_with('{') => return Err(Problem::Property(letter)),
            'k' if self.rest.starts_with('<') => self.same(from, from.find('>').map_or(2, |end| end + 1)),
            '0'..='9' => {
                let more = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
                self.same(from, 2 + more)
            }
            other => Item::Character(other),
        })
    }

    /// Copies `length` bytes of `from` unchanged and continues after them.
    fn same(&mut self, from: &'s str, length: usize) -> Item<'s> {
        self.rest = from;
        Item::Same(self.take(length))
    }

    /// Parses `uXXXX`, two of them for a surrogate pair, or `u{X…}` with the flag `u`.
    fn unicode(&mut self) -> Result<Item<'s>, Problem> {
        let braced = self.rest.strip_prefix('{').filter(|_| self.is_unicode);
        if let Some((digits, rest)) = braced.and_then(|rest| rest.split_once('}')) {
            self.rest = rest;
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            return code
                .map(Item::Character)
                .ok_or_else(|| Problem::Character(digits.to_owned()));
        }
        let Some(code) = self.hexadecimal(4) else {
            return Ok(Item::Character('u'));
        };
        if let Some(c) = char::from_u32(code) {
            return Ok(Item::Character(c));
        }
        let low = self.rest.strip_prefix(r"\u").and_then(|rest| {
            self.rest = rest;
            self.hexadecimal(4)
        });
        low.and_then(|low| char::decode_utf16([code, low].map(|unit| u16::try_from(unit).unwrap_or_default())).next())
            .and_then(Result::ok)
            .map(Item::Character)
            .ok_or(Problem::Surrogate(code))
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        let code = text
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(text, 16).ok());
        self.rest = self.rest.get(digits..).filter(|_| code.is_some()).unwrap_or(self.rest);
        code.flatten()
    }

    /// Translates a character class. A range must be between two characters. A hyphen next to `\d` or a similar escape
    /// is a literal.
    fn class(&mut self) -> Result<(), Problem> {
        let is_negated = self.eat('^');
        if self.eat(']') {
            self.out.push_str(if is_negated { r"[\s\S]" } else { r"[^\s\S]" });
            return Ok(());
        }
        self.out.push_str(if is_negated { "[^" } else { "[" });
        while !self.eat(']') {
            let first = self.class_item()?;
            if !self.rest.starts_with('-') || self.rest.starts_with("-]") {
                self.class_write(&first, self.rest.starts_with(']'));
                continue;
            }
            self.take(1);
            let second = self.class_item()?;
            let is_range = matches!((&first, &second), (Item::Character(_), Item::Character(_)));
            self.class_write(&first, false);
            self.out.push_str(if is_range { "-" } else { r"\-" });
            self.class_write(&second, false);
        }
        self.out.push(']');
        Ok(())
    }

    fn class_item(&mut self) -> Result<Item<'s>, Problem> {
        let from = self.rest;
        match self.next() {
            None => Err(Problem::UnclosedClass),
            Some('\\') => self.escape(from, true),
            Some(c) => Ok(Item::Character(c)),
        }
    }

    fn class_write(&mut self, item: &Item<'_>, is_last: bool) {
        match item {
            Item::Character('-') if is_last => self.out.push('-'),
            Item::Character(c) => self.character(*c, r"\[]^-&~"),
            Item::Set(set) => self.out.push_str(set),
            Item::AllBut(set) => self.extend(["[^", set, "]"]),
            Item::Same(text) | Item::Other(text) => self.out.push_str(text),
        }
    }

    fn character(&mut self, c: char, special: &str) {
        match c {
            '\n' => self.out.push_str(r"\n"),
            '\t' => self.out.push_str(r"\t"),
            '\r' => self.out.push_str(r"\r"),
            c if c.is_ascii_control() => self.extend([r"\x", &format!("{:02x}", u32::from(c))]),
            c if special.contains(c) => self.out.extend(['\\', c]),
            c => self.out.push(c),
        }
    }

    fn extend<const N: usize>(&mut self, texts: [&str; N]) {
        self.out.extend(texts);
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(c)
    }

    fn eat(&mut self, expected: char) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the next `length` bytes. There must be at least that many.
    fn take(&mut self, length: usize) -> &'s str {
        let (text, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }
}

/// Returns the length of a quantifier such as `2}`, `2,}`, or `2,3}` at the start of the text. Any other brace is a
/// literal.
fn quantifier(text: &str) -> Option<usize> {
    let (inner, _) = text.split_once('}')?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, "0"));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(inner.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::from_javascript;
    use crate::Pattern;

    #[track_caller]
    fn check(source: &str, flags: &str, want: &str, matching: &[&str], rejected: &[&str]) {
        let translated = from_javascript(source, flags).unwrap();
        assert_eq!(translated, want);
        let pattern = Pattern::new(&translated).unwrap();
        for text in matching {
            assert_eq!(pattern.matches(text), Ok(true), "{text:?}");
        }
        for text in rejected {
            assert_eq!(pattern.matches(text), Ok(false), "{text:?}");
        }
    }

    #[test]
    fn classes_are_ascii() {
        check(r"^\d+$", "", "^[0-9]+$", &["12"], &["٣"]);
        check(r"\w[\w-]", "i", "(?i)[A-Za-z0-9_][A-Za-z0-9_-]", &["a-"], &["é-"]);
        check(r"\bx", "", r"(?-u:\b)x", &["x"], &[]);
    }

    #[test]
    fn supports_boundaries_with_look_around() {
        let pattern = from_javascript(r"(?!x)\b\w+\b-\B.*", "").unwrap();
        let matches = |text| Pattern::new(&pattern).unwrap().matches(text);
        assert_eq!(
            (matches("ab- c"), matches("ab-c"), matches("xb- c")),
            (Ok(true), Ok(false), Ok(false))
        );
    }

    #[test]
    fn a_hyphen_next_to_a_class_is_literal() {
        check(r"[\w-.]+", "", r"[A-Za-z0-9_\-.]+", &["a-b.c"], &["`"]);
        check(r"[\s-~]", "", r"[\t\n\v\f\r \-\~]", &[" ", "-", "~"], &["a", "!"]);
        check(r"[+-\d]", "", r"[+\-0-9]", &["+", "-", "5"], &[",", ".", "/"]);
        check(r"[\w-z-~]", "", r"[A-Za-z0-9_\-z\-\~]", &["-", "~"], &["|"]);
        check(r"[+--]", "", r"[+-\-]", &["+", ",", "-"], &["."]);
    }

    #[test]
    fn unknown_escapes_are_literal() {
        check(r"\<b\>", "", "<b>", &["<b>"], &["b"]);
        check(r"\A\z\h\e\Q\K\G\R", "", "AzheQKGR", &["AzheQKGR"], &[]);
        check(r"a\/b\-\_\.", "u", r"a/b-_\.", &["a/b-_."], &["a/b-_x"]);
    }

    #[test]
    fn translates_character_codes() {
        check(r"\x41\u00e9\u{1F600}\cJ\0", "u", r"Aé😀\n\x00", &["Aé😀\n\0"], &[]);
        check(r"\ud83d\ude00[\x5d\b]", "", r"😀[\]\x08]", &["😀]"], &[]);
        check(r"\u{3}\xZ", "", r"u{3}xZ", &["uuuxZ"], &[]);
    }

    #[test]
    fn unbalanced_braces_and_brackets_are_literal() {
        check(
            r#"^{"a":\d{1,2}}$"#,
            "",
            r#"^\{"a":[0-9]{1,2}\}$"#,
            &[r#"{"a":12}"#],
            &[],
        );
        check("a{,2}]", "", r"a\{,2\}\]", &["a{,2}]"], &["aa"]);
        check("[[&]", "", r"[\[\&]", &["[", "&"], &[]);
        check("[^][]", "", r"[\s\S][^\s\S]", &[], &["a"]);
    }

    #[test]
    fn keeps_properties_and_groups() {
        check(r"\p{L}[\p{N}-]", "u", r"\p{L}[\p{N}-]", &["é٣"], &[]);
        check(
            r"(?<q>[ab])\w\k<q>\1",
            "",
            r"(?<q>[ab])[A-Za-z0-9_]\k<q>\1",
            &["axaa"],
            &["axab"],
        );
    }

    #[test]
    fn rejects_unsupported_patterns() {
        let error = |source, flags| from_javascript(source, flags).unwrap_err().to_string();
        assert_eq!(
            error("a", "v"),
            r#""/a/v" is not a valid regular expression: the flag 'v' is not supported; supported flags: i, m, s, u"#
        );
        assert_eq!(
            error(r"\p{L}", ""),
            r#""/\\p{L}/" is not a valid regular expression: \p{…} requires the flag u"#
        );
        assert!(error(r"\ud83d", "").ends_with(r"\ud83d is an unpaired surrogate"));
        assert!(error(r"\u{110000}", "u").ends_with(r"\u{110000} is not a valid character"));
        assert!(error("\\", "").ends_with("the pattern ends with a backslash"));
        assert!(error("[a", "").ends_with("unclosed ["));
    }
}
