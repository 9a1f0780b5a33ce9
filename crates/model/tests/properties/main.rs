//! Property tests of contracts with random input.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod models;
mod values;

use contract_model::{
    Contract, Interaction, InteractionKind, Json, Loss, MatchingExpression, Message, PathExpression, Request, Response,
    SpecificationVersion, WriteWarning, Written, file_order, split_body, split_value,
};
use proptest::prelude::*;

const VERSIONS: [SpecificationVersion; 3] = [
    SpecificationVersion::V2,
    SpecificationVersion::V3,
    SpecificationVersion::V4,
];

/// The number of cases is small by default, because these tests are part of every test run. `PROPTEST_CASES` overrides
/// it.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => usual.cases,
        None => 48,
    };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..usual
    }
}

/// Returns the warnings about lost data. Paths that only other tools cannot parse are not lost.
fn lost(written: &Written) -> impl Iterator<Item = &WriteWarning> {
    let is_lost = |warning: &&WriteWarning| !matches!(warning.loss, Loss::ForeignPath { .. });
    written.warnings.iter().filter(is_lost)
}

/// Checks that the contract is read back unchanged if there are no warnings. Otherwise, checks that the output can be
/// read and does not change when it is written again.
fn check_written(contract: &Contract, version: SpecificationVersion) -> Result<(), TestCaseError> {
    let Ok(written) = contract.write(version) else {
        return Ok(());
    };
    let read =
        Contract::read(written.text.as_bytes()).map_err(|e| TestCaseError::fail(format!("{e}\n{}", written.text)))?;
    if lost(&written).next().is_none() {
        let mut expected = contract.clone();
        expected.interactions.sort_by(file_order);
        expected.specification = version;
        prop_assert_eq!(&read.contract, &expected, "{}", &written.text);
    }
    let again = read
        .contract
        .write(version)
        .map_err(|e| TestCaseError::fail(e.to_string()))?;
    let twice = Contract::read(again.text.as_bytes()).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert_eq!(&twice.contract, &read.contract, "{}", &written.text);
    Ok(())
}

fn unreadable(interaction: &Interaction) -> Option<&Json> {
    match &interaction.kind {
        InteractionKind::Unreadable(unreadable) => Some(&unreadable.document),
        _ => None,
    }
}

/// Checks that unreadable interactions are written unchanged if there is no warning. In another list or version, they
/// may be readable, so the contract that is read back may differ.
fn check_kept(contract: &Contract, version: SpecificationVersion) -> Result<(), TestCaseError> {
    let Ok(written) = contract.write(version) else {
        return Ok(());
    };
    if !written.warnings.is_empty() {
        return Ok(());
    }
    let document = Json::parse(written.text.as_bytes()).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let lists = ["interactions", "messages"].map(|name| document.get(name).cloned());
    let listed: Vec<Json> = lists
        .into_iter()
        .flatten()
        .flat_map(|list| list.as_array().map(<[Json]>::to_vec).unwrap_or_default())
        .collect();
    for kept in contract.interactions.iter().filter_map(unreadable) {
        prop_assert!(listed.contains(kept), "{kept:?} is not in {}", &written.text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn v4_contracts_round_trip(contract in models::contract()) {
        let written = contract.write(SpecificationVersion::V4).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let lost: Vec<String> = lost(&written).map(ToString::to_string).collect();
        prop_assert!(lost.is_empty(), "{lost:?}");
        check_written(&contract, SpecificationVersion::V4)?;
    }

    #[test]
    fn older_versions_report_lost_content(contract in models::http_contract()) {
        for version in VERSIONS {
            check_written(&contract, version)?;
        }
    }

    #[test]
    fn v2_contracts_round_trip(contract in models::simple_contract()) {
        check_written(&contract, SpecificationVersion::V2)?;
    }

    #[test]
    fn v3_messages_report_lost_content(contract in models::message_contract()) {
        check_written(&contract, SpecificationVersion::V3)?;
    }

    #[test]
    fn merging_twice_changes_nothing(older in models::contract(), newer in models::contract()) {
        let mut once = older;
        once.merge(newer.clone()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let mut twice = once.clone();
        twice.merge(newer).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn nothing_is_lost_in_a_merge(older in models::http_contract(), newer in models::http_contract()) {
        let mut merged = older.clone();
        merged.merge(newer.clone()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for interaction in older.interactions.iter().chain(&newer.interactions) {
            let places = merged.interactions.iter().filter(|other| other.is_same_as(interaction));
            prop_assert!(places.count() >= 1);
        }
    }

    #[test]
    fn json_survives_as_text(value in values::json()) {
        for text in [value.to_text(), value.to_layout(contract_model::Layout::Sorted)] {
            prop_assert_eq!(&Json::parse(text.as_bytes()).unwrap(), &value);
        }
    }

    #[test]
    fn parses_json_like_serde_json(value in values::json()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_text()).unwrap();
        // The other parser rounds floats, but this parser must keep the text of its result.
        prop_assert_eq!(Json::parse(theirs.to_string().as_bytes()).unwrap().to_text(), theirs.to_string());
        let serialized: serde_json::Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&value.to_text()).unwrap(), serialized);
    }

    #[test]
    fn accepts_the_same_json_as_serde_json(text in values::almost_json()) {
        let ours = Json::parse(text.as_bytes());
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // For duplicate names, the other parser uses the last value. It also rejects numbers that exceed the range of a
        // float.
        match (&ours, &theirs) {
            (Err(error), Ok(_)) => {
                prop_assert!(matches!(error.kind, contract_model::JsonErrorKind::DuplicateKey(_)), "{text}: {error}");
            }
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{text}: {error}"),
            _ => {}
        }
    }

    #[test]
    fn reading_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Contract::read(&bytes);
    }

    #[test]
    fn reading_documents_never_panics(document in values::contract_like()) {
        if let Ok(reading) = Contract::from_json(document.clone()) {
            for version in VERSIONS {
                let contract = without_broker_ids(reading.contract.clone());
                if contract.interactions.iter().any(|one| unreadable(one).is_some()) {
                    check_kept(&contract, version)?;
                } else {
                    check_written(&contract, version)?;
                }
            }
        }
        for version in [SpecificationVersion::V1, SpecificationVersion::V3, SpecificationVersion::V4] {
            let _ = Request::read(&document, version);
            let _ = Response::read(&document, version);
            let _ = Message::read(&document, version);
        }
    }

    #[test]
    fn parsing_paths_never_panics(text in "[$.*\\['\"\\]0-9a\\\\é-]{0,20}") {
        if let Ok(path) = text.parse::<PathExpression>() {
            prop_assert_eq!(path.to_string().parse::<PathExpression>().unwrap(), path);
        }
    }

    #[test]
    fn paths_round_trip(path in values::path()) {
        prop_assert_eq!(path.to_string().parse::<PathExpression>().unwrap(), path);
    }

    #[test]
    fn parsing_expressions_never_panics(text in values::expression_like()) {
        let _ = text.parse::<MatchingExpression>();
    }

    #[test]
    fn splitting_templates_never_panics(template in values::template_like()) {
        let _ = split_value(&template);
        if let Ok(mut split) = split_body(&template) {
            let _ = split.fill(|_| Ok::<_, ()>(Json::Bool(true)));
            // The example contains no matchers.
            let again = split_body(&split.example).unwrap();
            prop_assert_eq!(again.example, split.example);
            prop_assert!(again.rules.is_empty());
        }
    }
}

fn without_broker_ids(mut contract: Contract) -> Contract {
    contract
        .interactions
        .iter_mut()
        .for_each(|interaction| interaction.broker_id = None);
    contract
}
