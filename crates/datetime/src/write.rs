//! Writes a date and time in a compiled format.

use crate::DateTime;
use crate::field::Item;

/// Writes a date and time, including optional sections.
pub(crate) fn write(items: &[Item], at: &DateTime) -> String {
    let mut out = String::new();
    for item in items {
        match item {
            Item::Literal(text) => out.push_str(text),
            Item::Number(number) => number.write(number.quantity.value_at(at), &mut out),
            Item::Fraction(fraction) => {
                let nanosecond = format!("{:09}", at.nanosecond());
                out.push_str(&nanosecond[..fraction.digits]);
            }
            Item::Name(names, style) => out.push_str(names.text(*style, names.index_at(at))),
            Item::Offset(style) => style.write(at.offset_seconds(), &mut out),
            Item::Zone(style) => style.write(at.zone(), at.offset_seconds(), &mut out),
            Item::Open(_) | Item::Close => {}
        }
    }
    out
}
