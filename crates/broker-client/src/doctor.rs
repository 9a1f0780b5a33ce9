//! Diagnostics: identifies the broker software, and checks whether the credentials allow publishing.

use contract_model::Json;
use http::Method;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::error::{BrokerError, BrokerErrorKind};

impl BrokerClient {
    /// Returns the version in the `X-Pact-Broker-Version` header, such as `broker 2.120.0`, or else the `Server`
    /// header. Returns `None` if the broker sends neither.
    pub async fn product(&self) -> Result<Option<String>, BrokerError> {
        let response = self.request(Method::GET, "/", None).await?;
        let header = |name: &str| response.headers.get(name).and_then(|value| value.to_str().ok());
        let redacted = |text: &str| self.secrets().redact(text).into_owned();
        let version = header("x-pact-broker-version").map(|version| format!("broker {version}"));
        let product = version.or_else(|| header("server").map(str::to_owned));
        Ok(product.as_deref().map(redacted))
    }

    /// Returns an error if the credentials do not allow publishing. Changes nothing: sends an empty publication, which
    /// brokers reject as invalid only if the credentials are sufficient.
    pub async fn may_write(&self) -> Result<(), BrokerError> {
        let place = IndexLink {
            relation: "pb:publish-contracts",
            path: "/contracts/publish",
        };
        let url = self.index_url(&place, &[]).await?;
        match self
            .send(Method::POST, &url, RequestBody::repeatable(&Json::object()))
            .await
        {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == BrokerErrorKind::Refused => Ok(()),
            Err(error) => Err(error),
        }
    }
}
