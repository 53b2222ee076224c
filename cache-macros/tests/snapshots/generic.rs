#[must_use]
/// Cached: key `..::block:v1(__argument_0, _seed)`, ttl `TTL`, strategy lock. Returns `Result<Vec<T>, Error>` when awaited.
/// On a miss one caller loads, the others wait for it; the value never leaves the process, 30 s at most unless the cache says otherwise, then one of them loads too; a value is never served after its end. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
#[allow(clippy::used_underscore_binding)]
#[allow(clippy::double_must_use)]
pub(crate) unsafe fn block<'a, T, const N: usize>(
    __argument_0: (T, [u8; N]),
    _seed: &'a str,
) -> ::herdless::Call<impl ::core::future::Future<Output = Result<Vec<T>, Error>>>
where
    T: Clone,
{
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "block",
            ::core::file!(),
            ::core::line!(),
        )
        .package(
            ::core::option_env!("CARGO_PKG_NAME"),
            ::core::option_env!("CARGO_MANIFEST_DIR"),
        )
        .place({
            fn __here() {}
            || __herdless::name_of(&__here)
        })
        .release(::core::option_env!("CARGO_PKG_VERSION"))
        .keyed(
            "__argument_0, _seed",
            &[
                __herdless::Argument::new(
                    "__argument_0",
                    "(T, [u8; N])",
                    __herdless::Role::Key,
                ),
                __herdless::Argument::new("_seed", "&'a str", __herdless::Role::Key),
            ],
        )
        .expressions(&[("ttl", "TTL")])
        .literals(|| __herdless::Policy::ttl(__herdless::Duration::ZERO).lock())
        .cache("\"reports\"")
        .in_process()
        .policy(|| __herdless::Policy::ttl(TTL).lock());
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    async unsafe fn __uncached<'a, T, const N: usize>(
        (a, b): (T, [u8; N]),
        _seed: &'a str,
    ) -> Result<Vec<T>, Error>
    where
        T: Clone,
    {
        todo!()
    }
    let __key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .arg(&__argument_0)
        .arg(&_seed)
        .finish();
    let __stored = __herdless::Probe::<Result<Vec<T>, Error>>::RETURN.meaning();
    let __errors = __stored.errors().share_as_load_failed(__CACHED.name());
    __CACHED
        .call(__key, (&&&&&__stored).in_process(), __errors)
        .named_cache("reports")
        .in_place(move || unsafe { __uncached::<T, N>(__argument_0, _seed) })
}
