//! Handlers for users with a password. They require the `admin` scope.

use serde_json::{Value, json};

use super::action::Prepared;
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, invalid_field, not_found};
use super::request::{Fields, Request};
use super::urls::{Urls, titled};
use contract_broker_core::cases::CaseError;
use contract_broker_core::cases::accounts::{self as cases, AccountChange, AccountRejection};
use contract_broker_core::sql::accounts::{self, Account};
use contract_broker_core::store::Tx;
use contract_broker_domain::access::MAX_SCOPES;
use contract_broker_domain::time;

fn url(urls: &Urls, name: &str) -> String {
    urls.at(&format!("/admin/users/{}", super::urls::encode(name)))
}

fn body(urls: &Urls, account: &Account) -> Value {
    let scopes: Value = serde_json::from_str(&account.scopes).unwrap_or_default();
    json!({
        "name": account.name,
        "scopes": scopes,
        "createdAt": time::iso(account.created_at),
        "_links": { "self": titled(&account.name, url(urls, &account.name)) },
    })
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let users: Vec<Value> = accounts::list(tx)?
        .iter()
        .map(|account| body(&rq.urls, account))
        .collect();
    Ok(Reply::ok(&json!({
        "_embedded": { "users": users },
        "_links": { "self": titled("Users", rq.self_url()) },
    })))
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(Reply::ok(&body(&rq.urls, &find(rq, tx)?)))
}

fn find(rq: &Request, tx: &mut Tx<'_>) -> Result<Account, HandlerError> {
    Ok(accounts::find(tx, rq.param(Param::User))?.ok_or_else(not_found)?)
}

/// The properties of a user in a request body.
struct SentUser {
    name: String,
    change: AccountChange,
}

/// Parses the properties of a user, and hashes the password.
fn parse(rq: &Request) -> Result<SentUser, HandlerError> {
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    fields.only(&["name", "password", "scopes"]);
    let name = fields.text("name").unwrap_or_default().to_owned();
    let password = fields.text("password");
    let scopes = match sent.get("scopes") {
        None | Some(Value::Null) => None,
        Some(Value::Array(list)) if list.len() <= MAX_SCOPES && list.iter().all(Value::is_string) => {
            let texts = list.iter().filter_map(|scope| Some(scope.as_str()?.to_owned()));
            Some(texts.collect())
        }
        Some(_) => {
            fields.error("scopes", format!("must be an array of at most {MAX_SCOPES} strings"));
            None
        }
    };
    fields.finish()?;
    let password = password.map(cases::hash_password).transpose().map_err(rejected)?;
    let change = AccountChange { password, scopes };
    Ok(SentUser { name, change })
}

pub(super) fn prepare_create(rq: &Request) -> Result<Prepared, HandlerError> {
    let SentUser { name, change } = parse(rq)?;
    let AccountChange { password, scopes } = change;
    let password = password.ok_or_else(|| invalid_field("password", "is missing"))?;
    let scopes = scopes.ok_or_else(|| invalid_field("scopes", "is missing"))?;
    Ok(Prepared::new(move |rq, tx| {
        cases::add(tx, &name, &password, &scopes, rq.now).map_err(rejected)?;
        let account = accounts::find(tx, &name)?.ok_or_else(not_found)?;
        let location = url(&rq.urls, &account.name);
        Ok(Reply::created(&body(&rq.urls, &account), location).with_changed_credentials())
    }))
}

pub(super) fn prepare_change(rq: &Request) -> Result<Prepared, HandlerError> {
    let SentUser { name, change } = parse(rq)?;
    if !name.is_empty() && name != rq.param(Param::User) {
        return Err(invalid_field("name", "cannot be changed").into());
    }
    Ok(Prepared::new(move |rq, tx| {
        let account = find(rq, tx)?;
        cases::change(tx, &account, &change).map_err(rejected)?;
        Ok(Reply::ok(&body(&rq.urls, &find(rq, tx)?)).with_changed_credentials())
    }))
}

/// Removes a user, and ends the user's sessions.
pub(super) fn remove(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    cases::remove(tx, rq.param(Param::User), rq.now).map_err(rejected)?;
    Ok(Reply::empty(204).with_changed_credentials())
}

fn rejected(error: CaseError<AccountRejection>) -> HandlerError {
    HandlerError::from_case(error, |rejection| match rejection {
        AccountRejection::Name => invalid_field("name", rejection.to_string()),
        AccountRejection::Exists(name) => Reply::error(409, format!("The user {name:?} already exists.")),
        AccountRejection::Unknown(_) => not_found(),
        AccountRejection::Password => invalid_field("password", rejection.to_string()),
        AccountRejection::Scopes(problem) => invalid_field("scopes", problem.to_string()),
    })
}
