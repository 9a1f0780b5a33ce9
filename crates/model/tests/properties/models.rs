//! Generates random contracts.

use std::collections::BTreeMap;

use contract_model::{
    Body, Combine, Content, ContentHint, ContentType, Contract, DataType, Definition, Generator, Generators, Headers,
    HttpInteraction, Interaction, InteractionKind, Json, Message, Moment, Object, PathRules, ProviderState, Query,
    Request, Response, Rule, RuleList, Rules, StatusClass, SyncMessage, Text, UuidFormat, Variant,
};
use proptest::option;
use proptest::prelude::*;

use crate::values::{json, object, path, text, unknown};

fn content_type() -> impl Strategy<Value = ContentType> {
    prop::sample::select(vec![
        "application/json",
        "application/json; charset=utf-8",
        "application/hal+json",
        "application/graphql",
        "application/xml",
        "text/plain",
        "text/html; charset=\"a;b\"",
        "image/png",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ])
    .prop_map(|text| text.parse().unwrap())
}

fn body() -> BoxedStrategy<Body> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..20),
        text().prop_map(|text| format!("{text}.").into_bytes()),
        json().prop_map(|value| value.to_text().into_bytes()),
        prop::sample::select(vec!["<a/>", "AAEC", "a=1&b=2", "null", "\"x\"", "query { a }"])
            .prop_map(|text| text.as_bytes().to_vec()),
    ];
    let hint = prop::sample::select(vec![
        None,
        None,
        Some(ContentHint::Binary),
        Some(ContentHint::Text),
        Some(ContentHint::Default),
    ]);
    let present = (bytes, option::of(content_type()), hint).prop_map(|(bytes, content_type, hint)| Content {
        hint,
        ..Content::new(bytes, content_type)
    });
    prop_oneof![
        1 => Just(Body::Missing),
        1 => Just(Body::Empty),
        1 => Just(Body::Null),
        2 => json().prop_map(|value| Body::Present(Content::json(value))),
        4 => present.prop_map(Body::Present),
    ]
    .boxed()
}

/// Generates a body whose content type is known without a header.
fn known_body() -> BoxedStrategy<Body> {
    body()
        .prop_filter("nothing tells what it is", |body| {
            body.content().is_none_or(|content| content.content_type.is_some())
        })
        .boxed()
}

fn size() -> impl Strategy<Value = Option<usize>> {
    option::of(0_usize..100)
}

fn format() -> impl Strategy<Value = Option<Text>> {
    option::of("[a-z' ]{1,6}".prop_map(Text::from))
}

fn rule() -> impl Strategy<Value = Rule> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            Rule::Equality,
            Rule::Number,
            Rule::Integer,
            Rule::Decimal,
            Rule::Boolean,
            Rule::Null,
            Rule::Values,
            Rule::NotEmpty,
            Rule::Semver,
            Rule::StatusCode(StatusClass::NonError),
            Rule::StatusCode(StatusClass::Codes(vec![200, 404])),
        ]),
        (size(), size()).prop_map(|(min, max)| Rule::Type { min, max }),
        text().prop_map(Rule::Regex),
        text().prop_map(Rule::Include),
        format().prop_map(Rule::Date),
        format().prop_map(Rule::Time),
        format().prop_map(Rule::DateTime),
        content_type().prop_map(Rule::ContentType),
        unknown().prop_map(|attributes| Rule::Custom {
            name: "of-a-plugin".into(),
            attributes,
        }),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let definition = (
            prop::collection::vec(inner.clone(), 0..3),
            option::of(json()),
            option::of(generator()),
        )
            .prop_map(|(rules, value, generator)| Definition {
                rules,
                value,
                generator,
            })
            .boxed();
        let list = (prop::collection::vec(inner, 0..3), any::<bool>()).prop_map(rule_list);
        let variant = (
            0_usize..5,
            prop::collection::btree_map(path(), list, 0..3),
            prop::collection::btree_map(path(), generator(), 0..2),
        )
            .prop_map(|(index, rules, generators)| Variant {
                index,
                rules,
                generators,
            });
        prop_oneof![
            definition
                .clone()
                .prop_map(|definition| Rule::EachKey(Box::new(definition))),
            definition.prop_map(|definition| Rule::EachValue(Box::new(definition))),
            prop::collection::vec(variant, 0..3).prop_map(Rule::ArrayContains),
        ]
    })
}

fn rule_list((rules, or): (Vec<Rule>, bool)) -> RuleList {
    RuleList {
        rules,
        combine: if or { Combine::Or } else { Combine::And },
    }
}

fn list() -> BoxedStrategy<RuleList> {
    (prop::collection::vec(rule(), 0..3), any::<bool>())
        .prop_map(rule_list)
        .boxed()
}

/// Generates a list with one rule that V2 supports.
fn simple_list() -> BoxedStrategy<RuleList> {
    prop_oneof![
        (size(), size()).prop_map(|(min, max)| RuleList::single(Rule::Type { min, max })),
        text().prop_map(|pattern| RuleList::single(Rule::Regex(pattern))),
    ]
    .boxed()
}

fn named(list: BoxedStrategy<RuleList>) -> BoxedStrategy<BTreeMap<Text, RuleList>> {
    prop::collection::btree_map(prop_oneof![text(), Just("a[]".into()), Just("b[0]".into())], list, 0..3).boxed()
}

fn rules(list: BoxedStrategy<RuleList>) -> BoxedStrategy<Rules> {
    let body: BoxedStrategy<PathRules> = prop::collection::btree_map(path(), list.clone(), 0..4).boxed();
    prop_oneof![
        Just(Rules::default()),
        (
            option::of(list.clone()),
            option::of(list.clone()),
            option::of(list.clone()),
            named(list.clone()),
            named(list.clone()),
            named(list),
            body,
        )
            .prop_map(|(method, path, status, query, header, metadata, body)| Rules {
                method,
                path,
                status,
                query,
                header,
                metadata,
                body,
                ..Rules::default()
            }),
    ]
    .boxed()
}

fn generator() -> impl Strategy<Value = Generator> {
    let moment = (format(), format())
        .prop_map(|(format, expression)| Moment { format, expression })
        .boxed();
    prop_oneof![
        (option::of(-9_i64..0), option::of(0_i64..9)).prop_map(|(min, max)| Generator::RandomInt { min, max }),
        size().prop_map(|digits| Generator::RandomDecimal { digits }),
        size().prop_map(|digits| Generator::RandomHexadecimal { digits }),
        size().prop_map(|size| Generator::RandomString { size }),
        text().prop_map(Generator::Regex),
        Just(Generator::Uuid(None)),
        Just(Generator::Uuid(Some(UuidFormat::Urn))),
        moment.clone().prop_map(Generator::Date),
        moment.clone().prop_map(Generator::Time),
        moment.prop_map(Generator::DateTime),
        Just(Generator::RandomBoolean),
        (text(), option::of(Just(DataType::Integer)))
            .prop_map(|(expression, data_type)| Generator::ProviderState { expression, data_type }),
        (text(), text()).prop_map(|(example, regex)| Generator::MockServerUrl { example, regex }),
        unknown().prop_map(|attributes| Generator::Custom {
            name: "of-a-plugin".into(),
            attributes,
        }),
    ]
}

fn generators() -> BoxedStrategy<Generators> {
    let named = || prop::collection::btree_map(text(), generator(), 0..2);
    prop_oneof![
        3 => Just(Generators::default()),
        1 => (
            option::of(generator()),
            option::of(generator()),
            named(),
            named(),
            prop::collection::btree_map(path(), generator(), 0..3),
        )
            .prop_map(|(path, status, query, header, body)| Generators {
                path,
                status,
                query,
                header,
                body,
                ..Generators::default()
            }),
    ]
    .boxed()
}

fn headers() -> BoxedStrategy<Headers> {
    let name = prop_oneof![
        "[A-Za-z-]{1,6}".prop_map(Text::from),
        prop::sample::select(vec!["Accept", "vary", "Set-Cookie"]).prop_map(Text::from),
    ];
    let values = prop::collection::vec("[a-z,; =]{0,6}".prop_map(Text::from), 0..3);
    let pairs = prop::collection::vec((name, values), 0..3);
    (pairs, option::of(content_type()))
        .prop_map(|(pairs, content_type)| {
            let mut headers = Headers::new();
            for (name, values) in pairs {
                headers.set(name, values);
            }
            if let Some(content_type) = content_type {
                headers.set("Content-Type", vec![content_type.to_string().into()]);
            }
            headers
        })
        .boxed()
}

fn query() -> BoxedStrategy<Query> {
    prop_oneof![
        prop::collection::vec((text(), option::of(text())), 0..4).prop_map(|pairs| {
            let mut query = Query::new();
            for (name, value) in pairs {
                query.append(name, value);
            }
            query
        }),
        "[a-c%0-9E=&+?;]{0,16}".prop_map(|text| Query::parse(&text)),
    ]
    .boxed()
}

fn http(list: &BoxedStrategy<RuleList>) -> BoxedStrategy<InteractionKind> {
    let request = (
        "[A-Z]{1,6}",
        text(),
        query(),
        headers(),
        known_body(),
        rules(list.clone()),
        generators(),
        unknown(),
    )
        .prop_map(
            |(method, path, query, headers, body, rules, generators, other)| Request {
                method: method.into(),
                path,
                query,
                headers,
                body,
                rules,
                generators,
                other,
            },
        );
    let response = (100_u16..600, headers(), known_body(), rules(list.clone()), unknown()).prop_map(
        |(status, headers, body, rules, other)| Response {
            status,
            headers,
            body,
            rules,
            other,
            ..Response::default()
        },
    );
    (request, response)
        .prop_map(|(request, response)| InteractionKind::Http(Box::new(HttpInteraction { request, response })))
        .boxed()
}

fn message() -> BoxedStrategy<Message> {
    let metadata = (object(), option::of(content_type())).prop_map(|(mut metadata, content_type)| {
        if let Some(content_type) = content_type {
            metadata.insert("contentType", content_type.to_string());
        }
        metadata
    });
    (known_body(), metadata, rules(list()), generators())
        .prop_map(|(contents, metadata, rules, generators)| Message {
            contents,
            metadata,
            rules,
            generators,
            other: Object::new(),
        })
        .boxed()
}

fn part() -> BoxedStrategy<Message> {
    (message(), unknown())
        .prop_map(|(message, other)| Message { other, ..message })
        .boxed()
}

fn kind() -> BoxedStrategy<InteractionKind> {
    let sync = (part(), prop::collection::vec(part(), 0..3))
        .prop_map(|(request, responses)| InteractionKind::SyncMessage(Box::new(SyncMessage { request, responses })));
    prop_oneof![
        2 => http(&list()),
        1 => message().prop_map(|message| InteractionKind::AsyncMessage(Box::new(message))),
        1 => sync,
    ]
    .boxed()
}

fn states() -> impl Strategy<Value = Vec<ProviderState>> {
    let parameters = prop_oneof![2 => Just(Object::new()), 1 => object()];
    let state = (text(), parameters).prop_map(|(name, parameters)| ProviderState { name, parameters });
    prop::collection::vec(state, 0..3)
}

fn plain(kind: impl Strategy<Value = InteractionKind>) -> impl Strategy<Value = Interaction> {
    ("[ab]{1,2}", states(), kind, unknown()).prop_map(|(description, states, kind, other)| Interaction {
        description: description.into(),
        states,
        kind,
        other,
        ..Interaction::default()
    })
}

fn annotated() -> impl Strategy<Value = Interaction> {
    let annotations = (
        option::of("[kl]".prop_map(Text::from)),
        any::<bool>(),
        object(),
        option::of(text()),
        option::of(json().prop_filter("null is nothing", |json| !json.is_null())),
        object(),
    );
    (plain(kind()), annotations).prop_map(|(interaction, annotations)| {
        let (key, pending, comments, transport, markup, plugin_configuration) = annotations;
        Interaction {
            key,
            pending,
            comments,
            transport,
            markup,
            plugin_configuration,
            ..interaction
        }
    })
}

fn contract_of(
    interaction: impl Strategy<Value = Interaction>,
    plugins: impl Strategy<Value = Vec<Json>>,
) -> impl Strategy<Value = Contract> {
    let interactions = prop::collection::vec(interaction, 0..4);
    (interactions, unknown(), unknown(), plugins).prop_map(|(interactions, metadata, other, plugins)| Contract {
        consumer: "c".into(),
        provider: "p".into(),
        interactions,
        metadata,
        plugins,
        other,
        ..Contract::default()
    })
}

pub(crate) fn contract() -> impl Strategy<Value = Contract> {
    contract_of(annotated(), prop::collection::vec(json(), 0..2))
}

pub(crate) fn http_contract() -> impl Strategy<Value = Contract> {
    contract_of(plain(http(&list())), Just(Vec::new()))
}

/// Removes headers that cannot be read back from one string. Declares the content type of the body.
fn declare_content_type(headers: &mut Headers, body: &Body) {
    let kept: Vec<(Text, Vec<Text>)> = headers
        .iter()
        .filter(|(name, values)| Headers::split(name, &values.join(", ")) == *values)
        .map(|(name, values)| (name.clone(), values.to_vec()))
        .collect();
    *headers = Headers::new();
    for (name, values) in kept {
        headers.set(name, values);
    }
    match body.content_type() {
        Some(content_type) => headers.set("Content-Type", vec![content_type.to_string().into()]),
        None => drop(headers.remove("Content-Type")),
    }
}

/// Generates a contract that V2 can represent: one provider state without parameters, one rule at each path, no
/// generators.
pub(crate) fn simple_contract() -> impl Strategy<Value = Contract> {
    let interaction = plain(http(&simple_list())).prop_map(|mut interaction| {
        interaction.states.truncate(1);
        for state in &mut interaction.states {
            state.parameters = Object::new();
        }
        if let InteractionKind::Http(http) = &mut interaction.kind {
            http.request.generators = Generators::default();
            declare_content_type(&mut http.request.headers, &http.request.body);
            declare_content_type(&mut http.response.headers, &http.response.body);
        }
        interaction
    });
    contract_of(interaction, Just(Vec::new()))
}

pub(crate) fn message_contract() -> impl Strategy<Value = Contract> {
    let kind = message().prop_map(|message| InteractionKind::AsyncMessage(Box::new(message)));
    contract_of(plain(kind), Just(Vec::new()))
}
