//! A minimal HTTP client with one persistent connection. It takes so little time that the measurements show the broker
//! alone.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) struct Client {
    address: SocketAddr,
    /// Header lines that every request contains.
    headers: String,
    accept: &'static str,
    stream: Option<BufReader<TcpStream>>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            headers: String::new(),
            accept: "application/hal+json",
            stream: None,
        }
    }

    /// Creates a client that authenticates with an API token.
    pub(crate) fn with_token(address: SocketAddr, token: &str) -> Self {
        Self {
            headers: format!("authorization: Bearer {token}\r\n"),
            ..Self::new(address)
        }
    }

    /// Creates a client that requests HTML pages, like a browser.
    pub(crate) fn for_pages(address: SocketAddr, token: &str) -> Self {
        Self {
            headers: format!("authorization: Bearer {token}\r\naccept-encoding: gzip\r\n"),
            accept: "text/html,*/*;q=0.8",
            ..Self::new(address)
        }
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "")
    }

    /// Sends a request and returns the response. Exits if the broker does not respond.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) -> Answer {
        self.exchange(method, path, body)
            .unwrap_or_else(|error| crate::fail(&format!("{method} {path}: {error}")))
    }

    fn exchange(&mut self, method: &str, path: &str, body: &str) -> Result<Answer> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            closed => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_nodelay(true)?;
                closed.insert(BufReader::new(stream))
            }
        };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\naccept: {}\r\n{}",
            self.address, self.accept, self.headers
        );
        if !body.is_empty() {
            request += "content-type: application/json\r\ncontent-length: ";
            request += &body.len().to_string();
            request += "\r\n";
        }
        request += "\r\n";
        request += body;
        stream.get_mut().write_all(request.as_bytes())?;
        let head = read_head(stream)?;
        let status = head.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let length = head.iter().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body)?;
        let status = status.ok_or_else(|| Error::new(ErrorKind::InvalidData, "no status"))?;
        Ok(Answer { status, body })
    }
}

fn read_head(stream: &mut BufReader<TcpStream>) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the connection was closed"));
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(lines);
        }
        lines.push(line.to_owned());
    }
}
