//! Diagnoses the connection to a broker.

use contract_broker_client::{BrokerClient, BrokerError, BrokerErrorKind};
use contract_model::{Json, Object};

use super::failure::{BrokerFailure, code_of};
use super::reply::BrokerReply;
use contract_call::json::or_null;

pub(super) async fn doctor(client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let reading = client.index().await;
    let is_reached = reading.as_ref().err().is_none_or(|error| error.status().is_some());
    let answers = format!("{} is reachable", client.url());
    let mut checks = vec![match &reading {
        Err(error) if !is_reached => check("reach", Err(error)),
        _ => check("reach", Ok(&answers)),
    }];
    if is_reached {
        checks.push(check("read", reading.as_ref().map(|_| "these credentials can read")));
    }
    if let Ok(index) = &reading {
        let writing = client.may_write().await;
        checks.push(check(
            "write",
            writing
                .as_ref()
                .map(|()| "these credentials can publish contracts and record deployments"),
        ));
        let publishing = if index.link("pb:publish-contracts").is_some() {
            "the broker supports branches, build URLs, and publishing several contracts at once"
        } else {
            "the broker supports only single contracts and tags; update the broker"
        };
        checks.push(check("publishing", Ok(publishing)));
    }
    let product = client.product().await.ok().flatten();
    let product = product.map(|product| contract_report::escape_text(&product));
    let is_well = checks
        .iter()
        .all(|check| check.get("ok").and_then(Json::as_bool) == Some(true));
    let mut value = Object::new();
    value.insert("broker", client.url());
    value.insert("product", or_null(product.filter(|_| is_reached)));
    value.insert("credentials", client.credentials_kind());
    value.insert("ok", is_well);
    value.insert("checks", checks);
    Ok(Json::from(value).into())
}

fn check(name: &str, outcome: Result<&str, &BrokerError>) -> Json {
    let mut out = Object::new();
    out.insert("name", name);
    out.insert("ok", outcome.is_ok());
    match outcome {
        Ok(text) => drop(out.insert("text", text)),
        Err(error) => {
            let text = match error.kind() {
                BrokerErrorKind::Forbidden => format!("access denied: {error}"),
                _ => error.to_string(),
            };
            out.insert("text", contract_report::escape_text(&text));
            let code = code_of(error.kind());
            let kind = code.strip_prefix("ERR_CONTRACT_BROKER_").unwrap_or(code);
            out.insert("kind", kind.to_ascii_lowercase());
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use contract_broker_client::{BrokerError, BrokerErrorKind};

    use super::check;

    #[test]
    fn texts_of_the_broker_are_escaped() {
        for kind in [BrokerErrorKind::Failed, BrokerErrorKind::Forbidden] {
            let error = BrokerError::new(kind, "status 500: \u{1b}[2J\u{202e}x\n::error::y");
            let text = check("read", Err(&error)).to_text();
            assert!(text.contains("␛[2J\\\\u{202e}x"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        }
    }
}
