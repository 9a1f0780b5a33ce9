//! Selectors for contracts from a broker, as calls of a builder or as an object.

use contract_broker_client::Selection;
use contract_datetime::Format;
use contract_model::{Json, Object};
use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::invalid::{invalid, name_problem};
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, Piece, listed, message, operation, option, setting};
use contract_call::read::{self, Argument, Document};
use contract_call::value;

/// Maximum number of selectors for one source. Brokers do not accept more.
const MAX_SELECTORS: usize = 100;

/// A call of the selector builder. In JSON, it is an object with one member: its name is the operation, and its value
/// contains the arguments. Example: `{"consumer_version": {"selector": {"main_branch": true}}}`.
#[derive(Clone, Debug, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum SelectorOperation {
    /// Failures of pending contracts, which have never passed for the provider branch, do not fail the verification.
    IncludePending {},
    /// Failures of pending contracts fail the verification. This is the default.
    ExcludePending {},
    /// Also verifies work-in-progress contracts published since this date: the latest contracts of consumer branches
    /// and tags that the selectors do not select and that have not yet passed on the provider's branch. Their failures
    /// do not fail the verification. Requires a provider branch or tags.
    IncludeWipSince {
        /// A date such as `2026-01-31`, or a date and time such as `2026-01-31T10:00:00Z`.
        date: Document,
    },
    /// Verifies no work-in-progress contracts. This is the default.
    ExcludeWip {},
    /// Sets the provider's branch. It determines which contracts are pending or work in progress.
    ProviderBranch {
        /// Name of the branch.
        branch: String,
    },
    /// Sets the provider's tags, which are a legacy alternative to the branch. Replaces the tags of an earlier call.
    ProviderTags {
        /// Names of the tags.
        tags: Vec<String>,
    },
    /// For each of these tags, selects the latest consumer version with the tag. Replaces the tags of an earlier call.
    ConsumerTags {
        /// Names of the tags.
        tags: Vec<String>,
    },
    /// Adds a selector for consumer versions.
    ConsumerVersion {
        /// A [`ConsumerVersion`], or its JSON text.
        selector: Document,
    },
    /// Adds multiple selectors for consumer versions.
    ConsumerVersions {
        /// An array of [`ConsumerVersion`], or its JSON text.
        selectors: Document,
    },
    /// Finishes the builder. Further calls fail.
    Build {},
}

/// The options that the selector builder sets, as one object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelectorOptions {
    /// If true, failures of pending contracts, which have never passed for the provider branch, do not fail the
    /// verification. Default: false.
    pub include_pending: bool,
    /// Also verifies work-in-progress contracts published since this date, such as `2026-01-31`: the latest contracts
    /// of consumer branches and tags that the selectors do not select and that have not yet passed on the provider's
    /// branch. Their failures do not fail the verification. Requires a provider branch or tags. Default: none are
    /// verified.
    pub include_wip_since: Option<Argument<String>>,
    /// Branch of the provider. It determines which contracts are pending or work in progress. Default: the branch in
    /// the publish options.
    pub provider_branch: Option<String>,
    /// Tags of the provider, which are a legacy alternative to the branch. Default: none.
    pub provider_tags: Vec<String>,
    /// For each of these tags, selects the latest consumer version with the tag. Default: none.
    pub consumer_tags: Vec<String>,
    /// An array of [`ConsumerVersion`], or its JSON text. Default: none.
    pub consumer_versions: Option<Document>,
}

/// Selects consumer versions. A version must satisfy all conditions that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsumerVersion {
    /// Selects only versions of the consumer with this name. Default: all consumers.
    pub consumer: Option<String>,
    /// Selects the latest version of the branch with this name, or of every branch if `true`.
    pub branch: Option<Branch>,
    /// If true, selects the latest version of each consumer's main branch.
    pub main_branch: bool,
    /// If true, selects the latest version of the branch with the same name as the provider branch.
    pub matching_branch: bool,
    /// The branch to use for consumers that do not have `branch`. Requires `branch`.
    pub fallback_branch: Option<String>,
    /// If true, uses the main branch of consumers that do not have `branch`. Requires `branch`.
    pub fallback_to_main_branch: bool,
    /// Selects all versions with this tag, or only the latest one if `latest` is true.
    pub tag: Option<String>,
    /// If true, selects only the latest version or, with `tag`, the latest version with this tag.
    pub latest: bool,
    /// The tag to use for consumers that do not have `tag`. Requires `tag` and `latest`.
    pub fallback_tag: Option<String>,
    /// If true, selects versions that are deployed to an environment.
    pub deployed: bool,
    /// If true, selects versions that are released to an environment and still supported.
    pub released: bool,
    /// If true, selects versions that are deployed, and versions that are released and still supported.
    pub deployed_or_released: bool,
    /// Selects only versions that are deployed or released to the environment with this name.
    pub environment: Option<String>,
}

/// A branch by name, or all branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// All branches.
    Every,
    /// The branch with this name.
    Named(String),
}

impl<'de> Deserialize<'de> for Branch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::Bool(true) => Ok(Self::Every),
            Json::String(name) => Ok(Self::Named(name.into())),
            other => Err(de::Error::custom(format!(
                "must be a branch name, or true for all branches; received {}",
                read::describe(&other)
            ))),
        }
    }
}

impl SelectorOperation {
    /// Returns the name of the call in snake case.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SelectorState {
    selection: Selection,
    /// Tags for each of which the latest consumer version is selected.
    consumer_tags: Vec<String>,
    /// True if a builder was started but not finished.
    is_open: bool,
}

impl SelectorState {
    pub(crate) fn open() -> Self {
        Self {
            is_open: true,
            ..Self::default()
        }
    }

    pub(crate) fn from_options(options: SelectorOptions) -> Result<Self, ArgumentError> {
        let branch = options.provider_branch;
        let mut selected = Self {
            selection: Selection {
                consumer_versions: Vec::new(),
                include_pending: options.include_pending,
                include_wip_since: match options.include_wip_since {
                    None => None,
                    Some(Argument::Value(since)) => Some(check_date(&since)?),
                    Some(Argument::Json(since)) => Some(date(&since)?),
                },
                provider_branch: branch.map(|branch| name("provider_branch", branch)).transpose()?,
                provider_tags: names("provider_tags", options.provider_tags)?,
            },
            consumer_tags: names("consumer_tags", options.consumer_tags)?,
            is_open: false,
        };
        if let Some(Document(list)) = options.consumer_versions {
            selected
                .add_all(list)
                .map_err(|error| error.for_argument("consumer_versions"))?;
        }
        Ok(selected)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Applies a call of the selector builder. On error, the selectors remain unchanged.
    pub(crate) fn apply(&mut self, call: SelectorOperation) -> Result<(), ArgumentError> {
        if !self.is_open {
            let message = message![
                "the selector is already finished by ",
                operation("build"),
                "; start another one with ",
                operation("broker_source")
            ];
            return Err(invalid(message));
        }
        let selection = &mut self.selection;
        match call {
            SelectorOperation::IncludePending {} => selection.include_pending = true,
            SelectorOperation::ExcludePending {} => selection.include_pending = false,
            SelectorOperation::IncludeWipSince { date: since } => selection.include_wip_since = Some(date(&since.0)?),
            SelectorOperation::ExcludeWip {} => selection.include_wip_since = None,
            SelectorOperation::ProviderBranch { branch } => selection.provider_branch = Some(name("branch", branch)?),
            SelectorOperation::ProviderTags { tags } => selection.provider_tags = names("tags", tags)?,
            SelectorOperation::ConsumerTags { tags } => self.consumer_tags = names("tags", tags)?,
            SelectorOperation::ConsumerVersion { selector } => self.add(vec![ConsumerVersion::read(selector.0)?])?,
            SelectorOperation::ConsumerVersions { selectors } => self.add_all(selectors.0)?,
            SelectorOperation::Build {} => self.is_open = false,
        }
        Ok(())
    }

    fn add_all(&mut self, list: Json) -> Result<(), ArgumentError> {
        let items = match parsed(list)? {
            Json::Array(items) => items,
            other => {
                return Err(invalid(format!(
                    "selectors must be an array, received {}",
                    read::describe(&other)
                )));
            }
        };
        let read = |(at, item): (usize, Json)| {
            ConsumerVersion::read(item).map_err(|error| error.within(format!("selector {}", at + 1)))
        };
        let all = items.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
        self.add(all)
    }

    fn add(&mut self, versions: Vec<Json>) -> Result<(), ArgumentError> {
        let all = &mut self.selection.consumer_versions;
        let before = all.len();
        for version in versions {
            if all.last() != Some(&version) {
                all.push(version);
            }
        }
        if all.len() > MAX_SELECTORS {
            all.truncate(before);
            return Err(invalid(format!("at most {MAX_SELECTORS} selectors are allowed")));
        }
        Ok(())
    }

    pub(crate) fn provider_branch(&self) -> Option<&str> {
        self.selection.provider_branch.as_deref()
    }

    /// Returns true if failures of pending contracts do not fail the verification.
    pub(crate) fn includes_pending(&self) -> bool {
        self.selection.include_pending || self.selection.include_wip_since.is_some()
    }

    /// Returns the selection to send to the broker. `branch` is the provider branch if the selector sets none.
    pub(crate) fn selection(&self, branch: Option<&str>) -> Result<Selection, ArgumentError> {
        let mut selection = self.selection.clone();
        selection.provider_branch = self.provider_branch().or(branch).map(str::to_owned);
        let is_matching = |version: &Json| version.get("matchingBranch").is_some();
        if selection.provider_branch.is_none() && selection.consumer_versions.iter().any(is_matching) {
            let message = message![
                option("matching_branch"),
                " requires a provider branch; set it with ",
                operation("provider_branch"),
                " or ",
                operation("set_publish_options")
            ];
            return Err(invalid(message)
                .in_operation("consumer_version")
                .for_argument("matching_branch"));
        }
        let latest = |tag: &String| Object::from_iter([("latest", Json::from(true)), ("tag", tag.as_str().into())]);
        let tags = self.consumer_tags.iter().map(latest).map(Json::from);
        selection.consumer_versions.extend(tags);
        Ok(selection)
    }

    /// Returns a warning if the date for work-in-progress contracts has no effect. `branch` is the provider branch if
    /// the selector sets none.
    pub(crate) fn warning(&self, branch: Option<&str>) -> Option<String> {
        let has_branch = self.provider_branch().or(branch).is_some() || !self.selection.provider_tags.is_empty();
        (self.selection.include_wip_since.is_some() && !has_branch)
            .then(|| "the date for work-in-progress contracts has no effect without a provider branch".to_owned())
    }
}

/// Parses the JSON text that may be passed instead of an array or object. Returns other values unchanged.
fn parsed(json: Json) -> Result<Json, ArgumentError> {
    let Json::String(text) = &json else { return Ok(json) };
    Json::parse(text.as_bytes()).map_err(|error| invalid(format!("the selector is not valid JSON: {error}")))
}

fn name(argument: &'static str, name: String) -> Result<String, ArgumentError> {
    let Some(problem) = name_problem(&name) else {
        return Ok(name);
    };
    Err(invalid(message![option(argument), problem]).for_argument(argument))
}

fn names(argument: &'static str, names: Vec<String>) -> Result<Vec<String>, ArgumentError> {
    let mut checked: Vec<String> = Vec::with_capacity(names.len());
    for text in names {
        let valid = name(argument, text).map_err(|_| {
            invalid(message![
                "each name in ",
                option(argument),
                " must be a single non-empty line of at most 1024 characters"
            ])
            .for_argument(argument)
        })?;
        if !checked.contains(&valid) {
            checked.push(valid);
        }
    }
    Ok(checked)
}

/// Date formats that brokers accept.
const DATES: [&str; 4] = [
    "yyyy-MM-dd",
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "yyyy-MM-dd'T'HH:mm:ss",
];

fn date(json: &Json) -> Result<String, ArgumentError> {
    let Some(text) = json.as_str().or_else(|| value::date(json)) else {
        return Err(invalid(format!(
            "the date must be a string such as 2026-01-31, received {}",
            read::describe(json)
        ))
        .for_argument("date"));
    };
    check_date(text)
}

fn check_date(text: &str) -> Result<String, ArgumentError> {
    let formats = DATES.iter().filter_map(|format| Format::parse(format).ok());
    let problems: Vec<_> = formats.filter_map(|format| format.check(text).err()).collect();
    match problems.first() {
        Some(problem) if problems.len() == DATES.len() => {
            Err(invalid(format!("{text:?} is not a date such as 2026-01-31: {problem}")).for_argument("date"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Conditions about branches and tags. A selector can have at most one of them, and none together with [`PRESENT`].
const HISTORY: [&str; 4] = ["main_branch", "matching_branch", "branch", "tag"];
/// Conditions about deployments and releases. Only `environment` can be combined with one of the others.
const PRESENT: [&str; 4] = ["deployed", "released", "deployed_or_released", "environment"];

impl ConsumerVersion {
    /// Checks a selector, and returns it as JSON with the names in the Pact Broker API.
    fn read(json: Json) -> Result<Json, ArgumentError> {
        let json = parsed(json)?;
        if !matches!(json, Json::Object(_)) || value::describe(&json).is_some() {
            return Err(invalid(format!(
                "the selector must be an object, received {}",
                read::describe(&json)
            ))
            .for_argument("selector"));
        }
        let read: Self = read::options(OPTIONS, json)?;
        let conditions = read.conditions();
        for (argument, _, value) in &conditions {
            if let Some(problem) = value.as_str().and_then(name_problem) {
                return Err(invalid(message![option(*argument), problem]).for_argument(*argument));
            }
        }
        let names: Vec<_> = conditions.iter().map(|(name, ..)| *name).collect();
        read.check(&names)?;
        let members = conditions.into_iter().map(|(_, name, value)| (name, value));
        Ok(Json::Object(members.collect()))
    }

    /// Returns the conditions that are set, each with its argument name, its name in the Pact Broker API, and its
    /// value.
    fn conditions(&self) -> Vec<(&'static str, &'static str, Json)> {
        let flag = |is_on: bool| if is_on { Json::Bool(true) } else { Json::Null };
        let text = |text: &Option<String>| text.as_deref().map_or(Json::Null, Json::from);
        let branch = match &self.branch {
            None => Json::Null,
            Some(Branch::Every) => Json::Bool(true),
            Some(Branch::Named(name)) => name.as_str().into(),
        };
        let all = [
            ("main_branch", "mainBranch", flag(self.main_branch)),
            ("matching_branch", "matchingBranch", flag(self.matching_branch)),
            ("branch", "branch", branch),
            ("latest", "latest", flag(self.latest)),
            ("deployed", "deployed", flag(self.deployed)),
            ("released", "released", flag(self.released)),
            (
                "deployed_or_released",
                "deployedOrReleased",
                flag(self.deployed_or_released),
            ),
            ("fallback_branch", "fallbackBranch", text(&self.fallback_branch)),
            (
                "fallback_to_main_branch",
                "fallbackToMainBranch",
                flag(self.fallback_to_main_branch),
            ),
            ("tag", "tag", text(&self.tag)),
            ("fallback_tag", "fallbackTag", text(&self.fallback_tag)),
            ("environment", "environment", text(&self.environment)),
            ("consumer", "consumer", text(&self.consumer)),
        ];
        all.into_iter().filter(|(.., value)| !value.is_null()).collect()
    }

    /// Fails for combinations of conditions that the Pact Broker does not support.
    fn check(&self, conditions: &[&'static str]) -> Result<(), ArgumentError> {
        if conditions.iter().all(|name| *name == "consumer") {
            let conditions = [HISTORY.as_slice(), &PRESENT, &["latest"]].concat();
            let message = message!["no versions are selected; set ", listed(&conditions, ", ", ", or ")];
            return Err(invalid(message).for_argument("selector"));
        }
        let exclusive = |first: &'static str, second: &'static str, advice: Message| {
            let message = message![
                option(first),
                " and ",
                option(second),
                " are mutually exclusive; ",
                advice
            ];
            Err(invalid(message).for_argument(second))
        };
        let advice = || "use a separate selector for each".into();
        let conditions_in = |names: &[&str]| {
            conditions
                .iter()
                .copied()
                .filter(|name| names.contains(name))
                .collect::<Vec<_>>()
        };
        // Conditions about history and conditions about deployment are independent.
        match (conditions_in(&HISTORY).as_slice(), conditions_in(&PRESENT).as_slice()) {
            ([first, second, ..], _) | ([first], [second, ..]) => return exclusive(first, second, advice()),
            ([], [first, second, ..]) if *second != "environment" => {
                return exclusive(first, second, message!["use ", setting("deployed_or_released", "true")]);
            }
            ([], [condition, ..]) if self.latest => return exclusive("latest", condition, advice()),
            (["matching_branch"], []) if self.latest => return exclusive("matching_branch", "latest", advice()),
            _ => {}
        }
        let requires = |name: &'static str, required: Piece| {
            Err(invalid(message![option(name), " requires ", required]).for_argument(name))
        };
        if self.fallback_tag.is_some() && self.tag.is_none() {
            return requires("fallback_tag", option("tag"));
        }
        if self.fallback_tag.is_some() && !self.latest {
            return requires("fallback_tag", setting("latest", "true"));
        }
        if self.fallback_branch.is_some() && !matches!(self.branch, Some(Branch::Named(_))) {
            return requires("fallback_branch", option("branch"));
        }
        if self.fallback_to_main_branch && !matches!(self.branch, Some(Branch::Named(_))) {
            return requires("fallback_to_main_branch", option("branch"));
        }
        if self.fallback_to_main_branch && self.fallback_branch.is_some() {
            return exclusive("fallback_branch", "fallback_to_main_branch", "use one of them".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{SelectorOperation, SelectorState};
    use contract_call::read;

    fn operation_from(text: &str) -> SelectorOperation {
        read::value(Json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn selector(text: &str) -> SelectorOperation {
        operation_from(&format!(r#"{{"consumerVersion": {{"selector": {text}}}}}"#))
    }

    #[test]
    fn combines_calls() {
        let mut selected = SelectorState::open();
        for call in [
            r#"{"includePending": {}}"#,
            r#"{"includeWipSince": {"date": "2026-01-31"}}"#,
            r#"{"providerBranch": {"branch": "feat/x"}}"#,
            r#"{"providerTags": {"tags": ["a", "a", "b"]}}"#,
            r#"{"consumerTags": {"tags": ["prod"]}}"#,
            r#"{"consumerVersion": {"selector": {"mainBranch": true, "deployed": false}}}"#,
            r#"{"consumerVersions": {"selectors": [{"branch": true}, "{\"environment\": \"prod\", \"consumer\": \"web\"}"]}}"#,
            r#"{"consumerVersion": {"selector": {"branch": "x", "fallbackBranch": "main"}}}"#,
            r#"{"consumerVersion": {"selector": {"branch": "x", "fallbackToMainBranch": true}}}"#,
            r#"{"build": {}}"#,
        ] {
            selected.apply(operation_from(call)).unwrap();
        }
        assert!(!selected.is_open());
        let selection = selected.selection(Some("other")).unwrap();
        let versions: Vec<_> = selection.consumer_versions.iter().map(Json::to_text).collect();
        assert_eq!(
            versions,
            [
                r#"{"mainBranch":true}"#,
                r#"{"branch":true}"#,
                r#"{"environment":"prod","consumer":"web"}"#,
                r#"{"branch":"x","fallbackBranch":"main"}"#,
                r#"{"branch":"x","fallbackToMainBranch":true}"#,
                r#"{"latest":true,"tag":"prod"}"#
            ]
        );
        assert!(selection.include_pending);
        assert_eq!(selection.include_wip_since.as_deref(), Some("2026-01-31"));
        assert_eq!(selection.provider_branch.as_deref(), Some("feat/x"));
        assert_eq!(selection.provider_tags, ["a", "b"]);
    }

    #[test]
    fn rejects_contradictions_without_changes() {
        for (text, want) in [
            ("{}", "no versions are selected"),
            (r#"{"consumer": "web"}"#, "no versions are selected"),
            (r#"{"mainBranch": false}"#, "no versions are selected"),
            (
                r#"{"tag": "x", "branch": "y"}"#,
                "branch and tag are mutually exclusive",
            ),
            (
                r#"{"mainBranch": true, "tag": "x"}"#,
                "main_branch and tag are mutually",
            ),
            (
                r#"{"matchingBranch": true, "latest": true}"#,
                "matching_branch and latest are mutually",
            ),
            (
                r#"{"deployed": true, "released": true}"#,
                "use deployed_or_released: true",
            ),
            (
                r#"{"deployedOrReleased": true, "deployed": true}"#,
                "use deployed_or_released",
            ),
            (
                r#"{"branch": "x", "environment": "prod"}"#,
                "branch and environment are mutually",
            ),
            (
                r#"{"latest": true, "deployed": true}"#,
                "latest and deployed are mutually",
            ),
            (r#"{"fallbackTag": "x", "latest": true}"#, "fallback_tag requires tag"),
            (
                r#"{"tag": "x", "fallbackTag": "y"}"#,
                "fallback_tag requires latest: true",
            ),
            (
                r#"{"mainBranch": true, "fallbackBranch": "y"}"#,
                "fallback_branch requires branch",
            ),
            (
                r#"{"mainBranch": true, "fallbackToMainBranch": true}"#,
                "fallback_to_main_branch requires branch",
            ),
            (
                r#"{"branch": "x", "fallbackBranch": "y", "fallbackToMainBranch": true}"#,
                "fallback_branch and fallback_to_main_branch are mutually exclusive",
            ),
            (r#"{"branch": ""}"#, "branch is empty"),
            (r#"{"branch": false}"#, "must be a branch name"),
            (r#"{"tag": "a\nb"}"#, "control characters"),
            (r#"{"mainbranch": true}"#, "Did you mean"),
            (r#"{"deployed": "yes"}"#, "deployed must be true or false"),
            ("7", "the selector must be an object, received 7"),
            (r#""{""#, "is not valid JSON"),
        ] {
            let mut selected = SelectorState::open();
            let error = selected.apply(selector(text)).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
            assert_eq!(selected, SelectorState::open(), "{text}");
        }
        let mut selected = SelectorState::open();
        let list = r#"{"consumerVersions": {"selectors": [{"mainBranch": true}, {}]}}"#;
        let error = selected.apply(operation_from(list)).unwrap_err().to_string();
        assert!(error.starts_with("selector 2: "), "{error}");
        assert_eq!(selected, SelectorState::open());
    }

    #[test]
    fn accepts_the_dates_that_brokers_accept() {
        for (text, is_date) in [
            ("2026-01-31", true),
            ("2026-01-31T10:00:00Z", true),
            ("2026-01-31T10:00:00.123+02:00", true),
            ("2026-02-30", false),
            ("yesterday", false),
            ("", false),
        ] {
            let call = format!(r#"{{"includeWipSince": {{"date": "{text}"}}}}"#);
            assert_eq!(
                SelectorState::open().apply(operation_from(&call)).is_ok(),
                is_date,
                "{text}"
            );
        }
    }

    #[test]
    fn matching_branch_requires_a_provider_branch() {
        let mut selected = SelectorState::open();
        selected.apply(selector(r#"{"matchingBranch": true}"#)).unwrap();
        assert!(
            selected
                .selection(None)
                .unwrap_err()
                .to_string()
                .contains("matching_branch requires")
        );
        assert_eq!(
            selected.selection(Some("main")).unwrap().provider_branch.as_deref(),
            Some("main")
        );
    }

    #[test]
    fn rejects_calls_after_build() {
        let mut selected = SelectorState::open();
        selected.apply(operation_from(r#"{"build": {}}"#)).unwrap();
        let error = selected
            .apply(operation_from(r#"{"includePending": {}}"#))
            .unwrap_err()
            .to_string();
        assert!(error.contains("already finished by build"), "{error}");
    }
}
