//! A broker as a source of contracts: URL, credentials, and selectors.

use std::collections::BTreeMap;

use contract_broker_client::{Access, Credentials};
use contract_model::Json;
use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::invalid::{invalid, text_or_options};
use super::selector::{SelectorOperation, SelectorOptions, SelectorState};
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{message, operation, option, setting};
use contract_call::read::{self, Argument, Document, Milliseconds};
use contract_call::value;
use contract_pipeline::Environment;

/// Options for a broker source. If the URL or a credential is not set, it is read from `CONTRACT_BROKER_BASE_URL`,
/// `CONTRACT_BROKER_USERNAME`, `CONTRACT_BROKER_PASSWORD`, or `CONTRACT_BROKER_TOKEN`, or else from the variable with
/// the prefix `PACT_BROKER_`. If it is `null`, its variable is ignored.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BrokerSourceOptions {
    /// Base URL of the broker. It may contain `user:password@`.
    pub url: Override,
    /// User name for basic authentication. If set, a token from the environment is ignored.
    pub username: Override,
    /// Password for basic authentication. Default: empty.
    pub password: Override,
    /// Token for bearer authentication. If set, a user name and password from the environment are ignored.
    pub token: Override,
    /// Additional headers of each request to the broker. Default: none.
    pub headers: Option<BTreeMap<String, String>>,
    /// Timeout for a request to the broker, in milliseconds. Default: 60000.
    pub timeout: Option<Milliseconds<1>>,
    /// Whether the URL and the credentials may be read from environment variables. Default: true.
    pub use_env: Option<bool>,
    /// Which contracts to fetch: [`SelectorOptions`](crate::SelectorOptions), or `true` to start a selector builder. By
    /// default, the broker returns the latest version of each contract.
    pub selector: Argument<SelectorOptions>,
}

impl std::fmt::Debug for BrokerSourceOptions {
    /// Prints no credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrokerSourceOptions").finish_non_exhaustive()
    }
}

/// A string option that can be `null`, so that its environment variable is ignored.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Override {
    /// The option is not set, so its environment variable applies.
    #[default]
    Absent,
    /// The option is `null`, so its environment variable is ignored.
    Nothing,
    /// The value of the option. It overrides the environment variable.
    Text(String),
}

impl<'de> Deserialize<'de> for Override {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::Null => Ok(Self::Nothing),
            Json::String(text) => Ok(Self::Text(text.into())),
            // Print only the type, because the value may be a secret.
            other => Err(de::Error::custom(format!(
                "must be a string, received {}",
                value::describe_type(&other)
            ))),
        }
    }
}

impl Override {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Nothing => None,
        }
    }

    fn or(&self, environment: Option<String>) -> Option<String> {
        match self {
            Self::Absent => environment,
            Self::Nothing => None,
            Self::Text(text) => Some(text.clone()),
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct BrokerPlace {
    pub(super) options: BrokerSourceOptions,
    pub(super) selected: SelectorState,
    /// The number of this `broker_source` call, starting with 1.
    number: u64,
}

impl std::fmt::Debug for BrokerPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrokerPlace")
            .field("selected", &self.selected)
            .finish_non_exhaustive()
    }
}

impl BrokerPlace {
    /// Reads the arguments of `broker_source`. `before` is the broker of the previous call, which this one replaces.
    pub(crate) fn new(options: Argument<BrokerSourceOptions>, before: Option<&Self>) -> Result<Self, ArgumentError> {
        let url = |url| BrokerSourceOptions {
            url: Override::Text(url),
            ..BrokerSourceOptions::default()
        };
        let mut options = match options {
            Argument::Value(options) => options,
            Argument::Json(json) if json.is_null() || value::is_undefined(&json) => BrokerSourceOptions::default(),
            Argument::Json(json) => {
                let expected = "options must be a base URL or { url, username, password, token, selector }";
                text_or_options(json, url, ("options", expected))?
            }
        };
        let from_options =
            |options| SelectorState::from_options(options).map_err(|error: ArgumentError| error.within("selector"));
        let selected = match std::mem::take(&mut options.selector) {
            Argument::Value(options) => from_options(options)?,
            Argument::Json(Json::Null | Json::Bool(false)) => SelectorState::default(),
            Argument::Json(Json::Bool(true)) => SelectorState::open(),
            Argument::Json(object @ Json::Object(_)) if value::describe(&object).is_none() => {
                from_options(read::options(OPTIONS, object)?)?
            }
            Argument::Json(other) => {
                let message = message![
                    option("selector"),
                    format!(
                        " must be an object, or true to use the selector builder; received {}",
                        read::describe(&other)
                    )
                ];
                return Err(invalid(message).for_argument("selector"));
            }
        };
        options.check()?;
        Ok(Self {
            options,
            selected,
            number: before.map_or(0, |before| before.number) + 1,
        })
    }

    /// Applies a call of the selector builder. `source` is the number of the `broker_source` call that returned the
    /// builder. `None` means the last call.
    pub(crate) fn select(&mut self, source: Option<u64>, call: SelectorOperation) -> Result<(), ArgumentError> {
        if source.is_some_and(|number| number != self.number) {
            let message = message![
                "this selector can no longer be used: a later call to ",
                operation("broker_source"),
                "() replaced its broker"
            ];
            return Err(invalid(message));
        }
        self.selected.apply(call)
    }

    /// Fails if the selector builder was started but not finished.
    pub(crate) fn check(&self) -> Result<(), ArgumentError> {
        if !self.selected.is_open() {
            return Ok(());
        }
        let message = message![
            "the selector started by ",
            setting("selector", "true"),
            " was not finished; call ",
            operation("build")
        ];
        Err(invalid(message).in_operation("broker_source").for_argument("selector"))
    }

    pub(crate) fn provider_branch(&self) -> Option<&str> {
        self.selected.provider_branch()
    }

    fn access(&self, environment: &Environment) -> Access {
        let BrokerSourceOptions {
            url,
            username,
            password,
            token,
            ..
        } = &self.options;
        let found = if self.options.use_env == Some(false) {
            Access::default()
        } else {
            environment.broker()
        };
        let text = |option: &Override| option.text().map(str::to_owned);
        let explicit = Access {
            url: text(url),
            username: text(username),
            password: text(password),
            token: text(token),
        };
        let both = explicit.or(found);
        Access {
            url: url.or(both.url),
            username: username.or(both.username),
            password: password.or(both.password),
            token: token.or(both.token),
        }
    }

    pub(super) fn resolved(&self, environment: &Environment) -> Result<(String, Credentials), ArgumentError> {
        self.access(environment).resolve().map_err(|error| {
            let message = error.to_string();
            invalid(message).in_operation("broker_source")
        })
    }

    /// Returns the broker's credentials if the URL is below the broker's base URL, otherwise `None`.
    pub(super) fn opens(&self, environment: &Environment, url: &str) -> Option<Credentials> {
        let (base, credentials) = self.access(environment).resolve().ok()?;
        is_below(url, &base).then_some(credentials)
    }

    pub(super) fn headers(&self) -> Vec<(String, String)> {
        self.options.headers.clone().unwrap_or_default().into_iter().collect()
    }
}

/// Returns true if the URL is below the base URL. The broker's credentials are sent only to such URLs.
pub(super) fn is_below(url: &str, base: &str) -> bool {
    let base = format!("{}/", contract_wire::without_credentials(base).trim_end_matches('/'));
    url.starts_with(&base)
}

impl BrokerSourceOptions {
    /// Fails if options are empty or contradict each other, regardless of the environment.
    fn check(&self) -> Result<(), ArgumentError> {
        for (name, value) in [("url", &self.url), ("username", &self.username), ("token", &self.token)] {
            if value.text().is_some_and(|text| text.trim().is_empty()) {
                return Err(invalid(message![option(name), " is empty"]).for_argument(name));
            }
        }
        let has_basic = self.username.text().is_some() || self.password.text().is_some();
        let has_token = self.token.text().is_some();
        if has_basic && has_token {
            let message = message![
                "pass either ",
                option("username"),
                " and ",
                option("password"),
                " or ",
                option("token"),
                ", not both"
            ];
            return Err(invalid(message).for_argument("token"));
        }
        if let Some(url) = self.url.text() {
            contract_wire::check_url(url).map_err(|error| invalid(error.to_string()).for_argument("url"))?;
            if contract_wire::without_credentials(url) != url && (has_basic || has_token) {
                let message = "pass credentials either in the URL or in the options, not in both";
                return Err(invalid(message).for_argument("url"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{Argument, BrokerPlace, is_below};
    use contract_pipeline::Environment;

    fn place(options: &str) -> Result<BrokerPlace, String> {
        let options = Argument::Json(Json::parse(options.as_bytes()).unwrap());
        BrokerPlace::new(options, None).map_err(|error| error.to_string())
    }

    fn environment(variables: &str) -> Environment {
        Environment::from_json(&Json::parse(variables.as_bytes()).unwrap())
    }

    #[track_caller]
    fn resolved(options: &str, variables: &str) -> String {
        let (url, credentials) = match place(options).unwrap().access(&environment(variables)).resolve() {
            Ok(resolved) => resolved,
            Err(error) => return error.to_string(),
        };
        let displayed = match credentials {
            contract_broker_client::Credentials::None => "anonymous".to_owned(),
            contract_broker_client::Credentials::Basic { username, password } => format!("{username}:{password}"),
            contract_broker_client::Credentials::Token(token) => token,
        };
        format!("{displayed} at {url}")
    }

    #[test]
    fn options_override_the_environment() {
        let basic = r#"{"CONTRACT_BROKER_BASE_URL": "http://e", "CONTRACT_BROKER_USERNAME": "me", "CONTRACT_BROKER_PASSWORD": "pw"}"#;
        let token = r#"{"PACT_BROKER_BASE_URL": "http://old", "PACT_BROKER_TOKEN": "tok"}"#;
        for (options, variables, want) in [
            ("null", basic, "me:pw at http://e"),
            ("{}", token, "tok at http://old"),
            (r#"{"url": "http://h"}"#, basic, "me:pw at http://h"),
            (r#"{"token": "mine"}"#, basic, "mine at http://e"),
            (r#"{"username": "you"}"#, token, "you: at http://old"),
            (r#""http://a:b@h/x""#, token, "a:b at http://h/x"),
            (
                r#"{"url": "http://h", "useEnv": false}"#,
                basic,
                "anonymous at http://h",
            ),
            (
                r#"{"username": null, "password": null}"#,
                basic,
                "anonymous at http://e",
            ),
            (r#"{"token": null}"#, token, "anonymous at http://old"),
        ] {
            assert_eq!(resolved(options, variables), want, "{options} {variables}");
        }
        assert!(resolved("{}", "{}").contains("CONTRACT_BROKER_BASE_URL"));
        assert!(resolved(r#"{"useEnv": false}"#, basic).contains("no broker URL"));
    }

    #[test]
    fn rejects_contradictions_without_printing_secrets() {
        for (options, expected) in [
            (r#"{"username": "hush", "token": "hush"}"#, "not both"),
            (r#"{"url": "http://a:hush@h", "token": "hush"}"#, "not in both"),
            (r#"{"url": "broker.example"}"#, "http"),
            (r#"{"url": ""}"#, "url"),
            (r#"{"token": " "}"#, "token is empty"),
            (r#"{"token": 7}"#, "token must be a string"),
            (r#"{"tokn": "hush"}"#, "Did you mean \"token\"?"),
            (r#"{"selector": "main"}"#, "selector must be an object"),
            (
                r#"{"selector": {"consumerVersions": [{}]}}"#,
                "selector: selector 1: no versions",
            ),
            ("7", "options must be a base URL"),
        ] {
            let error = place(options).unwrap_err();
            assert!(error.contains(expected), "{options}: {error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn rejects_an_unfinished_builder() {
        let place = place(r#"{"url": "http://h", "selector": true}"#).unwrap();
        assert!(place.check().unwrap_err().to_string().contains("call build"));
    }

    #[test]
    fn recognizes_urls_below_the_base_url() {
        assert!(
            is_below("https://b/x/pacts/1", "https://b/x/") && is_below("https://b/x/pacts/1", "https://me:pw@b/x")
        );
        assert!(!is_below("https://b.evil/x", "https://b") && !is_below("https://b/xy", "https://b/x"));
    }
}
