//! Renders the subset of Markdown that comments in contracts can use: paragraphs, lists, emphasis, code, and links.
//! Everything else is displayed as plain text.

use maud::{Markup, html};

pub(super) fn show(text: &str) -> Markup {
    let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    html! { @for block in blocks { (show_block(block)) } }
}

fn show_block(block: &str) -> Markup {
    let lines: Vec<&str> = block.lines().map(str::trim).collect();
    let item = |line: &'_ str| {
        line.strip_prefix("- ")
            .or_else(|| line.strip_prefix("* "))
            .map(str::to_owned)
    };
    let items: Vec<String> = lines.iter().filter_map(|line| item(line)).collect();
    html! {
        @if !items.is_empty() && items.len() == lines.len() {
            ul { @for item in &items { li { (inline(item)) } } }
        } @else {
            p { (inline(&lines.join(" "))) }
        }
    }
}

/// Renders the text of a line. Links and code cannot contain other formatting.
fn inline(text: &str) -> Markup {
    let Some((at, found)) = first(text) else {
        return html! { (text) };
    };
    let (before, rest) = (&text[..at], &text[at + found.length..]);
    html! {
        (before)
        @match found.kind {
            Kind::Code => code { (found.text) },
            Kind::Strong => strong { (inline(found.text)) },
            Kind::Emphasis => em { (inline(found.text)) },
            Kind::Link(url) => a href=(url) rel="nofollow noopener" { (found.text) },
        }
        (inline(rest))
    }
}

struct Mark<'a> {
    kind: Kind<'a>,
    text: &'a str,
    length: usize,
}

enum Kind<'a> {
    Code,
    Strong,
    Emphasis,
    Link(&'a str),
}

/// Maximum length of text with formatting, in bytes. Longer text is not formatted, so that it cannot exhaust the stack.
const MAX_LENGTH: usize = 4_096;

fn first(text: &str) -> Option<(usize, Mark<'_>)> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut starts = text
        .char_indices()
        .filter(|(_, character)| matches!(character, '`' | '*' | '['));
    starts.find_map(|(at, _)| Some((at, mark(&text[at..])?)))
}

fn mark(text: &str) -> Option<Mark<'_>> {
    let enclosed = |mark: &str| {
        let rest = text.strip_prefix(mark)?;
        let end = rest.find(mark).filter(|end| *end > 0)?;
        Some((&rest[..end], end + 2 * mark.len()))
    };
    if let Some((text, length)) = enclosed("`") {
        return Some(Mark {
            kind: Kind::Code,
            text,
            length,
        });
    }
    let is_tight = |(text, _): &(&str, usize)| !text.starts_with(' ') && !text.ends_with(' ');
    if let Some((text, length)) = enclosed("**").filter(is_tight) {
        return Some(Mark {
            kind: Kind::Strong,
            text,
            length,
        });
    }
    if let Some((text, length)) = enclosed("*").filter(is_tight) {
        return Some(Mark {
            kind: Kind::Emphasis,
            text,
            length,
        });
    }
    let rest = text.strip_prefix('[')?;
    let (label, target) = rest.split_once("](")?;
    let (url, _) = target.split_once(')')?;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let is_plain = !label.contains('[') && !url.contains(char::is_whitespace);
    (is_web && is_plain).then_some(Mark {
        kind: Kind::Link(url),
        text: label,
        length: label.len() + url.len() + 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_html(text: &str) -> String {
        show(text).into_string()
    }

    #[test]
    fn shows_paragraphs_lists_and_marks() {
        assert_eq!(
            shown_html("See [ADR 31](https://adr.example/31) and `x`.\n\n- **EUR** *only*\n- b"),
            "<p>See <a href=\"https://adr.example/31\" rel=\"nofollow noopener\">ADR 31</a> and <code>x</code>.</p>\
             <ul><li><strong>EUR</strong> <em>only</em></li><li>b</li></ul>"
        );
    }

    #[test]
    fn all_other_text_is_literal() {
        assert_eq!(shown_html("<img src=x> **a"), "<p>&lt;img src=x&gt; **a</p>");
        assert_eq!(shown_html("[a](javascript:alert)"), "<p>[a](javascript:alert)</p>");
        assert_eq!(
            shown_html("[a](https://b\" onclick=\"c)"),
            "<p>[a](https://b&quot; onclick=&quot;c)</p>"
        );
        assert_eq!(shown_html("2 * 3 * 4 `` ** **"), "<p>2 * 3 * 4 `` ** **</p>");
        let long = "*a* ".repeat(100_000);
        assert!(shown_html(&long).len() >= long.len());
    }
}
