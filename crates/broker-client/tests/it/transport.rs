//! Tests connections, retries, redirects, limits, and their error messages.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_client::{
    BrokerClient, BrokerErrorKind, BrokerOptions, Credentials, Retries, Selection, Transport, TransportOptions,
    VerificationResult,
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::support::stub::{self, Asked, Reply, Stub};
use crate::support::{client, options};

const INDEX: &str = r#"{"_links": {"self": {"href": "/"}}}"#;
const NOTHING: &str = r#"{"_embedded": {"pacts": []}}"#;

fn contract() -> Reply {
    Reply::json(
        200,
        r#"{"provider": {"name": "orders"}, "_links": {"pb:publish-verification-results": {"href": "/results"}}}"#,
    )
}

#[tokio::test]
async fn retries_reads() {
    let stub = Stub::start(|_, at| match at {
        0 => Reply::Answer(503, vec!["retry-after: 0".to_owned()], String::new()),
        1 => Reply::Cut,
        2 => Reply::json(500, "{}"),
        _ => Reply::json(200, INDEX),
    })
    .await;
    client(&stub.url).index().await.unwrap();
    assert_eq!(stub.asked().len(), 4);
}

#[tokio::test]
async fn does_not_retry_writes_that_may_be_processed() {
    for reply in [Reply::Cut, Reply::json(500, r#"{"error": {"message": "oh"}}"#)] {
        let stub = Stub::start(move |asked, _| match asked.method.as_str() {
            "GET" => contract(),
            _ => reply.clone(),
        })
        .await;
        let client = client(&stub.url);
        let contract = client.contract("/contract").await.unwrap();
        let result = VerificationResult::default();
        let error = client.publish_result(&contract, &result).await.unwrap_err();
        assert!(
            matches!(error.kind(), BrokerErrorKind::Unreachable | BrokerErrorKind::Failed),
            "{error}"
        );
        assert_eq!(stub.asked().len(), 2, "{error}");
        assert!(client.contract("/contract").await.is_ok(), "the next call is well");
    }
}

#[tokio::test]
async fn retries_writes_that_were_not_processed() {
    for status in [429, 503] {
        let stub = Stub::start(move |asked, at| match (asked.method.as_str(), at) {
            ("GET", _) => contract(),
            (_, 1) => Reply::json(status, "{}"),
            _ => Reply::json(201, r#"{"_links": {"self": {"href": "/results/1"}}}"#),
        })
        .await;
        let client = client(&stub.url);
        let contract = client.contract("/contract").await.unwrap();
        let published = client
            .publish_result(&contract, &VerificationResult::default())
            .await
            .unwrap();
        assert_eq!(published.as_deref(), Some("/results/1"));
        assert_eq!(stub.asked().len(), 3);
    }
}

#[tokio::test]
async fn reports_a_long_retry_after() {
    let stub = Stub::start(|_, _| Reply::Answer(429, vec!["retry-after: 3600".to_owned()], String::new())).await;
    let error = client(&stub.url).index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Failed);
    assert!(
        error
            .to_string()
            .contains("3600 s before the next attempt. Try again after this delay"),
        "{error}"
    );
    assert_eq!(stub.asked().len(), 1);
}

#[tokio::test]
async fn rejects_responses_of_other_servers() {
    let not_a_broker = [
        Reply::Answer(200, vec!["content-type: text/html".to_owned()], "<html>".to_owned()),
        Reply::json(200, "[]"),
        Reply::json(200, "{}"),
        Reply::json(200, "{\"a\": \u{1}"),
        Reply::Raw(b"SSH-2.0-OpenSSH_9\r\n".to_vec()),
        Reply::Answer(302, vec!["location: ftp://a/b".to_owned()], String::new()),
    ];
    for reply in not_a_broker {
        let stub = Stub::start(move |_, _| reply.clone()).await;
        let error = client(&stub.url).index().await.unwrap_err();
        assert_eq!(error.kind(), BrokerErrorKind::NotABroker, "{error}");
        assert!(error.to_string().contains(&stub.url), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[tokio::test]
async fn distinguishes_statuses() {
    for (status, kind, words) in [
        (401, BrokerErrorKind::Unauthorized, "Pass a user name and password"),
        (403, BrokerErrorKind::Forbidden, "required permission"),
        (404, BrokerErrorKind::NotFound, "Check the names"),
        (400, BrokerErrorKind::Refused, "status 400"),
    ] {
        let stub = Stub::start(move |_, _| Reply::json(status, "{}")).await;
        let error = client(&stub.url).index().await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.status(), Some(status));
    }
}

#[tokio::test]
async fn reports_a_refused_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&url).index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unreachable);
    assert_eq!(
        error.to_string(),
        format!("could not connect to {url}: connection refused. Is the broker running? (tried 3 times)")
    );
    // An explicit number of retries applies here, too.
    let mut patient = options(&url);
    patient.transport.retries = Retries {
        first_delay: Duration::from_millis(1),
        ..Retries::times(4)
    };
    let error = BrokerClient::new(patient).unwrap().index().await.unwrap_err();
    assert!(error.message().ends_with("(tried 5 times)"), "{error}");
    let mut once = options("http://broker.invalid");
    once.transport.retries = Retries::none();
    let error = BrokerClient::new(once).unwrap().index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unreachable);
    assert!(
        error
            .to_string()
            .contains("host not found: \"broker.invalid\". Is it spelled correctly?"),
        "{error}"
    );
}

#[tokio::test]
async fn reports_a_timeout() {
    let stub = Stub::start(|_, _| Reply::Never).await;
    let mut impatient = options(&stub.url);
    impatient.transport.timeout = Duration::from_millis(50);
    let error = BrokerClient::new(impatient).unwrap().index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Timeout);
    assert!(
        error.to_string().contains("within 50 ms. If the broker needs longer"),
        "{error}"
    );
    assert_eq!(stub.asked().len(), 1);
}

#[tokio::test]
async fn limits_the_response_size() {
    let long = format!("{{\"_links\": {{}}, \"x\": \"{}\"}}", "x".repeat(10_000));
    let stub = Stub::start(move |_, _| Reply::json(200, &long)).await;
    let mut bounded = options(&stub.url);
    bounded.transport.body_limit = 9_999;
    let error = BrokerClient::new(bounded).unwrap().index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::TooLarge);
    let text = error.to_string();
    assert!(
        text.ends_with("is larger than 9999 bytes"),
        "no option raises the limit: {text}"
    );
    assert!(client(&stub.url).index().await.is_ok());
}

#[tokio::test]
async fn limits_the_total_size_of_pages() {
    let stub = Stub::start(|_, at| {
        let page = format!(
            r#"{{"_links": {{"next": {{"href": "/page/{at}"}}}}, "_embedded": {{"names": [{at}]}}, "x": "{}"}}"#,
            "x".repeat(1_000)
        );
        Reply::json(200, &page)
    })
    .await;
    let mut bounded = options(&stub.url);
    bounded.transport.body_limit = 2_000;
    let error = BrokerClient::new(bounded)
        .unwrap()
        .list("/page", "names")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::TooLarge);
    let text = error.to_string();
    assert!(
        text.contains("more than 4000 bytes") && !text.contains("not a Pact broker"),
        "{text}"
    );
    assert_eq!(stub.asked().len(), 4);
}

#[tokio::test]
async fn sends_credentials_only_to_the_broker() {
    let other = Stub::start(|_, _| Reply::json(200, "{}")).await;
    let elsewhere = other.url.replace("127.0.0.1", "localhost");
    let stub = Stub::start(move |asked, _| match asked.target.as_str() {
        "/moved" => Reply::Answer(307, vec![format!("location: {elsewhere}/new")], String::new()),
        _ => Reply::json(200, "{}"),
    })
    .await;
    let secret = BrokerOptions {
        credentials: Credentials::token("hush"),
        headers: vec![("X-Api".to_owned(), "hush".to_owned())],
        ..options(&stub.url)
    };
    let client = BrokerClient::new(secret).unwrap();
    client.get("/a").await.unwrap();
    client.get("/moved").await.unwrap();
    client.get(&other.url.replace("127.0.0.1", "localhost")).await.unwrap();
    let has = |asked: &Asked| {
        (
            asked.headers.contains_key("authorization"),
            asked.headers.contains_key("x-api"),
        )
    };
    assert!(stub.asked().iter().all(|asked| has(asked) == (true, true)));
    assert_eq!(
        other.asked().iter().map(has).collect::<Vec<_>>(),
        [(false, false), (false, false)]
    );
    assert!(!format!("{client:?}").contains("hush"));
}

#[tokio::test]
async fn corrects_scheme_and_port_of_links() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/" => Reply::json(
            200,
            r#"{"_links": {"pb:provider-pacts-for-verification": {"href": "https://127.0.0.1:1/p/{provider}", "templated": true}}}"#,
        ),
        _ => Reply::json(200, NOTHING),
    })
    .await;
    let found = client(&stub.url)
        .for_verification("a b", &Selection::default())
        .await
        .unwrap();
    assert!(found.is_empty());
    assert_eq!(stub.asked()[1].target, "/p/a%20b");
}

#[tokio::test]
async fn keeps_the_path_of_the_base_url() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/broker/" => Reply::json(200, INDEX),
        "/broker/pacts/provider/orders/for-verification" => Reply::json(200, NOTHING),
        _ => Reply::json(404, "{}"),
    })
    .await;
    for url in [format!("{}/broker", stub.url), format!("{}/broker/", stub.url)] {
        let found = client(&url).for_verification("orders", &Selection::default()).await;
        assert!(found.unwrap().is_empty());
    }
}

#[tokio::test]
async fn uses_proxies() {
    let proxy = Stub::start(|_, _| Reply::json(200, INDEX)).await;
    let mut through = options("http://broker.example");
    through.transport.proxies = contract_wire::Proxies {
        http: Some(proxy.url.replace("http://", "http://me:pw@")),
        ..contract_wire::Proxies::default()
    };
    BrokerClient::new(through).unwrap().index().await.unwrap();
    let asked = proxy.asked();
    assert_eq!(asked[0].target, "http://broker.example/");
    assert_eq!(asked[0].headers["proxy-authorization"], "Basic bWU6cHc=");
}

/// Starts a TLS server with its own certificate. Returns its URL and the certificate in PEM format.
async fn secure() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(tokio_rustls::rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await
                    && stub::read(&mut stream).await.is_some()
                {
                    stub::write(&mut stream, &Reply::json(200, INDEX)).await;
                }
            });
        }
    });
    (url, made.cert.pem())
}

#[tokio::test]
async fn verifies_certificates() {
    let (url, pem) = secure().await;
    let error = client(&url).index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Tls);
    assert!(
        error.to_string().contains("Pass the certificate of its authority"),
        "{error}"
    );
    let mut trusting = options(&url);
    trusting.transport.tls.authorities.push(pem.into_bytes());
    BrokerClient::new(trusting).unwrap().index().await.unwrap();
    let mut careless = options(&url);
    careless.transport.tls.insecure = true;
    BrokerClient::new(careless).unwrap().index().await.unwrap();
    let mut broken = options(&url);
    broken.transport.tls.authorities.push(b"none".to_vec());
    assert_eq!(BrokerClient::new(broken).unwrap_err().kind(), BrokerErrorKind::Settings);
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", plain.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = plain.accept().await {
            let mut hello = [0; 1];
            // Any input: this server does not speak HTTP.
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut hello).await;
            stub::write(&mut stream, &Reply::Raw(b"HTTP/1.1 400 X\r\n\r\n".to_vec())).await;
        }
    });
    let error = client(&url).index().await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Tls, "{error}");
    assert!(
        error.to_string().contains("Does the broker use TLS on this port?"),
        "{error}"
    );
}

#[tokio::test]
async fn reads_documents_from_other_servers() {
    let stub = Stub::start(|_, _| Reply::json(404, "no")).await;
    let transport = Transport::new(TransportOptions {
        retries: Retries::none(),
        ..TransportOptions::default()
    })
    .unwrap();
    let url = stub.url.replace("http://", "http://me:hush@");
    let answer = transport.get(&format!("{url}/a?b=1#c"), &[]).await.unwrap();
    assert_eq!((answer.status, answer.url), (404, format!("{}/a?b=1#c", stub.url)));
    assert_eq!(stub.asked()[0].headers["authorization"], "Basic bWU6aHVzaA==");
    for url in ["a/b", "ftp://me:hush@a/b", "http://me:hush@[/"] {
        let error = transport.get(url, &[]).await.unwrap_err();
        assert_eq!(error.kind(), BrokerErrorKind::Settings);
        assert!(!error.to_string().contains("hush"), "{error}");
    }
}
