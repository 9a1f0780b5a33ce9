//! What handles stand for. Numbers are never given twice, so one that was freed is known as such.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use contract::{Callbacks, ContractBuilder, InteractionBuilder, MessageSession, MockSession, Verification};

use crate::calls::Calls;
use crate::edge::{Failure, guarded};
use crate::events::Polled;
use crate::{contract_handle, contract_status, contract_text};

/// What a handle stands for.
#[derive(Clone)]
pub(crate) enum Behind {
    Contract(ContractBuilder),
    Interaction(InteractionBuilder),
    Server(Arc<MockSession>),
    Messages(Arc<MessageSession>),
    Verifier(Arc<Verifier>),
}

/// A verifier and who answers its calls.
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

/// Keeps a value, and gives its number.
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
        None => Err(misuse(&format!("{number} is no handle"))),
    }
}

fn misuse(message: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_HANDLE", message)
}

fn other(number: contract_handle, wanted: &str) -> Failure {
    misuse(&format!("the handle {number} is not that of {wanted}"))
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

/// Frees what a handle stands for. A server that runs is stopped, and what did not match on it is not told; an interaction stays
/// part of its contract. A call that is under way with the handle comes to its end first.
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
            // Outside of the lock: the end of a server may take its time.
            drop(freed);
            Ok(())
        })
    }
}
