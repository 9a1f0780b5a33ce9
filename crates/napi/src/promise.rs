//! Promises that the core's own runtime settles.

use std::future::Future;

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Either, Env, Result};

use crate::failure::Failure;

type Settle<T> = Box<dyn FnOnce(Env) -> Result<Either<T, Failure>> + Send>;

/// Runs the future and gives a promise of its value, or of what went wrong. The promise keeps the process alive until it
/// is settled, and nothing does afterwards.
pub(crate) fn promise<T, E, F>(env: &Env, future: F) -> Result<Object<'_>>
where
    T: ToNapiValue + Send + 'static,
    E: Into<Failure>,
    F: Future<Output = std::result::Result<T, E>> + Send + 'static,
{
    let (deferred, promise) = env.create_deferred::<Either<T, Failure>, Settle<T>>()?;
    contract::runtime::run(async move { future.await.map_err(Into::into) }, move |result| {
        let settled = match result {
            Some(Ok(value)) => Either::A(value),
            Some(Err(failure)) => Either::B(failure),
            None => Either::B(Failure::internal(
                &"the core failed; this is a fault of the library, please report it",
            )),
        };
        deferred.resolve(Box::new(move |_| Ok(settled)));
    });
    Ok(promise)
}
