//! What environment variables say to a verification instead of its options.

use contract_broker_client::Credentials;

use super::broker_place::BrokerPlace;
use super::operation::FilterOptions;
use crate::environment::Environment;
use crate::error::ArgumentError;
use crate::read::FilterPattern;
use crate::sources::{RemoteSource, Source};

impl Environment {
    /// The one contract that this run is about: a broker's webhook names it. What opens the broker opens it, if it is there.
    pub(super) fn source(&self, broker: Option<&BrokerPlace>) -> Option<Source> {
        let place = self.get("CONTRACT_URL").or_else(|| self.get("PACT_URL"))?;
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
            let opens = |broker: &BrokerPlace| broker.opens(self, place);
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

    /// The filter, with what the environment says instead.
    pub(super) fn filter(&self, own: &FilterOptions) -> Result<FilterOptions, ArgumentError> {
        let mut filter = own.clone();
        for name in ["CONTRACT_DESCRIPTION", "CONTRACT_PROVIDER_STATE"] {
            if let Some(pattern) = self.get(name) {
                contract_verifier::Filter::new(Some(pattern), None).map_err(|_| {
                    let message = format!("{name} is {pattern:?}, which is no regular expression");
                    ArgumentError::new("ERR_CONTRACT_OPTIONS", message)
                })?;
            }
        }
        if let Some(pattern) = self.get("CONTRACT_DESCRIPTION") {
            filter.description = Some(FilterPattern(pattern.to_owned()));
        }
        let (state, no_state) = (
            self.get("CONTRACT_PROVIDER_STATE"),
            self.is_on("CONTRACT_PROVIDER_NO_STATE"),
        );
        if state.is_some() && no_state {
            return Err(ArgumentError::new(
                "ERR_CONTRACT_OPTIONS",
                "CONTRACT_PROVIDER_STATE and CONTRACT_PROVIDER_NO_STATE exclude each other; set one of them",
            ));
        }
        if state.is_some() || no_state {
            filter.state = state.map(|pattern| FilterPattern(pattern.to_owned()));
            filter.no_state = no_state;
        }
        Ok(filter)
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;
    use crate::read::FilterPattern;
    use crate::sources::Source;
    use crate::verify::operation::FilterOptions;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let set = variables.iter();
        set.fold(Environment::default(), |environment, (name, value)| {
            environment.with(name, value)
        })
    }

    #[test]
    fn filters_of_the_environment_come_first() {
        let own = FilterOptions {
            description: Some(FilterPattern("own".to_owned())),
            no_state: true,
            ..FilterOptions::default()
        };
        let filter = environment(&[("CONTRACT_PROVIDER_STATE", "^a$")]).filter(&own).unwrap();
        assert_eq!(
            (filter.description, filter.state, filter.no_state),
            (
                Some(FilterPattern("own".to_owned())),
                Some(FilterPattern("^a$".to_owned())),
                false
            )
        );
        let filter = environment(&[("CONTRACT_PROVIDER_NO_STATE", "false")])
            .filter(&own)
            .unwrap();
        assert!(filter.no_state);
        let error = environment(&[("CONTRACT_DESCRIPTION", "(")]).filter(&own).unwrap_err();
        assert!(error.to_string().contains("CONTRACT_DESCRIPTION"), "{error}");
        let both = [("CONTRACT_PROVIDER_STATE", "a"), ("CONTRACT_PROVIDER_NO_STATE", "true")];
        assert!(environment(&both).filter(&own).is_err());
    }

    #[test]
    fn the_broker_s_secrets_go_to_the_broker() {
        let token = |url: &str| {
            let variables = [
                ("CONTRACT_URL", url),
                ("CONTRACT_BROKER_BASE_URL", "https://broker.example"),
                ("CONTRACT_BROKER_TOKEN", "secret"),
            ];
            match environment(&variables).source(None) {
                Some(Source::Url(remote)) => remote.token,
                _ => None,
            }
        };
        assert_eq!(token("https://broker.example/contracts/1").as_deref(), Some("secret"));
        assert_eq!(token("https://broker.example.evil/contracts/1"), None);
        assert_eq!(token("./contracts"), None);
        // The field's names stand behind ours.
        let field = [
            ("PACT_URL", "https://broker.example/pacts/1"),
            ("PACT_BROKER_BASE_URL", "https://broker.example/"),
            ("PACT_BROKER_USERNAME", "me"),
        ];
        assert!(
            matches!(environment(&field).source(None), Some(Source::Url(remote)) if remote.username.as_deref() == Some("me"))
        );
    }
}
