use std::time::Duration;

/// Timeouts for plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Timeout from the start of the process until the plugin is ready. Default: 60 s.
    pub start: Duration,
    /// How users can raise the start timeout, for error messages. Example: "raise the option start".
    pub start_raised_by: &'static str,
    /// Timeout for each call.
    pub call: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            // Plugins that run on a virtual machine need several seconds.
            start: Duration::from_secs(60),
            start_raised_by: "raise the plugin start timeout",
            call: Duration::from_secs(30),
        }
    }
}
