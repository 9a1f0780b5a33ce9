//! Tests transports in both versions of the interface.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use contract_model::Json;
use contract_plugins::{
    Configuration, EntryKind, MetadataValue, MockServerRequest, Plugin, TransportInteraction, VerificationRequest,
};

use crate::support::{LONG, Place, object};

fn interaction(pair: &str) -> TransportInteraction {
    let mut kept = object("{}");
    kept.insert("pair", pair);
    TransportInteraction {
        kind: "Synchronous/Messages".into(),
        configuration: Configuration {
            interaction: kept,
            ..Configuration::default()
        },
        consumer: "web".into(),
        provider: "shop".into(),
    }
}

fn ask(port: u16, name: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(format!("{name}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_a_mock_server_of_a_plugin() {
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        assert!(plugin.has(EntryKind::Transport, "pairs"));
        let request = MockServerRequest {
            host: "127.0.0.1",
            port: 0,
            tls: false,
            contract: r#"{"interactions": ["pair:colour=red"]}"#,
            interactions: &[interaction("colour=red")],
            context: &object("{}"),
        };
        let server = plugin.start_mock_server(request.clone(), LONG).await.unwrap();
        assert!(!plugin.mock_server_results(&server.key, LONG).await.unwrap().ok);
        assert_eq!(ask(server.port, "colour"), "red");
        assert!(plugin.mock_server_results(&server.key, LONG).await.unwrap().ok);
        assert_eq!(ask(server.port, "size"), "?");
        let results = plugin.shutdown_mock_server(&server.key, LONG).await.unwrap();
        assert!(!results.ok);
        assert_eq!(results.results[1].error, "no pair size");
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = plugin
            .start_mock_server(MockServerRequest { port, ..request }, LONG)
            .await
            .unwrap_err();
        assert!(
            error
                .message()
                .starts_with("the plugin pairs 1.0.0 could not start a mock server: "),
            "{error}"
        );
    }
}

async fn verify(plugin: &Plugin, port: u16, want: &str) -> contract_plugins::PluginVerification {
    let mut config = object(r#"{"host": "127.0.0.1"}"#);
    config.insert("port", Json::parse(port.to_string().as_bytes()).unwrap());
    let pair = format!("colour={want}");
    let contract = format!(r#"{{"interactions": ["pair:{pair}"]}}"#);
    let request = VerificationRequest {
        contract: &contract,
        key: "k",
        interaction: &interaction(&pair),
        config: &config,
        context: &object("{}"),
    };
    let mut prepared = plugin.prepare(&request, LONG).await.unwrap();
    assert_eq!(prepared.body.bytes(), "colour");
    assert_eq!(
        prepared.metadata,
        [("host".to_owned(), MetadataValue::Json("127.0.0.1".into()))]
    );
    prepared
        .metadata
        .push(("token".into(), MetadataValue::Json("t".into())));
    plugin.verify(&request, &prepared, LONG).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verifies_with_a_plugin() {
    let provider = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = provider.local_addr().unwrap().port();
    // There are two versions with two requests each.
    let serving = std::thread::spawn(move || {
        for _ in 0..4 {
            let (mut stream, _) = provider.accept().unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap())
                .read_line(&mut line)
                .unwrap();
            assert_eq!(line, "colour\n");
            stream.write_all(b"red\n").unwrap();
        }
    });
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        let good = verify(&plugin, port, "red").await;
        assert!(good.success);
        assert_eq!(good.output, ["asked over pairs, token true"]);
        assert_eq!(good.response.unwrap().body.bytes(), "red");
        let bad = verify(&plugin, port, "blue").await;
        assert!(!bad.success);
        assert_eq!(bad.mismatches[0].message, "the value is red, not blue");
        assert_eq!(bad.errors, ["the pairs differ"]);
    }
    serving.join().unwrap();
}
