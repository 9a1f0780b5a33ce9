//! Requests for API tokens and the audit log. Only the broker of this project supports them.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, RequestBody};
use crate::environments::not_found;
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::Resource;

impl BrokerClient {
    /// Creates a token that expires after `days`, or never if `days` is `None`. The response contains the token's
    /// secret, which cannot be retrieved later.
    pub async fn create_token(
        &self,
        label: &str,
        scopes: &[String],
        days: Option<u64>,
    ) -> Result<Resource, BrokerError> {
        let mut body = Object::new();
        body.insert("label", label);
        let scopes: Vec<Json> = scopes.iter().map(|scope| Json::from(scope.as_str())).collect();
        body.insert("scopes", scopes);
        if let Some(days) = days {
            body.insert("expiresInDays", days);
        }
        let url = self.template_url("/admin/tokens", &[])?;
        let created = self.exchange(Method::POST, &url, RequestBody::once(&body.into())).await;
        created.map_err(unsupported)
    }

    /// Returns all tokens without their secrets, newest first.
    pub async fn tokens(&self) -> Result<Vec<Json>, BrokerError> {
        let url = self.template_url("/admin/tokens?size=1000", &[])?;
        self.list(&url, "tokens").await.map_err(unsupported)
    }

    pub async fn revoke_token(&self, id: &str) -> Result<(), BrokerError> {
        let url = self.template_url("/admin/tokens/{id}", &[("id", id)])?;
        if self.delete(&url).await? {
            Ok(())
        } else {
            let error = BrokerError::new(BrokerErrorKind::NotFound, "");
            Err(not_found(error, &format!("token {id:?}")))
        }
    }

    /// Returns one page of the audit log. `query` contains the API's query parameters, such as `outcome` and `from`.
    pub async fn audit_entries(&self, query: &[(&str, String)]) -> Result<Resource, BrokerError> {
        let names: Vec<String> = query.iter().map(|(name, _)| format!("{name}={{{name}}}")).collect();
        let values: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let url = self.template_url(&format!("/admin/audit?{}", names.join("&")), &values)?;
        self.get(&url).await.map_err(unsupported)
    }
}

fn unsupported(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::NotFound {
        return error;
    }
    BrokerError::new(
        BrokerErrorKind::Unsupported,
        "this broker does not support API tokens and the audit log",
    )
    .with_advice("use a broker that was started with contract-broker serve")
}
