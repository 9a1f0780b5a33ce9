//! The objects that handles refer to. Handle numbers are never reused, so the use of a freed handle is detected.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use contract::{Callbacks, ContractBuilder, InteractionBuilder, MessageSession, MockSession, Verification};

use crate::calls::Calls;
use crate::edge::{Failure, guarded};
use crate::events::Polled;
use crate::{contract_handle, contract_status, contract_text};

#[derive(Clone)]
pub(crate) enum Behind {
    Contract(ContractBuilder),
    Interaction(InteractionBuilder),
    Server(Arc<MockSession>),
    Messages(Arc<MessageSession>),
    Verifier(Arc<Verifier>),
}

/// A verifier and its callbacks.
pub(crate) struct Verifier {
    pub(crate) core: Verification,
    pub(crate) calls: Arc<Calls>,
    pub(crate) polled: Polled,
}

impl Verifier {
    pub(crate) fn callbacks(&self) -> Arc<dyn Callbacks> {
        Arc::clone(&self.calls) as _
    }
}

#[derive(Default)]
struct Table {
    last: u64,
    all: HashMap<u64, Behind>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

/// Stores an object and returns its handle.
pub(crate) fn keep(value: Behind) -> contract_handle {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    table.last += 1;
    let number = table.last;
    table.all.insert(number, value);
    number
}

fn find(number: contract_handle) -> Result<Behind, Failure> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    match table.all.get(&number) {
        Some(value) => Ok(value.clone()),
        None if number > 0 && number <= table.last => Err(misuse(&format!("the handle {number} was freed"))),
        None => Err(misuse(&format!("{number} is not a handle"))),
    }
}

fn misuse(message: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_HANDLE", message)
}

fn other(number: contract_handle, expected: &str) -> Failure {
    misuse(&format!("handle {number} does not refer to {expected}"))
}

macro_rules! kinds {
    ($($name:ident $variant:ident $type:ty, $what:literal;)+) => {$(
        pub(crate) fn $name(number: contract_handle) -> Result<$type, Failure> {
            match find(number)? {
                Behind::$variant(value) => Ok(value),
                _ => Err(other(number, $what)),
            }
        }
    )+};
}

kinds! {
    contract Contract ContractBuilder, "a contract";
    interaction Interaction InteractionBuilder, "an interaction";
    server Server Arc<MockSession>, "a server";
    messages Messages Arc<MessageSession>, "messages";
    verifier Verifier Arc<Verifier>, "a verifier";
}

/// Frees the object that a handle refers to. If the object is a running server, the server stops, and its mismatches
/// are not reported. If the object is an interaction, it remains part of its contract. Calls in progress finish
/// normally.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_free(handle: contract_handle, error: *mut contract_text) -> contract_status {
    unsafe {
        guarded(error, || {
            find(handle)?;
            let freed = TABLE
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .all
                .remove(&handle);
            if let Some(Behind::Verifier(verifier)) = &freed {
                verifier.polled.stop();
            }
            // The object is dropped after the lock is released, because stopping a server may take time.
            drop(freed);
            Ok(())
        })
    }
}
