//! Metadata in contract URLs, with which brokers mark pending contracts.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Maximum length of encoded metadata, in bytes. Longer metadata is ignored.
const LONGEST: usize = 64 * 1024;

/// The metadata in a contract URL. If `pending` or `wip` is true, a failed verification does not fail the build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrlMetadata {
    pub pending: bool,
    /// Whether the contract is work in progress.
    pub wip: bool,
}

/// Parses the metadata in a contract URL: `…/metadata/` followed by a URL-safe base64 query with `p` for pending and
/// `w` for work in progress. Returns the default if it cannot be parsed.
///
/// ```
/// use contract_broker_client::metadata_of;
///
/// let url = "https://broker.example/pacts/provider/p/consumer/c/pact-version/1/metadata/cyU1QiU1RCU1QmN2JTVEPTQmcD10cnVl";
/// assert!(metadata_of(url).pending && !metadata_of(url).wip);
/// assert!(!metadata_of("https://broker.example/pacts/latest").pending);
/// ```
pub fn metadata_of(url: &str) -> UrlMetadata {
    let Some((_, rest)) = url.split_once("/metadata/") else {
        return UrlMetadata::default();
    };
    let text = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let text = text.trim_end_matches('=').trim_end_matches("%3D");
    if text.len() > LONGEST {
        return UrlMetadata::default();
    }
    let decoded = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let query = String::from_utf8_lossy(&decoded);
    let is_true = |name: &str| {
        query
            .split('&')
            .any(|pair| pair.split_once('=') == Some((name, "true")))
    };
    UrlMetadata {
        pending: is_true("p"),
        wip: is_true("w"),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::metadata_of;

    #[test]
    fn unreadable_metadata_is_ignored() {
        let parse = |query: &str, suffix: &str| {
            let metadata = metadata_of(&format!(
                "http://b/x/metadata/{}{suffix}",
                URL_SAFE_NO_PAD.encode(query)
            ));
            (metadata.pending, metadata.wip)
        };
        assert_eq!(parse("cv=4&p=true", ""), (true, false));
        assert_eq!(parse("cv=4&p=true&w=true", "/verification-results"), (true, true));
        assert_eq!(parse("w=true", "=="), (false, true));
        assert_eq!(parse("cv=4&p=false&xp=true", ""), (false, false));
        assert_eq!(parse("", ""), (false, false));
        assert!(!metadata_of("http://b/x/metadata/%%%").pending);
    }
}
