/// Cached: key `..::homepage_feed:v1(homepage:{region})`, ttl 3600 s ± 300 s, strategy swr. Returns `Result<Feed, AppError>` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; for 60 s after the end readers get the old value while one refreshes and waits for it. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
pub fn homepage_feed(
    pool: &PgPool,
    region: &str,
) -> ::herdless::Call<impl ::core::future::Future<Output = Result<Feed, AppError>>> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "homepage_feed",
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
            "homepage:{region}",
            &[
                __herdless::Argument::new("pool", "&PgPool", __herdless::Role::Skip),
                __herdless::Argument::new("region", "&str", __herdless::Role::Key),
            ],
        )
        .reason("a feed: a minute old is fine")
        .policy(|| {
            __herdless::Policy::ttl(__herdless::Duration::from_secs(3600))
                .swr()
                .jitter(__herdless::Duration::from_secs(300))
                .grace(__herdless::Duration::from_secs(60))
        });
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    async fn __uncached(pool: &PgPool, region: &str) -> Result<Feed, AppError> {
        load(pool, region).await
    }
    let __key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .text("homepage:")
        .arg(&region)
        .finish();
    let __stored = __herdless::Probe::<Result<Feed, AppError>>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    __CACHED
        .call(__key, (&&&&&__stored).by_serde(), __errors)
        .in_place(move || __uncached(pool, region))
}
