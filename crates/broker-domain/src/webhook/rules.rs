//! The restrictions on webhook requests that an administrator configures.

use std::net::IpAddr;
use std::time::Duration;

use url::{Host, Url};

use super::hosts::{HostPattern, Network, is_public};
use super::template::without_parameters;

/// The known HTTP methods.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
/// The text that replaces template parameters when a URL is checked.
const PARAMETER: &str = "contract-broker-parameter";

#[derive(Clone, Debug)]
pub struct WebhookRules {
    /// Allowed HTTP methods. Default: `POST`.
    pub methods: Vec<String>,
    /// Allowed URL schemes. Default: `https`.
    pub schemes: Vec<String>,
    /// Allowed hosts. If empty, all hosts are allowed, but users cannot see responses. Default: empty.
    pub hosts: Vec<HostPattern>,
    /// Networks with non-public addresses to which requests can be sent. Default: none.
    pub networks: Vec<Network>,
    /// Time after the publication of a contract at which a required verification is overdue. `None` means never.
    /// Default: one hour.
    pub overdue_after: Option<Duration>,
}

impl Default for WebhookRules {
    fn default() -> Self {
        Self {
            methods: vec!["POST".to_owned()],
            schemes: vec!["https".to_owned()],
            hosts: vec![],
            networks: vec![],
            overdue_after: Some(Duration::from_secs(3_600)),
        }
    }
}

/// The reason why a webhook cannot be saved or its request cannot be sent. The message continues a sentence that starts
/// with the name of the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleViolation {
    #[error("is not a recognised HTTP method")]
    UnknownMethod,
    #[error("must be {}. To allow other methods, set the broker option --webhook-http-method-whitelist", one_of(.0))]
    Method(Vec<String>),
    #[error("is not a valid URL eg. http://example.org")]
    InvalidUrl,
    #[error("cannot have a template parameter in the host")]
    ParameterInHost,
    #[error("must not contain a user name or password. Use request.username and request.password")]
    Credentials,
    #[error("scheme must be {}. To allow other schemes, set the broker option --webhook-scheme-whitelist", one_of(.0))]
    Scheme(Vec<String>),
    #[error("host must be in the whitelist {0}. To allow other hosts, set the broker option --webhook-host-whitelist")]
    Host(String),
    /// The host resolves to an address that is not public.
    #[error(
        "must not have the address {0}, which is not public. To allow it, set the broker option --webhook-network-whitelist"
    )]
    Address(IpAddr),
    #[error("host {}", Self::Address(*.0))]
    AddressInUrl(IpAddr),
}

impl WebhookRules {
    pub fn check_method(&self, method: &str) -> Result<(), RuleViolation> {
        if !METHODS.contains(&method) {
            return Err(RuleViolation::UnknownMethod);
        }
        if self.methods.iter().any(|allowed| allowed == method) {
            return Ok(());
        }
        Err(RuleViolation::Method(self.methods.clone()))
    }

    /// Checks a URL that may contain template parameters, except in its host.
    pub fn check_template(&self, template: &str) -> Result<(), RuleViolation> {
        let url = parse_template(template).ok_or(RuleViolation::InvalidUrl)?;
        if url.host_str().is_some_and(|host| host.contains(PARAMETER)) {
            return Err(RuleViolation::ParameterInHost);
        }
        self.check_url(&url)
    }

    /// Checks a URL in which template parameters have been replaced.
    pub fn check_url(&self, url: &Url) -> Result<(), RuleViolation> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RuleViolation::Credentials);
        }
        if !self.schemes.iter().any(|scheme| scheme == url.scheme()) {
            return Err(RuleViolation::Scheme(self.schemes.clone()));
        }
        let host = match url.host() {
            None => return Err(RuleViolation::InvalidUrl),
            Some(Host::Domain(name)) => name.trim_end_matches('.').to_owned(),
            Some(Host::Ipv4(address)) => {
                self.check_literal(address.into())?;
                address.to_string()
            }
            Some(Host::Ipv6(address)) => {
                self.check_literal(address.into())?;
                address.to_string()
            }
        };
        if self.hosts.is_empty() || self.hosts.iter().any(|pattern| pattern.matches(&host)) {
            return Ok(());
        }
        let hosts: Vec<String> = self.hosts.iter().map(ToString::to_string).collect();
        Err(RuleViolation::Host(hosts.join(", ")))
    }

    fn check_literal(&self, address: IpAddr) -> Result<(), RuleViolation> {
        self.check_address(address)
            .map_err(|_| RuleViolation::AddressInUrl(address))
    }

    /// Checks the address to which the broker is about to connect.
    pub fn check_address(&self, address: IpAddr) -> Result<(), RuleViolation> {
        if is_public(address) || self.networks.iter().any(|network| network.contains(address)) {
            return Ok(());
        }
        Err(RuleViolation::Address(address))
    }
}

/// Parses a URL. Returns `None` if it is invalid, has no host, or contains spaces or control characters.
pub fn parse(text: &str) -> Option<Url> {
    // The parser would silently remove these characters.
    if text.chars().any(|character| character.is_control() || character == ' ') {
        return None;
    }
    Url::parse(text).ok().filter(Url::has_host)
}

/// Parses a URL in which [`PARAMETER`] replaces the template parameters.
pub(super) fn parse_template(template: &str) -> Option<Url> {
    parse(&without_parameters(template, PARAMETER))
}

/// Returns the scheme, host, and port of a URL with template parameters, or `None` if it is invalid.
pub fn origin(template: &str) -> Option<String> {
    Some(parse_template(template)?.origin().ascii_serialization())
}

/// Returns the host of a URL with template parameters, or `None` if it is invalid.
pub fn host(template: &str) -> Option<String> {
    parse_template(template)?.host_str().map(str::to_owned)
}

fn one_of(allowed: &[String]) -> String {
    match allowed {
        [only] => only.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(rules: &WebhookRules, url: &str) -> String {
        rules
            .check_template(url)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn checks_urls() {
        let rules = WebhookRules::default();
        for (url, expected) in [
            (
                "https://example.org/${pactbroker.consumerName}?a=${pactbroker.nope}",
                "",
            ),
            ("example.org", "is not a valid URL"),
            ("https://", "is not a valid URL"),
            ("https://exa mple.org", "is not a valid URL"),
            ("https://example.org/\n", "is not a valid URL"),
            ("mailto:a@example.org", "is not a valid URL"),
            ("https://${pactbroker.consumerName}/", "template parameter in the host"),
            (
                "https://x.${pactbroker.consumerName}.org/",
                "template parameter in the host",
            ),
            ("http://example.org", "scheme must be https"),
            ("file:///etc/passwd", "is not a valid URL"),
            ("https://a:b@example.org", "must not contain a user name"),
            ("https://127.0.0.1/", "not public"),
            ("https://127.1/", "not public"),
            ("https://0x7f000001/", "not public"),
            ("https://2130706433/", "not public"),
            ("https://[::ffff:10.0.0.1]/", "not public"),
            ("https://[::1]:8080/", "not public"),
            ("https://169.254.169.254/latest", "not public"),
        ] {
            let problem = problem(&rules, url);
            assert!(
                problem.contains(expected) && expected.is_empty() == problem.is_empty(),
                "{url}: {problem}"
            );
        }
    }

    #[test]
    fn checks_lists() {
        let rules = WebhookRules {
            methods: vec!["POST".to_owned(), "GET".to_owned()],
            schemes: vec!["https".to_owned(), "http".to_owned()],
            hosts: ["*.example.org", "127.0.0.1"]
                .map(|host| HostPattern::parse(host).expect("a host"))
                .to_vec(),
            networks: vec![Network::parse("127.0.0.0/8").expect("a network")],
            ..WebhookRules::default()
        };
        assert_eq!(problem(&rules, "http://a.example.org./"), "");
        assert_eq!(problem(&rules, "http://127.0.0.1:8080/"), "");
        assert!(problem(&rules, "https://example.org/").contains("whitelist \"*.example.org\", \"127.0.0.1\""));
        assert!(problem(&rules, "http://10.0.0.1/").contains("not public"));
        assert_eq!(rules.check_method("GET"), Ok(()));
        assert!(
            rules
                .check_method("PUT")
                .is_err_and(|error| error.to_string().starts_with("must be one of POST, GET."))
        );
        assert!(
            rules
                .check_method("post")
                .is_err_and(|error| error.to_string().contains("recognised"))
        );
    }
}
