//! Checks a string against a compiled format.

use crate::facts::{Decimals, Facts};
use crate::field::{Fraction, Item};
use crate::problem::{ParseProblem, ParseProblemKind};
use crate::reader::Reader;

pub(crate) fn check(items: &[Item], text: &str) -> Result<(), ParseProblem> {
    let mut walk = Walk {
        reader: Reader::new(text),
        facts: Facts::new(),
        sections: Vec::new(),
        farthest: None,
    };
    walk.run(items).map_err(|(at, kind)| ParseProblem::new(text, at, kind))
}

/// Each item is tried at most once: an optional section either matches as a whole or is skipped.
struct Walk<'t> {
    reader: Reader<'t>,
    facts: Facts,
    /// The optional sections around the current item, outermost first.
    sections: Vec<Section<'t>>,
    /// The problem furthest into the text among those in skipped sections. `None` if no section was skipped.
    farthest: Option<Problem>,
}

/// The state to restore if an optional section does not match.
struct Section<'t> {
    close: usize,
    reader: Reader<'t>,
    facts: Facts,
}

type Problem = (usize, ParseProblemKind);

impl Walk<'_> {
    fn run(&mut self, items: &[Item]) -> Result<(), Problem> {
        let mut index = 0;
        while let Some(item) = items.get(index) {
            match self.step(item) {
                Ok(()) => index += 1,
                Err(problem) => {
                    let problem = self.farther(problem);
                    let Some(section) = self.sections.pop() else {
                        return Err(problem);
                    };
                    self.farthest = Some(problem);
                    self.reader = section.reader;
                    self.facts = section.facts;
                    index = section.close + 1;
                }
            }
        }
        if !self.reader.rest().is_empty() {
            return Err(self.farther((self.reader.at(), ParseProblemKind::Trailing)));
        }
        self.facts.contradiction().map_or(Ok(()), Err)
    }

    /// Returns `problem`, or the problem of a skipped section if that one is further into the text.
    fn farther(&self, problem: Problem) -> Problem {
        let further = self.farthest.as_ref().filter(|farthest| farthest.0 > problem.0);
        further.cloned().unwrap_or(problem)
    }

    fn step(&mut self, item: &Item) -> Result<(), Problem> {
        let at = self.reader.at();
        self.read(item, at).map_err(|kind| (at, kind))
    }

    fn read(&mut self, item: &Item, at: usize) -> Result<(), ParseProblemKind> {
        let reader = &mut self.reader;
        let (agrees, field) = match item {
            Item::Open(close) => {
                self.sections.push(Section {
                    close: *close,
                    reader: *reader,
                    facts: self.facts,
                });
                return Ok(());
            }
            Item::Close => {
                self.sections.pop();
                return Ok(());
            }
            Item::Literal(text) if reader.eat(text) => return Ok(()),
            Item::Literal(text) => {
                return Err(ParseProblemKind::Literal {
                    expected: text.to_string(),
                });
            }
            Item::Number(number) => {
                let value = number.read(reader)?;
                (
                    self.facts.learn_number(number.quantity, value, at),
                    number.quantity.name(),
                )
            }
            Item::Fraction(fraction) => (self.facts.learn_fraction(read_fraction(*fraction, reader)?), "fraction"),
            Item::Name(names, style) => {
                let expected = ParseProblemKind::Name {
                    expected: names.expected(*style),
                };
                let (bits, length) = names.read(*style, reader.rest()).ok_or(expected)?;
                reader.skip(length);
                (self.facts.learn_names(*names, bits, at), names.singular())
            }
            Item::Offset(style) => (self.facts.learn_offset(style.read(reader)?), "offset"),
            Item::Zone(style) => return style.read(reader),
        };
        if agrees {
            Ok(())
        } else {
            Err(ParseProblemKind::Contradiction { field })
        }
    }
}

fn read_fraction(fraction: Fraction, reader: &mut Reader<'_>) -> Result<Decimals, ParseProblemKind> {
    let found = reader.count_digits(fraction.digits);
    if found == 0 || (fraction.exact && found < fraction.digits) {
        return Err(ParseProblemKind::Fraction {
            digits: fraction.digits,
            exact: fraction.exact,
        });
    }
    let digits = reader.skip(found);
    let value = digits
        .bytes()
        .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Ok(Decimals {
        value,
        digits: u32::try_from(found).expect("nine digits at most"),
    })
}
