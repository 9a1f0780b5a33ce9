//! Operations for CI jobs: read contract sources, publish, query verdicts, and detect the CI system.

#![forbid(unsafe_code)]

mod broker;
mod environment;
mod identity;
mod sources;

pub use broker::*;
pub use environment::*;
pub use identity::identity;
pub use sources::*;
