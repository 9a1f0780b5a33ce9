use std::io::Read;

use tokio::sync::oneshot;

/// The process ID of the Node.js launcher. The broker stops when the launcher has ended.
#[cfg(unix)]
const LAUNCHER: &str = "CONTRACT_LAUNCHER_PID";
#[cfg(unix)]
const LAUNCHER_POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(500);

/// Requests to stop the broker: signals, the end of standard input, and the end of its launcher. Signals are handled as soon as this
/// value exists.
pub(super) struct Shutdown {
    signals: signals::Signals,
    stdin: Option<oneshot::Receiver<()>>,
}

impl Shutdown {
    /// Must be called within a tokio runtime.
    pub(super) fn new(with_stdin: bool) -> Self {
        Self {
            signals: signals::Signals::new(),
            stdin: with_stdin.then(stdin_closed),
        }
    }

    pub(super) async fn requested(&mut self) {
        let stdin = async {
            match &mut self.stdin {
                // The sender is dropped at the end of standard input.
                Some(closed) => drop(closed.await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.signals.wait() => (),
            () = stdin => (),
            () = launcher_ended() => (),
        }
    }
}

fn stdin_closed() -> oneshot::Receiver<()> {
    let (closed, stdin) = oneshot::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 1024];
        while matches!(std::io::stdin().read(&mut bytes), Ok(count) if count > 0) {}
        drop(closed);
    });
    stdin
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
    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) struct Signals(Vec<Signal>);

    impl Signals {
        pub(super) fn new() -> Self {
            let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
            Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
        }

        pub(super) async fn wait(&mut self) {
            std::future::poll_fn(|context| {
                if self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
                    std::task::Poll::Ready(())
                } else {
                    std::task::Poll::Pending
                }
            })
            .await;
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

        pub(super) async fn wait(&mut self) {
            match &mut self.0 {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
    }
}
