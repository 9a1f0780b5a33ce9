//! PostgreSQL: some threads, each with a connection of its own, driven by the runtime. A node holds no state beside them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Statement};

use super::schema::{self, Dialect};
use super::{Job, Limits, Message, QUEUE, Row, Store, StoreError, Tx, Value, Workers, next, run_guarded, start, tls};

/// Statements kept prepared on one connection.
const STATEMENTS: usize = 512;
/// How often a job is tried that meets other transactions.
const TRIES: u32 = 12;

/// Where a connection leads, and how it is made.
struct Target {
    config: Config,
    tls: tls::Connector,
}

impl Target {
    fn of(address: &str, limits: &Limits) -> Result<Self, StoreError> {
        let (address, security) = tls::Security::of(address)?;
        let mut config: Config = address.parse().map_err(|_| {
            StoreError::database(
                "the address of the database is not of the form postgres://user:password@host:port/name?sslmode=…",
            )
        })?;
        config.ssl_mode(security.negotiation());
        let given = config.get_options().unwrap_or_default();
        let options = format!("-c statement_timeout={} {given}", limits.statement.as_millis());
        config.options(options.trim());
        let tls = security.connector()?;
        Ok(Self { config, tls })
    }
}

pub(super) async fn open(address: &str, limits: &Limits) -> Result<Store, StoreError> {
    let target = Arc::new(Target::of(address, limits)?);
    let mut session = first_session(&target, limits.connect_retries).await?;
    let handle = Handle::current();
    // The schema's jobs are synchronous like all others.
    tokio::task::spawn_blocking(move || migrate(&mut session))
        .await
        .map_err(|_| StoreError::panicked())??;
    let (queue, waiting) = mpsc::channel(QUEUE);
    let waiting = Arc::new(Mutex::new(waiting));
    let mut threads = Vec::new();
    for _ in 0..limits.connections.max(1) {
        let (waiting, target, handle) = (Arc::clone(&waiting), Arc::clone(&target), handle.clone());
        threads.push(start("broker-database", move || work_loop(&waiting, &target, &handle))?);
    }
    let workers = Workers::new(queue, threads);
    Ok(Store {
        reads: workers.clone(),
        writes: workers,
    })
}

/// A database server may start at the same time, and later be there.
async fn first_session(target: &Target, mut retries: u32) -> Result<Session, StoreError> {
    loop {
        match Session::connect(target).await {
            Err(error) if error.is_unreachable() && retries > 0 => {
                retries -= 1;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            ended => return ended,
        }
    }
}

fn migrate(session: &mut Session) -> Result<(), StoreError> {
    session.batch("BEGIN")?;
    // Of two nodes that start at once, one waits.
    session.batch("SELECT pg_advisory_xact_lock(7301193310041)")?;
    schema::migrate(&mut Tx::postgres(session), Dialect::Postgres)?;
    session.batch("COMMIT")
}

fn work_loop(waiting: &Mutex<mpsc::Receiver<Message>>, target: &Target, handle: &Handle) {
    let mut session: Option<Session> = None;
    while let Some(mut job) = next(waiting) {
        let ended = run(job.as_mut(), &mut session, target, handle);
        job.finish(ended);
    }
}

fn run(job: &mut dyn Job, kept: &mut Option<Session>, target: &Target, handle: &Handle) -> Result<(), StoreError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let mut session = match kept.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => handle.block_on(Session::connect(target))?,
        };
        let ended = attempt(job, &mut session);
        if session.is_usable() {
            *kept = Some(session);
        }
        match ended {
            Err(error) if error.is_conflict() && tries < TRIES => {
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..=u64::from(tries) * 8)));
            }
            ended => return ended,
        }
    }
}

fn attempt(job: &mut dyn Job, session: &mut Session) -> Result<(), StoreError> {
    session.batch("BEGIN")?;
    let ran = run_guarded(job, &mut Tx::postgres(session));
    match ran {
        Ok(true) => session.batch("COMMIT"),
        ran => session.batch("ROLLBACK").and(ran.map(drop)),
    }
}

/// One connection with its prepared statements.
pub(super) struct Session {
    client: Client,
    handle: Handle,
    prepared: HashMap<String, Statement>,
}

impl Session {
    async fn connect(target: &Target) -> Result<Self, StoreError> {
        let (client, connection) = target
            .config
            .connect(target.tls.clone())
            .await
            .map_err(|error| StoreError::unreachable("no connection to the database", error))?;
        // When it ends in an error, the next statement on it tells.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self {
            client,
            handle: Handle::current(),
            prepared: HashMap::new(),
        })
    }

    fn is_usable(&self) -> bool {
        !self.client.is_closed()
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.handle.block_on(self.client.batch_execute(sql))?)
    }

    fn statement(&mut self, sql: &str, parameters: &[Value]) -> Result<Statement, StoreError> {
        if let Some(known) = self.prepared.get(sql) {
            return Ok(known.clone());
        }
        // Said rather than inferred: beside a literal an integer would be a small one.
        let types: Vec<Type> = parameters.iter().map(type_of).collect();
        let statement = self.handle.block_on(self.client.prepare_typed(sql, &types))?;
        if self.prepared.len() >= STATEMENTS {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(super) fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql, parameters)?;
        let rows = self
            .handle
            .block_on(self.client.query(&statement, &borrowed(parameters)))?;
        rows.iter()
            .map(|row| {
                (0..row.len())
                    .map(|at| owned(row, at))
                    .collect::<Result<_, _>>()
                    .map(Row)
            })
            .collect()
    }

    pub(super) fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(sql, parameters)?;
        Ok(self
            .handle
            .block_on(self.client.execute(&statement, &borrowed(parameters)))?)
    }
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Int(_) => Type::INT8,
        Value::Text(_) => Type::TEXT,
    }
}

fn borrowed(parameters: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn owned(row: &tokio_postgres::Row, at: usize) -> Result<Value, StoreError> {
    let column = row.columns()[at].type_();
    Ok(if *column == Type::INT8 {
        row.try_get::<_, Option<i64>>(at)?.into()
    } else if *column == Type::INT4 {
        row.try_get::<_, Option<i32>>(at)?.map(i64::from).into()
    } else {
        row.try_get::<_, Option<String>>(at)?.into()
    })
}
