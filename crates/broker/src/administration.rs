//! Manages the tokens and users in a database without a running broker, for example to create the first token.

use contract_broker_core::cases::CaseError;
use contract_broker_core::cases::accounts::{self, AccountRejection};
use contract_broker_core::cases::tokens::{self, TokenRejection, TokenRequest};
use contract_broker_core::sql::Page;
use contract_broker_core::sql::api_tokens;
use contract_broker_core::sql::audit::{self, AuditEntry, AuditFilter};
use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::time;
use serde_json::{Value, json};

use contract_broker_api::{audit_entry, token_members};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdministrationError {
    /// The token request has an invalid field.
    #[error("{field}: {rejection}")]
    Token {
        field: &'static str,
        rejection: TokenRejection,
    },
    #[error(transparent)]
    User(#[from] AccountRejection),
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn hashed(password: &str) -> Result<String, AdministrationError> {
    accounts::hash_password(password).map_err(|error| match error {
        CaseError::Rejected(rejection) => rejection.into(),
        CaseError::Store(error) => error.into(),
    })
}

/// A database that is open for administration. Changes are recorded in the audit log, and running brokers apply them
/// within 5 seconds.
pub struct Administration {
    store: Store,
    operator: String,
}

impl Administration {
    /// Opens a database. `operator` is the name to record in the audit log, such as the name of the operating system
    /// user.
    pub async fn open(database: &Database, limits: &Limits, operator: String) -> Result<Self, StoreError> {
        let store = Store::open(database, limits).await?;
        Ok(Self { store, operator })
    }

    pub async fn close(self) {
        self.store.close().await;
    }

    /// Creates a token, and returns its properties. The `token` member contains its secret text, which cannot be
    /// retrieved later.
    pub async fn create_token(&self, request: TokenRequest) -> Result<Value, AdministrationError> {
        let (operator, entry) = (
            self.operator.clone(),
            self.entry("POST", "/admin/tokens".to_owned(), 201),
        );
        let create = move |tx: &mut Tx<'_>| {
            let now = time::now();
            // The environment might not define a user name.
            let creator = if operator.is_empty() {
                "local".to_owned()
            } else {
                format!("local {operator:?}")
            };
            let (text, token) = match tokens::create(tx, &request, &creator, now) {
                Ok(created) => created,
                Err(CaseError::Rejected(rejection)) => return Ok(TxOutcome::Rollback(Err(rejection))),
                Err(CaseError::Store(error)) => return Err(error),
            };
            let entry = AuditEntry {
                resource: Some(format!("/admin/tokens/{}", token.token_id)),
                ..entry.clone()
            };
            audit::insert(tx, &entry, 1, now)?;
            let mut members = token_members(&token);
            members["token"] = text.into();
            Ok(TxOutcome::Commit(Ok(members)))
        };
        self.store
            .write(create)
            .await?
            .map_err(|rejection| AdministrationError::Token {
                field: rejection.field(),
                rejection,
            })
    }

    /// Returns the properties of all tokens, newest first, without their secret texts.
    pub async fn tokens(&self) -> Result<Vec<Value>, AdministrationError> {
        const ALL: Page = Page {
            number: 1,
            size: i64::MAX,
        };
        let tokens = self
            .store
            .read(|tx| api_tokens::list(tx, ALL).map(TxOutcome::Rollback))
            .await?;
        Ok(tokens.0.iter().map(token_members).collect())
    }

    /// Revokes the token with this ID. Returns false if it does not exist.
    pub async fn revoke_token(&self, id: &str) -> Result<bool, AdministrationError> {
        let (id, entry) = (id.to_owned(), self.entry("DELETE", format!("/admin/tokens/{id}"), 204));
        let revoke = move |tx: &mut Tx<'_>| {
            let now = time::now();
            if api_tokens::find(tx, &id)?.is_none() {
                return Ok(TxOutcome::Rollback(false));
            }
            api_tokens::revoke(tx, &id, now)?;
            audit::insert(tx, &entry, 1, now)?;
            Ok(TxOutcome::Commit(true))
        };
        Ok(self.store.write(revoke).await?)
    }

    /// Adds a user who signs in with a password.
    pub async fn add_user(&self, name: &str, password: &str, scopes: Vec<String>) -> Result<(), AdministrationError> {
        let hash = hashed(password)?;
        let name = name.to_owned();
        let entry = AuditEntry {
            resource: Some(format!("/admin/users/{name}")),
            ..self.entry("POST", "/admin/users".to_owned(), 200)
        };
        self.change_user(entry, move |tx| accounts::add(tx, &name, &hash, &scopes, time::now()))
            .await
    }

    /// Changes a user's password, and ends the user's sessions.
    pub async fn set_password(&self, name: &str, password: &str) -> Result<(), AdministrationError> {
        let hash = hashed(password)?;
        let (user, path) = (name.to_owned(), format!("/admin/users/{name}"));
        self.change_user(self.entry("PATCH", path, 200), move |tx| {
            accounts::set_password(tx, &user, &hash)
        })
        .await
    }

    /// Removes a user, and ends the user's sessions.
    pub async fn remove_user(&self, name: &str) -> Result<(), AdministrationError> {
        let (user, path) = (name.to_owned(), format!("/admin/users/{name}"));
        self.change_user(self.entry("DELETE", path, 200), move |tx| {
            accounts::remove(tx, &user, time::now())
        })
        .await
    }

    async fn change_user(
        &self,
        entry: AuditEntry,
        change: impl Fn(&mut Tx<'_>) -> Result<(), CaseError<AccountRejection>> + Send + 'static,
    ) -> Result<(), AdministrationError> {
        let work = move |tx: &mut Tx<'_>| match change(tx) {
            Ok(()) => {
                audit::insert(tx, &entry, 1, time::now())?;
                Ok(TxOutcome::Commit(Ok(())))
            }
            Err(CaseError::Rejected(rejection)) => Ok(TxOutcome::Rollback(Err(rejection))),
            Err(CaseError::Store(error)) => Err(error),
        };
        Ok(self.store.write(work).await??)
    }

    pub async fn users(&self) -> Result<Vec<Value>, AdministrationError> {
        let users = self
            .store
            .read(|tx| contract_broker_core::sql::accounts::list(tx).map(TxOutcome::Rollback))
            .await?;
        let members = users.iter().map(|user| {
            let scopes: Value = serde_json::from_str(&user.scopes).unwrap_or_default();
            json!({ "name": user.name, "scopes": scopes, "createdAt": time::iso(user.created_at) })
        });
        Ok(members.collect())
    }

    /// Returns at most `size` matching entries of the audit log.
    pub async fn audit_entries(&self, filter: AuditFilter, size: i64) -> Result<Vec<Value>, AdministrationError> {
        let entries = self
            .store
            .read(move |tx| audit::list(tx, &filter, size).map(TxOutcome::Rollback))
            .await?;
        Ok(entries.iter().map(audit_entry).collect())
    }

    fn entry(&self, method: &str, path: String, status: u16) -> AuditEntry {
        AuditEntry {
            actor_kind: "local",
            actor: self.operator.clone(),
            credential: None,
            address: String::new(),
            method: method.to_owned(),
            route: path.clone(),
            path,
            status,
            resource: None,
            reason: None,
        }
    }
}
