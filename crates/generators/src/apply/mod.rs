//! Applies the generators of a request, a response, or a message.
//!
//! A value keeps its example if its generator fails or does not apply in the current mode. Each failure is returned as
//! a [`GenerateProblem`].
//!
//! ```
//! use contract_generators::{Context, Mode, Random, apply};
//! use contract_model::{Generator, Request};
//!
//! let mut request = Request { path: "/orders/1".into(), ..Request::default() };
//! let expression = "/orders/${orderId}".into();
//! request.generators.path = Some(Generator::ProviderState { expression, data_type: None });
//!
//! let now = contract_datetime::DateTime::new(2026, 7, 1)?;
//! let mut context = Context::new(Mode::Provider, now, Random::from_seed(1));
//! let problems = apply::request(&mut request, &mut context);
//! assert_eq!(
//!     problems[0].to_string(),
//!     "no value was generated for the path: no provider state handler returned a value named \"orderId\", which \
//!      \"/orders/${orderId}\" requires; no handler returned a value"
//! );
//! assert_eq!(request.path, "/orders/1");
//! # Ok::<(), contract_datetime::DateTimeError>(())
//! ```

mod body;
mod form;
mod json;
mod placed;
mod run;
mod values;
mod xml;

use contract_model::{Generator, Generators, Json, Message, Object, Request, Response, Rules, Text};

pub use self::run::{GenerateProblem, Location};

use self::run::Run;
use crate::{Context, GenerateError, generate};

/// Returns true if no value is generated, because there are neither generators nor rules that contain generators
/// (`arrayContains`, `eachKey`, and `eachValue`).
pub fn is_fixed(generators: &Generators, rules: &Rules) -> bool {
    generators.is_empty() && !json::rules_have_generators(&rules.body)
}

/// Applies a request's own generators. Returns the failures.
pub fn request(request: &mut Request, context: &mut Context<'_>) -> Vec<GenerateProblem> {
    with_own(
        request,
        |request| (&mut request.generators, &mut request.rules),
        context,
        request_with,
    )
}

/// Applies generators that are stored outside the request, so that repeated requests need no copy of them. Of `rules`,
/// only those that contain generators are used; see [`is_fixed`]. Returns the failures.
pub fn request_with(
    request: &mut Request,
    generators: &Generators,
    rules: &Rules,
    context: &mut Context<'_>,
) -> Vec<GenerateProblem> {
    let mut run = Run {
        context,
        problems: Vec::new(),
    };
    if let Some(generator) = &generators.method {
        run.text(generator, &mut request.method, Location::Method, method);
    }
    if let Some(generator) = &generators.path {
        run.text(generator, &mut request.path, Location::Path, |path| Ok(path.into()));
    }
    for (name, generator) in &generators.query {
        let outcome = values::query(&mut request.query, name, generator, run.context);
        run.note(outcome, || Location::Query(name.clone()));
    }
    run.headers(&mut request.headers, generators);
    body::fill(&mut request.body, &generators.body, &rules.body, &mut run);
    run.problems
}

/// Applies a response's own generators. Returns the failures.
pub fn response(response: &mut Response, context: &mut Context<'_>) -> Vec<GenerateProblem> {
    with_own(
        response,
        |response| (&mut response.generators, &mut response.rules),
        context,
        response_with,
    )
}

/// Applies generators that are stored outside the response; see [`request_with`]. Returns the failures.
pub fn response_with(
    response: &mut Response,
    generators: &Generators,
    rules: &Rules,
    context: &mut Context<'_>,
) -> Vec<GenerateProblem> {
    let mut run = Run {
        context,
        problems: Vec::new(),
    };
    if let Some(generator) = &generators.status {
        let outcome = status(response.status, generator, run.context).map(|code| {
            response.status = code.unwrap_or(response.status);
        });
        run.note(outcome, || Location::Status);
    }
    run.headers(&mut response.headers, generators);
    body::fill(&mut response.body, &generators.body, &rules.body, &mut run);
    run.problems
}

/// Applies a message's own generators. Returns the failures.
pub fn message(message: &mut Message, context: &mut Context<'_>) -> Vec<GenerateProblem> {
    with_own(
        message,
        |message| (&mut message.generators, &mut message.rules),
        context,
        message_with,
    )
}

/// Applies generators that are stored outside the message; see [`request_with`]. Returns the failures.
pub fn message_with(
    message: &mut Message,
    generators: &Generators,
    rules: &Rules,
    context: &mut Context<'_>,
) -> Vec<GenerateProblem> {
    let mut run = Run {
        context,
        problems: Vec::new(),
    };
    for (name, generator) in &generators.metadata {
        let outcome = metadata(&mut message.metadata, name, generator, run.context);
        run.note(outcome, || Location::Metadata(name.clone()));
    }
    body::fill(&mut message.contents, &generators.body, &rules.body, &mut run);
    run.problems
}

/// Moves the generators and rules out of a part, applies them to it, and moves them back.
fn with_own<T>(
    part: &mut T,
    own: impl Fn(&mut T) -> (&mut Generators, &mut Rules),
    context: &mut Context<'_>,
    apply: impl FnOnce(&mut T, &Generators, &Rules, &mut Context<'_>) -> Vec<GenerateProblem>,
) -> Vec<GenerateProblem> {
    let (generators, rules) = own(part);
    let (generators, rules) = (std::mem::take(generators), std::mem::take(rules));
    let problems = apply(part, &generators, &rules, context);
    let (own_generators, own_rules) = own(part);
    (*own_generators, *own_rules) = (generators, rules);
    problems
}

/// Converts a method to upper case, as in the model. Returns an error unless it is a token (RFC 9110 section 5.6.2).
fn method(text: &str) -> Result<Text, GenerateError> {
    if !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    {
        Ok(text.to_ascii_uppercase().into())
    } else {
        Err(GenerateError::Unfit {
            wanted: "it must be a method such as GET",
        })
    }
}

fn status(example: u16, generator: &Generator, context: &mut Context<'_>) -> Result<Option<u16>, GenerateError> {
    let example = Json::from(u64::from(example));
    let Some(value) = generate(generator, Some(&example), context)? else {
        return Ok(None);
    };
    let code = value.text_form().parse().ok().filter(|code| (100..=999).contains(code));
    code.map(Some).ok_or(GenerateError::Unfit {
        wanted: "it must be a status code from 100 to 999",
    })
}

fn metadata(
    metadata: &mut Object,
    name: &Text,
    generator: &Generator,
    context: &mut Context<'_>,
) -> Result<(), GenerateError> {
    if let Some(value) = generate(generator, metadata.get(name), context)? {
        metadata.insert(name.clone(), value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use contract_model::{Generator, Json, Message, Object, Request, Response};

    use super::{message, request, response};
    use crate::{Context, Mode, Random};

    fn state() -> Object {
        let state = br#"{"id": 7, "method": "put", "status": 404, "word": "no such word", "deep": {"token": "t"}}"#;
        Json::parse(state).unwrap().as_object().unwrap().clone()
    }

    fn context(state: &Object) -> Context<'_> {
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        Context {
            state_values: state,
            ..Context::new(Mode::Provider, now, Random::from_seed(1))
        }
    }

    fn from_state(expression: &str) -> Generator {
        Generator::ProviderState {
            expression: expression.into(),
            data_type: None,
        }
    }

    #[test]
    fn every_part_of_a_request_is_filled() {
        let mut part = Request::default();
        part.generators.method = Some(from_state("method"));
        part.generators.path = Some(from_state("/items/${id}"));
        part.generators.query.insert("page".into(), from_state("id"));
        part.generators
            .header
            .insert("Authorization".into(), from_state("Bearer ${deep.token}"));
        let before = part.generators.clone();
        assert_eq!(request(&mut part, &mut context(&state())), []);
        assert_eq!((part.method.as_str(), part.path.as_str()), ("PUT", "/items/7"));
        assert_eq!(part.query.to_text(), "page=7");
        assert_eq!(part.headers.first("authorization"), Some("Bearer t"));
        assert_eq!(part.generators, before);
    }

    #[test]
    fn rejects_null_as_text() {
        let state: Object = [("id", Json::Null)].into_iter().collect();
        let mut part = Request {
            path: "/items/1".into(),
            body: contract_model::Body::from_bytes("<a>1</a>", "application/xml".parse().ok()),
            ..Request::default()
        };
        part.generators.path = Some(from_state("${id}"));
        part.generators.query.insert("page".into(), from_state("id"));
        part.generators.header.insert("X".into(), from_state("${id}"));
        part.generators.body.insert("$.a".parse().unwrap(), from_state("id"));
        let before = part.clone();
        let problems = request(&mut part, &mut context(&state));
        assert_eq!(part, before);
        assert_eq!(problems.len(), 4);
        assert_eq!(
            problems[0].to_string(),
            "no value was generated for the path: the generated value is invalid: it must be a string, a number, or a boolean, \
             not null"
        );
    }

    #[test]
    fn reports_invalid_values_and_keeps_the_example() {
        let mut part = Request::default();
        part.generators.method = Some(from_state("word"));
        part.generators.header.insert("X".into(), from_state("a\n${id}"));
        part.generators.query.insert(
            "q".into(),
            Generator::Custom {
                name: "lorem".into(),
                attributes: Object::new(),
            },
        );
        let problems: Vec<_> = request(&mut part, &mut context(&state()))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            problems,
            [
                "no value was generated for the method: the generated value is invalid: it must be a method such as GET",
                "no value was generated for the query parameter \"q\": unknown generator \"lorem\"; if it belongs \
                 to a plugin, the plugin must generate the value",
                "no value was generated for the header \"X\": the generated value is invalid: it must not contain \
                 line breaks or other control characters",
            ]
        );
        assert_eq!(
            Request {
                generators: contract_model::Generators::default(),
                ..part
            },
            Request::default()
        );
    }

    #[test]
    fn rejects_invalid_status_codes() {
        for (expression, want) in [("status", 404), ("id", 200), ("word", 200)] {
            let mut part = Response::default();
            part.generators.status = Some(from_state(expression));
            let problems = response(&mut part, &mut context(&state()));
            assert_eq!(
                (part.status, problems.len()),
                (want, usize::from(want == 200)),
                "{expression}"
            );
        }
    }

    #[test]
    fn metadata_keeps_the_kind() {
        let mut part = Message::default();
        part.metadata.insert("a", "old");
        part.generators.metadata.insert("a".into(), from_state("id"));
        part.generators.metadata.insert("b".into(), from_state("deep"));
        part.generators.metadata.insert("c".into(), from_state("absent"));
        assert_eq!(message(&mut part, &mut context(&state())).len(), 1);
        assert_eq!(Json::from(part.metadata).to_text(), r#"{"a":7,"b":{"token":"t"}}"#);
    }

    #[test]
    fn equal_seeds_generate_equal_requests() {
        let generated = |seed| {
            let mut part = Request::default();
            for name in ["a", "b", "c"] {
                part.generators
                    .query
                    .insert(name.into(), Generator::RandomString { size: None });
            }
            let state = Object::new();
            let mut context = Context {
                random: Random::from_seed(seed),
                ..context(&state)
            };
            request(&mut part, &mut context);
            part.query.to_text()
        };
        assert_eq!(generated(1), generated(1));
        assert_ne!(generated(1), generated(2));
    }
}
