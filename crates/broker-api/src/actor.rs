//! The sender of a request and its permissions.

use contract_broker_domain::access::Grants;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    pub kind: ActorKind,
    /// The user's name, the token's label, or the subject of the identity token. Empty for anonymous requests.
    pub name: String,
    /// The token's ID, the issuer of the identity token, or the issuer and subject of a user who signed in with an
    /// identity provider. `None` for anonymous requests and users with a password.
    pub credential: Option<String>,
    pub grants: Grants,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActorKind {
    #[default]
    Anonymous,
    User,
    Token,
    /// A CI pipeline that has sent an identity token.
    Ci,
}

impl ActorKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::User => "user",
            Self::Token => "token",
            Self::Ci => "ci",
        }
    }
}

impl Actor {
    pub fn anonymous(grants: Grants) -> Self {
        Self {
            grants,
            ..Self::default()
        }
    }

    /// Describes the sender, for example `token "web CI"`.
    pub fn describe(&self) -> String {
        match self.kind {
            ActorKind::Anonymous => self.kind.name().to_owned(),
            kind => format!("{} {:?}", kind.name(), self.name),
        }
    }

    /// Returns a key that identifies the credentials, for rate limits.
    pub fn key(&self) -> String {
        let credential = self.credential.as_deref().unwrap_or_default();
        match self.kind {
            ActorKind::Token => credential.to_owned(),
            kind => format!("{}\0{credential}\0{}", kind.name(), self.name),
        }
    }

    pub fn ci(subject: String, issuer: String, grants: Grants) -> Self {
        Self {
            kind: ActorKind::Ci,
            name: subject,
            credential: Some(issuer),
            grants,
        }
    }

    /// Creates the actor for a user. `provider_id` consists of the issuer and the subject if the user signed in with an
    /// identity provider, and is `None` otherwise.
    pub fn user(name: &str, provider_id: Option<String>, grants: Grants) -> Self {
        Self {
            kind: ActorKind::User,
            name: name.to_owned(),
            credential: provider_id,
            grants,
        }
    }
}
