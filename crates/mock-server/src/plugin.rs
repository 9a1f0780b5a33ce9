//! Interface to plugins that take part in serving an interaction. Plugins are separate processes, so all calls are
//! asynchronous.

use std::fmt;
use std::pin::Pin;

use contract_matching::{ActualRequest, Mismatch};
use contract_model::{Body, HttpInteraction};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the part of the interaction that this crate compares and generates, without the parts that plugins
    /// process.
    fn core(&self) -> &HttpInteraction;
    /// Returns the final list of mismatches. `found` contains the mismatches that this crate found.
    fn judge<'a>(&'a self, actual: &'a ActualRequest, found: Vec<Mismatch>) -> BoxFuture<'a, Vec<Mismatch>>;
    /// Returns true if a plugin generates the response body or values in it.
    fn generates(&self) -> bool;
    /// Returns the body of the response. `body` is the body with the values that this crate generated, and `url` the
    /// base URL of the server.
    fn generate<'a>(&'a self, body: Body, url: &'a str) -> BoxFuture<'a, Result<Body, Box<Mismatch>>>;
}
