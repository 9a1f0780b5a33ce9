//! Converts paths and `file:` URLs that users pass.

use std::path::PathBuf;

use crate::error::ArgumentError;

/// Converts a `file:` URL to a path, and returns all other texts unchanged. Returns `None` for an invalid `file:` URL.
pub fn parse_path(text: &str) -> Option<PathBuf> {
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:")) {
        return parse_file_url(text);
    }
    Some(text.into())
}

/// Returns the percent-decoded path of a `file:` URL, or `None` if the URL is invalid or its host is not `localhost`.
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

/// Like [`parse_path`], but fails for invalid `file:` URLs and for URLs with other schemes.
pub fn resolve_path(text: &str) -> Result<PathBuf, ArgumentError> {
    let path = parse_path(text).filter(|path| path.as_os_str() != text || !text.contains("://"));
    path.ok_or_else(|| {
        let message = format!("the path must be a file system path or a file: URL, received {text:?}");
        ArgumentError::new("ERR_CONTRACT_DIRECTORY", message)
    })
}

/// If `path` is a `file:` URL, replaces it with the path in the URL. Fails for other URLs.
pub fn resolve_in_place(path: &mut PathBuf) -> Result<(), ArgumentError> {
    if let Some(text) = path.to_str() {
        *path = resolve_path(text)?;
    }
    Ok(())
}
