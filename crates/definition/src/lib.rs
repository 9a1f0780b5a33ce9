//! Defines the interactions of a consumer test with builders and matchers. Each call validates its own arguments.

#![forbid(unsafe_code)]

mod builder;
pub mod clock;
pub mod end_warnings;
mod examples;
mod graphql;
mod literal;
mod matchers;
mod patterns;
pub mod plugins;
mod xml_names;

pub use builder::*;
pub use matchers::*;
pub use patterns::regex_from_javascript;
