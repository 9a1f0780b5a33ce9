//! Options for publishing results.

use contract_broker_client::ProviderVersion;
use serde::Deserialize;

use super::invalid::{invalid, name_problem, text_or_options};
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation, option};
use contract_call::read::Argument;

/// The provider version for which results are published, and its build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PublishOptions {
    /// Version of the provider, usually the commit. `auto` reads the version from the CI system or git, and also the
    /// branch and the build URL if they are not set. Required.
    pub version: String,
    /// Branch of the version. Default: the selector's provider branch. If the selector sets no provider branch, this
    /// branch is used for it.
    pub branch: Option<String>,
    /// Tags of the version, which are a legacy alternative to the branch. Default: none.
    pub tags: Vec<String>,
    /// URL of the build, which the broker shows with the result. Default: none.
    pub build_url: Option<String>,
}

impl PublishOptions {
    pub(super) fn read(options: Argument<Self>, branch: Option<String>) -> Result<Self, ArgumentError> {
        let version = |version| Self {
            version,
            ..Self::default()
        };
        let expected = "options must be a version or { version, branch, tags, buildUrl }";
        let mut options = match options {
            Argument::Value(options) => options,
            Argument::Json(json) => text_or_options(json, version, ("options", expected))?,
        };
        if branch.is_some() {
            if options.branch.is_some() {
                let message = message!["pass ", option("branch"), " only once"];
                return Err(invalid(message).for_argument("branch"));
            }
            options.branch = branch;
        }
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Result<(), ArgumentError> {
        if self.version.is_empty() {
            let message = message![
                option("version"),
                " is missing; pass the verified provider version, usually the commit"
            ];
            return Err(invalid(message).for_argument("version"));
        }
        let texts = std::iter::once(("version", &self.version))
            .chain(self.branch.iter().map(|branch| ("branch", branch)))
            .chain(self.tags.iter().map(|tag| ("tags", tag)));
        for (name, text) in texts {
            let Some(problem) = name_problem(text) else { continue };
            return Err(invalid(message![option(name), problem]).for_argument(name));
        }
        if let Some(url) = &self.build_url {
            contract_wire::check_url(url).map_err(|error| invalid(error.to_string()).for_argument("build_url"))?;
        }
        Ok(())
    }

    pub(super) fn version(&self, branch: Option<&str>) -> ProviderVersion {
        ProviderVersion {
            number: self.version.clone(),
            branch: branch.map(str::to_owned),
            tags: self.tags.clone(),
        }
    }
}

/// Returns the error for a filter together with publish options. Results are published for whole contracts, so the
/// results of selected interactions cannot be published.
pub(super) fn refuse_filter() -> ArgumentError {
    let message = message![
        "results are published for whole contracts, but a filter excludes interactions; remove the filter or ",
        operation("set_publish_options"),
    ];
    invalid(message)
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{Argument, PublishOptions};

    fn read(options: &str, branch: Option<&str>) -> Result<PublishOptions, String> {
        let options = Argument::Json(Json::parse(options.as_bytes()).unwrap());
        PublishOptions::read(options, branch.map(str::to_owned)).map_err(|error| error.to_string())
    }

    #[test]
    fn accepts_a_version_or_an_object() {
        let options = read(r#""7""#, Some("main")).unwrap();
        assert_eq!(
            (options.version.as_str(), options.branch.as_deref()),
            ("7", Some("main"))
        );
        let options = read(
            r#"{"version": "7", "branch": "feat/x", "tags": ["a"], "buildUrl": "https://ci.example/1"}"#,
            None,
        )
        .unwrap();
        assert_eq!(options.tags, ["a"]);
    }

    #[test]
    fn rejects_invalid_options() {
        for (options, expected) in [
            ("{}", "version is missing"),
            (r#""""#, "version is missing"),
            (r#"{"version": " "}"#, "version is empty"),
            (r#"{"version": "1\n2"}"#, "version contains line breaks"),
            (r#"{"version": "1", "branch": ""}"#, "branch is empty"),
            (r#"{"version": "1", "tags": ["a", ""]}"#, "tags is empty"),
            (r#"{"version": "1", "buildUrl": "ci"}"#, "ci"),
            (r#"{"version": 1}"#, "version must be a string"),
            (r#"{"version": "1", "tag": "a"}"#, "Did you mean \"tags\"?"),
            ("null", "received null"),
        ] {
            let error = read(options, None).unwrap_err();
            assert!(error.contains(expected), "{options}: {error}");
        }
        assert!(
            read(r#"{"version": "1", "branch": "a"}"#, Some("b"))
                .unwrap_err()
                .contains("only once")
        );
    }
}
