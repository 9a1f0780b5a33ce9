//! Fuzz targets for everything that parses untrusted input: contract files, paths, expressions, formats, bodies, and
//! calls of the WebAssembly module.
//!
//! A target processes bytes like production code, and panics if an invariant is violated. `cargo test` runs each target
//! with the seeds and some mutations of them. `npm run fuzz -- TARGET [seconds]` runs a coverage-guided search.
//!
//! Lines that consist of `====` separate the parts of an input.

#![forbid(unsafe_code)]

mod bodies;
mod documents;
mod engine;
mod pieces;
mod texts;

/// A function that processes an input and panics if an invariant is violated.
pub type Target = fn(&[u8]);

/// All targets, by name. The seeds of a target are in `seeds/NAME`.
pub const TARGETS: [(&str, Target); 14] = [
    ("contract", documents::contract),
    ("template", documents::template),
    ("generators", documents::generators),
    ("path", texts::path),
    ("expression", texts::expression),
    ("pattern", texts::pattern),
    ("format", texts::format),
    ("moment", texts::moment),
    ("content-type", texts::content_type),
    ("json", bodies::json),
    ("xml", bodies::xml),
    ("multipart", bodies::multipart),
    ("form", bodies::form),
    ("engine", engine::calls),
];

pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}
