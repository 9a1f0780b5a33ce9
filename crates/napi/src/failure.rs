//! What went wrong, as data. The JavaScript side makes errors of it: an error made here would belong to another realm
//! under Jest.

use contract::{ArgumentError, BrokerFailure, FileError, ServeError, Spelling, VerifyError, WriteProblem};
use napi_derive::napi;

/// What went wrong: which kind of error to make of it, its stable code, its text.
#[napi(object)]
#[derive(Default)]
pub struct Failure {
    /// `argument`, `broker`, `file`, `server`, `verification` or `internal`.
    pub kind: String,
    /// Stable, `ERR_CONTRACT_…`.
    pub code: String,
    /// The text.
    pub message: String,
    /// The file or directory it is about.
    pub path: Option<String>,
    /// The host that a server was to listen on.
    pub host: Option<String>,
    /// The port that a server was to listen on.
    pub port: Option<u16>,
    /// The operating system's number of the error.
    pub errno: Option<i32>,
    /// The call that refused its arguments: `withHeader`, `match.eachLike`.
    pub operation: Option<String>,
    /// The argument or option that it refused.
    pub argument: Option<String>,
    /// Where in the argument, or in what is defined.
    pub place: Option<String>,
    /// Where the interaction was begun.
    pub origin: Option<String>,
    /// What a broker answered: JSON text of `status`, `notices` and `published`.
    pub broker: Option<String>,
}

/// Names of the core as TypeScript spells them.
pub(crate) struct TypeScript;

impl Spelling for TypeScript {
    fn operation(&self, name: &str) -> String {
        match name {
            "with_graphql" => "withGraphQL".into(),
            name => match name.strip_prefix("contract_ffi.") {
                Some(function) => format!("contract_ffi.{}", self.option(function)),
                None => self.option(name),
            },
        }
    }

    fn option(&self, name: &str) -> String {
        let mut words = name.split('_');
        let mut camel = words.next().unwrap_or_default().to_owned();
        for word in words {
            let mut letters = word.chars();
            camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            camel.push_str(letters.as_str());
        }
        camel
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{{ {}: {value} }}", self.option(name))
    }
}

impl Failure {
    fn new(kind: &str, code: &str, message: &impl ToString) -> Self {
        Self {
            kind: kind.into(),
            code: code.into(),
            message: message.to_string(),
            ..Self::default()
        }
    }

    /// A fault of the core itself.
    pub(crate) fn internal(message: &impl ToString) -> Self {
        Self::new("internal", "ERR_CONTRACT_INTERNAL", message)
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self {
            operation: error.operation.as_deref().map(|name| TypeScript.operation(name)),
            argument: error.argument.as_deref().map(|name| TypeScript.option(name)),
            place: error.place.clone(),
            origin: error.origin.clone(),
            ..Self::new("argument", error.code, &error.text(&TypeScript))
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let path = error.path().display().to_string();
        Self {
            path: Some(path),
            ..Self::new("file", error.code(), &error)
        }
    }
}

impl From<WriteProblem> for Failure {
    fn from(problem: WriteProblem) -> Self {
        match problem {
            WriteProblem::File(error) => error.into(),
            WriteProblem::Argument(error) => error.into(),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Argument(error) => error.into(),
            ServeError::Start(ref start) => Self {
                host: start.host().map(str::to_owned),
                port: start.port(),
                errno: start.os_error(),
                ..Self::new("server", error.code(), &error)
            },
        }
    }
}

impl From<BrokerFailure> for Failure {
    fn from(failure: BrokerFailure) -> Self {
        match failure {
            BrokerFailure::Argument(error) => error.into(),
            other => Self {
                broker: Some(other.details().to_text()),
                ..Self::new("broker", other.code(), &other.text(&TypeScript))
            },
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::File(error) => error.into(),
            VerifyError::Argument(error) => error.into(),
            other => Self::new("verification", other.code(), &other.text(&TypeScript)),
        }
    }
}
