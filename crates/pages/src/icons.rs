//! SVG icons. A page contains only the symbols that it uses.

use maud::{Markup, PreEscaped, html};

/// The name, the view box, and the content of each symbol.
const SYMBOLS: &[(&str, &str, &str)] = &[
    (
        "box",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M2.2 5 8 2l5.8 3v6L8 14l-5.8-3ZM2.2 5 8 8l5.8-3M8 8v6"/>"#,
    ),
    (
        "branch",
        "0 0 16 16",
        r#"<circle cx="4.5" cy="3.6" r="1.7" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="4.5" cy="12.4" r="1.7" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="11.5" cy="5.2" r="1.7" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M4.5 5.4v5.2M11.5 7c0 2.6-7 1.4-7 3.6"/>"#,
    ),
    (
        "chev",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="m6 3.5 4.5 4.5L6 12.5"/>"#,
    ),
    (
        "deployable",
        "0 0 16 16",
        r#"<path fill="currentColor" fill-rule="evenodd" d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1ZM4.4 8.1l2.7 2.8 4.7-5-1.1-1.1-3.6 3.8-1.6-1.6Z"/>"#,
    ),
    (
        "down",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="m3.5 6 4.5 4.5L12.5 6"/>"#,
    ),
    (
        "failed",
        "0 0 16 16",
        r#"<path fill="currentColor" fill-rule="evenodd" d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1ZM5.1 6.4 6.7 8 5.1 9.6l1.3 1.3L8 9.3l1.6 1.6 1.3-1.3L9.3 8l1.6-1.6-1.3-1.3L8 6.7 6.4 5.1Z"/>"#,
    ),
    (
        "info",
        "0 0 16 16",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M8 7.4v3.8M8 4.9V5"/>"#,
    ),
    (
        "l-failed",
        "0 0 40 12",
        r#"<path d="M1 6h11M24 6h10M14.8 2.8l6.4 6.4M21.2 2.8l-6.4 6.4" fill="none" stroke="currentColor" stroke-width="2"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-pending",
        "0 0 40 12",
        r#"<path d="M1 6h33" stroke-dasharray="5 3.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-stale",
        "0 0 40 12",
        r#"<path d="M1 6h33" stroke-dasharray="11 3.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-unknown",
        "0 0 40 12",
        r#"<path d="M1 6h33" stroke-dasharray=".1 4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-unverified",
        "0 0 40 12",
        r#"<path d="M1 6h33" stroke-dasharray=".1 4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-verified",
        "0 0 40 12",
        r#"<path d="M1 6h33" fill="none" stroke="currentColor" stroke-width="2"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "l-wip",
        "0 0 40 12",
        r#"<path d="M1 6h33" stroke-dasharray="5 3.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M33 2.2 39.5 6 33 9.8z" fill="currentColor"/>"#,
    ),
    (
        "logo",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="2.2" stroke-linejoin="round" d="M7 2H2.2v12H7M9 2h4.8v12H9"/><path stroke="currentColor" stroke-width="2.2" d="M5 8h6"/>"#,
    ),
    (
        "pending",
        "0 0 16 16",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M8 4.6V8l2.3 1.5"/>"#,
    ),
    (
        "search",
        "0 0 16 16",
        r#"<circle cx="7" cy="7" r="4.4" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="m10.4 10.4 3.4 3.4"/>"#,
    ),
    (
        "stale",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M13.4 6.2A5.8 5.8 0 0 0 2.6 5.8M2.6 9.8a5.8 5.8 0 0 0 10.8.4M13.6 2.6v3.6H10M2.4 13.4V9.8H6"/>"#,
    ),
    (
        "unknown",
        "0 0 16 16",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M6.2 6.3c.2-2.4 3.7-2.2 3.6 0 0 1.4-1.8 1.4-1.8 2.7M8 11.4v.1"/>"#,
    ),
    (
        "unverified",
        "0 0 16 16",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/><path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M5.4 8h5.2"/>"#,
    ),
    (
        "verified",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" stroke-width="2" d="m3 8.6 3.2 3.2L13 4.6"/>"#,
    ),
    (
        "warning",
        "0 0 16 16",
        r#"<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="M8 2.2 14.4 13.4H1.6ZM8 6.4v3M8 11.4v.1"/>"#,
    ),
    (
        "wip",
        "0 0 16 16",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" stroke-dasharray="2.2 3.3"/><circle cx="8" cy="8" r="1.6" fill="currentColor"/>"#,
    ),
];

/// Renders an icon that screen readers skip, because the text next to it has the same meaning.
pub(crate) fn icon(name: &str) -> Markup {
    html! { svg class="i" aria-hidden="true" { (reference(name)) } }
}

/// Renders the line between a consumer and a provider, in the style of a status.
pub(crate) fn line(status: &str) -> Markup {
    html! { svg class="link" data-status=(status) aria-hidden="true" { (reference(&format!("l-{status}"))) } }
}

fn reference(name: &str) -> Markup {
    debug_assert!(SYMBOLS.iter().any(|(known, ..)| *known == name), "unknown icon {name}");
    html! { use href={ "#i-" (name) } {} }
}

/// Renders the definitions of all symbols to which the HTML in `page` refers.
pub(crate) fn sprite(page: &str) -> Markup {
    let is_used = |name: &str| page.contains(&format!("\"#i-{name}\""));
    html! {
        svg class="sprite" aria-hidden="true" {
            @for (name, view_box, content) in SYMBOLS.iter().filter(|(name, ..)| is_used(name)) {
                symbol id={ "i-" (name) } viewBox=(view_box) { (PreEscaped(content)) }
            }
        }
    }
}
