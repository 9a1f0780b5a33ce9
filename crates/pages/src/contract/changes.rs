//! Compares two contents of a contract by what they require of the provider, not by their text.

use std::collections::{BTreeMap, HashMap};

use contract_model::{
    Body, ContentValue, Contract, Headers, HttpInteraction, Interaction, InteractionKind, Json, Message,
    PathExpression, PathToken, Rule, RuleList, Text,
};

use super::rules::{Scope, list};

/// Maximum length of a displayed value, in characters.
const MAX_VALUE: usize = 200;

/// What a change means for the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The newer contract requires more: a provider that passed before may fail now.
    More,
    /// The newer contract requires less: no provider can fail because of this change.
    Less,
    /// Only the example changed, and the matching rule accepts both the old and the new one.
    Example,
}

/// A change in one part of an interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub effect: Effect,
    pub kind: &'static str,
    /// Location of the changed value, such as `response body $.id`. Empty if the whole interaction was added or
    /// removed.
    pub place: String,
    pub before: Option<Side>,
    pub after: Option<Side>,
}

/// An example value, and the description of its matching rule in HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub example: String,
    pub rule: String,
    /// A higher number means a stricter rule: first any value of a type, then a format, then the exact value.
    strictness: u8,
}

/// The changes in one interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteractionChanges {
    pub description: String,
    /// Index of the interaction in the newer contract, from 0, or `None` if it was removed.
    pub number: Option<usize>,
    pub changes: Vec<Change>,
}

/// Returns the interactions that differ, and the number of interactions that are the same in both contracts.
pub fn changes(older: &Contract, newer: &Contract) -> (Vec<InteractionChanges>, usize) {
    let mut before: HashMap<Key<'_>, &Interaction> = older.interactions.iter().map(|one| (key(one), one)).collect();
    let mut found = Vec::new();
    let mut unchanged = 0;
    for (number, interaction) in newer.interactions.iter().enumerate() {
        let changes = match before.remove(&key(interaction)) {
            Some(known) => compare(&places(known), &places(interaction)),
            None => vec![whole(Effect::More, "New interaction")],
        };
        if changes.is_empty() {
            unchanged += 1;
        } else {
            found.push(InteractionChanges {
                description: interaction.description.to_string(),
                number: Some(number),
                changes,
            });
        }
    }
    for interaction in older.interactions.iter().filter(|one| before.contains_key(&key(one))) {
        found.push(InteractionChanges {
            description: interaction.description.to_string(),
            number: None,
            changes: vec![whole(Effect::Less, "Interaction removed")],
        });
    }
    (found, unchanged)
}

fn whole(effect: Effect, kind: &'static str) -> Change {
    Change {
        effect,
        kind,
        place: String::new(),
        before: None,
        after: None,
    }
}

/// The description and the provider states, which identify an interaction in both contracts.
type Key<'a> = (&'a str, Vec<(&'a str, String)>);

fn key(interaction: &Interaction) -> Key<'_> {
    let states = interaction
        .states
        .iter()
        .map(|state| (state.name.as_str(), Json::from(state.parameters.clone()).to_text()));
    (interaction.description.as_str(), states.collect())
}

/// The expected values of an interaction, by location.
type Places = BTreeMap<String, Side>;

fn compare(before: &Places, after: &Places) -> Vec<Change> {
    let mut changes = Vec::new();
    for (place, new) in after {
        let change = |effect, kind| Change {
            effect,
            kind,
            place: place.clone(),
            before: before.get(place).cloned(),
            after: Some(new.clone()),
        };
        match before.get(place) {
            None => changes.push(change(Effect::More, "New field")),
            Some(old) if old == new => (),
            Some(old) if old.rule == new.rule && new.strictness < EXACT => {
                changes.push(change(Effect::Example, "Example"));
            }
            Some(old) if old.rule == new.rule => changes.push(change(Effect::More, "Changed value")),
            Some(old) if new.strictness < old.strictness => changes.push(change(Effect::Less, "Looser rule")),
            Some(old) if new.strictness > old.strictness => changes.push(change(Effect::More, "Stricter rule")),
            Some(_) => changes.push(change(Effect::More, "Changed rule")),
        }
    }
    for (place, old) in before.iter().filter(|(place, _)| !after.contains_key(*place)) {
        changes.push(Change {
            // The provider must also accept requests without a field.
            effect: if place.starts_with("request") {
                Effect::More
            } else {
                Effect::Less
            },
            kind: "Field removed",
            place: place.clone(),
            before: Some(old.clone()),
            after: None,
        });
    }
    changes.sort_by_key(|change| change.effect);
    changes
}

const EXACT: u8 = 3;

fn strictness(rules: &RuleList) -> u8 {
    let of_rule = |rule: &Rule| match rule {
        Rule::Equality | Rule::Null => EXACT,
        Rule::Type { min: None, max: None } | Rule::Values | Rule::NotEmpty => 0,
        Rule::Type { .. } | Rule::Number | Rule::Boolean | Rule::EachKey(_) | Rule::EachValue(_) => 1,
        _ => 2,
    };
    rules.rules.iter().map(of_rule).max().unwrap_or(EXACT)
}

fn places(interaction: &Interaction) -> Places {
    let mut places = Places::new();
    match &interaction.kind {
        InteractionKind::Http(http) => add_http(http, &mut places),
        InteractionKind::AsyncMessage(message) => add_message("message", message, &mut places),
        InteractionKind::SyncMessage(message) => {
            add_message("request", &message.request, &mut places);
            for (number, response) in message.responses.iter().enumerate() {
                add_message(&format!("response {}", number + 1), response, &mut places);
            }
        }
        InteractionKind::Unknown { document, .. } => drop(places.insert(String::new(), exact(document.to_text()))),
        InteractionKind::Unreadable(unreadable) => {
            drop(places.insert(String::new(), exact(unreadable.document.to_text())));
        }
    }
    places
}

fn exact(example: String) -> Side {
    Side {
        example: cut(example),
        rule: "exactly this value".to_owned(),
        strictness: EXACT,
    }
}

fn side(example: String, rules: Option<&RuleList>, value: Option<&Json>) -> Side {
    match rules {
        None => exact(example),
        Some(rules) => Side {
            example: cut(example),
            rule: list(rules, value).into_string(),
            strictness: strictness(rules),
        },
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn add_http(http: &HttpInteraction, places: &mut Places) {
    let (request, response) = (&http.request, &http.response);
    let mut add = |place: &str, side: Side| drop(places.insert(place.to_owned(), side));
    add("request method", exact(request.method.to_string()));
    add(
        "request path",
        side(request.path.to_string(), request.rules.path.as_ref(), None),
    );
    for name in request.query.names() {
        let values: Vec<&str> = request.query.values(name).flatten().map(Text::as_str).collect();
        add(
            &format!("request parameter {name}"),
            side(values.join(", "), request.rules.query.get(name), None),
        );
    }
    add(
        "response status",
        side(response.status.to_string(), response.rules.status.as_ref(), None),
    );
    add_headers("request", &request.headers, &request.rules.header, places);
    add_headers("response", &response.headers, &response.rules.header, places);
    add_body("request body", &request.body, &Scope(&request.rules.body), places);
    add_body("response body", &response.body, &Scope(&response.rules.body), places);
}

fn add_headers(part: &str, headers: &Headers, rules: &BTreeMap<Text, RuleList>, places: &mut Places) {
    for (name, values) in headers.iter() {
        let values: Vec<&str> = values.iter().map(Text::as_str).collect();
        let found = rules.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let place = format!("{part} header {}", name.to_lowercase());
        places.insert(place, side(values.join(", "), found.map(|(_, rules)| rules), None));
    }
}

fn add_message(part: &str, message: &Message, places: &mut Places) {
    for (name, value) in &message.metadata {
        let place = format!("{part} metadata {name}");
        places.insert(
            place,
            side(value.to_text(), message.rules.metadata.get(name), Some(value)),
        );
    }
    add_body(
        &format!("{part} contents"),
        &message.contents,
        &Scope(&message.rules.body),
        places,
    );
}

fn add_body(part: &str, body: &Body, scope: &Scope<'_>, places: &mut Places) {
    match body {
        Body::Missing => (),
        Body::Empty => drop(places.insert(part.to_owned(), exact("no body".to_owned()))),
        Body::Null => drop(places.insert(part.to_owned(), exact("null".to_owned()))),
        Body::Present(content) => match &content.value {
            ContentValue::Json(json) => add_json(part, json, scope, &mut Vec::new(), places),
            ContentValue::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes).map_or_else(|_| format!("{} bytes", bytes.len()), str::to_owned);
                places.insert(part.to_owned(), exact(text));
            }
        },
    }
}

fn add_json(part: &str, value: &Json, scope: &Scope<'_>, path: &mut Vec<PathToken>, places: &mut Places) {
    let place = || format!("{part} {}", PathExpression::from(path.clone()));
    let description = scope.describe(path, value).map(maud::PreEscaped::into_string);
    let is_container = matches!(value, Json::Array(_) | Json::Object(_));
    if let Some(rule) = description {
        let example = if is_container {
            String::new()
        } else {
            cut(value.to_text())
        };
        let strictness = scope.rules(path).map_or(1, strictness);
        places.insert(
            place(),
            Side {
                example,
                rule,
                strictness,
            },
        );
    } else if !is_container {
        places.insert(place(), exact(value.to_text()));
    } else if matches!(value, Json::Array(items) if items.is_empty()) {
        places.insert(place(), exact("[]".to_owned()));
    }
    match value {
        Json::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                path.push(PathToken::Index(number));
                add_json(part, item, scope, path, places);
                path.pop();
            }
        }
        Json::Object(object) => {
            for (name, member) in object {
                path.push(PathToken::Key(name.clone()));
                add_json(part, member, scope, path, places);
                path.pop();
            }
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(body: &str, rules: &str) -> Contract {
        let text = format!(
            r#"{{"consumer":{{"name":"a"}},"provider":{{"name":"b"}},"interactions":[{{"type":"Synchronous/HTTP",
            "description":"d","request":{{"method":"GET","path":"/"}},"response":{{"status":200,
            "body":{{"content":{body},"contentType":"application/json","encoded":false}},
            "matchingRules":{{"body":{rules}}}}}}}],"metadata":{{"pactSpecification":{{"version":"4.0"}}}}}}"#
        );
        Contract::read(text.as_bytes()).expect("a contract").contract
    }

    fn found(older: (&str, &str), newer: (&str, &str)) -> Vec<(Effect, &'static str, String)> {
        let (all, _) = changes(&contract(older.0, older.1), &contract(newer.0, newer.1));
        let all = all.into_iter().flat_map(|one| one.changes);
        all.map(|change| (change.effect, change.kind, change.place)).collect()
    }

    #[test]
    fn changes_are_classified() {
        let any_type = r#"{"$.id":{"combine":"AND","matchers":[{"match":"type"}]}}"#;
        let regex = r#"{"$.id":{"combine":"AND","matchers":[{"match":"regex","regex":"a|b"}]}}"#;
        let at = |name: &str| format!("response body $.{name}");
        let (a, b) = (r#"{"id":"a"}"#, r#"{"id":"b"}"#);
        assert_eq!(found((a, any_type), (a, any_type)), []);
        assert_eq!(
            found((a, any_type), (b, any_type)),
            [(Effect::Example, "Example", at("id"))]
        );
        assert_eq!(found((a, "{}"), (b, "{}")), [(Effect::More, "Changed value", at("id"))]);
        assert_eq!(
            found((a, any_type), (a, regex)),
            [(Effect::More, "Stricter rule", at("id"))]
        );
        assert_eq!(
            found((a, "{}"), (a, any_type)),
            [(Effect::Less, "Looser rule", at("id"))]
        );
        let more = r#"{"id":"a","n":1}"#;
        assert_eq!(
            found((a, any_type), (more, any_type)),
            [(Effect::More, "New field", at("n"))]
        );
        assert_eq!(
            found((more, any_type), (a, any_type)),
            [(Effect::Less, "Field removed", at("n"))]
        );
    }
}
