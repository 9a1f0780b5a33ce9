//! The sign-in page, and the sessions of users. It works without scripts.

use std::sync::Arc;

use http::HeaderMap;

use super::access::{Credentials, Refusal, SESSION_HOURS, form_token, is_same_origin, secret, set_cookie};
use super::action::SessionAction;
use super::html::{escape, page};
use super::reply::{Media, Reply};
use super::request::Request;
use super::{App, Exchange, failed};
use contract_broker_core::cases::accounts as cases;
use contract_broker_core::domain::{query, time, tokens};
use contract_broker_core::sql::{accounts, audit};
use contract_broker_core::store::{Tx, TxOutcome};

const HOUR: i64 = 3_600 * 1_000;

pub(super) async fn run(
    app: &Arc<App>,
    exchange: &mut Exchange,
    action: SessionAction,
    rq: &Request,
    headers: &HeaderMap,
) -> Reply {
    let is_secure = rq.urls.base().starts_with("https:");
    let form = match action {
        SessionAction::Show => return show(app, rq, headers, is_secure).await,
        SessionAction::SignIn | SessionAction::SignOut => match std::str::from_utf8(&rq.body).map(query::pairs) {
            Ok(Ok(form)) => form,
            _ => return Reply::error(400, "The form is not valid UTF-8."),
        },
    };
    if is_same_origin(headers, rq.urls.base()) != Some(true) {
        return Reply::denied(403, "The form was sent from a page of another site.");
    }
    match action {
        SessionAction::SignOut => sign_out(app, exchange, rq, &form, headers).await,
        _ => sign_in(app, exchange, rq, &form, is_secure).await,
    }
}

async fn show(app: &App, rq: &Request, headers: &HeaderMap, is_secure: bool) -> Reply {
    let base = rq.urls.base();
    let next = local_path(rq.query_value("next"));
    match (
        secret(headers, is_secure),
        app.access.signed_in(headers, is_secure).await,
    ) {
        (Some(secret), Some(actor)) => {
            let body = format!(
                "<h1>Signed in</h1><p>You are signed in as <strong>{}</strong>.</p>\
                 <form method=\"post\" action=\"{}/logout\"><input type=\"hidden\" name=\"token\" value=\"{}\">\
                 <button>Sign out</button></form>",
                escape(&actor.name),
                escape(base),
                form_token(secret),
            );
            page(200, "Signed in", &body)
        }
        _ => sign_in_page(base, 200, "", next, ""),
    }
}

fn sign_in_page(base: &str, status: u16, username: &str, next: &str, problem: &str) -> Reply {
    let problem = if problem.is_empty() {
        String::new()
    } else {
        format!("<p class=\"problem\" role=\"alert\">{}</p>", escape(problem))
    };
    let body = format!(
        "<h1>Sign in</h1>{problem}<form method=\"post\" action=\"{base}/login\">\
         <input type=\"hidden\" name=\"next\" value=\"{next}\">\
         <label for=\"username\">User name</label>\
         <input id=\"username\" name=\"username\" value=\"{username}\" autocomplete=\"username\" required autofocus>\
         <label for=\"password\">Password</label>\
         <input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"current-password\" required>\
         <button>Sign in</button></form>",
        base = escape(base),
        next = escape(next),
        username = escape(username),
    );
    page(status, "Sign in", &body)
}

async fn sign_in(
    app: &Arc<App>,
    exchange: &mut Exchange,
    rq: &Request,
    form: &[(String, String)],
    is_secure: bool,
) -> Reply {
    let field = |name: &str| query::value(form, name).unwrap_or_default().to_owned();
    let (username, next) = (field("username"), field("next"));
    let next = local_path(Some(&next));
    let received = Credentials {
        username: username.clone(),
        password: field("password"),
    };
    let refused = |status, problem: &str| sign_in_page(rq.urls.base(), status, &username, next, problem);
    let account = match app.access.sign_in(&received, exchange.ip).await {
        Ok(account) => account,
        Err(Refusal::Store(error)) => return failed(app, &error),
        Err(Refusal::Unavailable(text)) => return refused(503, &text),
        Err(Refusal::Denied(denied, _)) => {
            let problem = if denied.status == 429 {
                "Too many failed logins. Try again later."
            } else {
                "The user name or the password is wrong."
            };
            let mut reply = refused(denied.status, problem);
            let retry_after = denied.headers.into_iter().filter(|(name, _)| *name == "retry-after");
            reply.headers.extend(retry_after);
            reply.denial = denied.denial;
            return reply;
        }
    };
    exchange.sign_in(&account.name);
    let entry = exchange.entry(303, None);
    let start = move |tx: &mut Tx<'_>| {
        let now = time::now();
        let Some(secret) = cases::start_session(tx, &account, now, now + SESSION_HOURS * HOUR)? else {
            return Ok(TxOutcome::Rollback(None));
        };
        audit::insert(tx, &entry, 1, now)?;
        Ok(TxOutcome::Commit(Some(secret)))
    };
    match app.store.write(start).await {
        Ok(Some(secret)) => Reply::empty(303)
            .with("location", format!("{}{next}", rq.urls.base()))
            .with("set-cookie", set_cookie(Some(&secret), is_secure)),
        Ok(None) => refused(401, "The user has changed. Try again."),
        Err(error) => failed(app, &error),
    }
}

async fn sign_out(
    app: &Arc<App>,
    exchange: &mut Exchange,
    rq: &Request,
    form: &[(String, String)],
    headers: &HeaderMap,
) -> Reply {
    let is_secure = rq.urls.base().starts_with("https:");
    if let Some(secret) = secret(headers, is_secure) {
        if query::value(form, "token") != Some(form_token(secret).as_str()) {
            return Reply::denied(403, "The form has expired. Open the page again.");
        }
        if let Some(actor) = app.access.signed_in(headers, is_secure).await {
            exchange.sign_in(&actor.name);
        }
        let (hash, entry) = (tokens::hash(secret), exchange.entry(303, None));
        let end = move |tx: &mut Tx<'_>| {
            accounts::end_session(tx, &hash)?;
            audit::insert(tx, &entry, 1, time::now())?;
            Ok(TxOutcome::Commit(()))
        };
        if let Err(error) = app.store.write(end).await {
            return failed(app, &error);
        }
        app.access.credentials_changed();
    }
    Reply::empty(303)
        .with("location", rq.urls.at("/login"))
        .with("set-cookie", set_cookie(None, is_secure))
}

/// Returns the path if it is a path of this broker, so that a redirect cannot lead to another site.
fn local_path(path: Option<&str>) -> &str {
    let is_local = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    path.filter(is_local).unwrap_or("/")
}

/// Returns whether a request body is a form.
pub(super) fn check_form(headers: &HeaderMap) -> Result<(), Reply> {
    let media = headers.get("content-type").and_then(|value| value.to_str().ok());
    let essence = media.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        Ok(())
    } else {
        let text = "Send the form with the content type application/x-www-form-urlencoded.";
        Err(Reply::text(415, Media::Text, text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_broker() {
        for (path, expected) in [
            ("/pacticipants?q=a", "/pacticipants?q=a"),
            ("//evil.example.com", "/"),
            ("/\\evil.example.com", "/"),
            ("https://evil.example.com", "/"),
            ("/a\r\nset-cookie: b", "/"),
            ("", "/"),
        ] {
            assert_eq!(local_path(Some(path)), expected, "{path:?}");
        }
    }
}
