//! Environment variables that override the sources and filters of a verification.

use contract_broker_client::Credentials;
use contract_verifier::Filter;

use super::broker_place::BrokerPlace;
use super::invalid::invalid;
use contract_call::error::ArgumentError;
use contract_pipeline::Environment;
use contract_pipeline::{RemoteSource, Source};

/// Returns the single contract in `CONTRACT_URL` or `PACT_URL` that replaces all sources, for example in a build that a
/// broker's webhook has started. Returns `None` if neither variable is set. The broker's credentials are used if the
/// URL is below the broker's base URL.
pub(super) fn source(environment: &Environment, broker: Option<&BrokerPlace>) -> Option<Source> {
    let place = environment
        .get("CONTRACT_URL")
        .or_else(|| environment.get("PACT_URL"))?;
    if !place.starts_with("http://") && !place.starts_with("https://") {
        return Some(Source::Path {
            path: place.strip_prefix("file://").unwrap_or(place).into(),
        });
    }
    let mut remote = RemoteSource {
        url: place.to_owned(),
        ..RemoteSource::default()
    };
    if contract_wire::without_credentials(place) == place {
        let own = BrokerPlace::default();
        let opens = |broker: &BrokerPlace| broker.opens(environment, place);
        match broker.and_then(opens).or_else(|| opens(&own)) {
            Some(Credentials::Token(token)) => remote.token = Some(token),
            Some(Credentials::Basic { username, password }) => {
                remote.username = Some(username);
                remote.password = Some(password);
            }
            Some(Credentials::None) | None => {}
        }
    }
    Some(Source::Url(remote))
}

/// Replaces filter options by `CONTRACT_DESCRIPTION`, `CONTRACT_PROVIDER_STATE`, and `CONTRACT_PROVIDER_NO_STATE`, if
/// they are set.
pub(super) fn filter(environment: &Environment, filter: &mut Filter) -> Result<(), ArgumentError> {
    let pattern = |name: &str| {
        let read = |pattern| match Filter::new(Some(pattern), None) {
            Ok(read) => Ok(read.description),
            Err(_) => Err(invalid(format!(
                "{name} is not a valid regular expression: {pattern:?}"
            ))),
        };
        environment.get(name).map_or(Ok(None), read)
    };
    let (description, state) = (pattern("CONTRACT_DESCRIPTION")?, pattern("CONTRACT_PROVIDER_STATE")?);
    let no_state = environment.is_on("CONTRACT_PROVIDER_NO_STATE");
    if state.is_some() && no_state {
        return Err(invalid(
            "CONTRACT_PROVIDER_STATE and CONTRACT_PROVIDER_NO_STATE are mutually exclusive",
        ));
    }
    if description.is_some() {
        filter.description = description;
    }
    if state.is_some() || no_state {
        (filter.state, filter.no_state) = (state, no_state);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Environment, Filter};
    use contract_pipeline::Source;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let set = variables.iter();
        set.fold(Environment::default(), |environment, (name, value)| {
            environment.with(name, value)
        })
    }

    #[test]
    fn environment_overrides_filters() {
        let own = Filter {
            no_state: true,
            ..Filter::new(Some("own"), None).unwrap()
        };
        let filtered = |variables: &[(&str, &str)]| {
            let mut filter = own.clone();
            let text = |pattern: &Option<_>| pattern.as_ref().map(ToString::to_string);
            match super::filter(&environment(variables), &mut filter) {
                Ok(()) => Ok((text(&filter.description), text(&filter.state), filter.no_state)),
                Err(error) => Err(error.to_string()),
            }
        };
        let texts = (Some("own".to_owned()), Some("^a$".to_owned()), false);
        assert_eq!(filtered(&[("CONTRACT_PROVIDER_STATE", "^a$")]).unwrap(), texts);
        assert!(filtered(&[("CONTRACT_PROVIDER_NO_STATE", "false")]).unwrap().2);
        let error = filtered(&[("CONTRACT_DESCRIPTION", "(")]).unwrap_err();
        assert!(error.contains("CONTRACT_DESCRIPTION"), "{error}");
        assert!(filtered(&[("CONTRACT_PROVIDER_STATE", "a"), ("CONTRACT_PROVIDER_NO_STATE", "true")]).is_err());
    }

    #[test]
    fn sends_credentials_only_to_the_broker() {
        let token = |url: &str| {
            let variables = [
                ("CONTRACT_URL", url),
                ("CONTRACT_BROKER_BASE_URL", "https://broker.example"),
                ("CONTRACT_BROKER_TOKEN", "secret"),
            ];
            match super::source(&environment(&variables), None) {
                Some(Source::Url(remote)) => remote.token,
                _ => None,
            }
        };
        assert_eq!(token("https://broker.example/contracts/1").as_deref(), Some("secret"));
        assert_eq!(token("https://broker.example.evil/contracts/1"), None);
        assert_eq!(token("./contracts"), None);
        // Variables with the prefix `PACT_` are the fallback.
        let field = [
            ("PACT_URL", "https://broker.example/pacts/1"),
            ("PACT_BROKER_BASE_URL", "https://broker.example/"),
            ("PACT_BROKER_USERNAME", "me"),
        ];
        assert!(
            matches!(super::source(&environment(&field), None), Some(Source::Url(remote)) if remote.username.as_deref() == Some("me"))
        );
    }
}
