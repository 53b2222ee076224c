/// Finds.
pub fn find(id: u32) -> ::herdless::Call<impl ::core::future::Future<Output = u32>> {
    ::herdless::__private::refused_as::<
        u32,
        _,
    >(async move {
        if false {
            return ::herdless::__private::returns::<u32>();
        }
        let (id,) = (id,);
        id
    })
}
::core::compile_error! {
    "unknown argument `tll`: did you mean `ttl`? known are ttl, ttl_from, none, strategy, beta, jitter, grace, stale_if_error, reason, key, skip, hash, plain, name, version, lease, wait, timeout, concurrency, detach, refresh, share_errors, cache, scope, codec, crate"
}
