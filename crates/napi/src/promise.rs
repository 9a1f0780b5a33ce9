//! Promises that the core's runtime settles.

use std::future::Future;

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Either, Env, Result};

use crate::convert::either;
use crate::failure::Failure;

type Settle<T> = Box<dyn FnOnce(Env) -> Result<Either<T, Failure>> + Send>;

/// Runs a future and returns a promise for its value or failure. The promise keeps the process alive until it is
/// settled.
pub(crate) fn promise<T, F>(env: &Env, future: F) -> Result<Object<'_>>
where
    T: ToNapiValue + Send + 'static,
    F: Future<Output = std::result::Result<T, contract::Failure>> + Send + 'static,
{
    let (deferred, promise) = env.create_deferred::<Either<T, Failure>, Settle<T>>()?;
    contract::runtime::run(future, move |result| {
        let settled = either(match result {
            Ok(Some(result)) => result,
            Ok(None) => Err(contract::Failure::Internal),
            Err(error) => Err(error.into()),
        });
        deferred.resolve(Box::new(move |_| Ok(settled)));
    });
    Ok(promise)
}
