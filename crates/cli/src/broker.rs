//! What the executable does under the name contract-broker.
#![expect(clippy::doc_markdown, reason = "clap prints these comments as they are")]

use std::env;
use std::io::Read;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::Resettable;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use contract_broker::{Broker, Credentials, Database, Entry, Level, Log, Options, Permissions};
use tokio::net::TcpListener;

use crate::{client, terminal};

/// Whether this process was started as the broker: by its name.
pub(crate) fn is_called() -> bool {
    let name = env::args_os().next().map(PathBuf::from);
    name.as_deref()
        .and_then(Path::file_stem)
        .is_some_and(|name| name == "contract-broker")
}

/// Keeps contracts and verification results, and tells whether a version may be deployed.
#[derive(Parser)]
#[command(
    name = "contract-broker",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a broker
    #[command(after_help = EXAMPLES)]
    Serve(Box<ServeArguments>),

    #[command(flatten)]
    Client(client::Command),
}

const EXAMPLES: &str = "\
Examples:
  For yourself, at http://127.0.0.1:9292, kept in a file in your data directory:
    contract-broker serve
  For a team, with one name that may write and one that may only read:
    CONTRACT_BROKER_BASIC_AUTH_USERNAME=ci CONTRACT_BROKER_BASIC_AUTH_PASSWORD=… \\
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME=dev CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD=… \\
    contract-broker serve --listen 0.0.0.0:9292 --db postgres://broker:secret@db/broker \\
      --base-url https://broker.example.com

Each option can be given as CONTRACT_BROKER_… or, as other brokers have it, as PACT_BROKER_….

Exit codes:
  0  it was asked to end, and did
  1  it could not start, such as when the port is taken or the database cannot be reached
  2  the arguments make no sense";

#[derive(Args)]
struct ServeArguments {
    /// Where it keeps what it knows: sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME, or memory
    #[arg(
        long,
        value_name = "DATABASE",
        env = "CONTRACT_BROKER_DATABASE_URL",
        hide_env_values = true
    )]
    db: Option<String>,

    /// The address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:9292",
        env = "CONTRACT_BROKER_LISTEN"
    )]
    listen: String,

    /// What links begin with, if not what the client calls the broker. Several: the one whose host was asked
    #[arg(long, value_name = "URL", value_delimiter = ' ', env = "CONTRACT_BROKER_BASE_URL")]
    base_url: Vec<String>,

    /// Who may read and write
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_USERNAME")]
    username: Option<String>,

    /// The password of who may read and write; safer as CONTRACT_BROKER_BASIC_AUTH_PASSWORD
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,

    /// Who may only read
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME")]
    read_only_username: Option<String>,

    /// The password of who may only read; safer as CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD",
        hide_env_values = true
    )]
    read_only_password: Option<String>,

    /// Everybody may read; names are needed to write
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_PUBLIC_READ")]
    public_read: bool,

    /// Everybody who reaches it may do everything, even from other machines
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_ANONYMOUS")]
    allow_anonymous: bool,

    /// Speak HTTPS: certificates in PEM form, the broker's own first
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        env = "CONTRACT_BROKER_TLS_CERTIFICATE"
    )]
    tls_certificate: Option<PathBuf>,

    /// The private key of the certificate, in PEM form
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_certificate",
        env = "CONTRACT_BROKER_TLS_KEY"
    )]
    tls_key: Option<PathBuf>,

    /// The form of the log on standard error
    #[arg(long, value_enum, default_value = "text", env = "CONTRACT_BROKER_LOG_FORMAT")]
    log_format: LogFormat,

    /// What the log tells
    #[arg(long, value_enum, default_value = "info", env = "CONTRACT_BROKER_LOG_LEVEL")]
    log_level: LogLevel,

    /// End when standard input does: whoever started it may be gone
    #[arg(long)]
    stop_with_stdin: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    /// Each request, and errors
    Info,
    /// Errors alone
    #[value(alias = "fatal", alias = "warn")]
    Error,
}

/// Why there is no broker: with the exit code that says so.
struct Stopped {
    code: u8,
    text: String,
}

fn usage(text: impl Into<String>) -> Stopped {
    Stopped {
        code: 2,
        text: text.into(),
    }
}

fn failed(text: impl Into<String>) -> Stopped {
    Stopped {
        code: 1,
        text: text.into(),
    }
}

pub(crate) fn run() -> ExitCode {
    let definition = Cli::command().mut_subcommand("serve", |serve| serve.mut_args(with_known_variable));
    let cli = Cli::from_arg_matches(&definition.clone().get_matches()).unwrap_or_else(|error| error.exit());
    let arguments = match cli.command {
        Command::Serve(arguments) => arguments,
        Command::Client(command) => return command.run(definition),
    };
    match serve(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stopped) => {
            terminal::error(&stopped.text);
            ExitCode::from(stopped.code)
        }
    }
}

/// Empty variables are not set, and where ours is not, the field's is looked at.
fn with_known_variable(argument: clap::Arg) -> clap::Arg {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(name) = argument.get_env().and_then(|name| name.to_str()).map(str::to_owned) else {
        return argument;
    };
    if is_set(&name) {
        return argument;
    }
    let field = name.replacen("CONTRACT_BROKER_", "PACT_BROKER_", 1);
    let of_the_field = [field.clone(), format!("{field}S")];
    match of_the_field.into_iter().find(|name| is_set(name)) {
        // Definitions live as long as the process.
        Some(name) => argument.env(&*name.leak()),
        None => argument.env(Resettable::Reset),
    }
}

fn serve(arguments: &ServeArguments) -> Result<(), Stopped> {
    let permissions = permissions(arguments)?;
    let address = address(arguments)?;
    if !address.ip().is_loopback() && !permissions.is_restricted() && !arguments.allow_anonymous {
        return Err(usage(format!(
            "{address} can be reached from other machines, and nobody is asked for a password. Give --username and --password, \
             or say --allow-anonymous if everybody may do everything"
        )));
    }
    let options = Options {
        database: database(arguments)?,
        base_urls: base_urls(arguments)?,
        permissions,
        tls: tls(arguments)?,
        log: log(arguments),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(format!("no threads could be started: {error}")))?;
    let ended = runtime.block_on(answer(arguments, address, options));
    // Nothing that still runs has anything to lose: what was acknowledged is on the disk.
    runtime.shutdown_background();
    ended
}

async fn answer(arguments: &ServeArguments, address: SocketAddr, options: Options) -> Result<(), Stopped> {
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    // The port first: a second broker on the same file is more likely a mistake than meant.
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| failed(format!("{address} cannot be listened on: {error}")))?;
    let broker = Broker::open(options).await.map_err(|error| {
        let cause = std::error::Error::source(&error).map_or_else(String::new, |cause| format!(": {cause}"));
        failed(format!("{error}{cause}"))
    })?;
    let address = listener.local_addr().unwrap_or(address);
    terminal::print(&format!("The broker answers at {scheme}://{address}\n"));
    broker.serve(listener, asked_to_end(arguments.stop_with_stdin)).await;
    Ok(())
}

async fn asked_to_end(with_stdin: bool) {
    let (closed, stdin) = tokio::sync::oneshot::channel::<()>();
    if with_stdin {
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while matches!(std::io::stdin().read(&mut bytes), Ok(count) if count > 0) {}
            drop(closed);
        });
        tokio::select! { () = signalled() => (), _ = stdin => () }
    } else {
        signalled().await;
    }
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = Vec::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        signals.extend(signal(kind));
    }
    std::future::poll_fn(|context| {
        let came = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if came {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

#[cfg(not(unix))]
async fn signalled() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn permissions(arguments: &ServeArguments) -> Result<Permissions, Stopped> {
    let pair = |username: &Option<String>, password: &Option<String>, name: &str| match (username, password) {
        (None, None) => Ok(None),
        (Some(username), Some(password)) if !username.is_empty() && !password.is_empty() => Ok(Some(Credentials {
            username: username.clone(),
            password: password.clone(),
        })),
        _ => Err(usage(format!(
            "--{name}username and --{name}password belong together, and neither may be empty"
        ))),
    };
    let read_write = pair(&arguments.username, &arguments.password, "")?;
    let read_only = pair(
        &arguments.read_only_username,
        &arguments.read_only_password,
        "read-only-",
    )?;
    if read_only.is_some() && read_write.is_none() {
        return Err(usage("nobody could write: give --username and --password, too"));
    }
    Ok(Permissions {
        read_write,
        read_only,
        public_read: arguments.public_read,
    })
}

fn address(arguments: &ServeArguments) -> Result<SocketAddr, Stopped> {
    let text = arguments.listen.as_str();
    // A port alone, as other brokers have it.
    let text = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("127.0.0.1:{text}")
    } else {
        text.to_owned()
    };
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        usage(format!(
            "--listen {text} is not an address with a port, such as 127.0.0.1:9292"
        ))
    })
}

fn database(arguments: &ServeArguments) -> Result<Database, Stopped> {
    let Some(text) = &arguments.db else {
        let folder = data_directory()
            .ok_or_else(|| usage("there is no home directory to keep data in: say where with --db sqlite:PATH"))?;
        std::fs::create_dir_all(&folder)
            .map_err(|error| failed(format!("{} cannot be made: {error}", folder.display())))?;
        return Ok(Database::Sqlite(folder.join("broker.sqlite")));
    };
    if text == "memory" {
        Ok(Database::Memory)
    } else if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        Ok(Database::Postgres(text.clone()))
    } else if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
        Ok(Database::Sqlite(PathBuf::from(path.strip_prefix("//").unwrap_or(path))))
    } else {
        // What it holds instead may be a password.
        Err(usage("--db must be memory, sqlite:PATH or postgres://…"))
    }
}

/// Where programs keep data of this user.
fn data_directory() -> Option<PathBuf> {
    let of = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("contract-broker"))
}

fn base_urls(arguments: &ServeArguments) -> Result<Vec<String>, Stopped> {
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
        Some(url) => Err(usage(format!("--base-url {url} must begin with http:// or https://"))),
        None => Ok(urls),
    }
}

type Tls = Arc<contract_broker::TlsConfig>;

fn tls(arguments: &ServeArguments) -> Result<Option<Tls>, Stopped> {
    let (Some(certificates), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) else {
        return Ok(None);
    };
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| failed(format!("{} cannot be read: {error}", path.display())))
    };
    contract_broker::tls(&read(certificates)?, &read(key)?)
        .map(Some)
        .map_err(|error| failed(error.to_string()))
}

fn log(arguments: &ServeArguments) -> Log {
    let (format, level) = (arguments.log_format, arguments.log_level);
    Arc::new(move |entry: &Entry| {
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
