//! What the program knows of the function before its first call.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::policy;
use crate::args::CacheChoice;
use crate::model::{Form, Model, Role};
use crate::readable::readable;

/// ```text
/// static __CACHED: __herdless::CachedFn =
///     __herdless::CachedFn::new("find", ::core::file!(), ::core::line!())
///         .package(::core::option_env!("CARGO_PKG_NAME"), ::core::option_env!("CARGO_MANIFEST_DIR"))
///         .place({ fn __here() {} || __herdless::name_of(&__here) })
///         .release(::core::option_env!("CARGO_PKG_VERSION"))
///         .keyed("id", &[__herdless::Argument::new("id", "u32", __herdless::Role::Key)])
///         .policy(|| __herdless::Policy::ttl(__herdless::Duration::from_secs(300)).lock())
///         .detached(|| __detached(None).is_ok());
/// ::herdless::__private::inventory::submit! { __herdless::Registered(&__CACHED) }
/// ```
/// The linker makes one list of all registrations: the audit reads it. By its full path, since an
/// attribute that cannot be found makes the compiler doubt every name that was imported.
pub(super) fn registration(model: &Model) -> TokenStream {
    let name = model.function.name.unraw().to_string();
    let facade = &model.facade;
    let policy = policy::policy(&model.policy, !model.policy.in_place);
    let settings = [
        keyed(model),
        nameless(model),
        expressions(model),
        identity(model),
        place_of_values(model),
    ];
    quote! {
        static __CACHED: __herdless::CachedFn =
            __herdless::CachedFn::new(#name, ::core::file!(), ::core::line!())
                .package(
                    ::core::option_env!("CARGO_PKG_NAME"),
                    ::core::option_env!("CARGO_MANIFEST_DIR"),
                )
                .place({ fn __here() {} || __herdless::name_of(&__here) })
                .release(::core::option_env!("CARGO_PKG_VERSION"))
                #(#settings)*
                .policy(|| #policy);
        #facade::__private::inventory::submit! { __herdless::Registered(&__CACHED) }
    }
}

fn keyed(model: &Model) -> TokenStream {
    let shown = &model.key.shown;
    let function = &model.function;
    let receiver = function.receiver.iter().map(|one| ("self".to_owned(), readable(one)));
    let typed =
        function.parameters.iter().map(|one| (one.name.unraw().to_string(), readable(&one.ty)));
    let arguments = receiver.chain(typed).zip(&model.key.roles).map(|((name, ty), role)| {
        let parts = model.key.parts_of(&name);
        let parts = (!parts.is_empty()).then(|| quote!(.parts(&[#(#parts),*])));
        let role = match role {
            Role::Key => quote!(Key),
            Role::Plain => quote!(Plain),
            Role::Hash => quote!(Hash),
            Role::Skip => quote!(Skip),
        };
        quote!(__herdless::Argument::new(#name, #ty, __herdless::Role::#role) #parts)
    });
    quote!(.keyed(#shown, &[#(#arguments),*]))
}

/// Parameters that make an instance of the function a nameless one in most calls: at run time only
/// the call itself would tell.
fn nameless(model: &Model) -> TokenStream {
    let parameters = model.function.nameless();
    let listed = (!parameters.is_empty()).then(|| quote!(.nameless(&[#(#parameters),*])));
    listed.unwrap_or_default()
}

/// Settings that are expressions, as text: their values may change.
fn expressions(model: &Model) -> TokenStream {
    let ttl_from = model.ttl_from.iter().map(|expression| ("ttl_from", readable(expression)));
    let texts: Vec<_> = model
        .policy
        .expressions()
        .map(|(setting, expression)| (setting, readable(expression)))
        .chain(ttl_from)
        .map(|(setting, text)| quote!((#setting, #text)))
        .collect();
    let listed = (!texts.is_empty()).then(|| quote!(.expressions(&[#(#texts),*])));
    let in_place = model.policy.in_place.then(|| quote!(.policy_in_place()));
    let literals = (!model.policy.in_place && model.policy.expressions().next().is_some())
        .then(|| policy::policy(&model.policy, false))
        .map(|policy| quote!(.literals(|| #policy)));
    quote!(#listed #in_place #literals)
}

fn identity(model: &Model) -> TokenStream {
    let named = model.name.iter();
    let version = model.version.map(Literal::u32_unsuffixed).into_iter();
    let reason = model.reason.iter();
    quote!(#(.named(#named))* #(.version(#version))* #(.reason(#reason))*)
}

/// Where values are kept and where loads run.
fn place_of_values(model: &Model) -> TokenStream {
    let cache = model.cache.as_ref().map(|cache| {
        let text = match cache {
            CacheChoice::Named(name) => name.to_token_stream().to_string(),
            CacheChoice::On(expression) => readable(expression),
        };
        quote!(.cache(#text))
    });
    let in_process = model.in_process.then(|| quote!(.in_process()));
    let detached = match model.form {
        Form::Movable { .. } | Form::Lent => {
            Some(quote!(.detached(|| __detached(::core::option::Option::None).is_ok())))
        }
        Form::Nested | Form::InPlace => None,
    };
    quote!(#cache #in_process #detached)
}
