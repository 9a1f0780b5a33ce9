//! Detects requests to stop a server: signals, the end of standard input, and the end of the launcher.

use std::io::Read;
use std::time::Duration;

use contract::runtime::ResourceError;
use tokio::sync::oneshot;

/// A terminal and a launcher can both forward the same Ctrl-C, so signals within this time after the first one are
/// ignored.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// The environment variable that contains the process ID of the Node.js launcher. The server stops when the launcher
/// has ended.
#[cfg(unix)]
const LAUNCHER: &str = "CONTRACT_LAUNCHER_PID";
#[cfg(unix)]
const LAUNCHER_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Detects requests to stop a server. While this value exists, signals no longer terminate the process.
pub(crate) struct Shutdown {
    signals: signals::Signals,
    stdin: Option<oneshot::Receiver<()>>,
}

impl Shutdown {
    /// If `with_stdin` is true, the end of standard input is also a request to stop. Must be called within a tokio
    /// runtime.
    pub(crate) fn new(with_stdin: bool) -> Result<Self, ResourceError> {
        Ok(Self {
            signals: signals::Signals::new(),
            stdin: with_stdin.then(stdin_closed).transpose()?,
        })
    }

    /// After [`Self::requested`] has returned, waits for another signal. Returns the exit code of a process that this
    /// signal terminates.
    pub(crate) async fn forced(&mut self) -> i32 {
        tokio::time::sleep(SAME_REQUEST).await;
        self.signals.discard();
        self.signals.wait().await
    }

    pub(crate) async fn requested(&mut self) {
        let stdin = async {
            match &mut self.stdin {
                // The sender is dropped at the end of standard input.
                Some(closed) => drop(closed.await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.signals.wait() => (),
            () = stdin => (),
            () = launcher_ended() => (),
        }
    }
}

fn stdin_closed() -> Result<oneshot::Receiver<()>, ResourceError> {
    let (closed, stdin) = oneshot::channel();
    let reading = std::thread::Builder::new()
        .name("broker-stdin".to_owned())
        .spawn(move || {
            let mut bytes = [0; 1024];
            while matches!(std::io::stdin().read(&mut bytes), Ok(count) if count > 0) {}
            drop(closed);
        });
    reading.map(|_| stdin).map_err(ResourceError::Threads)
}

/// Waits until the launcher is no longer the parent process. Standard input does not show this, because it belongs to
/// the terminal. Not needed on Windows, where Node.js puts child processes into a job that ends with Node.js.
#[cfg(unix)]
async fn launcher_ended() {
    let launcher = std::env::var(LAUNCHER).ok().and_then(|pid| pid.parse::<u32>().ok());
    let Some(launcher) = launcher else {
        return std::future::pending().await;
    };
    while std::os::unix::process::parent_id() == launcher {
        tokio::time::sleep(LAUNCHER_POLL_INTERVAL).await;
    }
}

#[cfg(not(unix))]
async fn launcher_ended() {
    std::future::pending().await
}

#[cfg(unix)]
mod signals {
    use std::task::{Context, Poll, Waker};

    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) struct Signals(Vec<(i32, Signal)>);

    impl Signals {
        pub(super) fn new() -> Self {
            let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
            let signals = kinds.into_iter().filter_map(|kind| {
                let exit_code = 128 + kind.as_raw_value();
                Some((exit_code, signal(kind).ok()?))
            });
            Self(signals.collect())
        }

        /// Waits for a signal. Returns the exit code of a process that this signal terminates: 128 plus the signal
        /// number.
        pub(super) async fn wait(&mut self) -> i32 {
            std::future::poll_fn(|context| {
                for (exit_code, signal) in &mut self.0 {
                    if signal.poll_recv(context).is_ready() {
                        return Poll::Ready(*exit_code);
                    }
                }
                Poll::Pending
            })
            .await
        }

        /// Discards signals that have already arrived.
        pub(super) fn discard(&mut self) {
            let mut context = Context::from_waker(Waker::noop());
            for (_, signal) in &mut self.0 {
                let _ = signal.poll_recv(&mut context);
            }
        }
    }
}

#[cfg(windows)]
mod signals {
    use tokio::signal::windows::{CtrlC, ctrl_c};

    pub(super) struct Signals(Option<CtrlC>);

    impl Signals {
        pub(super) fn new() -> Self {
            Self(ctrl_c().ok())
        }

        /// Waits for Ctrl-C. Returns the exit code of a process that Ctrl-C terminates (`STATUS_CONTROL_C_EXIT`).
        pub(super) async fn wait(&mut self) -> i32 {
            match &mut self.0 {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
            0xC000_013A_u32.cast_signed()
        }

        /// Discards signals that have already arrived.
        pub(super) fn discard(&mut self) {
            if let Some(signal) = &mut self.0 {
                let _ = signal.poll_recv(&mut std::task::Context::from_waker(std::task::Waker::noop()));
            }
        }
    }
}
