//! Parses multipart bodies (RFC 2046, section 5.1) without copying.

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine};
use bytes::Bytes;
use contract_model::{ContentType, Headers, Text};
use memchr::memmem;
use thiserror::Error;

/// Maximum number of parts in a body, and of headers in a part.
const MAX_PARTS: usize = 10_000;
const MAX_HEADERS: usize = 100;

/// A part of a multipart body. Its content is decoded according to `Content-Transfer-Encoding`.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) headers: Headers,
    pub(super) content: Bytes,
    /// The parsed value of `Content-Disposition`. `None` if the header is missing or invalid.
    disposition: Option<ContentType>,
}

impl Part {
    pub(super) fn name(&self) -> Option<&str> {
        self.disposition.as_ref()?.parameter("name")
    }

    /// Returns whether the part is a form field. A form field has neither `filename` (RFC 7578, section 4.2) nor
    /// `filename*` (RFC 8187).
    pub(super) fn is_field(&self) -> bool {
        let file = |disposition: &ContentType| {
            ["filename", "filename*"]
                .iter()
                .any(|name| disposition.parameter(name).is_some())
        };
        self.disposition.as_ref().is_some_and(|disposition| !file(disposition))
    }
}

/// Reason why a multipart body cannot be read.
#[derive(Debug, Error)]
pub(crate) enum MultipartError {
    #[error("it is nested deeper than {0} levels")]
    Depth(usize),
    #[error("the Content-Type header is missing")]
    NoContentType,
    #[error("the content type has no boundary parameter")]
    NoBoundary,
    #[error("the boundary '{0}' was not found")]
    BoundaryNotFound(String),
    #[error("the closing boundary is missing")]
    NotClosed,
    #[error("there are more than {MAX_PARTS} parts")]
    Parts,
    #[error("the content of a part is not valid base64: {0}")]
    Base64(#[from] DecodeError),
    #[error("the headers of a part are not followed by an empty line")]
    HeadersNotClosed,
    #[error("a part has more than {MAX_HEADERS} headers")]
    Headers,
    /// Contains the beginning of the invalid line.
    #[error("'{0}' is not a valid part header")]
    Header(String),
}

pub(super) fn parse(body: &Bytes, content_type: &ContentType) -> Result<Vec<Part>, MultipartError> {
    let boundary = content_type
        .parameter("boundary")
        .filter(|boundary| !boundary.is_empty())
        .ok_or(MultipartError::NoBoundary)?;
    let mut delimiters = Delimiters::new(body, boundary);
    let mut parts = Vec::new();
    let mut last = delimiters
        .next()
        .ok_or_else(|| MultipartError::BoundaryNotFound(boundary.to_owned()))?;
    while !last.closes {
        let next = delimiters.next().ok_or(MultipartError::NotClosed)?;
        if parts.len() >= MAX_PARTS {
            return Err(MultipartError::Parts);
        }
        parts.push(part(&body.slice(last.end..next.start.max(last.end)))?);
        last = next;
    }
    Ok(parts)
}

/// The position of a line that consists of two hyphens and the boundary.
struct Delimiter {
    /// Byte position of the line break before the delimiter.
    start: usize,
    /// Byte position after the delimiter.
    end: usize,
    closes: bool,
}

struct Delimiters<'a> {
    body: &'a [u8],
    line: Vec<u8>,
    at: usize,
}

impl<'a> Delimiters<'a> {
    fn new(body: &'a [u8], boundary: &str) -> Self {
        Self {
            body,
            line: [b"--", boundary.as_bytes()].concat(),
            at: 0,
        }
    }

    /// Parses the delimiter at a position. Returns `None` if the line only starts with the same characters.
    fn delimiter(&self, at: usize) -> Option<Delimiter> {
        let before = &self.body[..at];
        let start = match before {
            [] => 0,
            [.., b'\r', b'\n'] => at - 2,
            [.., b'\n'] => at - 1,
            _ => return None,
        };
        let rest = &self.body[at + self.line.len()..];
        let closes = rest.starts_with(b"--");
        let rest = if closes { &rest[2..] } else { rest };
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line_end = match &rest[blanks..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [] if closes => 0,
            _ => return None,
        };
        let end = self.body.len() - rest.len() + blanks + line_end;
        Some(Delimiter { start, end, closes })
    }
}

impl Iterator for Delimiters<'_> {
    type Item = Delimiter;

    fn next(&mut self) -> Option<Delimiter> {
        let finder = memmem::Finder::new(&self.line);
        loop {
            let at = self.at + finder.find(&self.body[self.at..])?;
            self.at = at + self.line.len();
            if let Some(delimiter) = self.delimiter(at) {
                return Some(delimiter);
            }
        }
    }
}

fn part(bytes: &Bytes) -> Result<Part, MultipartError> {
    let (headers, content) = headers(bytes)?;
    let disposition = headers
        .first("content-disposition")
        // The value has the syntax of a content type without type and slash.
        .and_then(|value| format!("part/{}", value.trim()).parse().ok());
    let encoding = headers.first("content-transfer-encoding").unwrap_or_default();
    let content = if encoding.trim().eq_ignore_ascii_case("base64") {
        let packed: Vec<u8> = content
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        STANDARD.decode(packed)?.into()
    } else {
        content
    };
    Ok(Part {
        headers,
        content,
        disposition,
    })
}

/// Returns the headers before the empty line, and the bytes after it.
fn headers(bytes: &Bytes) -> Result<(Headers, Bytes), MultipartError> {
    let mut lines: Vec<String> = Vec::new();
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let Some(length) = memchr::memchr(b'\n', rest) else {
            return if rest.is_empty() && at > 0 || bytes.is_empty() {
                Ok((named(&lines)?, Bytes::new()))
            } else {
                Err(MultipartError::HeadersNotClosed)
            };
        };
        let line = &rest[..length];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        at += length + 1;
        if line.is_empty() {
            return Ok((named(&lines)?, bytes.slice(at..)));
        }
        let text = String::from_utf8_lossy(line);
        // A line that starts with whitespace continues the previous one (RFC 5322, section 2.2.3).
        if let Some(folded) = lines.last_mut().filter(|_| text.starts_with([' ', '\t'])) {
            folded.push_str(&text);
        } else if lines.len() < MAX_HEADERS {
            lines.push(text.into_owned());
        } else {
            return Err(MultipartError::Headers);
        }
    }
}

fn named(lines: &[String]) -> Result<Headers, MultipartError> {
    let mut headers = Headers::new();
    for line in lines {
        let (name, value) = line
            .split_once(':')
            .filter(|(name, _)| !name.is_empty() && !name.contains([' ', '\t']))
            .ok_or_else(|| MultipartError::Header(line.chars().take(80).collect()))?;
        headers.append(name, Text::from(value.trim()));
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::{MultipartError, Part, parse};

    fn parts(text: &str, boundary: &str) -> Result<Vec<Part>, MultipartError> {
        let content_type = format!("multipart/form-data; boundary={boundary}").parse().unwrap();
        parse(&text.to_owned().into(), &content_type)
    }

    #[test]
    fn parses_a_form() {
        let text = "preamble\r\n--b \r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\n\
                    content-disposition: form-data;\r\n name=f; filename=\"x y.txt\"\r\ncontent-transfer-encoding: BASE64\r\n\r\n\
                    aGV\r\nsbG8=\r\n--b--\r\nepilogue";
        let parts = parts(text, "b").unwrap();
        let fields: Vec<_> = parts
            .iter()
            .map(|part| (part.name(), part.is_field(), &part.content[..]))
            .collect();
        assert_eq!(fields, [(Some("a"), true, &b"1"[..]), (Some("f"), false, b"hello")]);
    }

    #[test]
    fn boundaries_are_whole_lines() {
        let text = "--b\n\nx--b\n--bb\n--b-\n--b--\n";
        let parts = parts(text, "b").unwrap();
        assert_eq!((parts.len(), &parts[0].content[..]), (1, &b"x--b\n--bb\n--b-"[..]));
    }

    #[test]
    fn empty_parts_and_empty_bodies() {
        assert_eq!(parts("--b\r\n\r\n\r\n--b\r\n--b--", "b").unwrap().len(), 2);
        assert_eq!(parts("--b--", "b").unwrap().len(), 0);
    }

    #[test]
    fn rejects_invalid_multipart_bodies() {
        for (text, boundary, problem) in [
            ("", "b", "was not found"),
            ("--b\r\n\r\nx", "b", "the closing boundary is missing"),
            (
                "--b\r\nno header\r\n\r\nx\r\n--b--",
                "b",
                "'no header' is not a valid part header",
            ),
            ("--b\r\nA: 1\r\n--b--", "b", "not followed by an empty line"),
            (
                "--b\r\ncontent-transfer-encoding: base64\r\n\r\n*\r\n--b--",
                "b",
                "base64",
            ),
            ("--b--", "\"\"", "no boundary parameter"),
        ] {
            let found = parts(text, boundary).unwrap_err().to_string();
            assert!(found.contains(problem), "{text}: {found}");
        }
    }
}
