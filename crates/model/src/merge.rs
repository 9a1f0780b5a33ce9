//! Merges two contracts between the same consumer and provider: newer interactions replace older ones.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;

use crate::entries::{self, merge_entries};
use crate::{
    Body, Contract, HttpInteraction, Interaction, InteractionKind, Json, Message, Object, Text, canonical_text,
    file_order,
};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The contracts have different consumers or providers.
    #[error(
        "contracts with different consumers or providers cannot be merged: the first is between {consumer:?} and {provider:?}, the second between {newer_consumer:?} and {newer_provider:?}"
    )]
    Pair {
        consumer: Text,
        provider: Text,
        newer_consumer: Text,
        newer_provider: Text,
    },
}

impl Contract {
    /// Merges a newer contract between the same consumer and provider into this one.
    ///
    /// Interactions are replaced as described in [`merge_entries`]. Unknown members are kept unless the newer contract
    /// defines them. Metadata is merged one level deep. Plugins are identified by name and version, and their
    /// configurations are merged. The result is in [`file_order`]. Merging the same contract a second time has no
    /// effect.
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
        merge_members(&mut self.metadata, newer.metadata);
        merge_members(&mut self.other, newer.other);
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
        self.interactions.sort_by(file_order);
        let Ok(()) = merge_entries(&mut self.interactions, newer.interactions);
        Ok(())
    }
}

/// Merges the newer value into the older one. Objects are merged at all levels; any other value is replaced.
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

/// Adds the newer members. If a member is an object in both, adds the newer object's members to the older object,
/// without merging deeper levels. Any other member is replaced.
fn merge_members(older: &mut Object, newer: Object) {
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

impl AsRef<Self> for Interaction {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl entries::Entry<Self> for Interaction {
    type Conflict = Infallible;

    fn new(newer: Self) -> Self {
        newer
    }

    fn replace(&mut self, mut newer: Self) -> Result<(), Infallible> {
        newer.keep_unknown(self);
        *self = newer;
        Ok(())
    }
}

impl Interaction {
    /// Copies unknown members from an older version of this interaction. Existing members with the same name take
    /// precedence. [`Contract::merge`] calls this method for each interaction that it replaces.
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
                // Unknown members of the contents of an asynchronous message are stored in the interaction.
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

/// True for each kind of value that is unchanged. Unknown members are kept only inside unchanged values.
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

    /// Copies the unknown members that `newer` does not have, except those of changed values.
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
    fn rejects_contracts_of_another_pair() {
        let mut other = contract(Vec::new());
        other.provider = "orders".into();
        let error = contract(Vec::new()).merge(other).unwrap_err();
        assert!(matches!(error, MergeError::Pair { .. }));
        assert_eq!(
            error.to_string(),
            r#"contracts with different consumers or providers cannot be merged: the first is between "web" and "users", the second between "web" and "orders""#
        );
    }

    #[test]
    fn replaces_and_adds_interactions_in_order() {
        let mut old = contract(vec![interaction("c"), interaction("a")]);
        let mut newer = interaction("a");
        newer.pending = true;
        old.merge(contract(vec![interaction("b"), newer])).unwrap();
        assert_eq!(descriptions(&old), ["a", "b", "c"]);
        assert!(old.interactions[0].pending);
    }

    #[test]
    fn interactions_with_different_states_are_different() {
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
    fn interactions_with_equal_keys_are_the_same() {
        let keyed = |description: &str| Interaction {
            key: Some("k".into()),
            ..interaction(description)
        };
        let mut old = contract(vec![keyed("old name"), interaction("new name")]);
        old.merge(contract(vec![keyed("new name")])).unwrap();
        assert_eq!(descriptions(&old), ["new name"]);
    }

    #[test]
    fn merges_many_interactions_like_few() {
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
        // Of several interactions with one key, only the last is kept.
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
    fn merges_plugins_by_name_and_version() {
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
