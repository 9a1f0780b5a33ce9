//! Administrative operations, which only the command line provides.

use std::sync::OnceLock;

use contract_broker_client::{BrokerClient, plain};
use contract_model::Json;

use super::access::Call;
use super::{Broker, BrokerFailure, BrokerReply, SingleLine};

pub struct TokenArguments {
    pub label: String,
    pub scopes: Vec<String>,
    /// Days until the token expires, or `None` if it does not expire.
    pub days: Option<u64>,
}

impl Broker {
    pub async fn create_token(&self, arguments: TokenArguments) -> Result<BrokerReply, BrokerFailure> {
        let create = async |client: BrokerClient| {
            let TokenArguments { label, scopes, days } = &arguments;
            Ok(client.create_token(label, scopes, *days).await?.into())
        };
        self.administer(create).await
    }

    pub async fn list_tokens(&self, (): ()) -> Result<BrokerReply, BrokerFailure> {
        let list = async |client: BrokerClient| {
            let tokens = client.tokens().await?;
            Ok(BrokerReply::passed_on(
                tokens.iter().map(|token| plain(token).into()).collect::<Vec<Json>>(),
            ))
        };
        self.administer(list).await
    }

    pub async fn revoke_token(&self, id: SingleLine) -> Result<BrokerReply, BrokerFailure> {
        let revoke = async |client: BrokerClient| {
            client.revoke_token(&id).await?;
            Ok(BrokerReply::passed_on(Json::object()))
        };
        self.administer(revoke).await
    }

    /// Returns at most 1,000 entries of the audit log. `query` contains the query parameters that select them.
    pub async fn audit_entries(&self, query: Vec<(&'static str, String)>) -> Result<BrokerReply, BrokerFailure> {
        let list = async |client: BrokerClient| {
            let page = client.audit_entries(&query).await?;
            let entries = page.embedded("entries").to_vec();
            Ok(BrokerReply::passed_on(entries))
        };
        self.administer(list).await
    }

    async fn administer(
        &self,
        call: impl AsyncFnOnce(BrokerClient) -> Result<BrokerReply, BrokerFailure>,
    ) -> Result<BrokerReply, BrokerFailure> {
        let secrets = OnceLock::new();
        let client = Call {
            broker: self,
            secrets: &secrets,
        }
        .client()?;
        let outcome = call(client).await;
        let secrets = secrets.into_inner().unwrap_or_default();
        match outcome {
            Ok(reply) => Ok(reply.without_secrets(&secrets)),
            Err(failure) => Err(failure.without_secrets(&secrets)),
        }
    }
}

impl BrokerReply {
    /// Creates the result of an operation that calls no broker.
    pub fn from_json(value: Json) -> Self {
        Self::passed_on(value)
    }
}
