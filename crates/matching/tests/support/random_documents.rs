//! Random XML documents, forms, multipart bodies, and metadata, with rules and random changes.

use contract_model::{
    Body, Content, ContentType, Json, Message, Object, PathExpression, PathRules, PathToken, Query, Rule, RuleList,
    Text,
};

use super::random_parts::{self, Random, TEXTS};

fn key(name: &str) -> PathToken {
    PathToken::Key(name.into())
}

/// Returns a string that documents preserve: not empty, and without leading or trailing whitespace.
fn word(random: &mut Random) -> String {
    let text = *random.choose(&TEXTS);
    if text.is_empty() {
        "none".to_owned()
    } else {
        text.to_owned()
    }
}

/// An element of a test document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Xml {
    pub(crate) name: &'static str,
    pub(crate) attributes: Vec<(&'static str, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Xml>,
}

impl Xml {
    pub(crate) fn write(&self) -> String {
        let attributes = self.attributes.iter();
        let attributes: Vec<_> = attributes.map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        let attributes = attributes.concat();
        let children: String = self.children.iter().map(Self::write).collect();
        format!("<{0}{attributes}>{1}{children}</{0}>", self.name, self.text)
    }

    pub(crate) fn body(&self) -> Body {
        let content_type = "application/xml".parse::<ContentType>().expect("a content type");
        Body::Present(Content::new(self.write(), Some(content_type)))
    }
}

const ELEMENTS: [&str; 3] = ["a", "b", "item"];
const ATTRIBUTES: [&str; 2] = ["id", "kind"];

/// Creates a document with rules for attributes, text, and repeated elements.
pub(crate) fn xml(random: &mut Random, rules: &mut PathRules) -> Xml {
    element(random, "root", &PathExpression::root().join(key("root")), 2, rules)
}

fn element(random: &mut Random, name: &'static str, path: &PathExpression, depth: usize, rules: &mut PathRules) -> Xml {
    let mut made = Xml { name, ..Xml::default() };
    if random.one_in(6) {
        rules.insert(path.clone(), RuleList::single(Rule::Type { min: None, max: None }));
    }
    for attribute in ATTRIBUTES {
        if random.one_in(2) {
            made.attributes.push((attribute, word(random)));
            if random.one_in(2) {
                let path = path.join(key(&format!("@{attribute}")));
                rules.insert(path, random_parts::list(random, random_parts::rule));
            }
        }
    }
    if depth == 0 || random.one_in(3) {
        made.text = word(random);
        if random.one_in(2) {
            rules.insert(path.join(key("#text")), random_parts::list(random, random_parts::rule));
        }
        return made;
    }
    for child in ELEMENTS {
        if random.one_in(2) {
            let path = path.join(key(child));
            if random.one_in(3) {
                let (min, max) = (random.one_in(2).then_some(1), random.one_in(3).then_some(2));
                rules.insert(path.clone(), RuleList::single(Rule::Type { min, max }));
                made.children.push(element(random, child, &path, depth - 1, rules));
            } else {
                for _ in 0..=random.below(2) {
                    made.children.push(element(random, child, &path, depth - 1, rules));
                }
            }
        }
    }
    made
}

/// Makes one change to the document.
pub(crate) fn changed_xml(random: &mut Random, document: &Xml) -> Xml {
    let mut changed = document.clone();
    if !changed.children.is_empty() && !random.one_in(4) {
        let at = random.below(changed.children.len());
        match random.below(7) {
            0 => drop(changed.children.remove(at)),
            1 => changed.children.push(changed.children[at].clone()),
            2 => changed.children.reverse(),
            3 => changed.children.push(Xml {
                name: "new",
                ..Xml::default()
            }),
            _ => changed.children[at] = changed_xml(random, &changed.children[at]),
        }
        return changed;
    }
    match random.below(5) {
        0 if !changed.attributes.is_empty() => drop(changed.attributes.remove(random.below(changed.attributes.len()))),
        1 if !changed.attributes.iter().any(|(name, _)| *name == "new") => {
            changed.attributes.push(("new", word(random)));
        }
        2 | 3 if !changed.attributes.is_empty() => {
            let at = random.below(changed.attributes.len());
            changed.attributes[at].1 = word(random);
        }
        _ => changed.text = word(random),
    }
    changed
}

pub(crate) fn form(random: &mut Random, rules: &mut PathRules) -> Query {
    let mut form = Query::new();
    // A form without fields would be an empty body.
    form.append("always", Some("there".into()));
    for name in ["q", "a b"] {
        if random.one_in(2) {
            for _ in 0..=random.below(2) {
                form.append(name, Some(word(random).into()));
            }
            if random.one_in(2) {
                let path = PathExpression::root().join(key(name));
                rules.insert(path, RuleList::single(random_parts::rule_of_query(random)));
            }
        }
    }
    form
}

pub(crate) fn form_body(form: &Query) -> Body {
    let content_type = "application/x-www-form-urlencoded"
        .parse::<ContentType>()
        .expect("a content type");
    Body::Present(Content::new(form.to_text(), Some(content_type)))
}

/// A part of a multipart body: a form field or a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) content: PartContent,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PartContent {
    Text(String),
    Json(Json),
}

pub(crate) fn parts(random: &mut Random, rules: &mut PathRules) -> Vec<Part> {
    let mut parts = Vec::new();
    for name in ["one", "two", "three"] {
        if random.one_in(3) {
            continue;
        }
        let path = PathExpression::root().join(key(name));
        let content = if random.one_in(2) {
            if random.one_in(2) {
                rules.insert(path, random_parts::list(random, random_parts::rule));
            }
            PartContent::Text(word(random))
        } else {
            PartContent::Json(random_parts::document(random, &path, 2, rules))
        };
        parts.push(Part { name, content });
    }
    parts
}

pub(crate) fn changed_parts(random: &mut Random, parts: &[Part]) -> Vec<Part> {
    let mut changed = parts.to_vec();
    let more = Part {
        name: "four",
        content: PartContent::Text(word(random)),
    };
    if changed.is_empty() {
        return vec![more];
    }
    let at = random.below(changed.len());
    match random.below(6) {
        0 => drop(changed.remove(at)),
        1 => changed.push(more),
        2 => changed.reverse(),
        _ => {
            changed[at].content = match &changed[at].content {
                PartContent::Text(_) => PartContent::Text(word(random)),
                PartContent::Json(value) => PartContent::Json(random_parts::changed(random, value)),
            }
        }
    }
    changed
}

pub(crate) fn multipart_body(parts: &[Part]) -> Body {
    let mut text = String::new();
    for Part { name, content } in parts {
        let (more, content) = match content {
            PartContent::Text(text) => ("", text.clone()),
            PartContent::Json(value) => (
                "; filename=\"a.json\"\r\nContent-Type: application/json",
                value.to_text(),
            ),
        };
        let head = format!("--limit\r\nContent-Disposition: form-data; name=\"{name}\"{more}");
        text.extend([&head, "\r\n\r\n", &content, "\r\n"]);
    }
    text.push_str("--limit--\r\n");
    let content_type = "multipart/form-data; boundary=limit"
        .parse::<ContentType>()
        .expect("a content type");
    Body::Present(Content::new(text, Some(content_type)))
}

/// Creates a message with rules for its metadata.
pub(crate) fn message(random: &mut Random) -> Message {
    let mut message = Message {
        contents: Body::Present(Content::json(Json::object())),
        ..Message::default()
    };
    for name in ["topic", "partition", "position"] {
        if random.one_in(3) {
            continue;
        }
        let value = if name == "position" {
            // Nested values do not have their own rules; the rule of the entry applies to them.
            random_parts::document(random, &PathExpression::root(), 1, &mut PathRules::new())
        } else {
            random_parts::scalar(random)
        };
        if random.one_in(2) {
            message
                .rules
                .metadata
                .insert(name.into(), random_parts::list(random, random_parts::rule));
        }
        message.metadata.insert(name, value);
    }
    message
}

pub(crate) fn changed_metadata(random: &mut Random, metadata: &Object) -> Object {
    let mut changed = metadata.clone();
    let names: Vec<Text> = metadata.keys().cloned().collect();
    if names.is_empty() || random.one_in(8) {
        changed.insert("more", random_parts::scalar(random));
        return changed;
    }
    let name = random.choose(&names).clone();
    if random.one_in(5) {
        changed.remove(&name);
    } else {
        let value = random_parts::changed(random, &metadata.get(&name).cloned().unwrap_or_default());
        changed.insert(name, value);
    }
    changed
}
