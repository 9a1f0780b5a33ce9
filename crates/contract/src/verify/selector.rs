//! Which contracts a broker is asked for: the calls of a selector builder, and the same as one object.

use contract_broker_client::Selection;
use contract_datetime::Format;
use contract_model::{Json, Object};
use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::refused::{name_problem, refused};
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, Piece, listed, operation, option, setting, told};
use contract_call::read::{self, Document};
use contract_call::value;

/// Most selectors of one source; brokers refuse more.
const MOST_SELECTORS: usize = 100;

/// One call of a selector builder. From JSON: an object with one member, the operation's name, which holds its arguments:
/// `{"consumer_version": {"selector": {"main_branch": true}}}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum SelectorOperation {
    /// Contracts that the provider never honoured may fail.
    IncludePending {},
    /// Every failure counts.
    ExcludePending {},
    /// Adds contracts of other branches published since a date, which may fail.
    IncludeWipSince {
        /// A date such as `2026-01-31`, perhaps with a time.
        date: Document,
    },
    /// Adds none.
    ExcludeWip {},
    /// The provider's branch, by which pending and work in progress are told.
    ProviderBranch {
        /// The name.
        branch: String,
    },
    /// The provider's tags, the older way to tell them; a repeated call replaces.
    ProviderTags {
        /// Their names.
        tags: Vec<String>,
    },
    /// The latest consumer versions with each of these tags; a repeated call replaces.
    ConsumerTags {
        /// Their names.
        tags: Vec<String>,
    },
    /// Versions of consumers; repeated calls add up.
    ConsumerVersion {
        /// [`ConsumerVersion`], or the JSON text of one.
        selector: Document,
    },
    /// Several of them.
    ConsumerVersions {
        /// A list of what [`SelectorOperation::ConsumerVersion`] takes.
        selectors: Document,
    },
    /// Ends the builder.
    Build {},
}

/// All that a selector builder can be told, as one object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelectorOptions {
    /// Whether contracts that the provider never honoured may fail; false when absent.
    pub include_pending: bool,
    /// Adds contracts of other branches published since this date.
    pub include_wip_since: Option<Document>,
    /// The provider's branch.
    pub provider_branch: Option<String>,
    /// The provider's tags.
    pub provider_tags: Vec<String>,
    /// Consumers' tags.
    pub consumer_tags: Vec<String>,
    /// Versions of consumers, a list.
    pub consumer_versions: Option<Document>,
}

/// Versions of consumers. Of a switch, false is the same as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsumerVersion {
    /// Of this consumer alone.
    pub consumer: Option<String>,
    /// The newest of this branch; true for that of each branch.
    pub branch: Option<Branch>,
    /// The newest of each consumer's main branch.
    pub main_branch: bool,
    /// The newest of the branch that has the name of the provider's.
    pub matching_branch: bool,
    /// The branch to take where there is no such `branch`.
    pub fallback_branch: Option<String>,
    /// All with this tag; with `latest` the newest of them.
    pub tag: Option<String>,
    /// The newest: of all, or with `tag` of those.
    pub latest: bool,
    /// The tag to take where there is no such `tag`.
    pub fallback_tag: Option<String>,
    /// Those that are deployed.
    pub deployed: bool,
    /// Those that are released and supported.
    pub released: bool,
    /// Those that are one or the other.
    pub deployed_or_released: bool,
    /// Those that are deployed or released in this environment.
    pub environment: Option<String>,
}

/// A branch by its name, or each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// Each.
    Every,
    /// That of this name.
    Named(String),
}

impl<'de> Deserialize<'de> for Branch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::Bool(true) => Ok(Self::Every),
            Json::String(name) => Ok(Self::Named(name.into())),
            other => Err(de::Error::custom(format!(
                "must be the name of a branch, or true for each branch, got {}",
                read::shown(&other)
            ))),
        }
    }
}

impl SelectorOperation {
    /// Its name, in snake case.
    pub fn name(&self) -> &'static str {
        read::name_of(self)
    }
}

/// What was said of a selection so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selected {
    selection: Selection,
    /// Of these tags the latest consumer versions are selected, too.
    consumer_tags: Vec<String>,
    /// Whether a builder was begun and has not come to its end.
    is_open: bool,
}

impl Selected {
    /// A builder's beginning.
    pub(crate) fn open() -> Self {
        Self {
            is_open: true,
            ..Self::default()
        }
    }

    /// All at once.
    pub(crate) fn of(options: SelectorOptions) -> Result<Self, ArgumentError> {
        let branch = options.provider_branch;
        let mut selected = Self {
            selection: Selection {
                consumer_versions: Vec::new(),
                include_pending: options.include_pending,
                include_wip_since: options.include_wip_since.map(|since| date(&since.0)).transpose()?,
                provider_branch: branch.map(|branch| name("provider_branch", branch)).transpose()?,
                provider_tags: names("provider_tags", options.provider_tags)?,
            },
            consumer_tags: names("consumer_tags", options.consumer_tags)?,
            is_open: false,
        };
        if let Some(Document(list)) = options.consumer_versions {
            selected
                .add_all(list)
                .map_err(|error| error.about("consumer_versions"))?;
        }
        Ok(selected)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Takes what one call of the builder says, or refuses it and stays as it was.
    pub(crate) fn say(&mut self, said: SelectorOperation) -> Result<(), ArgumentError> {
        if !self.is_open {
            let message = told![
                "the selector has come to its end with ",
                operation("build"),
                "; begin another one with ",
                operation("broker_source")
            ];
            return Err(refused(message));
        }
        let selection = &mut self.selection;
        match said {
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
                return Err(refused(format!("selectors are a list, got {}", read::shown(&other))));
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
        if all.len() > MOST_SELECTORS {
            all.truncate(before);
            return Err(refused(format!("there are more than {MOST_SELECTORS} selectors")));
        }
        Ok(())
    }

    /// The provider's branch, if it was said.
    pub(crate) fn provider_branch(&self) -> Option<&str> {
        self.selection.provider_branch.as_deref()
    }

    /// Whether contracts that are pending may fail.
    pub(crate) fn includes_pending(&self) -> bool {
        self.selection.include_pending || self.selection.include_wip_since.is_some()
    }

    /// What the broker is asked, with the branch that results are published for when no other was said.
    pub(crate) fn selection(&self, branch: Option<&str>) -> Result<Selection, ArgumentError> {
        let mut selection = self.selection.clone();
        selection.provider_branch = self.provider_branch().or(branch).map(str::to_owned);
        let is_matching = |version: &Json| version.get("matchingBranch").is_some();
        if selection.provider_branch.is_none() && selection.consumer_versions.iter().any(is_matching) {
            let message = told![
                option("matching_branch"),
                " is about the provider's branch, and there is none; say it with ",
                operation("provider_branch"),
                " or ",
                operation("set_publish_options")
            ];
            return Err(refused(message).of("consumer_version").about("matching_branch"));
        }
        let latest = |tag: &String| Object::from_iter([("latest", Json::from(true)), ("tag", tag.as_str().into())]);
        let tags = self.consumer_tags.iter().map(latest).map(Json::from);
        selection.consumer_versions.extend(tags);
        Ok(selection)
    }

    /// What people may have meant otherwise.
    pub(crate) fn warning(&self, branch: Option<&str>) -> Option<String> {
        let has_branch = self.provider_branch().or(branch).is_some() || !self.selection.provider_tags.is_empty();
        (self.selection.include_wip_since.is_some() && !has_branch).then(|| {
            "work in progress is told by the provider's branch, and there is none: the broker adds none of it"
                .to_owned()
        })
    }
}

/// A list or an object, or the JSON text of one.
fn parsed(json: Json) -> Result<Json, ArgumentError> {
    let Json::String(text) = &json else { return Ok(json) };
    Json::parse(text.as_bytes()).map_err(|error| refused(format!("a selector as text must be JSON: {error}")))
}

fn name(argument: &'static str, name: String) -> Result<String, ArgumentError> {
    let Some(problem) = name_problem(&name) else {
        return Ok(name);
    };
    Err(refused(told![option(argument), problem]).about(argument))
}

fn names(argument: &'static str, names: Vec<String>) -> Result<Vec<String>, ArgumentError> {
    let mut checked: Vec<String> = Vec::with_capacity(names.len());
    for one in names {
        let one = name(argument, one).map_err(|_| {
            refused(told![
                "a name in ",
                option(argument),
                " is empty, too long or no single line"
            ])
            .about(argument)
        })?;
        if !checked.contains(&one) {
            checked.push(one);
        }
    }
    Ok(checked)
}

/// Forms of dates that brokers read.
const DATES: [&str; 4] = [
    "yyyy-MM-dd",
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "yyyy-MM-dd'T'HH:mm:ss",
];

fn date(given: &Json) -> Result<String, ArgumentError> {
    let Some(text) = given.as_str().or_else(|| value::date(given)) else {
        return Err(refused(format!("a date is text such as 2026-01-31, got {}", read::shown(given))).about("date"));
    };
    let formats = DATES.iter().filter_map(|format| Format::parse(format).ok());
    let problems: Vec<_> = formats.filter_map(|format| format.check(text).err()).collect();
    match problems.first() {
        Some(problem) if problems.len() == DATES.len() => {
            Err(refused(format!("{text:?} is no date such as 2026-01-31: {problem}")).about("date"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Where a version stands in the consumer's history.
const HISTORY: [&str; 4] = ["main_branch", "matching_branch", "branch", "tag"];
/// Where it runs.
const PRESENT: [&str; 4] = ["deployed", "released", "deployed_or_released", "environment"];

impl ConsumerVersion {
    /// As brokers read it.
    fn read(json: Json) -> Result<Json, ArgumentError> {
        let json = parsed(json)?;
        if !matches!(json, Json::Object(_)) || value::shown(&json).is_some() {
            return Err(refused(format!("a selector is an object, got {}", read::shown(&json))).about("selector"));
        }
        let read: Self = read::options(OPTIONS, json)?;
        let said = read.said();
        for (argument, _, value) in &said {
            if let Some(problem) = value.as_str().and_then(name_problem) {
                return Err(refused(told![option(*argument), problem]).about(*argument));
            }
        }
        let names: Vec<_> = said.iter().map(|(name, ..)| *name).collect();
        read.check(&names)?;
        let members = said.into_iter().map(|(_, name, value)| (name, value));
        Ok(Json::Object(members.collect()))
    }

    /// What it says: the name, as brokers spell it, and the value.
    fn said(&self) -> Vec<(&'static str, &'static str, Json)> {
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
            ("tag", "tag", text(&self.tag)),
            ("fallback_tag", "fallbackTag", text(&self.fallback_tag)),
            ("environment", "environment", text(&self.environment)),
            ("consumer", "consumer", text(&self.consumer)),
        ];
        all.into_iter().filter(|(.., value)| !value.is_null()).collect()
    }

    /// Refuses what no broker would take.
    fn check(&self, said: &[&'static str]) -> Result<(), ArgumentError> {
        if said.iter().all(|name| *name == "consumer") {
            let ways = [HISTORY.as_slice(), &PRESENT, &["latest"]].concat();
            let message = told!["it does not say which versions; give ", listed(&ways, ", ", " or ")];
            return Err(refused(message).about("selector"));
        }
        let both = |one: &'static str, other: &'static str, advice: Message| {
            let message = told![option(one), " and ", option(other), " exclude each other; ", advice];
            Err(refused(message).about(other))
        };
        let two = || "selectors add up, so make two of it".into();
        let of = |names: &[&str]| {
            said.iter()
                .copied()
                .filter(|name| names.contains(name))
                .collect::<Vec<_>>()
        };
        // Where a version stands in the consumer's history is one question, where it runs another.
        match (of(&HISTORY).as_slice(), of(&PRESENT).as_slice()) {
            ([one, other, ..], _) | ([one], [other, ..]) => return both(one, other, two()),
            ([], [one, other, ..]) if *other != "environment" => {
                return both(one, other, told![setting("deployed_or_released", "true"), " is both"]);
            }
            ([], [other, ..]) if self.latest => return both("latest", other, two()),
            (["matching_branch"], []) if self.latest => return both("matching_branch", "latest", two()),
            _ => {}
        }
        let needs = |one: &'static str, other: Piece| Err(refused(told![option(one), " needs ", other]).about(one));
        if self.fallback_tag.is_some() && self.tag.is_none() {
            return needs("fallback_tag", option("tag"));
        }
        if self.fallback_tag.is_some() && !self.latest {
            return needs("fallback_tag", setting("latest", "true"));
        }
        if self.fallback_branch.is_some() && !matches!(self.branch, Some(Branch::Named(_))) {
            return needs("fallback_branch", option("branch"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{Selected, SelectorOperation};
    use contract_call::read;

    fn said(text: &str) -> SelectorOperation {
        read::value(Json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn selector(text: &str) -> SelectorOperation {
        said(&format!(r#"{{"consumerVersion": {{"selector": {text}}}}}"#))
    }

    #[test]
    fn calls_add_up() {
        let mut selected = Selected::open();
        for call in [
            r#"{"includePending": {}}"#,
            r#"{"includeWipSince": {"date": "2026-01-31"}}"#,
            r#"{"providerBranch": {"branch": "feat/x"}}"#,
            r#"{"providerTags": {"tags": ["a", "a", "b"]}}"#,
            r#"{"consumerTags": {"tags": ["prod"]}}"#,
            r#"{"consumerVersion": {"selector": {"mainBranch": true, "deployed": false}}}"#,
            r#"{"consumerVersions": {"selectors": [{"branch": true}, "{\"environment\": \"prod\", \"consumer\": \"web\"}"]}}"#,
            r#"{"consumerVersion": {"selector": {"branch": "x", "fallbackBranch": "main"}}}"#,
            r#"{"build": {}}"#,
        ] {
            selected.say(said(call)).unwrap();
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
                r#"{"latest":true,"tag":"prod"}"#
            ]
        );
        assert!(selection.include_pending);
        assert_eq!(selection.include_wip_since.as_deref(), Some("2026-01-31"));
        assert_eq!(selection.provider_branch.as_deref(), Some("feat/x"));
        assert_eq!(selection.provider_tags, ["a", "b"]);
    }

    #[test]
    fn contradictions_are_refused_and_leave_nothing() {
        for (text, want) in [
            ("{}", "does not say which versions"),
            (r#"{"consumer": "web"}"#, "does not say which versions"),
            (r#"{"mainBranch": false}"#, "does not say which versions"),
            (r#"{"tag": "x", "branch": "y"}"#, "branch and tag exclude each other"),
            (r#"{"mainBranch": true, "tag": "x"}"#, "main_branch and tag exclude"),
            (
                r#"{"matchingBranch": true, "latest": true}"#,
                "matching_branch and latest exclude",
            ),
            (
                r#"{"deployed": true, "released": true}"#,
                "deployed_or_released: true is both",
            ),
            (r#"{"deployedOrReleased": true, "deployed": true}"#, "is both"),
            (
                r#"{"branch": "x", "environment": "prod"}"#,
                "branch and environment exclude",
            ),
            (r#"{"latest": true, "deployed": true}"#, "latest and deployed exclude"),
            (r#"{"fallbackTag": "x", "latest": true}"#, "fallback_tag needs tag"),
            (r#"{"tag": "x", "fallbackTag": "y"}"#, "fallback_tag needs latest: true"),
            (
                r#"{"mainBranch": true, "fallbackBranch": "y"}"#,
                "fallback_branch needs branch",
            ),
            (r#"{"branch": ""}"#, "branch is empty"),
            (r#"{"branch": false}"#, "must be the name of a branch"),
            (r#"{"tag": "a\nb"}"#, "control characters"),
            (r#"{"mainbranch": true}"#, "Did you mean"),
            (r#"{"deployed": "yes"}"#, "deployed must be true or false"),
            ("7", "a selector is an object, got 7"),
            (r#""{""#, "must be JSON"),
        ] {
            let mut selected = Selected::open();
            let error = selected.say(selector(text)).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
            assert_eq!(selected, Selected::open(), "{text}");
        }
        let mut selected = Selected::open();
        let list = r#"{"consumerVersions": {"selectors": [{"mainBranch": true}, {}]}}"#;
        let error = selected.say(said(list)).unwrap_err().to_string();
        assert!(error.starts_with("selector 2: "), "{error}");
        assert_eq!(selected, Selected::open());
    }

    #[test]
    fn dates() {
        for (text, is_date) in [
            ("2026-01-31", true),
            ("2026-01-31T10:00:00Z", true),
            ("2026-01-31T10:00:00.123+02:00", true),
            ("2026-02-30", false),
            ("yesterday", false),
            ("", false),
        ] {
            let call = format!(r#"{{"includeWipSince": {{"date": "{text}"}}}}"#);
            assert_eq!(Selected::open().say(said(&call)).is_ok(), is_date, "{text}");
        }
    }

    #[test]
    fn a_matching_branch_needs_one_to_match() {
        let mut selected = Selected::open();
        selected.say(selector(r#"{"matchingBranch": true}"#)).unwrap();
        assert!(
            selected
                .selection(None)
                .unwrap_err()
                .to_string()
                .contains("matching_branch is about")
        );
        assert_eq!(
            selected.selection(Some("main")).unwrap().provider_branch.as_deref(),
            Some("main")
        );
    }

    #[test]
    fn after_its_end_a_builder_takes_nothing() {
        let mut selected = Selected::open();
        selected.say(said(r#"{"build": {}}"#)).unwrap();
        let error = selected.say(said(r#"{"includePending": {}}"#)).unwrap_err().to_string();
        assert!(error.contains("has come to its end with build"), "{error}");
    }
}
