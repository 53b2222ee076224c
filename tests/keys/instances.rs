//! Instances of one function: of a trait's own method, of a generic one, for constants and for types
//! that only look alike. Each answers with what it is for, so a shared key is a wrong answer.

use std::any::type_name;
use std::collections::HashMap;
use std::marker::PhantomData;

use herdless::{Cache, Key, cached, with_cache};

trait Repository {
    #[cached(ttl = 60, name = "repo::describe")]
    async fn describe(id: u32) -> String
    where
        Self: Sized,
    {
        format!("{} {id}", type_name::<Self>())
    }

    #[cached(ttl = 60, name = "repo::with", skip(self))]
    async fn with<T>(&self, id: u32) -> String
    where
        Self: Sync,
    {
        format!("{} {} {id}", type_name::<Self>(), type_name::<T>())
    }
}

struct Users;
struct Orders;
struct Of<T>(PhantomData<T>);
struct Letter<const C: char>;

impl Repository for Users {}
impl Repository for Orders {}
impl<T> Repository for Of<T> {}
impl<const C: char> Repository for Letter<C> {}
impl<T> Repository for [T; 2] {}

trait Named {
    async fn kind(id: u32) -> String;
}

macro_rules! kinds {
    ($($name:literal [$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Named for $ty {
            #[cached(ttl = 60, name = $name)]
            async fn kind(id: u32) -> String {
                format!("{} {id}", type_name::<Self>())
            }
        }
    )*};
}

kinds! {
    "array" [T, const N: usize] [T; N];
    "tuple" [T] (T, T);
    "function" [T, U] fn(T) -> U;
    "reference" [T: ?Sized] &T;
    "pointer" [T] *const T;
    "list" [T] Vec<T>;
}

trait Blanket {
    async fn blanket(id: u32) -> String;
}

impl<T: ?Sized> Blanket for T {
    #[cached(ttl = 60, name = "blanket")]
    async fn blanket(id: u32) -> String {
        format!("{} {id}", type_name::<T>())
    }
}

#[cached(ttl = 60)]
async fn of_constants<const C: char, const B: bool, const I: i128, const U: usize>() -> String {
    format!("{C:?} {B} {I} {U}")
}

#[cached(ttl = 60, name = "letter")]
async fn letter<const C: char>() -> char {
    C
}

/// What types of one printed name have of their own.
trait Lettered {
    const WHICH: char;
}

#[cached(ttl = 60)]
async fn lettered<T: Lettered>() -> char {
    T::WHICH
}

#[cached(ttl = 60)]
async fn of_type<T: ?Sized>() -> String {
    type_name::<T>().to_owned()
}

type OneLife = for<'a> fn(&'a u8, &'a u8);
type TwoLives = for<'a, 'b> fn(&'a u8, &'b u8);
type AnyLife = Box<dyn for<'a> Fn(&'a u8)>;
type OneForAll = Box<dyn Fn(&'static u8)>;

/// Every key is another one, whether or not the calls are ever made.
fn all_differ(calls: &[(&str, Key)]) {
    let mut seen = HashMap::new();
    for (call, key) in calls {
        assert!(key.is_sound(), "{call}: {key}");
        if let Some(other) = seen.insert(key.as_str(), *call) {
            panic!("{other} and {call} share {key}");
        }
    }
}

macro_rules! keys {
    ($($call:expr),* $(,)?) => { [$((stringify!($call), $call.key().clone())),*] };
}

#[test]
fn a_name_is_followed_by_self_and_type_arguments() {
    let calls = keys![
        Users::describe(1),
        Orders::describe(1),
        Of::<u8>::describe(1),
        Of::<Users>::describe(1),
        Letter::<'a'>::describe(1),
        Letter::<'>'>::describe(1),
        <[u8; 2]>::describe(1),
        <[Users; 2]>::describe(1),
        Users.with::<u8>(1),
        Users.with::<u16>(1),
        Orders.with::<u8>(1),
        Of::<u8>(PhantomData).with::<u16>(1),
        Of::<u16>(PhantomData).with::<u8>(1),
        <[u8; 2] as Named>::kind(1),
        <[u16; 2] as Named>::kind(1),
        <[u8; 3] as Named>::kind(1),
        <(u8, u8) as Named>::kind(1),
        <(Users, Users) as Named>::kind(1),
        <fn(u8) -> u16 as Named>::kind(1),
        <fn(u16) -> u8 as Named>::kind(1),
        <&u8 as Named>::kind(1),
        <&str as Named>::kind(1),
        <*const u8 as Named>::kind(1),
        <*const Users as Named>::kind(1),
        Vec::<u8>::kind(1),
        Vec::<Users>::kind(1),
        u8::blanket(1),
        Vec::<u8>::blanket(1),
        Of::<u8>::blanket(1),
        <[u8]>::blanket(1),
        <dyn Send>::blanket(1),
    ];
    all_differ(&calls);
    assert_eq!(Users::describe(1).key().as_str(), "repo::describe<keys::instances::Users>:v1(1)");
    let both = Users.with::<u8>(1);
    assert_eq!(both.key().as_str(), "repo::with<keys::instances::Users><u8>:v1(1)");
    assert_eq!(<[u8; 2] as Named>::kind(1).key().as_str(), "array<[u8; 2]>:v1(1)");
    assert_eq!(Vec::<u8>::kind(1).key().as_str(), "list<u8>:v1(1)");
}

#[test]
fn constants_of_every_type_stand_in_a_key() {
    all_differ(&keys![
        letter::<'a'>(),
        letter::<'b'>(),
        letter::<'\''>(),
        letter::<'"'>(),
        letter::<'\\'>(),
        letter::<'\n'>(),
        letter::<'<'>(),
        letter::<'>'>(),
        letter::<'('>(),
        letter::<','>(),
        letter::<' '>(),
        letter::<'{'>(),
        letter::<'%'>(),
        letter::<':'>(),
        letter::<'é'>(),
        letter::<'\u{301}'>(),
        letter::<'\u{200b}'>(),
        of_constants::<'a', true, 0, 0>(),
        of_constants::<'b', true, 0, 0>(),
        of_constants::<'>', true, 0, 0>(),
        of_constants::<'\'', true, 0, 0>(),
        of_constants::<'a', false, 0, 0>(),
        of_constants::<'a', true, 1, 0>(),
        of_constants::<'a', true, -1, 0>(),
        of_constants::<'a', true, { i128::MIN }, 0>(),
        of_constants::<'a', true, { i128::MAX }, 0>(),
        of_constants::<'a', true, 0, 1>(),
        of_constants::<'a', true, 0, { usize::MAX }>(),
    ]);
    assert_eq!(letter::<'a'>().key().as_str(), "letter<'a'>:v1()");
}

#[test]
fn types_that_print_alike_by_their_lifetimes_have_keys_of_their_own() {
    all_differ(&keys![
        of_type::<Of<fn(&u8)>>(),
        of_type::<Of<fn(&'static u8)>>(),
        of_type::<OneLife>(),
        of_type::<TwoLives>(),
        of_type::<AnyLife>(),
        of_type::<OneForAll>(),
    ]);
    // No other type is printed like this one, so it has one key in all builds of a program.
    let call = of_type::<(&str, Box<dyn Fn(u8) -> u8>, fn(u8) -> u8)>();
    let text = call.key().as_str();
    assert!(text.ends_with("Fn(u8) -> u8>, fn(u8) -> u8)>:v1()"), "{text}");
}

macro_rules! local {
    ($which:literal) => {{
        struct Row;
        impl Lettered for Row {
            const WHICH: char = $which;
        }
        lettered::<Row>()
    }};
}

#[tokio::test]
async fn types_of_one_name_within_an_async_function_keep_their_values() {
    let (cache, first, second) = (Cache::builder().build(), local!('a'), local!('b'));
    assert_ne!(first.key(), second.key());
    assert_eq!(with_cache(cache.clone(), first).await, 'a');
    assert_eq!(with_cache(cache.clone(), second).await, 'b');
    assert_eq!(cache.kept(), 2);
}
