//! Derives the variants of an answer, and applies them to it.

use std::collections::BTreeSet;

use contract_matching::PlanError;

use crate::answer::{Answer, Plan};
use crate::change::{Change, HeaderCase, Place};
use crate::describe;
use crate::generate::Generator;
use crate::kind::Kind;
use crate::settings::Settings;

/// A single change to the example that the contract allows.
#[derive(Clone, Debug)]
pub struct Variant {
    pub kind: Kind,
    /// The name, such as `branch@$.status=shipped`. It is unique within the answer and the same in each run.
    pub name: String,
    /// The place, such as `$.status`, `header.Content-Type`, or `status`.
    pub place: String,
    /// The reason why the contract allows the value, such as `the matching rule type at $.status`.
    pub rule: String,
    /// The difference from the example, such as `"shipped"` or `no such member`.
    pub value: String,
    pub(crate) touched: Place,
    pub(crate) change: Change,
}

/// An answer and its variants, in the order in which they are tried.
#[derive(Debug)]
pub struct Variants {
    answer: Answer,
    plan: Plan,
    list: Vec<Variant>,
}

impl Variants {
    /// Derives the variants of an answer. Returns an error if a rule is invalid.
    pub fn new(answer: Answer, settings: &Settings) -> Result<Self, PlanError> {
        let plan = Plan::new(&answer)?;
        let (mut names, mut chosen) = (BTreeSet::new(), BTreeSet::new());
        let mut list = Vec::new();
        for proposal in Generator::new(&answer, settings).proposals {
            if proposal.choice.is_some_and(|choice| chosen.contains(&choice)) {
                continue;
            }
            if !plan.accepts(&answer.with([(&proposal.touched, &proposal.change)])) {
                continue;
            }
            chosen.extend(proposal.choice);
            let place = proposal.place.to_string();
            let label = proposal.label.map(|label| format!("={label}")).unwrap_or_default();
            let name = format!("{}@{place}{label}", proposal.kind);
            if names.insert(name.clone()) {
                list.push(Variant {
                    kind: proposal.kind,
                    name,
                    place,
                    rule: proposal.rule,
                    value: value_text(&proposal.change, proposal.value.as_ref()),
                    touched: proposal.touched,
                    change: proposal.change,
                });
            }
        }
        list.sort_by_key(|variant| variant.kind);
        Ok(Self { answer, plan, list })
    }

    pub fn list(&self) -> &[Variant] {
        &self.list
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the answer with the changes of these variants, given as indexes into [`Self::list`].
    pub fn answer(&self, changes: &[usize]) -> Answer {
        self.answer.with(changes.iter().filter_map(|change| {
            let variant = self.list.get(*change)?;
            Some((&variant.touched, &variant.change))
        }))
    }

    /// Returns the letter case that these variants set for header names, or `None` if none of them sets it.
    pub fn header_case(&self, changes: &[usize]) -> Option<HeaderCase> {
        changes.iter().find_map(|change| match self.list.get(*change)?.change {
            Change::Casing(case) => Some(case),
            _ => None,
        })
    }

    /// Returns true if the contract allows the answer with the changes of all these variants.
    pub(crate) fn allows(&self, changes: &[usize]) -> bool {
        self.plan.accepts(&self.answer(changes))
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|variant| variant.name == name)
    }
}

fn value_text(change: &Change, value: Option<&contract_model::Json>) -> String {
    match (change, value) {
        (Change::Remove, _) => "no such member".to_owned(),
        (Change::Resize(0), _) => "no items".to_owned(),
        (Change::Resize(1), _) => "1 item".to_owned(),
        (Change::Resize(size), _) => format!("{size} items"),
        (Change::Reverse, _) => "all members in reverse order".to_owned(),
        (_, Some(value)) => describe::value(value),
        (_, None) => String::new(),
    }
}

/// Returns at most `count` of the names that are most similar to `name`, most similar first.
pub fn nearest_names<'a>(name: &str, names: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    /// Maximum length of a name. Longer names are truncated, because the comparison time grows with the product of the
    /// lengths.
    const LENGTH: usize = 200;
    let searched: Vec<char> = name.chars().take(LENGTH).collect();
    let mut all: Vec<(usize, &str)> = names
        .into_iter()
        .map(|known| {
            let characters: Vec<char> = known.chars().take(LENGTH).collect();
            (distance(&searched, &characters), known)
        })
        .collect();
    all.sort_unstable();
    all.into_iter().take(count).map(|(_, known)| known).collect()
}

/// Returns the number of characters to insert, remove, or replace to turn one name into the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, b) in other.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = (diagonal + usize::from(a != b)).min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Combine, Content, Json, PathRules, Response, Rule, RuleList, Rules, StatusClass};

    use super::*;

    fn any() -> Rule {
        Rule::Type { min: None, max: None }
    }

    fn response(body: &str, rules: &[(&str, RuleList)]) -> Response {
        let body_rules: PathRules = rules
            .iter()
            .map(|(path, list)| (path.parse().unwrap(), list.clone()))
            .collect();
        Response {
            body: Body::Present(Content::json(Json::parse(body.as_bytes()).unwrap())),
            rules: Rules {
                body: body_rules,
                ..Rules::default()
            },
            ..Response::default()
        }
    }

    fn names(response: Response, set: &str) -> Vec<String> {
        let settings = Settings {
            kinds: Kind::set(set).unwrap().to_vec(),
            ..Settings::default()
        };
        let variants = Variants::new(Answer::Response(response), &settings).unwrap();
        for index in 0..variants.list().len() {
            assert!(variants.allows(&[index]), "{}", variants.list()[index].name);
        }
        variants.list.into_iter().map(|variant| variant.name).collect()
    }

    #[track_caller]
    fn check(body: &str, rules: &[(&str, RuleList)], set: &str, expected: &[&str]) {
        assert_eq!(names(response(body, rules), set), expected);
    }

    fn or(rules: Vec<Rule>) -> RuleList {
        RuleList {
            rules,
            combine: Combine::Or,
        }
    }

    #[test]
    fn equality_never_varies() {
        check(
            r#"{"a": 1, "b": [1, 2], "c": {"d": "x"}}"#,
            &[],
            "values",
            &["extra@$", "extra@$.c", "extra@header.X-Unknown-Header", "order@$"],
        );
    }

    #[test]
    fn structural_variants_come_first() {
        let rules = [
            ("$.status", RuleList::single(Rule::Regex("open|paid|shipped".into()))),
            ("$.note", or(vec![any(), Rule::Null])),
            (
                "$.lines",
                RuleList::single(Rule::Type {
                    min: Some(0),
                    max: None,
                }),
            ),
        ];
        let expected = [
            "branch@$.status=paid",
            "branch@$.status=shipped",
            "null@$.note",
            "empty-list@$.lines=0",
            "extra@$",
            "extra@header.X-Unknown-Header",
            "order@$",
        ];
        check(
            r#"{"status": "open", "note": "n", "lines": [1]}"#,
            &rules,
            "default",
            &expected,
        );
    }

    #[test]
    fn null_is_replaced_by_the_other_alternative() {
        check(
            r#"{"a": null}"#,
            &[("$.a", or(vec![Rule::Integer, Rule::Null]))],
            "default",
            &["null@$.a=1", "extra@$", "extra@header.X-Unknown-Header"],
        );
    }

    #[test]
    fn the_minimum_of_a_list_is_respected() {
        let rules = [(
            "$",
            RuleList::single(Rule::Type {
                min: Some(2),
                max: None,
            }),
        )];
        check(
            "[1, 2, 3]",
            &rules,
            "default",
            &["empty-list@$=2", "extra@header.X-Unknown-Header"],
        );
        let rules = [(
            "$",
            RuleList::single(Rule::Type {
                min: Some(0),
                max: Some(7),
            }),
        )];
        let found = names(response("[1, 2, 3]", &rules), "all");
        assert!(found.contains(&"empty-list@$=0".into()) && found.contains(&"empty-list@$=1".into()));
        assert!(found.contains(&"many@$=7".into()), "{found:?}");
    }

    #[test]
    fn members_that_no_rule_requires_are_removed() {
        check(
            r#"{"a": {"x": 1, "y": 2}}"#,
            &[("$.a", RuleList::single(Rule::Values))],
            "default",
            &[
                "absent@$.a.x",
                "absent@$.a.y",
                "extra@$",
                "extra@$.a",
                "extra@header.X-Unknown-Header",
                "order@$",
            ],
        );
    }

    #[test]
    fn values_are_those_of_the_type() {
        let rules = [
            ("$.n", RuleList::single(Rule::Integer)),
            ("$.s", RuleList::single(any())),
        ];
        let found = names(response(r#"{"n": 7, "s": "a"}"#, &rules), "values");
        assert!(
            found.contains(&"number@$.n=-1".into()) && found.contains(&"text@$.s=empty".into()),
            "{found:?}"
        );
        assert!(!found.contains(&"number@$.n=1.5".into()), "{found:?}");
    }

    #[test]
    fn the_status_varies_within_its_class() {
        let mut answer = response("{}", &[]);
        answer.rules.status = Some(RuleList::single(Rule::StatusCode(StatusClass::Success)));
        let found = names(answer, "all");
        assert!(found.contains(&"status@status=202".into()) && !found.iter().any(|name| name.contains("300")));
    }

    #[test]
    fn excluded_places_keep_their_example() {
        let answer = response(
            r#"{"a": "x", "b": {"c": "y"}}"#,
            &[
                ("$.a", or(vec![any(), Rule::Null])),
                ("$.b.c", or(vec![any(), Rule::Null])),
            ],
        );
        let settings = Settings {
            except: vec!["$.b".parse().unwrap()],
            ..Settings::default()
        };
        let variants = Variants::new(Answer::Response(answer), &settings).unwrap();
        assert!(variants.find("null@$.a").is_some() && variants.find("null@$.b.c").is_none());
    }

    #[test]
    fn changes_of_generated_values_are_not_overwritten() {
        let mut answer = response(r#"{"a": "x", "b": "y"}"#, &[("$.a", or(vec![any(), Rule::Null]))]);
        for path in ["$.a", "$.b"] {
            let generator = contract_model::Generator::Regex("z".into());
            answer.generators.body.insert(path.parse().unwrap(), generator);
        }
        let variants = Variants::new(Answer::Response(answer), &Settings::default()).unwrap();
        let changed = variants.answer(&[variants.find("null@$.a").unwrap()]);
        let Answer::Response(changed) = changed else {
            panic!("a response")
        };
        assert_eq!(
            changed
                .generators
                .body
                .keys()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            ["$.b"]
        );
    }

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["null@$.a", "branch@$.status=shipped", "branch@$.status=paid"];
        assert_eq!(
            nearest_names("branch@$.status=payd", names, 2),
            ["branch@$.status=paid", "branch@$.status=shipped"]
        );
    }
}
