//! The interface: what arrives is checked and taken apart, one transaction answers it, the answer leaves in the field's forms.

mod access;
mod environments;
mod index;
mod lists;
mod matrix;
mod metrics;
mod overview;
mod pacticipants;
mod pacts;
mod publish;
mod reply;
mod request;
mod results;
mod routes;
mod selection;
mod urls;
mod versions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde_json::json;

pub use access::{Credentials, Permissions};

use crate::domain::query;
use crate::log::{Entry, Level, Log};
use crate::store::{Settled, Store, StoreError};
use metrics::Metrics;
use reply::{Failure, Media, Reply, not_found};
use request::Request;
use routes::{Handler, Resource};
use urls::Urls;

/// The largest body that is read, in bytes.
const LARGEST_BODY: usize = 32 * 1024 * 1024;
/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_secs(60);
/// The version of the field's broker whose interface this one speaks; clients look for it.
const INTERFACE: &str = "2.120.0";

/// What all requests share.
pub(crate) struct App {
    pub(crate) store: Store,
    /// What links begin with; of several, the one whose host was asked. None: what was asked.
    pub(crate) base_urls: Vec<String>,
    pub(crate) permissions: Permissions,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    /// Whether requests arrive through TLS.
    pub(crate) is_secure: bool,
}

impl App {
    pub(crate) fn new(
        store: Store,
        base_urls: Vec<String>,
        permissions: Permissions,
        log: Log,
        is_secure: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            base_urls,
            permissions,
            log,
            metrics: Metrics::default(),
            is_secure,
        })
    }
}

type Incoming = http::Request<Body>;
type Params = Result<RawPathParams, RawPathParamsRejection>;

/// The whole interface as one service.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for (path, resource) in routes::all() {
        let app = Arc::clone(app);
        let answering = move |params: Params, incoming: Incoming| async move {
            observed(&app, Some(resource), params.ok(), incoming).await
        };
        router = router.route(&path, axum::routing::any(answering));
    }
    let for_metrics = Arc::clone(app);
    let counts = move |incoming: Incoming| async move { show_metrics(&for_metrics, &incoming) };
    router = router.route("/metrics/prometheus", axum::routing::any(counts));
    let app = Arc::clone(app);
    router.fallback(move |incoming: Incoming| async move { observed(&app, None, None, incoming).await })
}

fn show_metrics(app: &App, incoming: &Incoming) -> Response<Body> {
    let reply = match app.permissions.check(incoming.headers(), true) {
        Err(refused) => refused,
        Ok(()) if incoming.method() == Method::GET || incoming.method() == Method::HEAD => {
            Reply::text(200, Media::Prometheus, app.metrics.to_text())
        }
        Ok(()) => Reply::empty(405).with("allow", "GET"),
    };
    response(reply)
}

/// Answers, and takes note of it.
async fn observed(
    app: &Arc<App>,
    resource: Option<Resource>,
    params: Option<RawPathParams>,
    incoming: Incoming,
) -> Response<Body> {
    let begun = Instant::now();
    let _open = app.metrics.begin();
    let (method, path) = (incoming.method().clone(), incoming.uri().path().to_owned());
    let reply = match resource {
        Some(resource) => answer(app, resource, params, incoming).await,
        None => app
            .permissions
            .check(incoming.headers(), true)
            .err()
            .unwrap_or_else(not_found),
    };
    let took = begun.elapsed();
    app.metrics.note(reply.status, took);
    (app.log)(&Entry {
        level: Level::Info,
        message: "request".to_owned(),
        fields: vec![
            ("method", method.to_string()),
            ("path", path),
            ("status", reply.status.to_string()),
            ("milliseconds", format!("{:.1}", took.as_secs_f64() * 1000.0)),
        ],
    });
    response(reply)
}

async fn answer(app: &Arc<App>, resource: Resource, params: Option<RawPathParams>, incoming: Incoming) -> Reply {
    match prepared(app, resource, params, incoming).await {
        Ok((handler, reads, request)) => run(app, handler, reads, request).await,
        Err(reply) => reply,
    }
}

async fn prepared(
    app: &App,
    resource: Resource,
    params: Option<RawPathParams>,
    incoming: Incoming,
) -> Result<(Handler, bool, Request), Reply> {
    let (parts, body) = incoming.into_parts();
    let method = parts.method;
    let reads = method == Method::GET || method == Method::HEAD || (method == Method::POST && resource.post_reads);
    if !resource.is_diagnostic {
        app.permissions
            .check(&parts.headers, reads || method == Method::OPTIONS)?;
    }
    if method == Method::OPTIONS {
        return Err(Reply::empty(200).with("access-control-allow-methods", resource.methods()));
    }
    let handler = match method.as_str() {
        "GET" | "HEAD" => resource.get,
        "PUT" => resource.put,
        "PATCH" => resource.patch,
        "POST" => resource.post,
        "DELETE" => resource.delete,
        _ => None,
    };
    let handler = handler.ok_or_else(|| Reply::empty(405).with(ALLOW.as_str(), resource.methods()))?;
    let accepted = Accepted::of(&parts.headers);
    let is_get = matches!(method.as_str(), "GET" | "HEAD");
    if is_get && !resource.media.iter().any(|media| accepted.takes(*media)) {
        return Err(Reply::empty(406));
    }
    let names = params.ok_or_else(|| Reply::error(400, "The address is not UTF-8."))?;
    let names = names
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let query = query::pairs(parts.uri.query().unwrap_or_default())
        .map_err(|_| Reply::error(400, "The query is not UTF-8."))?;
    let body = whole(body).await?;
    if matches!(method.as_str(), "PUT" | "POST" | "PATCH") {
        check_content_type(&method, &parts.headers, &body)?;
    }
    let target = parts
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str())
        .to_owned();
    let request = Request {
        names,
        query,
        target,
        accepts_text: !accepted.takes(Media::Hal) && accepted.takes(Media::Text),
        body,
        urls: urls_for(app, &parts.headers),
        now: crate::domain::time::now(),
    };
    Ok((handler, reads, request))
}

async fn run(app: &Arc<App>, handler: Handler, reads: bool, request: Request) -> Reply {
    let work = move |tx: &mut crate::store::Tx<'_>| match handler(&request, tx) {
        Ok(reply) if reply.status < 400 => Ok(Settled::Keep(reply)),
        Ok(reply) => Ok(Settled::Undo(reply)),
        // Replies are made anew when the job runs again.
        Err(Failure::Refused(reply)) => Ok(Settled::Undo(*reply)),
        Err(Failure::Store(error)) => Err(error),
    };
    let done = if reads {
        app.store.read(work).await
    } else {
        app.store.write(work).await
    };
    done.unwrap_or_else(|error| failed(app, &error))
}

fn failed(app: &App, error: &StoreError) -> Reply {
    if error.is_unstorable() {
        return Reply::error(400, format!("Nothing was written: {error}."));
    }
    let reference = format!("{:08x}", fastrand::u32(..));
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    let fields = vec![("reference", reference.clone())];
    (app.log)(&Entry {
        level: Level::Error,
        message: text,
        fields,
    });
    if error.is_conflict() || error.is_unreachable() {
        let text = format!("The database does not answer at this moment; try again (reference {reference}).");
        return Reply::error(503, text).with("retry-after", "1");
    }
    let message = format!("Something failed in the broker; its log has more (reference {reference}).");
    Reply::hal(500, &json!({ "error": { "message": message, "reference": reference } }))
}

async fn whole(body: Body) -> Result<Bytes, Reply> {
    let reading = Limited::new(body, LARGEST_BODY).collect();
    match tokio::time::timeout(BODY_WITHIN, reading).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(Reply::error(
            413,
            format!("The body is larger than {} MiB.", LARGEST_BODY / 1024 / 1024),
        )),
        Ok(Err(_)) => Err(Reply::error(400, "The body broke off.")),
        Err(_) => Err(Reply::error(408, "The body took too long to arrive.")),
    }
}

fn check_content_type(method: &Method, headers: &HeaderMap, body: &Bytes) -> Result<(), Reply> {
    let given = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(essence);
    let is_json = match given.as_deref() {
        Some("application/json" | "application/hal+json") => true,
        Some("application/merge-patch+json") => method == Method::PATCH,
        Some(_) => false,
        None => method == Method::POST && body.is_empty(),
    };
    if is_json { Ok(()) } else { Err(Reply::empty(415)) }
}

fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The media types that an asker takes. None given: any.
struct Accepted(Vec<String>);

impl Accepted {
    fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let all = values.flat_map(|value| value.split(',')).map(essence);
        Self(all.filter(|media| !media.is_empty()).collect())
    }

    fn takes(&self, media: Media) -> bool {
        let is_taken = |name: &str| {
            let family = name.split('/').next().unwrap_or_default();
            self.0.iter().any(|accepted| {
                accepted == name || accepted == "*/*" || accepted == "*" || *accepted == format!("{family}/*")
            })
        };
        self.0.is_empty() || media.names().iter().any(|name| is_taken(name))
    }
}

/// What links begin with: what was configured, or what the asker calls this broker.
fn urls_for(app: &App, headers: &HeaderMap) -> Urls {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?.split(',').next()?.trim();
        Some(value).filter(|value| !value.is_empty())
    };
    let is_host = |host: &str| {
        host.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    let host = text("x-forwarded-host")
        .or_else(|| text("host"))
        .filter(|host| is_host(host))
        .unwrap_or("localhost");
    if let Some(first) = app.base_urls.first() {
        let is_of_host = |url: &&String| {
            url.split("://")
                .nth(1)
                .is_some_and(|rest| rest.split('/').next() == Some(host))
        };
        return Urls::new(app.base_urls.iter().find(is_of_host).unwrap_or(first));
    }
    let secure = match text("x-forwarded-proto").or_else(|| text("x-forwarded-scheme")) {
        Some(scheme) => scheme.eq_ignore_ascii_case("https"),
        None => app.is_secure || text("x-forwarded-ssl") == Some("on"),
    };
    let scheme = if secure { "https" } else { "http" };
    let port = text("x-forwarded-port").filter(|port| {
        let usual = if secure { "443" } else { "80" };
        text("x-forwarded-host").is_some()
            && !host.contains(':')
            && *port != usual
            && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    match port {
        Some(port) => Urls::new(&format!("{scheme}://{host}:{port}")),
        None => Urls::new(&format!("{scheme}://{host}")),
    }
}

fn response(reply: Reply) -> Response<Body> {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let media = reply.media.map(|media| ("content-type", media.header()));
    let always = [
        ("vary", "Accept"),
        ("cache-control", "no-cache"),
        ("x-content-type-options", "nosniff"),
        ("x-pact-broker-version", INTERFACE),
        ("x-contract-broker-version", env!("CARGO_PKG_VERSION")),
    ];
    for (name, value) in always.into_iter().chain(media) {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}
