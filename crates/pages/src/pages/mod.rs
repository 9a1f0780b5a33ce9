//! The pages of the broker.

pub mod admin;
pub mod application;
pub mod can_i_deploy;
pub mod diff;
pub mod environments;
pub mod first_steps;
pub mod graph;
pub mod matrix;
pub mod overview;
pub mod pact;
pub mod problem;
pub mod sign_in;
pub mod webhooks;

pub use crate::parts::Pages;
