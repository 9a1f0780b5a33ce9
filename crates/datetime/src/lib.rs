//! Date and time formats.
//!
//! Contracts describe dates with the pattern letters of Java's `DateTimeFormatter`. This crate parses such a
//! [`Format`], checks text against it, formats a [`DateTime`] with it, translates strftime formats, and evaluates the
//! expressions of date and time generators (`next monday @ noon`). The caller provides the current time and the time
//! zone.
//!
//! ```
//! use contract_datetime::{DateTime, Expression, Format};
//!
//! let format = Format::parse("yyyy-MM-dd'T'HH:mm:ssXXX")?;
//! format.check("2026-02-28T12:00:00+13:00")?;
//! assert_eq!(
//!     format.check("2026-02-29T12:00:00Z").unwrap_err().to_string(),
//!     r#"column 9: February 2026 has no day 29, found "29T12:00:00Z""#
//! );
//!
//! let now = DateTime::from_unix(1_770_000_000, 0, 0)?;
//! let then = Expression::date_time("tomorrow @ noon")?.apply(&now)?;
//! assert_eq!(format.format(&then)?, "2026-02-03T12:00:00Z");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod check;
mod date_time;
mod expression;
mod facts;
mod field;
mod format;
mod format_error;
mod hint;
mod layout;
mod names;
mod number;
mod offset;
mod problem;
mod quantity;
mod reader;
mod scan;
mod strftime;
mod write;
mod zone;

pub use date_time::{DateTime, DateTimeError};
pub use expression::{Expression, ExpressionError};
pub use format::Format;
pub use format_error::FormatError;
pub use hint::{Hint, HintKind};
pub use problem::{FormatProblem, ParseProblem, ParseProblemKind};
pub use strftime::{from_strftime, is_strftime};
