//! Times and strategy, as the run time reads them at each look-up and store.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::args::{Codec, Nones, Strategy};
use crate::duration::Time;
use crate::model::Policy;

/// ```text
/// __herdless::Policy::ttl(__herdless::Duration::from_secs(300)).xfetch(1.0)
/// ```
/// Without `expressions`, zeros stand for what only the function can evaluate.
pub(super) fn policy(policy: &Policy, expressions: bool) -> TokenStream {
    let time = |time: &Time| match time {
        Time::Expression(_) if !expressions => quote!(__herdless::Duration::ZERO),
        time => quote!(#time),
    };
    let strategy = chosen(policy.strategy, policy.beta);
    let ttl = time(&policy.ttl);
    let times = times(policy);
    let times = times.iter().filter_map(|(given, method)| {
        let given = time(given.as_ref()?);
        Some(quote!(.#method(#given)))
    });
    let none = policy.none.as_ref().map(|none| {
        let life = match none {
            Nones::Skip => quote!(__herdless::Duration::ZERO),
            Nones::For(life) => time(life),
        };
        quote!(.none_for(#life))
    });
    let concurrency = policy.concurrency.as_ref().filter(|_| expressions || policy.counts_here());
    let concurrency = concurrency.map(|count| quote!(.concurrency(#count)));
    let switches = switches(policy);
    quote! {
        __herdless::Policy::ttl(#ttl) #strategy #(#times)* #none #concurrency #switches
    }
}

/// ```text
/// .with_ttl(Self::TTL)
/// ```
/// What the function evaluates, over the rest of its policy.
pub(super) fn evaluated(policy: &Policy) -> TokenStream {
    let none = match &policy.none {
        Some(Nones::For(life)) => Some(life),
        _ => None,
    };
    let times = times(policy).map(|(given, method)| (given.as_ref(), method));
    let all = [(Some(&policy.ttl), quote!(with_ttl)), (none, quote!(none_for))];
    let set = all.into_iter().chain(times).filter_map(|(given, method)| {
        let expression = given?.expression()?;
        Some(quote!(.#method(#expression)))
    });
    let concurrency = policy.concurrency.as_ref().filter(|_| !policy.counts_here());
    let concurrency = concurrency.map(|count| quote!(.concurrency(#count)));
    quote!(#(#set)* #concurrency)
}

/// Spans that may be given, and the methods that take them.
fn times(policy: &Policy) -> [(&Option<Time>, TokenStream); 6] {
    [
        (&policy.jitter, quote!(jitter)),
        (&policy.grace, quote!(grace)),
        (&policy.stale_if_error, quote!(stale_if_error)),
        (&policy.lease, quote!(lease)),
        (&policy.wait, quote!(wait)),
        (&policy.timeout, quote!(timeout)),
    ]
}

fn switches(policy: &Policy) -> TokenStream {
    let codec = policy.codec.map(|codec| match codec {
        Codec::Bincode => quote!(.codec(__herdless::Codec::Bincode)),
        Codec::Json => quote!(.codec(__herdless::Codec::Json)),
        Codec::Postcard => quote!(.codec(__herdless::Codec::Postcard)),
        Codec::MessagePack => quote!(.codec(__herdless::Codec::MessagePack)),
    });
    let inline_load = policy.inline_load.then(|| quote!(.inline_load()));
    let inline_refresh = policy.inline_refresh.then(|| quote!(.inline_refresh()));
    quote!(#codec #inline_load #inline_refresh)
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
