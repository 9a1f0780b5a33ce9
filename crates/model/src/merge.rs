//! Uniting two contracts between the same pair: what a new test run says replaces what an earlier one said.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::{
    Body, Contract, HttpInteraction, Interaction, InteractionKind, Json, Message, Object, ProviderState, Text,
    canonical_text, file_order,
};

/// Why two contracts cannot be united.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They are between different pairs.
    #[error(
        "contracts between different pairs cannot be merged: one is between {consumer:?} and {provider:?}, the other between {newer_consumer:?} and {newer_provider:?}"
    )]
    Pair {
        /// The consumer of the contract that was there.
        consumer: Text,
        /// Its provider.
        provider: Text,
        /// The consumer of the newer contract.
        newer_consumer: Text,
        /// Its provider.
        newer_provider: Text,
    },
}

impl Contract {
    /// Takes in what a newer contract between the same pair says.
    ///
    /// An interaction that is the same ([`Interaction::is_same_as`], or both have the same `key`) is replaced; members
    /// that this library does not know are kept when the newer one lacks them. So are metadata (one level deep) and
    /// plugins, which are told apart by name and version; their configurations are united. The interactions end in [`file_order`]. Merging the same contract twice
    /// changes nothing.
    pub fn merge(&mut self, newer: Self) -> Result<(), MergeError> {
        if self.consumer != newer.consumer || self.provider != newer.provider {
            return Err(MergeError::Pair {
                consumer: self.consumer.clone(),
                provider: self.provider.clone(),
                newer_consumer: newer.consumer,
                newer_provider: newer.provider,
            });
        }
        self.specification = self.specification.max(newer.specification);
        unite(&mut self.metadata, newer.metadata);
        unite(&mut self.other, newer.other);
        let name_of = |plugin: &Json| match (plugin.get("name"), plugin.get("version")) {
            (Some(name), version) => Ok((canonical_text(name), version.map(canonical_text))),
            (None, _) => Err(canonical_text(plugin)),
        };
        let mut places: HashMap<_, usize> = HashMap::new();
        for (at, plugin) in self.plugins.iter().enumerate() {
            places.entry(name_of(plugin)).or_insert(at);
        }
        for plugin in newer.plugins {
            match places.entry(name_of(&plugin)) {
                Entry::Occupied(place) => unite_deeply(&mut self.plugins[*place.get()], plugin),
                Entry::Vacant(place) => {
                    place.insert(self.plugins.len());
                    self.plugins.push(plugin);
                }
            }
        }
        let older = std::mem::take(&mut self.interactions);
        self.interactions = merged(older, last_of_each(newer.interactions));
        self.interactions.sort_by(file_order);
        Ok(())
    }
}

/// The newer value; of two objects the members of both, united in the same way.
fn unite_deeply(older: &mut Json, newer: Json) {
    match (older, newer) {
        (Json::Object(older), Json::Object(newer)) => {
            for (name, value) in newer {
                match older.get_mut(&name) {
                    Some(known) => unite_deeply(known, value),
                    None => {
                        older.insert(name, value);
                    }
                }
            }
        }
        (older, newer) => *older = newer,
    }
}

/// Members of both; where both have one, the newer, or, of two objects, the members of both.
fn unite(older: &mut Object, newer: Object) {
    for (name, value) in newer {
        match (older.get_mut(&name), value) {
            (Some(Json::Object(old)), Json::Object(new)) => {
                for (name, value) in new {
                    old.insert(name, value);
                }
            }
            (_, value) => {
                older.insert(name, value);
            }
        }
    }
}

/// Finds interactions by identity or key without comparing each with each.
#[derive(Default)]
struct Finder {
    by_identity: HashMap<String, Vec<usize>>,
    by_key: HashMap<Text, Vec<usize>>,
}

/// What [`Interaction::is_same_as`] looks at, as one text: the same for those that are the same, and for no others.
pub fn identity_text(interaction: &Interaction) -> String {
    let state = |state: &ProviderState| {
        let mut members = vec![Json::from(state.name.clone())];
        if !state.parameters.is_empty() {
            members.push(state.parameters.clone().into());
        }
        Json::Array(members)
    };
    let parts = vec![
        interaction.kind.type_name().into(),
        interaction.description.clone().into(),
        Json::Array(interaction.states.iter().map(state).collect()),
        Json::Array(interaction.kind.only_identity().cloned().into_iter().collect()),
    ];
    canonical_text(&Json::Array(parts))
}

impl Finder {
    fn add(&mut self, at: usize, interaction: &Interaction) {
        self.by_identity.entry(identity_text(interaction)).or_default().push(at);
        if let Some(key) = &interaction.key {
            self.by_key.entry(key.clone()).or_default().push(at);
        }
    }

    /// Takes out the places where the same interaction stands: by identity first, then by key.
    fn take_same(&mut self, wanted: &Interaction) -> Vec<usize> {
        let mut places = self.by_identity.remove(&identity_text(wanted)).unwrap_or_default();
        places.extend(
            wanted
                .key
                .as_ref()
                .and_then(|key| self.by_key.remove(key))
                .unwrap_or_default(),
        );
        places
    }
}

/// Of interactions that are the same, the last: the contract of one run may have defined one twice.
fn last_of_each(interactions: Vec<Interaction>) -> Vec<Interaction> {
    let mut finder = Finder::default();
    let mut kept = vec![true; interactions.len()];
    for (at, interaction) in interactions.iter().enumerate() {
        for earlier in finder.take_same(interaction) {
            kept[earlier] = false;
        }
        finder.add(at, interaction);
    }
    let kept = interactions.into_iter().zip(kept);
    kept.filter_map(|(interaction, is_kept)| is_kept.then_some(interaction))
        .collect()
}

fn merged(older: Vec<Interaction>, newer: Vec<Interaction>) -> Vec<Interaction> {
    let mut finder = Finder::default();
    for (at, interaction) in older.iter().enumerate() {
        finder.add(at, interaction);
    }
    let mut replaced = vec![false; older.len()];
    let mut result = Vec::with_capacity(older.len() + newer.len());
    for mut interaction in newer {
        let places = finder.take_same(&interaction);
        if let Some(&first) = places.first() {
            interaction.keep_unknown(&older[first]);
        }
        for at in places {
            replaced[at] = true;
        }
        result.push(interaction);
    }
    let remaining = older.into_iter().zip(replaced);
    result.extend(remaining.filter_map(|(interaction, is_replaced)| (!is_replaced).then_some(interaction)));
    result
}

impl Interaction {
    /// Takes over the members of an older form of this interaction that this library does not know, unless this one has
    /// members of the same name: what [`Contract::merge`] does with an interaction that it replaces.
    pub fn keep_unknown(&mut self, older: &Self) {
        let mut same = Same {
            states: self.states == older.states,
            ..Same::ALL
        };
        match (&mut self.kind, &older.kind) {
            (InteractionKind::Http(new), InteractionKind::Http(old)) => {
                let HttpInteraction { request, response } = &mut **new;
                Same::body(&request.body, &old.request.body).keep(&mut request.other, &old.request.other);
                request.rules.keep_unknown(&old.request.rules);
                request.generators.keep_unknown(&old.request.generators);
                Same::body(&response.body, &old.response.body).keep(&mut response.other, &old.response.other);
                response.rules.keep_unknown(&old.response.rules);
                response.generators.keep_unknown(&old.response.generators);
            }
            (InteractionKind::AsyncMessage(new), InteractionKind::AsyncMessage(old)) => {
                // What is not known inside the contents of such a message stands with the interaction.
                same.body = new.contents == old.contents;
                new.keep_unknown(old);
            }
            (InteractionKind::SyncMessage(new), InteractionKind::SyncMessage(old)) => {
                let responses = new.responses.iter_mut().zip(&old.responses);
                for (new, old) in std::iter::once((&mut new.request, &old.request)).chain(responses) {
                    new.keep_unknown(old);
                }
            }
            _ => {}
        }
        same.keep(&mut self.other, &older.other);
    }
}

impl Message {
    fn keep_unknown(&mut self, older: &Self) {
        Same::body(&self.contents, &older.contents).keep(&mut self.other, &older.other);
        self.rules.keep_unknown(&older.rules);
        self.generators.keep_unknown(&older.generators);
    }
}

/// Which values are still those of the older form: what was inside a value goes with it.
#[derive(Clone, Copy)]
struct Same {
    states: bool,
    body: bool,
}

impl Same {
    const ALL: Self = Self {
        states: true,
        body: true,
    };

    fn body(newer: &Body, older: &Body) -> Self {
        Self {
            body: newer == older,
            ..Self::ALL
        }
    }

    /// Takes over what is missing.
    fn keep(self, newer: &mut Object, older: &Object) {
        for (name, value) in older {
            let is_same = match name.as_str() {
                "providerStates" => self.states,
                "body" | "contents" => self.body,
                _ => true,
            };
            if is_same && !newer.contains_key(name) {
                newer.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Contract, Interaction, Json, MergeError, Object};
    use crate::ProviderState;

    fn interaction(description: &str) -> Interaction {
        Interaction {
            description: description.into(),
            ..Interaction::default()
        }
    }

    fn contract(interactions: Vec<Interaction>) -> Contract {
        Contract {
            consumer: "web".into(),
            provider: "users".into(),
            interactions,
            ..Contract::default()
        }
    }

    fn object(text: &str) -> Object {
        Json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
    }

    fn descriptions(contract: &Contract) -> Vec<&str> {
        contract.interactions.iter().map(|i| i.description.as_str()).collect()
    }

    #[test]
    fn another_pair_is_refused() {
        let mut other = contract(Vec::new());
        other.provider = "orders".into();
        let error = contract(Vec::new()).merge(other).unwrap_err();
        assert!(matches!(error, MergeError::Pair { .. }));
        assert_eq!(
            error.to_string(),
            r#"contracts between different pairs cannot be merged: one is between "web" and "users", the other between "web" and "orders""#
        );
    }

    #[test]
    fn the_newer_replaces_the_same_and_joins_the_others_in_order() {
        let mut old = contract(vec![interaction("c"), interaction("a")]);
        let mut newer = interaction("a");
        newer.pending = true;
        old.merge(contract(vec![interaction("b"), newer])).unwrap();
        assert_eq!(descriptions(&old), ["a", "b", "c"]);
        assert!(old.interactions[0].pending);
    }

    #[test]
    fn other_states_make_another_interaction() {
        let with_state = |text: &str| Interaction {
            states: vec![ProviderState {
                name: "user".into(),
                parameters: object(text),
            }],
            ..interaction("a")
        };
        let mut old = contract(vec![with_state(r#"{"id":2}"#), interaction("a")]);
        old.merge(contract(vec![with_state(r#"{"id":1}"#), with_state(r#"{"id":2}"#)]))
            .unwrap();
        let ids: Vec<String> = old
            .interactions
            .iter()
            .map(|i| format!("{:?}", i.states.len()))
            .collect();
        assert_eq!(ids, ["0", "1", "1"]);
    }

    #[test]
    fn an_equal_key_is_the_same_interaction_under_another_name() {
        let keyed = |description: &str| Interaction {
            key: Some("k".into()),
            ..interaction(description)
        };
        let mut old = contract(vec![keyed("old name"), interaction("new name")]);
        old.merge(contract(vec![keyed("new name")])).unwrap();
        assert_eq!(descriptions(&old), ["new name"]);
    }

    #[test]
    fn many_are_merged_as_few_are() {
        let many = |key: Option<&str>| {
            let states = (0..10_000).map(|number| Interaction {
                states: vec![ProviderState {
                    name: number.to_string().into(),
                    parameters: Object::new(),
                }],
                key: key.map(Into::into),
                ..interaction("a")
            });
            let mut contract = contract(states.collect());
            contract.plugins = (0..10_000)
                .map(|number| object(&format!(r#"{{"name":"p{number}"}}"#)).into())
                .collect();
            contract
        };
        let mut united = many(None);
        united.merge(many(None)).unwrap();
        assert_eq!((united.interactions.len(), united.plugins.len()), (10_000, 10_000));
        // Under one key, only the last of all is left.
        united.merge(many(Some("k"))).unwrap();
        assert_eq!(united.interactions.len(), 9_999 + 1);
        united.merge(many(Some("k"))).unwrap();
        assert_eq!(united.interactions.len(), 10_000);
    }

    #[test]
    fn unknown_members_survive() {
        let mut older = interaction("a");
        older.other = object(r#"{"x-owner":"team","x-old":1}"#);
        let mut newer = interaction("a");
        newer.other = object(r#"{"x-old":2}"#);
        let mut old = contract(vec![older]);
        old.metadata = object(r#"{"ci":{"build":1},"tool":"a"}"#);
        let mut new = contract(vec![newer]);
        new.metadata = object(r#"{"ci":{"branch":"b"},"tool":"c"}"#);
        old.merge(new).unwrap();
        assert_eq!(old.interactions[0].other, object(r#"{"x-old":2,"x-owner":"team"}"#));
        assert_eq!(old.metadata, object(r#"{"ci":{"build":1,"branch":"b"},"tool":"c"}"#));
    }

    #[test]
    fn plugins_are_united_by_name_and_version() {
        let plugins = |texts: &[&str]| -> Vec<Json> {
            let each = texts.iter().map(|text| Json::parse(text.as_bytes()).unwrap());
            each.collect()
        };
        let mut old = contract(Vec::new());
        old.plugins = plugins(&[r#"{"name":"csv","version":"1","configuration":{"a":{"x":1},"b":1}}"#]);
        let mut new = old.clone();
        new.plugins = plugins(&[
            r#"{"name":"csv","version":"2"}"#,
            r#"{"name":"csv","version":"1","configuration":{"a":{"y":2},"b":2}}"#,
            r#"{"name":"grpc"}"#,
        ]);
        old.merge(new.clone()).unwrap();
        let united = plugins(&[
            r#"{"name":"csv","version":"1","configuration":{"a":{"x":1,"y":2},"b":2}}"#,
            r#"{"name":"csv","version":"2"}"#,
            r#"{"name":"grpc"}"#,
        ]);
        assert_eq!(old.plugins, united);
        old.merge(new).unwrap();
        assert_eq!(old.plugins, united);
    }
}
