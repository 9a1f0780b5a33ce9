//! Parses the request body of a contract selection.

use serde_json::{Map, Value};

use super::{BranchFallback, Criterion, FieldErrors, SelectionRequest, Selector};
use crate::time;

/// Maximum number of distinct selectors in one request.
const MAX_SELECTORS: usize = 500;
/// Maximum number of provider tags in one request, because each requires a database lookup.
const MAX_PROVIDER_TAGS: usize = 100;
/// Maximum length of the list of selectors, including duplicates.
const MAX_LIST_LENGTH: usize = 10_000;

impl SelectionRequest {
    pub fn parse(body: &Map<String, Value>) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::new();
        let mut wrong = |field: &str, text: String| errors.push((field.to_owned(), text));
        let mut query = Self {
            include_pending: true,
            ..Self::default()
        };

        match body.get("providerVersionBranch") {
            None | Some(Value::Null) => {}
            Some(Value::String(branch)) => query.provider_branch = Some(branch.clone()),
            Some(_) => wrong("providerVersionBranch", "must be a string".to_owned()),
        }
        match body.get("providerVersionTags") {
            None | Some(Value::Null) => {}
            Some(Value::Array(tags)) if tags.len() > MAX_PROVIDER_TAGS => wrong(
                "providerVersionTags",
                format!("must have at most {MAX_PROVIDER_TAGS} entries, not {}", tags.len()),
            ),
            Some(Value::Array(tags)) if tags.iter().all(Value::is_string) => {
                for tag in tags.iter().filter_map(Value::as_str) {
                    if !query.provider_tags.iter().any(|known| known == tag) {
                        query.provider_tags.push(tag.to_owned());
                    }
                }
            }
            Some(_) => wrong("providerVersionTags", "must be an array of strings".to_owned()),
        }
        match body.get("includePendingStatus") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(include)) => query.include_pending = *include,
            Some(_) => wrong("includePendingStatus", "must be true or false".to_owned()),
        }
        match body.get("includeWipPactsSince") {
            None | Some(Value::Null) => {}
            Some(value) => match value.as_str().and_then(time::parse) {
                Some(since) => query.wip_since = Some(since),
                None => wrong("includeWipPactsSince", "must be a date, such as 2026-01-31".to_owned()),
            },
        }
        let asks_pending = body.get("includePendingStatus") == Some(&Value::Bool(true)) || query.wip_since.is_some();
        if query
            .provider_branch
            .as_deref()
            .is_some_and(|branch| branch.trim().is_empty())
        {
            if asks_pending && query.provider_tags.is_empty() {
                wrong(
                    "providerVersionBranch",
                    "must not be empty, because pending and work-in-progress contracts are computed for this branch. Set the branch, or omit providerVersionBranch"
                        .to_owned(),
                );
            }
            query.provider_branch = None;
        }
        match body.get("consumerVersionSelectors") {
            None | Some(Value::Null) => {}
            Some(Value::Array(selectors)) if selectors.len() > MAX_LIST_LENGTH => wrong(
                "consumerVersionSelectors",
                format!("must have at most {MAX_LIST_LENGTH} entries, not {}", selectors.len()),
            ),
            Some(Value::Array(selectors)) => {
                for (at, selector) in selectors.iter().enumerate() {
                    match Selector::parse(selector, query.provider_branch.as_deref()) {
                        Ok(selector) if query.selectors.contains(&selector) => {}
                        Ok(_) if query.selectors.len() == MAX_SELECTORS => {
                            wrong(
                                "consumerVersionSelectors",
                                format!("must have at most {MAX_SELECTORS} different selectors"),
                            );
                            break;
                        }
                        Ok(selector) => query.selectors.push(selector),
                        Err(texts) => {
                            for text in texts {
                                wrong("consumerVersionSelectors", format!("{text} (at index {at})"));
                            }
                        }
                    }
                }
            }
            Some(_) => wrong("consumerVersionSelectors", "must be an array".to_owned()),
        }
        if errors.is_empty() { Ok(query) } else { Err(errors) }
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

/// The fields of a selector as the client sent them.
#[derive(Default)]
struct Fields {
    main_branch: bool,
    matching_branch: bool,
    every_branch: bool,
    branch: Option<String>,
    fallback_branch: Option<String>,
    fallback_to_main_branch: bool,
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
                "fallbackToMainBranch" => read.fallback_to_main_branch = flag(&mut problems).unwrap_or_default(),
                "tag" => read.tag = text(&mut problems),
                "fallbackTag" => read.fallback_tag = text(&mut problems),
                "latest" => read.latest = flag(&mut problems),
                "deployed" => read.deployed = flag(&mut problems).unwrap_or_default(),
                "released" => read.released = flag(&mut problems).unwrap_or_default(),
                "deployedOrReleased" => read.deployed_or_released = flag(&mut problems).unwrap_or_default(),
                "environment" => read.environment = text(&mut problems),
                "consumer" => read.consumer = text(&mut problems),
                // Ignore unknown fields, because newer clients may send them.
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
        let mut unless = |is_valid: bool, text: &str| {
            if !is_valid {
                problems.push(text.to_owned());
            }
        };
        let says_something = self.main_branch
            || self.matching_branch
            || on_branch
            || with_tag
            || self.has_branch_fallback()
            || self.latest == Some(true)
            || present.is_some();
        unless(
            says_something,
            "must select versions with tag, branch, or environment, or with mainBranch, matchingBranch, latest, deployed, released, or deployedOrReleased set to true",
        );
        let has_conflict = on_branch || with_tag || self.has_branch_fallback() || present.is_some();
        unless(
            !(self.main_branch && (has_conflict || self.matching_branch || self.latest == Some(false))),
            "mainBranch can only be combined with consumer",
        );
        unless(
            !(self.matching_branch && (has_conflict || self.latest.is_some())),
            "matchingBranch can only be combined with consumer",
        );
        unless(
            !self.matching_branch || provider_branch.is_some(),
            "matchingBranch requires providerVersionBranch",
        );
        unless(!(on_branch && self.tag.is_some()), "tag and branch cannot be combined");
        unless(
            self.tag.is_some() || self.fallback_tag.is_none(),
            "fallbackTag requires tag",
        );
        unless(
            self.fallback_tag.is_none() || self.tag.is_none() || self.latest == Some(true),
            "fallbackTag requires latest to be true",
        );
        unless(
            on_branch || self.fallback_branch.is_none(),
            "fallbackBranch requires branch",
        );
        unless(
            on_branch || !self.fallback_to_main_branch,
            "fallbackToMainBranch requires branch",
        );
        unless(
            !(self.fallback_to_main_branch && self.fallback_branch.is_some()),
            "fallbackToMainBranch and fallbackBranch cannot be combined",
        );
        unless(
            !(on_branch && self.latest == Some(false)),
            "latest must not be false with branch: only the latest version of a branch can be selected",
        );
        unless(
            !(self.deployed && self.released),
            "deployed and released cannot be combined: use deployedOrReleased",
        );
        unless(
            !(self.deployed_or_released && (self.deployed || self.released)),
            "deployedOrReleased cannot be combined with deployed or released",
        );
        if let Some(present) = present {
            for (is_set, field) in [
                (on_branch, "branch"),
                (self.tag.is_some(), "tag"),
                (self.latest.is_some(), "latest"),
            ] {
                unless(!is_set, &format!("{field} cannot be combined with {present}"));
            }
        }
        problems
    }

    fn has_branch_fallback(&self) -> bool {
        self.fallback_branch.is_some() || self.fallback_to_main_branch
    }

    fn present(&self) -> Option<&'static str> {
        [
            (self.deployed, "deployed"),
            (self.released, "released"),
            (self.deployed_or_released, "deployedOrReleased"),
            (self.environment.is_some(), "environment"),
        ]
        .into_iter()
        .find_map(|(is_set, field)| is_set.then_some(field))
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
                fallback: if self.fallback_to_main_branch {
                    Some(BranchFallback::Main)
                } else {
                    self.fallback_branch.clone().map(BranchFallback::Named)
                },
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(body: &Value) -> Result<SelectionRequest, FieldErrors> {
        SelectionRequest::parse(body.as_object().expect("an object"))
    }

    fn criterion(selector: &Value) -> Criterion {
        let body = json!({"consumerVersionSelectors": [selector], "providerVersionBranch": "here"});
        parse(&body).expect("a valid selector").selectors.remove(0).criterion
    }

    #[test]
    fn parses_each_form() {
        let branch = |name: &str, fallback: Option<BranchFallback>| Criterion::Branch {
            name: name.to_owned(),
            fallback,
        };
        assert_eq!(criterion(&json!({"mainBranch": true})), Criterion::MainBranch);
        assert_eq!(
            criterion(&json!({"mainBranch": true, "latest": true, "consumer": "a"})),
            Criterion::MainBranch
        );
        assert_eq!(
            criterion(&json!({"branch": "b", "fallbackBranch": "c"})),
            branch("b", Some(BranchFallback::Named("c".to_owned())))
        );
        assert_eq!(
            criterion(&json!({"branch": "b", "fallbackToMainBranch": true})),
            branch("b", Some(BranchFallback::Main))
        );
        assert_eq!(
            criterion(&json!({"branch": "b", "fallbackToMainBranch": false})),
            branch("b", None)
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
    fn reports_each_contradiction_once() {
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
            json!({"tag": "x", "fallbackToMainBranch": true}),
            json!({"branch": "x", "fallbackBranch": "y", "fallbackToMainBranch": true}),
            json!({"branch": "x", "fallbackToMainBranch": "main"}),
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
}
