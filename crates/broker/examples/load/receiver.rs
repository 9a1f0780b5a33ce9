//! Receives the requests of webhooks.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::json;

use crate::client::Client;

/// Starts a receiver that accepts each request, until the process ends. Returns its URL.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| crate::fail(&error.to_string()));
    let address = listener
        .local_addr()
        .unwrap_or_else(|error| crate::fail(&error.to_string()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // If the response fails, the broker retries the request.
            let _ = answer(stream);
        }
    });
    format!("http://{address}/")
}

/// Replaces the webhooks of the broker with a single one for all contracts, which sends its requests to `url`.
pub(crate) fn subscribe(client: &mut Client, url: &str) {
    let listed = client.get("/webhooks").json();
    for webhook in listed["_links"]["pb:webhooks"].as_array().into_iter().flatten() {
        let known = webhook["href"].as_str().and_then(|href| href.splitn(4, '/').nth(3));
        client.send("DELETE", &format!("/{}", known.unwrap_or_default()), "");
    }
    let webhook = json!({
        "events": [{ "name": "contract_content_changed" }, { "name": "provider_verification_published" }],
        "request": {
            "method": "POST",
            "url": url,
            "headers": { "content-type": "application/json" },
            "body": { "pact": "${pactbroker.pactUrl}", "result": "${pactbroker.verificationResultUrl}" },
        },
    });
    let created = client.send("POST", "/webhooks", &webhook.to_string());
    if created.status != 201 {
        crate::fail(&format!(
            "the webhook was rejected: {}",
            String::from_utf8_lossy(&created.body)
        ));
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    // The requests are small, so they arrive at once.
    let mut buffer = [0; 8 * 1024];
    let _ = stream.read(&mut buffer)?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}
