//! Finds secrets in text of any kind: queries, forms, headers, invalid or nested JSON, XML, GraphQL, logs, and error
//! messages.
//!
//! Secrets are recognized by their names. The complete value after a sensitive name is replaced. The value after any
//! other name may still contain secrets, as in `Location: https://h/?token=…`.

use std::borrow::Cow;
use std::sync::LazyLock;

use contract_model::{REDACTED, is_secret, may_name_a_secret};
use regex::Regex;

/// Compiles a pattern in this file. Panics if it is invalid, which the tests exclude. `LETTER` denotes the non-ASCII
/// letters. They are listed explicitly, because repeated Unicode classes such as `\w` and `\p{Alphabetic}` require
/// seven megabytes and two milliseconds.
fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace("LETTER", LETTERS)).expect("the pattern is fixed")
}

/// Ranges of non-ASCII letters, without punctuation, arrows, symbols, and private use characters.
const LETTERS: &str = r"\x{AA}\x{B5}\x{BA}\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{D7FF}\x{F900}-\x{FDFF}\x{FE70}-\x{FEFC}\x{FF21}-\x{FFDC}\x{10000}-\x{1EFFF}\x{20000}-\x{3FFFF}";

/// Matches `user:password@` between a scheme and a host.
static USER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?-u:\b)([A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2,})[^\t\n\r /?#"'<>\\]*@"#));
/// Matches credentials that are recognized by their own format, such as `Bearer …`.
static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        (?-u:\b)(?<scheme>Bearer|Basic)[\t\n\r\ ]+[A-Za-z0-9_.~+/=-]{6,}
        | (?-u:\b)(?<quiet>bearer|BEARER|basic|BASIC)[\t\n\r\ ]+[A-Za-z0-9_.~+/=-]{16,}
        | (?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*",
    )
});
/// Matches the start tag of an XML element.
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<(?<name>[A-Za-z_][A-Za-z0-9_LETTER.:-]*)(?:[\t\n\r ][^<>]*)?>"));
/// Matches a name, with or without quotes, and the separator between the name and its value.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
        \\*["'](?<quoted>[^"'\\\r\n]{1,120})\\*["'][\ \t]*(?:=>|:=|[:=])[\ \t\r\n]*
        | (?<plain>[A-Za-z_%LETTER][A-Za-z0-9_.%\[\]LETTER-]*)[\ \t]*(?<between>=>|:=|[:=])[\ \t]*"#,
    )
});
/// Matches the scheme in front of the secret in an Authorization header.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?i:Bearer|Basic|Digest|Negotiate|Token|ApiKey|AWS4-HMAC-SHA256)[ \t]+"));

/// Redacts secrets in any text: values after sensitive names, user names and passwords in URLs, and credentials such as
/// `Bearer …`.
///
/// ```
/// assert_eq!(contract_report::redact::text("GET /?token=a&page=1"), "GET /?token=[redacted]&page=1");
/// ```
pub fn text(text: &str) -> Cow<'_, str> {
    // Compile and try patterns only if they could match, because most text contains no secrets.
    let names = may_name_a_secret(text);
    let out = step(Cow::Borrowed(text), &['@'], without_users);
    let out = if names {
        let out = step(out, &['<'], without_elements);
        step(out, &[':', '='], without_named)
    } else {
        out
    };
    if may_hold_credentials(text) {
        step(out, &[' ', '\t', '\r', '\n', '.'], without_credentials)
    } else {
        out
    }
}

/// Returns whether [`CREDENTIALS`] can match the text. This check is faster than the pattern.
fn may_hold_credentials(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .windows(5)
        .any(|start| start.eq_ignore_ascii_case(b"basic") || start.eq_ignore_ascii_case(b"beare"))
        || bytes.windows(3).any(|start| start == b"eyJ")
}

/// Runs a step if the text contains one of the characters in `needs`, without which the step has no effect.
fn step<'a>(text: Cow<'a, str>, required: &[char], step: fn(&str) -> Option<String>) -> Cow<'a, str> {
    let changed = if text.contains(required) { step(&text) } else { None };
    changed.map_or(text, Cow::Owned)
}

fn changed(before: &str, after: Cow<'_, str>) -> Option<String> {
    match after {
        Cow::Owned(after) if after != before => Some(after),
        _ => None,
    }
}

fn without_users(text: &str) -> Option<String> {
    changed(text, USER.replace_all(text, format!("${{1}}{REDACTED}@")))
}

fn without_credentials(text: &str) -> Option<String> {
    let hidden = CREDENTIALS.replace_all(text, |found: &regex::Captures<'_>| {
        match found.name("scheme").or(found.name("quiet")) {
            Some(scheme) => format!("{} {REDACTED}", scheme.as_str()),
            None => REDACTED.to_owned(),
        }
    });
    changed(text, hidden)
}

/// Maximum number of unclosed elements that are processed individually.
const UNCLOSED: usize = 100;

/// Redacts the content of XML elements with sensitive names. Ignores namespace prefixes.
fn without_elements(text: &str) -> Option<String> {
    let mut out = RedactedCopy::new(text);
    let mut unclosed = 0;
    while let Some(found) = ELEMENT.captures_at(text, out.at) {
        let (tag, name) = (&found[0], &found["name"]);
        let start = found.get_match().end();
        out.keep(start);
        let local = name.rsplit(':').next().unwrap_or(name);
        if tag.ends_with("/>") || !is_secret(local) {
            continue;
        }
        let rest = &text[start..];
        let closed = rest
            .find(&format!("</{name}"))
            .or_else(|| rest.find(&format!("<\\/{name}")));
        unclosed += usize::from(closed.is_none());
        let end = match closed {
            Some(end) => end,
            // Limit the number of searches, because each one reads the rest of the text.
            None if unclosed > UNCLOSED || rest.starts_with("<![CDATA[") => rest.len(),
            // The element is truncated, or it is not an element.
            None => rest.find(['<', '\n']).unwrap_or(rest.len()),
        };
        out.redact(start..start + end);
    }
    out.finish()
}

fn without_named(text: &str) -> Option<String> {
    let mut out = RedactedCopy::new(text);
    while let Some(found) = NAME.captures_at(text, out.at) {
        let whole = found.get_match();
        out.keep(whole.end());
        let name = found
            .name("quoted")
            .or(found.name("plain"))
            .map_or("", |name| name.as_str());
        let is_header = found.name("between").is_some_and(|separator| separator.as_str() == ":");
        let before = text[..whole.start()].chars().next_back();
        // In GraphQL, `query($token: String)` declares a type and not a value.
        if !is_sensitive_name(name) || (is_header && before == Some('$')) {
            continue;
        }
        value(&mut out, text, is_header && is_secret_line(name), before);
    }
    out.finish()
}

/// Returns whether the name is sensitive. Decodes percent-encoded names: `api%5Bkey%5D` is `api[key]`. In a name such
/// as `user.password`, only the part after the last dot counts.
fn is_sensitive_name(name: &str) -> bool {
    let last = |name: &str| name.rsplit('.').find(|word| !word.is_empty()).is_some_and(is_secret);
    if name.contains('%') {
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        return is_secret(&name) || last(&name);
    }
    is_secret(name) || last(name)
}

/// Returns whether everything after this header's name is secret, not only the next word.
fn is_secret_line(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("cookie") || name.ends_with("authorization")
}

/// Redacts the value that starts at the current position of `out`.
fn value(out: &mut RedactedCopy<'_>, text: &str, is_line: bool, before: Option<char>) {
    let start = out.at;
    let rest = &text[start..];
    let quotes = rest.bytes().take_while(|&byte| byte == b'\\').count();
    let quote = rest[quotes..].chars().next();
    if let Some(quote @ ('"' | '\'' | '`')) = quote {
        const BLOCK: &str = "\"\"\"";
        if let Some(inside) = rest.strip_prefix(BLOCK) {
            let start = start + BLOCK.len();
            return out.redact(start..start + inside.find(BLOCK).unwrap_or(inside.len()));
        }
        let open = quotes + 1;
        let end = quoted_end(&rest[open..], quote, quotes);
        let inside = start + open..start + open + end;
        let scheme = SCHEME.find(&text[inside.clone()]).map_or(0, |scheme| scheme.end());
        return out.redact(inside.start + scheme..inside.end);
    }
    let scheme = SCHEME.find(rest).map_or(0, |scheme| scheme.end());
    let (start, rest) = (start + scheme, &rest[scheme..]);
    if is_line {
        let stop = before.filter(|before| "\"'`".contains(*before));
        let end = rest.find(|c| c == '\n' || c == '\r' || Some(c) == stop);
        return out.redact(start..start + end.unwrap_or(rest.len()));
    }
    match rest.chars().next() {
        // The value has already been redacted. Do not parse `[redacted]` as an array.
        _ if rest.starts_with(REDACTED) => out.keep(start + REDACTED.len()),
        Some('{' | '[') => out.redact(start..start + container(rest)),
        Some(_) => {
            let end = rest.find(|c: char| c.is_whitespace() || "&,;<>\"'{}[]\\".contains(c));
            let word = &rest[..end.unwrap_or(rest.len())];
            let tells_nothing = ["", "null", "true", "false", "undefined"].contains(&word) || word.starts_with('$');
            if !tells_nothing {
                out.redact(start..start + word.len());
            }
        }
        None => {}
    }
}

/// Returns the index at which the content of a quoted string ends. `depth` is the number of backslashes before each
/// quote, which is not 0 in a string that is nested in other strings.
fn quoted_end(text: &str, quote: char, depth: usize) -> usize {
    let mut slashes = 0;
    for (at, c) in text.char_indices() {
        let closes = if depth == 0 { slashes % 2 == 0 } else { slashes <= depth };
        if c == quote && closes {
            return at - slashes.min(depth);
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
    }
    text.len()
}

/// Returns the length of the array or object at the start of the text, including the closing bracket.
fn container(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Text that is being copied with some ranges redacted.
struct RedactedCopy<'a> {
    text: &'a str,
    out: String,
    /// Index in the text up to which it has been copied.
    copied: usize,
    at: usize,
}

impl<'a> RedactedCopy<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            out: String::new(),
            copied: 0,
            at: 0,
        }
    }

    /// Continues at `end`. The text before it is kept.
    fn keep(&mut self, end: usize) {
        self.at = end;
    }

    fn redact(&mut self, range: std::ops::Range<usize>) {
        self.at = range.end;
        // Keep empty values. They are not secret, and are often the cause of the problem.
        if range.is_empty() {
            return;
        }
        self.out.push_str(&self.text[self.copied..range.start]);
        self.out.push_str(REDACTED);
        self.copied = range.end;
    }

    fn finish(mut self) -> Option<String> {
        (self.copied > 0).then(|| {
            self.out.push_str(&self.text[self.copied..]);
            self.out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn redacts_every_notation() {
        for (input, want) in [
            // Queries and forms.
            ("a=1&password=x%20y&b=2", "a=1&password=[redacted]&b=2"),
            ("/a?api[key]=x&b=2", "/a?api[key]=[redacted]&b=2"),
            ("/a?api%5Bkey%5D=x&b=2", "/a?api%5Bkey%5D=[redacted]&b=2"),
            ("user.password=x", "user.password=[redacted]"),
            // Headers.
            ("Authorization: Bearer abc", "Authorization: Bearer [redacted]"),
            (
                "Authorization: Digest user=\"a\", response=\"b\"\nX: 1",
                "Authorization: Digest [redacted]\nX: 1",
            ),
            ("Cookie: a=1; b=2\r\nX: 1", "Cookie: [redacted]\r\nX: 1"),
            ("curl -H 'Cookie: a=1; b=2' -v", "curl -H 'Cookie: [redacted]' -v"),
            (
                "Location: https://h/a?token=x&b=1",
                "Location: https://h/a?token=[redacted]&b=1",
            ),
            ("Referer: https://me:you@h/a", "Referer: https://[redacted]@h/a"),
            ("X-Forwarded: Bearer abc.def", "X-Forwarded: Bearer [redacted]"),
            ("got Basic dXNlcjpwYXNz", "got Basic [redacted]"),
            ("eyJhbGciOiJI.eyJzdWIi.c2lnbmF0dXJl!", "[redacted]!"),
            // URLs with any scheme.
            ("postgres://me:p@ss@db:5432/x", "postgres://[redacted]@db:5432/x"),
            (r#""https:\/\/me:you@h\/a""#, r#""https:\/\/[redacted]@h\/a""#),
            ("http:///me:you@h/a", "http:///[redacted]@h/a"),
            ("mailto:ann@example.com, a@b://c", "mailto:ann@example.com, a@b://c"),
            // JSON, nested JSON, and truncated JSON.
            (
                r#"{"token": "a\"b", "n": 1, "x": ""}"#,
                r#"{"token": "[redacted]", "n": 1, "x": ""}"#,
            ),
            (r#"+  "api key": "a","#, r#"+  "api key": "[redacted]","#),
            (r#""name": "token", "token": null"#, r#""name": "token", "token": null"#),
            (r#""secret": 12, "b": 1"#, r#""secret": [redacted], "b": 1"#),
            (
                r#""secret": ["a", {"b": "]"}], "b": 1"#,
                r#""secret": [redacted], "b": 1"#,
            ),
            (r#"{"secret": "a b"#, r#"{"secret": "[redacted]"#),
            (r#"{"secret": ["a b"#, r#"{"secret": [redacted]"#),
            (r#""url": "/a?token=b""#, r#""url": "/a?token=[redacted]""#),
            (
                r#"{"body": "{\"token\":\"a b\",\"c\":1}"}"#,
                r#"{"body": "{\"token\":\"[redacted]\",\"c\":1}"}"#,
            ),
            (
                r#"{"body": "{\"in\":\"{\\\"pwd\\\":\\\"a b\\\"}\",\"c\":1}"}"#,
                r#"{"body": "{\"in\":\"{\\\"pwd\\\":\\\"[redacted]\\\"}\",\"c\":1}"}"#,
            ),
            // GraphQL.
            (
                "mutation { login(password: \"a b\", id: 1) }",
                "mutation { login(password: \"[redacted]\", id: 1) }",
            ),
            (
                r#"{"query": "{ a(token: \"x y\") }"}"#,
                r#"{"query": "{ a(token: \"[redacted]\") }"}"#,
            ),
            (
                "a(secret: \"\"\"x\ny\"\"\", b: 1)",
                "a(secret: \"\"\"[redacted]\"\"\", b: 1)",
            ),
            (
                "query($token: String) { a(token: $token) }",
                "query($token: String) { a(token: $token) }",
            ),
            // XML.
            ("<password>x</password>", "<password>[redacted]</password>"),
            (
                "<password type=\"a\">x</password><b>1</b>",
                "<password type=\"a\">[redacted]</password><b>1</b>",
            ),
            (
                "<s:password><![CDATA[a<b>]]></s:password><b>1</b>",
                "<s:password>[redacted]</s:password><b>1</b>",
            ),
            (
                "<credentials><a>x</a></credentials>",
                "<credentials>[redacted]</credentials>",
            ),
            (
                "<user s:password='a b' id=\"1\"/>",
                "<user s:password='[redacted]' id=\"1\"/>",
            ),
            ("<password/><b>x</b>", "<password/><b>x</b>"),
            // Error messages and logs.
            (
                "Error: login failed: password=hunter2",
                "Error: login failed: password=[redacted]",
            ),
            ("token='a b' c", "token='[redacted]' c"),
            ("{ password => 'x' }", "{ password => '[redacted]' }"),
            ("--token=x --page=1", "--token=[redacted] --page=1"),
            ("a basic idea, a bearer of news", "a basic idea, a bearer of news"),
            ("nothing here: at all", "nothing here: at all"),
            ("password=[redacted]&a=b", "password=[redacted]&a=b"),
        ] {
            assert_eq!(text(input), want, "{input}");
            assert_eq!(text(want), want, "hidden twice: {input}");
        }
    }

    #[test]
    fn redacts_in_linear_time() {
        for piece in [
            "token:",
            "<password>",
            "\\\"",
            "secret=[",
            "a://b@",
            "Cookie: a\n",
            "a b ",
            "\"a",
        ] {
            let long = piece.repeat(20_000);
            assert!(text(&long).len() <= long.len() * 3, "{piece}");
        }
    }
}
