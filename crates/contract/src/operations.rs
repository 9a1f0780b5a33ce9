//! The table that bindings' own names are compared with.

use crate::builder::{ContractOperation, ContractOptions, Operation};
use crate::options::{LimitOptions, MessageOptions, ServeOptions};
use crate::read::{names, variants};

/// Every operation with its arguments, in snake case: what a binding's own table is compared with.
pub fn operations() -> Vec<Table> {
    vec![
        ("contract", variants::<ContractOperation>()),
        ("interaction", variants::<Operation>()),
        (
            "options",
            vec![
                ("contract", names::<ContractOptions>()),
                ("serve", names::<ServeOptions>()),
                ("limits", names::<LimitOptions>()),
                ("verify", names::<MessageOptions>()),
            ],
        ),
    ]
}

/// A kind of calls: its name, and its operations with their arguments.
pub(crate) type Table = (&'static str, Vec<(&'static str, &'static [&'static str])>);
