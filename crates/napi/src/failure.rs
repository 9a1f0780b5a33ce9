//! Failures as data. The JavaScript code creates its errors from them, because under Jest, an error created here would
//! belong to another realm.

use contract::Spelling;
use napi_derive::napi;

/// The reason why a call failed.
#[napi(object)]
pub struct Failure {
    /// A JSON object with `kind`, `code`, `message`, and details that depend on the kind. `kind` is `argument`,
    /// `broker`, `file`, `server`, `verification`, or `internal`.
    pub failure: String,
}

impl<E: Into<contract::Failure>> From<E> for Failure {
    fn from(error: E) -> Self {
        let failure = error.into().to_json(&TypeScript).to_text();
        Self { failure }
    }
}

/// Returns the name that an operation of the core has in TypeScript, such as `versions.describe` for
/// `describe_version`.
#[napi]
pub fn spelled(name: String) -> String {
    TypeScript.operation(&name)
}

/// Operations of the core whose TypeScript names are not simply their names in camel case.
const OTHER_NAMES: [(&str, &str); 22] = [
    ("with_graphql", "withGraphQL"),
    ("create_environment", "environments.create"),
    ("delete_environment", "environments.delete"),
    ("describe_environment", "environments.describe"),
    ("list_environments", "environments.list"),
    ("update_environment", "environments.update"),
    ("create_or_update_pacticipant", "pacticipants.createOrUpdate"),
    ("delete_pacticipant", "pacticipants.delete"),
    ("describe_pacticipant", "pacticipants.describe"),
    ("list_pacticipants", "pacticipants.list"),
    ("create_or_update_version", "versions.createOrUpdate"),
    ("describe_version", "versions.describe"),
    ("create_version_tag", "versions.tag"),
    ("delete_version_tag", "versions.untag"),
    ("delete_branch", "branches.delete"),
    ("list_branches", "branches.list"),
    ("create_or_update_webhook", "webhooks.createOrUpdate"),
    ("create_webhook", "webhooks.create"),
    ("delete_webhook", "webhooks.delete"),
    ("list_webhooks", "webhooks.list"),
    ("test_webhook", "webhooks.test"),
    ("list_latest_contracts", "listContracts"),
];

/// Converts names of the core to TypeScript names.
pub(crate) struct TypeScript;

impl Spelling for TypeScript {
    fn operation(&self, name: &str) -> String {
        let other = OTHER_NAMES.iter().find(|(core, _)| *core == name);
        match (other, name.strip_prefix("contract_ffi.")) {
            (Some((_, ours)), _) => (*ours).to_owned(),
            (None, Some(function)) => format!("contract_ffi.{}", self.option(function)),
            (None, None) => self.option(name),
        }
    }

    fn option(&self, name: &str) -> String {
        let mut parts = name.split('_');
        let mut camel = parts.next().unwrap_or_default().to_owned();
        for word in parts {
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
