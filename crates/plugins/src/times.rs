//! How long plugins are waited for.

use std::time::Duration;

/// Bounds of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the start of its process until a plugin can be called.
    pub start: Duration,
    /// How people raise that, as in `raise the option start`: what a start that took too long is told with.
    pub start_raised_by: &'static str,
    /// For each call.
    pub call: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            // Plugins on a virtual machine take seconds.
            start: Duration::from_secs(60),
            start_raised_by: "raise the start time of plugins",
            call: Duration::from_secs(30),
        }
    }
}
