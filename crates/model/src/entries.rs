//! Merges lists of interactions, or of entries that contain an interaction and other data.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::write::identity_order;
use crate::{Interaction, Json, ProviderState, canonical_text, file_order};

/// An element of a list of interactions: an interaction, or an interaction with other data. `N` is the type of the
/// elements in the newer list.
pub trait Entry<N>: AsRef<Interaction> {
    /// Reason why a newer element cannot replace an existing one.
    type Conflict;

    /// Creates an element for an interaction that is not in the list yet.
    fn new(newer: N) -> Self;
    /// Replaces this entry with a newer one. The two interactions may differ if they have the same key.
    fn replace(&mut self, newer: N) -> Result<(), Self::Conflict>;
}

/// Merges newer entries into a list in [`file_order`] and keeps that order.
///
/// A newer entry replaces the entry with the same interaction ([`Interaction::is_same_as`]). If there is none, it
/// replaces the entry with the same key. An entry that replaces several others takes the place of the first, and the
/// others are removed. If newer entries replace each other, the last one is used.
///
/// Merging one entry takes a binary search and an insertion. Merging many entries takes as long as sorting the list.
pub fn merge_entries<E, N>(entries: &mut Vec<E>, newer: Vec<N>) -> Result<(), E::Conflict>
where
    E: Entry<N>,
    N: AsRef<Interaction>,
{
    let newer = last_of_each(newer);
    let mut removed = HashSet::new();
    let replaced_entries = replaced_entries(entries, &newer, &mut removed);
    let mut added = Vec::new();
    let mut is_sorted = true;
    for (newer, home) in newer.into_iter().zip(replaced_entries) {
        match home {
            Some(at) => {
                entries[at].replace(newer)?;
                is_sorted &= is_in_place(entries, at);
            }
            None => added.push(E::new(newer)),
        }
    }
    if !removed.is_empty() {
        let mut at = 0..;
        entries.retain(|_| at.next().is_none_or(|at| !removed.contains(&at)));
    }
    if let ([_], true) = (added.as_slice(), is_sorted) {
        for entry in added {
            let at = entries.partition_point(|other| order(other, &entry) == Ordering::Less);
            entries.insert(at, entry);
        }
    } else if !(added.is_empty() && is_sorted) {
        entries.append(&mut added);
        entries.sort_by(order);
    }
    Ok(())
}

/// Returns the index of the interaction that is the same as `wanted` ([`Interaction::is_same_as`]) in a list in
/// [`file_order`], or `None` if there is none.
pub fn place_of<E: AsRef<Interaction>>(entries: &[E], interaction: &Interaction) -> Option<usize> {
    places_of(entries, interaction).next()
}

fn order<E: AsRef<Interaction>>(a: &E, b: &E) -> Ordering {
    file_order(a.as_ref(), b.as_ref())
}

fn is_in_place<E: AsRef<Interaction>>(entries: &[E], at: usize) -> bool {
    entries[at.saturating_sub(1)..entries.len().min(at + 2)].is_sorted_by(|a, b| order(a, b).is_le())
}

/// Returns the indexes of the interactions that are the same as `wanted`. They are adjacent, except those that differ
/// only in their full text, which are searched linearly.
fn places_of<E: AsRef<Interaction>>(entries: &[E], interaction: &Interaction) -> impl Iterator<Item = usize> {
    let start = entries.partition_point(|entry| identity_order(entry.as_ref(), interaction) == Ordering::Less);
    let near = entries[start..].iter().enumerate();
    near.take_while(|(_, entry)| identity_order(entry.as_ref(), interaction).is_eq())
        .filter(|(_, entry)| entry.as_ref().is_same_as(interaction))
        .map(move |(at, _)| start + at)
}

/// Returns, for each newer entry, the index of the entry that it replaces, or `None` if it replaces none. Adds the
/// indexes of all other replaced entries to `removed`.
fn replaced_entries<E, N>(entries: &[E], newer: &[N], removed: &mut HashSet<usize>) -> Vec<Option<usize>>
where
    E: AsRef<Interaction>,
    N: AsRef<Interaction>,
{
    let mut full_texts = FullTextIndex::default();
    let mut replaced_entries: Vec<Option<usize>> = Vec::with_capacity(newer.len());
    for newer in newer {
        let interaction = newer.as_ref();
        let mut places = if interaction.kind.only_identity().is_some() {
            full_texts.places_of(entries, interaction)
        } else {
            places_of(entries, interaction).collect()
        }
        .into_iter();
        replaced_entries.push(places.next());
        removed.extend(places);
    }
    let keyed = newer.iter().enumerate();
    let by_key: HashMap<&str, usize> = keyed
        .filter_map(|(at, newer)| Some((newer.as_ref().key.as_deref()?, at)))
        .collect();
    if by_key.is_empty() {
        return replaced_entries;
    }
    let replaced: HashSet<usize> = replaced_entries.iter().flatten().copied().collect();
    for (at, entry) in entries.iter().enumerate() {
        let key = entry.as_ref().key.as_deref();
        let Some(&newer) = key.and_then(|key| by_key.get(key)) else {
            continue;
        };
        if replaced.contains(&at) || removed.contains(&at) {
            continue;
        }
        match &mut replaced_entries[newer] {
            home @ None => *home = Some(at),
            Some(_) => {
                removed.insert(at);
            }
        }
    }
    replaced_entries
}

/// Indexes of the entries that differ only in their full text, by that text. Built on first use.
#[derive(Default)]
struct FullTextIndex(Option<HashMap<String, Vec<usize>>>);

impl FullTextIndex {
    fn places_of<E: AsRef<Interaction>>(&mut self, entries: &[E], interaction: &Interaction) -> Vec<usize> {
        let known = self.0.get_or_insert_with(|| {
            let mut known: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, entry) in entries.iter().enumerate() {
                if entry.as_ref().kind.only_identity().is_some() {
                    known.entry(identity_text(entry.as_ref())).or_default().push(at);
                }
            }
            known
        });
        known.remove(&identity_text(interaction)).unwrap_or_default()
    }
}

/// Removes newer entries that a later one with the same identity or key replaces, because a test run may define an
/// interaction twice.
fn last_of_each<N: AsRef<Interaction>>(mut newer: Vec<N>) -> Vec<N> {
    if newer.len() < 2 {
        return newer;
    }
    let mut identities = HashSet::new();
    let mut keys: HashSet<&str> = HashSet::new();
    let mut kept = vec![true; newer.len()];
    for (newer, kept) in newer.iter().zip(&mut kept).rev() {
        let interaction = newer.as_ref();
        let is_first = identities.insert(identity_text(interaction));
        *kept = interaction.key.as_deref().is_none_or(|key| keys.insert(key)) && is_first;
    }
    let mut kept = kept.into_iter();
    newer.retain(|_| kept.next().unwrap_or(true));
    newer
}

/// Returns a string that is equal for two interactions if and only if [`Interaction::is_same_as`] returns true.
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
