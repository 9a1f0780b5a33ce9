//! The sign-in page, and users' sessions. The page works without scripts.

mod provider;

use std::sync::Arc;

use http::HeaderMap;

use super::access::{Cookie, Credentials, Refusal, SESSION_HOURS, form_token, secret};
use super::media::is_form;
use super::{App, Exchange, failed};
use contract_broker_api::action::SessionAction;
use contract_broker_api::forms::check_origin;
use contract_broker_api::pages::reply;
use contract_broker_api::reply::{Media, Reply};
use contract_broker_api::request::Request;
use contract_broker_api::visitor::theme_cookie;
use contract_broker_core::cases::accounts as cases;
use contract_broker_core::sql::{accounts, audit};
use contract_broker_core::store::{Tx, TxOutcome};
use contract_broker_domain::{query, time, tokens};
use contract_broker_remote::identity::Login;
use contract_pages::Theme;
use contract_pages::pages::sign_in::{self as view, SignIn};

const HOUR: i64 = 3_600 * 1_000;
const SESSION: Cookie = Cookie::Session { hours: SESSION_HOURS };

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
        SessionAction::StartAtProvider => return provider::start(app, rq, is_secure).await,
        SessionAction::FinishAtProvider => return provider::finish(app, exchange, rq, headers).await,
        SessionAction::SignIn | SessionAction::SignOut | SessionAction::SetTheme => {
            match std::str::from_utf8(&rq.body).map(query::pairs) {
                Ok(Ok(form)) => form,
                _ => return Reply::error(400, "The form is not valid UTF-8."),
            }
        }
    };
    if let Err(refused) = check_origin(headers, rq.urls.base()) {
        return refused;
    }
    match action {
        SessionAction::SetTheme => set_theme(rq, &form),
        SessionAction::SignOut => sign_out(app, exchange, rq, &form, headers).await,
        _ => sign_in(app, exchange, rq, &form, is_secure).await,
    }
}

async fn show(app: &App, rq: &Request, headers: &HeaderMap, is_secure: bool) -> Reply {
    let next = local_path(rq.query_value("next"));
    match app.access.signed_in(headers, is_secure).await {
        Some(actor) => reply(200, view::signed_in(&rq.shell(), &actor.name)),
        None => {
            SignInPage {
                next,
                ..SignInPage::default()
            }
            .show(app, rq)
            .await
        }
    }
}

#[derive(Clone, Copy)]
struct SignInPage<'a> {
    status: u16,
    username: &'a str,
    /// The path to open after signing in, such as `/matrix`.
    next: &'a str,
    problem: &'a str,
}

impl Default for SignInPage<'_> {
    fn default() -> Self {
        Self {
            status: 200,
            username: "",
            next: "/",
            problem: "",
        }
    }
}

impl SignInPage<'_> {
    async fn show(self, app: &App, rq: &Request) -> Reply {
        let login = app.access.login();
        // Most brokers with an identity provider have no users with passwords.
        let has_users = match login {
            None => true,
            Some(_) => match app
                .store
                .read(|tx| Ok(TxOutcome::Rollback(!accounts::list(tx)?.is_empty())))
                .await
            {
                Ok(has_users) => has_users,
                Err(error) => return failed(app, &error),
            },
        };
        let view = SignIn {
            username: self.username,
            next: self.next,
            problem: self.problem,
            provider: login.map(Login::name),
            has_users,
        };
        reply(self.status, view.page(&rq.shell()))
    }
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
    let sign_in_page = SignInPage {
        username: &username,
        next,
        ..SignInPage::default()
    };
    let refused = async |status, problem: &str| {
        SignInPage {
            status,
            problem,
            ..sign_in_page
        }
        .show(app, rq)
        .await
    };
    let account = match app.access.sign_in(&received, exchange.ip).await {
        Ok(account) => account,
        Err(Refusal::Store(error)) => return failed(app, &error),
        Err(Refusal::Unavailable(text)) => return refused(503, &text).await,
        Err(Refusal::Denied(denied, _)) => {
            let problem = if denied.status == 429 {
                "Too many failed logins. Try again later."
            } else {
                "The user name or the password is wrong."
            };
            let mut reply = refused(denied.status, problem).await;
            let retry_after = denied.headers.into_iter().filter(|(name, _)| *name == "retry-after");
            reply.headers.extend(retry_after);
            reply.denial = denied.denial;
            return reply;
        }
    };
    exchange.sign_in(&account.name, None);
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
            .with("set-cookie", SESSION.header(Some(&secret), is_secure)),
        Ok(None) => refused(401, "The user was changed during the sign-in. Try again.").await,
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
            exchange.sign_in(&actor.name, actor.credential.clone());
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
        .with("set-cookie", SESSION.header(None, is_secure))
}

fn set_theme(rq: &Request, form: &[(String, String)]) -> Reply {
    let theme = query::value(form, "theme").and_then(Theme::parse).unwrap_or_default();
    let next = local_path(query::value(form, "next"));
    Reply::empty(303)
        .with("location", format!("{}{next}", rq.urls.base()))
        .with("set-cookie", theme_cookie(theme))
}

/// Returns `path` if it is a path on this broker, and `/` otherwise, so that a redirect cannot lead to another site.
fn local_path(path: Option<&str>) -> &str {
    let is_local = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    path.filter(is_local).unwrap_or("/")
}

/// Returns an error response with status 415 unless the request body is a form.
pub(super) fn check_form(headers: &HeaderMap) -> Result<(), Reply> {
    if is_form(headers) {
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
