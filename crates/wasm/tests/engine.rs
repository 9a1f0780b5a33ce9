//! Calls the engine like JavaScript does, with JSON documents and bodies.

use contract_wasm::{Engine, call};
use serde_json::{Value, json};

/// An engine, and helpers for calling it.
#[derive(Default)]
struct Client(Option<Engine>);

impl Client {
    fn send(&mut self, document: &Value, body: &[u8]) -> (Value, Vec<u8>) {
        let (answer, body) = call(&mut self.0, document.to_string().as_bytes(), body.to_vec());
        (serde_json::from_slice(&answer).expect("the answer is JSON"), body)
    }

    fn open(&mut self, contracts: &[(&str, Value)], options: &Value) -> Value {
        let contracts: Vec<_> = contracts
            .iter()
            .map(|(name, document)| json!({"name": name, "text": document.to_string()}))
            .collect();
        let call = json!({"open": {"contracts": contracts, "options": options}});
        self.send(&call, b"").0
    }

    /// Opens contracts that must be valid.
    #[track_caller]
    fn opened(contracts: &[(&str, Value)]) -> Self {
        let mut client = Self::default();
        let outcome = client.open(contracts, &json!({"seed": 1}));
        assert!(outcome.get("opened").is_some(), "{outcome}");
        client
    }

    fn get(&mut self, path: &str, states: &Value) -> (Value, Vec<u8>) {
        self.send(&request("GET", path, &json!([]), states), b"")
    }
}

fn request(method: &str, target: &str, headers: &Value, states: &Value) -> Value {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    json!({"answer": {
        "method": method, "path": path, "query": query, "headers": headers, "states": states,
        "now": 1_782_909_000_000_u64, "baseUrl": "https://api.example.com",
    }})
}

fn contract(interactions: &Value) -> Value {
    json!({
        "consumer": {"name": "web"}, "provider": {"name": "users"}, "interactions": interactions,
        "metadata": {"pactSpecification": {"version": "4.0"}},
    })
}

fn interaction(description: &str, state: Option<&str>, path: &str, response: &Value) -> Value {
    let states: Vec<_> = state
        .iter()
        .map(|name| json!({"name": name, "params": {"id": 1}}))
        .collect();
    json!({
        "type": "Synchronous/HTTP", "description": description, "providerStates": states,
        "request": {"method": "GET", "path": path}, "response": response,
    })
}

#[test]
fn a_matching_request_gets_the_response() {
    let body = json!({"content": {"id": 7}, "contentType": "application/json"});
    let headers =
        json!({"Content-Type": ["application/json"], "Vary": ["A", "B"], "Content-Length": ["9"], "X-City": ["Łódź"]});
    let response = json!({"status": 201, "headers": headers, "body": body});
    let mut client = Client::opened(&[(
        "a.json",
        contract(&json!([interaction("one", None, "/users/7", &response)])),
    )]);
    let (outcome, body) = client.get("/users/7", &Value::Null);
    let matched = &outcome["matched"];
    assert_eq!(matched["status"], 201, "{outcome}");
    assert_eq!(matched["contract"], "a.json");
    assert_eq!(matched["interaction"]["description"], "one");
    assert_eq!(
        matched["headers"],
        json!([
            ["Content-Type", "application/json"],
            ["Vary", "A, B"],
            ["X-City", "Å\u{81}Ã³dÅº"]
        ])
    );
    assert_eq!(body, br#"{"id":7}"#);
    let (outcome, body) = client.send(&request("HEAD", "/users/7", &json!([]), &Value::Null), b"");
    assert!(outcome.get("unmatched").is_some(), "{outcome}");
    assert_eq!(body, b"");
}

#[test]
fn an_unmatched_request_gets_the_closest_interaction() {
    let mut expected = interaction("a search", None, "/users", &json!({"status": 200}));
    expected["request"]["query"] = json!({"q": ["a"]});
    expected["request"]["headers"] = json!({"Authorization": ["Bearer expected-token"]});
    let mut client = Client::opened(&[("a.json", contract(&json!([expected])))]);
    let headers = json!([["authorization", "Bearer received-token"]]);
    let (outcome, _) = client.send(&request("GET", "/users?q=b", &headers, &Value::Null), b"");
    let unmatched = &outcome["unmatched"];
    assert_eq!(unmatched["hasTarget"], true, "{outcome}");
    assert_eq!(unmatched["closest"]["interaction"]["description"], "a search");
    let places: Vec<_> = unmatched["closest"]["mismatches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mismatch| mismatch["place"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["query parameter q", "header Authorization"]);
    assert!(
        !outcome.to_string().contains("-token"),
        "secrets are redacted: {outcome}"
    );

    let (outcome, _) = client.get("/user", &Value::Null);
    let error = outcome["unmatched"]["error"].as_str().unwrap();
    assert!(
        error.starts_with("GET /user: unexpected request. The closest interaction is \"a search\" (GET /users): "),
        "{error}"
    );
    assert_eq!(outcome["unmatched"]["hasTarget"], false);
    let (outcome, _) = client.get("/completely/different/path", &Value::Null);
    assert_eq!(outcome["unmatched"]["closest"], Value::Null);
}

#[test]
fn provider_states_select_the_interaction() {
    let all = json!([
        interaction("any", None, "/users/1", &json!({"status": 200})),
        interaction(
            "missing",
            Some("user 1 is missing"),
            "/users/1",
            &json!({"status": 404})
        ),
        interaction("locked", Some("user 1 is locked"), "/users/2", &json!({"status": 423})),
    ]);
    let mut client = Client::opened(&[("a.json", contract(&all))]);
    let mut status = |path: &str, states: Value| client.get(path, &states).0["matched"]["status"].clone();
    assert_eq!(status("/users/1", Value::Null), 200);
    assert_eq!(status("/users/1", json!([])), 200);
    assert_eq!(status("/users/1", json!([{"name": "user 1 is missing"}])), 404);
    assert_eq!(
        status(
            "/users/1",
            json!([{"name": "user 1 is missing", "parameters": {"id": 1}}])
        ),
        404
    );
    assert_eq!(
        status(
            "/users/1",
            json!([{"name": "user 1 is missing", "parameters": {"id": 2}}])
        ),
        200
    );
    assert_eq!(status("/users/2", Value::Null), 423);
    let (outcome, _) = client.get("/users/2", &json!([{"name": "user 1 is missing"}]));
    assert_eq!(
        outcome["unmatched"]["error"],
        "GET /users/2 matches \"locked\", which requires the provider state \"user 1 is locked\", but the selected \
         provider states are \"user 1 is missing\""
    );
}

#[test]
fn values_are_generated_from_the_seed_and_the_time() {
    let response = json!({
        "status": 200,
        "body": {"content": {"id": "a", "at": "b", "self": "http://localhost/users/1"}, "contentType": "application/json"},
        "generators": {"body": {
            "$.id": {"type": "Uuid"},
            "$.at": {"type": "DateTime", "format": "yyyy-MM-dd"},
            "$.self": {"type": "MockServerURL", "example": "http://localhost/users/1", "regex": ".*(/users/1)$"},
        }},
    });
    let contracts = [("a.json", contract(&json!([interaction("one", None, "/", &response)])))];
    let mut client = Client::opened(&contracts);
    let mut body = || serde_json::from_slice::<Value>(&client.get("/", &Value::Null).1).unwrap();
    let (first, second) = (body(), body());
    assert_eq!(first["at"], "2026-07-01");
    assert_eq!(first["self"], "https://api.example.com/users/1");
    assert_eq!(first["id"].as_str().map(str::len), Some(36));
    assert_ne!(first["id"], second["id"]);
    client.send(&json!({"restart": {}}), b"");
    let again = client.get("/", &Value::Null).1;
    assert_eq!(serde_json::from_slice::<Value>(&again).unwrap(), first);
}

#[test]
fn bodies_of_all_types_are_compared() {
    let kinds: [(&str, &[u8], &[u8]); 4] = [
        ("text/plain", b"hello", b"hallo"),
        ("application/x-www-form-urlencoded", b"a=1&b=2", b"a=1&b=3"),
        ("application/octet-stream", b"\x00\xff", b"\x00\xfe"),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n",
            b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--x--\r\n",
        ),
    ];
    for (content_type, right, wrong) in kinds {
        let mut expected = interaction("an upload", None, "/", &json!({"status": 200}));
        expected["request"]["method"] = json!("POST");
        expected["request"]["headers"] = json!({"Content-Type": [content_type]});
        expected["request"]["body"] = match std::str::from_utf8(right) {
            Ok(text) => json!({"content": text, "contentType": content_type, "encoded": false}),
            Err(_) => json!({"content": "AP8=", "contentType": content_type, "encoded": "base64"}),
        };
        let mut client = Client::opened(&[("a.json", contract(&json!([expected])))]);
        let call = request("POST", "/", &json!([["content-type", content_type]]), &Value::Null);
        let (matched, _) = client.send(&call, right);
        assert!(matched.get("matched").is_some(), "{content_type}: {matched}");
        let (unmatched, _) = client.send(&call, wrong);
        assert!(unmatched.get("unmatched").is_some(), "{content_type}: {unmatched}");
    }
}

#[test]
fn conflicts_are_named_and_the_first_contract_responds() {
    let one = |status: u16| {
        contract(&json!([interaction(
            "user 1",
            None,
            "/users/1",
            &json!({"status": status})
        )]))
    };
    let mut client = Client::default();
    let outcome = client.open(
        &[("b.json", one(200)), ("a.json", one(404)), ("c.json", one(200))],
        &json!({}),
    );
    let named = |contract: &str, status: u16| json!({"contract": contract, "description": "user 1", "status": status});
    assert_eq!(
        outcome["opened"]["conflicts"],
        json!([
            {"request": "GET /users/1", "first": named("b.json", 200), "other": named("a.json", 404)},
            {"request": "GET /users/1", "first": named("a.json", 404), "other": named("c.json", 200)},
        ])
    );
    assert_eq!(client.get("/users/1", &Value::Null).0["matched"]["contract"], "b.json");
}

#[test]
fn invalid_contracts_are_errors() {
    let with = |response: Value| contract(&json!([interaction("one", None, "/", &response)]));
    let mut plugin = with(json!({"status": 200}));
    plugin["interactions"][0]["pluginConfiguration"] = json!({"csv": {}});
    let mut regex = with(json!({"status": 200}));
    regex["interactions"][0]["request"]["matchingRules"] =
        json!({"path": {"combine": "AND", "matchers": [{"match": "regex", "regex": "("}]}});
    for (document, code, part) in [
        (
            json!([]),
            "ERR_CONTRACT_SOURCE",
            "a.json: this JSON document is not a contract",
        ),
        (
            with(json!({"status": "x"})),
            "ERR_CONTRACT_SOURCE",
            "a.json: /interactions/0/response/status: ",
        ),
        (
            with(json!({"status": 101})),
            "ERR_CONTRACT_SOURCE",
            "the status 101 is not supported; use a status from 200 to 599",
        ),
        (
            regex,
            "ERR_CONTRACT_SOURCE",
            "a.json: the interaction \"one\" cannot be served: ",
        ),
        (
            plugin.clone(),
            "ERR_CONTRACT_PLUGIN",
            "a.json: the interaction \"one\" requires the plugin \"csv\". The matching engine does not support plugins.",
        ),
        (contract(&json!([])), "ERR_CONTRACT_SOURCE", "nothing to serve: "),
    ] {
        let mut client = Client::default();
        let failed = client.open(&[("a.json", document)], &json!({}))["failed"].clone();
        assert_eq!(failed["code"], code, "{failed}");
        assert!(failed["message"].as_str().unwrap().contains(part), "{failed}");
        assert!(client.0.is_none());
    }
    let mut client = Client::default();
    let both = [("a.json", plugin), ("b.json", with(json!({"status": 200})))];
    let outcome = client.open(&both, &json!({"ignorePlugins": true}));
    assert_eq!(
        outcome["opened"]["ignored"],
        json!(["a.json: the interaction \"one\" requires the plugin \"csv\""])
    );
    assert_eq!(outcome["opened"]["interactions"][0]["contract"], "b.json");
    let (failed, _) = Client::default().send(&json!({"restart": {}}), b"");
    assert_eq!(failed["failed"]["message"], "no contracts are open");
    let failed = call(&mut None, b"{", Vec::new()).0;
    assert!(String::from_utf8(failed).unwrap().contains("ERR_CONTRACT_ARGUMENTS"));
}

#[test]
fn contracts_are_filtered_by_consumer_and_provider() {
    let document = contract(&json!([interaction("one", None, "/", &json!({"status": 200}))]));
    let mut client = Client::default();
    for (options, found) in [
        (json!({"consumers": ["web"]}), true),
        (json!({"consumers": ["app"]}), false),
        (json!({"consumers": ["web", "app"], "providers": ["users"]}), true),
        (json!({"providers": ["orders"]}), false),
    ] {
        let outcome = client.open(&[("a.json", document.clone())], &options);
        assert_eq!(outcome.get("opened").is_some(), found, "{options}: {outcome}");
    }
}

#[test]
fn contracts_without_a_name_are_named_after_consumer_and_provider() {
    let text = contract(&json!([interaction("one", None, "/", &json!({"status": 200}))])).to_string();
    let mut client = Client::default();
    let (outcome, _) = client.send(&json!({"open": {"contracts": [{"text": text}, {"text": text}]}}), b"");
    let names = ["web-users", "web-users (contract 2)"];
    for (at, name) in names.iter().enumerate() {
        assert_eq!(outcome["opened"]["interactions"][at]["contract"], *name);
    }
    let (failed, _) = client.send(&json!({"open": {"contracts": [{"text": "{"}]}}), b"");
    let message = failed["failed"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("contract 1: the contract is not JSON: "),
        "{message}"
    );
}

#[test]
fn messages_cross_the_memory_of_the_module() {
    let case = json!({"expected": {"path": "/a"}, "actual": {"path": "/b"}}).to_string();
    let document = json!({"compare": {"part": "request", "version": "4.0", "text": case}}).to_string();
    let document = document.as_bytes();
    let size = 8 + document.len();
    let message = contract_wasm::contract_alloc(size);
    let mut bytes = u32::try_from(document.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend(document);
    // SAFETY: the functions of the interface allocated the messages with these sizes.
    let answer = unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), message, size);
        let answer = contract_wasm::contract_call(message, size);
        contract_wasm::contract_free(message, size);
        let head = std::slice::from_raw_parts(answer, 4);
        let length = 8 + usize::try_from(u32::from_le_bytes(head.try_into().unwrap())).unwrap();
        let text = std::slice::from_raw_parts(answer, length)[8..].to_vec();
        contract_wasm::contract_free(answer, length);
        text
    };
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["compared"]["mismatches"][0]["place"], "path");
}
