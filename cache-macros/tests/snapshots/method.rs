/// What it costs.
///
/// Cached: key `..::price:v1({self.rate}:{qty})`, ttl 300 s, lock. Returns `u64` when awaited.
/// On a miss one caller of all processes loads, the others wait. A load ends with its caller and the next one starts over. Stored: the `Ok` value, or the whole of what is no `Result`; never an error.
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
        .arguments("{self.rate}:{qty}");
    let key = __CACHED
        .key(__herdless::name_of(&|| ()))
        .arg(&self.rate)
        .text(":")
        .arg(&qty)
        .finish();
    let policy = || __herdless::Policy::ttl(__herdless::Duration::from_secs(300)).lock();
    let stored = __herdless::Probe::<u64>::RETURN.meaning();
    let errors = (&&stored.errors()).share();
    __CACHED
        .call(key, policy, stored.by_serde(), errors)
        .in_place(async move {
            if false {
                return ::herdless::__private::returns::<u64>();
            }
            let (mut qty,) = (qty,);
            qty += 1;
            self.rate * qty
        })
}
