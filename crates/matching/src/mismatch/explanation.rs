//! Additional information about a mismatch.

use bytes::Bytes;

use super::Mismatch;

/// Additional information about a mismatch, as data. The report crate formats it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Explanation {
    /// The two values of the mismatch are different strings.
    Texts,
    /// The two values of the mismatch are documents with different members.
    Documents,
    /// The two values of the mismatch are objects with different keys. Members that both have are compared
    /// separately.
    Keys,
    /// Two different texts: bodies, or outlines of XML elements. They are shared, because many mismatches may contain
    /// them.
    Between {
        /// UTF-8.
        expected: Bytes,
        /// UTF-8.
        actual: Bytes,
    },
    Bytes {
        expected: Bytes,
        actual: Bytes,
    },
    /// The message of a plugin, possibly several lines.
    Text(String),
    /// Two equal numbers, one an integer and the other a decimal.
    NumberKinds,
    /// The mismatch is in a key, not in its value.
    Key,
    EmptyList,
    /// The closest item of an array.
    Nearest {
        /// The index in the array.
        index: usize,
        /// Number of items that were searched, if not all.
        among: Option<usize>,
        /// The first mismatches of this item.
        mismatches: Vec<Mismatch>,
        /// Number of further mismatches.
        more: usize,
    },
    /// The example cannot be parsed as its content type; the bodies were compared as text.
    AsText {
        /// The expected format, and why the example does not have it.
        reason: String,
        /// A further explanation.
        more: Option<Box<Explanation>>,
    },
    /// One of several alternatives failed. One of them must match.
    Alternatives {
        /// A further explanation, shown instead of the general one.
        more: Option<Box<Explanation>>,
    },
    FirstOnly(usize),
    /// The mismatch is in one of several messages.
    InMessage {
        /// Counted from 1.
        number: usize,
        /// Number of messages.
        count: usize,
        /// A further explanation.
        more: Option<Box<Explanation>>,
    },
}
