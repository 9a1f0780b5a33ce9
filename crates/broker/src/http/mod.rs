//! The HTTP API. For each request, checks access, parses the request, runs its handler in one transaction, and creates
//! the response.

mod access;
mod base;
mod body;
mod login;
mod media;
mod metrics;

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT, ALLOW, CONNECTION, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, SET_COOKIE, VARY};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use opentelemetry::KeyValue;
use opentelemetry::trace::SpanKind;
use serde_json::json;
use tokio::sync::Notify;

pub(crate) use access::Access;
pub use access::{AddressRange, Credentials, InvalidRange, Permissions, RateLimits};
pub(crate) use base::{prefixes, without_prefix};

use crate::denials::Denials;
use crate::request_id;
use crate::traffic::{Client, Reservation, SMALL_BODY, with_reservation};
use access::{Refusal, Sender};
use body::RequestBody;
use contract_broker_api::action::{Action, Operation, Prepared};
use contract_broker_api::actor::{Actor, ActorKind};
use contract_broker_api::forms::{self, Answer};
use contract_broker_api::live::Live;
use contract_broker_api::pages;
use contract_broker_api::params::PathParams;
use contract_broker_api::reply::{FollowUp, HandlerError, Media, Reply, busy, forbidden, not_found};
use contract_broker_api::request::Request;
use contract_broker_api::routes::{self, Resource};
use contract_broker_api::rule::Rule;
use contract_broker_api::urls::Urls;
use contract_broker_api::visitor::Visitor;
use contract_broker_core::sql::audit::AuditEntry;
use contract_broker_core::store::{Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::access::Grants;
use contract_broker_domain::content::KnownContents;
use contract_broker_domain::query;
use contract_broker_domain::retention::RetentionPolicy;
use contract_broker_domain::rules::Rules;
use contract_broker_remote::log::{Level, Log, LogEntry};
use contract_broker_remote::traces::{Trace, Traces};
use contract_broker_remote::webhooks::{Execution, WebhookSender};
use media::{Accepted, check_content_type, is_form};
pub(crate) use metrics::Metrics;

/// The version of the Pact Broker whose API this broker implements. Clients read it from a response header.
const INTERFACE: &str = "2.120.0";

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) store: Store,
    /// Base URLs of links. If there are several, the first one whose host is that of the request is used, or else the
    /// first one. If empty, the base URL is derived from the request's headers.
    pub(crate) base_urls: Vec<String>,
    pub(crate) access: Access,
    pub(crate) denials: Denials,
    pub(crate) rules: Arc<Rules>,
    /// The log. It adds the ID of the current request to each entry.
    pub(crate) log: Log,
    pub(crate) traces: Option<Traces>,
    /// The name of the database system in traces, such as `postgresql`.
    pub(crate) database: &'static str,
    pub(crate) metrics: Metrics,
    /// Whether the broker itself serves HTTPS, without a proxy.
    pub(crate) is_secure: bool,
    /// Notified when a request has enqueued a background job.
    pub(crate) background_job: Notify,
    /// The retention policy, or `None` if this broker keeps all data.
    pub(crate) retention: Option<Arc<RetentionPolicy>>,
    pub(crate) sender: Arc<WebhookSender>,
    pub(crate) known_contents: Arc<KnownContents>,
    /// Notified when a request has enqueued webhook requests.
    pub(crate) deliveries: Notify,
    pub(crate) live: Live,
}

impl App {
    fn urls(&self, headers: &HeaderMap) -> Urls {
        base::urls(&self.base_urls, self.is_secure, headers)
    }
}

type Incoming = http::Request<Body>;
type Params = Result<RawPathParams, RawPathParamsRejection>;

/// Creates the router for all resources. Only the routing is axum's: authorization, limits, and media types apply to
/// the whole API before a handler runs, so extractors of single handlers would not simplify the code.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for (path, resource) in routes::all() {
        let route = Route {
            path: path.as_str().into(),
            resource,
        };
        if let Some((suffixed, media)) = with_suffix(&path, &resource) {
            let (app, route) = (Arc::clone(app), route.clone());
            let answering = move |params: Params, mut incoming: Incoming| async move {
                let accepted = HeaderValue::from_static(media.names()[0]);
                incoming.headers_mut().insert(ACCEPT, accepted);
                observed(&app, Some(route), params.ok(), incoming).await
            };
            router = router.route(&suffixed, axum::routing::any(answering));
        }
        let app = Arc::clone(app);
        let answering = move |params: Params, incoming: Incoming| async move {
            observed(&app, Some(route), params.ok(), incoming).await
        };
        router = router.route(&path, axum::routing::any(answering));
    }
    let for_metrics = Arc::clone(app);
    let counts = move |incoming: Incoming| async move { show_metrics(&for_metrics, incoming).await };
    router = router.route("/metrics/prometheus", axum::routing::any(counts));
    let app = Arc::clone(app);
    router.fallback(move |incoming: Incoming| async move { observed(&app, None, None, incoming).await })
}

/// Returns the path with a format suffix, such as `/pacticipants.json`, and the media type of this format. Paths that
/// end in a parameter have no suffix, because names can contain dots.
fn with_suffix(path: &str, resource: &Resource) -> Option<(String, Media)> {
    let media = *resource.media.first()?;
    let suffix = match media {
        Media::Hal | Media::Json => ".json",
        Media::Csv => ".csv",
        _ => return None,
    };
    let is_fixed = path.len() > 1 && !path.ends_with('}');
    is_fixed.then(|| (format!("{path}{suffix}"), media))
}

/// Creates the 405 response to a method that the resource does not support. `allowed` is the value of the `Allow`
/// header.
fn no_method(method: &Method, path: &str, accepted: &Accepted, allowed: &str) -> Reply {
    let text = format!("{path} does not support {method}. Supported methods: {allowed}.");
    accepted.error(405, text).with(ALLOW.as_str(), allowed)
}

async fn show_metrics(app: &App, incoming: Incoming) -> Response<Body> {
    let client = client(&incoming);
    let (parts, body) = incoming.into_parts();
    let mut exchange = Exchange::new(app, &parts, "/metrics/prometheus", &client);
    let reply = match base::check_host(parts.version, &parts.headers) {
        Err(refused) => refused,
        Ok(()) => match exchange
            .authenticate(app, &parts, &app.urls(&parts.headers), Rule::Read)
            .await
        {
            Err(refused) => refused,
            Ok(_) if parts.method == Method::GET || parts.method == Method::HEAD => {
                Reply::text(200, Media::Prometheus, app.metrics.to_text())
            }
            Ok(_) => no_method(
                &parts.method,
                parts.uri.path(),
                &Accepted::from_headers(&parts.headers),
                "GET, HEAD",
            ),
        },
    };
    exchange.note_denial(app, &reply);
    response(reply, None, &client, &RequestBody::new(body))
}

/// Returns the client of a request, which `server` has stored in the request's extensions.
fn client(incoming: &Incoming) -> Arc<Client> {
    let client = incoming.extensions().get::<Arc<Client>>();
    Arc::clone(client.expect("every request arrives on a connection with its client"))
}

/// A resource and its path, which contains parameters in braces.
#[derive(Clone)]
struct Route {
    path: Arc<str>,
    resource: Resource,
}

/// Properties of a request that the audit log and traces contain.
struct Exchange {
    actor: Arc<Actor>,
    ip: IpAddr,
    method: String,
    path: String,
    route: String,
    trace: Trace,
}

impl Exchange {
    fn new(app: &App, parts: &Parts, route: &str, client: &Client) -> Self {
        let ip = app.access.address(&parts.headers, client.ip());
        Self {
            actor: Arc::default(),
            trace: trace(app, parts, route, ip),
            ip,
            method: truncated(parts.method.as_str()),
            path: truncated(parts.uri.path()),
            route: route.to_owned(),
        }
    }

    async fn authenticate(&mut self, app: &App, parts: &Parts, urls: &Urls, rule: Rule) -> Result<Arc<Actor>, Reply> {
        let sender = Sender {
            method: &parts.method,
            headers: &parts.headers,
            address: self.ip,
            base: urls.base(),
        };
        match app.access.authenticate(&sender, rule).await {
            Ok(actor) => {
                self.actor = Arc::clone(&actor);
                Ok(actor)
            }
            Err(Refusal::Denied(reply, actor)) => {
                self.actor = actor;
                Err(*reply)
            }
            Err(Refusal::Store(error)) => Err(failed(app, &error)),
            Err(Refusal::Unavailable(text)) => Err(Reply::error(503, text).with("retry-after", "30")),
        }
    }

    /// Sets the user who signs in or out as the request's sender in the audit log.
    fn sign_in(&mut self, name: &str, provider_id: Option<String>) {
        self.actor = Arc::new(Actor::user(name, provider_id, Grants::default()));
    }

    fn entry(&self, status: u16, reason: Option<&str>) -> AuditEntry {
        AuditEntry {
            actor_kind: self.actor.kind.name(),
            actor: truncated(&self.actor.name),
            credential: self.actor.credential.clone(),
            address: self.ip.to_string(),
            method: self.method.clone(),
            path: self.path.clone(),
            route: self.route.clone(),
            status,
            resource: None,
            reason: reason.map(truncated),
        }
    }

    fn note_denial(&self, app: &App, reply: &Reply) {
        if let Some(reason) = &reply.denial {
            app.denials.add(self.entry(reply.status, Some(reason)));
        }
    }
}

/// Starts the trace span of a request.
fn trace(app: &App, parts: &Parts, route: &str, ip: IpAddr) -> Trace {
    let Some(traces) = &app.traces else {
        return Trace::default();
    };
    let method = match parts.method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
        _ => "_OTHER",
    };
    let mut attributes = vec![
        KeyValue::new("http.request.method", method.to_owned()),
        KeyValue::new("url.path", truncated(parts.uri.path())),
        KeyValue::new("client.address", ip.to_string()),
    ];
    let name = if route.is_empty() {
        method.to_owned()
    } else {
        attributes.push(KeyValue::new("http.route", route.to_owned()));
        format!("{method} {route}")
    };
    traces.request(&parts.headers, name, attributes)
}

/// Truncates a string to 2,048 bytes, for the audit log.
fn truncated(text: &str) -> String {
    const MAX: usize = 2_048;
    let end = (0..=MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text[..end.unwrap_or(0)].to_owned()
}

/// Handles a request, and updates the metrics, the log, and the trace.
async fn observed(
    app: &Arc<App>,
    route: Option<Route>,
    params: Option<RawPathParams>,
    incoming: Incoming,
) -> Response<Body> {
    let id = request_id::from_headers(incoming.headers());
    let mut response = request_id::scope(id.clone(), Box::pin(respond(app, route, params, incoming))).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(request_id::HEADER, id);
    }
    response
}

async fn respond(
    app: &Arc<App>,
    route: Option<Route>,
    params: Option<RawPathParams>,
    incoming: Incoming,
) -> Response<Body> {
    let begun = Instant::now();
    let _open = app.metrics.begin();
    let client = client(&incoming);
    let (parts, body) = incoming.into_parts();
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let wanted_page = Accepted::from_headers(&parts.headers).prefers_pages().then(|| {
        let target = parts
            .uri
            .path_and_query()
            .map_or("/", |target| target.as_str())
            .to_owned();
        (parts.headers.clone(), app.urls(&parts.headers), target)
    });
    let accepts_gzip = media::accepts_gzip(&parts.headers);
    let mut body = RequestBody::new(body);
    let mut exchange = Exchange::new(app, &parts, route.as_ref().map_or("", |route| &route.path), &client);
    let trace = exchange.trace.clone();
    let (reply, reservation) = match base::check_host(parts.version, &parts.headers) {
        Err(refused) => (refused, None),
        Ok(()) => match route {
            Some(route) => answer(app, &client, &mut exchange, route.resource, params, parts, &mut body).await,
            None => match exchange
                .authenticate(app, &parts, &app.urls(&parts.headers), Rule::Read)
                .await
            {
                Ok(_) => (not_found(), None),
                Err(refused) => (refused, None),
            },
        },
    };
    exchange.note_denial(app, &reply);
    let reply = match wanted_page {
        Some((headers, urls, target)) if is_error_of_api(&reply) => {
            let visitor = visitor(app, &headers, &urls, Arc::clone(&exchange.actor)).await;
            let shell = visitor.shell(urls.base(), &target, contract_broker_domain::time::now());
            let mut page = pages::error(&shell, reply);
            if !app.access.browsers_ask() {
                page.headers
                    .iter_mut()
                    .filter(|(name, _)| *name == "www-authenticate")
                    .for_each(|(_, challenge)| "Bearer realm=\"Contract Broker\"".clone_into(challenge));
            }
            page
        }
        _ => reply,
    };
    let took = begun.elapsed();
    app.metrics.note(reply.status, took);
    let mut fields = vec![
        ("method", method.to_string()),
        ("path", path),
        ("status", reply.status.to_string()),
        ("milliseconds", format!("{:.1}", took.as_secs_f64() * 1000.0)),
    ];
    fields.extend(trace.id().map(|id| ("trace", id)));
    (app.log)(&LogEntry {
        level: Level::Info,
        message: "request".to_owned(),
        fields,
    });
    let error = (reply.status >= 500).then(|| format!("status {}", reply.status));
    trace.end(Some(reply.status), error);
    let is_page = matches!(reply.media, Some(Media::Html | Media::Css | Media::JavaScript));
    let mut response = response(reply, reservation, &client, &body);
    if is_page && accepts_gzip {
        compress(&mut response).await;
    }
    response
}

/// Compresses the body of a page with gzip.
async fn compress(response: &mut Response<Body>) {
    let body = std::mem::take(response.body_mut());
    // The body is already in memory.
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return;
    };
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    let compressed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    match compressed {
        Ok(compressed) => {
            *response.body_mut() = Body::from(compressed);
            let headers = response.headers_mut();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
        }
        Err(_) => *response.body_mut() = Body::from(bytes),
    }
}

/// Returns true if the reply is an error for API clients, in HAL, JSON, or plain text.
fn is_error_of_api(reply: &Reply) -> bool {
    reply.status >= 400 && matches!(reply.media, Some(Media::Hal | Media::Json | Media::Text))
}

async fn answer(
    app: &Arc<App>,
    client: &Client,
    exchange: &mut Exchange,
    resource: Resource,
    params: Option<RawPathParams>,
    parts: Parts,
    body: &mut RequestBody,
) -> (Reply, Option<Reservation>) {
    match prepared(app, client, exchange, resource, params, parts, body).await {
        Ok(call) => match call.operation {
            Operation::Session(action) => {
                let reply = login::run(app, exchange, action, &call.request, &call.headers).await;
                (reply, None)
            }
            Operation::Transaction(action) => run_within(app, client, action, call, exchange).await,
        },
        Err(reply) => (reply, None),
    }
}

/// A request that has passed all access checks that need neither the body nor the database.
struct Call {
    operation: Operation,
    rule: Rule,
    /// Creates the response to a submitted form. `None` if the request is not a form.
    answer: Option<Answer>,
    reads: bool,
    request: Request,
    headers: HeaderMap,
}

async fn prepared(
    app: &App,
    client: &Client,
    exchange: &mut Exchange,
    resource: Resource,
    params: Option<RawPathParams>,
    parts: Parts,
    body: &mut RequestBody,
) -> Result<Call, Reply> {
    let method = parts.method.clone();
    let urls = app.urls(&parts.headers);
    let endpoint = resource.endpoint(&method);
    let rule = match (endpoint, resource.get) {
        (Some(endpoint), _) => endpoint.rule,
        (None, Some(get)) if method == Method::OPTIONS && get.rule == Rule::Public => Rule::Public,
        _ => Rule::Read,
    };
    let actor = exchange.authenticate(app, &parts, &urls, rule).await?;
    if method == Method::OPTIONS {
        return Err(Reply::empty(200).with("access-control-allow-methods", resource.methods()));
    }
    let path = parts.uri.path();
    let accepted = Accepted::from_headers(&parts.headers);
    let endpoint = endpoint.ok_or_else(|| no_method(&method, path, &accepted, &resource.methods()))?;
    let params = params.ok_or_else(|| Reply::error(400, "The path is not valid UTF-8."))?;
    let params = PathParams::new(&params);
    rule.check_path(&actor.grants, &params)
        .map_err(|denied| forbidden(&denied))?;
    let is_get = matches!(method.as_str(), "GET" | "HEAD");
    // Pages link to the representation for API clients with this parameter.
    let is_raw = parts
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair == "format=json"));
    let page = resource.page.filter(|_| is_get && accepted.prefers_pages() && !is_raw);
    if is_get && page.is_none() && !resource.media.iter().any(|media| accepted.takes(*media)) {
        let forms = resource.media.iter().flat_map(|media| media.names());
        let forms: Vec<&str> = forms.copied().collect();
        let text = format!(
            "{path} is available only as {}. Change the Accept header.",
            forms.join(" or ")
        );
        return Err(accepted.error(406, text));
    }
    let query = query::pairs(parts.uri.query().unwrap_or_default())
        .map_err(|_| Reply::error(400, "The query is not valid UTF-8."))?;
    let body = body.read(client).await?;
    let form = resource
        .form
        .filter(|_| method == Method::POST && is_form(&parts.headers));
    if matches!(method.as_str(), "PUT" | "POST" | "PATCH") && form.is_none() {
        match endpoint.operation {
            Operation::Session(_) => login::check_form(&parts.headers)?,
            Operation::Transaction(_) => check_content_type(&method, path, &parts.headers, &body)?,
        }
    }
    let target = parts
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str())
        .to_owned();
    let is_of_session = matches!(endpoint.operation, Operation::Session(_));
    let visitor = if page.is_some() || form.is_some() || is_of_session {
        visitor(app, &parts.headers, &urls, Arc::clone(&actor)).await
    } else {
        Visitor::default()
    };
    let (body, fields) = match form {
        Some(form) => {
            let (body, fields) = form.read(&body, &parts.headers, urls.base(), &visitor)?;
            (body, Some(fields))
        }
        None => (body, None),
    };
    let request = Request {
        params,
        query,
        target,
        accepts_lines: !accepted.takes(Media::Hal) && accepted.takes(Media::Lines),
        names_hal: accepted.names(Media::Hal),
        accepts_text: !accepted.takes(Media::Hal) && accepted.takes(Media::Text),
        body,
        urls,
        rules: Arc::clone(&app.rules),
        sender: Arc::clone(&app.sender),
        known_contents: Arc::clone(&app.known_contents),
        visitor,
        form: fields,
        retention: app.retention.clone(),
        actor,
        now: contract_broker_domain::time::now(),
    };
    let operation = match page {
        Some(page) => Operation::Transaction(Action::Handle(page)),
        None => endpoint.operation,
    };
    let reads = is_get || (method == Method::POST && resource.post_reads);
    Ok(Call {
        operation,
        rule,
        answer: form.map(|form| form.answer),
        reads,
        request,
        headers: parts.headers,
    })
}

/// Returns the person who views a page. On public pages, which need no credentials, this can still be a signed-in user.
async fn visitor(app: &App, headers: &HeaderMap, urls: &Urls, actor: Arc<Actor>) -> Visitor {
    let is_secure = urls.base().starts_with("https:");
    let actor = app.access.signed_in(headers, is_secure).await.unwrap_or(actor);
    let is_restricted = !app.access.is_open().await.unwrap_or(false);
    let secret = access::secret(headers, is_secure).filter(|_| actor.kind == ActorKind::User);
    let closes = app.access.closes_with_credentials().await;
    Visitor::new(headers, actor, secret.map(access::form_token), (is_restricted, closes))
}

/// How to run a request.
#[derive(Clone, Copy)]
struct Job {
    action: Action,
    rule: Rule,
    answer: Option<Answer>,
}

/// Runs a request, waits for a changed verdict if necessary, and reserves memory for the response.
async fn run_within(
    app: &Arc<App>,
    client: &Client,
    action: Action,
    call: Call,
    exchange: &Exchange,
) -> (Reply, Option<Reservation>) {
    let Call {
        rule,
        answer,
        reads,
        request,
        ..
    } = call;
    let job = Job { action, rule, answer };
    // The status is only known after the work is done.
    let entry = (!reads).then(|| exchange.entry(0, None));
    let repeated = reads.then(|| request.clone());
    let mut reply = run(app, job, &exchange.trace, entry, request).await;
    if let Some(request) = &repeated {
        reply = app
            .live
            .changed(reply, || run(app, job, &exchange.trace, None, request.clone()))
            .await;
    }
    let size = reply.body.len();
    if let Ok(reservation) = client.try_reserve(size) {
        return (reply, reservation);
    }
    let is_written = !reads && reply.status < 400;
    // Free the memory of the response while the request waits for a reservation.
    drop(reply);
    if is_written {
        let reply = busy(
            "The request succeeded, but the broker does not have enough memory for its response. Get the resource to see the result.",
        );
        return (reply, None);
    }
    let no_room = || {
        let reply = busy("The broker does not have enough memory for the response at the moment. Try again later.");
        (reply, None)
    };
    let Some(request) = repeated else {
        return no_room();
    };
    let Ok(reservation) = client.reserve_response(size).await else {
        return no_room();
    };
    let reply = run(app, job, &exchange.trace, None, request).await;
    if reply.body.len() > size {
        return no_room();
    }
    (reply, reservation)
}

/// Runs a request in a transaction. If it is a write, its audit log entry is added in the same transaction.
async fn run(app: &Arc<App>, job: Job, trace: &Trace, entry: Option<AuditEntry>, request: Request) -> Reply {
    let reads = entry.is_none();
    let Job { action, rule, answer } = job;
    if let Action::Respond(respond) = action {
        return respond(&request);
    }
    let shell = answer.map(|_| request.shell());
    let prepared = work(action, answer, request).await.and_then(|(request, prepared)| {
        rule.check_body(&request.actor.grants, prepared.subject.as_deref())?;
        Ok((request, prepared.work))
    });
    let (request, mut work) = match prepared {
        Ok(prepared) => prepared,
        Err(HandlerError::Rejected(reply)) => return *reply,
        Err(HandlerError::Store(error)) => return failed(app, &error),
    };
    let mut work = move |tx: &mut Tx<'_>| {
        rule.check_stored(&request, tx)?;
        let reply = work(&request, tx)?;
        if let Some(entry) = entry.as_ref().filter(|_| reply.status < 400) {
            let entry = AuditEntry {
                status: reply.status,
                resource: reply.resource().map(str::to_owned),
                ..entry.clone()
            };
            contract_broker_core::sql::audit::insert(tx, &entry, 1, request.now)?;
        }
        Ok(reply)
    };
    let work = move |tx: &mut Tx<'_>| match work(tx) {
        Ok(reply) if reply.status < 400 => Ok(TxOutcome::Commit(reply)),
        Ok(reply) => Ok(TxOutcome::Rollback(reply)),
        // The rejected reply is created again if the job is repeated.
        Err(HandlerError::Rejected(reply)) => Ok(TxOutcome::Rollback(*reply)),
        Err(HandlerError::Store(error)) => Err(error),
    };
    let name = if reads { "read transaction" } else { "write transaction" };
    let transaction = trace.child(
        SpanKind::Client,
        name,
        vec![KeyValue::new("db.system.name", app.database)],
    );
    let done = if reads {
        app.store.read(work).await
    } else {
        app.store.write(work).await
    };
    transaction.end(None, done.as_ref().err().map(ToString::to_string));
    let mut reply = done.unwrap_or_else(|error| failed(app, &error));
    if !reads && reply.status < 400 {
        app.live.note_write();
    }
    if let Some(FollowUp::Execute(execution)) = &reply.follow_up {
        reply = execute(app, execution).await;
        if let Some(shell) = &shell {
            reply = pages::tested(shell, reply);
        }
    }
    if reply.enqueues_deliveries {
        app.deliveries.notify_one();
    }
    if reply.enqueues_job {
        app.background_job.notify_one();
    }
    if reply.changes_credentials {
        app.access.credentials_changed();
    }
    reply
}

/// Sends a webhook request as a test, and describes the outcome. Even if it fails, the status is 200, and the body
/// contains `success: false`.
async fn execute(app: &App, execution: &Execution) -> Reply {
    let Ok(_permit) = app.sender.tests.try_acquire() else {
        return busy("The broker is testing other webhooks. Try again later.");
    };
    let conclusion = |success| {
        let text = if success {
            "Successfully executed webhook"
        } else {
            "Webhook execution failed"
        };
        text.to_owned()
    };
    let exchange = app.sender.send(&app.rules.webhooks, execution, conclusion).await;
    let headers = |headers: &[(String, String)]| {
        let headers = headers.iter().map(|(name, value)| (name.clone(), json!(value)));
        serde_json::Value::Object(headers.collect())
    };
    let url = execution.request.url.as_str();
    let url = execution.data.parameters().render_url(url).ok();
    let url = url.and_then(|url| contract_broker_domain::webhook::parse(&url));
    let path = url.map(|url| url.path().to_owned());
    let mut body = json!({
        "request": {
            "headers": headers(&exchange.headers),
            "body": exchange.body,
            "url": execution.request.shown_url(&path.unwrap_or_default()),
        },
        "logs": exchange.log,
        "success": exchange.success,
        "_links": execution.links,
    });
    match &exchange.response {
        Ok(received) => {
            let headers = headers(&received.headers);
            body["response"] = json!({ "status": received.status, "headers": headers, "body": received.body });
        }
        Err(problem) => body["error"] = json!({ "message": problem.to_string() }),
    }
    Reply::ok(&body)
}

/// Parses a request and prepares its work. This happens before the transaction, so that other writers do not have to
/// wait for it.
async fn work(action: Action, answer: Option<Answer>, request: Request) -> Result<(Request, Prepared), HandlerError> {
    let (request, prepared) = match action {
        Action::Respond(respond) => (request, Ok(Prepared::new(move |request, _| Ok(respond(request))))),
        Action::Handle(handler) => (request, Ok(Prepared::new(handler))),
        Action::Prepare(prepare) if request.body.len() <= SMALL_BODY => {
            let prepared = prepare(&request);
            (request, prepared)
        }
        Action::Prepare(prepare) | Action::PrepareSlowly(prepare) => {
            let preparing = tokio::task::spawn_blocking(move || {
                let prepared = prepare(&request);
                (request, prepared)
            });
            preparing.await.map_err(|_| StoreError::panicked())?
        }
    };
    let prepared = match answer {
        None => prepared,
        Some(answer) => forms::answered(answer, prepared),
    };
    Ok((request, prepared?))
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
    (app.log)(&LogEntry {
        level: Level::Error,
        message: text,
        fields,
    });
    if error.is_conflict() || error.is_unreachable() {
        let text = format!("The database is not available at the moment. Try again later (reference {reference}).");
        return Reply::error(503, text).with("retry-after", "1");
    }
    if error.is_full() {
        let text = format!("The broker's disk is full. Nothing was written (reference {reference}).");
        return Reply::error(507, text);
    }
    let message = format!("Internal error. See the broker's log (reference {reference}).");
    Reply::hal(500, &json!({ "error": { "message": message, "reference": reference } }))
}

fn response(reply: Reply, reservation: Option<Reservation>, client: &Client, body: &RequestBody) -> Response<Body> {
    let mut response = Response::new(Body::from(with_reservation(reply.body.into_bytes(), reservation)));
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
        match HeaderValue::from_str(&value) {
            // A response can set multiple cookies.
            Ok(value) if name == "set-cookie" => {
                headers.append(SET_COOKIE, value);
            }
            Ok(value) => {
                headers.insert(HeaderName::from_static(name), value);
            }
            Err(_) => (),
        }
    }
    if !body.is_read() {
        client.leave_body_unread();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
