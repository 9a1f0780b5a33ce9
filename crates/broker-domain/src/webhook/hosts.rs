//! The hosts and addresses to which webhook requests can be sent.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use regex::Regex;

/// An entry in the list of allowed hosts: a host name or address, `*.example.com` (where `*` matches one label),
/// `/expression/`, or a network such as `10.1.0.0/16`.
#[derive(Clone, Debug)]
pub enum HostPattern {
    Exact(String),
    /// The part after `*`, such as `.example.com`.
    Subdomain(String),
    Expression(Box<Regex>),
    Network(Network),
}

/// The reason why an entry in the list of allowed hosts or networks is invalid.
#[derive(Debug, thiserror::Error)]
pub enum InvalidHost {
    #[error("\"{0}\" is not a valid regular expression: {1}")]
    Expression(String, regex::Error),
    #[error("\"{0}\" is not a network, such as 10.0.0.0/8 or fd00::/8")]
    Network(String),
    #[error("\"{0}\" is not a host, *.domain, /expression/, or network")]
    Pattern(String),
}

impl HostPattern {
    pub fn parse(text: &str) -> Result<Self, InvalidHost> {
        if let Some(expression) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            return Regex::new(expression)
                .map(|regex| Self::Expression(Box::new(regex)))
                .map_err(|error| InvalidHost::Expression(text.to_owned(), error));
        }
        if let Some(domain) = text.strip_prefix('*').filter(|domain| domain.starts_with('.')) {
            return Ok(Self::Subdomain(domain.to_ascii_lowercase()));
        }
        if text.contains('/') {
            return Network::parse(text).map(Self::Network);
        }
        let is_host = !text.is_empty() && !text.contains(['*', ' ']);
        is_host
            .then(|| Self::Exact(text.to_ascii_lowercase()))
            .ok_or_else(|| InvalidHost::Pattern(text.to_owned()))
    }

    /// Returns whether a host matches this entry. `host` must be in lower case, and an IPv6 address must not have
    /// brackets.
    pub fn matches(&self, host: &str) -> bool {
        match self {
            Self::Exact(name) => name.trim_matches(['[', ']']) == host,
            Self::Subdomain(domain) => host
                .strip_suffix(domain.as_str())
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
            Self::Expression(regex) => regex.is_match(host),
            Self::Network(network) => host.parse().is_ok_and(|address| network.contains(address)),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(name) => write!(out, "{name:?}"),
            Self::Subdomain(domain) => write!(out, "\"*{domain}\""),
            Self::Expression(regex) => write!(out, "/{regex}/"),
            Self::Network(network) => write!(out, "\"{network}\""),
        }
    }
}

/// A range of IP addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// Number of leading bits that all addresses of the network have in common.
    bits: u32,
}

impl Network {
    /// Parses a single address, or a network in the form `ADDRESS/BITS`.
    pub fn parse(text: &str) -> Result<Self, InvalidHost> {
        let invalid = || InvalidHost::Network(text.to_owned());
        let (address, bits) = text.split_once('/').unwrap_or((text, ""));
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let size = if address.is_ipv4() { 32 } else { 128 };
        let bits = if bits.is_empty() {
            size
        } else {
            bits.parse().map_err(|_| invalid())?
        };
        if bits > size {
            return Err(invalid());
        }
        Ok(Self { address, bits })
    }

    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
                u32::from(own) & mask == u32::from(other) & mask
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or(0);
                u128::from(own) & mask == u128::from(other) & mask
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.address, self.bits)
    }
}

/// Networks that are not public: the local host, private networks, metadata services, multicast, documentation, and
/// addresses that embed other addresses.
const V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];
const V6: [([u16; 8], u32); 13] = [
    // Unspecified, loopback, and IPv4-compatible addresses.
    ([0, 0, 0, 0, 0, 0, 0, 0], 96),
    // IPv4-translated addresses (RFC 7915).
    ([0, 0, 0, 0, 0xffff, 0, 0, 0], 96),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48),
    ([0x100, 0, 0, 0, 0, 0, 0, 0], 64),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    ([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 9),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),
];

/// Returns whether an address is public. An IPv4 address in IPv6 notation, such as `::ffff:10.0.0.1`, is checked as an
/// IPv4 address.
pub(super) fn is_public(address: IpAddr) -> bool {
    let networks: Vec<Network> = match address.to_canonical() {
        IpAddr::V4(_) => V4
            .iter()
            .map(|(bytes, bits)| Network {
                address: IpAddr::V4(Ipv4Addr::from(*bytes)),
                bits: *bits,
            })
            .collect(),
        IpAddr::V6(_) => V6
            .iter()
            .map(|(parts, bits)| Network {
                address: IpAddr::V6(Ipv6Addr::from(*parts)),
                bits: *bits,
            })
            .collect(),
    };
    !networks.iter().any(|network| network.contains(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_addresses_that_are_not_public() {
        for address in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "::10.0.0.1",
            "::ffff:0:7f00:1",
            "64:ff9b::a00:1",
            "3fff::1",
            "5f00::1",
            "2002:a00:1::",
            "2001::1",
            "fd00:ec2::254",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().expect("an address")), "{address}");
        }
        for address in [
            "1.1.1.1",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "100.128.0.1",
        ] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
    }

    #[test]
    fn matches_hosts() {
        let matches = |pattern: &str, host: &str| HostPattern::parse(pattern).expect("a pattern").matches(host);
        assert!(matches("Foo.com", "foo.com") && !matches("foo.com", "a.foo.com"));
        assert!(matches("*.foo.com", "a.foo.com"));
        assert!(!matches("*.foo.com", "foo.com") && !matches("*.foo.com", "a.b.foo.com"));
        assert!(matches("/^ci[0-9]+$/", "ci7") && !matches("/^ci[0-9]+$/", "ci"));
        assert!(matches("10.0.0.0/8", "10.9.9.9") && !matches("10.0.0.0/8", "11.0.0.1"));
        assert!(!matches("10.0.0.0/8", "ten.example.com"));
        assert!(matches("::1", "::1"));
        for invalid in ["", "*", "/(/", "10.0.0.0/33", "x/8"] {
            assert!(HostPattern::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn networks_have_any_size() {
        let contains = |network: &str, address: &str| {
            Network::parse(network)
                .expect("a network")
                .contains(address.parse().expect("an address"))
        };
        assert!(contains("0.0.0.0/0", "9.9.9.9") && contains("::/0", "fd00::1"));
        assert!(contains("127.0.0.1", "127.0.0.1") && !contains("127.0.0.1", "127.0.0.2"));
        assert!(contains("10.0.0.0/8", "::ffff:10.0.0.1"));
        assert!(contains("fd00::/8", "fd00::1") && !contains("fd00::/8", "fc00::1"));
    }
}
