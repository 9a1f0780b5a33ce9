//! Collects the data for the pages that manage users with a password.

use contract_pages::Notice;
use contract_pages::Scopes;
use contract_pages::pages::admin::users::{Account, UserChange, UserForm, Users};
use serde_json::{Value, json};

use super::super::fields::FormFields;
use super::super::params::Param;
use super::super::problem::Problem;
use super::super::reply::{HandlerResult, not_found};
use super::super::request::Request;
use super::{names, page, reply, scopes_of, see_other};
use contract_broker_core::sql::accounts;
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::passwords::MIN_LENGTH;

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(page(view(tx)?.page(&rq.shell())))
}

fn view(tx: &mut Tx<'_>) -> Result<Users, StoreError> {
    let accounts = accounts::list(tx)?.into_iter().map(|account| Account {
        scopes: names(&account.scopes),
        name: account.name,
        created_at: account.created_at,
    });
    Ok(Users {
        accounts: accounts.collect(),
        form: UserForm::default(),
        notice: None,
        min_password: MIN_LENGTH,
    })
}

/// Converts the form for a new user to the body of the API request.
pub(crate) fn sent(fields: &FormFields) -> Value {
    json!({
        "name": fields.text("name"),
        "password": fields.exact("password"),
        "scopes": scopes_of(fields).to_texts(),
    })
}

pub(crate) fn added(rq: &Request, tx: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    let Err(problem) = result else {
        return Ok(see_other(rq, "/admin/users"));
    };
    let fields = rq.form_fields();
    let view = Users {
        form: UserForm {
            name: fields.text("name").to_owned(),
            scopes: scopes_of(&fields),
        },
        notice: Some(Notice::Rejected(problem.details.clone())),
        ..view(tx)?
    };
    Ok(reply(problem.status, view.page(&rq.shell())))
}

/// Returns the page with the forms for changing a user.
pub(crate) fn edit(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let view = change(rq, tx)?.ok_or_else(not_found)?;
    Ok(page(view.page(&rq.shell())))
}

fn change(rq: &Request, tx: &mut Tx<'_>) -> Result<Option<UserChange>, StoreError> {
    let found = accounts::find(tx, rq.param(Param::User))?;
    Ok(found.map(|account| UserChange {
        scopes: Scopes::new(&names(&account.scopes)),
        name: account.name,
        notice: None,
        min_password: MIN_LENGTH,
    }))
}

/// Converts a form for changing a user to the body of the API request. There are two: one for the password and one for
/// the scopes.
pub(crate) fn sent_change(fields: &FormFields) -> Value {
    if fields.has("part", "password") {
        json!({ "password": fields.exact("password") })
    } else {
        json!({ "scopes": scopes_of(fields).to_texts() })
    }
}

pub(crate) fn changed(rq: &Request, tx: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    let fields = rq.form_fields();
    let is_password = fields.has("part", "password");
    let mut view = change(rq, tx)?.ok_or_else(not_found)?;
    match result {
        Ok(_) => {
            let text = if is_password {
                "The password was changed, and the user was signed out everywhere."
            } else {
                "The scopes were changed."
            };
            view.notice = Some(Notice::Done(text.to_owned()));
            Ok(page(view.page(&rq.shell())))
        }
        Err(problem) => {
            if !is_password {
                view.scopes = scopes_of(&fields);
            }
            view.notice = Some(Notice::Rejected(problem.details.clone()));
            Ok(reply(problem.status, view.page(&rq.shell())))
        }
    }
}

pub(crate) fn removed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, "/admin/users"))
}
