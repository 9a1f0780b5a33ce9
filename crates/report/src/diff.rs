//! Differences between two texts, line by line.
//!
//! One algorithm is called by name: the convenient `TextDiff` brings all that `similar` has into the binary, more than a
//! megabyte.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Replace, myers};
use similar::{ChangeTag, DiffOp};

/// Lines of a text that are searched to the end.
const FEW: usize = 2_000;
/// Longest search for the smallest difference among more.
const LONGEST: Duration = Duration::from_millis(200);

/// Lines that differ, with those around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group<'a> {
    /// The lines in order.
    pub(crate) lines: Vec<Line<'a>>,
    expected: Range<usize>,
    actual: Range<usize>,
}

/// One line of a difference. Its text begins with `-`, `+` or a blank when it is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// It stands in both.
    Same(&'a str),
    /// It was expected and did not arrive.
    Expected(&'a str),
    /// It arrived and was not expected.
    Actual(&'a str),
}

impl<'a> Line<'a> {
    /// The line itself.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Same(text) | Self::Expected(text) | Self::Actual(text) => text,
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self {
            Self::Same(_) => ' ',
            Self::Expected(_) => '-',
            Self::Actual(_) => '+',
        };
        write!(f, "{sign}{}", self.text())
    }
}

impl Group<'_> {
    /// Where the group stands, as unified diffs write it: `@@ -1,3 +1,4 @@`.
    pub(crate) fn header(&self) -> String {
        format!("@@ -{} +{} @@", lines_of(&self.expected), lines_of(&self.actual))
    }
}

/// The first line, counted from 1, and the number of lines unless it is 1.
fn lines_of(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

/// What differs between two lists of lines, in groups, each with so many unchanged lines around it. None when they agree.
///
/// Among few lines the smallest difference is found, whatever the clock says; among many it is searched for a while, and then
/// a larger one will do: the search takes the number of lines times the number of differences.
pub(crate) fn groups<'a>(expected: &[&'a str], actual: &[&'a str], context: usize) -> Vec<Group<'a>> {
    let deadline = (expected.len().max(actual.len()) > FEW).then(|| Instant::now() + LONGEST);
    let mut hook = Replace::new(Capture::new());
    let (all, actuals) = (0..expected.len(), 0..actual.len());
    let operations = match myers::diff_deadline_raw(&mut hook, expected, all, actual, actuals, deadline) {
        Ok(()) => hook.into_inner().into_grouped_ops(context),
    };
    operations
        .iter()
        .map(|group| group_of(group, expected, actual))
        .collect()
}

fn group_of<'a>(operations: &[DiffOp], expected: &[&'a str], actual: &[&'a str]) -> Group<'a> {
    let lines = operations
        .iter()
        .flat_map(|operation| operation.iter_changes(expected, actual))
        .map(|change| {
            let text: &'a str = change.value();
            match change.tag() {
                ChangeTag::Equal => Line::Same(text),
                ChangeTag::Delete => Line::Expected(text),
                ChangeTag::Insert => Line::Actual(text),
            }
        });
    let span = |range: fn(&DiffOp) -> Range<usize>| {
        let start = operations.first().map_or(0, |first| range(first).start);
        let end = operations.last().map_or(0, |last| range(last).end);
        start..end
    };
    Group {
        lines: lines.collect(),
        expected: span(DiffOp::old_range),
        actual: span(DiffOp::new_range),
    }
}

#[cfg(test)]
mod tests {
    use super::groups;

    fn shown(expected: &str, actual: &str) -> String {
        let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
        let groups = groups(&expected, &actual, 1);
        let lines = groups.iter().flat_map(|group| {
            let lines = group.lines.iter().map(ToString::to_string);
            std::iter::once(group.header()).chain(lines)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn groups_stand_apart() {
        assert_eq!(
            shown("a\nb\nc\nd\ne\nf\ng", "x\nb\nc\nd\ne\nf\ng\nh"),
            "@@ -1,2 +1,2 @@\n-a\n+x\n b\n@@ -7 +7,2 @@\n g\n+h"
        );
        assert_eq!(shown("", "a"), "@@ -0,0 +1 @@\n+a");
        assert_eq!(shown("a", "a"), "");
    }

    #[test]
    fn texts_that_have_nothing_in_common_are_given_up_in_time() {
        let text = |word: &str| {
            let lines: Vec<_> = (0..30_000).map(|n| format!("{word} {n}")).collect();
            lines.join("\n")
        };
        assert!(shown(&text("a"), &text("b")).starts_with("@@ -1,30000 +1,30000 @@"));
    }
}
