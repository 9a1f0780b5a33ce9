//! Escapes untrusted text for terminals, XML, and HTML.
//!
//! Only output for users is escaped. JSON values that the bindings return, such as `expected` and `actual`, keep all
//! characters, including bidirectional control characters.

use std::fmt::{self, Display, Write};

use contract_matching::is_hidden;

/// Writes a character in a visible and harmless form, so that untrusted text cannot control the terminal, reorder or
/// hide text, or make XML invalid. Keeps tabs. If `line_breaks` is true, also keeps line breaks.
pub(crate) fn push_visible(out: &mut impl Write, c: char, line_breaks: bool) {
    // Writing to a string never fails.
    let _ = write_visible(out, c, line_breaks);
}

fn write_visible(out: &mut impl Write, c: char, line_breaks: bool) -> fmt::Result {
    match c {
        '\t' => out.write_char(c),
        '\n' if line_breaks => out.write_char(c),
        '\u{7f}' => out.write_char('\u{2421}'),
        c if c.is_ascii_control() => out.write_char(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        // Terminals interpret U+009B as the start of an escape sequence. XML 1.0 does not allow the last two
        // characters.
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.write_char('\u{fffd}'),
        c if is_hidden(c) => write!(out, "{}", c.escape_default()),
        c => out.write_char(c),
    }
}

/// Writes an untrusted line, or its first piece. Prevents CI systems from interpreting it as a command: some recognize
/// commands only at the start of a line, others anywhere in a line.
pub(crate) fn push_line(out: &mut String, line: &str) {
    if line.trim_start().starts_with("::") {
        out.push('\\');
    }
    push_piece(out, line);
}

/// Writes a further piece of a line that [`push_line`] started.
pub(crate) fn push_piece(out: &mut String, line: &str) {
    let mut rest = line;
    // Copy sequences of plain characters at once.
    while let Some(at) = rest.find(|c: char| c == '#' || !matches!(c, ' '..='~')) {
        let (plain, odd) = rest.split_at(at);
        out.push_str(plain);
        let mut left = odd.chars();
        if let Some(c) = left.next() {
            push_visible(out, c, false);
            if c == '#' && begins_command(odd) {
                out.push('\\');
            }
        }
        rest = left.as_str();
    }
    out.push_str(rest);
}

/// Returns whether the text starts with a command that a CI system interprets anywhere in a line.
fn begins_command(rest: &str) -> bool {
    ["##[", "##vso[", "##teamcity["]
        .iter()
        .any(|start| rest.starts_with(start))
}

/// Escapes untrusted text as a single line for a terminal or a log. Line breaks, control characters, and characters
/// that hide or reorder text become visible. CI systems do not interpret the result as a command.
pub fn escape_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_line(&mut out, text);
    out
}

/// Escapes untrusted text like [`escape_line`], but keeps line breaks.
pub fn escape_text(text: &str) -> String {
    escape_lines(text).collect::<Vec<_>>().join("\n")
}

/// Replaces characters in a JSON document that control a terminal or hide text with escape sequences such as `\u202e`.
/// The value of the document does not change, because such characters can occur only in strings.
pub fn escape_json(json: &str) -> String {
    let acts = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if !json.contains(acts) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string never fails.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Escapes untrusted text and indents all lines except the first one.
pub fn escape_indented(text: &str, indent: &str) -> String {
    escape_lines(text.trim_end())
        .collect::<Vec<_>>()
        .join(&format!("\n{indent}"))
}

pub(crate) fn escape_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(escape_line)
}

/// Escapes a value as the text content of XML and HTML.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: true,
                at_start: false,
            },
            "{}",
            self.0
        )
    }
}

/// Escapes a value as an XML or HTML attribute. Also escapes line breaks, because XML parsers replace them with spaces.
pub(crate) struct Attribute<T>(pub(crate) T);

impl<T: Display> Display for Attribute<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: false,
                at_start: false,
            },
            "{}",
            self.0
        )
    }
}

struct Escaping<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    line_breaks: bool,
    /// True if only whitespace was written since the last line break.
    at_start: bool,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (at, c) in text.char_indices() {
            if self.at_start && text[at..].starts_with("::") {
                self.to.write_char('\\')?;
            }
            self.at_start = c == '\n' || (self.at_start && c.is_whitespace());
            match c {
                '#' if begins_command(&text[at..]) => self.to.write_str("#\\")?,
                '&' => self.to.write_str("&amp;")?,
                '<' => self.to.write_str("&lt;")?,
                '>' => self.to.write_str("&gt;")?,
                '"' => self.to.write_str("&quot;")?,
                '\'' => self.to.write_str("&#39;")?,
                '\n' if !self.line_breaks => self.to.write_str("&#10;")?,
                '\t' if !self.line_breaks => self.to.write_str("&#9;")?,
                c => write_visible(self.to, c, self.line_breaks)?,
            }
        }
        Ok(())
    }
}

/// Formats a duration, such as `0.4 ms`, `12 ms`, or `1.25 s`.
pub(crate) fn duration(milliseconds: f64) -> String {
    if milliseconds >= 1000.0 {
        format!("{:.2} s", milliseconds / 1000.0)
    } else if milliseconds >= 10.0 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{milliseconds:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::{Attribute, Escaped, duration};

    #[test]
    fn texts() {
        assert_eq!(
            Escaped("a<b> & \"c\"\n\u{1b}[2J\u{9b}\u{ffff}").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot;\n␛[2J\u{fffd}\u{fffd}"
        );
        assert_eq!(Attribute("a\tb\n'").to_string(), "a&#9;b&#10;&#39;");
    }

    #[test]
    fn escapes_ci_commands() {
        let escape = |text: &str| super::escape_lines(text).collect::<Vec<_>>();
        for (line, want) in [
            ("::error::x", "\\::error::x"),
            ("  ::set-output name=a::b", "\\  ::set-output name=a::b"),
            ("a ::error::x", "a ::error::x"),
            ("a ##[error]x ## b", "a #\\#[error]x ## b"),
            ("##teamcity[x] ##vso[y]", "#\\#teamcity[x] #\\#vso[y]"),
            (
                "\u{e000}\u{202e}a\u{200b}\u{1b}[31m\r",
                "\\u{e000}\\u{202e}a\\u{200b}␛[31m␍",
            ),
            ("עברית 🎉 é", "עברית 🎉 é"),
        ] {
            assert_eq!(escape(line), [want]);
        }
        assert_eq!(escape("a\n::b"), ["a", "\\::b"]);
        assert_eq!(super::escape_text("a\n::b\u{202e}\n"), "a\n\\::b\\u{202e}");
        assert_eq!(super::escape_line("a\n::b\u{202e}"), "a␊::b\\u{202e}");
    }

    #[test]
    fn json_stays_the_same_value() {
        let json = "{\n  \"a\": \"\u{202e}b\u{9b}\u{e0001}é 🎉\u{7f}\"\n}";
        let harmless = super::escape_json(json);
        assert_eq!(harmless, "{\n  \"a\": \"\\u202eb\\u009b\\udb40\\udc01é 🎉\\u007f\"\n}");
        let parse = |text: &str| contract_model::Json::parse(text.as_bytes()).unwrap();
        assert_eq!(parse(&harmless), parse(json));
    }

    #[test]
    fn further_lines_are_indented() {
        assert_eq!(super::escape_indented("a\n::b\r\nYes.\n", "  "), "a\n  \\::b\n  Yes.");
    }

    #[test]
    fn times() {
        for (milliseconds, want) in [(0.04, "0.0 ms"), (9.96, "10.0 ms"), (12.4, "12 ms"), (1250.0, "1.25 s")] {
            assert_eq!(duration(milliseconds), want);
        }
    }
}
