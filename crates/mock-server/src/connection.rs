//! Serves a single connection.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract_report::ServerProblem;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper::{Request, Version};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::activity::{Activity, IDLE, Watch, Watched};
use crate::exchange::{Answered, Exchange};
use crate::header_case::Recased;
use crate::intake::HeaderDecoder;
use crate::options::HEADERS;
use crate::stream::Stream;

/// Maximum time to wait for a connection without a request to close when the server stops.
const FAREWELL: Duration = Duration::from_millis(20);

/// Serves a connection until it ends, a timeout expires, or the server stops. Returns true if the client closed the
/// connection without sending a request.
pub(crate) async fn serve(stream: Stream, exchange: Arc<Exchange>, mut stop: watch::Receiver<bool>) -> bool {
    let activity = Arc::new(Activity::default());
    let streams = Streams::default();
    let builder = builder(&exchange, streams.clone());
    let service = {
        let (exchange, activity) = (Arc::clone(&exchange), Arc::clone(&activity));
        let decoder = HeaderDecoder::default();
        service_fn(move |request: Request<Incoming>| {
            let in_flight = activity.begin(request.version() == Version::HTTP_2);
            let response = exchange.answer(request, &decoder);
            async move {
                let reply = match response {
                    Answered::Now(reply) => reply,
                    Answered::Later(reply) => reply.await,
                };
                drop(in_flight);
                Ok::<_, Infallible>(reply)
            }
        })
    };
    let stream = Recased::new(stream, exchange.header_case.clone());
    let io = TokioIo::new(Watched::new(stream, Arc::clone(&activity)));
    let mut connection = pin!(builder.serve_connection(io, service));

    let mut watch = Watch::new(Arc::clone(&activity), &exchange.limits);
    let mut ticks = interval_at(Instant::now() + watch.period, watch.period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut left = false;
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    note(&exchange, &activity, &*error);
                }
                left = !activity.has_begun();
                break;
            }
            _ = stop.changed() => {
                connection.as_mut().graceful_shutdown();
                let time = if activity.is_busy() { exchange.limits.stop_time } else { FAREWELL };
                // If the timeout expires, the connection is closed by dropping it.
                if let Ok(Err(error)) = tokio::time::timeout(time, connection.as_mut()).await {
                    note(&exchange, &activity, &*error);
                }
                break;
            }
            _ = ticks.tick() => {
                if let Some(phase) = watch.overdue(&exchange.limits) {
                    if phase != IDLE {
                        exchange.journal.trouble(ServerProblem::TimedOut { what: phase });
                    }
                    tracing::debug!(target: "contract::mock_server", what = phase, "closed a connection after a timeout");
                    break;
                }
            }
        }
    }
    streams.end();
    left
}

fn builder(exchange: &Exchange, streams: Streams) -> auto::Builder<Streams> {
    let head = exchange.limits.largest_head();
    let mut builder = auto::Builder::new(streams);
    builder
        .http1()
        // [`Watch`] handles the timeouts of all HTTP versions. A timer of hyper would be set again for each request.
        .header_read_timeout(None)
        .keep_alive(exchange.keep_alive)
        // A client may close its side of the connection for writing and still wait for the response.
        .half_close(true)
        .max_buf_size(head);
    // Setting the default of hyper explicitly would allocate memory for each request.
    let headers = exchange.limits.most_headers();
    if headers != HEADERS {
        builder.http1().max_headers(headers);
    }
    // hyper rejects large heads without reporting them. They are accepted here and rejected in `exchange`.
    let most = head.saturating_mul(16).max(1 << 20);
    builder
        .http2()
        .max_header_list_size(u32::try_from(most).unwrap_or(u32::MAX));
    builder
}

/// Records errors that users can fix: TLS on a plain port, limits that were exceeded, and invalid requests. Ignores
/// clients that disconnect.
fn note(exchange: &Exchange, activity: &Activity, error: &(dyn std::error::Error + Send + Sync + 'static)) {
    tracing::debug!(target: "contract::mock_server", %error, "a connection failed");
    if activity.spoke_tls() {
        return exchange.journal.trouble(ServerProblem::TlsToPlain);
    }
    let Some(error) = error.downcast_ref::<hyper::Error>() else {
        return;
    };
    if error.is_parse_too_large() {
        exchange.journal.trouble(too_large(exchange, activity, error));
    } else if error.is_parse() {
        let reason = error.to_string();
        exchange.journal.trouble(ServerProblem::Unreadable { reason });
    }
}

/// Returns the limit that a request exceeds. hyper does not report it: unless the head or the URL is too long, there
/// are too many headers.
fn too_large(exchange: &Exchange, activity: &Activity, error: &hyper::Error) -> ServerProblem {
    let limit = exchange.limits.largest_head();
    if activity.head_bytes() >= limit {
        ServerProblem::HeadTooLarge { limit }
    } else if error.to_string().contains("URI") {
        ServerProblem::UrlTooLong
    } else {
        ServerProblem::TooManyHeaders {
            limit: exchange.limits.most_headers(),
        }
    }
}

/// The tasks of an HTTP/2 connection, one for each stream. They are aborted when the connection ends.
#[derive(Clone, Default)]
struct Streams(Arc<Mutex<JoinSet<()>>>);

impl Streams {
    fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while streams.try_join_next().is_some() {}
        streams.spawn(stream);
    }
}
