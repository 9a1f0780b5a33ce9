//! Lists all operations, so that bindings can check that they provide them.

use crate::options::{LimitOptions, MessageOptions, ServeOptions};
use crate::verify::{
    BrokerSourceOptions, ConsumerVersion, FilterOptions, MessageHandlerOptions, PublishOptions, RedirectOptions,
    RunOptions, SelectorOperation, SourceOptions, StateHandlerOptions, VerifierOperation,
};
use contract_call::read::{names, variants};
use contract_definition::{ContractOperation, ContractOptions, Operation};
use contract_pipeline::{AccessOptions, BROKER_CALLS};

/// Returns all operations with the names of their arguments in snake case. The bindings' tests compare them with the
/// operations that the bindings provide.
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
        ("verifier", variants::<VerifierOperation>()),
        ("selector", variants::<SelectorOperation>()),
        (
            "options of the verifier",
            vec![
                ("add_source", names::<SourceOptions>()),
                ("broker_source", names::<BrokerSourceOptions>()),
                ("consumer_version", names::<ConsumerVersion>()),
                ("set_publish_options", names::<PublishOptions>()),
                ("message_handler", names::<MessageHandlerOptions>()),
                ("state_handler", names::<StateHandlerOptions>()),
                ("filter", names::<FilterOptions>()),
                ("follow_redirects", names::<RedirectOptions>()),
                ("run", names::<RunOptions>()),
            ],
        ),
        ("broker", BROKER_CALLS.map(|name| (name, [].as_slice())).to_vec()),
        ("options of the broker", vec![("access", names::<AccessOptions>())]),
    ]
}

/// The name of a group of operations, and the name and argument names of each operation in it.
pub(crate) type Table = (&'static str, Vec<(&'static str, &'static [&'static str])>);
