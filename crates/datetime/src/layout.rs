//! Compiles a format: pairs brackets and determines the widths of adjacent numbers.

use crate::FormatError;
use crate::field::{Fraction, Item, field};
use crate::names::{Names, Style};
use crate::number::Number;
use crate::scan::{Token, TokenKind};

pub(crate) fn compile(tokens: Vec<Token>) -> Result<Vec<Item>, FormatError> {
    let names_era = tokens
        .iter()
        .any(|token| matches!(token.kind, TokenKind::Letters('G', _)));
    let mut items = Vec::with_capacity(tokens.len());
    let mut open = Vec::new();
    for Token { kind, column } in tokens {
        let item = match kind {
            TokenKind::Letters(letter, count) => field(letter, count, column, names_era)?,
            TokenKind::Literal(text) => Item::Literal(text.into()),
            TokenKind::Open => {
                open.push((items.len(), column));
                Item::Open(0)
            }
            TokenKind::Close => {
                let (start, _) = open.pop().ok_or(FormatError::UnopenedSection { column })?;
                items[start] = Item::Open(items.len());
                Item::Close
            }
        };
        items.push(item);
    }
    if let Some((_, column)) = open.pop() {
        return Err(FormatError::UnclosedSection { column });
    }
    separate_numbers(&mut items);
    Ok(items)
}

/// Determines the widths of adjacent numbers: `yyyyMMdd` has 4, 2, and 2 digits, and the hour of `Hmm` has all digits
/// before the last two. Brackets do not separate numbers, and optional fields reserve no digits.
fn separate_numbers(items: &mut [Item]) {
    let mut after_number = false;
    for item in items.iter_mut() {
        match item {
            Item::Open(_) | Item::Close => continue,
            Item::Number(number) => number.adjacent |= after_number,
            Item::Fraction(fraction) => fraction.exact |= after_number,
            _ => {}
        }
        after_number = matches!(item, Item::Number(_) | Item::Fraction(_));
    }

    let mut following = Digits::default();
    for item in items.iter_mut().rev() {
        match item {
            Item::Open(_) => following.reserved = 0,
            Item::Close => {}
            Item::Number(number) => following = following.before_number(number),
            Item::Fraction(fraction) => following = following.before_fraction(fraction),
            Item::Literal(text) => following = following.before_literal(text),
            Item::Name(Names::Quarter, Style::Full | Style::Narrow) => {
                following = Digits {
                    begin: true,
                    reserved: 1,
                }
            }
            Item::Name(..) | Item::Offset(_) | Item::Zone(_) => following = Digits::default(),
        }
    }
}

/// The digits with which the rest of the format starts. `begin` is true if there are any.
#[derive(Clone, Copy, Default)]
struct Digits {
    begin: bool,
    /// Number of digits that the text must leave for the rest of the format.
    reserved: usize,
}

impl Digits {
    fn before_number(self, number: &mut Number) -> Self {
        number.adjacent |= self.begin;
        number.reserved = self.reserved;
        Self {
            begin: true,
            reserved: number.fixed_digits().map_or(0, |digits| digits + self.reserved),
        }
    }

    fn before_fraction(self, fraction: &mut Fraction) -> Self {
        fraction.exact |= self.begin;
        Self {
            begin: true,
            reserved: fraction.digits + self.reserved,
        }
    }

    fn before_literal(self, text: &str) -> Self {
        match text.bytes().take_while(u8::is_ascii_digit).count() {
            0 => Self::default(),
            digits if digits == text.len() => Self {
                begin: true,
                reserved: digits + self.reserved,
            },
            digits => Self {
                begin: true,
                reserved: digits,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    /// Checks the width, adjacency, and reserved digits of each number in a format.
    #[track_caller]
    fn check(format: &str, want: &[(usize, bool, usize)]) {
        let items = compile(scan(format).unwrap()).unwrap();
        let found: Vec<_> = items.iter().filter_map(layout).collect();
        assert_eq!(found, want, "{format}");
    }

    fn layout(item: &Item) -> Option<(usize, bool, usize)> {
        match item {
            Item::Number(number) => Some((number.letters, number.adjacent, number.reserved)),
            Item::Fraction(fraction) => Some((fraction.digits, fraction.exact, 0)),
            _ => None,
        }
    }

    #[test]
    fn separated_numbers_reserve_nothing() {
        check("yyyy-MM", &[(4, false, 0), (2, false, 0)]);
    }

    #[test]
    fn adjacent_numbers_reserve_the_digits_of_those_that_follow() {
        check("yyyyMMdd", &[(4, true, 4), (2, true, 2), (2, true, 0)]);
        check("ssSSS", &[(2, true, 3), (3, true, 0)]);
        check("H'15x'", &[(1, true, 2)]);
        check("HQQQQQ", &[(1, true, 1)]);
    }

    #[test]
    fn optional_sections_touch_but_reserve_nothing() {
        check("HH[mm]", &[(2, true, 0), (2, true, 0)]);
        check("[Hmm]ss", &[(1, true, 4), (2, true, 2), (2, true, 0)]);
    }

    #[test]
    fn brackets_pair() {
        let error = |format| compile(scan(format).unwrap()).unwrap_err();
        assert_eq!(error("yyyy[-MM[-dd]"), FormatError::UnclosedSection { column: 5 });
        assert_eq!(error("yyyy]"), FormatError::UnopenedSection { column: 5 });
    }
}
