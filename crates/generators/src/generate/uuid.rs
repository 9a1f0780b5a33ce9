use contract_model::{Json, UuidFormat};

use crate::Random;

/// Generates a UUID. The default format is lower case with hyphens.
pub(super) fn generate(format: Option<UuidFormat>, random: &mut Random) -> Json {
    let uuid = uuid::Builder::from_random_bytes(random.bytes()).into_uuid();
    match format {
        Some(UuidFormat::Simple) => format!("{:x}", uuid.simple()),
        None | Some(UuidFormat::LowerCaseHyphenated) => format!("{:x}", uuid.hyphenated()),
        Some(UuidFormat::UpperCaseHyphenated) => format!("{:X}", uuid.hyphenated()),
        Some(UuidFormat::Urn) => format!("{:x}", uuid.urn()),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use contract_model::UuidFormat;

    use super::generate;
    use crate::Random;

    #[test]
    fn formats() {
        let hyphenated = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
        let mut random = Random::from_seed(1);
        for (format, pattern) in [
            (None, format!("^{hyphenated}$")),
            (
                Some(UuidFormat::Simple),
                "^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$".to_owned(),
            ),
            (Some(UuidFormat::LowerCaseHyphenated), format!("^{hyphenated}$")),
            (Some(UuidFormat::UpperCaseHyphenated), format!("^(?i-u:{hyphenated})$")),
            (Some(UuidFormat::Urn), format!("^urn:uuid:{hyphenated}$")),
        ] {
            let pattern = regex::Regex::new(&pattern).unwrap();
            for _ in 0..100 {
                let uuid = generate(format, &mut random);
                let uuid = uuid.as_str().unwrap();
                assert!(pattern.is_match(uuid), "{format:?}: {uuid}");
                assert_eq!(
                    uuid == uuid.to_uppercase(),
                    format == Some(UuidFormat::UpperCaseHyphenated),
                    "{uuid}"
                );
            }
        }
    }
}
