//! What a broker is, and what it lets one do.

use contract_model::Json;
use http::Method;

use crate::client::{BrokerClient, Place, Sent};
use crate::error::{BrokerError, BrokerErrorKind};

impl BrokerClient {
    /// What answers, as far as it says so: a name and a version.
    pub async fn product(&self) -> Result<Option<String>, BrokerError> {
        let answer = self.ask(Method::GET, "/", None).await?;
        let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
        let blank = |text: &str| self.secrets().blank(text).into_owned();
        let version = header("x-pact-broker-version").map(|version| format!("broker {version}"));
        let product = version.or_else(|| header("server").map(str::to_owned));
        Ok(product.as_deref().map(blank))
    }

    /// Whether whoever asks may publish. Nothing is changed: a publication of nothing is sent, which every broker refuses,
    /// and refuses for another reason to those who may not.
    pub async fn may_write(&self) -> Result<(), BrokerError> {
        let place = Place {
            relation: "pb:publish-contracts",
            path: "/contracts/publish",
        };
        let url = self.place(&place, &[]).await?;
        match self.send(Method::POST, &url, Sent::again(&Json::object())).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == BrokerErrorKind::Refused => Ok(()),
            Err(error) => Err(error),
        }
    }
}
