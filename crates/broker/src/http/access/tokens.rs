//! Checks API tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::cache::Cache;
use contract_broker_api::actor::{Actor, ActorKind};
use contract_broker_core::sql::api_tokens::{self, ApiToken};
use contract_broker_core::store::{Store, StoreError, TxOutcome};
use contract_broker_domain::access::Grants;
use contract_broker_domain::{time, tokens::SentToken};

/// Minimum interval between updates of a token's `last_used_at`, in milliseconds.
const TOUCH_INTERVAL: i64 = 60_000;

/// Recently used tokens, by their IDs.
#[derive(Default)]
pub(super) struct TokenCache(Cache<KnownToken>);

pub(super) struct KnownToken {
    row: ApiToken,
    actor: Arc<Actor>,
    used_at: AtomicI64,
}

pub(super) enum TokenError {
    Invalid(&'static str),
    Ended(String, Arc<Actor>),
    Store(StoreError),
}

impl TokenCache {
    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) async fn check(&self, store: &Store, text: &str) -> Result<Arc<Actor>, TokenError> {
        let incomplete = "The API token is incomplete or mistyped. Copy the whole token.";
        let sent = SentToken::parse(text).ok_or(TokenError::Invalid(incomplete))?;
        let known = self.known(store, sent.id).await.map_err(TokenError::Store)?;
        let known = known.filter(|known| sent.has_hash(&known.row.hash));
        let known = known.ok_or(TokenError::Invalid("The API token is not valid."))?;
        let now = time::now();
        let label = &known.row.label;
        if known.row.revoked_at.is_some() {
            let text = format!("The API token {label:?} was revoked. Create a new one.");
            return Err(TokenError::Ended(text, Arc::clone(&known.actor)));
        }
        if let Some(at) = known.row.expires_at.filter(|at| *at <= now) {
            let text = format!(
                "The API token {label:?} expired at {}. Create a new one.",
                time::iso(at)
            );
            return Err(TokenError::Ended(text, Arc::clone(&known.actor)));
        }
        touch(store, &known, now);
        Ok(Arc::clone(&known.actor))
    }

    async fn known(&self, store: &Store, id: &str) -> Result<Option<Arc<KnownToken>>, StoreError> {
        let epoch = match self.0.get(id) {
            Ok(known) => return Ok(Some(known)),
            Err(epoch) => epoch,
        };
        let name = id.to_owned();
        let row = store
            .read(move |tx| api_tokens::find(tx, &name).map(TxOutcome::Rollback))
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let actor = Actor {
            kind: ActorKind::Token,
            name: row.label.clone(),
            credential: Some(row.token_id.clone()),
            grants: grants(&row.scopes),
        };
        let known = Arc::new(KnownToken {
            actor: Arc::new(actor),
            used_at: AtomicI64::new(row.last_used_at.unwrap_or_default()),
            row,
        });
        self.0.insert(id.to_owned(), epoch, Arc::clone(&known));
        Ok(Some(known))
    }
}

/// Parses a JSON array of scopes. Ignores unknown scopes, which a newer version of the broker may have stored.
pub(super) fn grants(scopes: &str) -> Grants {
    let scopes: Vec<String> = serde_json::from_str(scopes).unwrap_or_default();
    Grants::new(scopes.iter().filter_map(|scope| scope.parse().ok()))
}

/// Updates the token's `last_used_at` in the background, unless it was updated less than [`TOUCH_INTERVAL`] ago.
fn touch(store: &Store, known: &Arc<KnownToken>, now: i64) {
    let before = known.used_at.load(Ordering::Relaxed);
    let is_due = now - before >= TOUCH_INTERVAL;
    // If several requests arrive at the same time, only one of them updates the time.
    let swapped = || {
        known
            .used_at
            .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    };
    if is_due && swapped() {
        let (store, id) = (store.clone(), known.row.token_id.clone());
        tokio::spawn(async move {
            // A failed update is retried when the token is used after the interval.
            let _ = store
                .write(move |tx| api_tokens::touch(tx, &id, now).map(TxOutcome::Commit))
                .await;
        });
    }
}
