//! Nothing that a user may call by a name of ours, or of the prelude, gets in the way.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros, unused_imports)]

use ::herdless::cached;

pub struct Result;
pub struct Option;
pub struct Box;
pub struct String;
pub struct Vec;
pub struct Duration;
pub struct Call;
pub struct Key;
pub struct Future;
pub struct Some;
pub struct None;
pub struct Ok;
pub struct Err;
pub trait Clone {}
pub trait Send {}
pub trait Sync {}
pub trait Into {}
pub trait FnOnce {}
pub trait ToOwned {}
pub struct u64;
pub struct usize;
pub struct str;
pub struct bool;

pub mod std {}
pub mod core {}
pub mod herdless {}
pub mod serde {}

macro_rules! vec {
    ($($any:tt)*) => { compile_error!("the user's own") };
}
macro_rules! submit {
    ($($any:tt)*) => { compile_error!("the user's own") };
}
macro_rules! file {
    () => { compile_error!("the user's own") };
}
macro_rules! line {
    () => { compile_error!("the user's own") };
}

pub const key: i8 = 1;
pub const stored: i8 = 2;
pub const errors: i8 = 3;
pub const value: i8 = 4;
pub static load: i8 = 5;
pub fn loader() {}
pub fn detach() {}
pub fn here() {}

#[cached(ttl = 300)]
async fn movable(id: u32) -> u32 {
    id
}

#[cached(ttl = 300, detach = true)]
async fn lent(name: &::core::primitive::str) -> u32 {
    name.len() as u32
}

#[cached(ttl = 300)]
async fn generic<T: ::serde::Serialize>(id: T) -> u32 {
    let _ = id;
    7
}

#[cached(ttl = "1500ms", strategy = "swr", grace = 5, reason = "a test", none = "skip")]
async fn answering(id: u32) -> ::core::option::Option<u32> {
    ::core::option::Option::Some(id)
}

#[cached(ttl = 300, name = "results")]
async fn results(id: u32) -> ::core::result::Result<u32, i8> {
    ::core::result::Result::Ok(id)
}

pub struct Bank;

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

/// Where the arguments have the names that the wrapper uses.
mod arguments {
    use ::herdless::cached;

    #[cached(ttl = 300)]
    pub async fn movable(key: u32, stored: u32, errors: u32, value: u32, cache: u32) -> u32 {
        key + stored + errors + value + cache
    }

    #[cached(ttl = 300)]
    pub async fn nested(key: &str, load: &str, here: &str, name: &str) -> usize {
        key.len() + load.len() + here.len() + name.len()
    }

    #[cached(ttl = 300, detach = true)]
    pub async fn lent(key: &str, load: &str, loader: u32) -> usize {
        key.len() + load.len() + loader as usize
    }

    pub struct Bank;

    impl Bank {
        #[cached(ttl = 300, skip(self))]
        pub async fn quote(&self, key: u32, stored: u32, errors: u32) -> u32 {
            key + stored + errors
        }
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        assert_eq!(movable(1).await, 1);
        assert_eq!(lent("a").await, 1);
        assert_eq!(generic(1).await, 7);
        assert_eq!(answering(1).await, ::core::option::Option::Some(1));
        assert_eq!(results(1).await, ::core::result::Result::Ok(1));
        assert_eq!(Bank.quote(1).await, 1);
        assert_eq!(arguments::movable(1, 2, 3, 4, 5).await, 15);
        assert_eq!(arguments::nested("a", "b", "c", "d").await, 4);
        assert_eq!(arguments::lent("a", "b", 3).await, 5);
        assert_eq!(arguments::Bank.quote(1, 2, 3).await, 6);
    });
}
