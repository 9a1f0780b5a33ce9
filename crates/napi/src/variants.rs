use std::sync::Arc;

use contract::{CallSite, VariantSuite};
use napi::Either;
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
use crate::server::NativeServer;

/// The variants of a contract, for tests that receive one variant each.
#[napi]
pub struct NativeVariants(pub(crate) Arc<VariantSuite>);

#[napi]
impl NativeVariants {
    /// Returns the example and the variants as a JSON array, with one object per test.
    #[napi(catch_unwind)]
    pub fn list(&self) -> String {
        contract::to_text(&self.0.list())
    }

    /// Returns, as a JSON array, the responses that the test with this index in `list` can receive.
    #[napi(catch_unwind)]
    pub fn answers(&self, number: u32) -> String {
        contract::to_text(&self.0.answers(number as usize))
    }

    /// Starts the mock server for the test with this index in `list`. The call site is JSON text.
    #[napi(catch_unwind)]
    pub fn serve(&self, number: u32, call_site: String) -> Either<NativeServer, Failure> {
        let started = CallSite::from_text(&call_site)
            .map_err(contract::Failure::from)
            .and_then(|call_site| contract::runtime::run_here(self.0.serve(number as usize, &call_site))?);
        either(started.map(|session| NativeServer(Arc::new(session))))
    }
}
