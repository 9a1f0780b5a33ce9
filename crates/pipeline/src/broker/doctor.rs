//! Checks the connection to a broker and the permissions of the credentials.

use contract_broker_client::{BrokerClient, BrokerError, BrokerErrorKind};

use super::failure::{BrokerFailure, code_of};
use super::reply::BrokerReply;
use super::values::{Check, CheckName, Diagnosis};

pub(super) async fn doctor(client: BrokerClient) -> Result<BrokerReply<Diagnosis>, BrokerFailure> {
    let reading = client.index().await;
    let is_reached = reading.as_ref().err().is_none_or(|error| error.status().is_some());
    let answers = format!("{} is reachable", client.url());
    let mut checks = vec![match &reading {
        Err(error) if !is_reached => check(CheckName::Reach, Err(error)),
        _ => check(CheckName::Reach, Ok(&answers)),
    }];
    if is_reached {
        checks.push(check(
            CheckName::Read,
            reading.as_ref().map(|_| "these credentials can read"),
        ));
    }
    if let Ok(index) = &reading {
        let writing = client.may_write().await;
        checks.push(check(
            CheckName::Write,
            writing.as_ref().map(|()| "these credentials can publish contracts"),
        ));
        let publishing = if index.link("pb:publish-contracts").is_some() {
            "the broker supports branches, build URLs, and publishing multiple contracts at once"
        } else {
            "the broker supports tags, but no branches and build URLs, and can publish only one contract at a time; update \
             the broker"
        };
        checks.push(check(CheckName::Publishing, Ok(publishing)));
    }
    let product = client.product().await.ok().flatten();
    Ok(BrokerReply::new(&Diagnosis {
        broker: client.url(),
        product: product
            .filter(|_| is_reached)
            .map(|product| contract_report::escape_text(&product)),
        credentials: client.credentials_kind(),
        ok: checks.iter().all(|check| check.ok),
        checks,
    }))
}

fn check(name: CheckName, outcome: Result<&str, &BrokerError>) -> Check {
    let error = match outcome {
        Ok(text) => {
            return Check {
                name,
                ok: true,
                text: text.to_owned(),
                kind: None,
            };
        }
        Err(error) => error,
    };
    let text = match error.kind() {
        BrokerErrorKind::Forbidden => format!("access denied: {error}"),
        _ => error.to_string(),
    };
    let code = code_of(error.kind());
    let kind = code.strip_prefix("ERR_CONTRACT_BROKER_").unwrap_or(code);
    Check {
        name,
        ok: false,
        text: contract_report::escape_text(&text),
        kind: Some(kind.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use contract_broker_client::{BrokerError, BrokerErrorKind};

    use super::{CheckName, check};

    #[test]
    fn texts_of_the_broker_are_escaped() {
        for kind in [BrokerErrorKind::Failed, BrokerErrorKind::Forbidden] {
            let error = BrokerError::new(kind, "status 500: \u{1b}[2J\u{202e}x\n::error::y");
            let text = check(CheckName::Read, Err(&error)).text;
            assert!(text.contains("␛[2J\\u{202e}x"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        }
    }
}
