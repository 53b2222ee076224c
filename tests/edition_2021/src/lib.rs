//! A crate of edition 2021 that knows herdless by another name.
#![cfg(test)]
#![deny(warnings)]

use std::fmt::Display;
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use serde::Serialize;
use stampede::cached;

static LOADS: [AtomicU32; 18] = [const { AtomicU32::new(0) }; 18];

fn load(number: usize) {
    LOADS[number].fetch_add(1, Ordering::SeqCst);
}

fn send<F: Future + Send>(future: F) -> F {
    future
}

/// Two equal calls and another one cost two loads.
macro_rules! check {
    ($number:expr, $same:expr => $answer:expr, $other:expr => $different:expr) => {
        assert_eq!($same.await, $answer);
        assert_eq!($same.await, $answer);
        assert_eq!($other.await, $different);
        assert_eq!(LOADS[$number].load(Ordering::SeqCst), 2, "loads of {}", stringify!($same));
    };
}

#[cached(crate = stampede, ttl = 300)]
async fn owned(a: u32, b: u64) -> u64 {
    load(0);
    u64::from(a) + b
}

#[cached(crate = ::stampede, ttl = 300)]
async fn borrowed<'a>(text: &'a str, list: &[&'a str], note: Option<&str>) -> usize {
    load(1);
    text.len() + list.len() + note.map_or(0, str::len)
}

#[cached(crate = stampede, ttl = 300)]
async fn generic<T, const N: usize>(items: &[T; N]) -> String
where
    T: Display + Serialize,
    [T; N]: Serialize,
{
    load(2);
    items.iter().map(ToString::to_string).collect()
}

#[cached(crate = stampede, ttl = 300)]
async fn opaque(a: impl Display + Serialize, b: &(impl Display + Serialize)) -> String {
    load(3);
    format!("{a}{b}")
}

#[cached(crate = stampede, ttl = 300)]
async fn patterns((a, b): (u64, u64), mut total: u64, _: u8, _unused: u8) -> u64 {
    load(4);
    total += a * 10 + b;
    total
}

type Answer<T> = Result<T, String>;

#[cached(crate = stampede, ttl = 300, name = "aliased", version = 2)]
async fn aliased(id: u32) -> Answer<u32> {
    load(5);
    if id == 0 {
        return Err("zero".to_owned());
    }
    Ok(id)
}

#[cached(crate = stampede, ttl = 300, strategy = "xfetch")]
async fn factorial(n: u64) -> u64 {
    load(6);
    if n == 0 {
        1
    } else {
        n * Box::pin(factorial(n - 1)).await
    }
}

#[cached(crate = stampede, ttl = 300)]
async unsafe fn dangerous(r#type: u32) -> u32 {
    load(7);
    r#type + 1
}

#[cached(crate = stampede, ttl = 300, strategy = "swr", grace = 60, reason = "a test", detach)]
async fn copied(text: &str, hash: u8) -> usize {
    load(8);
    text.len() + usize::from(hash)
}

struct Shop<T>(T);

impl<T: Serialize + Display + Send + Sync> Shop<T> {
    #[cached(crate = stampede, ttl = 300, key = "{self.0}:{text}")]
    async fn method(&self, text: &str) -> String {
        load(9);
        format!("{}{text}", self.0)
    }

    #[cached(crate = stampede, ttl = 300, key = "{self.0}")]
    async fn taken(self) -> String {
        load(10);
        self.0.to_string()
    }

    #[cached(crate = stampede, ttl = 300)]
    async fn associated(_id: u32) -> usize {
        load(11);
        size_of_self::<Self>()
    }

    #[cached(crate = stampede, ttl = 300, key = "{self.0}:{lent}")]
    async fn changed(&mut self, lent: &str) -> usize {
        load(12);
        lent.len()
    }
}

fn size_of_self<T>() -> usize {
    std::mem::size_of::<T>()
}

trait Prices {
    fn price(&self, text: &str) -> impl Future<Output = usize> + Send;
    fn of(text: &str) -> impl Future<Output = usize> + Send;
}

impl Prices for Shop<u32> {
    #[cached(crate = stampede, ttl = 300, key = "{self.0}:{text}")]
    async fn price(&self, text: &str) -> usize {
        load(13);
        self.0 as usize + text.len()
    }

    #[cached(crate = stampede, ttl = 300)]
    async fn of(text: &str) -> usize {
        load(14);
        text.len()
    }
}

#[async_trait]
trait Boxed {
    async fn quote(&self, text: &str) -> usize;
}

#[async_trait]
impl Boxed for Shop<u32> {
    #[cached(crate = stampede, ttl = 300, key = "{self.0}:{text}")]
    async fn quote(&self, text: &str) -> usize {
        load(15);
        self.0 as usize + text.len()
    }
}

macro_rules! generated {
    ($name:ident, $ty:ty) => {
        #[cached(crate = stampede, ttl = 300)]
        async fn $name(n: $ty) -> $ty {
            load(16);
            n + 1
        }
    };
}
generated!(by_macro, u64);

#[cached(crate = stampede, ttl = 300, scope = "process", none = "skip")]
async fn in_process(id: u32) -> Option<u32> {
    load(17);
    (id > 0).then_some(id)
}

#[tokio::test]
async fn functions() {
    check!(0, send(owned(1, 2)) => 3, owned(2, 2) => 4);
    check!(1, send(borrowed("a", &[], None)) => 1, borrowed("a", &[], Some("b")) => 2);
    check!(2, generic(&[1]) => "1", generic(&["1", "2"]) => "12");
    check!(3, opaque(1, &2) => "12", opaque("1", &2) => "12");
    check!(4, patterns((1, 2), 0, 0, 0) => 12, patterns((2, 1), 0, 0, 0) => 21);
    check!(5, aliased(1) => Ok(1), aliased(2) => Ok(2));
    for _ in 0..2 {
        assert_eq!(aliased(0).await, Err("zero".to_owned()));
    }
    assert_eq!(LOADS[5].load(Ordering::SeqCst), 4);
    check!(6, factorial(0) => 1, factorial(1) => 1);
    // SAFETY: it is not dangerous.
    check!(7, unsafe { dangerous(1) } => 2, unsafe { dangerous(2) } => 3);
    check!(8, copied("a", 1) => 2, copied("ab", 1) => 3);
    check!(17, in_process(1) => Some(1), in_process(0) => None);
    check!(16, by_macro(1) => 2, by_macro(2) => 3);
}

#[tokio::test]
async fn methods() {
    check!(9, send(Shop(1).method("x")) => "1x", Shop("1").method("x") => "1x");
    check!(10, Shop(1).taken() => "1", Shop(2).taken() => "2");
    check!(11, Shop::<u8>::associated(1) => 1, Shop::<u64>::associated(1) => 8);
    check!(12, Shop(1).changed("a") => 1, Shop(1).changed("ab") => 2);
    check!(13, send(Shop(1).price("a")) => 2, Shop(2).price("a") => 3);
    check!(14, <Shop<u32>>::of("a") => 1, <Shop<u32>>::of("ab") => 2);
    let shops: [Box<dyn Boxed + Sync>; 2] = [Box::new(Shop(1)), Box::new(Shop(2))];
    check!(15, shops[0].quote("a") => 2, shops[1].quote("a") => 3);
}
