//! Benchmarks of matching: parsing a body and comparing it with a plan. `npm run bench:matching` also measures how long
//! `serde_json` takes to parse the same bodies (`baseline/`).

#[path = "support/documents.rs"]
mod documents;

use std::hint::black_box;

use contract_matching::{ActualBody, ActualMessage, MessagePlan, Options};
use contract_model::{Body, Content, ContentType, Message, PathRules, Rule, RuleList, Variant};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use documents::Document;

const TYPE: Rule = Rule::Type { min: None, max: None };

fn rules(paths: impl IntoIterator<Item = (String, Rule)>) -> PathRules {
    paths
        .into_iter()
        .map(|(path, rule)| (path.parse().expect("a path"), RuleList::single(rule)))
        .collect()
}

fn message(body: &str, content_type: &ContentType, rules: PathRules) -> Message {
    let mut message = Message {
        contents: Body::Present(Content::new(body.to_owned(), Some(content_type.clone()))),
        ..Message::default()
    };
    message.rules.body = rules;
    message
}

fn plan(message: &Message) -> MessagePlan {
    MessagePlan::new(message, Options::STRICT).expect("valid rules")
}

/// Measures the time to parse and compare the body of a received message.
fn run(criterion: &mut Criterion, plan: &MessagePlan, document: &Document, content_type: &ContentType) {
    let bytes = bytes::Bytes::from(document.text.clone());
    let compare = || {
        let actual = ActualMessage {
            contents: ActualBody::new(bytes.clone(), Some(content_type.clone())),
            ..ActualMessage::default()
        };
        plan.compare(&actual)
    };
    assert_eq!(compare(), []);
    let mut group = criterion.benchmark_group(document.group);
    group.throughput(Throughput::Bytes(document.text.len() as u64));
    group.sample_size(20);
    group.bench_function(BenchmarkId::from_parameter(&document.name), |bencher| {
        bencher.iter(|| black_box(compare()));
    });
}

fn type_at_root(criterion: &mut Criterion) {
    let json = ContentType::json();
    let plan = plan(&message(&documents::items(1), &json, rules([("$".to_owned(), TYPE)])));
    for document in documents::sizes() {
        run(criterion, &plan, &document, &json);
    }
}

fn many_rules(criterion: &mut Criterion) {
    let json = ContentType::json();
    for document in documents::records() {
        let fields = (0..documents::FIELDS).map(|field| (format!("$.records[*].field{field}"), TYPE));
        let plan = plan(&message(&document.text, &json, rules(fields)));
        run(criterion, &plan, &document, &json);
    }
}

/// Measures the time to create a plan and compare a body with it, because creating a plan takes longer the more rules
/// there are.
fn each_leaf(criterion: &mut Criterion) {
    let json = ContentType::json();
    for (count, document) in documents::leaves() {
        let leaves = (0..count).map(|index| (documents::leaf(index), TYPE));
        let message = message(&document.text, &json, rules(leaves));
        run(criterion, &plan(&message), &document, &json);
        let mut group = criterion.benchmark_group("plan of a rule on each leaf");
        group.sample_size(20);
        group.bench_function(BenchmarkId::from_parameter(&document.name), |bencher| {
            bencher.iter(|| black_box(plan(&message)));
        });
    }
}

fn each_like(criterion: &mut Criterion) {
    let json = ContentType::json();
    let fields = ["id", "name", "price", "active", "tags"].map(|field| (format!("$.items[*].{field}"), TYPE));
    let list = (
        "$.items".to_owned(),
        Rule::Type {
            min: Some(1),
            max: None,
        },
    );
    let rules = rules(fields.into_iter().chain([list]));
    let plan = plan(&message(&documents::items(1), &json, rules));
    for document in documents::each_like() {
        run(criterion, &plan, &document, &json);
    }
}

fn array_contains(criterion: &mut Criterion) {
    let json = ContentType::json();
    let variants = (0..documents::VARIANTS).map(|index| Variant {
        index,
        rules: rules([("$.name".to_owned(), TYPE)]),
        generators: std::collections::BTreeMap::new(),
    });
    let rule = Rule::ArrayContains(variants.collect());
    let rules = rules([("$".to_owned(), rule)]);
    let plan = plan(&message(&documents::variants(), &json, rules));
    run(criterion, &plan, &documents::contained(), &json);
}

fn xml(criterion: &mut Criterion) {
    let xml = ContentType::xml();
    let plan = plan(&message(&documents::xml_of(20), &xml, rules([("$".to_owned(), TYPE)])));
    run(criterion, &plan, &documents::xml(), &xml);
}

criterion_group!(
    benches,
    type_at_root,
    many_rules,
    each_leaf,
    each_like,
    array_contains,
    xml
);
criterion_main!(benches);
