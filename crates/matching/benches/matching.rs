//! What matching costs: reading a body and comparing it. Targets: docs and `ARCHITECTURE.md`, "Figures".

#[path = "support/documents.rs"]
mod documents;

use std::hint::black_box;

use contract_matching::{ActualBody, ActualMessage, MessagePlan, Options};
use contract_model::{Body, Content, ContentType, Json, Message, PathRules, Rule, RuleList, Variant};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const SIZES: [(&str, usize); 4] = [
    ("10 KiB", 10 << 10),
    ("100 KiB", 100 << 10),
    ("1 MiB", 1 << 20),
    ("10 MiB", 10 << 20),
];

const TYPE: Rule = Rule::Type { min: None, max: None };

fn rules(paths: impl IntoIterator<Item = (String, Rule)>) -> PathRules {
    paths
        .into_iter()
        .map(|(path, rule)| (path.parse().expect("a path"), RuleList::one(rule)))
        .collect()
}

fn plan(body: &str, content_type: &ContentType, rules: PathRules) -> MessagePlan {
    let mut message = Message {
        contents: Body::Present(Content::new(body.to_owned(), Some(content_type.clone()))),
        ..Message::default()
    };
    message.rules.body = rules;
    MessagePlan::new(&message, Options::STRICT).expect("rules that can be used")
}

/// Reads and compares the body, as for one that has just arrived.
fn run(
    criterion: &mut Criterion,
    group: &str,
    name: impl std::fmt::Display,
    plan: &MessagePlan,
    body: &str,
    content_type: &ContentType,
) {
    let bytes = bytes::Bytes::from(body.to_owned());
    let compare = || {
        let actual = ActualMessage {
            contents: ActualBody::new(bytes.clone(), Some(content_type.clone())),
            ..ActualMessage::default()
        };
        plan.compare(&actual)
    };
    assert_eq!(compare(), []);
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.sample_size(20);
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter(|| black_box(compare()));
    });
}

fn type_at_root(criterion: &mut Criterion) {
    let json = ContentType::json();
    let plan = plan(&documents::items(1), &json, rules([("$".to_owned(), TYPE)]));
    for (name, size) in SIZES {
        run(criterion, "type at $", name, &plan, &documents::items_of(size), &json);
    }
}

fn many_rules(criterion: &mut Criterion) {
    let json = ContentType::json();
    for (name, size) in SIZES {
        let body = documents::records(size);
        let fields = (0..documents::FIELDS).map(|field| (format!("$.records[*].field{field}"), TYPE));
        let plan = plan(&body, &json, rules(fields));
        run(criterion, "1600 rules", name, &plan, &body, &json);
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
    let plan = plan(&documents::items(1), &json, rules(fields.into_iter().chain([list])));
    for count in [100, 1_000, 10_000, 100_000] {
        run(
            criterion,
            "eachLike, items",
            count,
            &plan,
            &documents::items(count),
            &json,
        );
    }
}

fn array_contains(criterion: &mut Criterion) {
    let json = ContentType::json();
    let body = documents::variants(400);
    let variants = (0..400).map(|index| Variant {
        index,
        rules: rules([("$.name".to_owned(), TYPE)]),
        generators: std::collections::BTreeMap::new(),
    });
    let rule = Rule::ArrayContains(variants.collect());
    let plan = plan(&body, &json, rules([("$".to_owned(), rule)]));
    // The last item comes first, so that each variant looks at about all items.
    let mut items = Json::parse(body.as_bytes())
        .expect("JSON")
        .as_array()
        .expect("a list")
        .to_vec();
    items.reverse();
    run(
        criterion,
        "arrayContains",
        "400 x 400",
        &plan,
        &Json::Array(items).to_text(),
        &json,
    );
}

fn xml(criterion: &mut Criterion) {
    let xml = ContentType::xml();
    let plan = plan(&documents::xml(20), &xml, rules([("$".to_owned(), TYPE)]));
    run(
        criterion,
        "XML, type at $",
        "1 MiB",
        &plan,
        &documents::xml(1 << 20),
        &xml,
    );
}

criterion_group!(benches, type_at_root, many_rules, each_like, array_contains, xml);
criterion_main!(benches);
