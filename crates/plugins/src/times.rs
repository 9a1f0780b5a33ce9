use std::time::Duration;

/// Timeouts for plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the start of the process until the plugin is ready. Default: 60 s.
    pub start: Duration,
    /// How users raise it, for messages, for example "raise the option start".
    pub start_raised_by: &'static str,
    /// For each call.
    pub call: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            // Plugins on a virtual machine need seconds.
            start: Duration::from_secs(60),
            start_raised_by: "raise the start timeout of plugins",
            call: Duration::from_secs(30),
        }
    }
}
