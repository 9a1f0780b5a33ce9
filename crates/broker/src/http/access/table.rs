//! Tests the access rules: requests each method of each route with each kind of credentials, and compares the results
//! with `table.txt`. After adding a route, run the test with `UPDATE_GOLDEN=1` and check the diff.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use contract_broker_core::cases::tokens::{self, TokenRequest};
use contract_broker_core::store::{Database, Limits, Store, Tx, TxOutcome};
use contract_broker_domain::access::Pattern;
use contract_broker_domain::rules::Rules;
use tokio::sync::Notify;
use tower_service::Service;

use super::{Access, Permissions};
use crate::http::{App, Metrics, router};
use crate::traffic::{Client, Clients, HttpLimits};
use contract_broker_api::live::Live;
use contract_broker_api::routes;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http/access/table.txt");
/// The credentials of the requests: none, or a token with this scope.
const CREDENTIALS: [&str; 12] = [
    "none",
    "read",
    "publish:web",
    "publish:other",
    "verify:users",
    "verify:other",
    "deploy:production",
    "deploy:staging",
    "deploy:other",
    "webhooks",
    "write",
    "admin",
];
const ROWS: [&str; 8] = [
    "DELETE FROM pacticipant",
    "DELETE FROM environment",
    "INSERT INTO pacticipant (id, name, main_branch, created_at) VALUES (1, 'web', 'main', 0), (2, 'users', 'main', 0)",
    "INSERT INTO version (id, pacticipant_id, number, created_at) VALUES (1, 1, '1', 0)",
    "INSERT INTO environment (id, uuid, name, display_name, production, created_at)
     VALUES (1, 'unprotected', 'staging', 'Staging', 0, 0), (2, 'protected', 'production', 'Production', 1, 0)",
    "INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at)
     VALUES ('unprotected', 1, 1, 1, '', 1, 0), ('protected', 1, 1, 2, '', 1, 0)",
    "INSERT INTO released (uuid, version_id, pacticipant_id, environment_id, is_current, created_at)
     VALUES ('unprotected', 1, 1, 1, 1, 0), ('protected', 1, 1, 2, 1, 0)",
    "DELETE FROM audit",
];
/// A body with the fields that rules read. Handlers that need more fields reject it, but only after access was checked.
const BODY: &str = r#"{"pacticipantName":"web","name":"web","production":true,"label":"x","scopes":["read"]}"#;

struct Broker {
    app: Arc<App>,
    router: Router,
    client: Arc<Client>,
    tokens: Vec<(&'static str, Option<String>)>,
}

impl Broker {
    async fn start(permissions: Permissions) -> Self {
        let store = Store::open(&Database::Memory, &Limits::default()).await;
        let store = store.expect("a database");
        let mut access_tokens = Vec::new();
        for scope in CREDENTIALS {
            let token = async |scope: &str| {
                let request = TokenRequest {
                    label: scope.to_owned(),
                    scopes: vec![scope.to_owned()],
                    days: None,
                };
                let create = move |tx: &mut Tx<'_>| {
                    let (text, _) = tokens::create(tx, &request, "test", 0).unwrap_or_else(|_| panic!("a token"));
                    Ok(TxOutcome::Commit(text))
                };
                store.write(create).await.expect("a stored token")
            };
            access_tokens.push((
                scope,
                if scope == "none" {
                    None
                } else {
                    Some(token(scope).await)
                },
            ));
        }
        let app = Arc::new(App {
            access: Access::new(permissions, store.clone(), Arc::new(|_| ()))
                .await
                .expect("a store"),
            store,
            denials: crate::denials::Denials::default(),
            base_urls: vec![],
            rules: Arc::new(Rules {
                protected_environments: vec![Pattern::parse("production").expect("a pattern")],
                ..Rules::default()
            }),
            log: Arc::new(|_| ()),
            traces: None,
            database: "sqlite",
            metrics: Metrics::default(),
            is_secure: false,
            background_job: Notify::new(),
            sender: Arc::new(contract_broker_remote::webhooks::WebhookSender::new(
                contract_broker_remote::webhooks::WebhookOptions::default(),
                None,
            )),
            known_contents: Arc::default(),
            retention: None,
            deliveries: Notify::new(),
            live: Live::new(0),
        });
        let clients = Clients::new(HttpLimits::default());
        Self {
            router: router(&app),
            app,
            client: Arc::new(clients.admit([127, 0, 0, 1].into()).expect("a client")),
            tokens: access_tokens,
        }
    }

    async fn status(&mut self, method: &str, path: &str, token: Option<&str>) -> u16 {
        let fill = |tx: &mut Tx<'_>| {
            ROWS.iter().try_for_each(|sql| tx.execute(sql, &[]).map(drop))?;
            Ok(TxOutcome::Commit(()))
        };
        if method != "GET" {
            self.app.store.write(fill).await.expect("rows");
        }
        let mut request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", "broker")
            .header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut request = request.body(Body::from(BODY)).expect("a request");
        request.extensions_mut().insert(Arc::clone(&self.client));
        let response = self.router.call(request).await;
        response.expect("a response").status().as_u16()
    }

    /// Returns the credentials that have access. Asserts the responses to all other credentials.
    async fn allowed(&mut self, method: &str, path: &str) -> Vec<&'static str> {
        let mut allowed = Vec::new();
        for (name, token) in self.tokens.clone() {
            match (self.status(method, path, token.as_deref()).await, &token) {
                (401, None) | (403, Some(_)) => {}
                (status @ (401 | 403 | 500..), _) => panic!("{method} {path} with {name}: {status}"),
                _ => allowed.push(name),
            }
        }
        allowed
    }
}

fn paths(route: &str) -> Vec<String> {
    let values = [
        ("{consumer}", "web"),
        ("{provider}", "users"),
        ("{pacticipant}", "web"),
        ("{version}", "1"),
        ("{number}", "1"),
    ];
    let fill = |path: &str, end: &str| {
        let mut path = path.replace("{environment}", end).replace("{uuid}", end);
        for (name, value) in values {
            path = path.replace(name, value);
        }
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, "x");
        }
        path
    };
    if route.contains("{environment}") || route.contains("{uuid}") {
        vec![fill(route, "unprotected"), fill(route, "protected")]
    } else {
        vec![fill(route, "")]
    }
}

fn describe(allowed: &[&str]) -> String {
    if allowed == CREDENTIALS {
        "everyone".to_owned()
    } else if allowed == &CREDENTIALS[1..] {
        "any credentials".to_owned()
    } else {
        allowed.join(" ")
    }
}

#[test]
fn each_route_allows_the_credentials_of_its_rule() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let table = runtime.block_on(async {
        let settings = [
            ("", Permissions::default()),
            (
                " (public read)",
                Permissions {
                    public_read: true,
                    ..Permissions::default()
                },
            ),
            (
                " (public badges)",
                Permissions {
                    public_badges: true,
                    ..Permissions::default()
                },
            ),
        ];
        let mut table = String::new();
        let mut brokers = Vec::new();
        for (name, permissions) in settings {
            brokers.push((name, Broker::start(permissions).await));
        }
        for (route, resource) in routes::all() {
            let methods = resource.methods();
            for method in methods.split(", ").filter(|method| *method != "OPTIONS") {
                for path in paths(&route) {
                    let protected = if path.contains("/protected") {
                        " (protected)"
                    } else {
                        ""
                    };
                    let mut usual = String::new();
                    for (name, broker) in &mut brokers {
                        let allowed = describe(&broker.allowed(method, &path).await);
                        if name.is_empty() || allowed != usual {
                            let _ = writeln!(table, "{method} {route}{protected}{name}: {allowed}");
                        }
                        if name.is_empty() {
                            usual = allowed;
                        }
                    }
                }
            }
        }
        table
    });
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(GOLDEN, &table).expect("a written table");
    }
    let golden = std::fs::read_to_string(GOLDEN).expect("the table");
    assert!(
        golden == table,
        "the table of routes differs; update it with UPDATE_GOLDEN=1:\n{table}"
    );
}
