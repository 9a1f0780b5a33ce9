//! The rules of publications, selections, and verdicts as plain functions without storage or HTTP.

pub(crate) mod content;
pub(crate) mod matrix;
pub(crate) mod names;
pub(crate) mod query;
pub(crate) mod rules;
pub(crate) mod selector;
pub(crate) mod time;
pub(crate) mod verdict;
