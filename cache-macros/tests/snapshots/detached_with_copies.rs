/// Cached: key `find:v2(name, id)`, ttl 300 s, lock. Returns `()` when awaited.
/// On a miss one caller of all processes loads, the others wait. A load outlives its caller. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
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
        .arguments("name, id")
        .named("find")
        .version(2);
    async fn __uncached(name: &str, mut id: String) {
        id.push('x');
    }
    fn __detached<'lent0>(
        args: (&'lent0 str, String),
    ) -> __herdless::Detached<(), (&'lent0 str, String)> {
        let (name, id) = args;
        let copies = (::std::borrow::ToOwned::to_owned(name), id);
        let load = __herdless::loader(|
            (name, id): (<str as ::std::borrow::ToOwned>::Owned, String)|
        async move {
            __uncached(::core::borrow::Borrow::<str>::borrow(&name), id).await
        });
        __herdless::CanDetach::start(load, copies).map_err(|(_, id)| (name, id))
    }
    let key = __CACHED.key(__herdless::name_of(&|| ())).arg(&name).arg(&id).finish();
    let policy = || {
        __herdless::Policy::ttl(__herdless::Duration::from_secs(300))
            .lock()
            .lease(__herdless::Duration::from_secs(5))
            .wait(__herdless::Duration::from_secs(60))
            .codec(__herdless::Codec::Json)
            .inline_refresh()
    };
    let stored = __herdless::Probe::<()>::RETURN.meaning();
    let errors = (&&stored.errors()).share();
    __CACHED
        .call(key, policy, stored.by_serde(), errors)
        .on(&caches.get(0))
        .movable((name, id), |(name, id)| __uncached(name, id), __detached)
}
