//! Compares two texts line by line.
//!
//! This module calls the diff algorithm directly, because `TextDiff` from the `similar` crate adds more than a megabyte
//! to the binary.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Replace, myers};
use similar::{ChangeTag, DiffOp};

/// Maximum number of lines (of the longer input) to compare without a time limit.
const EXACT_LINES: usize = 2_000;
/// Time limit for longer inputs than [`EXACT_LINES`].
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// A group of changed lines with the unchanged lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group<'a> {
    pub(crate) lines: Vec<Line<'a>>,
    expected: Range<usize>,
    actual: Range<usize>,
}

/// A line of a diff. Starts with `-`, `+`, or a space when displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Same(&'a str),
    Expected(&'a str),
    Actual(&'a str),
}

impl<'a> Line<'a> {
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
    /// Returns the header of the group in unified diff format: `@@ -1,3 +1,4 @@`.
    pub(crate) fn header(&self) -> String {
        format!("@@ -{} +{} @@", lines_of(&self.expected), lines_of(&self.actual))
    }
}

/// Formats a range of lines: the number of its first line, starting at 1, and the number of its lines unless it is 1.
fn lines_of(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

/// Compares two lists of lines. Returns groups of changes with up to `context` unchanged lines before and after each.
/// Returns no groups if the lists are equal.
///
/// The time is proportional to the number of lines multiplied by the number of changes. For short inputs, the diff is
/// minimal. For long inputs, the search stops after a time limit, and the diff might not be minimal.
pub(crate) fn groups<'a>(expected: &[&'a str], actual: &[&'a str], context: usize) -> Vec<Group<'a>> {
    let (expected, actual) = (comparable(expected), comparable(actual));
    let deadline = (expected.len().max(actual.len()) > EXACT_LINES).then(|| Instant::now() + TIME_LIMIT);
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

/// Returns the lines to compare. In WebAssembly, which has no clock for the time limit, these are only the first lines.
fn comparable<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    if cfg!(target_family = "wasm") {
        &lines[..lines.len().min(EXACT_LINES)]
    } else {
        lines
    }
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

    fn format(expected: &str, actual: &str) -> String {
        let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
        let groups = groups(&expected, &actual, 1);
        let lines = groups.iter().flat_map(|group| {
            let lines = group.lines.iter().map(ToString::to_string);
            std::iter::once(group.header()).chain(lines)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn groups_changes() {
        assert_eq!(
            format("a\nb\nc\nd\ne\nf\ng", "x\nb\nc\nd\ne\nf\ng\nh"),
            "@@ -1,2 +1,2 @@\n-a\n+x\n b\n@@ -7 +7,2 @@\n g\n+h"
        );
        assert_eq!(format("", "a"), "@@ -0,0 +1 @@\n+a");
        assert_eq!(format("a", "a"), "");
    }

    #[test]
    fn compares_unrelated_texts_quickly() {
        let text = |word: &str| {
            let lines: Vec<_> = (0..30_000).map(|n| format!("{word} {n}")).collect();
            lines.join("\n")
        };
        assert!(format(&text("a"), &text("b")).starts_with("@@ -1,30000 +1,30000 @@"));
    }
}
