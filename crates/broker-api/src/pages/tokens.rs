//! Collects the data for the API tokens page.

use contract_pages::pages::admin::tokens::{CreatedToken, Token, TokenForm, Tokens};
use contract_pages::{Notice, Scopes};
use serde_json::{Value, json};

use super::super::fields::FormFields;
use super::super::problem::Problem;
use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::{names, page, reply, scopes_of, see_other};
use contract_broker_core::sql::{UNPAGED, api_tokens};
use contract_broker_core::store::{StoreError, Tx};

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(page(view(tx)?.page(&rq.shell())))
}

fn view(tx: &mut Tx<'_>) -> Result<Tokens, StoreError> {
    let (found, _) = api_tokens::list(tx, UNPAGED)?;
    let tokens = found.into_iter().map(|token| Token {
        scopes: names(&token.scopes),
        id: token.token_id,
        label: token.label,
        created_by: token.created_by,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
        is_revoked: token.revoked_at.is_some(),
    });
    Ok(Tokens {
        tokens: tokens.collect(),
        form: TokenForm::default(),
        notice: None,
        created: None,
    })
}

/// Converts the form for a new token to the body of the API request.
pub(crate) fn sent(fields: &FormFields) -> Value {
    let days = match fields.text("expires") {
        "" => Value::Null,
        text => text.parse().map_or_else(|_| text.into(), |days: i64| days.into()),
    };
    json!({ "label": fields.text("label"), "scopes": scopes_of(fields).to_texts(), "expiresInDays": days })
}

/// Shows the page with the new token's secret text, or with the errors in the form.
pub(crate) fn created(rq: &Request, tx: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    let mut view = view(tx)?;
    let fields = rq.form_fields();
    match result {
        Ok(body) => {
            view.created = Some(CreatedToken {
                label: fields.text("label").to_owned(),
                text: body["token"].as_str().unwrap_or_default().to_owned(),
            });
            Ok(page(view.page(&rq.shell())))
        }
        Err(problem) => {
            view.form = TokenForm {
                label: fields.text("label").to_owned(),
                expires: Some(fields.text("expires").to_owned()),
                scopes: Scopes::new(&scopes_of(&fields).to_texts()),
            };
            view.notice = Some(Notice::Rejected(problem.details.clone()));
            Ok(reply(problem.status, view.page(&rq.shell())))
        }
    }
}

pub(crate) fn revoked(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, "/admin/tokens"))
}
