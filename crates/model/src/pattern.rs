//! Translates regular expressions that were written for the engines of other languages.

use std::borrow::Cow;

/// Letters that denote a character class after a backslash, such as `\d`.
const CLASSES: &str = "dDwWsShHpP";

/// Translates a pattern for the regex engines of this project. Contracts come from many languages, whose patterns may
/// differ:
///
/// - `[\w-.]` contains a literal hyphen after a class;
/// - `\Q…\E` is literal text, with which contracts from the JVM quote parts of URLs;
/// - `\<`, `\>`, and, inside a class, `--` and `~~` are literal characters, not word boundaries or set operators.
///
/// All other patterns are returned unchanged.
///
/// ```
/// use contract_model::portable_pattern;
/// assert_eq!(portable_pattern(r"^[\w-.]+$"), r"^[\w\-.]+$");
/// assert_eq!(portable_pattern(r".*\Qa.b\E/\d+"), r".*a\.b/\d+");
/// assert_eq!(portable_pattern(r"[a-z-]+"), r"[a-z-]+");
/// ```
pub fn portable_pattern(text: &str) -> Cow<'_, str> {
    let unquoted = without_quotes(text);
    match plain(&unquoted) {
        Cow::Borrowed(_) => unquoted,
        Cow::Owned(plain) => plain.into(),
    }
}

/// Escapes `\Q…\E` text and the hyphens next to classes.
fn without_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Number of open brackets, because classes may be nested.
    let mut open = 0_usize;
    while let Some(c) = rest.chars().next() {
        let is_class = rest
            .strip_prefix('\\')
            .is_some_and(|rest| rest.starts_with(is_class_letter));
        if let Some(quoted) = rest.strip_prefix(r"\Q") {
            let (literal, after) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            literal.chars().for_each(|c| push_literal(&mut out, c));
            rest = after;
        } else if open > 0 && is_class {
            let (class, after) = rest.split_at(class_length(rest));
            out.push_str(class);
            rest = escaped_hyphen(&mut out, after);
        } else if open > 0 && c == '-' && is_lonely(rest) {
            out.push_str(r"\-");
            rest = &rest[1..];
        } else {
            let length = match c {
                '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                '[' => opening_length(rest),
                c => c.len_utf8(),
            };
            match c {
                '[' => open += 1,
                ']' => open = open.saturating_sub(1),
                _ => {}
            }
            let (unquoted, after) = rest.split_at(length);
            out.push_str(unquoted);
            rest = after;
        }
    }
    out.into()
}

fn is_class_letter(c: char) -> bool {
    CLASSES.contains(c)
}

/// Returns the length in bytes of an escape such as `\d`, `\pL`, or `\p{Greek}`.
fn class_length(text: &str) -> usize {
    let mut characters = text.chars().skip(1);
    match (characters.next(), characters.next()) {
        (Some('p' | 'P'), Some('{')) => text.find('}').map_or(2, |end| end + 1),
        (Some('p' | 'P'), Some(property)) => 2 + property.len_utf8(),
        _ => 2,
    }
}

/// Returns the length of `[`, `[^`, `[]`, or `[^]`. A closing bracket at the start of a class is a literal character.
fn opening_length(text: &str) -> usize {
    let negated = if text.starts_with("[^") { 2 } else { 1 };
    if text[negated..].starts_with(']') {
        negated + 1
    } else {
        negated
    }
}

/// Escapes up to two hyphens after a class, so that they do not start a range. A hyphen at the end of the brackets
/// stays unchanged.
fn escaped_hyphen<'t>(out: &mut String, after: &'t str) -> &'t str {
    let mut rest = after;
    for _ in 0..2 {
        match rest.strip_prefix('-') {
            Some(more) if !more.starts_with(']') => {
                out.push_str(r"\-");
                rest = more;
            }
            _ => break,
        }
    }
    rest
}

/// Returns true if the text starts with a hyphen that cannot form a range, because an escape for a character class
/// follows.
fn is_lonely(from: &str) -> bool {
    from.strip_prefix(r"-\")
        .is_some_and(|rest| rest.starts_with(is_class_letter))
}

fn push_literal(out: &mut String, c: char) {
    if r"\.+*?()|[]{}^$#&-~ ".contains(c) {
        out.push('\\');
    }
    out.push(c);
}

/// Escapes syntax that is specific to the engines of this project: the word boundaries `\<` and `\>`, and the set
/// operators `--` and `~~`. Other engines treat them as literal characters, and a class may contain a range such as
/// `+--`.
fn plain(text: &str) -> Cow<'_, str> {
    if ![r"\<", r"\>", "--", "~~"].iter().any(|special| text.contains(special)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut classes = 0_usize;
    // State before a hyphen in a class: whether a range may start here, and whether a range has started.
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
                // A closing bracket is a literal character in first position.
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

#[cfg(test)]
mod tests {
    use super::portable_pattern;

    #[test]
    fn hyphens_next_to_classes_are_literal() {
        for (text, want) in [
            (r"[\w-.]", r"[\w\-.]"),
            (r"[^\d-z]", r"[^\d\-z]"),
            (r"[+-\d]", r"[+\-\d]"),
            (r"[\w-\s]", r"[\w\-\s]"),
            (r"[]\w-.]", r"[]\w\-.]"),
            (r"[a[\p{L}-.]]", r"[a[\p{L}\-.]]"),
            (r"[\pL-.]", r"[\pL\-.]"),
            (r"[-\d]", r"[\-\d]"),
            (r"(?=a)[\w-.]@[\w-.]", r"(?=a)[\w\-.]@[\w\-.]"),
        ] {
            assert_eq!(portable_pattern(text), want);
        }
    }

    #[test]
    fn quoted_text_is_literal() {
        for (text, want) in [
            (r"\Qa+b\E\d", r"a\+b\d"),
            (r".*\Qusers\E\/\Q1", r".*users\/1"),
            (r"\Q\E", ""),
            (r"[\Q]\E]", r"[\]]"),
            (r"\\Qx\\E", r"\\Qx\\E"),
        ] {
            assert_eq!(portable_pattern(text), want);
        }
    }

    #[test]
    fn escapes_engine_specific_operators() {
        for (text, want) in [
            (r"\<\w+\>", r"<\w+>"),
            (r"[\w--\d]", r"[\w\-\-\d]"),
            (r"[\w--a]", r"[\w\-\-a]"),
            (r"[\w--]", r"[\w\-\-]"),
            (r"[+--\d]", r"[+-\-\d]"),
            ("[--9]", r"[\--9]"),
            ("[+--]", r"[+-\-]"),
            ("[a~~b]--~~", r"[a\~\~b]--~~"),
            (r"\Q<--\E[~-]", r"<\-\-[~-]"),
        ] {
            assert_eq!(portable_pattern(text), want);
        }
    }

    #[test]
    fn other_patterns_do_not_change() {
        for text in [
            "",
            r"[\w-]",
            r"[\w&&[^\d]]-x",
            r"\w-\d",
            r"\[\w-.",
            r"[\]\\-a]",
            r"a\",
            r"[\",
            r"[\p",
            r"[\p{",
            r"[\pé",
            "é-[",
        ] {
            assert_eq!(portable_pattern(text), text);
        }
    }
}
