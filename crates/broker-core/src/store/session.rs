//! One connection to PostgreSQL.
//!
//! Most of the cost of a statement is the round trip. Therefore, a statement whose result does not matter is sent
//! without waiting for its response ([`Session::execute_deferred`]), independent queries are pipelined, and `BEGIN` and
//! `COMMIT` are sent together with the statements between them.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use contract_broker_domain::packed::unpack;
use tokio::runtime::Runtime;
use tokio_postgres::config::Host;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Statement};

use super::{BoundQuery, Limits, Row, StoreError, Value, tls};

/// Maximum number of prepared statements that a connection keeps.
const STATEMENTS: usize = 512;
/// Planner settings. The statements are written for generic plans that look up a few rows through indexes with nested
/// loops. A plan that was created while tables are empty would become slow as they grow. `Tx::query_joined_lists` allows
/// hash joins for one query.
const PLANS: &str = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";

/// The database server, with the connection and TLS settings.
pub(super) struct Target {
    config: Config,
    tls: tls::Connector,
}

impl Target {
    pub(super) fn parse(address: &str, limits: &Limits) -> Result<Self, StoreError> {
        let (address, security) = tls::Security::parse(address)?;
        let mut config: Config = address.parse().map_err(|_| {
            StoreError::database("invalid database address: expected postgres://USER:PASSWORD@HOST:PORT/NAME")
        })?;
        config.ssl_mode(security.negotiation());
        let configured = config.get_options().unwrap_or_default();
        let options = format!(
            "-c statement_timeout={} {PLANS} {configured}",
            limits.statement.as_millis()
        );
        config.options(options.trim());
        let tls = security.connector()?;
        Ok(Self { config, tls })
    }

    /// Returns the servers for error messages, such as ` at db.example.com:5432`. Never contains credentials.
    fn place(&self) -> String {
        let ports = self.config.get_ports();
        let places = self.config.get_hosts().iter().enumerate().map(|(at, host)| {
            // A single port applies to all hosts (libpq).
            let port = ports.get(at).or_else(|| ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                #[cfg(unix)]
                Host::Unix(directory) => format!("{}/.s.PGSQL.{port}", directory.display()),
            }
        });
        let places = places.collect::<Vec<_>>().join(", ");
        if places.is_empty() {
            places
        } else {
            format!(" at {places}")
        }
    }
}

type Deferred = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send>>;

pub(super) struct Session {
    client: Arc<Client>,
    runtime: Arc<Runtime>,
    prepared: HashMap<String, Statement>,
    /// The pending responses to deferred statements, in the order of the statements.
    deferred: Vec<Deferred>,
}

impl Session {
    pub(super) fn connect(target: &Target, runtime: &Arc<Runtime>) -> Result<Self, StoreError> {
        let connecting = async {
            let (client, connection) = target.config.connect(target.tls.clone()).await?;
            // If the connection fails, the next statement returns the error.
            tokio::spawn(async move { drop(connection.await) });
            // Compresses large values ten times faster. Servers without lz4 reject the setting.
            let _ = client.batch_execute("SET default_toast_compression = lz4").await;
            Ok::<_, tokio_postgres::Error>(client)
        };
        let client = runtime.block_on(connecting).map_err(|error| {
            StoreError::unreachable(format!("cannot connect to the database{}", target.place()), error)
        })?;
        Ok(Self {
            client: Arc::new(client),
            runtime: Arc::clone(runtime),
            prepared: HashMap::new(),
            deferred: Vec::new(),
        })
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed()
    }

    /// Sends a command without parameters, and does not wait for its response.
    pub(super) fn command(&mut self, command: &'static str) {
        let client = Arc::clone(&self.client);
        self.defer(Box::pin(async move { client.batch_execute(command).await }));
    }

    /// Commits, and waits for the responses to all statements of the transaction.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        self.command("COMMIT");
        self.finish_deferred()
    }

    /// Rolls back without waiting for the response. Errors of deferred statements are discarded. If the rollback fails,
    /// the connection is lost, and its next use returns an error.
    pub(super) fn rollback(&mut self) {
        self.command("ROLLBACK");
        let all = std::mem::take(&mut self.deferred);
        self.deferred.push(Box::pin(async move {
            let mut last = Ok(());
            for answer in all {
                last = answer.await;
            }
            last
        }));
    }

    fn defer(&mut self, mut sent: Deferred) {
        // tokio-postgres sends a request when its future is first polled (see the test below). A future that is ready
        // immediately has failed; its error is returned with the next response.
        if let Poll::Ready(Err(error)) = sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            sent = Box::pin(async move { Err(error) });
        }
        self.deferred.push(sent);
    }

    /// Waits for the responses to all deferred statements. Returns the first error.
    fn finish_deferred(&mut self) -> Result<(), StoreError> {
        Ok(self.runtime.block_on(finish(&mut self.deferred))?)
    }

    fn statement(&mut self, sql: &str, parameters: &[Value]) -> Result<Statement, StoreError> {
        if let Some(known) = self.prepared.get(sql) {
            return Ok(known.clone());
        }
        self.finish_deferred()?;
        // Set types explicitly, because PostgreSQL would infer INT4 next to an integer literal.
        let types: Vec<Type> = parameters.iter().map(type_of).collect();
        let statement = self.runtime.block_on(self.client.prepare_typed(sql, &types))?;
        if self.prepared.len() >= STATEMENTS {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Executes a statement without waiting for its response. If it fails, the next call that waits for a response
    /// returns the error.
    pub(super) fn execute_deferred(&mut self, sql: &str, parameters: &[Value]) -> Result<(), StoreError> {
        let statement = self.statement(sql, parameters)?;
        let (client, parameters) = (Arc::clone(&self.client), parameters.to_vec());
        self.defer(Box::pin(async move {
            client.execute_raw(&statement, &parameters).await.map(drop)
        }));
        Ok(())
    }

    pub(super) fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql, parameters)?;
        let parameters = borrowed(parameters);
        let query = self.client.query(&statement, &parameters);
        let rows = self.runtime.block_on(finish_then(&mut self.deferred, query))?;
        rows.iter().map(row).collect()
    }

    pub(super) fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(sql, parameters)?;
        let parameters = borrowed(parameters);
        let query = self.client.execute(&statement, &parameters);
        Ok(self.runtime.block_on(finish_then(&mut self.deferred, query))?)
    }

    /// Sends all queries at once, and returns the rows of each.
    pub(super) fn query_all(&mut self, queries: &[BoundQuery]) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut statements = Vec::with_capacity(queries.len());
        for (sql, parameters) in queries {
            statements.push(self.statement(sql, parameters)?);
        }
        let parameters: Vec<_> = queries.iter().map(|(_, parameters)| borrowed(parameters)).collect();
        let mut in_flight: Vec<_> = statements
            .iter()
            .zip(&parameters)
            .map(|(statement, parameters)| InFlight::Waiting(Box::pin(self.client.query(statement, parameters))))
            .collect();
        let answers = self.runtime.block_on(async {
            poll_fn(|context| {
                for execution in &mut in_flight {
                    execution.poll(context);
                }
                Poll::Ready(())
            })
            .await;
            finish(&mut self.deferred).await?;
            let mut answers = Vec::with_capacity(in_flight.len());
            for execution in in_flight {
                answers.push(match execution {
                    InFlight::Waiting(query) => query.await?,
                    InFlight::Finished(answer) => answer?,
                });
            }
            Ok::<_, tokio_postgres::Error>(answers)
        })?;
        answers.iter().map(|rows| rows.iter().map(row).collect()).collect()
    }
}

enum InFlight<F: Future> {
    Waiting(Pin<Box<F>>),
    Finished(F::Output),
}

impl<F: Future> InFlight<F> {
    fn poll(&mut self, context: &mut Context<'_>) {
        if let Self::Waiting(query) = self
            && let Poll::Ready(answer) = query.as_mut().poll(context)
        {
            *self = Self::Finished(answer);
        }
    }
}

/// Sends a query, and waits in a single round trip for the responses to deferred statements and to the query.
async fn finish_then<O>(
    deferred: &mut Vec<Deferred>,
    query: impl Future<Output = Result<O, tokio_postgres::Error>>,
) -> Result<O, tokio_postgres::Error> {
    let mut query = pin!(query);
    let early = poll_fn(|context| Poll::Ready(query.as_mut().poll(context))).await;
    finish(deferred).await?;
    match early {
        Poll::Ready(answer) => answer,
        Poll::Pending => query.await,
    }
}

async fn finish(deferred: &mut Vec<Deferred>) -> Result<(), tokio_postgres::Error> {
    let mut first = Ok(());
    for answer in deferred.drain(..) {
        // Later errors are consequences of the first one.
        first = first.and(answer.await);
    }
    first
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Int(_) => Type::INT8,
        Value::Text(_) => Type::TEXT,
        Value::Packed(_) => Type::BYTEA,
    }
}

fn borrowed(parameters: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let values = (0..row.len()).map(|at| owned(row, at));
    values.collect::<Result<_, _>>().map(Row)
}

fn owned(row: &tokio_postgres::Row, at: usize) -> Result<Value, StoreError> {
    let column = row.columns()[at].type_();
    Ok(if *column == Type::INT8 {
        row.try_get::<_, Option<i64>>(at)?.into()
    } else if *column == Type::INT4 {
        row.try_get::<_, Option<i32>>(at)?.map(i64::from).into()
    } else if *column == Type::BYTEA {
        row.try_get::<_, Option<&[u8]>>(at)?.map(unpack).transpose()?.into()
    } else {
        row.try_get::<_, Option<String>>(at)?.into()
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
    use tokio_postgres::NoTls;

    use super::*;

    const AUTHENTICATION_OK: &[u8] = b"R\0\0\0\x08\0\0\0\0";
    const READY_FOR_QUERY: &[u8] = b"Z\0\0\0\x05I";
    const COMMAND_COMPLETE: &[u8] = b"C\0\0\0\x0aBEGIN\0";
    /// The messages `ParseComplete`, `ParameterDescription` without parameters, and `NoData`.
    const PREPARED: &[u8] = b"1\0\0\0\x04t\0\0\0\x06\0\0n\0\0\0\x04";

    async fn read_message(stream: &mut DuplexStream, kind_size: usize) -> Option<Vec<u8>> {
        let mut head = vec![0; kind_size + 4];
        stream.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes(head[kind_size..].try_into().ok()?);
        let mut body = vec![0; usize::try_from(length).ok()?.checked_sub(4)?];
        stream.read_exact(&mut body).await.ok()?;
        head.extend(body);
        Some(head)
    }

    /// A server that responds to commands and prepares statements, but never responds to their execution. Forwards the
    /// kinds of the received messages.
    async fn serve(mut stream: DuplexStream, received: UnboundedSender<char>) -> Option<()> {
        read_message(&mut stream, 0).await?;
        stream.write_all(AUTHENTICATION_OK).await.ok()?;
        stream.write_all(READY_FOR_QUERY).await.ok()?;
        let mut is_parse = false;
        loop {
            let kind = char::from(*read_message(&mut stream, 1).await?.first()?);
            received.send(kind).ok()?;
            is_parse |= kind == 'P';
            let response = match kind {
                'Q' => COMMAND_COMPLETE,
                'S' if std::mem::take(&mut is_parse) => PREPARED,
                _ => continue,
            };
            stream.write_all(response).await.ok()?;
            stream.write_all(READY_FOR_QUERY).await.ok()?;
        }
    }

    fn session() -> (Session, UnboundedReceiver<char>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = Arc::new(runtime.expect("a runtime"));
        let (stream, peer) = tokio::io::duplex(64 * 1024);
        let (sender, received) = unbounded_channel();
        let client = runtime.block_on(async {
            tokio::spawn(serve(peer, sender));
            let (client, connection) = Config::new()
                .user("broker")
                .connect_raw(stream, NoTls)
                .await
                .expect("a connection");
            tokio::spawn(async move { drop(connection.await) });
            client
        });
        let session = Session {
            client: Arc::new(client),
            runtime,
            prepared: HashMap::new(),
            deferred: Vec::new(),
        };
        (session, received)
    }

    fn receive(session: &Session, received: &mut UnboundedReceiver<char>) -> Option<char> {
        let next = async { tokio::time::timeout(Duration::from_secs(10), received.recv()).await };
        session.runtime.block_on(next).ok().flatten()
    }

    /// Deferred statements require that tokio-postgres sends a request when its future is first polled. If an upgrade
    /// changes that, this test fails: the server receives nothing until the response is awaited.
    #[test]
    fn deferred_statements_are_sent_without_awaiting_them() {
        let (mut session, mut received) = session();
        session.command("BEGIN");
        assert_eq!(receive(&session, &mut received), Some('Q'), "BEGIN was not sent");
        session
            .execute_deferred("DELETE FROM tag", &[])
            .expect("a prepared statement");
        let kinds: Vec<_> = (0..6).map(|_| receive(&session, &mut received)).collect();
        assert_eq!(kinds, ['P', 'D', 'S', 'B', 'E', 'S'].map(Some));
        assert_eq!(session.deferred.len(), 1);
    }
}
