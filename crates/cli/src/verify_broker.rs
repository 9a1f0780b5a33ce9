//! Broker options for `contract verify`: connection, consumer version selectors, and publication of results.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]

use clap::Args;
use contract::{
    Argument, BrokerSourceOptions, Environment, Json, Override, PublishOptions, SelectorOptions, VerifierOperation,
};

use crate::values::webhook_callback_url;
use crate::verify_contracts::Contracts;

#[derive(Args)]
#[command(next_help_heading = "Broker (variables can also start with PACT_BROKER_ instead of CONTRACT_BROKER_)")]
pub(crate) struct BrokerArguments {
    /// Base URL of the broker [default: CONTRACT_BROKER_BASE_URL, if there is no other source of contracts]
    #[arg(short, long, value_name = "URL", alias = "broker-base-url")]
    broker_url: Option<String>,

    /// User name for the broker [env: CONTRACT_BROKER_USERNAME]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["broker_token", "token"])]
    broker_username: Option<String>,

    /// Password for the broker; safer in an environment variable [env: CONTRACT_BROKER_PASSWORD]
    #[arg(long, value_name = "PASSWORD", conflicts_with_all = ["broker_token", "token"])]
    broker_password: Option<String>,

    /// Bearer token for the broker; safer in an environment variable [env: CONTRACT_BROKER_TOKEN]
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["user", "password"])]
    broker_token: Option<String>,

    /// Consumer version selector, or an array of selectors, as JSON, for example '{"mainBranch":true}' (repeatable)
    /// [default: main branches, deployed versions, and released versions]
    #[arg(long, value_name = "JSON", alias = "consumer-version-selector")]
    consumer_version_selectors: Vec<String>,

    /// Verify the latest consumer versions with this tag (repeatable, or separated by commas)
    #[arg(long, value_name = "TAG", value_delimiter = ',', alias = "consumer-version-tag")]
    consumer_version_tags: Vec<String>,

    /// Treat contracts that have never passed on the provider's branch as pending: their failures do not fail the build
    #[arg(long, alias = "include-pending")]
    enable_pending: bool,

    /// Also verify work-in-progress contracts published since this date, such as 2026-01-31: the latest contracts of
    /// consumer branches and tags that the selectors do not select and that have not yet passed on the provider's
    /// branch. Their failures do not fail the build (requires a provider branch or tags)
    #[arg(long, value_name = "DATE", alias = "include-wip-pacts-since")]
    include_wip_since: Option<String>,

    /// Branch of the provider version, such as main
    #[arg(long, value_name = "BRANCH", alias = "provider-version-branch")]
    provider_branch: Option<String>,

    /// Tag of the provider version (repeatable, or separated by commas)
    #[arg(long, value_name = "TAG", value_delimiter = ',', aliases = ["provider-tag", "provider-version-tag"])]
    provider_tags: Vec<String>,

    /// Number of retries of idempotent requests to the broker and to contract URLs, at most 100 [env:
    /// CONTRACT_BROKER_HTTP_RETRIES] [default: 5, or 2 if the connection is refused]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    retries: Option<u32>,

    /// Option of other Pact verifiers that is not supported
    #[arg(long, hide = true, value_name = "URL", value_parser = webhook_callback_url)]
    #[allow(dead_code, reason = "its parser rejects every value")]
    webhook_callback_url: Option<String>,

    /// Publish the results to the broker (requires --provider-version or --auto-detect-version-properties)
    #[arg(long, requires = "versioned")]
    publish: bool,

    /// Version of the provider, such as a commit SHA (requires --publish)
    #[arg(
        short = 'a',
        long,
        value_name = "VERSION",
        alias = "provider-app-version",
        requires = "publish"
    )]
    provider_version: Option<String>,

    /// Detect the version, branch, and build URL from the CI system or git, unless they are set (requires --publish)
    #[arg(short = 'r', long, requires = "publish", conflicts_with = "provider_version")]
    auto_detect_version_properties: bool,

    /// URL of the CI build (requires --publish)
    #[arg(long, value_name = "URL", requires = "publish")]
    build_url: Option<String>,
}

impl BrokerArguments {
    pub(crate) fn operations(&self, contracts: &Contracts, environment: &Environment) -> Vec<VerifierOperation> {
        let mut operations = Vec::new();
        if self.is_source(contracts, environment) {
            operations.push(VerifierOperation::BrokerSource {
                options: Argument::Value(self.source(contracts)),
            });
        }
        if self.publish {
            operations.push(VerifierOperation::SetPublishOptions {
                options: Argument::Value(self.publication()),
                branch: None,
            });
        }
        operations
    }

    /// Returns true if contracts are fetched from a broker. Environment variables alone select a broker only if there
    /// is no other source.
    fn is_source(&self, contracts: &Contracts, environment: &Environment) -> bool {
        let has_other = !(contracts.file.is_empty() && contracts.dir.is_empty() && contracts.url.is_empty());
        self.broker_url.is_some()
            || self.broker_username.is_some()
            || self.broker_token.is_some()
            || !self.consumer_version_selectors.is_empty()
            || !self.consumer_version_tags.is_empty()
            || self.enable_pending
            || self.include_wip_since.is_some()
            || (!has_other && environment.has_broker())
    }

    fn source(&self, contracts: &Contracts) -> BrokerSourceOptions {
        let option = |value: Option<&String>| value.cloned().map_or(Override::Absent, Override::Text);
        BrokerSourceOptions {
            url: option(self.broker_url.as_ref()),
            username: option(self.broker_username.as_ref().or(contracts.user.as_ref())),
            password: option(self.broker_password.as_ref().or(contracts.password.as_ref())),
            token: option(self.broker_token.as_ref().or(contracts.token.as_ref())),
            selector: Argument::Value(SelectorOptions {
                include_pending: self.enable_pending,
                include_wip_since: self.include_wip_since.clone().map(Argument::Value),
                provider_branch: self.provider_branch.clone(),
                provider_tags: self.provider_tags.clone(),
                consumer_tags: self.consumer_version_tags.clone(),
                consumer_versions: Some(self.selectors().into()),
            }),
            ..BrokerSourceOptions::default()
        }
    }

    /// Parses the selectors. Each value contains one selector or an array of selectors. Invalid JSON is passed on as a
    /// string, for which the core returns an error.
    fn selectors(&self) -> Json {
        let parsed = self
            .consumer_version_selectors
            .iter()
            .flat_map(|value| match Json::parse(value.as_bytes()) {
                Ok(Json::Array(selectors)) => selectors,
                Ok(selector) => vec![selector],
                Err(_) => vec![value.as_str().into()],
            });
        parsed.collect::<Vec<_>>().into()
    }

    fn publication(&self) -> PublishOptions {
        let version = if self.auto_detect_version_properties {
            Some("auto")
        } else {
            self.provider_version.as_deref()
        };
        PublishOptions {
            version: version.unwrap_or_default().to_owned(),
            branch: self.provider_branch.clone(),
            tags: self.provider_tags.clone(),
            build_url: self.build_url.clone(),
        }
    }

    /// Returns the environment variables of this process, some of which options override.
    pub(crate) fn environment(&self) -> Environment {
        let environment = Environment::from_process();
        match self.retries {
            Some(count) => environment.with("CONTRACT_BROKER_HTTP_RETRIES", &count.to_string()),
            None => environment,
        }
    }
}
