//! Determines the IP address of a client that may be behind trusted proxies.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;

/// A range of IP addresses in CIDR notation, such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    address: IpAddr,
    /// Number of leading bits that all addresses in the range share: 0 to 32, or 0 to 128 for IPv6.
    prefix: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not an IP address or a range such as 10.0.0.0/8")]
pub struct InvalidRange(String);

impl FromStr for AddressRange {
    type Err = InvalidRange;

    fn from_str(text: &str) -> Result<Self, InvalidRange> {
        let invalid = || InvalidRange(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().map_err(|_| invalid())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(bits);
        if prefix > bits {
            return Err(invalid());
        }
        Ok(Self { address, prefix })
    }
}

impl AddressRange {
    fn contains(self, address: IpAddr) -> bool {
        let (own, other, bits) = match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (u32::from(own).into(), u32::from(other).into(), 32),
            (IpAddr::V6(own), IpAddr::V6(other)) => (u128::from(own), u128::from(other), 128),
            _ => return false,
        };
        let different: u128 = own ^ other;
        different.checked_shr(bits - self.prefix).unwrap_or(0) == 0
    }
}

/// Returns `peer`, unless it is a trusted proxy. In that case, returns the last address in `X-Forwarded-For` that is
/// not a trusted proxy, because each proxy appends the address of its own client.
pub(in crate::http) fn client_address(trusted: &[AddressRange], headers: &HeaderMap, peer: IpAddr) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|range| range.contains(address));
    let mut client = peer.to_canonical();
    if !is_trusted(client) {
        return client;
    }
    let values: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for value in values.iter().rev() {
        // Some proxies append the port.
        let value = value.trim();
        let with_port = || value.parse::<SocketAddr>().ok().map(|address| address.ip());
        let Some(address) = value.parse::<IpAddr>().ok().or_else(with_port) else {
            break;
        };
        client = address.to_canonical();
        if !is_trusted(client) {
            break;
        }
    }
    client
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn client(trusted: &[&str], forwarded: &[&str], peer: &str) -> String {
        let trusted: Vec<AddressRange> = trusted.iter().map(|range| range.parse().expect("a range")).collect();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_str(value).expect("a value"));
        }
        client_address(&trusted, &headers, peer.parse().expect("an address")).to_string()
    }

    #[test]
    fn only_trusted_proxies_forward_addresses() {
        for (trusted, forwarded, peer, expected) in [
            (&[][..], &["1.1.1.1"][..], "10.0.0.1", "10.0.0.1"),
            (&["10.0.0.0/8"], &["1.1.1.1"], "10.0.0.1", "1.1.1.1"),
            (&["10.0.0.0/8"], &["1.1.1.1"], "::ffff:10.0.0.1", "1.1.1.1"),
            (&["10.0.0.0/8"], &["1.1.1.1"], "11.0.0.1", "11.0.0.1"),
            // The client can forge all entries before those of the trusted proxies.
            (&["10.0.0.0/8"], &["6.6.6.6, 1.1.1.1, 10.0.0.2"], "10.0.0.1", "1.1.1.1"),
            (&["10.0.0.0/8"], &["6.6.6.6", "1.1.1.1"], "10.0.0.1", "1.1.1.1"),
            (&["10.0.0.0/8"], &["1.1.1.1:4711, 10.0.0.2:80"], "10.0.0.1", "1.1.1.1"),
            (&["10.0.0.0/8"], &["[2001:db8::1]:80"], "10.0.0.1", "2001:db8::1"),
            (&["10.0.0.0/8"], &["nonsense"], "10.0.0.1", "10.0.0.1"),
            (&["10.0.0.0/8"], &[], "10.0.0.1", "10.0.0.1"),
            (&["10.0.0.1", "fd00::/8"], &["::1, fd00::2"], "10.0.0.1", "::1"),
            (&["0.0.0.0/0"], &["1.1.1.1, 2.2.2.2"], "10.0.0.1", "1.1.1.1"),
        ] {
            assert_eq!(
                client(trusted, forwarded, peer),
                expected,
                "{trusted:?} {forwarded:?} {peer}"
            );
        }
    }

    #[test]
    fn rejects_invalid_ranges() {
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/x", "localhost"] {
            assert!(text.parse::<AddressRange>().is_err(), "{text}");
        }
    }
}
