//! Method, path, status, query, headers and cookies.

use contract_model::{
    Headers, HttpInteraction, InteractionKind, Json, Query, Request, Response, Rule, RuleList, SpecificationVersion,
    Text,
};

use super::rules::of_name;
use crate::builder::body::is_provided;
use crate::builder::cookie::{self, Cookie};
use crate::builder::draft::{Draft, check};
use crate::builder::head::{check_bearer_token, check_header_name, check_header_values, in_list, status};
use crate::builder::named::Named;
use crate::builder::operation::Pairs;
use crate::builder::part::Part;
use crate::builder::value::{Value, from_text, values};
use crate::error::{ArgumentError, Done, HEADER, PATH, QUERY};
use crate::matchers::Matcher;
use crate::message::{operation as called, told};

/// Values by name, checked.
type Checked = Vec<(Text, Vec<Value>)>;

impl Draft {
    pub(super) fn with_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let headers = self.checked_headers(headers, part)?;
        let draft = self.part(part);
        let mut mixed = Vec::new();
        for (name, values) in headers {
            draft.headers.append(&name, values);
            if draft.headers.has_own_rules(&name) {
                mixed.push(format!(
                    "other tools compare all values of the header {name:?} exactly, for not all of them have the same matcher; give \
                     each of them the same one, such as a regular expression for all"
                ));
            }
        }
        self.warn(mixed);
        Ok(())
    }

    pub(super) fn set_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let mut checked = Vec::with_capacity(headers.0.len());
        for (name, value) in headers.0 {
            check_header_name(&name)?;
            let Json::String(text) = value else {
                let found = if contract_model::is_secret(&name) {
                    value.kind().to_string()
                } else {
                    crate::read::shown(&value)
                };
                let message = format!("the value must be text, got {found}");
                return Err(ArgumentError::new(HEADER, message).within(format!("{:?}", name.as_str())));
            };
            let values = vec![Value::literal(text)];
            check_header_values(&name, &values)?;
            let values = in_list(&name, values);
            self.check_header(part, &name, &values)?;
            checked.push((name, values));
        }
        let draft = self.part(part);
        for (name, values) in checked {
            draft.headers.set(&name, values);
        }
        Ok(())
    }

    pub(super) fn with_query(&mut self, parameters: Pairs) -> Done {
        self.http()?;
        for (name, values) in self.checked_query(parameters)? {
            self.query.append(&name, values);
        }
        Ok(())
    }

    pub(super) fn with_cookie(&mut self, name: &str, value: &Json, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let cookie = Cookie::new(name, value)?;
        if part == Part::Response {
            let values = vec![cookie.set()];
            self.check_header(part, "Set-Cookie", &values)?;
            self.part(part).headers.append("Set-Cookie", values);
        } else {
            self.request.cookies.push(cookie);
            let values = vec![cookie::header(&self.request.cookies)];
            if let Err(refused) = self.check_header(part, "Cookie", &values) {
                self.request.cookies.pop();
                return Err(refused);
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
        let header = ("Authorization".into(), value.template()?.json()?);
        self.with_headers(Pairs(vec![header]), Some(Part::Request))
    }

    pub(super) fn checked_path(&self, path: &Json) -> Result<Value, ArgumentError> {
        let refused = |message: crate::message::Message| Err(ArgumentError::new(PATH, message).about("path"));
        let path = match path {
            Json::String(text) => match from_text(text) {
                Some(json) => Value::new(&json)?,
                None => Value::literal(text.clone()),
            },
            Json::Object(_) => Value::new(path)?,
            other => return refused(format!("the path must be text or a matcher, got {}", other.kind()).into()),
        };
        let text = path.text(PATH)?;
        if let Some(at) = text.find('?') {
            let query = &text[at + 1..];
            return refused(told![
                format!("the path {text:?} holds a query; use "),
                called("with_query_parameter"),
                format!(" for {query:?}")
            ]);
        }
        if !text.starts_with('/') && path.rules.is_none() {
            return refused(format!("the path {text:?} must begin with a slash").into());
        }
        let mut request = Request {
            path: text,
            ..Request::default()
        };
        request.rules.path = self.request.rules.path.clone().or_else(|| path.rules.clone());
        self.check_http(HttpInteraction {
            request,
            response: Response::default(),
        })?;
        Ok(path)
    }

    pub(super) fn checked_status(&self, given: &Json) -> Result<Value, ArgumentError> {
        let value = status(given).map_err(|error| error.about("status"))?;
        let code = value.example.as_u64().and_then(|code| u16::try_from(code).ok());
        let mut response = Response {
            status: code.unwrap_or(200),
            ..Response::default()
        };
        let own = self.responses.first().and_then(|part| part.rules.status.clone());
        response.rules.status = own.or_else(|| value.rules.clone());
        self.check_http(HttpInteraction {
            request: Request::default(),
            response,
        })?;
        Ok(value)
    }

    pub(super) fn checked_headers(&self, headers: Pairs, part: Part) -> Result<Checked, ArgumentError> {
        let mut checked = Vec::with_capacity(headers.0.len());
        for (name, value) in headers.0 {
            check_header_name(&name)?;
            let quoted = |error: ArgumentError| error.within(format!("{:?}", name.as_str()));
            let mut values = values(value, HEADER).map_err(quoted)?;
            check_header_values(&name, &values)?;
            values = in_list(&name, values);
            if part == Part::Response {
                free_provided(&mut values);
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
            let is_ruled = values.iter().any(|value| value.rules.is_some());
            if is_ruled && self.version() < SpecificationVersion::V3 && !contract_model::is_flat_name(&name) {
                self.warn([format!(
                    "other tools cannot read V2 contracts with a matcher for the query parameter {name:?}, because they take \
                     its name for a path; V3 and V4 take any name"
                )]);
            }
            checked.push((name, values));
        }
        Ok(checked)
    }

    /// Only what the call is about is checked: all of a large request again at each call would take quadratic time.
    fn check_header(&self, part: Part, name: &str, values: &[Value]) -> Done {
        let mut named = Named::without_case();
        named.append(name, values.to_vec());
        let mut headers = Headers::new();
        for (name, texts) in named.texts(HEADER)? {
            headers.set(name, texts);
        }
        let (mut rules, _) = named.rules();
        let draft = match part {
            Part::Request => Some(&self.request),
            Part::Response => self.responses.last(),
        };
        rules.extend(
            draft
                .map(|draft| of_name(&draft.rules.header, name, true))
                .unwrap_or_default(),
        );
        let mut response = Response::default();
        let mut request = Request::default();
        let (place, rules_of) = match part {
            Part::Request => (&mut request.headers, &mut request.rules.header),
            Part::Response => (&mut response.headers, &mut response.rules.header),
        };
        *place = headers;
        *rules_of = rules;
        self.check_http(HttpInteraction { request, response })
    }

    fn check_query(&self, name: &str, values: &[Value]) -> Done {
        let mut named = Named::default();
        named.append(name, values.to_vec());
        let mut query = Query::new();
        for value in values {
            let text = if value.example.is_null() {
                None
            } else {
                Some(value.text(QUERY)?)
            };
            query.append(name, text);
        }
        let (mut rules, _) = named.rules();
        rules.extend(of_name(&self.request.rules.query, name, false));
        let mut request = Request {
            query,
            ..Request::default()
        };
        request.rules.query = rules;
        self.check_http(HttpInteraction {
            request,
            response: Response::default(),
        })
    }

    fn check_http(&self, http: HttpInteraction) -> Done {
        check(&http.request, &http.response)?;
        self.check_version(InteractionKind::Http(Box::new(http)), &[])
    }
}

/// Of what the provider makes itself, only the kind is known.
fn free_provided(values: &mut [Value]) {
    for value in values {
        if value.rules.is_none() && value.generator.as_ref().is_some_and(is_provided) {
            value.rules = Some(RuleList::one(Rule::Type { min: None, max: None }));
        }
    }
}
