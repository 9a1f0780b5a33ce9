//! Finds the body fields that a consumer does not read.
//!
//! A consumer does not read a field if its result stays the same when the field is missing and when the field has
//! another value. The answers of this search are not limited to those that the contract allows, because the contract
//! may fix the value of a field that no code reads. Fields are searched in groups: first all of them, then halves of
//! each group that is read.

use std::collections::BTreeMap;

use contract_model::{Json, PathExpression, PathToken};

use crate::answer::Answer;
use crate::change::{Change, Place};
use crate::settings::Settings;

/// Maximum number of answers to serve.
const ANSWERS: usize = 200;
/// Maximum number of fields to search. Further fields are ignored.
const FIELDS: usize = 1000;

/// A member of an object. Inside an array, the members with the same path in all items count as one field.
#[derive(Debug)]
struct Field {
    /// The path, such as `$.lines[*].title`.
    pattern: PathExpression,
    places: Vec<PathExpression>,
    children: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Probe {
    Absent,
    OtherValue,
}

/// Indexes of fields, and the change that is made to all of them.
type Key = (Vec<usize>, Probe);

/// The search cannot continue until this answer has been served and its result is known.
struct Needs(Key);

/// Searches for the fields of one answer that a consumer does not read.
#[derive(Debug)]
pub struct Unread {
    answer: Answer,
    fields: Vec<Field>,
    roots: Vec<usize>,
    results: BTreeMap<Key, bool>,
    needed: Option<Key>,
    is_stopped: bool,
}

impl Unread {
    /// Prepares the search. Fields that the settings exclude are not searched.
    pub fn new(answer: Answer, settings: &Settings) -> Self {
        let mut fields = Vec::new();
        let document = answer.json();
        let places: Vec<_> = document
            .iter()
            .map(|document| (PathExpression::root(), document))
            .collect();
        let roots = collect(&places, settings, &mut fields);
        Self {
            answer,
            fields,
            roots,
            results: BTreeMap::new(),
            needed: None,
            is_stopped: false,
        }
    }

    /// Returns the next answer to serve, and the paths at which it differs from the example. Returns `None` if the
    /// search is complete, was stopped, or reached its maximum number of answers.
    pub fn next_run(&mut self) -> Option<(Answer, Vec<String>)> {
        self.needed = match self.evaluate(&self.roots, &mut Vec::new()) {
            Err(Needs(key)) if !self.is_stopped && self.results.len() < ANSWERS => Some(key),
            _ => None,
        };
        let (fields, probe) = self.needed.as_ref()?;
        let names = fields.iter().map(|at| self.fields[*at].pattern.to_string()).collect();
        Some((self.changed(fields, *probe), names))
    }

    /// Records whether the consumer's result for the answer from [`Self::next_run`] is the same as for the example.
    pub fn record(&mut self, is_same: bool) {
        if let Some(key) = self.needed.take() {
            self.results.insert(key, is_same);
        }
    }

    /// Ends the search, for example because the time limit was reached.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.needed = None;
    }

    /// Returns the paths of the fields that are not read, such as `$.lines[*].title`. Omits fields inside them, which
    /// are not read either.
    pub fn fields(&self) -> Vec<String> {
        let mut unread = Vec::new();
        // An incomplete search has found some of them.
        let _ = self.evaluate(&self.roots, &mut unread);
        unread.sort_unstable();
        unread.iter().map(|at| self.fields[*at].pattern.to_string()).collect()
    }

    /// Returns true if every field was either found to be read or found to be unread.
    pub fn is_complete(&self) -> bool {
        self.evaluate(&self.roots, &mut Vec::new()).is_ok()
    }

    fn evaluate(&self, fields: &[usize], unread: &mut Vec<usize>) -> Result<(), Needs> {
        if fields.is_empty() {
            return Ok(());
        }
        if self.is_same(fields, Probe::Absent)? && self.is_same(fields, Probe::OtherValue)? {
            unread.extend(fields);
            return Ok(());
        }
        if let [field] = fields {
            return self.evaluate(&self.fields[*field].children, unread);
        }
        let (first, second) = fields.split_at(fields.len() / 2);
        self.evaluate(first, unread)?;
        self.evaluate(second, unread)
    }

    fn is_same(&self, fields: &[usize], probe: Probe) -> Result<bool, Needs> {
        let key = (fields.to_vec(), probe);
        self.results.get(&key).copied().ok_or(Needs(key))
    }

    fn changed(&self, fields: &[usize], probe: Probe) -> Answer {
        let document = self.answer.json();
        let places = fields.iter().flat_map(|at| &self.fields[*at].places);
        let changes: Vec<(Place, Change)> = places
            .map(|place| {
                let change = match probe {
                    Probe::Absent => Change::Remove,
                    Probe::OtherValue => Change::Set(other_value(document.as_ref().and_then(|root| at(root, place)))),
                };
                (Place::Body(place.clone()), change)
            })
            .collect();
        self.answer.with(changes.iter().map(|(place, change)| (place, change)))
    }
}

/// Adds all object members in the values to `fields`, and returns the indexes of the outermost ones.
fn collect(values: &[(PathExpression, &Json)], settings: &Settings, fields: &mut Vec<Field>) -> Vec<usize> {
    let mut members = Vec::new();
    for (path, value) in values {
        members_of(path, value, &mut members);
    }
    let mut groups: Vec<(PathExpression, Vec<(PathExpression, &Json)>)> = Vec::new();
    let mut known = BTreeMap::new();
    for (path, value) in members {
        let pattern = pattern_of(&path);
        let at = *known.entry(pattern.to_string()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((pattern, Vec::new()));
        }
        groups[at].1.push((path, value));
    }
    let mut found = Vec::new();
    for (pattern, same) in groups {
        if fields.len() >= FIELDS || same.iter().any(|(path, _)| settings.excludes(path.tokens())) {
            continue;
        }
        let at = fields.len();
        fields.push(Field {
            pattern,
            places: same.iter().map(|(path, _)| path.clone()).collect(),
            children: Vec::new(),
        });
        fields[at].children = collect(&same, settings, fields);
        found.push(at);
    }
    found
}

/// Lists the members of an object, or of all objects in an array.
fn members_of<'a>(path: &PathExpression, value: &'a Json, members: &mut Vec<(PathExpression, &'a Json)>) {
    match value {
        Json::Object(object) => {
            for (key, value) in object.members() {
                members.push((path.join(PathToken::Key(key.clone())), value));
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                members_of(&path.join(PathToken::Index(index)), item, members);
            }
        }
        _ => {}
    }
}

/// Replaces the indexes of array items by `[*]`.
fn pattern_of(path: &PathExpression) -> PathExpression {
    path.tokens().iter().fold(PathExpression::root(), |pattern, step| {
        pattern.join(match step {
            PathToken::Index(_) => PathToken::AnyIndex,
            step => step.clone(),
        })
    })
}

fn at<'a>(root: &'a Json, path: &PathExpression) -> Option<&'a Json> {
    path.tokens().iter().try_fold(root, |value, step| match (value, step) {
        (Json::Object(object), PathToken::Key(key)) => object.get(key),
        (Json::Array(items), PathToken::Index(index)) => items.get(*index),
        _ => None,
    })
}

/// Returns another value of the same type, or null instead of an object or an array.
fn other_value(value: Option<&Json>) -> Json {
    match value {
        Some(Json::String(text)) => format!("{text}x").into(),
        Some(Json::Number(number)) if number.to_string() == "1" => Json::from(2_u64),
        Some(Json::Number(_)) => Json::from(1_u64),
        Some(Json::Bool(value)) => (!value).into(),
        Some(Json::Null) => Json::from("x"),
        Some(Json::Array(_) | Json::Object(_)) | None => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Content, Response};

    use super::*;

    /// Searches with a consumer that maps the body to a result, and returns the fields and the number of answers.
    fn search(body: &str, except: &[&str], consumer: impl Fn(&Json) -> String) -> (Vec<String>, usize) {
        let document = Json::parse(body.as_bytes()).unwrap();
        let response = Response {
            body: Body::Present(Content::json(document.clone())),
            ..Response::default()
        };
        let settings = Settings {
            except: except.iter().map(|path| path.parse().unwrap()).collect(),
            ..Settings::default()
        };
        let mut unread = Unread::new(Answer::Response(response), &settings);
        let mut answers = 0;
        while let Some((answer, _)) = unread.next_run() {
            unread.record(consumer(&answer.json().unwrap()) == consumer(&document));
            answers += 1;
        }
        assert!(unread.is_complete());
        (unread.fields(), answers)
    }

    fn text(body: &Json, path: &str) -> String {
        let path: PathExpression = path.parse().unwrap();
        at(body, &path).map_or_else(|| "absent".to_owned(), Json::to_text)
    }

    #[test]
    fn a_consumer_that_reads_nothing_takes_two_answers() {
        let (fields, answers) = search(r#"{"a": 1, "b": [{"c": true}], "d": null}"#, &[], |_| String::new());
        assert_eq!((fields, answers), (vec!["$.a".into(), "$.b".into(), "$.d".into()], 2));
    }

    #[test]
    fn finds_the_fields_that_do_not_change_the_result() {
        let body = r#"{"id": 7, "note": "n", "internal": "x", "lines": [{"title": "a", "sku": "1"}, {"title": "b"}]}"#;
        let (fields, _) = search(body, &[], |body| {
            format!(
                "{} {} {}",
                text(body, "$.id"),
                text(body, "$.note"),
                text(body, "$.lines[1].title")
            )
        });
        assert_eq!(fields, ["$.internal", "$.lines[*].sku"]);
    }

    #[test]
    fn a_field_of_which_only_the_presence_matters_is_read() {
        let (fields, _) = search(r#"{"a": 1, "b": 2}"#, &[], |body| {
            (text(body, "$.a") == "absent").to_string()
        });
        assert_eq!(fields, ["$.b"]);
    }

    #[test]
    fn a_field_of_which_only_the_value_matters_is_read() {
        let (fields, _) = search(r#"{"isHidden": false, "b": 2}"#, &[], |body| {
            (text(body, "$.isHidden") == "true").to_string()
        });
        assert_eq!(fields, ["$.b"]);
    }

    #[test]
    fn excluded_places_are_not_searched() {
        assert_eq!(
            search(r#"{"a": 1, "b": {"c": 2}}"#, &["$.b"], |_| String::new()).0,
            ["$.a"]
        );
    }

    #[test]
    fn bodies_without_members_have_no_fields() {
        assert_eq!(search("[1, 2]", &[], |_| String::new()), (vec![], 0));
        assert_eq!(search(r#""a""#, &[], |_| String::new()), (vec![], 0));
    }

    #[test]
    fn the_number_of_answers_is_limited() {
        let members: Vec<String> = (0..400).map(|number| format!("\"f{number}\": {number}")).collect();
        let document = Json::parse(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
        let response = Response {
            body: Body::Present(Content::json(document)),
            ..Response::default()
        };
        let mut unread = Unread::new(Answer::Response(response), &Settings::default());
        let mut answers = 0;
        while unread.next_run().is_some() {
            unread.record(false);
            answers += 1;
        }
        assert_eq!((answers, unread.is_complete()), (ANSWERS, false));
    }
}
