//! Builds XML bodies from elements. Rules have the paths that all Pact implementations use: `$.order.item['@id']` for
//! an attribute, `$.order.item['#text']` for text, and `['urn:shop:item']` for a name with a namespace.

use std::collections::BTreeMap;

use contract_model::{
    ContentType, DEFAULT_EXAMPLE_LIMIT, Generator, Json, MAX_DEPTH, Object, PathExpression, PathRules, PathToken, Rule,
    RuleList, Text,
};

use super::body::BodyDraft;
use super::value::Value;
use crate::matchers::count;
use crate::xml_names::check_xml_name;
use contract_call::error::{ArgumentError, BODY, Done};

/// Creates a document from its text or from its root element: `{ name, attributes, children, each }`. A child is an
/// element or `{ text }`. `each` has the members `min`, `max`, and `examples`.
pub(super) fn draft(draft: BodyDraft, root: &Json) -> Result<BodyDraft, ArgumentError> {
    if let Json::String(text) = root {
        if let Some(problem) = contract_matching::xml_problem(text.as_bytes()) {
            return Err(invalid_body(&format!("the text is not valid XML: {problem}")));
        }
        return Ok(draft.text(text.to_string(), Some(ContentType::xml())));
    }
    let mut writer = Writer::default();
    writer.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if root.get("each").is_some_and(|each| !each.is_null()) {
        let problem = "the root element cannot be repeated; use each() for the elements inside it";
        return Err(invalid_body(problem));
    }
    writer.element(root)?;
    let mut draft = draft.text(writer.out, Some(ContentType::xml()));
    if let Some(other) = draft.declared().filter(|declared| !declared.is_xml()) {
        return Err(invalid_body(&format!("{other} is not an XML content type")));
    }
    (draft.rules, draft.generators) = (writer.rules, writer.generators);
    Ok(draft)
}

fn invalid_body(problem: &str) -> ArgumentError {
    ArgumentError::new(BODY, problem)
}

#[derive(Default)]
struct Writer {
    out: String,
    rules: PathRules,
    generators: BTreeMap<PathExpression, Generator>,
    path: PathExpression,
    /// Pairs of prefix and namespace URI, innermost last. The default namespace has an empty prefix.
    namespaces: Vec<(Text, Text)>,
    depth: usize,
}

impl Writer {
    fn element(&mut self, element: &Json) -> Done {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(invalid_body(&format!(
                "the elements are nested deeper than {MAX_DEPTH} levels"
            )));
        }
        let name = element.get("name").and_then(Json::as_str).unwrap_or_default();
        check_xml_name(name).map_err(|error| invalid_body(&error.to_string()))?;
        let none = Object::new();
        let attributes = element.get("attributes").and_then(Json::as_object).unwrap_or(&none);
        let outer = self.namespaces.len();
        self.declare(attributes)?;
        let key = self.qualified_name(name, true)?;
        self.path.push(PathToken::Key(key));
        let examples = match element.get("each").and_then(Json::as_object) {
            Some(each) => self.repetition(each, name)?,
            None => 1,
        };
        let start = self.out.len();
        self.write(element, name, attributes)?;
        self.repeat(start, examples, element, name)?;
        self.path.pop();
        self.namespaces.truncate(outer);
        self.depth -= 1;
        Ok(())
    }

    /// Appends copies of the output after `start`, so that the element occurs `examples` times.
    fn repeat(&mut self, start: usize, examples: u64, element: &Json, name: &str) -> Done {
        if examples <= 1 {
            return Ok(());
        }
        let once = self.out[start..].to_owned();
        let limit = element.get("each").and_then(|each| each.get("exampleLimit"));
        let limit = limit.and_then(Json::as_u64).unwrap_or(DEFAULT_EXAMPLE_LIMIT as u64);
        if examples.saturating_mul(once.len() as u64) > limit {
            return Err(invalid_body(&format!(
                "each() of <{name}>: {examples} items of {} bytes exceed the maximum example size of {limit} bytes; \
                 reduce examples, or increase exampleLimit",
                once.len()
            )));
        }
        for _ in 1..examples {
            self.out.push_str(&once);
        }
        Ok(())
    }

    fn write(&mut self, element: &Json, name: &str, attributes: &Object) -> Done {
        self.out.extend(["<", name]);
        for (attribute, value) in attributes {
            check_xml_name(attribute).map_err(|error| invalid_body(&error.to_string()))?;
            self.out.extend([" ", attribute, "=\""]);
            if is_declaration(attribute) {
                escape(value.as_str().unwrap_or_default(), true, &mut self.out);
            } else {
                let key = ["@", &self.qualified_name(attribute, false)?].concat();
                self.value(&key, value, true)?;
            }
            self.out.push('"');
        }
        let children = element.get("children").and_then(Json::as_array).unwrap_or_default();
        if children.is_empty() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        let texts = || children.iter().filter_map(|child| child.get("text"));
        if texts().count() > 1 && texts().any(|text| matches!(text, Json::Object(_))) {
            let problem =
                format!("<{name}> has multiple text nodes; a matcher must describe the whole text of an element");
            return Err(invalid_body(&problem));
        }
        for child in children {
            match child.get("text") {
                Some(text) => self.value("#text", text, false)?,
                None => self.element(child)?,
            }
        }
        self.out.extend(["</", name, ">"]);
        Ok(())
    }

    /// Writes a text or an attribute value with escapes, and stores its rules. `key` is the last step of its path.
    fn value(&mut self, key: &str, template: &Json, is_attribute: bool) -> Done {
        self.path.push(PathToken::Key(key.into()));
        let at = format!("at {}", self.path);
        let value = Value::new(template).map_err(|error| error.within(&at))?;
        let text = value.text(BODY).map_err(|error| error.within(&at))?;
        if let Some(control) = text.chars().find(|c| *c < ' ' && !matches!(c, '\t' | '\n' | '\r')) {
            return Err(ArgumentError::new(
                BODY,
                format!("{at}: XML does not support the character {control:?}"),
            ));
        }
        escape(&text, is_attribute, &mut self.out);
        if let Some(rules) = value.rules {
            self.rule(rules)?;
        }
        if let Some(generator) = value.generator {
            self.generators.insert(self.path.clone(), generator);
        }
        self.path.pop();
        Ok(())
    }

    /// Stores rules. Sibling elements with the same name share their rules, because paths cannot distinguish these
    /// elements.
    fn rule(&mut self, rules: RuleList) -> Done {
        if self.rules.get(&self.path).is_none_or(|known| *known == rules) {
            self.rules.insert(self.path.clone(), rules);
            return Ok(());
        }
        let problem = format!(
            "two elements have different matchers at {}, but matching rules cannot distinguish elements with the same \
             name; describe them with one element and each()",
            self.path
        );
        Err(invalid_body(&problem))
    }

    /// Returns the number of times that the example contains the element.
    fn repetition(&mut self, each: &Object, name: &str) -> Result<u64, ArgumentError> {
        let invalid_each = |problem: String| invalid_body(&format!("each() of <{name}>: {problem}"));
        let size = |key: &str| match each.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(size @ 1..) => Ok(Some(size)),
                _ => Err(format!("{key} must be a whole number greater than 0, received {value}")),
            },
        };
        let sizes = size("min").and_then(|min| Ok((min.unwrap_or(1), size("max")?, size("examples")?)));
        let (min, max, examples) = sizes.map_err(invalid_each)?;
        let examples = count(min, max, examples).map_err(|error| invalid_each(error.message.to_string()))?;
        let size = |size: u64| usize::try_from(size).ok();
        // A minimum of 1 needs no rule, because at least one element is required anyway.
        let min = if min > 1 { size(min) } else { None };
        self.rule(RuleList::single(Rule::Type {
            min,
            max: max.and_then(size),
        }))?;
        Ok(examples)
    }

    fn declare(&mut self, attributes: &Object) -> Done {
        for (name, value) in attributes.iter().filter(|(name, _)| is_declaration(name)) {
            let Json::String(uri) = value else {
                return Err(invalid_body(&format!(
                    "the namespace {name} must be a string, received {}",
                    value.kind().with_article()
                )));
            };
            let prefix = name.strip_prefix("xmlns:").unwrap_or_default();
            if uri.is_empty() && !prefix.is_empty() {
                return Err(invalid_body(&format!("the namespace {name} is empty")));
            }
            self.namespaces.push((prefix.into(), uri.clone()));
        }
        Ok(())
    }

    /// Returns the name that rule paths use: `uri:local`, or only the local name if there is no namespace. Attributes
    /// without a prefix have no namespace.
    fn qualified_name(&self, name: &str, is_element: bool) -> Result<Text, ArgumentError> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if prefix.is_empty() && !is_element {
            return Ok(name.into());
        }
        if prefix == "xml" {
            return Ok(["http://www.w3.org/XML/1998/namespace:", local].concat().into());
        }
        let found = self.namespaces.iter().rev().find(|(known, _)| known == prefix);
        match found {
            Some((_, uri)) if !uri.is_empty() => Ok([uri, ":", local].concat().into()),
            None if !prefix.is_empty() => Err(invalid_body(&format!(
                "the prefix of {name:?} is not declared; add the attribute {:?} with the namespace",
                ["xmlns:", prefix].concat()
            ))),
            _ => Ok(local.into()),
        }
    }
}

fn is_declaration(name: &str) -> bool {
    name == "xmlns" || name.starts_with("xmlns:")
}

fn escape(text: &str, is_attribute: bool, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            '\n' if is_attribute => out.push_str("&#10;"),
            '\t' if is_attribute => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_model::InteractionKind;

    use crate::builder::{ContractBuilder, Kind};

    /// Returns the document and its rules.
    fn draft(root: &str) -> Result<(String, Vec<String>), String> {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let interaction = contract.upon_receiving("one", Kind::Http, "").unwrap();
        let call = interaction.apply_text(&format!(r#"{{"with_xml_body":{{"root":{root}}}}}"#));
        call.map_err(|error| error.to_string().replace("with_xml_body: ", ""))?;
        let InteractionKind::Http(http) = interaction.build().unwrap().kind else {
            panic!("no HTTP")
        };
        let rules = http.request.rules.body.iter();
        let rules = rules.map(|(path, list)| format!("{path} {}", list.rules[0].name()));
        let text = http
            .request
            .body
            .content()
            .and_then(contract_model::Content::text)
            .unwrap();
        Ok((text.split_once("?>").unwrap().1.to_owned(), rules.collect()))
    }

    #[test]
    fn rules_have_the_paths_of_other_pact_implementations() {
        let (text, rules) = draft(
            r#"{"name":"order","attributes":{"id":{"contract:matcher:type":"integer","value":7},"note":"a \"b\" & <c>"},"children":[
                {"name":"item","each":{"min":2},"children":[{"text":{"contract:matcher:type":"type","value":"x > y"}}]},
                {"name":"empty"}]}"#,
        )
        .unwrap();
        assert_eq!(
            text,
            r#"<order id="7" note="a &quot;b&quot; &amp; &lt;c&gt;"><item>x &gt; y</item><item>x &gt; y</item><empty/></order>"#
        );
        assert_eq!(
            rules,
            [
                "$.order['@id'] integer",
                "$.order.item type",
                "$.order.item['#text'] type"
            ]
        );
    }

    #[test]
    fn rule_paths_contain_namespace_uris() {
        let (_, rules) = draft(
            r#"{"name":"s:o","attributes":{"xmlns:s":"urn:s","xmlns":"urn:d","s:k":{"contract:matcher:type":"type","value":"1"}},
                "children":[{"name":"i","children":[{"text":{"contract:matcher:type":"type","value":"x"}}]}]}"#,
        )
        .unwrap();
        assert_eq!(
            rules,
            ["$['urn:s:o']['@urn:s:k'] type", "$['urn:s:o']['urn:d:i']['#text'] type"]
        );
    }

    #[test]
    fn rejects_invalid_elements() {
        for (root, want) in [
            (r#"{"name":"a b"}"#, "\"a b\" is not a valid XML name"),
            (
                r#"{"name":"s:a"}"#,
                "the prefix of \"s:a\" is not declared; add the attribute \"xmlns:s\" with the namespace",
            ),
            (
                r#"{"name":"a","each":{}}"#,
                "the root element cannot be repeated; use each() for the elements inside it",
            ),
            (
                r#"{"name":"a","children":[{"name":"b","each":{"min":0}}]}"#,
                "each() of <b>: min must be a whole number greater than 0, received 0",
            ),
            (
                r#"{"name":"a","children":[{"name":"b","each":{"min":3,"max":2}}]}"#,
                "each() of <b>: min 3 is greater than max 2",
            ),
            (
                r#"{"name":"a","children":[{"text":null}]}"#,
                "at $.a['#text']: expected a string, a number, or a boolean, received null: null",
            ),
            (
                r#"{"name":"a","children":[{"text":"\u0001"}]}"#,
                "at $.a['#text']: XML does not support the character '\\u{1}'",
            ),
        ] {
            assert_eq!(draft(root).unwrap_err(), want);
        }
        let two = r#"{"name":"a","children":[
            {"name":"b","children":[{"text":{"contract:matcher:type":"integer","value":1}}]},
            {"name":"b","children":[{"text":{"contract:matcher:type":"type","value":"x"}}]}]}"#;
        assert!(draft(two).unwrap_err().contains("different matchers at $.a.b['#text']"));
    }
}
