//! Where the user's body goes, and how the wrapper hands it over.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Lifetime, Path, Safety, Type};

use super::{at, declared, local};
use crate::model::{Form, Model};
use crate::signature::{Function, Parameter};

/// The nested functions, for every form but in place.
pub(super) fn nested(model: &Model) -> TokenStream {
    let function = &model.function;
    match model.form {
        Form::InPlace => TokenStream::new(),
        Form::Nested => uncached(function),
        Form::Movable { demanded } => {
            [uncached(function), detached(model, demanded)].into_iter().collect()
        }
        Form::Lent => [uncached(function), detached_copies(model)].into_iter().collect(),
    }
}

/// How the call gets its loader.
pub(super) fn hand_over(model: &Model) -> TokenStream {
    let function = &model.function;
    match model.form {
        Form::InPlace => {
            let block = in_place(function, &model.facade);
            quote!(.in_place(move || #block))
        }
        Form::Nested => {
            let call = call(function);
            quote!(.in_place(move || #call))
        }
        Form::Movable { .. } | Form::Lent => {
            let call = call(function);
            let names = tuple(&function.parameters, |one| &one.name);
            quote!(.movable(#names, |#names| #call, __detached))
        }
    }
}

/// ```text
/// pub async fn find(mut id: u32) -> Answer { .. }
/// ```
/// becomes
/// ```text
/// async fn __uncached(mut id: u32) -> Answer { .. }
/// ```
/// A real `async fn`, so that the compiler speaks of the user's body as if nothing had happened.
fn uncached(function: &Function) -> TokenStream {
    let Function { asyncness, safety, fn_token, parameters, output, body, .. } = function;
    let block = body.as_ref().map(|body| &body.block);
    let generics = declared(function);
    let where_clause = &function.generics.where_clause;
    let inputs = parameters.iter().map(|parameter| {
        let Parameter { attributes, name: _, is_named: _, pattern, ty } = parameter;
        quote!(#(#attributes)* #pattern: #ty)
    });
    let returns = (!is_unit(output)).then(|| quote!(-> #output));
    quote! {
        #asyncness #safety #fn_token __uncached #generics (#(#inputs),*) #returns #where_clause
        #block
    }
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// ```text
/// __uncached::<T, N>(a, b)
/// ```
fn call(function: &Function) -> TokenStream {
    let names = function.parameters.iter().map(|parameter| &parameter.name);
    call_with(function, names)
}

fn call_with(function: &Function, values: impl Iterator<Item: ToTokens>) -> TokenStream {
    let arguments = function.type_and_const_names();
    let turbofish = function.is_generic().then(|| quote!(::<#(#arguments),*>));
    let call = quote!(__uncached #turbofish (#(#values),*));
    match function.safety {
        Safety::Unsafe(_) => quote!(unsafe { #call }),
        _ => call,
    }
}

/// ```text
/// fn __detached(__args: Option<(u32,)>) -> __herdless::Detached<Answer, (u32,)> {
///     __herdless::loader(|(id,): (u32,)| __uncached(id)).detach(__args)
/// }
/// ```
/// With `detach = true` it calls `CanDetach` by name, so that a load that is not `Send` is an error.
/// A function of its own, so that asking whether the load is `Send` closes no circle of types. Without
/// arguments it only tells.
fn detached(model: &Model, demanded: bool) -> TokenStream {
    let function = &model.function;
    let output = &function.output;
    let types = tuple(&function.parameters, |parameter| &parameter.ty);
    let names = tuple(&function.parameters, |one| &one.name);
    let (call, args) = (call(function), local("args"));
    // At the argument that may demand it.
    let at = Span::call_site().located_at(model.detach_at);
    let load = quote_spanned!(at=> __herdless::loader(|#names: #types| #call));
    let detach = match demanded {
        true => quote_spanned!(at=> __herdless::CanDetach::detach(#load, #args)),
        false => quote!(#load.detach(#args)),
    };
    quote! {
        fn __detached(
            #args: ::core::option::Option<#types>
        ) -> __herdless::Detached<#output, #types> {
            #detach
        }
    }
}

/// ```text
/// fn __detached<'lent0>(
///     __args: Option<(&'lent0 str, u32)>,
/// ) -> __herdless::Detached<Answer, (&'lent0 str, u32)> {
///     let __copy = |(name, id): (&'lent0 str, u32)| (__herdless::LentArgument(name).copied(), id);
///     let __load = __herdless::copied_by(&__copy).loader(|(name, id)| async move {
///         __uncached(::core::borrow::Borrow::<str>::borrow(&name), id).await
///     });
///     __load.lent(__args, __copy)
/// }
/// ```
/// Only the detached load pays for the copies.
fn detached_copies(model: &Model) -> TokenStream {
    let function = &model.function;
    let at = Span::call_site().located_at(model.detach_at);
    let output = &function.output;
    let [load, args, copy] = ["load", "args", "copy"].map(local);
    let lent: Vec<_> = function.parameters.iter().enumerate().map(Lent::new).collect();
    let lifetimes = lent.iter().filter_map(|one| one.lifetime.as_ref());
    let borrowed = tuple(&lent, Lent::borrowed);
    let copied = tuple(&lent, Lent::copied);
    let names = tuple(&lent, |one| one.name);
    let call = call_with(function, lent.iter().map(Lent::lent_again));
    let lend = quote_spanned!(at=> lent);
    quote! {
        fn __detached<#(#lifetimes),*>(
            #args: ::core::option::Option<#borrowed>
        ) -> __herdless::Detached<#output, #borrowed> {
            let #copy = |#names: #borrowed| #copied;
            let #load = __herdless::copied_by(&#copy).loader(|#names| async move { #call.await });
            #load.#lend(#args, #copy)
        }
    }
}

/// A parameter on its way into a load that outlives the caller.
struct Lent<'p> {
    name: &'p Ident,
    /// As written.
    ty: &'p Type,
    /// The `T` of `&T`.
    target: Option<&'p Type>,
    /// One for each borrow: shared ones would make the wrapper's hidden type ambiguous.
    lifetime: Option<Lifetime>,
}

impl<'p> Lent<'p> {
    fn new((position, parameter): (usize, &'p Parameter)) -> Self {
        let target = parameter.lent();
        let lifetime = || Lifetime::new(&format!("'lent{position}"), Span::mixed_site());
        let lifetime = target.map(|_| lifetime());
        Self { name: &parameter.name, ty: &parameter.ty, target, lifetime }
    }

    fn borrowed(&self) -> TokenStream {
        let Self { ty, lifetime, target, .. } = self;
        target.map_or_else(|| quote!(#ty), |target| quote!(&#lifetime #target))
    }

    /// At the type, which may not allow it.
    fn copied(&self) -> TokenStream {
        let name = self.name;
        let copy =
            |target: &Type| quote_spanned!(at(target)=> __herdless::LentArgument(#name).copied());
        self.target.map_or_else(|| quote!(#name), copy)
    }

    fn lent_again(&self) -> TokenStream {
        let name = self.name;
        let lend = |target| quote!(::core::borrow::Borrow::<#target>::borrow(&#name));
        self.target.map_or_else(|| quote!(#name), lend)
    }
}

/// ```text
/// async fn price(&self, mut qty: u32) -> u64 { .. }
/// ```
/// becomes
/// ```text
/// async move {
///     if false {
///         return ::herdless::__private::returns::<u64>();
///     }
///     let (mut qty,) = (qty,);
///     ..
/// }
/// ```
/// The first statement tells the compiler the return type, unless that is `_`, so that type errors
/// point at the user's line; the second makes the arguments the body's own: `mut`, patterns and unused names. A
/// body that returns a boxed future is a plain block.
pub(crate) fn in_place(function: &Function, facade: &Path) -> TokenStream {
    let Function { output, parameters, body, .. } = function;
    let (plain, attributed): (Vec<_>, Vec<_>) =
        parameters.iter().partition(|parameter| parameter.attributes.is_empty());
    let moved = (!plain.is_empty()).then(|| {
        let patterns = plain.iter().map(|parameter| &parameter.pattern);
        let names = plain.iter().map(|parameter| &parameter.name);
        quote!(let (#(#patterns,)*) = (#(#names,)*);)
    });
    let moved_apart = attributed.iter().map(|parameter| {
        let Parameter { attributes, name, is_named: _, pattern, ty: _ } = parameter;
        quote!(#(#attributes)* let #pattern = #name;)
    });
    let statements = body.as_ref().map(|body| &body.statements);
    if function.boxed.is_some() {
        return quote!({ #moved #(#moved_apart)* #statements });
    }
    let told = (!matches!(output, Type::Infer(_))).then(|| {
        quote! {
            if false {
                return #facade::__private::returns::<#output>();
            }
        }
    });
    quote! {
        async move {
            #told
            #moved
            #(#moved_apart)*
            #statements
        }
    }
}

/// `(a, b)`, with the comma that a tuple of one needs.
fn tuple<'p, P, T: ToTokens>(parameters: &'p [P], part: impl Fn(&'p P) -> T) -> TokenStream {
    let parts = parameters.iter().map(part);
    quote!((#(#parts,)*))
}
