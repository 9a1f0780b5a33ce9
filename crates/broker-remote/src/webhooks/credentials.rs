//! The credentials of a webhook request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker_domain::webhook::{Parameters, TooLong, WebhookRequest};

/// Returns the encoded user name and password for basic authentication. Returns `None` if the webhook has no user name.
pub(super) fn basic(request: &WebhookRequest, parameters: &Parameters) -> Result<Option<String>, TooLong> {
    let Some(username) = request.username.as_deref().filter(|username| !username.is_empty()) else {
        return Ok(None);
    };
    let password = request.password.as_deref().unwrap_or_default();
    let (username, password) = (parameters.render_text(username)?, parameters.render_text(password)?);
    Ok(Some(STANDARD.encode(format!("{username}:{password}"))))
}
