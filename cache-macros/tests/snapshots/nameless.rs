/// Cached: key `..::mapped:v1({by.start})`, ttl `TTL` ± 300 s, at least a tenth of the ttl, strategy jitter. Returns `u32` when awaited.
/// On a miss one caller of each process loads, its others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; a value is never served after its end. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
#[allow(refining_impl_trait)]
fn mapped<R: Future<Output = u32>>(
    f: &mut impl FnMut(u32) -> R,
    by: Span,
) -> ::herdless::Call<impl ::core::future::Future<Output = u32>> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "mapped",
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
            "{by.start}",
            &[
                __herdless::Argument::new(
                    "f",
                    "&mut impl FnMut(u32) -> R",
                    __herdless::Role::Skip,
                ),
                __herdless::Argument::new("by", "Span", __herdless::Role::Key)
                    .parts(&["by.start"]),
            ],
        )
        .nameless(&["f: impl FnMut(u32) -> R", "R: Future<Output = u32>"])
        .expressions(&[("ttl", "TTL")])
        .literals(|| {
            __herdless::Policy::ttl(__herdless::Duration::ZERO)
                .jittered()
                .jitter(__herdless::Duration::from_secs(300))
        })
        .reason("cheap")
        .policy(|| {
            __herdless::Policy::ttl(TTL)
                .jittered()
                .jitter(__herdless::Duration::from_secs(300))
        });
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    async fn __uncached<R: Future<Output = u32>>(
        f: &mut impl FnMut(u32) -> R,
        by: Span,
    ) -> u32 {
        f(by.start).await
    }
    let __key = __CACHED.key(__herdless::name_of(&|| ())).arg(&by.start).finish();
    let __stored = __herdless::Probe::<u32>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    __CACHED
        .call(__key, (&&&&&__stored).by_serde(), __errors)
        .in_place(move || __uncached::<R>(f, by))
}
