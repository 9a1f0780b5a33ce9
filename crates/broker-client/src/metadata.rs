//! What a broker put into the URL of a contract for itself.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Longest metadata that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;

/// What the URL of a contract says about a failure of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrlMetadata {
    /// Whether it may fail.
    pub pending: bool,
    /// Whether it is work in progress, which may fail as well.
    pub wip: bool,
}

/// What the URL of a contract says, when its broker wrote it: `…/metadata/` and behind it the URL-safe base64 of a query with
/// `p` for pending and `w` for work in progress. What is not understood says nothing.
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
    fn only_what_is_understood_says_something() {
        let of = |query: &str, behind: &str| {
            let said = metadata_of(&format!(
                "http://b/x/metadata/{}{behind}",
                URL_SAFE_NO_PAD.encode(query)
            ));
            (said.pending, said.wip)
        };
        assert_eq!(of("cv=4&p=true", ""), (true, false));
        assert_eq!(of("cv=4&p=true&w=true", "/verification-results"), (true, true));
        assert_eq!(of("w=true", "=="), (false, true));
        assert_eq!(of("cv=4&p=false&xp=true", ""), (false, false));
        assert_eq!(of("", ""), (false, false));
        assert!(!metadata_of("http://b/x/metadata/%%%").pending);
    }
}
