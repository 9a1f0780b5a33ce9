//! Inputs of any shape for everything that reads what other people wrote: contract files, paths, expressions, formats and
//! bodies.
//!
//! A target takes bytes, does with them what a build would do with such a file or answer, and panics when a promise is
//! broken. `cargo test` tries the seeds and some changes of them; `npm run fuzz -- TARGET [seconds]` searches for as long
//! as it is told, guided by what the code does with an input.
//!
//! Inputs of several pieces are split at lines of `====`.

#![forbid(unsafe_code)]

mod bodies;
mod documents;
mod pieces;
mod texts;

/// Does with the bytes what a build would do with them; panics when a promise is broken.
pub type Target = fn(&[u8]);

/// All targets by name. Their seeds stand in `seeds/NAME`.
pub const TARGETS: [(&str, Target); 13] = [
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
];

/// The target of that name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}
