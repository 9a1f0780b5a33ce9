//! Tests of the broker through its HTTP API.

#![allow(clippy::panic, reason = "this module contains only tests")]

mod access;
mod api;
mod backup;
mod bad_input;
mod crawl;
mod deletions;
mod deviations;
mod durable;
mod forms;
mod history;
mod hostile;
mod identity;
mod import;
mod import_database;
mod keys;
mod live;
mod login;
mod matrix;
mod options;
mod pages;
mod postgres;
mod replay;
mod retention;
mod selection;
mod sign_in;
mod support;
mod traces;
mod verdict;
mod webhooks;
