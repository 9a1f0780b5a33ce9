//! Recognizes contracts that were published before.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::{Content, ContentError};
use crate::names;

/// Maximum number of contracts in a generation. Two generations take about 1 MB, or at most 9 MB if all names are long.
const GENERATION: usize = 2_048;

/// The SHA-256 hash of a document.
type Key = [u8; 32];

/// What [`Content::read`] found out about recently published documents. Most builds publish the same documents as the
/// build before, which then need not be parsed again.
#[derive(Default)]
pub struct KnownContents(Mutex<Generations>);

/// When `recent` is full, it replaces `older`, whose entries are forgotten unless they were used again.
#[derive(Default)]
struct Generations {
    recent: HashMap<Key, Summary>,
    older: HashMap<Key, Summary>,
}

/// The hash of a content, and the names in the document.
type Summary = (String, Names);

/// The names of the applications in a contract.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) consumer: Option<String>,
    pub(super) provider: Option<String>,
}

impl Names {
    /// Returns whether the names are valid in length. A document with longer names cannot be published, and is not
    /// remembered, because it would take too much memory.
    fn are_short(&self) -> bool {
        [&self.consumer, &self.provider]
            .into_iter()
            .flatten()
            .all(|name| name.len() <= names::MAX_LENGTH)
    }
}

impl KnownContents {
    /// Like [`Content::read`], but a document that was read before is only parsed if a method of the result needs it.
    pub fn read(&self, document: Vec<u8>) -> Result<Content, ContentError> {
        let key = Sha256::digest(&document).into();
        let found = self.generations().find(&key);
        if let Some((sha, names)) = found {
            return Ok(Content::known(document, sha, names));
        }
        let content = Content::read(&document)?;
        // The content is probably new. Compress it now, and not in the transaction that stores it, because other writers
        // would wait.
        content.packed();
        if content.names.are_short() {
            self.generations()
                .add(key, (content.sha.clone(), content.names.clone()));
        }
        Ok(content)
    }

    fn generations(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, key: &Key) -> Option<Summary> {
        if let Some(known) = self.recent.get(key) {
            return Some(known.clone());
        }
        let summary = self.older.remove(key)?;
        self.add(*key, summary.clone());
        Some(summary)
    }

    fn add(&mut self, key: Key, summary: Summary) {
        if self.recent.len() >= GENERATION {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, summary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(number: usize) -> Vec<u8> {
        let text = format!(
            r#"{{"consumer":{{"name":"web"}},"provider":{{"name":"users"}},"interactions":[{{"description":"{number}"}}]}}"#
        );
        text.into_bytes()
    }

    fn is_known(known: &KnownContents, number: usize) -> bool {
        let key: Key = Sha256::digest(document(number)).into();
        let generations = known.generations();
        generations.recent.contains_key(&key) || generations.older.contains_key(&key)
    }

    #[test]
    fn a_known_document_has_the_same_content() {
        let known = KnownContents::default();
        let first = known.read(document(1)).expect("a contract");
        let again = known.read(document(1)).expect("a contract");
        assert!(again.document.get().is_none(), "it is not parsed");
        for role in ["consumer", "provider", "other"] {
            assert_eq!(again.name_of(role), first.name_of(role), "{role}");
        }
        assert_eq!(again.sha, first.sha);
        assert_eq!(again.text(), first.text());
        assert_ne!(known.read(document(2)).expect("a contract").sha, first.sha);
    }

    #[test]
    fn a_known_document_can_be_merged() {
        let known = KnownContents::default();
        let merged = |(one, other): (Content, Content)| one.merge(&other).expect("no conflict").sha;
        let read = |number| known.read(document(number)).expect("a contract");
        let expected = merged((read(1), read(2)));
        assert_eq!(merged((read(1), read(2))), expected);
    }

    #[test]
    fn an_invalid_document_is_never_known() {
        let known = KnownContents::default();
        for _ in 0..2 {
            assert!(matches!(known.read(b"{".to_vec()), Err(ContentError::Json(_))));
            assert_eq!(
                known.read(b"[]".to_vec()).expect_err("a list"),
                ContentError::NotAnObject
            );
        }
    }

    #[test]
    fn documents_with_long_names_are_not_remembered() {
        let known = KnownContents::default();
        for length in [names::MAX_LENGTH, names::MAX_LENGTH + 1] {
            let text = format!(r#"{{"consumer":{{"name":"{}"}}}}"#, "x".repeat(length));
            known.read(text.into_bytes()).expect("a contract");
        }
        assert_eq!(known.generations().recent.len(), 1);
    }

    #[test]
    fn forgets_documents_that_are_not_published_again() {
        let known = KnownContents::default();
        for number in 0..=GENERATION * 2 {
            known.read(document(number)).expect("a contract");
            known.read(document(0)).expect("a contract");
        }
        assert!(is_known(&known, 0) && is_known(&known, GENERATION * 2));
        assert!(!is_known(&known, 1));
        let generations = known.generations();
        assert!(generations.recent.len() <= GENERATION && generations.older.len() <= GENERATION);
    }
}
