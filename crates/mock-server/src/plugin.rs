//! Interface to plugins that take part in serving an interaction. Plugins are separate processes, so all calls are
//! asynchronous.

use std::fmt;
use std::pin::Pin;

use contract_matching::{ActualRequest, Mismatch};
use contract_model::{Body, HttpInteraction};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the interaction without the parts that plugins compare or generate.
    fn core(&self) -> &HttpInteraction;
    /// Returns the complete list of mismatches. `found` contains those that this crate found; plugins may add or remove
    /// some.
    fn judge<'a>(&'a self, actual: &'a ActualRequest, found: Vec<Mismatch>) -> BoxFuture<'a, Vec<Mismatch>>;
    /// Returns true if a plugin generates the response body or values in it.
    fn generates(&self) -> bool;
    /// Returns the response body. `body` contains the values that this crate generated. `url` is the server's base URL.
    fn generate<'a>(&'a self, body: Body, url: &'a str) -> BoxFuture<'a, Result<Body, Box<Mismatch>>>;
}
