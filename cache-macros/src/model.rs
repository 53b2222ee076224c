//! One checked value: whatever can be refused has been refused when it exists.

mod key;
mod policy;
mod returns;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, Error, Expr, LitStr, Path, Result, Safety};

use crate::args::{Args, CacheChoice, Given, Refresh, Scope};
use crate::problems::Problems;
use crate::signature::{Function, Parameter};

pub(crate) use key::{Key, KeyPart, Role};
pub(crate) use policy::Policy;

/// A cached function, ready to be written out.
pub(crate) struct Model {
    pub(crate) facade: Path,
    pub(crate) function: Function,
    pub(crate) key: Key,
    pub(crate) policy: Policy,
    pub(crate) form: Form,
    pub(crate) name: Option<LitStr>,
    pub(crate) version: Option<u32>,
    pub(crate) reason: Option<LitStr>,
    pub(crate) cache: Option<CacheChoice>,
    pub(crate) ttl_from: Option<Expr>,
    /// The other attributes have had their turn.
    pub(crate) last: bool,
    pub(crate) in_process: bool,
    pub(crate) share_errors: bool,
    /// Where `detach` was demanded, for a load that cannot be.
    pub(crate) detach_at: Span,
}

/// Where the user's body goes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A nested function that owns its arguments: a load may outlive its caller, and must be able
    /// to where the user demanded it.
    Movable { demanded: bool },
    /// The same, with borrowed arguments copied for such a load, because the user asked.
    Lent,
    /// A nested function that borrows or is generic: polled by its caller only.
    Nested,
    /// An `async` block in the wrapper, where `self`, `Self` and the parameters of an `impl` mean
    /// what they meant.
    InPlace,
}

impl Model {
    /// Checks every rule about single arguments and their combinations.
    pub(crate) fn check(
        mut args: Args,
        function: Function,
    ) -> std::result::Result<Self, Box<Refused>> {
        match Agreed::check(&mut args, &function) {
            Ok(agreed) => Ok(Self::new(args, function, agreed)),
            Err(error) => Err(Box::new(Refused { error, facade: facade(&args), function })),
        }
    }

    fn new(args: Args, function: Function, agreed: Agreed) -> Self {
        let Agreed { key, policy, form } = agreed;
        Self {
            function,
            key,
            policy,
            form,
            name: args.name.as_ref().map(|given| given.value.clone()),
            version: args.version.as_ref().map(|given| given.value),
            reason: args.reason.as_ref().map(|given| given.value.clone()),
            in_process: matches!(args.scope, Some(Given { value: Scope::Process, .. })),
            share_errors: args.share_errors.as_ref().is_some_and(|given| given.value),
            detach_at: args.detach.as_ref().map_or_else(Span::call_site, |given| given.name),
            facade: facade(&args),
            last: args.last,
            ttl_from: args.ttl_from.map(|given| given.value),
            cache: args.cache.map(|given| given.value),
        }
    }
}

/// What the checks made of the arguments.
struct Agreed {
    key: Key,
    policy: Policy,
    form: Form,
}

impl Agreed {
    /// Judges only what was understood, so that one mistake gives one message.
    fn check(args: &mut Args, function: &Function) -> Result<Self> {
        if let Some(error) = args.mistakes.take() {
            return Err(error);
        }
        let mut problems = Problems::default();
        let form = problems.keep(choose_form(function, args));
        check_attributes(function, &mut problems);
        returns::check(function, &mut problems);
        let key = key::check(args, function, &mut problems);
        let policy = policy::check(args, function, form == Some(Form::InPlace), &mut problems);
        let agreed = form.zip(policy).map(|(form, policy)| Self { key, policy, form });
        problems.finish(())?;
        agreed.ok_or_else(|| Error::new(Span::call_site(), "`#[cached]` cannot be used here"))
    }
}

/// A function that could be called as a cached one, were it not for what was refused.
pub(crate) struct Refused {
    pub(crate) error: Error,
    pub(crate) facade: Path,
    pub(crate) function: Function,
}

/// The facade's path: `::herdless` unless `crate = path` says otherwise.
fn facade(args: &Args) -> Path {
    let given = args.facade.as_ref().map(|given| given.value.clone());
    given.unwrap_or_else(|| syn::parse_quote!(::herdless))
}

/// Whether this function can be cached at all, under any arguments.
pub(crate) fn check_function(function: &Function) -> Result<()> {
    let mut problems = Problems::default();
    let name = function.name.unraw();
    if function.body.is_none() {
        let message = "there is no body to cache: put `#[cached]` on the function in the `impl`";
        problems.at(function.name.span(), message);
    }
    if let Some(token) = &function.constness {
        problems.at(token.span, "a `const fn` cannot be cached: write `async fn`");
    } else if let Some(abi) = &function.abi {
        let message = "an `extern` function cannot be cached: cache an `async fn` that it calls";
        problems.at(abi.extern_token.span, message);
    } else if function.asyncness.is_none() && function.boxed.is_none() {
        let message = format!("`{name}` is not async: write `async fn {name}`");
        problems.at(function.fn_token.span, message);
    }
    if let Some(variadic) = &function.variadic {
        problems.add(Error::new_spanned(variadic, "a variadic function cannot be cached"));
    }
    if matches!(function.safety, Safety::Safe(_)) {
        problems.at(function.name.span(), "a `safe fn` declaration cannot be cached");
    }
    check_names(function, &mut problems);
    problems.finish(())
}

/// The compiler tells two parameters of one name apart that come from different macros. A macro
/// cannot: `skip(x)` and `{x}` would mean either.
fn check_names(function: &Function, problems: &mut Problems) {
    let named = || function.parameters.iter().filter(|one| one.is_named);
    for (position, parameter) in named().enumerate() {
        let name = parameter.name.unraw();
        if named().take(position).any(|before| before.name.unraw() == name) {
            let message = format!(
                "`{name}` names two parameters, which `#[cached]` cannot tell apart: rename one, in \
                 a `macro_rules!` the one written there"
            );
            problems.at(parameter.name.span(), message);
        }
    }
}

fn choose_form(function: &Function, args: &Args) -> Result<Form> {
    let in_place = stays_in_place(function);
    let owned = function.parameters.iter().all(Parameter::is_owned);
    let Some(given) = args.detach.as_ref().filter(|given| given.value) else {
        let inline = args.refresh.as_ref().is_some_and(|given| given.value == Refresh::Inline);
        let never_leaves = args.detach.is_some() && inline;
        return Ok(match in_place {
            Some(_) => Form::InPlace,
            None if never_leaves || function.may_use_impl_generics() => Form::InPlace,
            None if owned && !function.is_generic() => Form::Movable { demanded: false },
            None => Form::Nested,
        });
    };
    let refuse = |why: &str| Err(Error::new(given.name, format!("`detach = true` {why}")));
    if let Some(what) = in_place {
        return refuse(&format!("cannot be kept: {what} ties the body to its caller"));
    }
    if function.is_generic() {
        return refuse("cannot be kept: a load that outlives its caller needs one concrete type");
    }
    match function.parameters.iter().find(|one| !one.is_owned() && one.lent().is_none()) {
        None if owned => Ok(Form::Movable { demanded: true }),
        None => Ok(Form::Lent),
        Some(parameter) => Err(Error::new_spanned(
            &parameter.ty,
            "`detach = true` copies borrowed arguments, and this one cannot be copied: take an \
             owned value, `&str`, `&[T]` or `&T`",
        )),
    }
}

/// What keeps the body inside the wrapper, for a message.
fn stays_in_place(function: &Function) -> Option<&'static str> {
    if function.boxed.is_some() {
        Some("its boxed future")
    } else if function.receiver.is_some() {
        Some("`self`")
    } else {
        function.mentions_self_type().then_some("`Self`")
    }
}

fn check_attributes(function: &Function, problems: &mut Problems) {
    for attribute in &function.attributes {
        if attribute.path().segments.last().is_some_and(|last| last.ident == "cached") {
            problems.add(Error::new_spanned(attribute, "`#[cached]` is given twice: for a cache in front of another one, call one cached function from another"));
        }
    }
    for parameter in &function.parameters {
        for attribute in parameter.attributes.iter().filter(|one| is_conditional(one)) {
            let message = "a parameter under `cfg` cannot be cached: put `cfg` on two functions";
            problems.add(Error::new_spanned(attribute, message));
        }
    }
}

/// Whether what it stands on may not be there: `cfg`, or a `cfg_attr` that may bring one.
fn is_conditional(attribute: &Attribute) -> bool {
    let brings = |attribute: &Attribute| {
        under_cfg(attribute).is_ok_and(|all| all.iter().any(is_conditional))
    };
    let path = attribute.path();
    path.is_ident("cfg") || path.is_ident("cfg_attr") && brings(attribute)
}

/// Whether an attribute speaks of the function as others see it. All others may rewrite it and have
/// their turn first.
pub(crate) fn stays_outside(attribute: &Attribute) -> bool {
    const OUTSIDE: [&str; 14] = [
        "doc",
        "cfg",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "must_use",
        "deprecated",
        "inline",
        "cold",
        "track_caller",
        "clippy",
        "rustfmt",
    ];
    let path = attribute.path();
    if path.is_ident("cfg_attr") {
        return under_cfg(attribute).map_or(true, |all| all.iter().all(stays_outside));
    }
    path.segments.first().is_some_and(|first| OUTSIDE.iter().any(|known| first.ident == known))
}

/// What a `cfg_attr` would leave.
fn under_cfg(attribute: &Attribute) -> Result<Vec<Attribute>> {
    use syn::{Meta, Token, punctuated::Punctuated};
    let metas = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    Ok(metas.into_iter().skip(1).map(|meta| syn::parse_quote!(#[#meta])).collect())
}
