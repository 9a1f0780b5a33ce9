//! The parsed request, as handlers receive it.

use std::sync::Arc;

use bytes::Bytes;
use contract_pages::Shell;
use serde_json::{Map, Value};

use super::actor::Actor;
use super::fields::FormFields;
use super::params::{Param, PathParams};
use super::reply::{HandlerError, Reply, invalid_field, name_not_found, name_not_found_on_page, not_found};
use super::urls::Urls;
use super::visitor::Visitor;
use contract_broker_core::cases::settings::PublishSettings;
use contract_broker_core::sql::environments::{self, Environment};
use contract_broker_core::sql::pacticipants::{self, Pacticipant};
use contract_broker_core::sql::versions::{self, Version};
use contract_broker_core::sql::{Page, deletions};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::content::KnownContents;
use contract_broker_domain::retention::RetentionPolicy;
use contract_broker_domain::rules::Rules;
use contract_broker_domain::selector::FieldErrors;
use contract_broker_domain::{names, query};
use contract_broker_remote::webhooks::WebhookSender;

/// Maximum length in bytes of other strings, such as a build URL. They are limited, because other resources contain
/// them.
const MAX_TEXT: usize = 4_096;
/// Maximum number of entries on a page of a list.
const MAX_PAGE: i64 = 1_000;
/// Maximum number of tags in one request. Each takes several statements in a transaction that blocks other writers.
const MAX_TAGS: usize = 100;

#[derive(Clone)]
pub struct Request {
    pub params: PathParams,
    pub query: Vec<(String, String)>,
    /// The path and the query, as the client sent them.
    pub target: String,
    pub accepts_text: bool,
    /// Whether the client accepts HAL or JSON explicitly, not only through a wildcard.
    pub names_hal: bool,
    /// Whether the client accepts JSON Lines but not HAL.
    pub accepts_lines: bool,
    pub body: Bytes,
    pub urls: Urls,
    pub rules: Arc<Rules>,
    pub sender: Arc<WebhookSender>,
    pub known_contents: Arc<KnownContents>,
    /// The retention policy, or `None` if this broker keeps all data.
    pub retention: Option<Arc<RetentionPolicy>>,
    pub actor: Arc<Actor>,
    /// The person who views the page or has submitted the form. The default for API requests.
    pub visitor: Visitor,
    /// The fields of the submitted form. `None` if the request is not a form.
    pub form: Option<FormFields>,
    /// The time of the request, in milliseconds since 1970.
    pub now: i64,
}

impl Request {
    /// Returns the value of a path parameter. Panics if the route does not have this parameter.
    pub fn param(&self, param: Param) -> &str {
        let value = self.params.get(param);
        value.expect("the route of a handler declares each parameter that the handler reads")
    }

    /// Returns the value of a query parameter, or `None` if it is missing or empty.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        query::value(&self.query, name).filter(|value| !value.is_empty())
    }

    /// Returns the fields of the submitted form. They are empty if the request is not a form.
    pub fn form_fields(&self) -> FormFields {
        self.form.clone().unwrap_or_default()
    }

    /// Returns the data that every page needs, such as the base URL and the signed-in user.
    pub fn shell(&self) -> Shell {
        self.visitor.shell(self.urls.base(), &self.target, self.now)
    }

    /// Returns the URL of this request, for the `self` link.
    pub fn self_url(&self) -> String {
        format!("{}{}", self.urls.base(), self.target.trim_end_matches('?'))
    }

    /// Parses the body as a JSON object. If the body is empty, returns an empty object.
    pub fn object(&self) -> Result<Map<String, Value>, HandlerError> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Map::new());
        }
        let text = self.utf8()?;
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(Reply::error(400, "The body must be a JSON object.").into()),
            Err(error) => Err(Reply::error(400, format!("The body is not valid JSON: {error}.")).into()),
        }
    }

    pub fn utf8(&self) -> Result<&str, HandlerError> {
        std::str::from_utf8(&self.body).map_err(|error| {
            let at = error.valid_up_to();
            Reply::error(
                400,
                format!("The body is not valid UTF-8: unexpected byte at position {at}."),
            )
            .into()
        })
    }

    /// Returns the requested page of a list, or `None` if the query has no pagination parameters.
    pub fn page(&self) -> Result<Option<Page>, HandlerError> {
        let number = self.positive(&["page", "pageNumber"])?;
        let size = self.positive(&["size", "pageSize"])?;
        if number.is_none() && size.is_none() {
            return Ok(None);
        }
        Ok(Some(Page {
            number: number.unwrap_or(1),
            size: size.unwrap_or(100).min(MAX_PAGE),
        }))
    }

    fn positive(&self, names: &[&str]) -> Result<Option<i64>, HandlerError> {
        const MAX: i64 = 1_000_000_000;
        let Some((name, text)) = names.iter().find_map(|name| Some((*name, self.query_value(name)?))) else {
            return Ok(None);
        };
        match text.parse::<i64>() {
            Ok(number) if number >= 1 => Ok(Some(number.min(MAX))),
            _ => Err(invalid_field(name, "must be an integer of at least 1").into()),
        }
    }

    pub fn publish_settings(&self) -> PublishSettings<'_> {
        PublishSettings {
            rules: &self.rules,
            grants: &self.actor.grants,
            links: &self.urls,
            now: self.now,
        }
    }

    /// Finds the application that the path names. Returns a 404 response if it does not exist.
    pub fn pacticipant(&self, tx: &mut Tx<'_>) -> Result<Pacticipant, HandlerError> {
        self.find_role(tx, Param::Pacticipant)
    }

    /// Finds the consumer and the provider that the path names. Returns a 404 response if either does not exist.
    pub fn pair(&self, tx: &mut Tx<'_>) -> Result<(Pacticipant, Pacticipant), HandlerError> {
        let [consumer, provider] = self.find_pair(tx)?;
        let mut existing = |found: Option<Pacticipant>, role: Param| match found {
            Some(found) => Ok(found),
            None => Err(self.unknown(tx, role)?),
        };
        Ok((
            existing(consumer, Param::Consumer)?,
            existing(provider, Param::Provider)?,
        ))
    }

    /// Finds the consumer and the provider that the path names, or `None` for each that does not exist.
    pub fn find_pair(&self, tx: &mut Tx<'_>) -> Result<[Option<Pacticipant>; 2], HandlerError> {
        let mut found = pacticipants::find_all(tx, &[self.param(Param::Consumer), self.param(Param::Provider)])?;
        let provider = found.pop().flatten();
        Ok([found.pop().flatten(), provider])
    }

    /// Finds the application that the path parameter `role` names. Returns a 404 response if it does not exist.
    pub fn find_role(&self, tx: &mut Tx<'_>, role: Param) -> Result<Pacticipant, HandlerError> {
        match pacticipants::find(tx, self.param(role))? {
            Some(found) => Ok(found),
            None => Err(self.unknown(tx, role)?),
        }
    }

    /// Creates the 404 response if an application does not exist. Pages suggest similar names.
    fn unknown(&self, tx: &mut Tx<'_>, role: Param) -> Result<HandlerError, StoreError> {
        const SUGGESTIONS: usize = 3;
        let name = self.param(role);
        if !self.visitor.wants_page() {
            return Ok(name_not_found(role.name(), name).into());
        }
        let known = pacticipants::ids_and_names(tx)?;
        let known = known.iter().map(|(_, name)| name.as_str());
        let close = names::closest(name, known, SUGGESTIONS);
        let deletion = deletions::find_named(tx, "pacticipant", name)?;
        Ok(name_not_found_on_page(name, &close, deletion.map(|deletion| deletion.created_at)).into())
    }

    /// Finds the version that the path names. Returns a 404 response if it does not exist.
    pub fn version(&self, tx: &mut Tx<'_>) -> Result<Version, HandlerError> {
        let found = versions::find_named(tx, self.param(Param::Pacticipant), self.param(Param::Version))?;
        Ok(found.ok_or_else(not_found)?)
    }

    /// Finds the environment whose UUID is in the path. Returns a 404 response if it does not exist.
    pub fn environment(&self, tx: &mut Tx<'_>) -> Result<Environment, HandlerError> {
        Ok(environments::find(tx, self.param(Param::Environment))?.ok_or_else(not_found)?)
    }

    /// Finds or creates the application and the version that the path names. Returns the version, and true if it was
    /// created.
    pub fn version_or_new(&self, tx: &mut Tx<'_>) -> Result<(Version, bool), HandlerError> {
        for param in [Param::Pacticipant, Param::Version, Param::Branch, Param::Tag] {
            if let Some(name) = self.params.get(param) {
                check_name(name).map_err(|text| invalid_field(param.name(), text))?;
            }
        }
        let (owner, _) = pacticipants::find_or_create(tx, self.param(Param::Pacticipant), self.now)?;
        Ok(versions::find_or_create(
            tx,
            (owner.id, &owner.name),
            self.param(Param::Version),
            self.now,
        )?)
    }
}

/// Checks the name of an application, version, branch, or tag. Returns what is wrong, as the end of a sentence that
/// starts with the field name.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() {
        Err("cannot be blank")
    } else if name.chars().any(char::is_control) {
        Err("must not contain control characters")
    } else if name.len() > names::MAX_LENGTH {
        Err("must have at most 1024 bytes")
    } else if matches!(name, "." | "..") {
        Err("cannot be \".\" or \"..\", because they have a special meaning in URL paths")
    } else {
        Ok(())
    }
}

/// Reads the fields of a JSON object, and collects the errors of each field.
pub struct Fields<'a> {
    pub members: &'a Map<String, Value>,
    pub errors: FieldErrors,
}

impl<'a> Fields<'a> {
    pub fn new(members: &'a Map<String, Value>) -> Self {
        Self {
            members,
            errors: FieldErrors::new(),
        }
    }

    /// Adds an error for each member that is not in `known`. A typing error in such a member could grant too much.
    pub fn only(&mut self, known: &[&str]) {
        for name in self.members.keys().filter(|name| !known.contains(&name.as_str())) {
            let name: String = name.chars().take(100).collect();
            self.error(&name, format!("is unknown. Known members: {}", known.join(", ")));
        }
    }

    pub fn error(&mut self, name: &str, text: impl Into<String>) {
        self.errors.push((name.to_owned(), text.into()));
    }

    /// Returns the value of a required name. If it is missing or invalid, adds an error and returns an empty string.
    pub fn name(&mut self, name: &str) -> &'a str {
        match self.members.get(name) {
            None => self.error(name, "is missing"),
            Some(Value::String(text)) => match check_name(text) {
                Ok(()) => return text,
                Err(problem) => self.error(name, problem),
            },
            Some(_) => self.error(name, "must be a string"),
        }
        ""
    }

    /// Returns the value of an optional string. If it is invalid, adds an error and returns `None`.
    pub fn text(&mut self, name: &str) -> Option<&'a str> {
        match self.members.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) if text.len() <= MAX_TEXT => Some(text),
            Some(Value::String(_)) => {
                self.error(name, format!("must have at most {MAX_TEXT} bytes"));
                None
            }
            Some(_) => {
                self.error(name, "must be a string");
                None
            }
        }
    }

    /// Returns the distinct tags in the array `tags`, or `None` if the field is missing. `name` returns the tag of an
    /// array element. If it returns `None`, `without_name` is the error message.
    pub fn tags(&mut self, name: impl Fn(&'a Value) -> Option<&'a str>, without_name: &str) -> Option<Vec<&'a str>> {
        let list = match self.members.get("tags") {
            None | Some(Value::Null) => return None,
            Some(Value::Array(list)) if list.len() <= MAX_TAGS => list,
            Some(Value::Array(list)) => {
                let text = format!("must have at most {MAX_TAGS} entries, not {}", list.len());
                self.error("tags", text);
                return None;
            }
            Some(_) => {
                self.error("tags", "must be an array");
                return None;
            }
        };
        let mut tags = Vec::with_capacity(list.len());
        for (at, tag) in list.iter().enumerate() {
            match name(tag).map(|name| (name, check_name(name))) {
                Some((name, Ok(()))) if tags.contains(&name) => {}
                Some((name, Ok(()))) => tags.push(name),
                Some((_, Err(problem))) => self.error("tags", format!("{problem} (at index {at})")),
                None => self.error("tags", format!("{without_name} (at index {at})")),
            }
        }
        Some(tags)
    }

    pub fn required_bool(&mut self, name: &str) -> bool {
        match self.members.get(name) {
            None => self.error(name, "is missing"),
            Some(Value::Bool(value)) => return *value,
            Some(_) => self.error(name, "must be true or false"),
        }
        false
    }

    /// Returns a 400 response if any errors were collected.
    pub fn finish(self) -> Result<(), HandlerError> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(super::reply::invalid(self.errors).into())
        }
    }
}
