//! The `contract-broker serve` command.

mod arguments;
mod webhooks;

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::runtime::ResourceError;
use contract_broker::{
    AddressRange, Broker, Credentials, HttpLimits, Issuer, Level, Log, LogEntry, LoginSettings, Options, Pattern,
    Permissions, RateLimits, Rules, Traces, WebhookRules,
};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(super) use arguments::{Arguments, EXAMPLES};
use arguments::{HttpArguments, LogFormat, LogLevel, RuleArguments};

use crate::error::{CliError, Result};
use crate::shutdown::Shutdown;
use crate::usage::without_url_secrets;
use crate::{memory, terminal};

/// Time after which idle blocking threads stop. In practice, they never stop.
const KEEP_ALIVE: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

pub(super) fn run(arguments: &Arguments, issuers: Vec<Issuer>, login: Option<LoginSettings>) -> Result<()> {
    if login.is_some() && arguments.base_url.iter().all(String::is_empty) {
        return Err(CliError::usage(
            "single sign-on requires the setting base-url, because the identity provider redirects browsers to it",
        ));
    }
    let permissions = permissions(arguments, issuers, login)?;
    let address = address_of(&arguments.listen)?;
    let database = arguments.database.database()?;
    let options = Options {
        base_urls: base_urls(arguments)?,
        permissions,
        rules: rules(&arguments.rules, arguments.webhooks.rules()?),
        webhooks: arguments.webhooks.options(&database)?,
        database,
        retention: arguments.retention.retention(),
        audit_days: Some(arguments.audit_retention_days).filter(|days| *days > 0),
        limits: arguments.limits.limits(),
        http: http_limits(&arguments.http)?,
        release_memory: memory::release,
        tls: tls(arguments)?,
        traces: None,
        log: log(arguments),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    contract::runtime::check_resources(threads + 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        // These threads parse large bodies. More threads would only use more memory.
        .max_blocking_threads(4)
        .thread_keep_alive(KEEP_ALIVE)
        .build()
        .map_err(ResourceError::OpenFiles)?;
    // Start a blocking thread now. Without one, tokio panics if the system cannot start a thread later.
    drop(runtime.spawn_blocking(|| ()));
    let result = runtime.block_on(serve(arguments, address, options));
    // Running tasks can be aborted, because acknowledged writes are already on disk.
    runtime.shutdown_background();
    result
}

async fn serve(arguments: &Arguments, address: SocketAddr, mut options: Options) -> Result<()> {
    if let Some(endpoint) = arguments.otlp_endpoint.as_ref().filter(|url| !url.is_empty()) {
        let traces = Traces::new(endpoint, Arc::clone(&options.log));
        options.traces = Some(traces.map_err(|error| CliError::usage(format!("--otlp-endpoint: {error}")))?);
    }
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    // Signals are handled before the address is printed, so that a client that reads it can stop the broker cleanly.
    let mut shutdown = Shutdown::new(arguments.stop_with_stdin)?;
    // Bind the port before opening the database, because starting a second broker on the same file is usually a
    // mistake.
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| CliError::failed(format!("could not listen on {address}: {error}")))?;
    let opened = tokio::select! {
        opened = Broker::open(options) => opened,
        () = shutdown.requested() => return Ok(()),
    };
    let broker = opened.map_err(|error| super::failed(&error))?;
    if !address.ip().is_loopback()
        && !arguments.allow_anonymous
        && broker.is_open().await.map_err(|error| super::failed(&error))?
    {
        return Err(CliError::usage(format!(
            "refusing to listen on {address} without authentication. Create a token with `contract-broker token create`, \
             set --username and --password, or pass --allow-anonymous."
        )));
    }
    let address = listener.local_addr().unwrap_or(address);
    terminal::print(&format!("Listening on {scheme}://{address}\n"));
    let (stop, stopped) = oneshot::channel();
    // The sender is dropped when the broker must stop.
    let mut serving = std::pin::pin!(broker.serve(listener, async { drop(stopped.await) }));
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = shutdown.requested() => drop::<oneshot::Sender<()>>(stop),
    }
    tokio::select! {
        () = serving => Ok(()),
        // Acknowledged writes are already on disk.
        exit_code = shutdown.forced() => std::process::exit(exit_code),
    }
}

fn permissions(arguments: &Arguments, issuers: Vec<Issuer>, login: Option<LoginSettings>) -> Result<Permissions> {
    let pair = |username: &Option<String>, password: &Option<String>, name: &str| match (username, password) {
        (None, None) => Ok(None),
        (Some(username), Some(password)) if !username.is_empty() && !password.is_empty() => Ok(Some(Credentials {
            username: username.clone(),
            password: password.clone(),
        })),
        _ => Err(CliError::usage(format!(
            "--{name}username and --{name}password must be set together and must not be empty"
        ))),
    };
    let read_write = pair(&arguments.username, &arguments.password, "")?;
    let read_only = pair(
        &arguments.read_only_username,
        &arguments.read_only_password,
        "read-only-",
    )?;
    if read_only.is_some() && read_write.is_none() {
        return Err(CliError::usage(
            "--read-only-username requires a user with write access. Set --username and --password.",
        ));
    }
    let ranges = arguments.trusted_proxies.split([' ', ',']);
    let ranges = ranges.filter(|range| !range.is_empty()).map(str::parse);
    let trusted_proxies = ranges
        .collect::<std::result::Result<Vec<AddressRange>, _>>()
        .map_err(|error| CliError::usage(format!("--trusted-proxies: {error}")))?;
    Ok(Permissions {
        read_write,
        read_only,
        public_read: arguments.public_read,
        public_badges: arguments.enable_public_badge_access,
        allow_anonymous: arguments.allow_anonymous,
        issuers,
        login,
        rate_limits: RateLimits {
            per_credential: arguments.rate_limit_per_credential,
            per_address: arguments.rate_limit_per_address,
        },
        trusted_proxies,
    })
}

fn rules(arguments: &RuleArguments, webhooks: WebhookRules) -> Rules {
    let time_limit = Duration::from_secs(arguments.use_first_tag_as_branch_time_limit);
    let candidates = arguments
        .main_branch_candidates
        .split([' ', ','])
        .filter(|name| !name.is_empty());
    let protected = arguments.protected_environments.split([' ', ',']);
    Rules {
        contracts_may_change: arguments.allow_dangerous_contract_modification,
        refuse_similar_names: arguments.check_for_potential_duplicate_pacticipant_names,
        tags_are_deployments: arguments.create_deployed_versions_for_tags,
        first_tag_is_branch: arguments.use_first_tag_as_branch.then_some(time_limit),
        main_branches: if arguments.auto_detect_main_branch {
            candidates.map(str::to_owned).collect()
        } else {
            Vec::new()
        },
        protected_environments: protected.filter_map(Pattern::parse).collect(),
        webhooks,
    }
}

fn http_limits(arguments: &HttpArguments) -> Result<HttpLimits> {
    let bytes = |mib: u32| usize::try_from(u64::from(mib) * 1024 * 1024).unwrap_or(usize::MAX);
    let seconds = |count: u32| Duration::from_secs(count.into());
    if arguments.max_body_size > arguments.request_memory / 2 {
        return Err(CliError::usage(format!(
            "--max-body-size {} is more than half of --request-memory {}. Raise --request-memory to at least {}.",
            arguments.max_body_size,
            arguments.request_memory,
            2 * arguments.max_body_size
        )));
    }
    Ok(HttpLimits {
        connections: arguments.max_connections as usize,
        waiting: arguments.max_waiting_requests as usize,
        connections_per_address: arguments.max_connections_per_address as usize,
        body_size: bytes(arguments.max_body_size),
        request_memory: bytes(arguments.request_memory),
        response_memory: bytes(arguments.response_memory),
        memory_wait: seconds(arguments.memory_wait),
        minimum_rate: arguments.min_transfer_rate * 1024,
        stall: seconds(arguments.stall_timeout),
        head: seconds(arguments.head_timeout),
        body: seconds(arguments.body_timeout),
    })
}

pub(super) fn address_of(text: &str) -> Result<SocketAddr> {
    // The Pact Broker's variable contains only a port.
    let text = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("127.0.0.1:{text}")
    } else {
        text.to_owned()
    };
    let address = text.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    address.ok_or_else(|| {
        CliError::usage(format!(
            "--listen {} is not an address with a port, such as 127.0.0.1:9292",
            without_url_secrets(&text)
        ))
    })
}

fn base_urls(arguments: &Arguments) -> Result<Vec<String>> {
    let urls: Vec<String> = arguments
        .base_url
        .iter()
        .filter(|url| !url.is_empty())
        .cloned()
        .collect();
    match urls
        .iter()
        .find(|url| !url.starts_with("http://") && !url.starts_with("https://"))
    {
        Some(url) => Err(CliError::usage(format!(
            "--base-url {} must start with http:// or https://",
            without_url_secrets(url)
        ))),
        None => Ok(()),
    }?;
    match urls.iter().find(|url| url.contains(['?', '#', '@'])) {
        Some(url) => Err(CliError::usage(format!(
            "--base-url {} must not contain credentials, a query, or a fragment",
            without_url_secrets(url)
        ))),
        None => Ok(urls),
    }
}

type Tls = Arc<contract_broker::TlsConfig>;

fn tls(arguments: &Arguments) -> Result<Option<Tls>> {
    let (Some(certificates), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) else {
        return Ok(None);
    };
    let read = |path: &Path| {
        contract::read_settings(path)
            .map_err(|error| CliError::failed(format!("could not read {}: {error}", path.display())))
    };
    contract_broker::tls(&read(certificates)?, &read(key)?)
        .map(Some)
        .map_err(|error| CliError::failed(error.to_string()))
}

fn log(arguments: &Arguments) -> Log {
    let (format, level) = (arguments.log_format, arguments.log_level);
    Arc::new(move |entry: &LogEntry| {
        if level == LogLevel::Error && entry.level < Level::Error {
            return;
        }
        let line = match format {
            LogFormat::Text => entry.to_text(),
            LogFormat::Json => entry.to_json(),
        };
        terminal::log(&line);
    })
}
