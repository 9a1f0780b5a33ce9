//! Detects the version, branch, and build URL of a build from the CI system or git.

use std::path::Path;

use contract_model::Json;

use super::failure::BrokerFailure;
use super::git;
use super::values::Detected;
use crate::environment::Environment;
use contract_call::message::{Message, message, option};

impl Detected {
    pub(super) fn new(value: impl Into<String>, from: &str) -> Self {
        Self {
            value: value.into(),
            from: from.to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Commit,
    Branch,
}

impl Property {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "version",
            Self::Branch => "branch",
        }
    }
}

/// A CI system, as described by a line of `systems.txt`. Each field contains the names of variables, separated by
/// spaces. The first variable that is set applies.
struct System {
    name: &'static str,
    /// The variables that identify the system. If at least one of them is set, the build runs on this system.
    marks: &'static str,
    commits: &'static str,
    branches: &'static str,
    /// Templates for the build URL, separated by spaces, with the names of variables in braces.
    builds: &'static str,
}

impl System {
    fn from_row(row: &'static str) -> Self {
        let mut columns = row.split('|').map(str::trim);
        let mut column = || columns.next().unwrap_or_default();
        Self {
            name: column(),
            marks: column(),
            commits: column(),
            branches: column(),
            builds: column(),
        }
    }
}

/// One CI system per line: name, marks, commits, branches, and builds, separated by `|`. The systems that the Pact
/// Broker client supports come first and in its order.
const SYSTEMS: &str = include_str!("systems.txt");

/// Variables that many pipelines set, regardless of the CI system.
const COMMON: System = System {
    name: "",
    marks: "",
    commits: "GIT_COMMIT",
    branches: "GIT_BRANCH GIT_LOCAL_BRANCH CI_COMMIT_REF_NAME",
    builds: "{BUILD_URL}",
};

/// A value that could not be detected, and why.
#[derive(Debug)]
pub struct Undetected {
    code: &'static str,
    description: String,
    property: Property,
    /// The environment variable that users can set in place of the option, or `None` if there is none.
    variable: Option<&'static str>,
}

impl Undetected {
    /// Returns the name of the option that users can set in place of detection. `version` is the operation's name for
    /// the option that contains the version.
    pub fn option(&self, version: &'static str) -> &'static str {
        match self.property {
            Property::Branch if version != "tags" => "branch",
            _ => version,
        }
    }

    /// Returns a message that says what was not detected and which option to set. `version` has the same meaning as in
    /// [`Undetected::option`].
    pub fn message(&self, version: &'static str) -> Message {
        let mut message = message![self.description.clone(), "; set ", option(self.option(version))];
        if let Some(variable) = self.variable {
            message.push(format!(" or the variable {variable}"));
        }
        message
    }

    pub(super) fn failure(&self, version: &'static str) -> BrokerFailure {
        BrokerFailure::local(self.code, self.message(version))
    }
}

/// Detects the version, branch, and build URL of a build. Returns an error if two CI systems report different values,
/// because it is unknown which value is correct. Also returns an error if the checkout is detached, unless a tag is
/// built.
pub struct Detector<'a> {
    environment: &'a Environment,
    systems: Vec<System>,
}

impl<'a> Detector<'a> {
    pub fn new(environment: &'a Environment) -> Self {
        let is_here = |system: &System| {
            let mut marks = system.marks.split(' ');
            marks.any(|mark| environment.get(mark).is_some())
        };
        Self {
            environment,
            systems: SYSTEMS.lines().map(System::from_row).filter(is_here).collect(),
        }
    }

    /// Returns the commit from the CI system, or else from git.
    pub fn version(&self) -> Result<Detected, Undetected> {
        if let Some(found) = self.property(Property::Commit)? {
            return Ok(found);
        }
        let commit = git::commit().map_err(|error| no_version(&error.to_string()))?;
        Ok(Detected::new(commit, "git rev-parse HEAD"))
    }

    /// Returns the branch from the CI system, or else from git. Returns `None` if a tag is built.
    pub fn branch(&self) -> Result<Option<Detected>, Undetected> {
        match self.property(Property::Branch)? {
            None if !is_tag(self.environment) => checked_out(self.environment).map(Some),
            found => Ok(found),
        }
    }

    /// Returns the name of the branch for use as a tag. A build without a branch is an error.
    pub(super) fn branch_for_tags(&self) -> Result<String, Undetected> {
        match self.branch()? {
            Some(branch) => Ok(branch.value),
            None => Err(detached("the build of a tag has no branch")),
        }
    }

    pub fn build_url(&self) -> Option<Detected> {
        let from_system = |system: &System| {
            system
                .builds
                .split(' ')
                .find_map(|page| fill_template(self.environment, page))
        };
        self.systems.iter().chain([&COMMON]).find_map(from_system)
    }

    /// Returns the commit that the CI system reports, or `None` if it reports none. Does not run git.
    pub fn commit_of_build(&self) -> Option<String> {
        let found = self.property(Property::Commit).ok()??;
        Some(found.value)
    }

    /// Returns the branch that the CI system reports, or `None` if it reports none. Does not run git.
    pub fn branch_of_build(&self) -> Option<String> {
        let found = self.property(Property::Branch).ok()??;
        Some(found.value)
    }

    fn property(&self, property: Property) -> Result<Option<Detected>, Undetected> {
        let from_system = |system: &System| {
            let found = match property {
                Property::Commit => commit_of(self.environment, system),
                Property::Branch => first(self.environment, system.branches, property),
            };
            Some((system.name, found?))
        };
        let found: Vec<(&str, Detected)> = self.systems.iter().filter_map(from_system).collect();
        if let [(first_system, first), rest @ ..] = &found[..]
            && let Some((second_system, second)) = rest.iter().find(|(_, second)| second.value != first.value)
        {
            return Err(Undetected {
                code: "ERR_CONTRACT_TWO_SYSTEMS",
                description: format!(
                    "{first_system} and {second_system} report different values for the {}: {} is {:?}, {} is {:?}",
                    property.name(),
                    first.from,
                    first.value,
                    second.from,
                    second.value,
                ),
                property,
                variable: None,
            });
        }
        let common = match property {
            Property::Commit => COMMON.commits,
            Property::Branch => COMMON.branches,
        };
        Ok(found
            .into_iter()
            .next()
            .map(|(_, found)| found)
            .or_else(|| first(self.environment, common, property)))
    }
}

fn checked_out(environment: &Environment) -> Result<Detected, Undetected> {
    if let Some(only) = only_branch_variable(environment) {
        return Ok(only);
    }
    match git::branch() {
        Ok(Some(value)) => Ok(Detected::new(value, "git rev-parse --abbrev-ref HEAD")),
        Ok(None) => Err(detached("the checkout is detached and has no branch")),
        Err(error) => Err(detached(&format!("cannot detect the branch: {error}"))),
    }
}

fn no_version(problem: &str) -> Undetected {
    Undetected {
        code: "ERR_CONTRACT_NO_VERSION",
        description: format!("cannot detect the version: {problem}"),
        property: Property::Commit,
        variable: Some("GIT_COMMIT"),
    }
}

fn detached(description: &str) -> Undetected {
    Undetected {
        code: "ERR_CONTRACT_NO_BRANCH",
        description: description.to_owned(),
        property: Property::Branch,
        variable: Some("GIT_BRANCH"),
    }
}

/// Returns the branch from the only variable whose name ends with `_BRANCH`, or `None` if there is no such variable or
/// more than one.
fn only_branch_variable(environment: &Environment) -> Option<Detected> {
    let mut found = environment.names().filter(|name| name.ends_with("_BRANCH"));
    let (first, second) = (found.next()?, found.next());
    let value = environment.get(first).filter(|_| second.is_none())?;
    Some(Detected::new(branch_of(value)?, first))
}

fn first(environment: &Environment, names: &str, property: Property) -> Option<Detected> {
    names.split(' ').find_map(|name| {
        let value = environment.get(name)?;
        let value = match property {
            Property::Commit => Some(value.to_owned()).filter(|value| value != "HEAD"),
            Property::Branch => branch_of(value),
        };
        Some(Detected::new(value?, name))
    })
}

/// Returns the commit that the CI system reports. For a pull request on GitHub, this is the head of the pull request,
/// because `GITHUB_SHA` is a temporary merge commit.
fn commit_of(environment: &Environment, system: &System) -> Option<Detected> {
    let is_pull_request = environment
        .get("GITHUB_EVENT_NAME")
        .is_some_and(|event| event.starts_with("pull_request"));
    if system.name == "GitHub Actions" && is_pull_request {
        let head = environment.get("GITHUB_EVENT_PATH").and_then(head_of_event);
        if let Some(value) = head {
            return Some(Detected::new(value, "GITHUB_EVENT_PATH"));
        }
    }
    first(environment, system.commits, Property::Commit)
}

/// Maximum size of the GitHub event file, in bytes.
const EVENT_LIMIT: u64 = 16 * 1024 * 1024;

fn head_of_event(path: &str) -> Option<String> {
    let bytes = contract_call::files::read(Path::new(path), EVENT_LIMIT, "").ok()?;
    let event = Json::parse(&bytes).ok()?;
    let head = event.pointer("/pull_request/head/sha")?.as_str()?;
    Some(head.to_owned()).filter(|head| !head.is_empty())
}

/// Returns the branch in a git reference such as `refs/heads/main`, or `None` for tags and merge commits of pull
/// requests.
fn branch_of(reference: &str) -> Option<String> {
    let name = reference.trim();
    if name.starts_with("refs/tags/") || name.starts_with("refs/pull/") || name.starts_with("refs/merge-requests/") {
        return None;
    }
    let name = ["refs/heads/", "refs/remotes/origin/", "origin/"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    Some(name.to_owned()).filter(|name| !name.is_empty() && name != "HEAD")
}

fn is_tag(environment: &Environment) -> bool {
    let set = |name| environment.get(name).is_some();
    let refers = |name| {
        environment
            .get(name)
            .is_some_and(|value| value.starts_with("refs/tags/"))
    };
    refers("GITHUB_REF")
        || refers("BUILD_SOURCEBRANCH")
        || [
            "CI_COMMIT_TAG",
            "BITBUCKET_TAG",
            "BUILDKITE_TAG",
            "CIRCLE_TAG",
            "TRAVIS_TAG",
            "DRONE_TAG",
            "CIRRUS_TAG",
        ]
        .into_iter()
        .chain(["SEMAPHORE_GIT_TAG_NAME", "APPVEYOR_REPO_TAG_NAME", "TAG_NAME"])
        .any(set)
}

/// Replaces the variables in a template, or returns `None` if one of them is not set. The reported source of the value
/// is the last variable.
fn fill_template(environment: &Environment, page: &str) -> Option<Detected> {
    let mut parts = page.split('{');
    let mut value = parts.next()?.to_owned();
    let mut from = None;
    for part in parts {
        let (name, rest_of_text) = part.split_once('}')?;
        let found = environment.get(name)?;
        // A base URL may end with a slash, and a project name may contain spaces.
        let found = if rest_of_text.starts_with('/') {
            found.trim_end_matches('/')
        } else {
            found
        };
        value.extend([&*found.replace(' ', "%20"), rest_of_text]);
        from = Some(name.to_owned());
    }
    Some(Detected { value, from: from? })
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{Detector, Undetected, branch_of};
    use crate::environment::Environment;

    /// Checks the version, branch, and build URL for variables in the form `NAME=value`.
    #[track_caller]
    fn check(variables: &str, want: &str) {
        let members = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
        let environment = Environment::from_json(&Json::from(members.collect::<contract_model::Object>()));
        let detector = Detector::new(&environment);
        let values =
            || -> Result<_, Undetected> { Ok([Some(detector.version()?), detector.branch()?, detector.build_url()]) };
        let text = match values() {
            Ok(values) => values
                .map(|found| found.map_or("-".to_owned(), |found| found.value))
                .join(" "),
            Err(missing) => missing.message("version").to_string(),
        };
        assert!(
            text == want || (want.starts_with('~') && text.contains(&want[1..])),
            "{text}"
        );
    }

    #[test]
    fn detects_every_ci_system() {
        check(
            "GITHUB_SHA=a GITHUB_REF=refs/heads/feat/x GITHUB_SERVER_URL=https://g GITHUB_REPOSITORY=o/r GITHUB_RUN_ID=7",
            "a feat/x https://g/o/r/actions/runs/7",
        );
        check("GITHUB_SHA=a GITHUB_REF=refs/pull/3/merge GITHUB_HEAD_REF=x", "a x -");
        check("GITHUB_SHA=a GITHUB_REF=refs/tags/v1", "a - -");
        check("BUILDKITE_COMMIT=a BUILDKITE_BRANCH=b BUILDKITE_BUILD_URL=u", "a b u");
        check("CIRCLE_SHA1=a CIRCLE_BRANCH=b CIRCLE_BUILD_URL=u", "a b u");
        check("TRAVIS_COMMIT=a TRAVIS_BRANCH=b TRAVIS_BUILD_WEB_URL=u", "a b u");
        check(
            "TRAVIS=true TRAVIS_COMMIT=m TRAVIS_BRANCH=main TRAVIS_PULL_REQUEST_BRANCH=b TRAVIS_PULL_REQUEST_SHA=a",
            "a b -",
        );
        check("JENKINS_URL=j GIT_COMMIT=a GIT_BRANCH=origin/b BUILD_URL=u", "a b u");
        check("GIT_COMMIT=a GIT_BRANCH=b", "a b -");
        check("APPVEYOR_REPO_COMMIT=a APPVEYOR_REPO_BRANCH=b", "a b -");
        check(
            "GITLAB_CI=true CI_COMMIT_SHA=a CI_COMMIT_REF_NAME=b CI_COMMIT_BRANCH=b CI_JOB_URL=u CI_PIPELINE_URL=v",
            "a b u",
        );
        check("CI_COMMIT_ID=a CI_BRANCH=b", "a b -");
        check(
            "BITBUCKET_COMMIT=a BITBUCKET_BRANCH=b BITBUCKET_REPO_FULL_NAME=o/r BITBUCKET_BUILD_NUMBER=7",
            "a b https://bitbucket.org/o/r/pipelines/results/7",
        );
        check(
            "BUILD_SOURCEVERSION=a BUILD_SOURCEBRANCH=refs/heads/feature/x BUILD_SOURCEBRANCHNAME=x SYSTEM_COLLECTIONURI=https://d/o/ SYSTEM_TEAMPROJECT=p BUILD_BUILDID=7",
            "a feature/x https://d/o/p/_build/results?buildId=7",
        );
        check(
            "TF_BUILD=True BUILD_SOURCEVERSION=m SYSTEM_PULLREQUEST_SOURCECOMMITID=a SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/b",
            "a b -",
        );
        check(
            "CIRRUS_CHANGE_IN_REPO=a CIRRUS_BRANCH=b CIRRUS_BUILD_ID=7",
            "a b https://cirrus-ci.com/build/7",
        );
        check("SEMAPHORE_GIT_SHA=a SEMAPHORE_GIT_BRANCH=b", "a b -");
        check("DRONE_COMMIT_SHA=a DRONE_BRANCH=b DRONE_BUILD_LINK=u", "a b u");
        check(
            "CI_FORGE_URL=f CI_COMMIT_SHA=a CI_COMMIT_BRANCH=b CI_PIPELINE_URL=u",
            "a b u",
        );
        check("TEAMCITY_VERSION=1 BUILD_VCS_NUMBER=a TEAMCITY_BUILD_BRANCH=b", "a b -");
        check(
            "CODEBUILD_BUILD_ID=1 CODEBUILD_RESOLVED_SOURCE_VERSION=a CODEBUILD_WEBHOOK_HEAD_REF=refs/heads/b CODEBUILD_BUILD_URL=u",
            "a b u",
        );
        check(
            "VERCEL_GIT_COMMIT_SHA=a VERCEL_GIT_COMMIT_REF=b VERCEL_URL=x.vercel.app",
            "a b https://x.vercel.app",
        );
        check("NETLIFY=true COMMIT_REF=a HEAD=b BRANCH=b DEPLOY_URL=u", "a b u");
        check("GIT_COMMIT=a MY_BRANCH=b", "a b -");
    }

    #[test]
    fn rejects_different_values_of_two_systems() {
        check(
            "GITHUB_SHA=a GITHUB_REF=refs/heads/m BUILDKITE_COMMIT=b",
            "GitHub Actions and Buildkite report different values for the version: GITHUB_SHA is \"a\", BUILDKITE_COMMIT is \"b\"; set \
             version",
        );
        check(
            "GITHUB_SHA=a GITHUB_REF=refs/heads/m BUILDKITE_COMMIT=a BUILDKITE_BRANCH=n",
            "~; set branch",
        );
        check(
            "GITHUB_SHA=a GITHUB_REF=refs/heads/m BUILDKITE_COMMIT=a BUILDKITE_BRANCH=m",
            "a m -",
        );
        // Generic variables may differ from those of the CI system.
        check(
            "GITHUB_SHA=a GITHUB_REF=refs/heads/m GIT_COMMIT=b GIT_BRANCH=n",
            "a m -",
        );
    }

    #[test]
    fn converts_references_to_branches() {
        assert_eq!(branch_of("refs/heads/a/b").as_deref(), Some("a/b"));
        assert_eq!(branch_of("origin/main").as_deref(), Some("main"));
        assert_eq!(branch_of("refs/pull/1/merge"), None);
        assert_eq!(branch_of("HEAD"), None);
    }

    #[test]
    fn the_head_of_a_pull_request_is_its_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.json");
        std::fs::write(&path, r#"{"pull_request": {"head": {"sha": "head"}}}"#).expect("a file");
        check(
            &format!(
                "GITHUB_SHA=merge GITHUB_HEAD_REF=b GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH={}",
                path.display()
            ),
            "head b -",
        );
        check(
            "GITHUB_SHA=merge GITHUB_HEAD_REF=b GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH=/none",
            "merge b -",
        );
    }
}
