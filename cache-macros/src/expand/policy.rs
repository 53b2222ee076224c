//! Times and strategy, as the run time reads them at each look-up and store.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::args::{Codec, Strategy};
use crate::model::Policy;

/// ```text
/// __herdless::Policy::ttl(__herdless::Duration::from_secs(300)).xfetch(1.0)
/// ```
pub(super) fn policy(policy: &Policy) -> TokenStream {
    let Policy {
        ttl,
        strategy,
        beta,
        jitter,
        grace,
        stale_if_error,
        lease,
        wait,
        codec,
        inline_refresh,
        inline_load,
    } = policy;
    let strategy = chosen(*strategy, *beta);
    let codec = codec.map(|codec| match codec {
        Codec::Bincode => quote!(.codec(__herdless::Codec::Bincode)),
        Codec::Json => quote!(.codec(__herdless::Codec::Json)),
    });
    let times = [
        (jitter, quote!(jitter)),
        (grace, quote!(grace)),
        (stale_if_error, quote!(stale_if_error)),
        (lease, quote!(lease)),
        (wait, quote!(wait)),
    ];
    let times =
        times.iter().filter_map(|(time, method)| time.as_ref().map(|time| quote!(.#method(#time))));
    let inline_load = inline_load.then(|| quote!(.inline_load()));
    let inline_refresh = inline_refresh.then(|| quote!(.inline_refresh()));
    quote! {
        __herdless::Policy::ttl(#ttl) #strategy #(#times)* #codec #inline_load #inline_refresh
    }
}

fn chosen(strategy: Strategy, beta: f64) -> TokenStream {
    match strategy {
        Strategy::Lock => quote!(.lock()),
        Strategy::Xfetch => {
            let beta = Literal::f64_unsuffixed(beta);
            quote!(.xfetch(#beta))
        }
        Strategy::Ahead => quote!(.ahead()),
        Strategy::Swr => quote!(.swr()),
        Strategy::Jitter => quote!(.jittered()),
    }
}
