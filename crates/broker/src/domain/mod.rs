//! What a publication, a selection and a verdict are: plain functions, no storage, no HTTP.

pub(crate) mod content;
pub(crate) mod matrix;
pub(crate) mod names;
pub(crate) mod query;
pub(crate) mod rules;
pub(crate) mod selector;
pub(crate) mod time;
pub(crate) mod verdict;
