use std::time::Duration;

use super::access::{Pattern, Permission};
use super::webhook::WebhookRules;

/// The configurable rules of a broker. The defaults are the same as in the Pact Broker.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Whether a version can replace a contract that it has already published. Verdicts may be based on the replaced
    /// contract. Default: false.
    pub contracts_may_change: bool,
    /// Whether a new application name is rejected if it is similar to a known one. Default: true.
    pub refuse_similar_names: bool,
    /// Whether a tag with the name of an environment records a deployment to that environment. Default: true.
    pub tags_are_deployments: bool,
    /// Maximum age of a version without a branch for its first tag to set its branch. `None` means that tags never set
    /// branches. Default: 10 seconds.
    pub first_tag_is_branch: Option<Duration>,
    /// Names of branches and tags that become the main branch of an application that has none. Default: `develop`,
    /// `main`, and `master`.
    pub main_branches: Vec<String>,
    /// Patterns for the names of environments in which only credentials with the `deploy:ENVIRONMENT` or `admin` scope
    /// can record deployments and releases. Default: none.
    pub protected_environments: Vec<Pattern>,
    pub webhooks: WebhookRules,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            contracts_may_change: false,
            refuse_similar_names: true,
            tags_are_deployments: true,
            first_tag_is_branch: Some(Duration::from_secs(10)),
            main_branches: ["develop", "main", "master"].map(str::to_owned).to_vec(),
            protected_environments: Vec::new(),
            webhooks: WebhookRules::default(),
        }
    }
}

impl Rules {
    pub fn is_main_branch(&self, name: &str) -> bool {
        self.main_branches.iter().any(|known| known == name)
    }

    /// Returns the permission for recording deployments and releases in an environment.
    pub fn deploying<'a>(&self, environment: &'a str) -> Permission<'a> {
        Permission::Deploy {
            environment,
            is_protected: self.is_protected(environment),
        }
    }

    /// Returns the permission for creating, changing, or deleting an environment.
    pub fn changing_environment<'a>(&self, name: &'a str) -> Permission<'a> {
        Permission::Environment {
            name,
            is_protected: self.is_protected(name),
        }
    }

    fn is_protected(&self, environment: &str) -> bool {
        self.protected_environments
            .iter()
            .any(|pattern| pattern.matches(environment))
    }

    /// Returns whether a version of this age, in milliseconds, is new enough for its first tag to set its branch.
    pub fn names_branch(&self, age: i64) -> bool {
        let time_limit = self
            .first_tag_is_branch
            .map(|time_limit| i64::try_from(time_limit.as_millis()).unwrap_or(i64::MAX));
        time_limit.is_some_and(|time_limit| age <= time_limit)
    }
}
