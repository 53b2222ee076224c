//! Recursion, loaders that are not `Send`, `unsafe`, nested items, futures that outlive a task.

use std::pin::Pin;
use std::rc::Rc;

use herdless::cached;

use crate::{Loads, loads, send, twice_and_other};

#[cached(ttl = 300)]
async fn factorial(n: u64) -> u64 {
    FACTORIAL.add();
    if n == 0 { 1 } else { n * Box::pin(factorial(n - 1)).await }
}
static FACTORIAL: Loads = Loads::new();

#[cached(ttl = 300)]
async fn is_even(n: u64) -> bool {
    n == 0 || Box::pin(is_odd(n - 1)).await
}

#[cached(ttl = 300)]
async fn is_odd(n: u64) -> bool {
    n != 0 && Box::pin(is_even(n - 1)).await
}

struct Tree;

impl Tree {
    #[cached(ttl = 300, skip(self))]
    async fn depth(&self, n: u64) -> u64 {
        DEPTH.add();
        if n == 0 { 0 } else { 1 + Box::pin(self.depth(n - 1)).await }
    }
}
static DEPTH: Loads = Loads::new();

#[cached(ttl = 300)]
async fn lent(text: &str) -> usize {
    match text.split_once(' ') {
        Some((_, rest)) => 1 + Box::pin(lent(rest)).await,
        None => 1,
    }
}

#[tokio::test]
async fn recursion() {
    twice_and_other!(send(factorial(5)) => 120, factorial(6) => 720);
    loads(7, &FACTORIAL);
    twice_and_other!(is_even(4) => true, is_even(5) => false);
    twice_and_other!(Tree.depth(3) => 3, Tree.depth(4) => 4);
    loads(5, &DEPTH);
    twice_and_other!(lent("a b c") => 3, lent("a b") => 2);
}

#[cached(ttl = 300)]
async fn local_only(n: u32) -> u32 {
    LOCAL_ONLY.add();
    let counted = Rc::new(n);
    tokio::task::yield_now().await;
    *counted
}
static LOCAL_ONLY: Loads = Loads::new();

#[cached(ttl = 300, scope = "process", skip(shared))]
async fn local_argument(shared: Rc<u32>, n: u32) -> u32 {
    *shared + n
}

#[tokio::test]
async fn not_send() {
    twice_and_other!(local_only(1) => 1, local_only(2) => 2);
    loads(2, &LOCAL_ONLY);
    twice_and_other!(local_argument(Rc::new(1), 1) => 2, local_argument(Rc::new(1), 2) => 3);
}

#[cached(ttl = 300)]
async fn boom(x: u8) -> u8 {
    let _ = x;
    unimplemented!()
}

impl Tree {
    #[cached(ttl = 300, skip(self))]
    async fn boom(&self, x: u8) -> u8 {
        let _ = x;
        unimplemented!()
    }
}

#[tokio::test]
async fn bodies_that_never_end_well() {
    assert!(tokio::spawn(boom(1)).await.unwrap_err().is_panic());
    assert!(tokio::spawn(async { Tree.boom(1).await }).await.unwrap_err().is_panic());
}

#[cached(ttl = 300)]
async fn own_items(n: u32) -> u32 {
    #![allow(dead_code)]
    use std::collections::BTreeMap as key;
    const CACHED: u32 = 3;
    fn uncached(n: u32) -> u32 {
        n + CACHED
    }
    #[cached(ttl = 300)]
    async fn inner(n: u32) -> u32 {
        n + 1
    }
    let map: key<u32, u32> = key::from([(n, uncached(inner(n).await))]);
    map[&n]
}

impl Tree {
    #[cached(ttl = 300, skip(self))]
    async fn own_items(&self, n: u32) -> u32 {
        #![allow(dead_code)]
        fn unused() {}
        #[cached(ttl = 300)]
        async fn inner(n: u32) -> u32 {
            n + 1
        }
        inner(n).await
    }
}

#[tokio::test]
async fn items_of_the_body() {
    twice_and_other!(own_items(1) => 5, own_items(2) => 6);
    twice_and_other!(Tree.own_items(1) => 2, Tree.own_items(2) => 3);
}

macro_rules! generated {
    ($name:ident, $argument:ident, $output:ty) => {
        #[cached(ttl = 300)]
        async fn $name($argument: $output, offset: $output) -> $output {
            $argument + offset
        }
    };
}
generated!(by_macro, n, u64);

#[tokio::test]
async fn from_macro_rules() {
    twice_and_other!(by_macro(1, 1) => 2, by_macro(2, 1) => 3);
    let boxed: Pin<Box<dyn Future<Output = u64> + Send>> = Box::pin(by_macro(1, 1));
    assert_eq!(boxed.await, 2);
}
