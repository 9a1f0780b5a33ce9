//! Options for a test broker. They are passed to its executable as environment variables.

use serde::Deserialize;

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::json::parse_json;
use contract_call::message::{Message, message, option};
use contract_call::read;

/// Options for a test broker.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TestBrokerOptions {
    /// Storage of the broker: `memory`, `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST/NAME`. Default: `memory`.
    pub db: Option<String>,
    /// Port on 127.0.0.1; 0 selects a free port. Default: 0.
    pub port: Option<u16>,
    /// Credentials of a user with read and write access. Default: no authentication.
    pub credentials: Option<TestBrokerCredentials>,
    /// Credentials of a user with read access only. Requires `credentials`. Default: no such user.
    pub read_only_credentials: Option<TestBrokerCredentials>,
}

/// The user name and password of a broker user.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestBrokerCredentials {
    /// User name. Must not be empty or contain a colon.
    pub username: String,
    /// Password. Must not be empty.
    pub password: String,
}

impl TestBrokerOptions {
    /// Reads the options from JSON text. Invalid credentials are an error, because without credentials everyone has
    /// access.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = parse_json(text)?;
        let read: Result<Self, _> = read::options(OPTIONS, json);
        read.and_then(|options| options.check().map(|()| options))
            .map_err(|error| error.in_operation("start_broker"))
    }

    fn check(&self) -> Result<(), ArgumentError> {
        let is_database = |text: &str| {
            let has_path = text.strip_prefix("sqlite:").is_some_and(|path| !path.is_empty());
            text == "memory" || has_path || text.starts_with("postgres://") || text.starts_with("postgresql://")
        };
        if self.db.as_deref().is_some_and(|text| !is_database(text)) {
            // Never print the value, because it may contain a password.
            return Err(invalid(
                "db",
                " must be memory, sqlite:PATH, or postgres://USER:PASSWORD@HOST/NAME",
            ));
        }
        for (name, credentials) in self.named() {
            credentials.check(name)?;
        }
        if self.read_only_credentials.is_some() && self.credentials.is_none() {
            let message = message![" requires ", option("credentials"), ": without them, anyone can write"];
            return Err(invalid("read_only_credentials", message));
        }
        Ok(())
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, &TestBrokerCredentials)> {
        let all = [
            ("credentials", &self.credentials),
            ("read_only_credentials", &self.read_only_credentials),
        ];
        all.into_iter()
            .filter_map(|(name, credentials)| Some((name, credentials.as_ref()?)))
    }

    /// Returns the environment variables with these options, for the broker's executable.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            (
                "CONTRACT_BROKER_DATABASE_URL",
                self.db.clone().unwrap_or_else(|| "memory".to_owned()),
            ),
            (
                "CONTRACT_BROKER_LISTEN",
                format!("127.0.0.1:{}", self.port.unwrap_or(0)),
            ),
        ];
        for (name, TestBrokerCredentials { username, password }) in self.named() {
            let (user_variable, password_variable) = match name {
                "credentials" => (
                    "CONTRACT_BROKER_BASIC_AUTH_USERNAME",
                    "CONTRACT_BROKER_BASIC_AUTH_PASSWORD",
                ),
                _ => (
                    "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME",
                    "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD",
                ),
            };
            variables.push((user_variable, username.clone()));
            variables.push((password_variable, password.clone()));
        }
        variables
    }
}

impl TestBrokerCredentials {
    fn check(&self, argument: &'static str) -> Result<(), ArgumentError> {
        for (name, value) in [("username", &self.username), ("password", &self.password)] {
            let problem = if value.is_empty() {
                " must not be empty"
            } else if value.contains('\0') {
                " must not contain a null character"
            } else if name == "username" && value.contains(':') {
                " must not contain a colon"
            } else {
                continue;
            };
            let message = message![option(format!("{argument}.{name}")), problem];
            return Err(ArgumentError::new(OPTIONS, message).for_argument(argument));
        }
        Ok(())
    }
}

fn invalid(argument: &'static str, problem: impl Into<Message>) -> ArgumentError {
    let message = message![option(argument), problem.into()];
    ArgumentError::new(OPTIONS, message).for_argument(argument)
}

#[cfg(test)]
mod tests {
    use super::TestBrokerOptions;

    fn refused(text: &str) -> String {
        TestBrokerOptions::from_text(text)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn rejects_invalid_options() {
        for (text, expected) in [
            (r#"{"prot": 1}"#, "port"),
            (r#"{"credentials": "a"}"#, "credentials must be"),
            (r#"{"credentials": {"user": "a", "pass": "b"}}"#, "user"),
            (r#"{"credentials": {"username": "a"}}"#, "password is missing"),
            (
                r#"{"credentials": {"username": "", "password": "b"}}"#,
                "must not be empty",
            ),
            (r#"{"credentials": {"username": "a:b", "password": "b"}}"#, "colon"),
            (
                r#"{"read_only_credentials": {"username": "a", "password": "b"}}"#,
                "requires credentials",
            ),
            (r#"{"db": "secret"}"#, "db must be memory"),
        ] {
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        assert!(!refused(r#"{"db": "hush"}"#).contains("hush"));
    }

    #[test]
    fn converts_options_to_environment_variables() {
        let options = TestBrokerOptions::from_text(r#"{"credentials": {"username": "a", "password": "b"}}"#);
        let variables = options.map(|options| options.variables()).unwrap_or_default();
        let expected = [
            ("CONTRACT_BROKER_DATABASE_URL", "memory"),
            ("CONTRACT_BROKER_LISTEN", "127.0.0.1:0"),
            ("CONTRACT_BROKER_BASIC_AUTH_USERNAME", "a"),
            ("CONTRACT_BROKER_BASIC_AUTH_PASSWORD", "b"),
        ];
        assert_eq!(variables, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
