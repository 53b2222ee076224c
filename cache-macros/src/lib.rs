//! The `#[cached]` attribute of herdless: an `async fn` becomes a keyed read-through wrapper.
//!
//! Use it through the facade crate `herdless`, whose page of `cached` is the reference.

use proc_macro2::TokenStream;

use crate::args::Args;
use crate::model::Model;
use crate::signature::Function;

mod fallback;
mod expand;
mod model;
mod signature;
mod args;
mod template;
mod duration;
mod problems;
mod readable;
#[cfg(test)]
mod tests;

/// # `#[cached]` at a glance
///
/// Each argument is explained on the page of `herdless::cached`, with an example that runs.
///
/// ```text
/// #[cached(
///     ttl = "5m", ttl_from = Quote::life, none = "skip", jitter = "30s",
///     strategy = "lock" | "xfetch" | "ahead" | "swr" | "jitter", beta = 1.0, refresh = "inline",
///     grace = "1m", stale_if_error = "1h", reason = "why this staleness is right here",
///     key = "quote:{id}:{user.id}", skip(self, pool), hash(session), plain(token),
///     name = "shop::quote", version = 2,
///     lease = "3s", wait = "30s", timeout = "2s", concurrency = 8, detach = true, share_errors,
///     cache = "quotes", scope = "process", codec = "json", crate = ::herdless,
/// )]
/// pub async fn quote(..) -> Result<Quote, Error> { .. }
///
/// quote(..).await?;                // from the cache, else by the body
/// quote(..).invalidate().await?;   // a call is also the handle of its key
/// ```
#[proc_macro_attribute]
pub fn cached(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    pipeline(&attribute.into(), &item.into()).into()
}

/// Parse, check, expand; on `proc_macro2` tokens, so that tests can call it.
fn pipeline(attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::untouched(&error, item),
    };
    if let Err(error) = model::check_function(&function) {
        return fallback::untouched(&error, item);
    }
    match syn::parse2::<Args>(attribute.clone()).map(|args| Model::check(args, function)) {
        Ok(Ok(model)) => match expand::after_others(&model, attribute) {
            Some(once_more) => once_more,
            None => expand::expand(&model),
        },
        Ok(Err(refused)) => fallback::callable(*refused),
        Err(error) => fallback::untouched(&error, item),
    }
}
