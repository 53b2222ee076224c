//! The `#[cached]` attribute of herdless: an `async fn` becomes a keyed read-through wrapper.
//!
//! Use it through the facade crate `herdless`, whose pages show it at work.

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

/// Caches an `async fn`: its calls read through the cache, and any number of callers of one key
/// cost one load.
///
/// ```text
/// #[cached(ttl = 300, strategy = "xfetch", beta = 1.0, jitter = 300)]
/// pub async fn quality_count(min_score: u32) -> Result<i64, AppError> { .. }
///
/// quality_count(80).await?;                // from the cache, else by the body
/// quality_count(80).invalidate().await?;   // a call is also the handle of its key
/// ```
///
/// The function keeps its name, arguments and visibility and returns a `Call`, a future of the
/// return type written. It may be free or associated, a method, or a method of a trait impl; its
/// arguments may be borrowed, generic or `impl Trait`.
///
/// *What is stored* is decided by type: of a `Result<T, E>`, under any alias, the `T`, never the
/// error; anything else whole, also `None`. It must be owned: a function that returns a borrow,
/// `impl Trait` or a bare type parameter is refused.
///
/// *Traits*: arguments in the key are `Serialize`; values are `Serialize + DeserializeOwned + Clone +
/// Send + Sync + 'static` (without serde under `scope = "process"`) and take at most 8 MiB, or they
/// are returned and not stored. Errors need none: where they are `Clone`, or shared by
/// `share_errors`, one failed load answers all who wait; otherwise each of them runs the body
/// itself, at most four at a time in a process.
///
/// *Attributes*: documentation, `cfg`, lints, `must_use`, `deprecated`, `inline`, `cold` and
/// `track_caller` speak of the public function. Any other goes to the body's own `async fn`; where
/// there is none, since the body uses `self` or `Self`, it has to be written above `#[cached]`.
///
/// *A duration* is whole seconds (`300`), text with units (`"250ms"`, `"5m"`, `"1h30m"`), or an
/// expression of type `Duration` without the function's arguments, evaluated at each look-up and
/// store.
///
/// # `ttl`
///
/// How long a value is fresh, counted from its storing. Required.
///
/// # `strategy`
///
/// * `"lock"`: one caller loads, the others wait. The default.
/// * `"xfetch"`: as lock; while the value is fresh, one call refreshes it early, the more likely
///   the nearer its end and the dearer the load.
/// * `"ahead"`: as lock; the first call near the end refreshes.
/// * `"swr"`: as lock; after the end callers get the old value for `grace` while one refreshes: in
///   the background where the load can leave its caller (see `detach`), else that one waits for it.
/// * `"jitter"`: no lock between processes, only spread ends. Needs `jitter` and `reason`, and
///   takes neither `grace` nor `stale_if_error`.
///
/// # `beta`
///
/// How early xfetch refreshes: a number above zero, 1.0 by default.
///
/// # `jitter`
///
/// Each stored life is drawn from `ttl` ± this, never below a tenth of `ttl`, so that many keys do
/// not end together. At most `ttl`.
///
/// # `grace`
///
/// How long after its end a value is still served while one refresh runs. Needs `reason`.
///
/// # `stale_if_error`
///
/// How long after its end the last value stands in when a load fails. Needs `reason`.
///
/// # `reason`
///
/// Why this staleness, or this lack of a lock, is right here.
///
/// # `key`
///
/// A template for what tells calls apart: `"product:{id}:{user.id}"`, with `{self.part}` and
/// `{pair.0}` for parts, `{{` and `}}` for braces. By default every argument that is not skipped.
/// Every parameter must stand in `key` or in `skip`; of a method also `self`. Names such as `token`
/// or `password` are refused, because keys are readable.
///
/// # `skip`
///
/// Parameters that do not tell calls apart: `skip(self, pool)`. They need no traits.
///
/// # `name`, `version`
///
/// A stable identity in place of the compiler's path; a number to raise when old entries must not
/// be read any more.
///
/// # `lease`
///
/// How long others wait for a load that shows no sign of life. It is renewed at a third while the
/// load is polled. Default 3 s, at least 100 ms.
///
/// # `wait`
///
/// How long others wait for a load that lives but does not end; then one of them takes over. Default
/// 30 s. Set it above your slowest load.
///
/// # `detach`
///
/// Whether a load that has begun is finished although its caller left. By default where it can
/// be: arguments that own their data, no type parameters, no `self` or `Self`, a future that is
/// `Send`. `true` demands that, and copies arguments of type `&str`, `&[T]` and `&T` for it;
/// `false` leaves a load with its caller.
///
/// # `refresh`
///
/// `"background"` where possible, the default, or `"inline"`: in the call that found it due.
/// Together with `detach = false` the body stays in its place, where it may also use type
/// parameters of an `impl` whose names are longer than one letter.
///
/// # `share_errors`
///
/// Gives waiters the leader's error through `E: From<LoadFailed>`.
///
/// # `cache`
///
/// Which cache: a name, or an expression that gives one, which may use the arguments.
///
/// # `scope`
///
/// `"process"`: values never leave this process and need no serde.
///
/// # `codec`
///
/// How values are written: `"bincode"`, the default, or `"json"`, which also stands in for types
/// that bincode cannot carry.
///
/// # `crate`
///
/// The path of the facade where it is not `::herdless`.
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
        Ok(Err(refused)) => fallback::callable(&refused),
        Err(error) => fallback::untouched(&error, item),
    }
}
