//! Sign-in with an `OpenID` provider. The state of an unfinished sign-in is in a cookie, so that any process of the
//! broker can finish it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract_broker_core::cases::accounts as cases;
use contract_broker_core::sql::accounts::ProviderUser;
use contract_broker_core::sql::audit;
use contract_broker_core::store::{Tx, TxOutcome};
use contract_broker_domain::time;
use http::HeaderMap;
use subtle::ConstantTimeEq as _;

use super::super::access::Cookie;
use super::super::{App, Exchange, failed};
use super::{HOUR, SignInPage, local_path};
use contract_broker_api::reply::Reply;
use contract_broker_api::request::Request;
use contract_broker_remote::identity::{Login, LoginError, Person, state};
use contract_broker_remote::log::{Level, LogEntry};

/// Maximum length of the path to open after signing in, in bytes. If it is longer, `/` is opened.
const MAX_NEXT: usize = 2_048;
const CALLBACK: &str = "/login/callback";

fn not_configured() -> Reply {
    Reply::error(404, "No identity provider is configured for this broker.")
}

/// Starts a sign-in: redirects the browser to the provider.
pub(super) async fn start(app: &App, rq: &Request, is_secure: bool) -> Reply {
    let Some(login) = app.access.login() else {
        return not_configured();
    };
    let next = local_path(rq.query_value("next").filter(|next| next.len() <= MAX_NEXT));
    let secret = match cases::session_secret() {
        Ok(secret) => secret,
        Err(error) => return failed(app, &error),
    };
    match login.begin(&rq.urls.at(CALLBACK), &secret).await {
        Ok(location) => {
            let cookie = format!("{secret}.{}", URL_SAFE_NO_PAD.encode(next));
            Reply::empty(303)
                .with("location", location)
                .with("set-cookie", Cookie::SignIn.header(Some(&cookie), is_secure))
                .with("cache-control", "no-store")
        }
        Err(error) => {
            note(app, login, &error);
            failure_page(app, rq, login, next, error.status(), &error.to_string()).await
        }
    }
}

/// Finishes a sign-in after the provider has redirected the browser back: starts a session.
pub(super) async fn finish(app: &Arc<App>, exchange: &mut Exchange, rq: &Request, headers: &HeaderMap) -> Reply {
    let Some(login) = app.access.login() else {
        return not_configured();
    };
    let is_secure = rq.urls.base().starts_with("https:");
    let Some((secret, next)) = Cookie::SignIn.value(headers, is_secure).and_then(parse_cookie) else {
        let problem = "the sign-in took too long, or the browser does not accept cookies. Try again.";
        return failure_page(app, rq, login, "/", 400, problem).await;
    };
    let next = local_path(Some(&next));
    let query = |name: &str| rq.query_value(name);
    let is_state = query("state").is_some_and(|sent| sent.as_bytes().ct_eq(state(&secret).as_bytes()).into());
    if !is_state || !login.is_issuer(query("iss")) {
        let problem = "the provider's response belongs to another sign-in. Try again.";
        return failure_page(app, rq, login, next, 400, problem).await;
    }
    let result = match (query("code"), query("error")) {
        (_, Some(error)) => Err(LoginError::Rejected(error.chars().take(100).collect())),
        (Some(code), None) => login.finish(&rq.urls.at(CALLBACK), code, &secret).await,
        (None, None) => Err(LoginError::Rejected("no code".to_owned())),
    };
    match result {
        Ok(person) => start_session(app, exchange, rq, login, person, next).await,
        Err(error) => {
            note(app, login, &error);
            let mut reply = failure_page(app, rq, login, next, error.status(), &error.to_string()).await;
            reply.denial = Some(error.details().into());
            reply.with("set-cookie", Cookie::SignIn.header(None, is_secure))
        }
    }
}

async fn start_session(
    app: &Arc<App>,
    exchange: &mut Exchange,
    rq: &Request,
    login: &Login,
    person: Person,
    next: &str,
) -> Reply {
    exchange.sign_in(&person.name, Some(person.id.clone()));
    let entry = exchange.entry(303, None);
    let hours = login.session_hours();
    let scopes: Vec<String> = person.grants.scopes().iter().map(ToString::to_string).collect();
    let user = ProviderUser {
        name: person.name,
        provider_id: person.id,
        scopes: serde_json::Value::from(scopes).to_string(),
    };
    let start = move |tx: &mut Tx<'_>| {
        let now = time::now();
        let secret = cases::start_provider_session(tx, &user, now, now + hours * HOUR)?;
        audit::insert(tx, &entry, 1, now)?;
        Ok(TxOutcome::Commit(secret))
    };
    let is_secure = rq.urls.base().starts_with("https:");
    match app.store.write(start).await {
        Ok(secret) => Reply::empty(303)
            .with("location", rq.urls.at(next))
            .with("set-cookie", Cookie::Session { hours }.header(Some(&secret), is_secure))
            .with("set-cookie", Cookie::SignIn.header(None, is_secure))
            .with("cache-control", "no-store"),
        Err(error) => failed(app, &error),
    }
}

/// Splits the sign-in cookie into the secret and the path to open after signing in. Returns `None` if it is malformed.
fn parse_cookie(value: &str) -> Option<(String, String)> {
    let (secret, next) = value.split_once('.')?;
    let next = String::from_utf8(URL_SAFE_NO_PAD.decode(next).ok()?).ok()?;
    Some((secret.to_owned(), next))
}

async fn failure_page(app: &App, rq: &Request, login: &Login, next: &str, status: u16, problem: &str) -> Reply {
    let problem = format!("Could not sign in with {}: {problem}", login.name());
    let page = SignInPage {
        status,
        next,
        problem: &problem,
        ..SignInPage::default()
    };
    page.show(app, rq).await
}

fn note(app: &App, login: &Login, error: &LoginError) {
    let level = if error.status() >= 500 {
        Level::Error
    } else {
        Level::Info
    };
    (app.log)(&LogEntry {
        level,
        message: format!("could not sign in with an identity provider: {}", error.details()),
        fields: vec![("provider", login.name().to_owned())],
    });
}
