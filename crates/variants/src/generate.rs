//! Proposes changes to an answer. The rules may reject some of them.

use contract_model::{ContentType, Json, PathExpression, PathToken, Rule, StatusClass, Text};

use crate::answer::Answer;
use crate::change::{Change, HeaderCase, Place};
use crate::describe;
use crate::kind::Kind;
use crate::rules::BodyRules;
use crate::settings::Settings;
use crate::values;

/// Maximum number of places to examine in a body. Larger bodies usually repeat their structure.
const PLACES: usize = 1000;
/// Maximum number of items to which a list is extended.
const MANY: usize = 50;
/// The name of a member that no contract defines.
const UNKNOWN: &str = "unknownField";
const UNKNOWN_HEADER: &str = "X-Unknown-Header";

/// A change to check against the compiled rules. Of the changes with the same `choice`, only the first one that the
/// rules allow is kept.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) kind: Kind,
    /// The place as shown in the variant's name. For a new member, the object that contains it.
    pub(crate) place: Place,
    /// The place that changes. For a new member, the path of that member.
    pub(crate) touched: Place,
    pub(crate) change: Change,
    pub(crate) label: Option<String>,
    pub(crate) value: Option<Json>,
    pub(crate) rule: String,
    pub(crate) choice: Option<usize>,
}

pub(crate) struct Generator<'a> {
    settings: &'a Settings,
    rules: BodyRules,
    pub(crate) proposals: Vec<Proposal>,
    choices: usize,
}

impl<'a> Generator<'a> {
    pub(crate) fn new(answer: &Answer, settings: &'a Settings) -> Self {
        let mut generator = Self {
            settings,
            rules: BodyRules::new(&answer.rules().body),
            proposals: Vec::new(),
            choices: 0,
        };
        if let Some(document) = answer.json() {
            let mut places = Vec::new();
            places_of(&document, &PathExpression::root(), &mut places);
            for (path, value) in &places {
                if !settings.excludes(path.tokens()) {
                    generator.body_place(path, value);
                }
            }
            if places
                .iter()
                .any(|(_, value)| value.as_object().is_some_and(|object| object.len() > 1))
            {
                generator.reverse();
            }
        }
        generator.response(answer);
        generator
            .proposals
            .retain(|proposal| settings.kinds.contains(&proposal.kind));
        generator
    }

    fn body_place(&mut self, path: &PathExpression, value: &Json) {
        if let Json::Object(_) = value {
            self.extra(path, value);
        }
        if !self.rules.may_vary(path.tokens()) {
            return;
        }
        self.values(path, value);
        if let Json::Array(items) = value {
            self.sizes(path, items.len());
        }
        if let (Some(PathToken::Key(_)), Some(above)) = (path.tokens().last(), self.rules.above(path.tokens())) {
            let rule = format!("the matching rules at {above} do not require this member");
            self.body(Kind::Absent, path, Change::Remove, None, None, rule);
        }
    }

    fn body(
        &mut self,
        kind: Kind,
        path: &PathExpression,
        change: Change,
        label: Option<String>,
        value: Option<Json>,
        rule: String,
    ) {
        let place = Place::Body(path.clone());
        self.proposals.push(Proposal {
            kind,
            touched: place.clone(),
            place,
            change,
            label,
            value,
            rule,
            choice: None,
        });
    }

    fn values(&mut self, path: &PathExpression, value: &Json) {
        let Some(governing) = self.rules.governing(path.tokens()) else {
            return;
        };
        let rule = format!(
            "the matching rule {} at {}",
            describe::rules(governing.list),
            governing.path
        );
        for found in values::candidates(governing.list, value, self.settings.seed) {
            let label = found.label.map_or_else(|| describe::label(&found.value), str::to_owned);
            let label = (found.kind != Kind::Null || !found.value.is_null()).then_some(label);
            let change = Change::Set(found.value.clone());
            self.body(found.kind, path, change, label, Some(found.value), rule.clone());
        }
    }

    fn sizes(&mut self, path: &PathExpression, length: usize) {
        let rule = self.rules.governing(path.tokens()).map_or_else(
            || "the contract does not set the number of items".to_owned(),
            |governing| {
                format!(
                    "the matching rule {} at {}",
                    describe::rules(governing.list),
                    governing.path
                )
            },
        );
        let mut resize = |kind, sizes: &mut dyn Iterator<Item = usize>| {
            self.choices += 1;
            for size in sizes {
                self.body(
                    kind,
                    path,
                    Change::Resize(size),
                    Some(size.to_string()),
                    None,
                    rule.clone(),
                );
                if let Some(proposal) = self.proposals.last_mut() {
                    proposal.choice = Some(self.choices);
                }
            }
        };
        if length > 0 {
            resize(Kind::EmptyList, &mut (0..length.min(MANY)));
            resize(Kind::Many, &mut (length + 1..=MANY).rev());
        }
        if length > 1 {
            resize(Kind::EmptyList, &mut (1..2));
        }
    }

    fn extra(&mut self, path: &PathExpression, value: &Json) {
        let known = value
            .as_object()
            .and_then(|object| object.members().first().map(|(_, value)| value.clone()));
        self.choices += 1;
        for value in [Some(Json::from("unknown")), known].into_iter().flatten() {
            self.proposals.push(Proposal {
                kind: Kind::Extra,
                place: Place::Body(path.clone()),
                touched: Place::Body(path.join(PathToken::Key(UNKNOWN.into()))),
                change: Change::Insert(UNKNOWN.into(), value.clone()),
                label: None,
                value: Some(Json::Object([(UNKNOWN, value)].into_iter().collect())),
                rule: "contracts allow members that they do not define".to_owned(),
                choice: Some(self.choices),
            });
        }
    }

    fn reverse(&mut self) {
        let rule = "the order of members in a JSON object is not significant".to_owned();
        self.body(Kind::Order, &PathExpression::root(), Change::Reverse, None, None, rule);
    }

    fn response(&mut self, answer: &Answer) {
        let (Some(status), Some(headers)) = (answer.status(), answer.headers()) else {
            return;
        };
        let has_body = answer.json().is_some() || !answer.body_text().is_empty();
        let rules = answer.rules().status.as_ref();
        let classes = rules
            .into_iter()
            .flat_map(|list| &list.rules)
            .filter_map(|rule| match rule {
                Rule::StatusCode(class) => Some(class),
                _ => None,
            });
        for code in classes.flat_map(codes).filter(|code| *code != status) {
            // These responses have no body, so the client would not receive the example.
            if has_body && matches!(code, 204 | 205 | 304) {
                continue;
            }
            let rule = rules.map(describe::rules).unwrap_or_default();
            self.part(
                Kind::Status,
                Place::Status,
                Change::Status(code),
                code.to_string(),
                format!("the matching rule {rule} for the status"),
            );
        }
        let unknown = Place::Header(UNKNOWN_HEADER.into());
        let rule = "contracts allow headers that they do not define".to_owned();
        self.part(
            Kind::Extra,
            unknown,
            Change::Header("unknown".into()),
            "unknown".to_owned(),
            rule,
        );
        for (case, label) in [(HeaderCase::Upper, "upper"), (HeaderCase::Title, "title")] {
            let rule = "header names are case-insensitive".to_owned();
            let change = Change::Casing(case);
            self.part(Kind::Casing, Place::Headers, change, label.to_owned(), rule);
        }
        let Some((name, declared)) = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        else {
            return;
        };
        if let [declared] = declared {
            for value in media_types(declared) {
                let rule = "a content type may declare its charset".to_owned();
                self.part(
                    Kind::Media,
                    Place::Header(name.clone()),
                    Change::Header(value.clone().into()),
                    value,
                    rule,
                );
            }
        }
    }

    fn part(&mut self, kind: Kind, place: Place, change: Change, value: String, rule: String) {
        self.proposals.push(Proposal {
            kind,
            touched: place.clone(),
            place,
            change,
            label: (kind != Kind::Extra).then(|| value.clone()),
            value: Some(value.into()),
            rule,
            choice: None,
        });
    }
}

/// Lists the paths and values of a document, each before those inside it. Stops after [`PLACES`] entries.
fn places_of<'a>(value: &'a Json, path: &PathExpression, places: &mut Vec<(PathExpression, &'a Json)>) {
    if places.len() >= PLACES {
        return;
    }
    places.push((path.clone(), value));
    match value {
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places_of(item, &path.join(PathToken::Index(index)), places);
            }
        }
        Json::Object(object) => {
            for (key, value) in object.members() {
                places_of(value, &path.join(PathToken::Key(key.clone())), places);
            }
        }
        _ => {}
    }
}

/// Returns the listed codes, or typical codes of the class, such as the lowest and the highest. Classes never return
/// codes below 200, because those are not final responses.
fn codes(class: &StatusClass) -> Vec<u16> {
    match class {
        StatusClass::Codes(codes) => codes.clone(),
        class => {
            let edges = [200, 202, 299, 300, 303, 400, 422, 499, 500, 503, 599];
            edges.into_iter().filter(|code| class.contains(*code)).collect()
        }
    }
}

/// Returns the content type with a charset, in two spellings. Returns nothing if it already has parameters, or is
/// neither JSON nor text. The letter case of the content type itself does not vary, because other Pact implementations
/// compare it.
fn media_types(declared: &Text) -> Vec<String> {
    let Ok(kind) = declared.parse::<ContentType>() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if !declared.contains(';') && (kind.is_json() || declared.starts_with("text/")) {
        found.push(format!("{declared}; charset=utf-8"));
        found.push(format!("{declared};charset=UTF-8"));
    }
    found
}
