//! Consumer version selectors: which contracts a provider asks to verify, and why each was chosen.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// How many different selectors one request may have.
const MOST_SELECTORS: usize = 500;

/// One selector, with the consumer that it is restricted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) consumer: Option<String>,
    pub(crate) criterion: Criterion,
}

/// What a selector asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// The head of each consumer's main branch.
    MainBranch,
    /// The head of a branch; of another one for consumers that have none there.
    Branch { name: String, fallback: Option<String> },
    /// The head of every branch.
    EveryBranch,
    /// The newest version with a tag; with another one for consumers that have none.
    LatestWithTag { tag: String, fallback: Option<String> },
    /// Every version with a tag.
    EveryWithTag { tag: String },
    /// The newest version.
    Latest,
    /// What is in an environment, or in any.
    Present {
        deployed: bool,
        released: bool,
        environment: Option<String>,
    },
}

/// What was asked for, beside the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Empty: the selection that a broker makes by itself.
    pub(crate) selectors: Vec<Selector>,
    pub(crate) provider_branch: Option<String>,
    pub(crate) provider_tags: Vec<String>,
    pub(crate) include_pending: bool,
    pub(crate) wip_since: Option<i64>,
}

/// Field names with what is wrong about them.
pub(crate) type FieldErrors = Vec<(String, String)>;

impl Wanted {
    pub(crate) fn parse(body: &Map<String, Value>) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::new();
        let mut wrong = |field: &str, text: String| errors.push((field.to_owned(), text));
        let mut wanted = Self {
            include_pending: true,
            ..Self::default()
        };

        match body.get("providerVersionBranch") {
            None | Some(Value::Null) => {}
            Some(Value::String(branch)) => wanted.provider_branch = Some(branch.clone()),
            Some(_) => wrong("providerVersionBranch", "must be a string".to_owned()),
        }
        match body.get("providerVersionTags") {
            None | Some(Value::Null) => {}
            Some(Value::Array(tags)) if tags.iter().all(Value::is_string) => {
                for tag in tags.iter().filter_map(Value::as_str) {
                    if !wanted.provider_tags.iter().any(|known| known == tag) {
                        wanted.provider_tags.push(tag.to_owned());
                    }
                }
            }
            Some(_) => wrong("providerVersionTags", "must be a list of strings".to_owned()),
        }
        match body.get("includePendingStatus") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(include)) => wanted.include_pending = *include,
            Some(_) => wrong("includePendingStatus", "must be true or false".to_owned()),
        }
        match body.get("includeWipPactsSince") {
            None | Some(Value::Null) => {}
            Some(value) => match value.as_str().and_then(super::time::parse) {
                Some(since) => wanted.wip_since = Some(since),
                None => wrong("includeWipPactsSince", "must be a date, such as 2026-01-31".to_owned()),
            },
        }
        let asks_pending = body.get("includePendingStatus") == Some(&Value::Bool(true)) || wanted.wip_since.is_some();
        if wanted
            .provider_branch
            .as_deref()
            .is_some_and(|branch| branch.trim().is_empty())
        {
            if asks_pending && wanted.provider_tags.is_empty() {
                wrong(
                    "providerVersionBranch",
                    "must not be empty: pending and work in progress are computed for it. Give the branch, or leave it out"
                        .to_owned(),
                );
            }
            wanted.provider_branch = None;
        }
        match body.get("consumerVersionSelectors") {
            None | Some(Value::Null) => {}
            Some(Value::Array(selectors)) => {
                for (at, selector) in selectors.iter().enumerate() {
                    match Selector::parse(selector, wanted.provider_branch.as_deref()) {
                        Ok(selector) if wanted.selectors.contains(&selector) => {}
                        Ok(_) if wanted.selectors.len() == MOST_SELECTORS => {
                            wrong("consumerVersionSelectors", format!("are more than {MOST_SELECTORS}"));
                            break;
                        }
                        Ok(selector) => wanted.selectors.push(selector),
                        Err(texts) => {
                            for text in texts {
                                wrong("consumerVersionSelectors", format!("{text} (at index {at})"));
                            }
                        }
                    }
                }
            }
            Some(_) => wrong("consumerVersionSelectors", "must be a list".to_owned()),
        }
        if errors.is_empty() { Ok(wanted) } else { Err(errors) }
    }
}

impl Selector {
    fn parse(value: &Value, provider_branch: Option<&str>) -> Result<Self, Vec<String>> {
        let Some(fields) = value.as_object() else {
            return Err(vec!["must be an object".to_owned()]);
        };
        let fields = Fields::read(fields)?;
        let problems = fields.problems(provider_branch);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            criterion: fields.criterion(provider_branch),
            consumer: fields.consumer,
        })
    }
}

/// The fields of a selector as they were sent.
#[derive(Default)]
struct Fields {
    main_branch: bool,
    matching_branch: bool,
    every_branch: bool,
    branch: Option<String>,
    fallback_branch: Option<String>,
    tag: Option<String>,
    fallback_tag: Option<String>,
    latest: Option<bool>,
    deployed: bool,
    released: bool,
    deployed_or_released: bool,
    environment: Option<String>,
    consumer: Option<String>,
}

impl Fields {
    fn read(fields: &Map<String, Value>) -> Result<Self, Vec<String>> {
        let mut read = Self::default();
        let mut problems = Vec::new();
        for (key, value) in fields {
            if value.is_null() {
                continue;
            }
            let flag = |problems: &mut Vec<String>| {
                if value.as_bool().is_none() {
                    problems.push(format!("{key} must be true or false"));
                }
                value.as_bool()
            };
            let text = |problems: &mut Vec<String>| {
                if let Some(text) = value.as_str().filter(|text| !text.trim().is_empty()) {
                    Some(text.to_owned())
                } else {
                    problems.push(format!("{key} must be a string that is not blank"));
                    None
                }
            };
            match key.as_str() {
                "mainBranch" => read.main_branch = flag(&mut problems).unwrap_or_default(),
                "matchingBranch" => read.matching_branch = flag(&mut problems).unwrap_or_default(),
                "branch" if *value == Value::Bool(true) => read.every_branch = true,
                "branch" => read.branch = text(&mut problems),
                "fallbackBranch" => read.fallback_branch = text(&mut problems),
                "tag" => read.tag = text(&mut problems),
                "fallbackTag" => read.fallback_tag = text(&mut problems),
                "latest" => read.latest = flag(&mut problems),
                "deployed" => read.deployed = flag(&mut problems).unwrap_or_default(),
                "released" => read.released = flag(&mut problems).unwrap_or_default(),
                "deployedOrReleased" => read.deployed_or_released = flag(&mut problems).unwrap_or_default(),
                "environment" => read.environment = text(&mut problems),
                "consumer" => read.consumer = text(&mut problems),
                // Clients may know more than this broker.
                _ => {}
            }
        }
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }

    fn problems(&self, provider_branch: Option<&str>) -> Vec<String> {
        let on_branch = self.branch.is_some() || self.every_branch;
        let with_tag = self.tag.is_some() || self.fallback_tag.is_some();
        let present = self.present();
        let mut problems = Vec::new();
        let mut unless = |holds: bool, text: &str| {
            if !holds {
                problems.push(text.to_owned());
            }
        };
        let says_something = self.main_branch
            || self.matching_branch
            || on_branch
            || with_tag
            || self.fallback_branch.is_some()
            || self.latest == Some(true)
            || present.is_some();
        unless(
            says_something,
            "must say which versions: tag, branch or environment, or mainBranch, matchingBranch, latest, deployed, released or deployedOrReleased with true",
        );
        let others = on_branch || with_tag || self.fallback_branch.is_some() || present.is_some();
        unless(
            !(self.main_branch && (others || self.matching_branch || self.latest == Some(false))),
            "mainBranch can be combined with consumer only",
        );
        unless(
            !(self.matching_branch && (others || self.latest.is_some())),
            "matchingBranch can be combined with consumer only",
        );
        unless(
            !self.matching_branch || provider_branch.is_some(),
            "matchingBranch needs providerVersionBranch: it is the branch that is to match",
        );
        unless(!(on_branch && self.tag.is_some()), "tag and branch exclude each other");
        unless(
            self.tag.is_some() || self.fallback_tag.is_none(),
            "fallbackTag needs tag",
        );
        unless(
            self.fallback_tag.is_none() || self.tag.is_none() || self.latest == Some(true),
            "fallbackTag needs latest with true",
        );
        unless(
            on_branch || self.fallback_branch.is_none(),
            "fallbackBranch needs branch",
        );
        unless(
            !(on_branch && self.latest == Some(false)),
            "branch means its head: latest cannot be false",
        );
        unless(
            !(self.deployed && self.released),
            "deployed and released exclude each other: use deployedOrReleased",
        );
        unless(
            !(self.deployed_or_released && (self.deployed || self.released)),
            "deployedOrReleased cannot be combined with deployed or released",
        );
        if let Some(present) = present {
            for (given, field) in [
                (on_branch, "branch"),
                (self.tag.is_some(), "tag"),
                (self.latest.is_some(), "latest"),
            ] {
                unless(!given, &format!("{field} cannot be combined with {present}"));
            }
        }
        problems
    }

    fn present(&self) -> Option<&'static str> {
        [
            (self.deployed, "deployed"),
            (self.released, "released"),
            (self.deployed_or_released, "deployedOrReleased"),
            (self.environment.is_some(), "environment"),
        ]
        .into_iter()
        .find_map(|(given, field)| given.then_some(field))
    }

    fn criterion(&self, provider_branch: Option<&str>) -> Criterion {
        if self.present().is_some() {
            return Criterion::Present {
                deployed: !self.released,
                released: !self.deployed,
                environment: self.environment.clone(),
            };
        }
        if self.main_branch {
            Criterion::MainBranch
        } else if self.matching_branch {
            Criterion::Branch {
                name: provider_branch.unwrap_or_default().to_owned(),
                fallback: None,
            }
        } else if self.every_branch {
            Criterion::EveryBranch
        } else if let Some(name) = &self.branch {
            Criterion::Branch {
                name: name.clone(),
                fallback: self.fallback_branch.clone(),
            }
        } else if let Some(tag) = &self.tag {
            if self.latest == Some(true) {
                Criterion::LatestWithTag {
                    tag: tag.clone(),
                    fallback: self.fallback_tag.clone(),
                }
            } else {
                Criterion::EveryWithTag { tag: tag.clone() }
            }
        } else {
            Criterion::Latest
        }
    }
}

/// Why a consumer version was chosen. In the order in which reasons are told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Deployed { environment: String },
    Released { environment: String },
    Branch { name: String, instead_of: Option<String> },
    MainBranch { name: String },
    LatestWithTag { tag: String, instead_of: Option<String> },
    EveryWithTag { tag: String },
    Latest,
}

impl Reason {
    /// A few words; some verifiers name their tests by them.
    pub(crate) fn short(&self) -> String {
        match self {
            Self::Deployed { environment } => format!("deployed to {environment}"),
            Self::Released { environment } => format!("released in {environment}"),
            Self::Branch { name, .. } => format!("latest from branch {name}"),
            Self::MainBranch { .. } => "latest from main branch".to_owned(),
            Self::LatestWithTag { tag, .. } => format!("latest with tag {tag}"),
            Self::EveryWithTag { tag } => format!("one of {tag}"),
            Self::Latest => "latest".to_owned(),
        }
    }

    /// A sentence's part: "it is …".
    pub(crate) fn long(&self) -> String {
        match self {
            Self::Deployed { environment } => format!("deployed to {environment} now"),
            Self::Released { environment } => format!("released in {environment} and supported"),
            Self::Branch { name, instead_of: None } => format!("the head of branch {name}"),
            Self::Branch {
                name,
                instead_of: Some(asked),
            } => {
                format!("the head of branch {name}, for there is nothing on branch {asked}")
            }
            Self::MainBranch { name } => format!("the head of the main branch {name}"),
            Self::LatestWithTag { tag, instead_of: None } => format!("the latest with tag {tag}"),
            Self::LatestWithTag {
                tag,
                instead_of: Some(asked),
            } => {
                format!("the latest with tag {tag}, for nothing has tag {asked}")
            }
            Self::EveryWithTag { tag } => format!("one of those with tag {tag}"),
            Self::Latest => "the latest".to_owned(),
        }
    }
}

/// A consumer version that was chosen, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) reason: Reason,
    pub(crate) version_id: i64,
    pub(crate) version: String,
}

impl Choice {
    /// The order in which choices of one content are told: older versions first within one kind of reason.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        (&self.reason, self.version_id).cmp(&(&other.reason, other.version_id))
    }
}

/// When a content was first verified with success by a group of provider versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Success {
    pub(crate) group: Group,
    pub(crate) first_at: i64,
    /// Not counting runs in which the contract was work in progress.
    pub(crate) first_chosen_at: Option<i64>,
}

/// Provider versions on a branch, with a tag, or all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Branch(String),
    Tag(String),
    Any,
}

/// For whom pending and work in progress are computed: a branch or tag of the provider, with when it came to be, if it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    pub(crate) group: Group,
    pub(crate) since: Option<i64>,
}

impl Asker {
    /// Whether a failure of this content must not break the asker's build: it was never verified by it, nor by others before
    /// the asker came to be.
    pub(crate) fn is_pending(&self, successes: &[Success]) -> bool {
        !self.was_verified(successes, |success| Some(success.first_at))
    }

    /// The same, of runs in which the content was asked for rather than work in progress.
    pub(crate) fn is_unverified_when_chosen(&self, successes: &[Success]) -> bool {
        !self.was_verified(successes, |success| success.first_chosen_at)
    }

    fn was_verified(&self, successes: &[Success], moment: impl Fn(&Success) -> Option<i64>) -> bool {
        successes.iter().any(|success| {
            let Some(at) = moment(success) else { return false };
            if self.group == Group::Any || success.group == Group::Any {
                return self.group == success.group;
            }
            success.group == self.group
                || (self.is_of_same_kind(&success.group) && self.since.is_none_or(|since| at < since))
        })
    }

    fn is_of_same_kind(&self, group: &Group) -> bool {
        matches!(
            (&self.group, group),
            (Group::Branch(_), Group::Branch(_)) | (Group::Tag(_), Group::Tag(_))
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(body: &Value) -> Result<Wanted, FieldErrors> {
        Wanted::parse(body.as_object().expect("an object"))
    }

    fn criterion(selector: &Value) -> Criterion {
        let body = json!({"consumerVersionSelectors": [selector], "providerVersionBranch": "here"});
        parse(&body).expect("a good selector").selectors.remove(0).criterion
    }

    #[test]
    fn each_form_is_understood() {
        let branch = |name: &str, fallback: Option<&str>| Criterion::Branch {
            name: name.to_owned(),
            fallback: fallback.map(str::to_owned),
        };
        assert_eq!(criterion(&json!({"mainBranch": true})), Criterion::MainBranch);
        assert_eq!(
            criterion(&json!({"mainBranch": true, "latest": true, "consumer": "a"})),
            Criterion::MainBranch
        );
        assert_eq!(
            criterion(&json!({"branch": "b", "fallbackBranch": "c"})),
            branch("b", Some("c"))
        );
        assert_eq!(criterion(&json!({"branch": true})), Criterion::EveryBranch);
        assert_eq!(criterion(&json!({"matchingBranch": true})), branch("here", None));
        assert_eq!(criterion(&json!({"latest": true})), Criterion::Latest);
        assert_eq!(
            criterion(&json!({"tag": "t"})),
            Criterion::EveryWithTag { tag: "t".to_owned() }
        );
        assert_eq!(
            criterion(&json!({"environment": "prod"})),
            Criterion::Present {
                deployed: true,
                released: true,
                environment: Some("prod".to_owned())
            }
        );
        assert_eq!(
            criterion(&json!({"released": true})),
            Criterion::Present {
                deployed: false,
                released: true,
                environment: None
            }
        );
    }

    #[test]
    fn each_contradiction_is_one_error() {
        for selector in [
            json!({}),
            json!({"consumer": "a"}),
            json!({"mainBranch": true, "tag": "x"}),
            json!({"tag": "x", "branch": "y"}),
            json!({"deployed": true, "released": true}),
            json!({"branch": "x", "latest": false}),
            json!({"matchingBranch": true, "tag": "x"}),
            json!({"fallbackTag": "x", "latest": true}),
            json!({"tag": "x", "fallbackTag": "y"}),
            json!({"deployed": true, "branch": "x"}),
            json!({"latest": "yes"}),
            json!({"tag": ""}),
            json!("latest"),
        ] {
            let body = json!({"consumerVersionSelectors": [selector], "providerVersionBranch": "here"});
            let errors = parse(&body).expect_err("a contradiction");
            assert_eq!(errors.len(), 1, "{selector}: {errors:?}");
            assert!(errors[0].1.ends_with("(at index 0)"), "{errors:?}");
        }
    }

    fn success(group: Group, at: i64) -> Success {
        Success {
            group,
            first_at: at,
            first_chosen_at: Some(at),
        }
    }

    #[test]
    fn a_new_branch_inherits_what_was_verified_before_it() {
        let branch = |name: &str| Group::Branch(name.to_owned());
        let feature = |since: Option<i64>| Asker {
            group: branch("feature"),
            since,
        };
        assert!(feature(None).is_pending(&[]));
        assert!(!feature(None).is_pending(&[success(branch("main"), 5)]));
        assert!(!feature(Some(6)).is_pending(&[success(branch("main"), 5)]));
        assert!(feature(Some(4)).is_pending(&[success(branch("main"), 5)]));
        assert!(!feature(Some(4)).is_pending(&[success(branch("feature"), 5)]));
        assert!(
            feature(None).is_pending(&[success(Group::Any, 5)]),
            "a version on no branch counts for none"
        );
        assert!(
            !Asker {
                group: Group::Any,
                since: None
            }
            .is_pending(&[success(Group::Any, 5)])
        );
    }

    #[test]
    fn a_success_as_work_in_progress_leaves_it_so() {
        let asker = Asker {
            group: Group::Branch("b".to_owned()),
            since: Some(1),
        };
        let success = Success {
            group: asker.group.clone(),
            first_at: 5,
            first_chosen_at: None,
        };
        assert!(asker.is_unverified_when_chosen(std::slice::from_ref(&success)));
        assert!(!asker.is_pending(&[success]));
    }
}
