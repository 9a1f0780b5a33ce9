use std::time::Duration;

/// Timeouts for plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Timeout from starting the process until the plugin is ready. Default: 60 s.
    pub start: Duration,
    /// Advice on raising the start timeout, for error messages, such as "raise the plugin start timeout".
    pub start_raised_by: &'static str,
    /// Timeout for each call. Default: 30 s.
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
