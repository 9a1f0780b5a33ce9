//! Handlers for API tokens. They require the `admin` scope.

use serde_json::{Value, json};

use super::action::Prepared;
use super::lists;
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, invalid_field, not_found};
use super::request::{Fields, Request};
use super::urls::{Urls, titled};
use contract_broker_core::cases::tokens::{self, TokenRejection, TokenRequest};
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::api_tokens::{self, ApiToken};
use contract_broker_core::store::Tx;
use contract_broker_domain::access::MAX_SCOPES;
use contract_broker_domain::time;

fn url(urls: &Urls, id: &str) -> String {
    urls.at(&format!("/admin/tokens/{id}"))
}

fn body(urls: &Urls, token: &ApiToken) -> Value {
    let mut body = members(token);
    body["_links"] = json!({ "self": titled(&token.label, url(urls, &token.token_id)) });
    body
}

/// Returns the properties of a token without its secret text.
pub fn members(token: &ApiToken) -> Value {
    let scopes: Value = serde_json::from_str(&token.scopes).unwrap_or_default();
    let mut body = json!({
        "id": token.token_id,
        "label": token.label,
        "scopes": scopes,
        "createdBy": token.created_by,
        "createdAt": time::iso(token.created_at),
    });
    let times = [
        ("expiresAt", token.expires_at),
        ("lastUsedAt", token.last_used_at),
        ("revokedAt", token.revoked_at),
    ];
    for (name, at) in times {
        if let Some(at) = at {
            body[name] = time::iso(at).into();
        }
    }
    body
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (tokens, total) = api_tokens::list(tx, page.unwrap_or(UNPAGED))?;
    let bodies: Vec<Value> = tokens.iter().map(|token| body(&rq.urls, token)).collect();
    let mut reply = json!({
        "_embedded": { "tokens": bodies },
        "_links": { "self": titled("API tokens", rq.self_url()) },
    });
    if let Some(page) = page {
        lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(Reply::ok(&body(&rq.urls, &find(rq, tx)?)))
}

fn find(rq: &Request, tx: &mut Tx<'_>) -> Result<ApiToken, HandlerError> {
    Ok(api_tokens::find(tx, rq.param(Param::Token))?.ok_or_else(not_found)?)
}

pub(super) fn prepare_create(rq: &Request) -> Result<Prepared, HandlerError> {
    let request = parse(rq)?;
    Ok(Prepared::new(move |rq, tx| create(rq, tx, &request)))
}

fn parse(rq: &Request) -> Result<TokenRequest, HandlerError> {
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    fields.only(&["label", "scopes", "expiresInDays"]);
    let label = fields.text("label").unwrap_or_default().to_owned();
    let scopes = match sent.get("scopes") {
        Some(Value::Array(list)) if list.len() <= MAX_SCOPES && list.iter().all(Value::is_string) => list
            .iter()
            .filter_map(|scope| Some(scope.as_str()?.to_owned()))
            .collect(),
        _ => {
            fields.error("scopes", format!("must be an array of at most {MAX_SCOPES} strings"));
            Vec::new()
        }
    };
    let days = match sent.get("expiresInDays") {
        None | Some(Value::Null) => None,
        Some(days) => {
            let days = days.as_i64();
            if days.is_none() {
                fields.error("expiresInDays", "must be a whole number of days");
            }
            days
        }
    };
    fields.finish()?;
    Ok(TokenRequest { label, scopes, days })
}

fn create(rq: &Request, tx: &mut Tx<'_>, request: &TokenRequest) -> HandlerResult {
    let (text, token) = tokens::create(tx, request, &rq.actor.describe(), rq.now)
        .map_err(|error| HandlerError::from_case(error, |rejection| rejected(&rejection)))?;
    let mut body = body(&rq.urls, &token);
    // Only this response contains the token.
    body["token"] = text.into();
    Ok(Reply::created(&body, url(&rq.urls, &token.token_id)).with_changed_credentials())
}

fn rejected(rejection: &TokenRejection) -> Reply {
    invalid_field(rejection.field(), rejection.to_string())
}

/// Revokes a token. Revoking it again has no effect.
pub(super) fn revoke(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let token = find(rq, tx)?;
    api_tokens::revoke(tx, &token.token_id, rq.now)?;
    Ok(Reply::empty(204).with_changed_credentials())
}
