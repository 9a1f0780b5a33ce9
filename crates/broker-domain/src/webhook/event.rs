use serde_json::{Map, Value};

use super::template::{PARAMETERS, Parameters};

macro_rules! events {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// An event that triggers webhooks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event {
            $($variant),*
        }

        impl Event {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }
    };
}

events! {
    Published = "contract_published",
    ContentChanged = "contract_content_changed",
    RequiringVerification = "contract_requiring_verification_published",
    VerificationOverdue = "contract_verification_overdue",
    VerificationPublished = "provider_verification_published",
    VerificationSucceeded = "provider_verification_succeeded",
    VerificationFailed = "provider_verification_failed",
}

impl Event {
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// Returns the names of all events, separated by commas.
    pub fn names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|event| event.name()).collect();
        names.join(", ")
    }
}

/// The template parameters whose values are known when an event occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventData(Map<String, Value>);

impl EventData {
    /// Sets a parameter. Its name must be one of [`PARAMETERS`].
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        debug_assert!(PARAMETERS.contains(&name), "{name}");
        self.0.insert(name.to_owned(), Value::String(value.into()));
    }

    /// Sets the parameters for the verification status. CI services use different words for it, so there is one
    /// parameter for each. `None` means that the result is pending.
    pub fn set_verification(&mut self, success: Option<bool>) {
        let statuses = [
            ("githubVerificationStatus", ["success", "failure", "pending"]),
            ("bitbucketVerificationStatus", ["SUCCESSFUL", "FAILED", "INPROGRESS"]),
            ("azureDevOpsVerificationStatus", ["succeeded", "failed", "pending"]),
            ("gitlabVerificationStatus", ["success", "failed", "pending"]),
        ];
        for (name, [succeeded, failed, pending]) in statuses {
            let word = match success {
                Some(true) => succeeded,
                Some(false) => failed,
                None => pending,
            };
            self.set(name, word);
        }
    }

    /// Returns the parameters as JSON text for the database.
    pub fn to_json(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Parses the JSON text that [`EventData::to_json`] returned. Invalid text results in no parameters.
    pub fn parse(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    /// Returns the values of all parameters for rendering a template. Parameters that are not set are empty.
    pub fn parameters(&self) -> Parameters {
        let value = |name: &str| self.0.get(name).and_then(Value::as_str).unwrap_or_default();
        Parameters::new(PARAMETERS.iter().map(|name| (*name, value(name).to_owned())))
    }

    /// Returns the parameters that are set as a JSON object.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}
