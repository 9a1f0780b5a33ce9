//! What holds for every contract and every input, tried on random ones.

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

/// A small number of cases by default, for this runs with every build; `PROPTEST_CASES` asks for more.
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

/// What is lost. A path that others cannot read is none of it: here it is read.
fn lost(written: &Written) -> impl Iterator<Item = &WriteWarning> {
    let is_lost = |warning: &&WriteWarning| !matches!(warning.loss, Loss::ForeignPath { .. });
    written.warnings.iter().filter(is_lost)
}

/// Without warnings the contract that is read back is the one that was written; in any case what is written can be
/// read, and is the same when written again.
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

/// What cannot be read stands as it stood wherever it is written without a warning. It may mean something in another list
/// or version, so that what is read back need not be the same.
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
    fn a_v4_contract_is_read_as_it_was_written(contract in models::contract()) {
        let written = contract.write(SpecificationVersion::V4).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let lost: Vec<String> = lost(&written).map(ToString::to_string).collect();
        prop_assert!(lost.is_empty(), "{lost:?}");
        check_written(&contract, SpecificationVersion::V4)?;
    }

    #[test]
    fn a_contract_in_an_older_version_says_what_it_lost(contract in models::http_contract()) {
        for version in VERSIONS {
            check_written(&contract, version)?;
        }
    }

    #[test]
    fn what_v2_can_say_is_read_as_it_was_written(contract in models::simple_contract()) {
        check_written(&contract, SpecificationVersion::V2)?;
    }

    #[test]
    fn messages_in_v3_say_what_they_lost(contract in models::message_contract()) {
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
    fn json_means_the_same_as_to_serde_json(value in values::json()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_text()).unwrap();
        // Their floats round, but the text of what they made is kept.
        prop_assert_eq!(Json::parse(theirs.to_string().as_bytes()).unwrap().to_text(), theirs.to_string());
        let serialized: serde_json::Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&value.to_text()).unwrap(), serialized);
    }

    #[test]
    fn what_is_json_to_one_parser_is_json_to_the_other(text in values::almost_json()) {
        let ours = Json::parse(text.as_bytes());
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // Of a name that stands twice the other parser takes the last, numbers beyond a float it refuses.
        match (&ours, &theirs) {
            (Err(error), Ok(_)) => {
                prop_assert!(matches!(error.kind, contract_model::JsonErrorKind::DuplicateKey(_)), "{text}: {error}");
            }
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{text}: {error}"),
            _ => {}
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Contract::read(&bytes);
    }

    #[test]
    fn no_document_makes_a_reader_panic(document in values::contract_like()) {
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
    fn no_text_makes_a_path_panic(text in "[$.*\\['\"\\]0-9a\\\\é-]{0,20}") {
        if let Ok(path) = text.parse::<PathExpression>() {
            prop_assert_eq!(path.to_string().parse::<PathExpression>().unwrap(), path);
        }
    }

    #[test]
    fn paths_are_read_as_they_were_written(path in values::path()) {
        prop_assert_eq!(path.to_string().parse::<PathExpression>().unwrap(), path);
    }

    #[test]
    fn no_text_makes_an_expression_panic(text in values::expression_like()) {
        let _ = text.parse::<MatchingExpression>();
    }

    #[test]
    fn no_template_makes_the_splitters_panic(template in values::template_like()) {
        let _ = split_value(&template);
        if let Ok(mut split) = split_body(&template) {
            let _ = split.fill(|_| Ok::<_, ()>(Json::Bool(true)));
            // What is left has no matchers.
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
