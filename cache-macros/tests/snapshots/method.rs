/// What it costs.
///
/// Cached: key `..::price:v1({self.rate}:{qty})`, ttl 300 s, strategy lock. Returns `u64` when awaited.
/// On a miss one caller of all processes (of this one, if no store) loads, the others wait for it, 30 s at most unless the cache says otherwise, then one of them loads too; a value is never served after its end. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
///
/// In cents.
#[allow(refining_impl_trait)]
fn price(
    &self,
    qty: u64,
) -> ::herdless::Call<impl ::core::future::Future<Output = u64>> {
    use ::herdless::__private::{self as __herdless, probes::*};
    static __CACHED: __herdless::CachedFn = __herdless::CachedFn::new(
            "price",
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
            "{self.rate}:{qty}",
            &[
                __herdless::Argument::new("self", "&self", __herdless::Role::Key)
                    .parts(&["self.rate"]),
                __herdless::Argument::new("qty", "u64", __herdless::Role::Key),
            ],
        )
        .policy(|| __herdless::Policy::ttl(__herdless::Duration::from_secs(300)).lock());
    ::herdless::__private::inventory::submit! {
        __herdless::Registered(& __CACHED)
    }
    let __key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .arg(&self.rate)
        .text(":")
        .arg(&qty)
        .finish();
    let __stored = __herdless::Probe::<u64>::RETURN.meaning();
    let __errors = (&&__stored.errors()).share();
    __CACHED
        .call(__key, (&&&&&__stored).by_serde(), __errors)
        .in_place(move || async move {
            if false {
                return ::herdless::__private::returns::<u64>();
            }
            let (mut qty,) = (qty,);
            qty += 1;
            self.rate * qty
        })
}
