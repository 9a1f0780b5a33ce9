//! Measures how long `serde_json` takes to parse the documents of the matching benchmarks.

#[path = "../support/documents.rs"]
#[allow(dead_code)]
mod documents;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

fn parse(criterion: &mut Criterion) {
    let documents = documents::sizes()
        .chain(documents::records())
        .chain(documents::leaves().map(|(_, document)| document))
        .chain(documents::each_like())
        .chain([documents::contained()]);
    for document in documents {
        let mut group = criterion.benchmark_group(format!("serde_json, {}", document.group));
        group.throughput(Throughput::Bytes(document.text.len() as u64));
        group.sample_size(20);
        group.bench_function(BenchmarkId::from_parameter(&document.name), |bencher| {
            bencher.iter(|| black_box(serde_json::from_slice::<Value>(document.text.as_bytes())));
        });
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
