/// Why there is no broker: with the exit code that says so.
pub(super) struct Stopped {
    pub(super) code: u8,
    pub(super) text: String,
}

pub(super) fn usage(text: impl Into<String>) -> Stopped {
    Stopped {
        code: 2,
        text: text.into(),
    }
}

pub(super) fn failed(text: impl Into<String>) -> Stopped {
    Stopped {
        code: 1,
        text: text.into(),
    }
}
