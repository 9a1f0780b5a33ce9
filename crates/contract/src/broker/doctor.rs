//! Which broker, which credentials, what they may do, and why not.

use contract_broker_client::{BrokerError, BrokerErrorKind};
use contract_model::{Json, Object};

use super::access::Call;
use super::arguments::Nothing;
use super::failure::{BrokerFailure, code_of};
use super::reply::{BrokerReply, or_null};

pub(super) async fn doctor(call: &Call<'_>, _: &Nothing) -> Result<BrokerReply, BrokerFailure> {
    let client = call.client()?;
    let mut checks: Vec<Json> = Vec::new();
    let reading = client
        .index()
        .await
        .map(|index| index.link("pb:publish-contracts").is_some());
    let reached = match &reading {
        Err(error) if error.status().is_none() => {
            checks.push(check("reach", Err(error), ""));
            false
        }
        _ => {
            checks.push(check("reach", Ok(()), &format!("{} answers", client.url())));
            true
        }
    };
    if reached {
        let is_recent = reading.as_ref().copied().unwrap_or_default();
        checks.push(match &reading {
            Ok(_) => check("read", Ok(()), "they may read"),
            Err(error) => check("read", Err(error), ""),
        });
        if reading.is_ok() {
            let outcome = client.may_write().await;
            checks.push(match &outcome {
                Ok(()) => check("write", Ok(()), "they may publish and record"),
                Err(error) => check("write", Err(error), ""),
            });
            let text = if is_recent {
                "it takes several contracts at once, branches and build URLs"
            } else {
                "it takes contracts one by one, and knows tags alone; update it"
            };
            checks.push(check("publishing", Ok(()), text));
        }
    }
    let product = client.product().await.ok().flatten();
    let is_well = checks
        .iter()
        .all(|check| check.get("ok").and_then(Json::as_bool) == Some(true));
    let mut value = Object::new();
    value.insert("broker", client.url());
    value.insert("product", or_null(product.filter(|_| reached)));
    value.insert("credentials", client.credentials_kind());
    value.insert("ok", is_well);
    value.insert("checks", checks);
    Ok(Json::from(value).into())
}

fn check(name: &str, outcome: Result<(), &BrokerError>, good: &str) -> Json {
    let mut out = Object::new();
    out.insert("name", name);
    out.insert("ok", outcome.is_ok());
    match outcome {
        Ok(()) => out.insert("text", good),
        Err(error) => {
            let text = match error.kind() {
                BrokerErrorKind::Forbidden => format!("they may not: {error}"),
                _ => error.to_string(),
            };
            out.insert("text", text.as_str());
            let code = code_of(error.kind());
            let kind = code.strip_prefix("ERR_CONTRACT_BROKER_").unwrap_or(code);
            out.insert("kind", kind.to_ascii_lowercase())
        }
    };
    out.into()
}
