//! The user's function, taken fully apart: every piece is kept and finds its place again.

mod boxed;
mod nameless;
mod names;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{
    Abi, Attribute, FnArg, GenericParam, Generics, Ident, Lifetime, ParenthesizedGenericArguments,
    Pat, PatType, Receiver, Result, ReturnType, Safety, Signature, Token, Type, TypeFnPtr,
    TypeImplTrait, TypeMacro, TypeReference, Variadic, Visibility,
};

/// An item that is a function. Syntax only; what may be cached is decided in `model`.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) constness: Option<Token![const]>,
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) safety: Safety,
    pub(crate) abi: Option<Abi>,
    pub(crate) fn_token: Token![fn],
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: Option<Variadic>,
    /// What awaiting it gives; `()` at the name where none is written.
    pub(crate) output: Type,
    /// The return type of a function that is not `async` and returns a boxed future.
    pub(crate) boxed: Option<Type>,
    pub(crate) body: Option<Body>,
    /// All of it but the attributes, as written.
    pub(crate) item: TokenStream,
}

/// One typed parameter.
pub(crate) struct Parameter {
    pub(crate) attributes: Vec<Attribute>,
    /// What the public function calls it: the user's name, or an invented one for a pattern.
    pub(crate) name: Ident,
    /// Whether the user gave it a plain name.
    pub(crate) is_named: bool,
    /// As written, with `mut`.
    pub(crate) pattern: Pat,
    pub(crate) ty: Type,
}

/// The body stays raw tokens, so half-typed code still expands and keeps its spans.
pub(crate) struct Body {
    /// With braces and inner attributes.
    pub(crate) block: Group,
    pub(crate) inner_attributes: Vec<Attribute>,
    pub(crate) statements: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let front = input.parse()?;
        if !starts_a_function(input) {
            return Err(input.error("`#[cached]` goes on an `async fn`"));
        }
        let signature = input.parse()?;
        Ok(Self::new(front, signature, parse_body(input)?))
    }
}

/// What stands before the signature.
struct Front {
    attributes: Vec<Attribute>,
    /// All that follows the attributes.
    item: TokenStream,
    visibility: Visibility,
    defaultness: Option<Token![default]>,
}

impl Parse for Front {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            item: input.fork().parse()?,
            visibility: input.parse()?,
            defaultness: input.parse()?,
        })
    }
}

fn starts_a_function(input: ParseStream<'_>) -> bool {
    input.peek(Token![fn])
        || input.peek(Token![async])
        || input.peek(Token![unsafe])
        || input.peek(Token![extern])
        || (input.peek(Token![const]) && !(input.peek2(Ident) || input.peek2(Token![_])))
}

fn split_inputs(inputs: Punctuated<FnArg, Token![,]>) -> (Option<Receiver>, Vec<Parameter>) {
    let (mut receiver, mut parameters) = (None, Vec::new());
    for (position, input) in inputs.into_iter().enumerate() {
        match input {
            FnArg::Receiver(found) => receiver = Some(found),
            FnArg::Typed(typed) => parameters.push(Parameter::new(position, typed)),
        }
    }
    (receiver, parameters)
}

fn written(output: ReturnType, name: &Ident) -> Type {
    match output {
        ReturnType::Default => syn::parse_quote_spanned!(name.span()=> ()),
        ReturnType::Type(_, ty) => *ty,
    }
}

fn parse_body(input: ParseStream<'_>) -> Result<Option<Body>> {
    if input.parse::<Option<Token![;]>>()?.is_some() {
        return Ok(None);
    }
    let TokenTree::Group(group) = input.parse()? else {
        return Err(input.error("expected a function body"));
    };
    let block = ungrouped(group);
    if block.delimiter() != Delimiter::Brace {
        return Err(syn::Error::new(block.span(), "expected a function body"));
    }
    let split = |inside: ParseStream<'_>| {
        Ok((Attribute::parse_inner(inside)?, inside.parse::<TokenStream>()?))
    };
    let (inner_attributes, statements) = split.parse2(block.stream())?;
    Ok(Some(Body { block, inner_attributes, statements }))
}

/// The braces in the invisible group that `$body:block` of a `macro_rules` leaves.
fn ungrouped(group: Group) -> Group {
    let mut inside = group.stream().into_iter();
    match (group.delimiter(), inside.next(), inside.next()) {
        (Delimiter::None, Some(TokenTree::Group(only)), None) => ungrouped(only),
        _ => group,
    }
}

/// The type in the invisible group that `$ty:ty` leaves.
fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        other => other,
    }
}

impl Parameter {
    fn new(position: usize, typed: PatType) -> Self {
        let PatType { attrs, pat, colon_token: _, ty } = typed;
        let named = match &*pat {
            Pat::Ident(found) if found.by_ref.is_none() && found.subpat.is_none() => {
                Some(found.ident.clone())
            }
            _ => None,
        };
        // Where the pattern is, since that is what a message about the argument points at.
        let span = || Span::mixed_site().located_at(pat.span());
        let invented = || Ident::new(&format!("__argument_{position}"), span());
        Self {
            attributes: attrs,
            is_named: named.is_some(),
            name: named.unwrap_or_else(invented),
            pattern: *pat,
            ty: *ty,
        }
    }

    /// Whether the type shows that the value borrows nothing and is one type: it may be moved
    /// into a load that outlives the caller.
    pub(crate) fn is_owned(&self) -> bool {
        let mut seen = Borrows::default();
        seen.visit_type(&self.ty);
        !seen.found
    }

    /// Whether the body may write through it.
    pub(crate) fn is_written(&self) -> bool {
        let mut seen = Writes::default();
        seen.visit_type(&self.ty);
        seen.found
    }

    /// The `T` of a parameter of type `&T`, where an owned `T` can be lent again.
    pub(crate) fn lent(&self) -> Option<&Type> {
        let Type::Reference(reference) = plain(&self.ty) else { return None };
        let mut seen = Borrows::default();
        seen.visit_type(&reference.elem);
        let lent = reference.mutability.is_none() && !seen.found && !self.is_owned();
        lent.then_some(&*reference.elem)
    }
}

impl Function {
    fn new(front: Front, signature: Signature, body: Option<Body>) -> Self {
        let Front { attributes, item, visibility, defaultness } = front;
        let Signature { constness, asyncness, safety, abi, fn_token, .. } = signature;
        let (receiver, parameters) = split_inputs(signature.inputs);
        let returned = written(signature.output, &signature.ident);
        let inside_box = boxed::output(&returned).filter(|_| asyncness.is_none()).cloned();
        Self {
            attributes,
            visibility,
            defaultness,
            constness,
            asyncness,
            safety,
            abi,
            fn_token,
            boxed: inside_box.is_some().then(|| returned.clone()),
            output: inside_box.unwrap_or(returned),
            name: signature.ident,
            generics: signature.generics,
            receiver,
            parameters,
            variadic: signature.variadic,
            body,
            item,
        }
    }

    /// Whether a parameter of this name is in scope in the body, or `self`.
    pub(crate) fn takes(&self, name: &Ident) -> bool {
        let receiver = self.receiver.is_some() && name == "self";
        receiver || self.parameters.iter().any(|one| one.name == *name)
    }

    /// Whether any type or const parameter is declared; lifetimes do not count.
    pub(crate) fn is_generic(&self) -> bool {
        self.type_and_const_names().next().is_some()
    }

    /// What a call may have to name.
    pub(crate) fn type_and_const_names(&self) -> impl Iterator<Item = &Ident> {
        self.generics.params.iter().filter_map(|param| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
        })
    }
}

#[derive(Default)]
struct Borrows {
    found: bool,
}

impl<'ast> Visit<'ast> for Borrows {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.found |= reference.lifetime.is_none();
        visit::visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.found |= lifetime.ident != "static";
    }

    fn visit_type_impl_trait(&mut self, _: &'ast TypeImplTrait) {
        self.found = true;
    }

    /// Nobody knows what it stands for.
    fn visit_type_macro(&mut self, _: &'ast TypeMacro) {
        self.found = true;
    }
}

/// A body may write through it. What a function takes as an argument is that function's business.
#[derive(Default)]
struct Writes {
    found: bool,
}

impl<'ast> Visit<'ast> for Writes {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.found |= reference.mutability.is_some();
        visit::visit_type_reference(self, reference);
    }

    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {}
}
