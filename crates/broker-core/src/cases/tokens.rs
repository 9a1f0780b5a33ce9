//! Creates and revokes API tokens.

use ring::rand::{SecureRandom, SystemRandom};

use super::CaseError;
use crate::sql::api_tokens::{self, ApiToken};
use crate::store::{StoreError, Tx};
use contract_broker_domain::access::{InvalidScope, MAX_SCOPES, Scope};
use contract_broker_domain::tokens::NewToken;

/// Maximum length of a label, in bytes.
const MAX_LABEL: usize = 200;
const DAY: i64 = 24 * 3_600 * 1_000;
/// Maximum lifetime of a token that expires, in days.
const MAX_DAYS: i64 = 3_650;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRequest {
    pub label: String,
    pub scopes: Vec<String>,
    /// Days until the token expires, or `None` if it does not expire.
    pub days: Option<i64>,
}

/// The invalid property of a new token. The message continues a sentence that starts with the property's name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TokenRejection {
    #[error("must have 1 to {MAX_LABEL} bytes and must not contain control characters")]
    Label,
    #[error("must have at least 1 and at most {MAX_SCOPES} entries")]
    ScopeCount,
    #[error(transparent)]
    Scope(InvalidScope),
    #[error("must be between 1 and {MAX_DAYS}")]
    Days,
}

impl TokenRejection {
    /// Returns the JSON name of the invalid field.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::ScopeCount | Self::Scope(_) => "scopes",
            Self::Days => "expiresInDays",
        }
    }
}

/// Creates a token. Returns the token and its stored properties. The token itself is not stored, only its hash.
pub fn create(
    tx: &mut Tx<'_>,
    request: &TokenRequest,
    created_by: &str,
    now: i64,
) -> Result<(String, ApiToken), CaseError<TokenRejection>> {
    let scopes = check(request).map_err(CaseError::Rejected)?;
    let new = NewToken::generate(random_bytes()?);
    let token = ApiToken {
        token_id: new.id,
        hash: new.hash,
        label: request.label.clone(),
        scopes,
        created_by: created_by.to_owned(),
        created_at: now,
        expires_at: request.days.map(|days| now + days * DAY),
        last_used_at: None,
        revoked_at: None,
    };
    api_tokens::insert(tx, &token)?;
    Ok((new.text, token))
}

fn check(request: &TokenRequest) -> Result<String, TokenRejection> {
    let label = &request.label;
    if label.trim().is_empty() || label.len() > MAX_LABEL || label.chars().any(char::is_control) {
        return Err(TokenRejection::Label);
    }
    if request.days.is_some_and(|days| !(1..=MAX_DAYS).contains(&days)) {
        return Err(TokenRejection::Days);
    }
    check_scopes(&request.scopes)
}

/// Parses scopes, such as `publish:web`, and returns them as a JSON array.
pub(super) fn check_scopes(scopes: &[String]) -> Result<String, TokenRejection> {
    if scopes.is_empty() || scopes.len() > MAX_SCOPES {
        return Err(TokenRejection::ScopeCount);
    }
    let scopes: Result<Vec<Scope>, InvalidScope> = scopes.iter().map(|scope| scope.parse()).collect();
    let scopes = scopes.map_err(TokenRejection::Scope)?;
    Ok(serde_json::Value::from(scopes.iter().map(Scope::to_string).collect::<Vec<_>>()).to_string())
}

/// Returns a function that reads bytes from the operating system's random number generator.
pub(super) fn random_bytes() -> Result<impl FnMut() -> u8, StoreError> {
    let system = SystemRandom::new();
    let mut buffer = [0; 64];
    let mut left = 0;
    // Read the first bytes here, because this function can return an error if the generator does not work.
    system.fill(&mut buffer).map_err(|_| StoreError::panicked())?;
    Ok(move || {
        if left == 0 {
            system
                .fill(&mut buffer)
                .expect("the random generator does not fail after it has worked once");
            left = buffer.len();
        }
        left -= 1;
        buffer[left]
    })
}
