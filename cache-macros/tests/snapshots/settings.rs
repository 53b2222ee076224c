/// Cached: key `..::quote:v1(id, hash(session), token)`, ttl `Self::TTL` at most, by `Quote::life`, strategy lock. Returns `Result<Option<Quote>, Error>` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; a value is never served after its end; a load that takes longer than 2 s fails. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error; a `None` for 5 s only.
pub fn quote(
    &self,
    id: u32,
    session: &str,
    token: u8,
) -> ::herdless::Call<
    impl ::core::future::Future<Output = Result<Option<Quote>, Error>>,
> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "quote",
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
            "id, hash(session), token",
            &[
                __herdless::Argument::new("self", "&self", __herdless::Role::Skip),
                __herdless::Argument::new("id", "u32", __herdless::Role::Key),
                __herdless::Argument::new("session", "&str", __herdless::Role::Hash),
                __herdless::Argument::new("token", "u8", __herdless::Role::Plain),
            ],
        )
        .expressions(&[("ttl", "Self::TTL"), ("ttl_from", "Quote::life")])
        .policy_in_place()
        .policy(|| {
            __herdless::Policy::ttl(__herdless::Duration::ZERO)
                .lock()
                .timeout(__herdless::Duration::from_secs(2))
                .none_for(__herdless::Duration::from_secs(5))
                .concurrency(8)
        });
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    let __key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .arg(&id)
        .digest(&session)
        .arg(&token)
        .finish();
    let __stored = __herdless::Probe::<Result<Option<Quote>, Error>>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share().answering();
    __CACHED
        .call(
            __key,
            (&&&&&__stored)
                .by_serde()
                .told_none()
                .ttl_from(&__herdless::TtlFrom(Quote::life)),
            __errors,
        )
        .policy(|| __CACHED.known().with_ttl(Self::TTL))
        .in_place(move || async move {
            if false {
                return ::herdless::__private::returns::<Result<Option<Quote>, Error>>();
            }
            let (id, session, token) = (id, session, token);
            ask(id).await
        })
}
