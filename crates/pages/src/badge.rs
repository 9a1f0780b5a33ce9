//! Renders badges: small SVG images with a label and a result, for READMEs.

use maud::{Markup, html};

/// The meaning of a badge, which determines its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadgeTone {
    Good,
    Bad,
    Neutral,
}

impl BadgeTone {
    /// Returns the background color. White text on it has a contrast of at least 4.5:1.
    fn color(self) -> &'static str {
        match self {
            Self::Good => "#14713f",
            Self::Bad => "#b42323",
            Self::Neutral => "#5f6977",
        }
    }
}

/// Space to the left and to the right of a text, in pixels.
const PADDING: f64 = 6.0;

/// Renders a badge as SVG, 20 pixels high. The width is computed for Verdana; `textLength` fits the texts in other
/// fonts into it.
pub fn badge(label: &str, text: &str, tone: BadgeTone) -> String {
    let [left, right] = [label, text].map(|text| (text_width(text) + 2.0 * PADDING).ceil());
    let (width, color) = (left + right, tone.color());
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height="20" role="img" aria-label={ (label) ": " (text) } {
            title { (label) ": " (text) }
            clipPath id="corners" { rect width=(width) height="20" rx="3" {} }
            g clip-path="url(#corners)" {
                rect width=(left) height="20" fill="#3b434f" {}
                rect x=(left) width=(right) height="20" fill=(color) {}
            }
            g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" {
                (text_element(label, PADDING))
                (text_element(text, left + PADDING))
            }
        }
    };
    picture.into_string()
}

fn text_element(text: &str, x: f64) -> Markup {
    let width = format!("{:.1}", text_width(text));
    html! { text x=(x) y="14" textLength=(width) lengthAdjust="spacingAndGlyphs" { (text) } }
}

/// Returns the approximate width of a text in Verdana at 11 pixels, in pixels.
fn text_width(text: &str) -> f64 {
    text.chars().map(letter_width).sum()
}

fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '\'' => 3.1,
        ' ' | 'f' | ',' | '.' => 3.9,
        't' | 'I' | '!' | '|' => 4.5,
        'r' | 'J' | '-' | '/' | ':' | ';' | '(' | ')' | '[' | ']' | '"' => 4.9,
        'c' | 's' | 'z' | '?' => 5.8,
        'F' | 'L' => 6.3,
        'v' | 'x' | 'y' | 'k' | 'a' | 'e' | 'o' | 'P' | 'T' | 'Y' => 6.6,
        'G' | 'H' | 'D' | 'N' | 'O' | 'Q' | 'U' => 8.4,
        'M' => 9.3,
        'w' | '+' | '=' | '<' | '>' | '#' | '~' => 9.0,
        'm' | 'W' | '@' => 10.8,
        '%' => 11.8,
        'A'..='Z' => 7.6,
        letter if letter.is_ascii() => 6.95,
        // Letters of other scripts are at most as wide as high.
        _ => 11.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_depends_on_the_letters() {
        let narrow = badge("ill", "yes", BadgeTone::Good);
        let wide = badge("WWW", "yes", BadgeTone::Good);
        let width = |svg: &str| -> f64 {
            let text = svg.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
            text.and_then(|text| text.parse().ok()).expect("a width")
        };
        assert!(width(&wide) > width(&narrow) + 20.0);
    }

    #[test]
    fn texts_are_escaped() {
        let svg = badge("<script>", "\"&", BadgeTone::Bad);
        assert!(svg.contains("aria-label=\"&lt;script&gt;: &quot;&amp;\""), "{svg}");
        assert!(!svg.contains("<script>"), "{svg}");
    }
}
