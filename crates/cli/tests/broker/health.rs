//! Tests `contract-broker health`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Output;
use std::thread;

use crate::process::{command, start};

fn health(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let all: Vec<&str> = ["health"].iter().chain(arguments).copied().collect();
    command(&all, variables).output().expect("the executable starts")
}

#[track_caller]
fn check(output: &Output, status: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(output.status.code(), Some(status));
}

/// A server that sends the same response to each request.
fn server(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 1000]);
            let _ = connection.write_all(response.as_bytes());
        }
    });
    address
}

#[test]
fn a_running_broker_responds_without_credentials() {
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--db",
        "memory",
        "--stop-with-stdin",
    ];
    let variables = [
        ("CONTRACT_BROKER_BASIC_AUTH_USERNAME", "ci"),
        ("CONTRACT_BROKER_BASIC_AUTH_PASSWORD", "secret"),
    ];
    let broker = start(command(&arguments, &variables));
    let address = &broker.address;
    let expected = format!("The broker at {address} responds.\n");
    check(&health(&["--listen", address], &[]), 0, &expected, "");
    // The image of the broker listens on all addresses.
    let port = address.rsplit(':').next().expect("a port");
    for listen in [format!("0.0.0.0:{port}"), port.to_owned()] {
        check(&health(&[], &[("CONTRACT_BROKER_LISTEN", &listen)]), 0, &expected, "");
    }
}

#[test]
fn a_broker_that_does_not_respond_is_an_error() {
    let unused = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").to_string()
    };
    let output = health(&["--listen", &unused], &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    let expected = format!("the broker at {unused} does not respond: Connection refused");
    assert!(error.contains(&expected), "{error}");
    assert_eq!(output.status.code(), Some(4));

    let output = health(&["--listen", &server("")], &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("does not respond: unexpected end of file"), "{error}");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn an_error_of_the_server_is_an_error() {
    let address = server("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
    let output = health(&["--listen", &address], &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    let expected = format!("the broker at {address} responds with \"HTTP/1.1 503 Service Unavailable\"");
    assert!(error.contains(&expected), "{error}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn only_the_connection_to_a_broker_with_https_is_checked() {
    let address = server("");
    let expected = format!("The broker at {address} responds.\n");
    let variables = [("CONTRACT_BROKER_TLS_CERTIFICATE", "/certificate.pem")];
    check(&health(&["--listen", &address], &variables), 0, &expected, "");
}

#[test]
fn an_invalid_address_is_rejected() {
    let output = health(&["--listen", "nowhere"], &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("--listen nowhere is not an address with a port"),
        "{error}"
    );
    assert_eq!(output.status.code(), Some(2));
}
