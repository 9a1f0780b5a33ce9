//! HTML pages of the broker, and contracts as a static site. Each page is a struct with its data and a function that
//! renders it. This crate depends on neither HTTP nor the database.
//!
//! The design system is in `assets`: tokens in `tokens.css`, and components in `style.css`. Templates write a status as
//! `data-status`, never as a color. Every page works without the `assets/app.js` script, and all text is escaped.

mod address;
mod badge;
mod contract;
mod forms;
mod icons;
mod layers;
mod layout;
pub mod pages;
mod parts;
mod site;
mod time;

pub use address::{Query, encode};
pub use badge::{BadgeTone, badge};
pub use contract::{Change, Effect, InteractionChanges, InteractionView, Mismatch, Outcome, Side, changes};
pub use forms::{Notice, Scopes};
pub use layout::{Section, Shell, Theme, User};
pub use parts::{Status, VersionLabel};
pub use site::{Site, SiteContract};

pub const STYLE: &str = concat!(
    include_str!("../assets/tokens.css"),
    include_str!("../assets/style.css")
);
pub const SCRIPT: &str = include_str!("../assets/app.js");
pub const FAVICON: &str = include_str!("../assets/favicon.svg");
