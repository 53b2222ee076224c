//! What `#[cached]` writes, by hand: for arguments that the attribute does not know yet.

/// A cached function of a backend, which is skipped, and a number. The first brackets go to how
/// values are stored, the second to how errors are shared.
macro_rules! by_hand {
    (
        $name:ident($backend:ident, $id:ident) -> $output:ty,
        $policy:expr, [$($stored:tt)*], [$($share:tt)*], $body:block
    ) => {
        fn $name(
            $backend: ::std::sync::Arc<$crate::backend::Backend>,
            $id: u32,
        ) -> ::herdless::Call<impl ::std::future::Future<Output = $output>> {
            use ::herdless::__private::{self as hidden, probes::*};
            type Arguments = (::std::sync::Arc<$crate::backend::Backend>, u32);
            static CACHED: hidden::CachedFn =
                hidden::CachedFn::new(stringify!($name), file!(), line!()).policy(|| $policy);
            async fn uncached(($backend, $id): Arguments) -> $output $body
            fn detached() -> hidden::Detached<$output, Arguments> {
                hidden::loader(uncached).detach()
            }
            let key = CACHED.key(hidden::name_of(&|| ())).arg(&$id).finish();
            let meaning = hidden::Probe::<$output>::RETURN.meaning();
            let share = (&&meaning.errors()).share() $($share)*;
            CACHED
                .call(key, (&&&&&meaning).by_serde() $($stored)*, share)
                .movable(($backend, $id), uncached, detached)
        }
    };
}

pub(crate) use by_hand;

/// An error that is not `Clone` and answers for loads that did not end in time.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// The loader's own, with the number of its load.
    Own(u32),
    /// There was none.
    Late(herdless::Reason),
}

impl From<herdless::LoadFailed> for Failure {
    fn from(failed: herdless::LoadFailed) -> Self {
        Self::Late(failed.reason())
    }
}
