//! The sender of a request and its permissions.

use contract_broker_domain::access::Grants;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) kind: ActorKind,
    /// The user's name, the token's label, or the subject of the identity token. Empty for anonymous requests.
    pub(crate) name: String,
    /// The token's ID, the issuer of the identity token, or the issuer and subject of a user who signed in with an
    /// identity provider. `None` for anonymous requests and users with a password.
    pub(crate) credential: Option<String>,
    pub(crate) grants: Grants,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ActorKind {
    #[default]
    Anonymous,
    User,
    Token,
    /// A CI pipeline that has sent an identity token.
    Ci,
}

impl ActorKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::User => "user",
            Self::Token => "token",
            Self::Ci => "ci",
        }
    }
}

impl Actor {
    pub(crate) fn anonymous(grants: Grants) -> Self {
        Self {
            grants,
            ..Self::default()
        }
    }

    /// Describes the sender, for example `token "web CI"`.
    pub(crate) fn describe(&self) -> String {
        match self.kind {
            ActorKind::Anonymous => self.kind.name().to_owned(),
            kind => format!("{} {:?}", kind.name(), self.name),
        }
    }

    /// Returns a key that identifies the credentials, for rate limits.
    pub(crate) fn key(&self) -> String {
        let credential = self.credential.as_deref().unwrap_or_default();
        match self.kind {
            ActorKind::Token => credential.to_owned(),
            kind => format!("{}\0{credential}\0{}", kind.name(), self.name),
        }
    }

    pub(crate) fn ci(subject: String, issuer: String, grants: Grants) -> Self {
        Self {
            kind: ActorKind::Ci,
            name: subject,
            credential: Some(issuer),
            grants,
        }
    }

    /// Creates the actor for a user. `provider_id` consists of the issuer and the subject if the user signed in with an
    /// identity provider, and is `None` otherwise.
    pub(crate) fn user(name: &str, provider_id: Option<String>, grants: Grants) -> Self {
        Self {
            kind: ActorKind::User,
            name: name.to_owned(),
            credential: provider_id,
            grants,
        }
    }
}
