//! The resources of the broker's HTTP API and its pages: the table of routes, and a handler for each route. Handlers
//! parse a request, call a use case in a transaction, and create the reply. They use no sockets.
#![forbid(unsafe_code)]

pub mod action;
pub mod actor;
mod audit;
mod branches;
mod deletions;
mod environments;
pub mod fields;
pub mod forms;
mod index;
mod lists;
pub mod live;
mod matrix;
mod overview;
mod pacticipants;
mod pacts;
pub mod pages;
pub mod params;
pub mod problem;
mod protection;
mod publish;
pub mod reply;
pub mod request;
mod results;
pub mod routes;
pub mod rule;
mod sample;
#[cfg(test)]
mod scale;
mod selection;
mod states;
mod tokens;
pub mod urls;
mod users;
mod versions;
pub mod visitor;
mod webhooks;

pub use audit::body as audit_entry;
pub use tokens::members as token_members;
