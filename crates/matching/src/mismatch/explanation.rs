//! What there is to say of a mismatch beside its sentence.

use bytes::Bytes;

use super::Mismatch;

/// What explains a mismatch, as data; the text is made where people are told of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Explanation {
    /// The two values of the mismatch are texts that should be equal.
    Texts,
    /// The two values of the mismatch are documents: they differ member by member.
    Documents,
    /// The two values of the mismatch are objects. Members that both have are compared by themselves.
    Keys,
    /// These two texts differ: bodies, or outlines of elements. They are shared, not copied: many mismatches may hold them.
    Between {
        /// The expected one, UTF-8.
        expected: Bytes,
        /// The actual one, UTF-8.
        actual: Bytes,
    },
    /// These bytes differ.
    Bytes {
        /// The expected ones.
        expected: Bytes,
        /// The actual ones.
        actual: Bytes,
    },
    /// What somebody else says of it, in lines: the comparison of a plugin, or the last that it wrote.
    Said(String),
    /// Two numbers of the same value are of different kinds.
    NumberKinds,
    /// It is about the key of a member.
    Key,
    /// The list has no items.
    EmptyList,
    /// The item that comes closest to what was looked for in a list.
    Nearest {
        /// Its place in the list.
        index: usize,
        /// Among how many of the first items it was looked for, when there are more.
        among: Option<usize>,
        /// What keeps it from being the one, the first few.
        mismatches: Vec<Mismatch>,
        /// How many more differences there are.
        more: usize,
    },
    /// The example is not of its own type; the bodies were compared as text.
    AsText {
        /// What the example is not, and why.
        reason: String,
        /// What else there is to say.
        more: Option<Box<Explanation>>,
    },
    /// It is one of several alternatives, of which one is enough.
    Alternatives {
        /// What else there is to say, and more important.
        more: Option<Box<Explanation>>,
    },
    /// Only so many mismatches are listed.
    FirstOnly(usize),
    /// It was found in one of several messages.
    InMessage {
        /// Which, counted from 1.
        number: usize,
        /// Of how many.
        count: usize,
        /// What else there is to say.
        more: Option<Box<Explanation>>,
    },
}
