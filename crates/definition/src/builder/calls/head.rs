//! Operations that set the method, path, status, query, headers, and cookies.

use contract_model::{Json, Rule, RuleList, SpecificationVersion, Text};

use super::rules::rules_for_name;
use crate::builder::body::is_provided;
use crate::builder::cookie::{self, Cookie};
use crate::builder::draft::Draft;
use crate::builder::head::{check_bearer_token, check_header_name, checked_values, status};
use crate::builder::operation::Pairs;
use crate::builder::part::Part;
use crate::builder::value::{Value, values};
use crate::matchers::Matcher;
use contract_call::error::{ArgumentError, Done, HEADER, PATH, QUERY};
use contract_call::message::{message, operation as called};

type Checked = Vec<(Text, Vec<Value>)>;

impl Draft {
    pub(super) fn with_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.require_http()?;
        let part = part.unwrap_or(self.current);
        let headers = self.checked_headers(headers, part, with_matchers)?;
        let draft = self.part(part);
        let mut mixed = Vec::new();
        for (name, values) in headers {
            draft.headers.append(&name, values);
            if draft.headers.has_different_rules(&name) {
                mixed.push(format!(
                    "other Pact implementations compare all values of the header {name:?} exactly, because its values have \
                     different matchers; use the same matcher for each value, such as one regular expression"
                ));
            }
        }
        self.warn(mixed);
        Ok(())
    }

    pub(super) fn set_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.require_http()?;
        let part = part.unwrap_or(self.current);
        let headers = self.checked_headers(headers, part, literal)?;
        let draft = self.part(part);
        for (name, values) in headers {
            draft.headers.set(&name, values);
        }
        Ok(())
    }

    pub(super) fn with_query(&mut self, parameters: Pairs) -> Done {
        self.require_http()?;
        let parameters = self.checked_query(parameters)?;
        self.query.append_all(parameters);
        Ok(())
    }

    pub(super) fn with_cookie(&mut self, name: &str, value: Json, part: Option<Part>) -> Done {
        self.require_http()?;
        let part = part.unwrap_or(self.current);
        let cookie = Cookie::new(name, value)?;
        if part == Part::Response {
            let values = vec![cookie.set()];
            self.check_header(part, "Set-Cookie", &values)?;
            self.part(part).headers.append("Set-Cookie", values);
        } else {
            self.request.cookies.push(cookie);
            let values = vec![cookie::header(&self.request.cookies)];
            if let Err(error) = self.check_header(part, "Cookie", &values) {
                self.request.cookies.pop();
                return Err(error);
            }
            self.request.headers.set("Cookie", values);
        }
        Ok(())
    }

    pub(super) fn with_bearer_token(&mut self, example: &str) -> Done {
        check_bearer_token(example)?;
        let value = Matcher::BearerToken {
            example: example.into(),
        };
        let header = Pairs::single("Authorization".to_owned(), value.template()?.json()?);
        self.with_headers(header, Some(Part::Request))
    }

    pub(super) fn checked_path(&self, path: Json) -> Result<Value, ArgumentError> {
        let invalid =
            |message: contract_call::message::Message| Err(ArgumentError::new(PATH, message).for_argument("path"));
        let path = match path {
            Json::String(_) | Json::Object(_) => Value::parse(path)?,
            other => {
                return invalid(
                    format!(
                        "the path must be a string or a matcher, received {}",
                        other.kind().with_article()
                    )
                    .into(),
                );
            }
        };
        let text = path.text(PATH)?;
        if let Some(at) = text.find('?') {
            let query = &text[at + 1..];
            return invalid(message![
                format!("the path {text:?} contains a query; use "),
                called("with_query_parameter"),
                format!(" for {query:?}")
            ]);
        }
        if !text.starts_with('/') {
            return invalid(format!("the path {text:?} must start with a slash").into());
        }
        if text.contains('#') {
            let message = format!(
                "the path {text:?} contains a fragment, which clients do not send; write \"%23\" for the character \"#\""
            );
            return invalid(message.into());
        }
        let known = &self.request.rules.path;
        self.check_alone(Part::Request, path.rules.is_some() || known.is_some(), &|alone| {
            alone.path = path.clone();
            alone.request.rules.path.clone_from(known);
        })?;
        Ok(path)
    }

    pub(super) fn checked_status(&self, json: Json) -> Result<Value, ArgumentError> {
        let status = status(json).map_err(|error| error.for_argument("status"))?;
        let known = self
            .existing_part(Part::Response)
            .and_then(|part| part.rules.status.as_ref());
        self.check_alone(Part::Response, status.rules.is_some() || known.is_some(), &|alone| {
            alone.status = status.clone();
            alone.part(Part::Response).rules.status = known.cloned();
        })?;
        Ok(status)
    }

    pub(super) fn checked_headers(
        &self,
        headers: Pairs,
        part: Part,
        read: fn(&str, Json) -> Result<Vec<Value>, ArgumentError>,
    ) -> Result<Checked, ArgumentError> {
        let mut checked = Vec::with_capacity(headers.0.len());
        for (name, value) in headers.0 {
            check_header_name(&name)?;
            let quoted = |error: ArgumentError| error.within(format!("{:?}", name.as_str()));
            let values = read(&name, value).map_err(quoted)?;
            let mut values = checked_values(&name, values)?;
            if part == Part::Response {
                allow_provided_values(&mut values);
            }
            self.check_header(part, &name, &values).map_err(quoted)?;
            checked.push((name, values));
        }
        Ok(checked)
    }

    pub(super) fn checked_query(&mut self, parameters: Pairs) -> Result<Checked, ArgumentError> {
        let mut checked = Vec::with_capacity(parameters.0.len());
        for (name, value) in parameters.0 {
            let quoted = |error: ArgumentError| error.within(format!("{:?}", name.as_str()));
            let values = if value.is_null() {
                vec![Value::literal(Json::Null)]
            } else {
                values(value, QUERY).map_err(quoted)?
            };
            self.check_query(&name, &values).map_err(quoted)?;
            let is_old = self.version() < SpecificationVersion::V3;
            if is_old && Value::any_has_rules(&values) && !contract_model::is_flat_name(&name) {
                self.warn([format!(
                    "other Pact implementations cannot read V2 contracts with a matcher for the query parameter {name:?}, \
                     because they parse its name as a path; V3 and V4 support any name"
                )]);
            }
            checked.push((name, values));
        }
        Ok(checked)
    }

    fn check_header(&self, part: Part, name: &str, values: &[Value]) -> Done {
        let known = self
            .existing_part(part)
            .map(|part| rules_for_name(&part.rules.header, name, true));
        let known = known.unwrap_or_default();
        self.check_alone(part, !known.is_empty() || Value::any_has_rules(values), &|alone| {
            let part = alone.part(part);
            part.headers.append(name, values.to_vec());
            part.rules.header.clone_from(&known);
        })
    }

    fn check_query(&self, name: &str, values: &[Value]) -> Done {
        for value in values.iter().filter(|value| !value.example.is_null()) {
            value.text(QUERY)?;
        }
        let known = rules_for_name(&self.request.rules.query, name, false);
        self.check_alone(
            Part::Request,
            !known.is_empty() || Value::any_has_rules(values),
            &|alone| {
                alone.query.append(name, values.to_vec());
                alone.request.rules.query.clone_from(&known);
            },
        )
    }
}

/// Reads header values, each of which may be a matcher.
pub(super) fn with_matchers(_: &str, value: Json) -> Result<Vec<Value>, ArgumentError> {
    values(value, HEADER)
}

/// Reads a header value that is used unchanged.
fn literal(name: &str, value: Json) -> Result<Vec<Value>, ArgumentError> {
    if let Json::String(text) = value {
        return Ok(vec![Value::literal(text)]);
    }
    let found = if contract_model::is_secret(name) {
        value.kind().with_article().to_owned()
    } else {
        contract_call::read::describe(&value)
    };
    Err(ArgumentError::new(
        HEADER,
        format!("the value must be a string, received {found}"),
    ))
}

/// Relaxes the rules of values from provider states and mock server URLs, so that only their type is compared.
fn allow_provided_values(values: &mut [Value]) {
    for value in values {
        if value.rules.is_none() && value.generator.as_ref().is_some_and(is_provided) {
            value.rules = Some(RuleList::single(Rule::Type { min: None, max: None }));
        }
    }
}
