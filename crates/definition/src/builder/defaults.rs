//! Defaults for interactions of a contract.

use contract_model::Text;

use super::head::{check_header_name, check_method, checked_values, status};
use super::named::ValuesByName;
use super::operation::{DefaultArguments, Pairs, RequestDefaults};
use super::value::{Value, values};
use contract_call::error::{ArgumentError, HEADER, QUERY};

/// Defaults for interactions that are defined later. A header or query parameter of an interaction replaces the default
/// with the same name.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    pub(super) method: Option<Text>,
    pub(super) query: ValuesByName,
    pub(super) request_headers: Option<ValuesByName>,
    pub(super) response_headers: Option<ValuesByName>,
    pub(super) status: Option<Value>,
}

impl Defaults {
    pub(super) fn new(arguments: DefaultArguments) -> Result<Self, ArgumentError> {
        let RequestDefaults { method, query, headers } = arguments.request.unwrap_or_default();
        let response = arguments.response.unwrap_or_default();
        let mut parameters = ValuesByName::default();
        for (name, value) in query.unwrap_or_default().0 {
            let values = values(value, QUERY).map_err(|error| error.within(format!("query {name:?}")))?;
            parameters.append(&name, values);
        }
        Ok(Self {
            method: method.map(|method| check_method(&method)).transpose()?,
            query: parameters,
            request_headers: read_headers(headers)?,
            response_headers: read_headers(response.headers)?,
            status: response.status.map(status).transpose()?,
        })
    }
}

fn read_headers(headers: Option<Pairs>) -> Result<Option<ValuesByName>, ArgumentError> {
    let mut named = ValuesByName::case_insensitive();
    for (name, value) in headers.unwrap_or_default().0 {
        check_header_name(&name)?;
        let values = values(value, HEADER).map_err(|error| error.within(format!("header {name:?}")))?;
        named.append(&name, checked_values(&name, values)?);
    }
    let has_some = named.iter().next().is_some();
    Ok(has_some.then_some(named))
}
