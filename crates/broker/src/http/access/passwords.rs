//! Checks the passwords of configured accounts and of users in the database.

use std::net::IpAddr;
use std::sync::Arc;

use ring::rand::SystemRandom;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::limits::LoginLimits;
use super::tokens::grants;
use super::{Credentials, Permissions, Refusal};
use contract_broker_api::actor::Actor;
use contract_broker_core::sql::accounts::{self, Account};
use contract_broker_core::store::{Store, StoreError, TxOutcome};
use contract_broker_domain::access::{Grants, Scope};
use contract_broker_domain::{passwords, tokens};

/// Maximum number of passwords that are hashed at the same time. Hashing one takes 19 MiB of memory.
const PARALLEL: usize = 2;

pub(super) struct Passwords {
    /// Users who have logged in successfully, by a hash of their name and password.
    known: Cache<Arc<Actor>>,
    limits: LoginLimits,
    hashing: Semaphore,
    /// A random key that is part of the hashes in `known`, so that weak passwords cannot be guessed from them.
    secret: [u8; 32],
}

impl Passwords {
    pub(super) fn new() -> Result<Self, StoreError> {
        let secret = ring::rand::generate(&SystemRandom::new()).map_err(|_| StoreError::panicked())?;
        Ok(Self {
            known: Cache::default(),
            limits: LoginLimits::new(),
            hashing: Semaphore::new(PARALLEL),
            secret: secret.expose(),
        })
    }

    pub(super) fn clear(&self) {
        self.known.clear();
    }

    /// Checks a user name and a password, first against the configured accounts and then against the database.
    pub(super) async fn check(
        &self,
        permissions: &Permissions,
        store: &Store,
        received: &Credentials,
        address: IpAddr,
    ) -> Result<Arc<Actor>, Refusal> {
        let key = tokens::hash(&format!(
            "{:?}\0{}\0{}",
            self.secret, received.username, received.password
        ));
        let epoch = match self.known.get(&key) {
            Ok(known) => return Ok(Arc::clone(&known)),
            Err(epoch) => epoch,
        };
        let actor = if let Some(actor) = self.configured(permissions, received, address)? {
            actor
        } else {
            let account = self.account(store, received, address).await?;
            Actor::user(&account.name, None, grants(&account.scopes))
        };
        let actor = Arc::new(actor);
        self.known.insert(key, epoch, Arc::new(Arc::clone(&actor)));
        Ok(actor)
    }

    fn configured(
        &self,
        permissions: &Permissions,
        received: &Credentials,
        address: IpAddr,
    ) -> Result<Option<Actor>, Refusal> {
        let users = [
            (&permissions.read_write, Scope::Write),
            (&permissions.read_only, Scope::Read),
        ];
        let users = users
            .into_iter()
            .filter_map(|(known, scope)| Some((known.as_ref()?, scope)));
        let mut is_configured = false;
        for (known, scope) in users {
            if known.username == received.username {
                is_configured = true;
                self.attempt(&received.username, address)?;
                if known.password.as_bytes().ct_eq(received.password.as_bytes()).into() {
                    self.limits.give_back(&received.username, address);
                    return Ok(Some(Actor::user(&known.username, None, Grants::new([scope]))));
                }
            }
        }
        if is_configured {
            Err(wrong(&received.username))
        } else {
            Ok(None)
        }
    }

    /// Checks a user name and a password against the database, and returns the user.
    pub(super) async fn account(
        &self,
        store: &Store,
        received: &Credentials,
        address: IpAddr,
    ) -> Result<Account, Refusal> {
        let Credentials { username, password } = received.clone();
        self.attempt(&username, address)?;
        if password.len() > passwords::MAX_LENGTH {
            return Err(wrong(&username));
        }
        let name = username.clone();
        let account = store
            .read(move |tx| accounts::find(tx, &name).map(TxOutcome::Rollback))
            .await
            .map_err(Refusal::Store)?;
        let _permit = self.hashing.acquire().await;
        let verifying = tokio::task::spawn_blocking(move || {
            let hash = account.as_ref().map(|account| account.password.as_str());
            passwords::verify(&password, hash).then_some(account).flatten()
        });
        let verified = verifying.await.map_err(|_| Refusal::Store(StoreError::panicked()))?;
        let account = verified.ok_or_else(|| wrong(&username))?;
        self.limits.give_back(&username, address);
        Ok(account)
    }

    fn attempt(&self, username: &str, address: IpAddr) -> Result<(), Refusal> {
        // User names are never longer.
        let name: String = username.chars().take(200).collect();
        self.limits.take(&name, address).map_err(|wait| {
            let text = "Too many failed logins. Try again later.";
            Refusal::too_many(text, wait)
        })
    }
}

fn wrong(username: &str) -> Refusal {
    let reason = format!("The password of the user {username:?} is wrong, or the user does not exist.");
    Refusal::with_reason("The user name or the password is wrong.", reason, username)
}
