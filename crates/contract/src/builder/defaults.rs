//! What every interaction of a contract has unless it says otherwise.

use contract_model::{Json, Text};

use super::head::{check_header_name, check_header_values, check_method, in_list, status};
use super::named::Named;
use super::value::{Value, values};
use crate::error::{ArgumentError, HEADER, QUERY};

/// Values for the interactions that are begun from now on. A header or a query parameter that an interaction sets itself
/// replaces the default of that name as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    pub(super) method: Option<Text>,
    pub(super) query: Named,
    pub(super) request_headers: Option<Named>,
    pub(super) response_headers: Option<Named>,
    pub(super) status: Option<Value>,
}

impl Defaults {
    /// Reads `{ request: { method, query, headers }, response: { status, headers } }`; headers and query are lists of names
    /// and values.
    pub(super) fn new(json: &Json) -> Result<Self, ArgumentError> {
        let part = |name: &str| json.get(name).filter(|part| !part.is_null());
        let (request, response) = (part("request"), part("response"));
        let of = |part: Option<&Json>, name: &str| part.and_then(|part| part.get(name)).cloned();
        let mut query = Named::default();
        for (name, value) in pairs(of(request, "query").as_ref()) {
            query.append(
                &name,
                values(&value, QUERY).map_err(|error| error.within(&format!("defaults: query {name:?}")))?,
            );
        }
        Ok(Self {
            method: match of(request, "method") {
                Some(Json::String(method)) => Some(check_method(&method).map_err(|error| error.within("defaults"))?),
                _ => None,
            },
            query,
            request_headers: headers(of(request, "headers").as_ref())?,
            response_headers: headers(of(response, "headers").as_ref())?,
            status: of(response, "status")
                .map(|value| status(&value))
                .transpose()
                .map_err(|error| error.within("defaults"))?,
        })
    }
}

fn headers(json: Option<&Json>) -> Result<Option<Named>, ArgumentError> {
    let mut named = Named::without_case();
    for (name, value) in pairs(json) {
        check_header_name(&name).map_err(|error| error.within("defaults"))?;
        let values = values(&value, HEADER).map_err(|error| error.within(&format!("defaults: header {name:?}")))?;
        check_header_values(&name, &values).map_err(|error| error.within("defaults"))?;
        named.append(&name, in_list(&name, values));
    }
    let has_some = named.iter().next().is_some();
    Ok(has_some.then_some(named))
}

fn pairs(json: Option<&Json>) -> Vec<(Text, Json)> {
    let pair = |pair: &Json| match pair.as_array() {
        Some([Json::String(name), value]) => Some((name.clone(), value.clone())),
        _ => None,
    };
    json.and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(pair)
        .collect()
}
