//! Renders the interactions of a contract: examples, and next to each line its matching rule in words.

mod changes;
mod example;
mod interaction;
mod markdown;
mod rules;

pub use changes::{Change, Effect, InteractionChanges, Side, changes};
pub use interaction::{InteractionView, Mismatch, Outcome};
pub(crate) use interaction::{index, show, show_within};
