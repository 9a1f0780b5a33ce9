//! Reads matching rules and generators: the flat object of V2, and the categories of V3 and V4.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::error::{ReadError, ReadWarning};
use super::members::{object, take, take_any};
use super::reader::Reader;
use super::unknown;
use crate::by_place::{Category, SlotMut};
use crate::place::Place;
use crate::{ByPlace, Generator, Generators, Json, Object, PathExpression, Rule, RuleList, Rules, Text};

/// A rule list or generator, and the unknown members found in it.
struct Read<V> {
    value: V,
    unknown: Object,
}

impl<V: Placed> Read<V> {
    /// Returns the value of a category with a single value. Stores its unknown members in `unknown`.
    fn alone(self, category: Category, unknown: &mut Object) -> V {
        if !self.unknown.is_empty() {
            unknown.insert(category.name(), self.unknown);
        }
        self.value
    }

    /// Inserts the value under `key`. If another spelling of the same key has already inserted one, combines the two.
    fn add<K: Ord>(self, category: Category, name: &str, key: K, all: &mut BTreeMap<K, V>, unknown: &mut Object) {
        let earlier = all.get(&key).map_or(0, V::count);
        if !self.unknown.is_empty() {
            keep(unknown, category.name(), name, self.unknown, earlier);
        }
        match all.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(self.value)),
            Entry::Occupied(entry) => entry.into_mut().combine(self.value),
        }
    }
}

/// A value that a path refers to: a rule list or a generator.
trait Placed: Sized {
    fn read(reader: &mut Reader, value: &Json, place: &Place) -> Result<Read<Self>, ReadError>;

    fn is_empty_value(value: &Json) -> bool;

    fn count(&self) -> usize;

    /// Combines this value with one that another spelling of the same path defines.
    fn combine(&mut self, later: Self);
}

impl Placed for RuleList {
    fn read(reader: &mut Reader, value: &Json, place: &Place) -> Result<Read<Self>, ReadError> {
        let list = Self::from_json(value).map_err(|error| ReadError::Rule {
            at: place.to_string(),
            error,
        })?;
        list.rules.iter().for_each(|rule| reader.report_unknown(rule, place));
        let unknown = unknown::in_list(value, &list);
        Ok(Read { value: list, unknown })
    }

    fn is_empty_value(value: &Json) -> bool {
        value.is_null()
    }

    fn count(&self) -> usize {
        self.rules.len()
    }

    /// Appends the rules of `later`.
    fn combine(&mut self, later: Self) {
        self.rules.extend(later.rules);
    }
}

impl Placed for Generator {
    fn read(reader: &mut Reader, value: &Json, place: &Place) -> Result<Read<Self>, ReadError> {
        let generator = Self::from_json(value).map_err(|error| ReadError::Generator {
            at: place.to_string(),
            error,
        })?;
        if let Self::Custom { name, .. } = &generator {
            reader.warnings.push(ReadWarning::UnknownGenerator {
                at: place.to_string(),
                name: name.clone(),
            });
        }
        let unknown = unknown::in_generator(value, &generator);
        Ok(Read {
            value: generator,
            unknown,
        })
    }

    fn is_empty_value(_: &Json) -> bool {
        false
    }

    fn count(&self) -> usize {
        0
    }

    fn combine(&mut self, later: Self) {
        *self = later;
    }
}

impl Reader {
    /// Reads the rules from the first of these members that exists.
    pub(super) fn rules_of(
        &mut self,
        members: &mut Object,
        names: &[&'static str],
        place: &Place,
    ) -> Result<Rules, ReadError> {
        match take_any(members, names) {
            Some((name, json)) => self.rules(json, &place.key(name)),
            None => Ok(Rules::default()),
        }
    }

    pub(super) fn generators_of(&mut self, members: &mut Object, place: &Place) -> Result<Generators, ReadError> {
        match take(members, "generators") {
            Some(json) => self.generators(json, &place.key("generators")),
            None => Ok(Generators::default()),
        }
    }

    pub(super) fn rules(&mut self, json: Json, place: &Place) -> Result<Rules, ReadError> {
        let mut rules = Rules::default();
        for (name, value) in object(json, place)? {
            if value.is_null() {
                continue;
            }
            let at = place.key(&name);
            // The names determine the format, because some tools declare the wrong version.
            if name.starts_with('$') {
                self.flat_rule(&name, value, &mut rules, &at)?;
            } else {
                self.category(&name, value, &mut rules, &at)?;
            }
        }
        Ok(rules)
    }

    pub(super) fn generators(&mut self, json: Json, place: &Place) -> Result<Generators, ReadError> {
        let mut generators = Generators::default();
        for (name, value) in object(json, place)? {
            if !value.is_null() {
                self.category(&name, value, &mut generators, &place.key(&name))?;
            }
        }
        Ok(generators)
    }

    /// Reads a category of V3 and V4.
    fn category<V: Placed>(
        &mut self,
        name: &str,
        value: Json,
        all: &mut ByPlace<V>,
        place: &Place,
    ) -> Result<(), ReadError> {
        let Some(category) = Category::from_name(name) else {
            self.other(name, value, &mut all.other, place);
            return Ok(());
        };
        let (slot, unknown) = category.slot_mut(all);
        match slot {
            SlotMut::One(slot) => *slot = self.only(category, &value, unknown, place)?,
            // A name may contain brackets: `a[]` is a name, not a path.
            SlotMut::Names(slot) => {
                for (name, value) in object(value, place)? {
                    if !V::is_empty_value(&value) {
                        let read = V::read(self, &value, &place.key(&name))?;
                        read.add(category, &name.clone(), name, slot, unknown);
                    }
                }
            }
            SlotMut::Paths(slot) => {
                for (name, value) in object(value, place)? {
                    if !V::is_empty_value(&value) {
                        let at = place.key(&name);
                        let read = V::read(self, &value, &at)?;
                        let path = path(&name, &at)?;
                        read.add(category, &path.to_string(), path, slot, unknown);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the value of a category with a single value. Some tools store it under a path. Others write an empty
    /// object if there is no value.
    fn only<V: Placed>(
        &mut self,
        category: Category,
        value: &Json,
        unknown: &mut Object,
        place: &Place,
    ) -> Result<Option<V>, ReadError> {
        if value.as_object().is_some_and(Object::is_empty) {
            return Ok(None);
        }
        let read = match nested(value) {
            Some((name, value)) => V::read(self, value, &place.key(name))?,
            None => V::read(self, value, place)?,
        };
        Ok(Some(read.alone(category, unknown)))
    }

    /// Reads a V2 rule, such as `$.headers.Accept` or `$.body.items[*]`.
    fn flat_rule(&mut self, name: &str, value: Json, rules: &mut Rules, place: &Place) -> Result<(), ReadError> {
        let found = split_category(name).and_then(|(category, rest)| Some((Category::from_name(category)?, rest)));
        if let Some((category, rest)) = found {
            let (slot, unknown) = category.slot_mut(rules);
            match (slot, opaque_name(rest)) {
                (SlotMut::Paths(slot), _) => {
                    let path = path(&format!("${rest}"), place)?;
                    let read = RuleList::read(self, &value, place)?;
                    read.add(category, &path.to_string(), path, slot, unknown);
                    return Ok(());
                }
                (SlotMut::One(slot), _) if rest.is_empty() => {
                    let read = RuleList::read(self, &value, place)?;
                    *slot = Some(read.alone(category, unknown));
                    return Ok(());
                }
                (SlotMut::Names(slot), Some(key)) => {
                    let read = RuleList::read(self, &value, place)?;
                    read.add(category, &key.clone(), key, slot, unknown);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.other(name, value, &mut rules.other, place);
        Ok(())
    }

    fn other(&mut self, name: &str, value: Json, other: &mut Object, place: &Place) {
        self.warnings
            .push(ReadWarning::UnknownCategory { at: place.to_string() });
        other.insert(name, value);
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
}

/// Stores the unknown members at one path. The list of matchers is padded with null for the `earlier` rules, so that its
/// indexes match the rules.
fn keep(all: &mut Object, category: &'static str, name: &str, mut unknown: Object, earlier: usize) {
    if !all.contains_key(category) {
        all.insert(category, Object::new());
    }
    let Some(Json::Object(places)) = all.get_mut(category) else {
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

/// Categories such as `path` have one entry without a path. Some tools store it under an empty path or under the root
/// path `$`; this function returns that path and the entry.
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

/// Splits the path of a V2 rule into the category and the rest: `$.body.a` and `$['body'].a` become `body` and `.a`.
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

/// Parses the name after the category of a V2 rule. It is not parsed as a path: `.a[]` and `['a[]']` denote `a[]`, and
/// `.a.b` denotes `a.b`. An index after a quoted name is part of the name: `['a b'][0]` denotes the first value of
/// `a b`.
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
