/// Cached: key `..::quote:v1({self.name}:{day})`, ttl 60 s, strategy lock. Returns `u64` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; a value is never served after its end. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
#[allow(refining_impl_trait)]
fn quote<'life0, 'async_trait>(
    &'life0 self,
    day: u32,
) -> ::core::pin::Pin<
    Box<dyn ::core::future::Future<Output = u64> + ::core::marker::Send + 'async_trait>,
>
where
    'life0: 'async_trait,
    Self: 'async_trait,
{
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
            "{self.name}:{day}",
            &[
                __herdless::Argument::new("self", "&'life0 self", __herdless::Role::Key)
                    .parts(&["self.name"]),
                __herdless::Argument::new("day", "u32", __herdless::Role::Key),
            ],
        )
        .policy(|| __herdless::Policy::ttl(__herdless::Duration::from_secs(60)).lock());
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    let __key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .arg(&self.name)
        .text(":")
        .arg(&day)
        .finish();
    let __stored = __herdless::Probe::<u64>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    ::std::boxed::Box::pin(
        __CACHED
            .call(__key, (&&&&&__stored).by_serde(), __errors)
            .in_place(move || {
                let (day,) = (day,);
                Box::pin(async move { ask(self, day).await })
            }),
    )
}
