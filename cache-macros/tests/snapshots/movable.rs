/// Cached: key `..::quality_count:v1(min_score)`, ttl 300 s ± 300 s, at least 30 s, strategy xfetch (beta 1). Returns `Result<i64, AppError>` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; shortly before the end one reader refreshes in the background if the load is `Send`; a value is never served after its end. A load outlives its caller if it is `Send`. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
pub fn quality_count(
    min_score: u32,
) -> ::herdless::Call<impl ::core::future::Future<Output = Result<i64, AppError>>> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "quality_count",
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
            "min_score",
            &[__herdless::Argument::new("min_score", "u32", __herdless::Role::Key)],
        )
        .detached(|| __detached(::core::option::Option::None).is_ok())
        .policy(|| {
            __herdless::Policy::ttl(__herdless::Duration::from_secs(300))
                .xfetch(1.0)
                .jitter(__herdless::Duration::from_secs(300))
        });
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    async fn __uncached(min_score: u32) -> Result<i64, AppError> {
        sql(min_score).await
    }
    fn __detached(
        __args: ::core::option::Option<(u32,)>,
    ) -> __herdless::Detached<Result<i64, AppError>, (u32,)> {
        __herdless::loader(|(min_score,): (u32,)| __uncached(min_score)).detach(__args)
    }
    let __key = __CACHED.key(__herdless::name_of(&|| ())).arg(&min_score).finish();
    let __stored = __herdless::Probe::<Result<i64, AppError>>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    __CACHED
        .call(__key, (&&&&&__stored).by_serde(), __errors)
        .movable((min_score,), |(min_score,)| __uncached(min_score), __detached)
}
