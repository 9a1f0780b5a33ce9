//! The part of plugins in an interaction. Plugins are separate processes, so each call is asynchronous.

use std::fmt;
use std::pin::Pin;

use contract_matching::{ActualRequest, Mismatch};
use contract_model::{Body, HttpInteraction};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the interaction without the plugin's part, which the core compares and generates.
    fn core(&self) -> &HttpInteraction;
    /// Returns the final mismatches, given those that the core found.
    fn judge<'a>(&'a self, actual: &'a ActualRequest, found: Vec<Mismatch>) -> BoxFuture<'a, Vec<Mismatch>>;
    /// Returns true if a plugin generates the response body or values in it.
    fn generates(&self) -> bool;
    /// Returns the response body, given the core's body and the server's base URL.
    fn generate<'a>(&'a self, body: Body, url: &'a str) -> BoxFuture<'a, Result<Body, Box<Mismatch>>>;
}
