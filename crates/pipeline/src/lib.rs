//! What CI jobs do with contracts and a broker: read sources, publish, ask for verdicts, detect the CI system.

#![forbid(unsafe_code)]

mod broker;
mod environment;
mod identity;
mod sources;

pub use broker::*;
pub use environment::*;
pub use identity::identity;
pub use sources::*;
