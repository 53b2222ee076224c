//! Writes the wrapper. Cannot fail: whatever could be wrong was refused before.
//!
//! Rules for generated code: absolute paths; items under a reserved prefix, since items have no
//! hygiene; locals with mixed-site spans, which the user's code cannot see; arguments keep their
//! own spans; lints are silenced by name, on the smallest piece.

mod body;
mod docs;
mod key;
mod policy;
mod registration;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path, Visibility};

use crate::args::{CacheChoice, LAST};
use crate::model::{Form, Model, stays_outside};
use crate::signature::Function;

pub(crate) use body::in_place as in_place_body;

/// ```text
/// pub async fn find(id: u32) -> Answer { .. }
/// ```
/// becomes
/// ```text
/// /// Cached: key `..::find:v1(id)`, ttl 300 s, strategy lock. Returns `Answer` when awaited.
/// pub fn find(id: u32) -> ::herdless::Call<impl ::core::future::Future<Output = Answer>> {
///     use ::herdless::__private::{self as __herdless, probes::*};
///     static __CACHED: __herdless::CachedFn = ..;
///     async fn __uncached(id: u32) -> Answer { .. }
///     fn __detached(args: Option<(u32,)>) -> __herdless::Detached<Answer, (u32,)> { .. }
///     let __key = __CACHED.key(..).arg(&id).finish();
///     let __stored = __herdless::Probe::<Answer>::RETURN.meaning();
///     let __errors = (&&__stored.errors()).share();
///     __CACHED
///         .call(__key, (&&&&&__stored).by_serde(), __errors)
///         .movable((id,), |(id,)| __uncached(id), __detached)
/// }
/// ```
pub(crate) fn expand(model: &Model) -> TokenStream {
    let Model { facade, function, .. } = model;
    let attributes = docs::with_description(model);
    let allows = allows(function);
    let head = head(function, facade);
    let registration = registration::registration(model);
    let nested = body::nested(model);
    let [key, stored, errors] = ["key", "stored", "errors"].map(local);
    let key_value = key::key(model);
    let meaning = meaning(function);
    let sharing = sharing(model, &stored);
    let storing = storing(model, &stored);
    let policy = policy_in_place(model);
    let cache = cache(model);
    let hand_over = body::hand_over(model);
    let call = quote!(__CACHED.call(#key, #storing, #errors) #policy #cache #hand_over);
    let call = boxed(function, call);
    let block = block(
        function,
        quote! {
            use #facade::__private::{self as __herdless, probes::*};
            #registration
            #nested
            let #key = #key_value;
            let #stored = #meaning;
            let #errors = #sharing;
            #call
        },
    );
    quote! {
        #(#attributes)*
        #allows
        #head
        #block
    }
}

/// ```text
/// #[cached(ttl = 300)]
/// #[tracing::instrument]
/// async fn find(id: u32) -> Answer { .. }
/// ```
/// becomes
/// ```text
/// #[tracing::instrument]
/// #[::herdless::cached(__last, ttl = 300)]
/// async fn find(id: u32) -> Answer { .. }
/// ```
/// What rewrites a function has its turn first, as if it had been written above: it sees the
/// function as its author wrote it, and the body it leaves is what is cached. `None`: there is
/// nothing of that kind, or it has had its turn.
pub(crate) fn after_others(model: &Model, attribute: &TokenStream) -> Option<TokenStream> {
    let Model { facade, function, .. } = model;
    let (outside, others): (Vec<_>, Vec<_>) =
        function.attributes.iter().partition(|one| stays_outside(one));
    if model.last || others.is_empty() {
        return None;
    }
    let last = Ident::new(LAST, Span::call_site());
    let item = &function.item;
    Some(quote! {
        #(#others)*
        #[#facade::cached(#last, #attribute)]
        #(#outside)*
        #item
    })
}

/// Braces at the place of the user's. Lints such as `dead_code` are silent about what a macro
/// wrote; an item that begins and ends in tokens of the user's is not taken for that.
pub(crate) fn block(function: &Function, statements: TokenStream) -> Group {
    let mut block = Group::new(Delimiter::Brace, statements);
    block.set_span(function.body.as_ref().map_or_else(Span::call_site, |body| body.block.span()));
    block
}

/// ```text
/// pub async fn find(mut id: u32) -> Answer
/// ```
/// becomes
/// ```text
/// pub fn find(id: u32) -> ::herdless::Call<impl ::core::future::Future<Output = Answer>>
/// ```
/// `impl` carries the span of this crate: by edition 2024 it captures every lifetime, in a caller
/// of any edition.
pub(crate) fn head(function: &Function, facade: &Path) -> TokenStream {
    let Function {
        attributes: _,
        visibility,
        defaultness,
        constness: _,
        asyncness: _,
        safety,
        abi: _,
        fn_token,
        name,
        generics,
        receiver,
        parameters,
        variadic: _,
        output,
        boxed,
        body: _,
        item: _,
    } = function;
    let receiver = receiver.iter().map(ToTokens::to_token_stream);
    let typed = parameters.iter().map(|parameter| {
        let (name, ty) = (&parameter.name, &parameter.ty);
        quote!(#name: #ty)
    });
    let inputs = receiver.chain(typed);
    // Ends where the user's signature ends, see `block`.
    let close = quote_spanned!(output.span()=> >);
    let returned = match boxed {
        Some(boxed) => boxed.to_token_stream(),
        None => quote!(#facade::Call<impl ::core::future::Future<Output = #output> #close),
    };
    let where_clause = &generics.where_clause;
    let declared = declared(function);
    quote! {
        #visibility #defaultness #safety #fn_token #name #declared (#(#inputs),*)
        -> #returned #where_clause
    }
}

/// The function's generics. Where it has none, brackets of this crate's: the compiler proposes to
/// declare an unknown type there, unless a macro wrote them, and would do so only for some of the
/// places where it stands. Equal messages are shown once.
fn declared(function: &Function) -> TokenStream {
    match function.generics.params.is_empty() {
        true => quote!(<>),
        false => function.generics.to_token_stream(),
    }
}

/// A name that the user's code cannot see or clash with. Locals have hygiene, but a `const` or
/// `static` of the same name would be taken for a pattern: hence the prefix.
fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}

/// The same name in an expression at the place of the user's token.
fn local_at(name: &Ident, at: Span) -> Ident {
    Ident::new(&name.to_string(), name.span().located_at(at))
}

/// The place of the user's token, for messages, with the hygiene of generated code.
fn at(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// What about the public function would trouble a reader of lints though the user did nothing.
pub(crate) fn allows(function: &Function) -> TokenStream {
    let mut allows = TokenStream::new();
    // The macro cannot see whether a trait impl surrounds the function, where `Call` says more
    // than the trait asked for. A function with `pub` is never in one.
    if matches!(function.visibility, Visibility::Inherited) {
        allows.extend(quote!(#[allow(refining_impl_trait)]));
    }
    // The plain function did not use `_pool`; the key and the call do.
    if function.parameters.iter().any(|one| one.name.to_string().starts_with('_')) {
        allows.extend(quote!(#[allow(clippy::used_underscore_binding)]));
    }
    // The user's `must_use` stays although `Call` has its own.
    if function.attributes.iter().any(|one| one.path().is_ident("must_use")) {
        allows.extend(quote!(#[allow(clippy::double_must_use)]));
    }
    allows
}

/// What is stored, decided by type: `Result<T, E>` under any alias stores `T`.
fn meaning(function: &Function) -> TokenStream {
    let output = &function.output;
    quote!(__herdless::Probe::<#output>::RETURN.meaning())
}

/// How waiters learn of the leader's error. Two `&`: with fewer the lower level would be taken.
fn sharing(model: &Model, stored: &Ident) -> TokenStream {
    let at = at(&model.function.output);
    let stored = local_at(stored, at);
    let answering = model.policy.timeout.is_some().then(|| quote_spanned!(at=> .answering()));
    if model.share_errors {
        quote_spanned! {at=>
            #stored.errors().share_as_load_failed(__CACHED.name()) #answering
        }
    } else {
        quote_spanned!(at=> (&&#stored.errors()).share() #answering)
    }
}

/// Demands of the value's type are reported at the return type. Five `&`, as above.
fn storing(model: &Model, stored: &Ident) -> TokenStream {
    let at = at(&model.function.output);
    let storing = if model.in_process {
        quote_spanned!(at=> in_process)
    } else {
        quote_spanned!(at=> by_serde)
    };
    let told_none = model.policy.none.is_some().then(|| quote_spanned!(at=> .told_none()));
    let ttl_from = model.ttl_from.as_ref().map(|from| {
        let from = known_when_compiled(from);
        quote!(.ttl_from(&__herdless::TtlFrom(#from)))
    });
    quote!((&&&&&#stored).#storing() #told_none #ttl_from)
}

/// What is no function itself but gives one is asked for it by each value.
fn known_when_compiled(from: &Expr) -> TokenStream {
    match from {
        Expr::Path(_) | Expr::Closure(_) => from.to_token_stream(),
        Expr::Group(group) => known_when_compiled(&group.expr),
        _ => {
            let at = at(from);
            let value = local_at(&local("value"), at);
            quote_spanned!(at=> |#value| (#from)(#value))
        }
    }
}

/// Settings that a static could not evaluate, since they use `Self` or type parameters.
fn policy_in_place(model: &Model) -> Option<TokenStream> {
    let evaluated = || policy::evaluated(&model.policy);
    model.policy.in_place.then(evaluated).map(|set| quote!(.policy(|| __CACHED.known() #set)))
}

/// A function that returned a boxed future goes on to do so.
fn boxed(function: &Function, call: TokenStream) -> TokenStream {
    if function.boxed.is_some() { quote!(::std::boxed::Box::pin(#call)) } else { call }
}

fn cache(model: &Model) -> TokenStream {
    match &model.cache {
        None => TokenStream::new(),
        Some(CacheChoice::Named(name)) => quote!(.named_cache(#name)),
        Some(CacheChoice::On(expression)) => {
            let lent = quote_spanned!(at(expression)=> &#expression);
            quote!(.on(#lent))
        }
    }
}

/// Inner attributes of a body that becomes a block stand on the function instead.
fn lifted_attributes(model: &Model) -> Vec<syn::Attribute> {
    let body = model.function.body.as_ref().filter(|_| model.form == Form::InPlace);
    let lifted = body.iter().flat_map(|body| body.inner_attributes.iter().cloned());
    lifted.map(|attribute| syn::Attribute { style: syn::AttrStyle::Outer, ..attribute }).collect()
}
