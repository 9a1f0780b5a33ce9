use super::number::number_length;
use super::{Json, Number, Object, Text};

/// Maximum nesting depth of arrays and objects. Real contracts and bodies are far less deeply nested.
pub const MAX_DEPTH: usize = 256;

/// Additional nesting depth for contracts, because bodies are nested inside interactions and their parts.
const AROUND_A_BODY: usize = 32;

/// Maximum number of members for which duplicate names are found by comparing all pairs. The names of larger objects
/// are sorted.
const PAIRWISE: usize = 12;

/// A JSON syntax error with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub kind: JsonErrorKind,
    /// Offset in bytes from the start of the document.
    pub offset: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in bytes, counted from 1.
    pub column: usize,
}

/// Kinds of JSON syntax errors (RFC 8259).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The document contains only whitespace.
    #[error("the document is empty")]
    Empty,
    #[error("the document ends in the middle of a value")]
    UnexpectedEnd,
    #[error("unexpected character {0:?}")]
    UnexpectedCharacter(char),
    #[error("unexpected text after the end of the document")]
    TrailingText,
    /// Not a valid number according to RFC 8259, such as `01` or `1.`, or an exponent with more than 18 digits.
    #[error("invalid number")]
    InvalidNumber,
    /// An invalid escape sequence.
    #[error("invalid escape sequence")]
    InvalidEscape,
    /// An unpaired surrogate escape such as `\ud800`.
    #[error("unpaired surrogate in an escape sequence")]
    LoneSurrogate,
    /// A raw control character inside a string.
    #[error("unescaped control character in a string")]
    ControlCharacter,
    /// Bytes that are not valid UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// A document in UTF-16, which some editors and shells on Windows write.
    #[error("the document is UTF-16; save it as UTF-8")]
    Utf16,
    #[error("duplicate name {0:?} in an object")]
    DuplicateKey(String),
    /// The document is nested deeper than [`MAX_DEPTH`] levels.
    #[error("the document is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            JsonErrorKind::Utf16 => write!(f, "{}", self.kind),
            _ => write!(f, "{} at line {}, column {}", self.kind, self.line, self.column),
        }
    }
}

impl std::error::Error for JsonError {}

type Parsed<T> = Result<T, (JsonErrorKind, usize)>;

impl Json {
    /// Parses a single document.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        document(bytes)
    }

    /// Parses a contract, which may be nested slightly more deeply than other documents.
    pub(crate) fn parse_contract(bytes: &[u8]) -> Result<Self, JsonError> {
        contract(bytes)
    }
}

fn document(bytes: &[u8]) -> Result<Json, JsonError> {
    document_to(bytes, MAX_DEPTH)
}

/// Parses a contract. Every body that can be parsed on its own can also be parsed inside a contract.
fn contract(bytes: &[u8]) -> Result<Json, JsonError> {
    document_to(bytes, MAX_DEPTH + AROUND_A_BODY)
}

fn document_to(bytes: &[u8], max_depth: usize) -> Result<Json, JsonError> {
    // JSON does not allow a byte order mark, but Windows editors write one.
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    read(&bytes[mark..], max_depth).map_err(|(kind, offset)| locate(bytes, kind, offset + mark))
}

fn read(bytes: &[u8], max_depth: usize) -> Parsed<Json> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err((JsonErrorKind::Utf16, 0));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| (JsonErrorKind::InvalidUtf8, e.valid_up_to()))?;
    let mut reader = Reader {
        text,
        bytes,
        at: 0,
        max_depth,
        members: Vec::new(),
        items: Vec::new(),
    };
    reader.skip_blanks();
    if reader.at == bytes.len() {
        return Err((JsonErrorKind::Empty, 0));
    }
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < bytes.len() {
        return Err((JsonErrorKind::TrailingText, reader.at));
    }
    Ok(value)
}

fn locate(bytes: &[u8], kind: JsonErrorKind, offset: usize) -> JsonError {
    let before = &bytes[..offset.min(bytes.len())];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    #[expect(
        clippy::naive_bytecount,
        reason = "errors are rare, so a dependency for counting is not worthwhile"
    )]
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    JsonError {
        kind,
        offset,
        line,
        column: offset - line_start + 1,
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    /// Members of the objects that are being parsed, innermost last. When an object ends, its members are moved to a
    /// list of exactly the required capacity.
    members: Vec<(Text, Json)>,
    items: Vec<Json>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn unexpected<T>(&self) -> Parsed<T> {
        Err(match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => (JsonErrorKind::UnexpectedCharacter(found), self.at),
            None => (JsonErrorKind::UnexpectedEnd, self.at),
        })
    }

    fn value(&mut self, depth: usize) -> Parsed<Json> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::String),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => self.unexpected(),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Parsed<Json> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                return self.unexpected();
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Parsed<Json> {
        let start = self.at;
        match number_length(&self.bytes[start..]) {
            Some(length) => {
                self.at += length;
                Ok(Json::Number(Number::from_checked(&self.text[start..self.at])))
            }
            None => Err((JsonErrorKind::InvalidNumber, start)),
        }
    }

    fn array(&mut self, depth: usize) -> Parsed<Json> {
        self.deeper(depth)?;
        let first = self.items.len();
        if self.opens_empty(b']') {
            return Ok(Json::Array(Vec::new()));
        }
        loop {
            let item = self.value(depth + 1)?;
            self.items.push(item);
            if self.closes(b']')? {
                return Ok(Json::Array(self.items.split_off(first)));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Parsed<Json> {
        self.deeper(depth)?;
        let (start, first) = (self.at, self.members.len());
        if self.opens_empty(b'}') {
            return Ok(Json::object());
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.unexpected();
            }
            let key = self.string()?;
            self.skip_blanks();
            if self.peek() != Some(b':') {
                return self.unexpected();
            }
            self.at += 1;
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            self.members.push((key, value));
            if self.closes(b'}')? {
                let members = self.members.split_off(first);
                return match doubled(&members) {
                    Some(name) => Err((JsonErrorKind::DuplicateKey(name.to_string()), start)),
                    None => Ok(Json::Object(Object::from_distinct(members))),
                };
            }
        }
    }

    fn deeper(&self, depth: usize) -> Parsed<()> {
        if depth >= self.max_depth {
            Err((JsonErrorKind::TooDeep, self.at))
        } else {
            Ok(())
        }
    }

    /// Skips the opening bracket. If the container is empty, also skips `close` and returns true.
    fn opens_empty(&mut self, close: u8) -> bool {
        self.at += 1;
        self.skip_blanks();
        let empty = self.peek() == Some(close);
        if empty {
            self.at += 1;
        }
        empty
    }

    /// Consumes the character after a member or an item. Returns true for `close`, false for a comma, and an error for
    /// any other character.
    fn closes(&mut self, close: u8) -> Parsed<bool> {
        self.skip_blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_blanks();
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            _ => self.unexpected(),
        }
    }

    fn string(&mut self) -> Parsed<Text> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek() == Some(b'"') {
            let text = Text::new(&self.text[start..self.at]);
            self.at += 1;
            return Ok(text);
        }
        let mut text = String::from(&self.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text.into());
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err((JsonErrorKind::ControlCharacter, self.at)),
                None => return Err((JsonErrorKind::UnexpectedEnd, self.at)),
            }
            let from = self.at;
            self.plain();
            text.push_str(&self.text[from..self.at]);
        }
    }

    /// Skips the characters of a string up to a quotation mark, a backslash, or a control character.
    fn plain(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest
            .iter()
            .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
            .unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        let invalid = (JsonErrorKind::InvalidEscape, start);
        let letter = *self.bytes.get(start + 1).ok_or((JsonErrorKind::UnexpectedEnd, start))?;
        self.at += 2;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex().ok_or(invalid.clone())?;
                if !(0xd800..0xe000).contains(&first) {
                    return char::from_u32(first).ok_or(invalid);
                }
                let lone = (JsonErrorKind::LoneSurrogate, start);
                if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
                    return Err(lone);
                }
                self.at += 2;
                let second = self.hex().ok_or(invalid)?;
                if first >= 0xdc00 || !(0xdc00..0xe000).contains(&second) {
                    return Err(lone);
                }
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(lone)?
            }
            _ => return Err(invalid),
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        let value = digits
            .iter()
            .try_fold(0, |sum, &b| Some(sum * 16 + char::from(b).to_digit(16)?))?;
        self.at += 4;
        Some(value)
    }
}

fn doubled(members: &[(Text, Json)]) -> Option<&Text> {
    if members.len() <= PAIRWISE {
        return members
            .iter()
            .enumerate()
            .find(|(at, (key, _))| members[..*at].iter().any(|(earlier, _)| earlier == key))
            .map(|(_, (key, _))| key);
    }
    let mut keys: Vec<&Text> = members.iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::{Json, JsonErrorKind};

    fn error(text: &str) -> JsonErrorKind {
        Json::parse(text.as_bytes()).unwrap_err().kind
    }

    #[test]
    fn round_trips() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"a":[1,-2.50e+3,"x\"y",true,false,null,{"b":{}}]}"#,
            r#""\u0001""#,
            "12345678901234567890123",
        ] {
            assert_eq!(Json::parse(text.as_bytes()).unwrap().to_text(), text);
        }
        assert_eq!(Json::parse(br#" "\ud83d\ude00\/\u00e9" "#).unwrap(), Json::from("😀/é"));
    }

    #[test]
    fn reports_the_kind_of_error() {
        assert_eq!(error("  "), JsonErrorKind::Empty);
        assert_eq!(error("[1,"), JsonErrorKind::UnexpectedEnd);
        assert_eq!(error("[1,]"), JsonErrorKind::UnexpectedCharacter(']'));
        assert_eq!(error("{} x"), JsonErrorKind::TrailingText);
        for bad in ["01", "1.", "-", "1e", "1e1234567890123456789"] {
            assert_eq!(error(bad), JsonErrorKind::InvalidNumber, "{bad}");
        }
        for bad in [r#""\x""#, r#""\u12""#, r#""\ud83d\u1""#] {
            assert_eq!(error(bad), JsonErrorKind::InvalidEscape, "{bad}");
        }
        for bad in [r#""\ud83d""#, r#""\ude00\ud83d""#, r#""\ud83d\ud83d""#, r#""\ud83dx""#] {
            assert_eq!(error(bad), JsonErrorKind::LoneSurrogate, "{bad}");
        }
        assert_eq!(error("\"a\nb\""), JsonErrorKind::ControlCharacter);
        assert_eq!(error(r#"{"a":1,"b":2,"a":3}"#), JsonErrorKind::DuplicateKey("a".into()));
        assert_eq!(Json::parse(b"\"\xff\"").unwrap_err().kind, JsonErrorKind::InvalidUtf8);
    }

    #[test]
    fn rejects_duplicate_names_in_large_objects() {
        let members: Vec<String> = (0..100).map(|i| format!("\"k{}\":{i}", i % 99)).collect();
        assert_eq!(
            error(&format!("{{{}}}", members.join(","))),
            JsonErrorKind::DuplicateKey("k0".into())
        );
    }

    #[test]
    fn depth_is_bounded() {
        assert_eq!(error(&"[".repeat(10_000)), JsonErrorKind::TooDeep);
        assert!(Json::parse(format!("{}{}", "[".repeat(256), "]".repeat(256)).as_bytes()).is_ok());
    }

    #[test]
    fn errors_point_at_line_and_column() {
        let error = Json::parse(b"{\n  \"a\": x\n}").unwrap_err();
        assert_eq!((error.line, error.column, error.offset), (2, 8, 9));
        assert_eq!(error.to_string(), "unexpected character 'x' at line 2, column 8");
    }

    #[test]
    fn reports_utf_16() {
        for bytes in [&b"\xff\xfe{\0}\0"[..], b"\xfe\xff\0{\0}"] {
            let error = Json::parse(bytes).unwrap_err();
            assert_eq!(error.to_string(), "the document is UTF-16; save it as UTF-8");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(Json::parse(b"\xef\xbb\xbftrue").unwrap(), Json::Bool(true));
    }
}
