//! The sender of a request.

use contract_broker_core::domain::access::Grants;

/// The sender of a request, and the permissions of its credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) kind: ActorKind,
    /// The user name, the label of the token, or the subject of the identity token.
    pub(crate) name: String,
    /// The public part of the token, the issuer of the identity token, or the issuer and subject of someone who signed
    /// in with an identity provider.
    pub(crate) credential: Option<String>,
    pub(crate) grants: Grants,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ActorKind {
    #[default]
    Anonymous,
    User,
    Token,
    /// A CI pipeline with an identity token.
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

    /// Returns a key that identifies the credentials for rate limiting.
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

    /// Creates the actor for a user. `provider_id` is the issuer and subject of someone who signed in with an identity
    /// provider.
    pub(crate) fn user(name: &str, provider_id: Option<String>, grants: Grants) -> Self {
        Self {
            kind: ActorKind::User,
            name: name.to_owned(),
            credential: provider_id,
            grants,
        }
    }
}
