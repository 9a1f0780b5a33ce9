//! The scopes of a credential, and the permissions that requests need.

use std::fmt;

/// Maximum length of a pattern in a scope, in bytes.
const MAX_PATTERN: usize = 1_024;
/// Maximum number of scopes of one credential.
pub const MAX_SCOPES: usize = 100;

/// A name pattern in which `*` matches any sequence of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Parses a pattern. Returns `None` if it is empty, longer than 1024 bytes, or contains control characters.
    pub fn parse(text: &str) -> Option<Self> {
        let is_valid = !text.trim().is_empty() && text.len() <= MAX_PATTERN && !text.chars().any(char::is_control);
        is_valid.then(|| Self(text.to_owned()))
    }

    /// Returns whether the pattern matches the whole name. The time is linear in the length of the name for each `*`.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else {
            return false;
        };
        let Some(last) = parts.next_back() else {
            return rest.is_empty();
        };
        for part in parts {
            // The first occurrence leaves the longest remainder for the following parts.
            let Some((_, after)) = rest.split_once(part) else {
                return false;
            };
            rest = after;
        }
        rest.ends_with(last)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What the owner of a credential is allowed to do. Every scope includes reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Read,
    /// Publish contracts of the consumers that match the pattern, and change these applications.
    Publish(Pattern),
    /// Publish verification results of the providers that match the pattern, and change these applications.
    Verify(Pattern),
    /// Record deployments and releases in the environments that match the pattern, including protected environments.
    Deploy(Pattern),
    Webhooks,
    /// Everything except administration, recording in protected environments, and changing protected environments.
    Write,
    Admin,
}

/// The string is not a valid scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a scope. Scopes: read, publish:CONSUMER, verify:PROVIDER, deploy:ENVIRONMENT, webhooks, write, admin. \
     In names, * matches any characters."
)]
pub struct InvalidScope(String);

impl std::str::FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(text: &str) -> Result<Self, InvalidScope> {
        let scope = match text.split_once(':') {
            Some((kind, pattern)) => match (kind, Pattern::parse(pattern)) {
                ("publish", Some(pattern)) => Some(Self::Publish(pattern)),
                ("verify", Some(pattern)) => Some(Self::Verify(pattern)),
                ("deploy", Some(pattern)) => Some(Self::Deploy(pattern)),
                _ => None,
            },
            None => match text {
                "read" => Some(Self::Read),
                "webhooks" => Some(Self::Webhooks),
                "write" => Some(Self::Write),
                "admin" => Some(Self::Admin),
                _ => None,
            },
        };
        scope.ok_or_else(|| InvalidScope(text.chars().take(100).collect()))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => out.write_str("read"),
            Self::Publish(pattern) => write!(out, "publish:{pattern}"),
            Self::Verify(pattern) => write!(out, "verify:{pattern}"),
            Self::Deploy(pattern) => write!(out, "deploy:{pattern}"),
            Self::Webhooks => out.write_str("webhooks"),
            Self::Write => out.write_str("write"),
            Self::Admin => out.write_str("admin"),
        }
    }
}

/// What a request does. At least one scope of the credential must allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission<'a> {
    Read,
    /// Publish contracts of the consumer with this name. Empty if the name is not yet known.
    Publish(&'a str),
    /// Publish verification results of the provider with this name. Empty if the name is not yet known.
    Verify(&'a str),
    /// Change the application with this name, or its versions, branches, tags, or labels. Empty if the name is not yet
    /// known.
    Change(&'a str),
    /// Record the start or end of a deployment or release in an environment.
    Deploy {
        environment: &'a str,
        is_protected: bool,
    },
    /// Create, change, or delete an environment.
    Environment {
        name: &'a str,
        is_protected: bool,
    },
    Webhooks,
    /// Delete data that other teams may need, for example versions or applications.
    Write,
    /// Manage credentials, and read the audit log.
    Admin,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(Vec<Scope>);

impl Grants {
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self(scopes.into_iter().collect())
    }

    pub fn scopes(&self) -> &[Scope] {
        &self.0
    }

    pub fn allow(&self, permission: Permission<'_>) -> bool {
        self.0.iter().any(|scope| allows(scope, permission))
    }

    /// Returns whether the permission is allowed for at least one name. Used for checks before the name is known.
    pub fn may_allow(&self, permission: Permission<'_>) -> bool {
        self.0.iter().any(|scope| match (scope, permission) {
            (Scope::Publish(_), Permission::Publish(_) | Permission::Change(_))
            | (Scope::Verify(_), Permission::Verify(_) | Permission::Change(_))
            | (Scope::Deploy(_), Permission::Deploy { .. }) => true,
            _ => allows(scope, permission),
        })
    }

    pub fn require(&self, permission: Permission<'_>) -> Result<(), Denied> {
        if self.allow(permission) {
            Ok(())
        } else {
            Err(Denied::new(permission))
        }
    }
}

fn allows(scope: &Scope, permission: Permission<'_>) -> bool {
    match (scope, permission) {
        (Scope::Admin, _) | (_, Permission::Read) | (Scope::Webhooks, Permission::Webhooks) => true,
        (Scope::Publish(pattern), Permission::Publish(name) | Permission::Change(name))
        | (Scope::Verify(pattern), Permission::Verify(name) | Permission::Change(name)) => pattern.matches(name),
        (Scope::Deploy(pattern), Permission::Deploy { environment, .. }) => pattern.matches(environment),
        (Scope::Write, Permission::Deploy { is_protected, .. } | Permission::Environment { is_protected, .. }) => {
            !is_protected
        }
        (Scope::Write, permission) => permission != Permission::Admin,
        _ => false,
    }
}

/// No scope of the credential allows the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("These credentials cannot {action}. Required scope: {scopes}.{explanation}")]
pub struct Denied {
    action: String,
    scopes: String,
    /// A sentence that is appended to the message, with a leading space. May be empty.
    explanation: &'static str,
}

impl Denied {
    pub fn new(permission: Permission<'_>) -> Self {
        let (action, scopes) = match permission {
            Permission::Read => ("read".to_owned(), "read".to_owned()),
            Permission::Publish("") => ("publish contracts".to_owned(), "publish:CONSUMER or write".to_owned()),
            Permission::Publish(name) => (
                format!("publish contracts of {name:?}"),
                format!("publish:{name} or write"),
            ),
            Permission::Verify(name) => (
                format!("publish verification results of {name:?}"),
                format!("verify:{name} or write"),
            ),
            Permission::Change("") => (
                "change applications".to_owned(),
                "publish:NAME, verify:NAME, or write".to_owned(),
            ),
            Permission::Change(name) => (
                format!("change the application {name:?}"),
                format!("publish:{name}, verify:{name}, or write"),
            ),
            Permission::Deploy { environment: "", .. } => (
                "record deployments or releases".to_owned(),
                "deploy:ENVIRONMENT or write".to_owned(),
            ),
            Permission::Deploy {
                environment,
                is_protected: false,
            } => (
                format!("record deployments or releases in {environment:?}"),
                format!("deploy:{environment} or write"),
            ),
            Permission::Deploy {
                environment,
                is_protected: true,
            } => (
                format!("record deployments or releases in the protected environment {environment:?}"),
                format!("deploy:{environment} or admin"),
            ),
            Permission::Environment {
                name,
                is_protected: true,
            } => (
                format!("create, change, or delete the protected environment {name:?}"),
                "admin".to_owned(),
            ),
            Permission::Environment { .. } => ("change environments".to_owned(), "write".to_owned()),
            Permission::Webhooks => ("manage webhooks".to_owned(), "webhooks or write".to_owned()),
            Permission::Write => ("do this".to_owned(), "write".to_owned()),
            Permission::Admin => ("do this".to_owned(), "admin".to_owned()),
        };
        Self {
            action,
            scopes,
            explanation: "",
        }
    }

    /// Creates the error for a tag with the name of an environment, which would record a deployment.
    pub fn tagging(permission: Permission<'_>) -> Self {
        Self {
            explanation: " Tagging a version with the name of an environment records a deployment.",
            ..Self::new(permission)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(scopes: &str) -> Grants {
        Grants::new(scopes.split_whitespace().map(|scope| scope.parse().expect("a scope")))
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("web", "web", true),
            ("web", "web2", false),
            ("web", "Web", false),
            ("web-*", "web-", true),
            ("web-*", "web-shop", true),
            ("web-*", "my-web-shop", false),
            ("*-web", "a-web", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "a1b2b3c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("*", "anything", true),
            ("é*", "éa", true),
        ] {
            let parsed = Pattern::parse(pattern).expect("a pattern");
            assert_eq!(parsed.matches(name), expected, "{pattern} {name}");
        }
        assert_eq!(Pattern::parse(""), None);
        assert_eq!(Pattern::parse("a\nb"), None);
        assert_eq!(Pattern::parse(&"a".repeat(MAX_PATTERN + 1)), None);
    }

    #[test]
    fn patterns_with_many_stars_take_linear_time() {
        let pattern = Pattern::parse(&"a*".repeat(500)).expect("a pattern");
        assert!(!pattern.matches(&"b".repeat(100_000)));
        let pattern = Pattern::parse(&format!("{}b", "a*".repeat(500))).expect("a pattern");
        assert!(!pattern.matches(&"a".repeat(100_000)));
    }

    #[test]
    fn scopes_are_written_as_they_are_read() {
        for text in [
            "read",
            "publish:web-*",
            "verify:a:b",
            "deploy:*",
            "webhooks",
            "write",
            "admin",
        ] {
            assert_eq!(text.parse::<Scope>().expect("a scope").to_string(), text);
        }
        for text in ["", "Read", "publish", "publish:", "admin:web", "deploy: ", "sudo"] {
            assert!(text.parse::<Scope>().is_err(), "{text}");
        }
    }

    #[test]
    fn scopes_allow_their_part() {
        let production = |is_protected| Permission::Deploy {
            environment: "production",
            is_protected,
        };
        let ci = grants("publish:web-* verify:users deploy:staging");
        for (permission, expected) in [
            (Permission::Read, true),
            (Permission::Publish("web-shop"), true),
            (Permission::Publish("users"), false),
            (Permission::Verify("users"), true),
            (Permission::Verify("web-shop"), false),
            (Permission::Change("web-shop"), true),
            (Permission::Change("users"), true),
            (Permission::Change("other"), false),
            (production(false), false),
            (Permission::Write, false),
            (Permission::Admin, false),
            (Permission::Webhooks, false),
        ] {
            assert_eq!(ci.allow(permission), expected, "{permission:?}");
        }
        let write = grants("write");
        assert!(write.allow(production(false)) && !write.allow(production(true)));
        assert!(write.allow(Permission::Write) && write.allow(Permission::Webhooks) && !write.allow(Permission::Admin));
        let deployer = grants("deploy:prod*");
        assert!(deployer.allow(production(true)) && !deployer.allow(Permission::Write));
        assert!(grants("admin").allow(production(true)) && grants("admin").allow(Permission::Admin));
        assert!(!Grants::default().allow(Permission::Read));
        assert!(ci.may_allow(production(true)) && !ci.allow(production(true)));
    }
}
