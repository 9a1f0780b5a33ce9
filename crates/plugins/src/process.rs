//! Starts and stops the processes of plugins. No process continues to run after the host has ended.
//!
//! On Unix, a small shell script starts the plugin in its own process group and reads from a pipe. If the host ends for
//! any reason, the pipe is closed, and the script kills the group. For each process, three threads read its output and
//! wait for it to end. They are threads because Node.js and tokio would interfere with each other's handling of
//! SIGCHLD.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use contract_model::Json;
use tokio::sync::{oneshot, watch};

use crate::error::{Kind, PluginError};
use crate::log::Log;
use crate::manifest::Manifest;
use crate::times::Times;

/// Maximum length of a line in bytes. The rest of a longer line is read as another line.
const LINE: u64 = 64 << 10;
/// Time that a process has to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// Stack size of the threads in bytes.
const STACK: usize = 128 << 10;

/// A shell script that runs the command in its arguments and exits with its exit code. It kills its process group when
/// its standard input is closed, which happens when the host ends. It ignores SIGTERM, because this signal is sent to
/// the whole group, and the script must wait for the plugin.
#[cfg(unix)]
const KEEPER: &str = r#"exec 3<&0
"$@" </dev/null 3<&- &
child=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
exec 3<&-
trap : TERM
while :; do
  wait "$child"; code=$?
  kill -0 "$child" 2>/dev/null || break
done
exit "$code""#;

/// The line of JSON in which a plugin announces its port and server key.
#[derive(Clone, PartialEq)]
pub(crate) struct Handshake {
    pub(crate) port: u16,
    pub(crate) key: String,
}

/// A running process. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Process {
    id: u32,
    pub(crate) log: Arc<Log>,
    /// How the process ended, such as `exit code 1`; `None` while it is running.
    exit: watch::Receiver<Option<String>>,
    /// The standard input of the process. It is closed when the host ends.
    alive: Mutex<Option<ChildStdin>>,
}

impl Process {
    /// Starts the process and waits until it announces its port.
    pub(crate) async fn start(
        manifest: &Manifest,
        environment: &[(&str, String)],
        times: Times,
    ) -> Result<(Self, Handshake), PluginError> {
        let title = manifest.title();
        let failed =
            |problem: String| PluginError::new(Kind::Start, format!("the plugin {title} did not start: {problem}"));
        let program = &manifest.program;
        if let Some(problem) = manifest.unusable() {
            return Err(failed(problem));
        }
        let mut command = command(manifest);
        command
            .args(&manifest.args)
            .current_dir(&manifest.directory)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command
            .spawn()
            .map_err(|error| failed(format!("{}: {error}", program.display())))?;
        let (process, announced) = Self::watch(child).map_err(|error| failed(error.to_string()))?;
        let mut exit = process.exit.clone();
        let problem = tokio::select! {
            biased;
            announced = announced => if let Ok(handshake) = announced {
                process.log.hide(&handshake.key);
                return Ok((process, handshake));
            } else {
                // The standard output was closed, so the process has ended or is about to end.
                let ended = tokio::time::timeout(GRACE, exit.wait_for(Option::is_some)).await;
                let cause = ended.ok().and_then(Result::ok).and_then(|cause| cause.clone());
                cause.map_or_else(
                    || "it closed its standard output without writing its port".to_owned(),
                    |cause| format!("its process ended ({cause}) without writing its port"),
                )
            },
            () = tokio::time::sleep(times.start) => format!(
                "it did not write the line {{\"port\": …, \"serverKey\": …}} to standard output within {}. If it needs longer, \
                 {}",
                seconds(times.start),
                times.start_raised_by
            ),
        };
        let output = process.log.last_output();
        Err(failed(problem).after(output))
    }

    fn watch(mut child: Child) -> std::io::Result<(Self, oneshot::Receiver<Handshake>)> {
        let log = Arc::new(Log::default());
        let (sender, announced) = oneshot::channel();
        let (ended, exit) = watch::channel(None);
        let id = child.id();
        let alive = Mutex::new(child.stdin.take());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let process = Self {
            id,
            log: Arc::clone(&log),
            exit,
            alive,
        };
        let (reads, read) = mpsc::channel::<()>();
        // Start the waiting thread first, so that the process is waited for even if the other threads cannot be
        // started.
        thread("contract-plugin-end", move || {
            let cause = match child.wait() {
                Ok(status) => end_of(status),
                Err(error) => error.to_string(),
            };
            // This also kills the child processes of the plugin.
            kill(id, Signal::Kill);
            // The last lines of output should be available when the end is reported. Another process may keep the
            // output open, so the wait is limited.
            let _ = read.recv_timeout(GRACE / 2);
            ended.send_replace(Some(cause));
        })?;
        if let Some(stdout) = stdout {
            let log = Arc::clone(&log);
            let mut sender = Some(sender);
            let reads = reads.clone();
            thread("contract-plugin-out", move || {
                let _reads = reads;
                lines(stdout, |line| {
                    let announced = if sender.is_some() { handshake(line) } else { None };
                    match (announced, sender.take()) {
                        (Some(announced), Some(sender)) => {
                            log.hide(&announced.key);
                            // This fails if the timeout for the first line has expired.
                            let _ = sender.send(announced);
                        }
                        (_, untold) => {
                            sender = untold;
                            log.add(line);
                        }
                    }
                });
            })?;
        }
        if let Some(stderr) = stderr {
            thread("contract-plugin-err", move || {
                let _reads = reads;
                lines(stderr, |line| log.add(line));
            })?;
        }
        Ok((process, announced))
    }

    /// Returns how the process ended, such as `exit code 1`, or `None` while it is running.
    pub(crate) fn ended(&self) -> Option<String> {
        self.exit.borrow().clone()
    }

    /// Waits for the process to end. Returns how it ended, such as `exit code 1`.
    pub(crate) async fn end(&self) -> String {
        let mut exit = self.exit.clone();
        let ended = exit.wait_for(Option::is_some).await;
        ended
            .ok()
            .and_then(|cause| cause.clone())
            .unwrap_or_else(|| "unknown exit status".to_owned())
    }

    /// Returns the process ID. On Unix, it is also the ID of the process group.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Process {
    /// Sends SIGTERM, and kills the process if it does not end in time. Does not block.
    fn drop(&mut self) {
        let alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.ended().is_some() {
            return;
        }
        let (id, exit) = (self.id, self.exit.clone());
        kill(id, Signal::End);
        let last = move || {
            let deadline = std::time::Instant::now() + GRACE;
            while exit.borrow().is_none() && std::time::Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
            if exit.borrow().is_none() {
                kill(id, Signal::Kill);
            }
            drop(alive);
        };
        if thread("contract-plugin-stop", last).is_err() {
            kill(id, Signal::Kill);
        }
    }
}

fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK);
    builder.spawn(run).map(drop)
}

#[cfg(unix)]
fn command(manifest: &Manifest) -> Command {
    use std::os::unix::process::CommandExt;
    let shell = std::path::Path::new("/bin/sh");
    let mut command = if shell.exists() {
        let mut command = Command::new(shell);
        command.args(["-c", KEEPER, "sh"]).arg(&manifest.program);
        command
    } else {
        Command::new(&manifest.program)
    };
    command.process_group(0);
    command
}

#[cfg(not(unix))]
fn command(manifest: &Manifest) -> Command {
    Command::new(&manifest.program)
}

#[derive(Clone, Copy)]
enum Signal {
    End,
    Kill,
}

/// Sends a signal to the process group. Does nothing if the group no longer exists.
#[cfg(unix)]
fn kill(id: u32, signal: Signal) {
    let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) else {
        return;
    };
    let signal = match signal {
        Signal::End => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    let _ = rustix::process::kill_process_group(group, signal);
}

/// Ends the process and its child processes with `taskkill`, because Windows does not support signals.
#[cfg(not(unix))]
fn kill(id: u32, signal: Signal) {
    if matches!(signal, Signal::Kill) {
        let _ = Command::new("taskkill")
            .args(["/F", "/T", "/PID", &id.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

fn end_of(status: std::process::ExitStatus) -> String {
    match status.code() {
        // Shells report a signal as 128 plus the number of the signal.
        Some(code @ 129..=192) => format!("signal {}", code - 128),
        Some(code) => format!("exit code {code}"),
        None => signal_of(status),
    }
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    status
        .signal()
        .map_or_else(|| status.to_string(), |number| format!("signal {number}"))
}

#[cfg(not(unix))]
fn signal_of(status: std::process::ExitStatus) -> String {
    status.to_string()
}

/// Reads lines until the end, because the process would block if its output were not read. Replaces invalid UTF-8.
fn lines(from: impl Read, mut each: impl FnMut(&str)) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match from.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => each(&String::from_utf8_lossy(&line)),
        }
    }
}

/// Parses the line that announces the port. Returns `None` for all other lines, which are log output, even if they are
/// JSON.
fn handshake(line: &str) -> Option<Handshake> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    let announced = Json::parse(line.as_bytes()).ok()?;
    let port = announced.get("port")?.as_u64()?;
    Some(Handshake {
        port: u16::try_from(port).ok().filter(|port| *port != 0)?,
        key: announced.get("serverKey")?.as_str()?.to_owned(),
    })
}

pub(crate) fn seconds(time: Duration) -> String {
    if time == Duration::from_secs(1) {
        "1 second".to_owned()
    } else {
        format!("{} seconds", time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::handshake;

    #[test]
    fn parses_the_handshake() {
        for (line, want) in [
            (r#" {"port": 7, "serverKey": "k", "more": 1} "#, Some((7, "k"))),
            (r#"{"level":"info","message":"starting"}"#, None),
            (r#"{"port": 70000, "serverKey": "k"}"#, None),
            (r#"{"port": 0, "serverKey": "k"}"#, None),
            (r#"{"port": "7", "serverKey": "k"}"#, None),
            (r#"{"port": 7"#, None),
            ("port 7", None),
        ] {
            let found = handshake(line);
            assert_eq!(
                found.as_ref().map(|parsed| (parsed.port, parsed.key.as_str())),
                want,
                "{line}"
            );
        }
    }
}
