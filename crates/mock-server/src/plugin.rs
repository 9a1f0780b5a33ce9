//! What plugins do for an interaction. They are other programs, so each word of theirs is waited for; the comparisons of the
//! core are handed what they found.

use std::fmt;
use std::pin::Pin;

use contract_matching::{ActualRequest, Mismatch};
use contract_model::{Body, HttpInteraction};

/// A future on the heap that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What plugins do for one interaction.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// The interaction without what plugins do: the core compares and generates the rest.
    fn core(&self) -> &HttpInteraction;
    /// What differs in the end, given what the core found.
    fn judge<'a>(&'a self, actual: &'a ActualRequest, found: Vec<Mismatch>) -> BoxFuture<'a, Vec<Mismatch>>;
    /// Whether the body of the response is generated, or values in it are.
    fn generates(&self) -> bool;
    /// The body of the response, given what the core made of it, and the server's base URL; or why there is none.
    fn generate<'a>(&'a self, body: Body, url: &'a str) -> BoxFuture<'a, Result<Body, Box<Mismatch>>>;
}
