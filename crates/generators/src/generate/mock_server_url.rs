use contract_model::{Json, portable_pattern};

use crate::GenerateError;

/// Maximum number of steps of the regex engine for one example.
const BACKTRACKS: usize = 1_000_000;

/// Replaces the part of the example that the pattern matches with the mock server's URL, followed by the text of the
/// pattern's first capturing group.
pub(super) fn generate(example: &str, pattern: &str, base_url: Option<&str>) -> Result<Json, GenerateError> {
    let base_url = base_url.ok_or(GenerateError::NoBaseUrl)?;
    let mismatch = || GenerateError::UrlMismatch {
        example: example.into(),
        pattern: pattern.into(),
    };
    // The size limits for patterns in rules also apply here.
    super::regex::check(pattern)?;
    let regex = fancy_regex::RegexBuilder::new(&portable_pattern(pattern))
        .backtrack_limit(BACKTRACKS)
        .build()
        .map_err(|error| GenerateError::InvalidPattern {
            pattern: pattern.into(),
            problem: contract_matching::last_line(&error.to_string()),
        })?;
    if regex.captures_len() < 2 {
        return Err(GenerateError::NoGroup {
            pattern: pattern.into(),
        });
    }
    // If the engine gives up, treat this as no match.
    let captures = regex.captures(example).ok().flatten().ok_or_else(mismatch)?;
    let (whole, kept) = captures.get(0).zip(captures.get(1)).ok_or_else(mismatch)?;
    let (before, after) = (example.get(..whole.start()), example.get(whole.end()..));
    let kept = kept.as_str();
    let base_url = if kept.starts_with('/') {
        base_url.trim_end_matches('/')
    } else {
        base_url
    };
    Ok([before.unwrap_or_default(), base_url, kept, after.unwrap_or_default()]
        .concat()
        .into())
}

#[cfg(test)]
mod tests {
    use super::generate;
    use crate::GenerateError;

    fn generated(example: &str, pattern: &str, base_url: &str) -> String {
        generate(example, pattern, Some(base_url))
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn the_base_is_replaced() {
        let base = "http://127.0.0.1:1234";
        for (example, pattern, want) in [
            (
                "http://localhost:8080/orders/1",
                r".*(/orders/\d+)$",
                "http://127.0.0.1:1234/orders/1",
            ),
            ("https://a.b/c", r"https?://[^/]+(/.*)", "http://127.0.0.1:1234/c"),
            (
                "see http://x/a, please",
                r"http://x(/a)",
                "see http://127.0.0.1:1234/a, please",
            ),
            ("http://x/a.b/1", r".*(\/\Qa.b\E\/\d+)$", "http://127.0.0.1:1234/a.b/1"),
            ("http://x/$1/é", "http://x(.*)", "http://127.0.0.1:1234/$1/é"),
            ("http://x/a", "(?<=http)://x(/a)", "httphttp://127.0.0.1:1234/a"),
        ] {
            assert_eq!(generated(example, pattern, base), want);
        }
    }

    #[test]
    fn joins_with_a_single_slash() {
        assert_eq!(generated("http://x/a", ".*(/a)", "http://h:1/"), "http://h:1/a");
        assert_eq!(generated("http://x/a", ".*/(a)", "http://h:1/"), "http://h:1/a");
        assert_eq!(
            generated("http://x/a", ".*(/a)", "http://h:1/base"),
            "http://h:1/base/a"
        );
    }

    #[test]
    fn rejects_urls_that_do_not_match() {
        let error = |example, pattern| generate(example, pattern, Some("http://h")).unwrap_err();
        assert!(matches!(
            error("http://x/a", ".*(/b)"),
            GenerateError::UrlMismatch { .. }
        ));
        assert!(matches!(
            error("http://x/a", "(b)|a"),
            GenerateError::UrlMismatch { .. }
        ));
        assert!(matches!(error("http://x/a", ".*/a"), GenerateError::NoGroup { .. }));
        assert!(matches!(error("http://x/a", "("), GenerateError::InvalidPattern { .. }));
        assert_eq!(generate("http://x/a", ".*(/a)", None), Err(GenerateError::NoBaseUrl));
    }
}
