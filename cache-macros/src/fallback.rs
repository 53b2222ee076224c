//! What is left when something is wrong: the messages, and the function beside them, so that one
//! mistake gives one message.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Error;

use crate::expand;
use crate::model::{Refused, stays_outside};

/// For an item that cannot be cached at all: as the user wrote it, first, for editors.
pub(crate) fn untouched(error: &Error, item: &TokenStream) -> TokenStream {
    let messages = error.to_compile_error();
    quote!(#item #messages)
}

/// For a good function under a bad attribute: its calls still have all methods of a call.
///
/// ```text
/// pub fn find(id: u32) -> ::herdless::Call<impl ::core::future::Future<Output = u64>> {
///     ::herdless::__private::refused(async move { .. })
/// }
/// ```
pub(crate) fn callable(refused: &Refused) -> TokenStream {
    let Refused { error, facade, function } = refused;
    let messages = error.to_compile_error();
    let attributes = function.attributes.iter().filter(|one| stays_outside(one));
    let head = expand::head(function, facade);
    let body = expand::in_place_body(function, facade);
    let refused = match function.boxed {
        Some(_) => body, // it returns what it returned
        None => quote!(#facade::__private::refused(#body)),
    };
    let block = expand::block(function, refused);
    quote! {
        #(#attributes)*
        #head
        #block
        #messages
    }
}
