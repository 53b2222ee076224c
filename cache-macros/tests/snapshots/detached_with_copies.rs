/// Cached: key `find:v2(name, id)`, ttl 300 s, strategy lock. Returns `()` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 60 s at most, then one of them loads too; a value is never served after its end. A load outlives its caller. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
#[allow(refining_impl_trait)]
fn find(
    name: &str,
    id: String,
) -> ::herdless::Call<impl ::core::future::Future<Output = ()>> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "find",
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
            "name, id",
            &[
                __herdless::Argument::new("name", "&str", __herdless::Role::Key),
                __herdless::Argument::new("id", "String", __herdless::Role::Key),
            ],
        )
        .named("find")
        .version(2)
        .cache("caches.get(0)")
        .detached(|| __detached(::core::option::Option::None).is_ok())
        .policy(|| {
            __herdless::Policy::ttl(__herdless::Duration::from_secs(300))
                .lock()
                .lease(__herdless::Duration::from_secs(5))
                .wait(__herdless::Duration::from_secs(60))
                .codec(__herdless::Codec::Json)
                .inline_refresh()
        });
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    async fn __uncached(name: &str, mut id: String) {
        id.push('x');
    }
    fn __detached<'lent0>(
        __args: ::core::option::Option<(&'lent0 str, String)>,
    ) -> __herdless::Detached<(), (&'lent0 str, String)> {
        let __copy = |(name, id): (&'lent0 str, String)| (
            __herdless::LentArgument(name).copied(),
            id,
        );
        let __load = __herdless::copied_by(&__copy)
            .loader(|(name, id)| async move {
                __uncached(::core::borrow::Borrow::<str>::borrow(&name), id).await
            });
        __load.lent(__args, __copy)
    }
    let __key = __CACHED.key(__herdless::name_of(&|| ())).arg(&name).arg(&id).finish();
    let __stored = __herdless::Probe::<()>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    __CACHED
        .call(__key, (&&&&&__stored).by_serde(), __errors)
        .on(&caches.get(0))
        .movable((name, id), |(name, id)| __uncached(name, id), __detached)
}
