//! Runs a consumer test against the other answers (responses or messages) that its contract allows.

mod report;
mod run;
mod settings;

pub use report::{FailedVariant, VariantReport, VariantStep};
pub use run::{CallbackEnd, ServedAnswer, VariantEnd};

pub(crate) use report::report;

pub(crate) use run::{RunEnd, VariantRun, served};
pub(crate) use settings::{VariantSettings, resolve};
