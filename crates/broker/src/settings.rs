//! Parses the configuration file.

use std::path::Path;

use serde::Deserialize as _;
use toml::{Table, Value};

use contract_broker_remote::identity::{self, Issuer, IssuerEntry, IssuerError, LoginEntry, LoginSettings};

/// The settings in a configuration file.
#[derive(Debug)]
pub struct Settings {
    pub issuers: Vec<Issuer>,
    /// The `OpenID` provider with which people sign in. `None` if the file does not contain `login`.
    pub login: Option<LoginSettings>,
    /// Long names of command-line options (without `--`), each with its values.
    pub options: Vec<(String, Vec<String>)>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file is not valid TOML, or `issuers` or `login` contains an unknown or invalid setting.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error(transparent)]
    Issuer(#[from] IssuerError),
    #[error("the setting {0:?} must be a string, a number, true, false, or an array of these values")]
    Value(String),
}

impl Settings {
    /// Parses a configuration file. Relative paths in `issuers` and `login` are resolved in `directory`.
    pub fn parse(text: &str, directory: &Path) -> Result<Self, SettingsError> {
        let mut table: Table = text.parse()?;
        let entries = match table.remove("issuers") {
            None => Vec::new(),
            Some(entries) => Vec::<IssuerEntry>::deserialize(entries)?,
        };
        let login = table.remove("login").map(LoginEntry::deserialize).transpose()?;
        let options = table.into_iter().map(|(name, value)| match values(&value) {
            Some(values) => Ok((name, values)),
            None => Err(SettingsError::Value(name)),
        });
        Ok(Self {
            issuers: identity::issuers(entries, directory)?,
            login: login.map(|entry| identity::login(entry, directory)).transpose()?,
            options: options.collect::<Result<_, _>>()?,
        })
    }
}

fn values(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Boolean(value) => Some(vec![value.to_string()]),
        Value::Array(all) if !all.iter().any(Value::is_array) => {
            let lists: Option<Vec<Vec<String>>> = all.iter().map(values).collect();
            Some(lists?.concat())
        }
        Value::Array(_) | Value::Table(_) | Value::Datetime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = r#"
        [[issuers]]
        preset = "github"
        audience = "https://broker.example.com"
        [[issuers.rules]]
        claims = { repository_id = 42, ref = ["refs/heads/main", "refs/tags/*"] }
        scopes = ["publish:web", "deploy:staging"]
    "#;

    fn error(text: &str) -> String {
        Settings::parse(text, Path::new("/etc"))
            .expect_err("an error")
            .to_string()
    }

    #[test]
    fn parses_issuers_and_options() {
        let text =
            format!("listen = \"0.0.0.0:80\"\npublic-read = true\nbase-url = [\"http://a\", \"http://b\"]\n{ISSUER}");
        let settings = Settings::parse(&text, Path::new("/etc")).expect("settings");
        let option = |name: &str| {
            let found = settings.options.iter().find(|(known, _)| known == name);
            found.map(|(_, values)| values.join(" "))
        };
        assert_eq!(option("public-read").as_deref(), Some("true"));
        assert_eq!(option("base-url").as_deref(), Some("http://a http://b"));
        let issuer = &settings.issuers[0];
        assert_eq!(issuer.url, "https://token.actions.githubusercontent.com");
        assert_eq!(issuer.rules[0].excluded.get("event_name"), Some(&"pull_request_target"));
        assert_eq!(issuer.rules[0].claims["repository_id"][0].to_string(), "42");
    }

    #[test]
    fn errors_name_the_entry_and_the_solution() {
        let rule = |claims: &str| {
            format!(
                "[[issuers]]\npreset = \"github\"\naudience = \"a\"\n[[issuers.rules]]\nclaims = {claims}\nscopes = [\"read\"]"
            )
        };
        for (text, expected) in [
            ("listen = ", "expected"),
            ("x = { y = 1 }", "the setting \"x\" must be a string"),
            ("[[issuers]]\naudience = \"a\"", "issuers[0]: set issuer to"),
            ("[[issuers]]\npreset = \"github\"", "missing field `audience`"),
            ("[[issuers]]\npreset = \"jenkins\"\naudience = \"a\"", "unknown variant"),
            ("[[issuers]]\nsecret = \"a\"\naudience = \"a\"", "unknown field"),
            (
                "[[issuers]]\nissuer = \"http://ci\"\naudience = \"a\"",
                "must start with https://",
            ),
            (
                "[[issuers]]\npreset = \"gitlab\"\naudience = \" \"",
                "audience must not be empty",
            ),
            ("[[issuers]]\npreset = \"gitlab\"\naudience = \"a\"", "has no rules"),
            (&rule("{}"), "claims must not be empty"),
            (
                &rule("{ ref = \"refs/heads/main\" }"),
                "claims must contain one of repository_id, ",
            ),
            (&rule("{ repository = \"*\" }"), "claims must contain one of"),
            (
                &rule("{ repository_id = { a = 1 } }"),
                "claims.repository_id must be a string",
            ),
            (
                &rule("{ repository_id = 1 }").replace("read", "sudo"),
                "\"sudo\" is not a scope",
            ),
            (
                &rule("{ repository_id = 1 }").replace("[\"read\"]", "[]"),
                "scopes must have at least 1",
            ),
            (&format!("{ISSUER}{ISSUER}"), "appears twice"),
        ] {
            let found = error(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
