//! Paths that users pass: file system paths or `file:` URLs.

use std::path::PathBuf;

use crate::error::ArgumentError;

/// Returns the path of a file system path or `file:` URL, or `None` if the URL is invalid.
pub fn parse_path(text: &str) -> Option<PathBuf> {
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:")) {
        return parse_file_url(text);
    }
    Some(text.into())
}

/// Returns the percent-decoded path of a `file:` URL, or `None` if the URL is invalid.
pub fn parse_file_url(url: &str) -> Option<PathBuf> {
    let rest = &url["file:".len()..];
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => match rest.strip_prefix("localhost").unwrap_or(rest) {
            path if path.starts_with('/') => path,
            _ => return None,
        },
    };
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = path.get(at + 1..at + 3)?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    let decoded = String::from_utf8(decoded).ok()?;
    // In `/C:/…`, the path starts after the slash.
    let has_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    Some(decoded[usize::from(has_drive)..].into())
}

/// Returns the path of a file or directory. Fails for URLs other than `file:` URLs.
pub fn resolve_path(text: &str) -> Result<PathBuf, ArgumentError> {
    let path = parse_path(text).filter(|path| path.as_os_str() != text || !text.contains("://"));
    path.ok_or_else(|| {
        let message = format!("expected the path of a file or directory, or a file: URL, received {text}");
        ArgumentError::new("ERR_CONTRACT_DIRECTORY", message)
    })
}

/// Replaces a `file:` URL with its path.
pub fn resolve_in_place(path: &mut PathBuf) -> Result<(), ArgumentError> {
    if let Some(text) = path.to_str() {
        *path = resolve_path(text)?;
    }
    Ok(())
}
