//! HTML pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

use super::reply::{Media, Reply};

const STYLE: &str = "\
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}\
main{width:min(22rem,calc(100vw - 3rem))}\
h1{font-size:1.5rem;margin:0 0 1.5rem}\
label{display:block;margin:1rem 0 .25rem;font-weight:600}\
input{box-sizing:border-box;width:100%;padding:.6rem .7rem;font:inherit;border:1px solid GrayText;border-radius:.4rem;background:Field;color:FieldText}\
button,.button{box-sizing:border-box;display:block;margin-top:1.5rem;width:100%;padding:.7rem;font:inherit;font-weight:600;border:0;border-radius:.4rem;background:#1d4ed8;color:#fff;cursor:pointer;text-align:center;text-decoration:none}\
button:hover,.button:hover{background:#1e40af}\
:focus-visible{outline:3px solid #60a5fa;outline-offset:2px}\
.or{display:flex;align-items:center;gap:.75rem;margin:1.5rem 0 0;color:GrayText}\
.or::before,.or::after{content:\"\";flex:1;border-top:1px solid GrayText}\
.problem{margin:0;padding:.7rem;border-left:4px solid #dc2626;background:color-mix(in srgb,#dc2626 12%,Canvas)}";

/// Creates a page. Its security policy prevents scripts and content from other sites.
pub(super) fn page(status: u16, title: &str, body: &str) -> Reply {
    let hash = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    let title = escape(title);
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title} · contract-broker</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    );
    Reply::text(status, Media::Html, text)
        .with("content-security-policy", policy)
        .with("cache-control", "no-store")
        .with("referrer-policy", "same-origin")
        .with("x-frame-options", "DENY")
}

/// Escapes text for elements and quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
