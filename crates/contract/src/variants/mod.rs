//! Runs a consumer test against other answers (responses or messages) that its contract allows.

mod report;
mod run;
mod settings;
mod suite;

pub use report::{FailedVariant, VariantReport, VariantStep};
pub use run::{CallbackEnd, ListedVariant, ServedAnswer, VariantEnd};

pub(crate) use report::{report, unread_report, untried};

pub(crate) use run::{NextRun, RunEnd, VariantRun, served};
pub(crate) use settings::{VariantSettings, resolve, resolve_list};
pub(crate) use suite::{SuiteResults, SuiteTest};
