//! Matching rules and generators: the flat map of V2 and the categories of V3 and V4.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::error::{ReadError, ReadWarning};
use super::members::{object, take, take_any};
use super::reader::Reader;
use super::unknown;
use crate::place::Place;
use crate::{Generator, Generators, Json, Object, PathExpression, PathRules, Rule, RuleList, Rules, Text};

/// Rules, and what is not known in them.
struct Listed {
    list: RuleList,
    unknown: Object,
}

impl Reader {
    /// The rules under `name`; what is not known in them goes back into `members`.
    pub(super) fn rules_of(
        &mut self,
        members: &mut Object,
        names: &[&'static str],
        place: &Place,
    ) -> Result<Rules, ReadError> {
        let Some((name, json)) = take_any(members, names) else {
            return Ok(Rules::default());
        };
        let rules = self.rules(json, &place.key(name))?;
        self.put_back("matchingRules", members);
        Ok(rules)
    }

    /// The generators; what is not known in them goes back into `members`.
    pub(super) fn generators_of(&mut self, members: &mut Object, place: &Place) -> Result<Generators, ReadError> {
        let Some(json) = take(members, "generators") else {
            return Ok(Generators::default());
        };
        let generators = self.generators(json, &place.key("generators"))?;
        self.put_back("generators", members);
        Ok(generators)
    }

    fn put_back(&mut self, name: &'static str, members: &mut Object) {
        let unknown = std::mem::take(&mut self.unknown);
        if !unknown.is_empty() {
            members.insert(name, unknown);
        }
    }

    pub(super) fn rules(&mut self, json: Json, place: &Place) -> Result<Rules, ReadError> {
        let members = object(json, place)?;
        let mut rules = Rules::default();
        for (name, value) in members {
            if value.is_null() {
                continue;
            }
            let at = place.key(&name);
            // The form is told by the names, whatever version the file claims: other tools mix them up.
            if name.starts_with('$') {
                self.flat_rule(&name, value, &mut rules, &at)?;
            } else {
                self.category(&name, value, &mut rules, &at)?;
            }
        }
        Ok(rules)
    }

    /// One category of V3 and V4.
    fn category(&mut self, name: &str, value: Json, rules: &mut Rules, place: &Place) -> Result<(), ReadError> {
        match name {
            "path" => rules.path = self.only("path", &value, place)?,
            "method" => rules.method = self.only("method", &value, place)?,
            "status" => rules.status = self.only("status", &value, place)?,
            "query" => self.named("query", value, &mut rules.query, place)?,
            "header" | "headers" => self.named("header", value, &mut rules.header, place)?,
            "metadata" | "metaData" => self.named("metadata", value, &mut rules.metadata, place)?,
            "body" | "content" | "contents" => self.paths(value, &mut rules.body, place)?,
            _ => self.other(name, value, &mut rules.other, place),
        }
        Ok(())
    }

    fn other(&mut self, name: &str, value: Json, other: &mut Object, place: &Place) {
        self.warnings
            .push(ReadWarning::UnknownCategory { at: place.to_string() });
        other.insert(name, value);
    }

    /// The rules of a part that has only one place. Some tools put them under the path of a place, some write an empty
    /// object for no rules.
    fn only(&mut self, category: &'static str, value: &Json, place: &Place) -> Result<Option<RuleList>, ReadError> {
        if value.as_object().is_some_and(Object::is_empty) {
            return Ok(None);
        }
        let list = match nested(value) {
            Some((name, list)) => self.list(list, &place.key(name))?,
            None => self.list(value, place)?,
        };
        Ok(Some(self.whole(category, list)))
    }

    /// Names are opaque: `a[]` is a name and no path.
    fn named(
        &mut self,
        category: &'static str,
        value: Json,
        rules: &mut BTreeMap<Text, RuleList>,
        place: &Place,
    ) -> Result<(), ReadError> {
        for (name, value) in object(value, place)? {
            if !value.is_null() {
                let list = self.list(&value, &place.key(&name))?;
                self.add(category, &name.clone(), name, list, rules);
            }
        }
        Ok(())
    }

    fn paths(&mut self, value: Json, rules: &mut PathRules, place: &Place) -> Result<(), ReadError> {
        for (name, value) in object(value, place)? {
            if !value.is_null() {
                let at = place.key(&name);
                let list = self.list(&value, &at)?;
                let path = path(&name, &at)?;
                self.add("body", &path.to_string(), path, list, rules);
            }
        }
        Ok(())
    }

    fn list(&mut self, value: &Json, place: &Place) -> Result<Listed, ReadError> {
        let list = RuleList::from_json(value).map_err(|error| ReadError::Rule {
            at: place.to_string(),
            error,
        })?;
        list.rules.iter().for_each(|rule| self.report_unknown(rule, place));
        let unknown = unknown::in_list(value, &list);
        Ok(Listed { list, unknown })
    }

    /// The rules of a part that has only one place.
    fn whole(&mut self, category: &'static str, Listed { list, unknown }: Listed) -> RuleList {
        if !unknown.is_empty() {
            self.unknown.insert(category, unknown);
        }
        list
    }

    /// Two spellings of one place: the rules of both hold.
    fn add<K: Ord>(
        &mut self,
        category: &'static str,
        name: &str,
        key: K,
        Listed { list, unknown }: Listed,
        rules: &mut BTreeMap<K, RuleList>,
    ) {
        let earlier = rules.get(&key).map_or(0, |list| list.rules.len());
        if !unknown.is_empty() {
            self.keep(category, name, unknown, earlier);
        }
        match rules.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(list);
            }
            Entry::Occupied(entry) => entry.into_mut().rules.extend(list.rules),
        }
    }

    /// Keeps what is not known at one place of a category, behind that of the `earlier` rules there.
    fn keep(&mut self, category: &'static str, name: &str, mut unknown: Object, earlier: usize) {
        if !self.unknown.contains_key(category) {
            self.unknown.insert(category, Object::new());
        }
        let Some(Json::Object(places)) = self.unknown.get_mut(category) else {
            return;
        };
        let mut kept = match places.remove(name) {
            Some(Json::Object(kept)) => kept,
            _ => Object::new(),
        };
        if let Some(Json::Array(later)) = unknown.remove("matchers") {
            let mut matchers = match kept.remove("matchers") {
                Some(Json::Array(matchers)) => matchers,
                _ => Vec::new(),
            };
            matchers.resize(earlier, Json::Null);
            matchers.extend(later);
            kept.insert("matchers", matchers);
        }
        for (name, value) in unknown {
            kept.insert(name, value);
        }
        places.insert(name, kept);
    }

    fn report_unknown(&mut self, rule: &Rule, place: &Place) {
        match rule {
            Rule::Custom { name, .. } => self.warnings.push(ReadWarning::UnknownRule {
                at: place.to_string(),
                name: name.clone(),
            }),
            Rule::EachKey(definition) | Rule::EachValue(definition) => {
                definition
                    .rules
                    .iter()
                    .for_each(|rule| self.report_unknown(rule, place));
            }
            Rule::ArrayContains(variants) => {
                for rule in variants
                    .iter()
                    .flat_map(|variant| variant.rules.values())
                    .flat_map(|list| &list.rules)
                {
                    self.report_unknown(rule, place);
                }
            }
            _ => {}
        }
    }

    /// One rule of V2, such as `$.headers.Accept` or `$.body.items[*]`.
    fn flat_rule(&mut self, name: &str, value: Json, rules: &mut Rules, place: &Place) -> Result<(), ReadError> {
        let Some((category, rest)) = split_category(name) else {
            self.other(name, value, &mut rules.other, place);
            return Ok(());
        };
        let (category, named) = match category {
            "body" | "content" | "contents" => {
                let path = path(&format!("${rest}"), place)?;
                let list = self.list(&value, place)?;
                self.add("body", &path.to_string(), path, list, &mut rules.body);
                return Ok(());
            }
            "path" | "method" | "status" if rest.is_empty() => {
                let list = self.list(&value, place)?;
                match category {
                    "path" => rules.path = Some(self.whole("path", list)),
                    "method" => rules.method = Some(self.whole("method", list)),
                    _ => rules.status = Some(self.whole("status", list)),
                }
                return Ok(());
            }
            "header" | "headers" => ("header", &mut rules.header),
            "query" => ("query", &mut rules.query),
            "metadata" | "metaData" => ("metadata", &mut rules.metadata),
            _ => {
                self.other(name, value, &mut rules.other, place);
                return Ok(());
            }
        };
        match opaque_name(rest) {
            Some(key) => {
                let list = self.list(&value, place)?;
                self.add(category, &key.clone(), key, list, named);
            }
            None => self.other(name, value, &mut rules.other, place),
        }
        Ok(())
    }

    pub(super) fn generators(&mut self, json: Json, place: &Place) -> Result<Generators, ReadError> {
        let mut generators = Generators::default();
        for (name, value) in object(json, place)? {
            if value.is_null() {
                continue;
            }
            let at = place.key(&name);
            match name.as_str() {
                "path" => generators.path = self.only_generator("path", &value, &at)?,
                "method" => generators.method = self.only_generator("method", &value, &at)?,
                "status" => generators.status = self.only_generator("status", &value, &at)?,
                "query" => self.named_generators("query", value, &mut generators.query, &at)?,
                "header" | "headers" => self.named_generators("header", value, &mut generators.header, &at)?,
                "metadata" | "metaData" => self.named_generators("metadata", value, &mut generators.metadata, &at)?,
                "body" | "content" | "contents" => {
                    for (name, value) in object(value, &at)? {
                        let at = at.key(&name);
                        let (path, generator) = (path(&name, &at)?, self.generator(&value, &at)?);
                        self.keep_in_generator("body", &path.to_string(), &value, &generator);
                        generators.body.insert(path, generator);
                    }
                }
                _ => self.other(&name, value, &mut generators.other, &at),
            }
        }
        Ok(generators)
    }

    fn only_generator(
        &mut self,
        category: &'static str,
        value: &Json,
        place: &Place,
    ) -> Result<Option<Generator>, ReadError> {
        if value.as_object().is_some_and(Object::is_empty) {
            return Ok(None);
        }
        let (source, place) = match nested(value) {
            Some((name, generator)) => (generator, &place.key(name)),
            None => (value, place),
        };
        let generator = self.generator(source, place)?;
        let unknown = unknown::in_generator(source, &generator);
        if !unknown.is_empty() {
            self.unknown.insert(category, unknown);
        }
        Ok(Some(generator))
    }

    fn named_generators(
        &mut self,
        category: &'static str,
        value: Json,
        generators: &mut BTreeMap<Text, Generator>,
        place: &Place,
    ) -> Result<(), ReadError> {
        for (name, value) in object(value, place)? {
            let generator = self.generator(&value, &place.key(&name))?;
            self.keep_in_generator(category, &name, &value, &generator);
            generators.insert(name, generator);
        }
        Ok(())
    }

    fn keep_in_generator(&mut self, category: &'static str, name: &str, source: &Json, generator: &Generator) {
        let unknown = unknown::in_generator(source, generator);
        if !unknown.is_empty() {
            self.keep(category, name, unknown, 0);
        }
    }

    fn generator(&mut self, value: &Json, place: &Place) -> Result<Generator, ReadError> {
        let generator = Generator::from_json(value).map_err(|error| ReadError::Generator {
            at: place.to_string(),
            error,
        })?;
        if let Generator::Custom { name, .. } = &generator {
            self.warnings.push(ReadWarning::UnknownGenerator {
                at: place.to_string(),
                name: name.clone(),
            });
        }
        Ok(generator)
    }
}

/// What stands under the path of the only place that a part has: nothing at all or the root, depending on the writer.
fn nested(value: &Json) -> Option<(&'static str, &Json)> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    ["", "$"]
        .into_iter()
        .find_map(|name| members.get(name).map(|list| (name, list)))
}

fn path(text: &str, place: &Place) -> Result<PathExpression, ReadError> {
    text.parse().map_err(|error| ReadError::Path {
        at: place.to_string(),
        error,
    })
}

/// The category of a V2 rule and what follows it: `$.body.a` and `$['body'].a` give `body` and `.a`.
fn split_category(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix('$')?;
    if let Some(rest) = rest.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        return Some(rest.split_at(end));
    }
    let quote = rest
        .strip_prefix('[')?
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))?;
    let inner = rest.get(2..)?;
    let end = inner.find(quote)?;
    let category = inner.get(..end)?;
    Some((category, inner.get(end + 1..)?.strip_prefix(']')?))
}

/// The name behind the category of a V2 rule. It is no path: `.a[]`, `['a[]']` and `.a.b` name `a[]` and `a.b`. An index
/// behind a quoted name stays part of the name: `['a b'][0]` names the first value of `a b`.
fn opaque_name(rest: &str) -> Option<Text> {
    if let Some(name) = rest.strip_prefix('.') {
        return Some(name).filter(|name| !name.is_empty()).map(Text::from);
    }
    let quote = rest
        .strip_prefix('[')?
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))?;
    let mut name = Text::default();
    let mut characters = rest.get(2..)?.chars();
    loop {
        match characters.next()? {
            '\\' => {
                let mut ahead = characters.clone();
                match ahead.next() {
                    Some(escaped) if escaped == quote || escaped == '\\' => {
                        name.push(escaped);
                        characters = ahead;
                    }
                    _ => name.push('\\'),
                }
            }
            c if c == quote => break,
            c => name.push(c),
        }
    }
    let index = characters.as_str().strip_prefix(']')?;
    if !index.is_empty() && !index.starts_with('[') {
        return None;
    }
    name.push_str(index);
    Some(name)
}
