//! Additional information about mismatches.

use bytes::Bytes;

use super::Mismatch;

/// Additional information about a mismatch. The report crate formats it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Explanation {
    /// The two values of the mismatch are different strings.
    Texts,
    /// The two values of the mismatch are documents with different members.
    Documents,
    /// The two values of the mismatch are objects with different keys. Members that exist in both objects are compared
    /// separately.
    Keys,
    /// Two different strings: bodies, or outlines of XML elements. They are shared, because many mismatches may refer
    /// to them.
    Between {
        /// Expected text in UTF-8.
        expected: Bytes,
        /// Actual text in UTF-8.
        actual: Bytes,
    },
    Bytes {
        expected: Bytes,
        actual: Bytes,
    },
    /// The message of a plugin, which may have several lines.
    Text(String),
    /// Two numbers with the same value, one of which is an integer and the other a decimal.
    NumberKinds,
    /// The mismatch concerns a key, not its value.
    Key,
    EmptyList,
    /// The item of an array that is closest to a missing variant.
    Nearest {
        /// Index of the item in the array.
        index: usize,
        /// Number of items that were compared. `None` if all of them were.
        among: Option<usize>,
        /// The first mismatches between the variant and this item.
        mismatches: Vec<Mismatch>,
        /// Number of mismatches that are not in `mismatches`.
        more: usize,
    },
    /// The example is not valid for its content type, so the bodies were compared as text.
    AsText {
        /// The content type of the example, and the reason why the example is not valid for it.
        reason: String,
        /// A further explanation of the same mismatch, if there is one.
        more: Option<Box<Explanation>>,
    },
    /// An alternative did not match. At least one of several alternatives must match.
    Alternatives {
        /// A more specific explanation, which is displayed instead of this one. `None` if there is none.
        more: Option<Box<Explanation>>,
    },
    FirstOnly(usize),
    /// The mismatch occurred in one of several messages.
    InMessage {
        /// Number of the message, counted from 1.
        number: usize,
        /// Total number of messages.
        count: usize,
        /// A further explanation of the same mismatch, if there is one.
        more: Option<Box<Explanation>>,
    },
}
