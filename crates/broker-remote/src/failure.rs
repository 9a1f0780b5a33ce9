//! Texts of failed requests.

/// Returns the innermost cause, such as `Connection refused`, because the outer ones repeat the URL.
pub(crate) fn request_failure(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let context = if error.is_connect() { "cannot connect: " } else { "" };
    format!("{context}{cause}")
}
