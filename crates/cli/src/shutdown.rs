//! Detects requests to stop a server that the command line runs.

use std::io::Read;
use std::time::Duration;

use contract::runtime::ResourceError;
use tokio::sync::oneshot;

/// Signals within this time after the first one count as the same request, because a terminal and a launcher can both
/// forward the same Ctrl-C.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// The variable that contains the process ID of the Node.js launcher. The broker stops when the launcher has ended.
#[cfg(unix)]
const LAUNCHER: &str = "CONTRACT_LAUNCHER_PID";
#[cfg(unix)]
const LAUNCHER_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Detects requests to stop the broker: signals, the end of standard input, and the end of its launcher. Signals are
/// handled as soon as this value exists.
pub(crate) struct Shutdown {
    signals: signals::Signals,
    stdin: Option<oneshot::Receiver<()>>,
}

impl Shutdown {
    /// Must be called within a tokio runtime.
    pub(crate) fn new(with_stdin: bool) -> Result<Self, ResourceError> {
        Ok(Self {
            signals: signals::Signals::new(),
            stdin: with_stdin.then(stdin_closed).transpose()?,
        })
    }

    /// Waits for another signal after [`Self::requested`] and returns the exit code for it.
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

/// Waits until the parent process is no longer the launcher. Standard input cannot be used for this, because it belongs
/// to the terminal. On Windows, Node.js puts its child processes into a job that ends with it.
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

        /// Waits for a signal and returns the exit code of a process that is terminated by it.
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

        /// Discards the signals that have arrived.
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

        /// Waits for Ctrl-C and returns the exit code of a process that is terminated by it (`STATUS_CONTROL_C_EXIT`).
        pub(super) async fn wait(&mut self) -> i32 {
            match &mut self.0 {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
            0xC000_013A_u32.cast_signed()
        }

        /// Discards the signals that have arrived.
        pub(super) fn discard(&mut self) {
            if let Some(signal) = &mut self.0 {
                let _ = signal.poll_recv(&mut std::task::Context::from_waker(std::task::Waker::noop()));
            }
        }
    }
}
