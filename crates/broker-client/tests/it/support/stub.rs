//! A server with programmed replies that records its requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Sends a response with this status, these header lines, and this body.
    Answer(u16, Vec<String>, String),
    /// Sends these bytes instead of a well-formed response.
    Raw(Vec<u8>),
    /// Closes the connection without a response.
    Cut,
    /// Never responds.
    Never,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::Answer(
            status,
            vec!["content-type: application/hal+json".to_owned()],
            body.to_owned(),
        )
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Answer(status, headers, body) => {
                let lines: String = headers.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect();
                format!(
                    "HTTP/1.1 {status} X\r\n{lines}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                )
                .into_bytes()
            }
            Self::Raw(bytes) => bytes.clone(),
            Self::Cut | Self::Never => Vec::new(),
        }
    }
}

pub(crate) struct Stub {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Stub {
    /// `answer` receives the request and the number of earlier requests.
    pub(crate) async fn start(answer: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, seen) = (Arc::new(answer), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                tokio::spawn(async move {
                    let mut stream = stream;
                    let Some(request) = read(&mut stream).await else {
                        return;
                    };
                    let at = {
                        let mut seen = seen.lock().expect("no panic");
                        seen.push(request.clone());
                        seen.len() - 1
                    };
                    write(&mut stream, &answer(&request, at)).await;
                });
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }
}

pub(crate) async fn write(stream: &mut (impl AsyncWrite + Unpin), reply: &Reply) {
    if matches!(reply, Reply::Never) {
        return std::future::pending().await;
    }
    // The client may have disconnected.
    let _ = stream.write_all(&reply.bytes()).await;
    let _ = stream.shutdown().await;
}

pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(Some(0), |text| text.parse().ok())?;
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked {
        method,
        target,
        headers,
        body: String::from_utf8_lossy(&bytes[end + 4..]).into_owned(),
    })
}
