//! Who the function is and what tells its calls apart.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::at;
use crate::model::{KeyPart, Model};

/// ```text
/// static __CACHED: __herdless::CachedFn =
///     __herdless::CachedFn::new("find", ::core::file!(), ::core::line!()).arguments("id");
/// ```
pub(super) fn registration(model: &Model) -> TokenStream {
    let name = model.function.name.unraw().to_string();
    let arguments = &model.key.shown;
    let named = model.name.iter();
    let version = model.version.map(Literal::u32_unsuffixed).into_iter();
    let reason = model.reason.iter();
    quote! {
        static __CACHED: __herdless::CachedFn =
            __herdless::CachedFn::new(#name, ::core::file!(), ::core::line!())
                .arguments(#arguments)
                #(.named(#named))*
                #(.version(#version))*
                #(.reason(#reason))*;
    }
}

/// ```text
/// __CACHED.key(__herdless::name_of(&|| ())).text("product:").arg(&id).finish()
/// ```
/// Made from references, before anything moves. The closure's type names module, function,
/// `impl` and type arguments. What an argument lacks for a key is reported at that argument.
pub(super) fn key(model: &Model) -> TokenStream {
    let parts = model.key.parts.iter().map(|part| match part {
        KeyPart::Text(text) => quote!(.text(#text)),
        KeyPart::Value { root, members } => quote_spanned!(at(root)=> .arg(&#root #(.#members)*)),
    });
    quote!(__CACHED.key(__herdless::name_of(&|| ())) #(#parts)* .finish())
}
