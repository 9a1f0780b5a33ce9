//! Combines the variant options of a call, a contract, and the environment.

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::read::suggest;
use contract_definition::{ContractBuilder, UnreadFields, VariantChoice, VariantOptions};
use contract_model::PathExpression;
use contract_variants::{Kind, Settings};

use crate::options::CallSite;

const VARIANTS: &str = "variants";
/// The value that switches variants off.
const OFF: &str = "off";

#[derive(Clone, Debug)]
pub(crate) struct VariantSettings {
    pub(crate) settings: Settings,
    /// The name of the only variant to serve, from `CONTRACT_VARIANT`. `None` if all variants are served.
    pub(crate) replay: Option<String>,
    pub(crate) unread: Option<UnreadFields>,
}

/// Returns the variant settings, or `None` if variants are switched off. The options of the call override those of the
/// contract, which override `CONTRACT_VARIANTS`. However, `CONTRACT_VARIANTS=off` overrides all options.
pub(crate) fn resolve(
    own: Option<&VariantChoice>,
    contract: &ContractBuilder,
    call_site: &CallSite,
) -> Result<Option<VariantSettings>, ArgumentError> {
    let environment = call_site.variants.as_deref().filter(|value| !value.is_empty());
    let environment = environment.map(|value| read_set(value).map(|()| value)).transpose()?;
    let general = contract.options().variants.clone();
    let usual = environment.map(VariantChoice::set);
    let Some(VariantChoice(options)) = own.or(general.as_ref()).or(usual.as_ref()) else {
        return Ok(None);
    };
    let settings = read(options)?;
    if environment == Some(OFF) {
        return Ok(None);
    }
    Ok(settings.map(|settings| VariantSettings {
        settings,
        replay: call_site.variant.clone().filter(|name| !name.is_empty()),
        unread: options.unread,
    }))
}

/// Like [`resolve`], but for a suite in which each test receives one variant. If nothing is set, the set `default`
/// applies.
pub(crate) fn resolve_list(
    own: Option<&VariantChoice>,
    contract: &ContractBuilder,
    call_site: &CallSite,
) -> Result<Option<VariantSettings>, ArgumentError> {
    if let Some(VariantChoice(options)) = own {
        let selections = [
            ("max", options.max.is_some()),
            ("pairs", options.pairs.is_some()),
            ("unread", options.unread.is_some()),
        ];
        if let Some((name, _)) = selections.into_iter().find(|(_, is_given)| *is_given) {
            let text = format!("{name:?} is not supported, because each test receives one variant. Use it with serve");
            return Err(invalid(&text));
        }
    }
    let is_set = own.is_some()
        || contract.options().variants.is_some()
        || call_site.variants.as_ref().is_some_and(|value| !value.is_empty());
    let usual = VariantChoice::set("default");
    resolve(if is_set { own } else { Some(&usual) }, contract, call_site)
}

fn read_set(value: &str) -> Result<(), ArgumentError> {
    if value == OFF || Kind::set(value).is_some() {
        return Ok(());
    }
    let message = format!("CONTRACT_VARIANTS must be off, default, values, or all; received {value:?}");
    Err(ArgumentError::new(OPTIONS, message))
}

fn read(options: &VariantOptions) -> Result<Option<Settings>, ArgumentError> {
    let defaults = Settings::default();
    let kinds = match &options.include {
        None => defaults.kinds,
        Some(names) => read_kinds(names)?,
    };
    let is_off = kinds.is_empty();
    let except = options.except.iter().flatten().map(|place| read_place(place));
    let except: Vec<PathExpression> = except.collect::<Result<_, _>>()?;
    if except.iter().any(|path| path.tokens().is_empty()) {
        return Err(invalid(&format!(
            "except contains $, which is the whole body. To serve no variants, use {OFF:?}"
        )));
    }
    Ok((!is_off).then_some(Settings {
        kinds,
        except,
        max: options
            .max
            .map_or(defaults.max, |max| usize::try_from(max.0).unwrap_or(usize::MAX)),
        pairs: options.pairs.unwrap_or(false),
        seed: options.seed.map_or(defaults.seed, |seed| seed.0),
    }))
}

/// Returns the kinds of variants in these sets and kinds. Empty for `off`.
fn read_kinds(names: &[String]) -> Result<Vec<Kind>, ArgumentError> {
    if names.iter().any(|name| name == OFF) {
        return match names {
            [_] => Ok(Vec::new()),
            _ => Err(invalid(&format!(
                "{OFF:?} cannot be combined with other kinds of variants"
            ))),
        };
    }
    if names.is_empty() {
        return Err(invalid(&format!("include is empty. To serve no variants, use {OFF:?}")));
    }
    let mut kinds = Vec::new();
    for name in names {
        match (Kind::set(name), name.parse::<Kind>()) {
            (Some(set), _) => kinds.extend_from_slice(set),
            (None, Ok(kind)) => kinds.push(kind),
            (None, Err(_)) => return Err(unknown_kind(name)),
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    Ok(kinds)
}

fn unknown_kind(name: &str) -> ArgumentError {
    let known: Vec<&'static str> = [OFF]
        .into_iter()
        .chain(Kind::SETS)
        .chain(Kind::ALL.map(Kind::name))
        .collect();
    let near = suggest(name, &known)
        .map(|near| format!(" Did you mean {near:?}?"))
        .unwrap_or_default();
    // In quotes, because bindings translate words such as null.
    let quoted: Vec<String> = known.iter().map(|name| format!("{name:?}")).collect();
    invalid(&format!(
        "unknown kind of variants {name:?}.{near}\n  Kinds: {}",
        quoted.join(", ")
    ))
}

fn read_place(place: &str) -> Result<PathExpression, ArgumentError> {
    place.parse().map_err(|error| invalid(&format!("except: {error}")))
}

fn invalid(text: &str) -> ArgumentError {
    ArgumentError::new(OPTIONS, format!("{VARIANTS}: {text}")).for_argument(VARIANTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(options: &str, environment: &str) -> Result<Option<VariantSettings>, String> {
        let json = contract_call::json::parse_json(options).unwrap();
        let choice: Result<VariantChoice, _> = contract_call::read::value(json);
        let choice = choice.map_err(|error| error.into_error(OPTIONS).to_string())?;
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let call_site = CallSite::from_text(environment).unwrap();
        resolve(Some(&choice), &contract, &call_site).map_err(|error| error.to_string())
    }

    #[test]
    fn sets_and_kinds_are_combined() {
        let kinds = |options| settings(options, "{}").unwrap().unwrap().settings.kinds;
        assert_eq!(kinds("\"default\"").len(), 6);
        assert_eq!(
            kinds(r#"{"include": ["null", "branch", "null"]}"#),
            [Kind::Branch, Kind::Null]
        );
        assert_eq!(kinds(r#"{"include": ["default", "text"]}"#).len(), 7);
        assert!(settings("\"off\"", "{}").unwrap().is_none());
        assert!(settings("\"all\"", r#"{"variants": "off"}"#).unwrap().is_none());
    }

    #[track_caller]
    fn check_error(options: &str, environment: &str, expected: &str) {
        let error = settings(options, environment).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn invalid_options_are_rejected() {
        check_error("\"defualt\"", "{}", "Did you mean \"default\"?");
        check_error(r#"{"include": ["off", "null"]}"#, "{}", "cannot be combined");
        check_error(r#"{"include": []}"#, "{}", "include is empty");
        check_error(r#"{"except": ["$"]}"#, "{}", "the whole body");
        check_error(r#"{"except": ["$..a"]}"#, "{}", "column");
        check_error(r#"{"max": 0}"#, "{}", "max");
        check_error(r#"{"seed": "x"}"#, "{}", "seed");
        check_error(r#"{"sed": 1}"#, "{}", "Did you mean \"seed\"?");
        check_error("7", "{}", "received 7");
        check_error("\"all\"", r#"{"variants": "some"}"#, "CONTRACT_VARIANTS must be");
    }
}
