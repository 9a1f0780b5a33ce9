use std::sync::Arc;

/// Something that happened, for whoever keeps logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How much it matters.
    pub level: Level,
    /// What happened.
    pub message: String,
    /// More of it, by name.
    pub fields: Vec<(&'static str, String)>,
}

/// How much an entry matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A request was answered, the broker began or ended.
    Info,
    /// Something needs attention.
    Error,
}

/// Where entries go.
pub type Log = Arc<dyn Fn(&Entry) + Send + Sync>;
