//! Arguments of the attribute that change what is stored, under which key, or how loads run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use herdless::{Cache, Clock, LoadFailed, Reason, cached, with_cache};
use serde::{Deserialize, Serialize};

use crate::{Loads, loads, twice_and_other};

static DIGESTED: Loads = Loads::new();
static READABLE: Loads = Loads::new();

#[cached(ttl = 300, hash(token))]
async fn digested(token: &str, id: u32) -> String {
    DIGESTED.add();
    format!("{token}{id}")
}

#[cached(ttl = 300, plain(token))]
async fn readable(token: &str) -> usize {
    READABLE.add();
    token.len()
}

#[tokio::test]
async fn hash_and_plain() {
    twice_and_other!(digested("alpha", 1) => "alpha1", digested("beta", 1) => "beta1");
    assert_eq!(digested("alpha", 2).await, "alpha2");
    loads(3, &DIGESTED);
    let key = digested("alpha", 1).key().to_string();
    assert!(key.contains("(#") && key.ends_with(",1)") && !key.contains("alpha"), "{key}");
    twice_and_other!(readable("alpha") => 5, readable("beta") => 4);
    loads(2, &READABLE);
    assert!(readable("alpha").key().as_str().ends_with(r#"readable:v1("alpha")"#));
}

#[derive(Serialize)]
struct User {
    id: u32,
    token: &'static str,
    lang: &'static str,
}

struct Shop {
    name: &'static str,
}

static TEMPLATE: Loads = Loads::new();

impl Shop {
    #[cached(ttl = 300, key = "{self.name}/{user.id}/{pair.0}")]
    async fn by_parts(&self, user: &User, pair: (u8, u8)) -> String {
        TEMPLATE.add();
        format!("{}{}{}", self.name, user.id, pair.0)
    }

    #[cached(ttl = 300, key = "{user.token}/{pair.0}", hash(user, self_service), skip(self))]
    async fn by_digests(&self, user: &User, pair: (u8, u8), self_service: bool) -> String {
        TEMPLATE.add();
        format!("{}{}{self_service}{}", user.token, pair.0, user.lang.len())
    }
}

#[tokio::test]
async fn templates() {
    let user = |id, token| User { id, token, lang: "de" };
    let (one, two) = (Shop { name: "a" }, Shop { name: "b" });
    twice_and_other!(one.by_parts(&user(1, ""), (1, 1)) => "a11", two.by_parts(&user(1, ""), (1, 1)) => "b11");
    twice_and_other!(one.by_parts(&user(2, ""), (1, 1)) => "a21", one.by_parts(&user(1, ""), (2, 1)) => "a12");
    // What the template leaves out does not tell calls apart.
    assert_eq!(one.by_parts(&user(1, "x"), (1, 9)).await, "a11");
    loads(4, &TEMPLATE);
    assert!(one.by_parts(&user(1, ""), (1, 1)).key().as_str().ends_with(r#"("a"/1/1)"#));

    let call = |token, first, service| async move {
        Shop { name: "c" }.by_digests(&user(1, token), (first, 0), service).await
    };
    twice_and_other!(call("x", 1, true) => "x1true2", call("y", 1, true) => "y1true2");
    twice_and_other!(call("x", 2, true) => "x2true2", call("x", 1, false) => "x1false2");
    loads(8, &TEMPLATE);
    let key = one.by_digests(&user(1, "tok"), (1, 0), true).key().to_string();
    assert!(!key.contains("tok") && key.matches('#').count() == 2, "{key}");
}

static NONES: Loads = Loads::new();

#[cached(ttl = 300, none = "skip")]
async fn skipping(id: u32) -> Option<u32> {
    NONES.add();
    (id > 0).then_some(id)
}

#[cached(ttl = 300, none = "5s")]
async fn brief(id: u32) -> Result<Option<u32>, String> {
    NONES.add();
    Ok((id > 0).then_some(id))
}

#[tokio::test]
async fn none() {
    twice_and_other!(skipping(0) => None, skipping(1) => Some(1));
    twice_and_other!(skipping(1) => Some(1), skipping(0) => None);
    loads(4, &NONES);
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let call = |id| with_cache(cache.clone(), brief(id));
    twice_and_other!(call(0) => Ok(None), call(1) => Ok(Some(1)));
    loads(6, &NONES);
    clock.advance(Duration::from_secs(6));
    twice_and_other!(call(1) => Ok(Some(1)), call(0) => Ok(None));
    loads(7, &NONES);
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Quote(u64);

impl Quote {
    #[expect(clippy::unnecessary_wraps, reason = "the form that `ttl_from` asks for")]
    fn life(&self) -> Option<Duration> {
        Some(Duration::from_secs(self.0))
    }
}

static LIVES: Loads = Loads::new();

#[cached(ttl = 300, ttl_from = Quote::life)]
async fn by_path(seconds: u64) -> Quote {
    LIVES.add();
    Quote(seconds)
}

#[cached(ttl = 300, ttl_from = |n: &u64| (*n > 0).then(|| Duration::from_secs(*n)))]
async fn by_closure(seconds: u64) -> Result<u64, String> {
    LIVES.add();
    Ok(seconds)
}

fn divided(by: u64) -> impl Fn(&u64) -> Option<Duration> {
    move |n| Some(Duration::from_secs(*n / by))
}

fn chosen() -> fn(&Quote) -> Option<Duration> {
    Quote::life
}

#[cached(ttl = 300, ttl_from = divided(2))]
async fn by_made_closure(seconds: u64) -> Result<u64, String> {
    MADE.add();
    Ok(seconds)
}

#[cached(ttl = 300, ttl_from = chosen())]
async fn by_chosen(seconds: u64) -> Quote {
    MADE.add();
    Quote(seconds)
}

#[cached(ttl = 300, ttl_from = if MOST.load(Ordering::SeqCst) > 999 { chosen() } else { |_: &Quote| None })]
async fn by_condition(seconds: u64) -> Quote {
    MADE.add();
    Quote(seconds)
}

static MADE: Loads = Loads::new();

#[tokio::test]
async fn ttl_from_an_expression() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let made = |seconds| with_cache(cache.clone(), by_made_closure(seconds));
    let chosen = |seconds| with_cache(cache.clone(), by_chosen(seconds));
    twice_and_other!(made(40) => Ok(40), made(10) => Ok(10));
    twice_and_other!(chosen(9) => Quote(9), chosen(20) => Quote(20));
    loads(4, &MADE);
    clock.advance(Duration::from_secs(10));
    twice_and_other!(made(40) => Ok(40), made(10) => Ok(10));
    twice_and_other!(chosen(20) => Quote(20), chosen(9) => Quote(9));
    loads(6, &MADE);
    twice_and_other!(by_condition(9) => Quote(9), by_condition(8) => Quote(8));
    loads(9, &MADE);
}

#[tokio::test]
async fn ttl_from() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let path = |seconds| with_cache(cache.clone(), by_path(seconds));
    let closure = |seconds| with_cache(cache.clone(), by_closure(seconds));
    twice_and_other!(path(5) => Quote(5), path(60) => Quote(60));
    twice_and_other!(closure(5) => Ok(5), closure(60) => Ok(60));
    loads(4, &LIVES);
    twice_and_other!(closure(0) => Ok(0), closure(60) => Ok(60));
    loads(6, &LIVES);
    clock.advance(Duration::from_secs(10));
    twice_and_other!(path(5) => Quote(5), path(60) => Quote(60));
    twice_and_other!(closure(5) => Ok(5), closure(60) => Ok(60));
    loads(8, &LIVES);
}

#[derive(Debug, PartialEq)]
struct Late(Reason);

impl From<LoadFailed> for Late {
    fn from(failed: LoadFailed) -> Self {
        assert_eq!(failed.function(), "slow");
        Self(failed.reason())
    }
}

static SLOW: Loads = Loads::new();

#[cached(ttl = 300, timeout = "50ms")]
async fn slow(id: u32) -> Result<u32, Late> {
    SLOW.add();
    if id == 0 {
        std::future::pending::<()>().await;
    }
    Ok(id)
}

#[tokio::test]
async fn timeout() {
    for _ in 0..2 {
        assert_eq!(slow(0).await, Err(Late(Reason::TimedOut)));
    }
    loads(2, &SLOW);
    assert_eq!((slow(1).await, slow(1).await), (Ok(1), Ok(1)));
    loads(3, &SLOW);
}

static RUNNING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static CAPPED: Loads = Loads::new();

#[cached(ttl = 300, concurrency = 2)]
async fn capped(id: u32) -> u32 {
    CAPPED.add();
    MOST.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    id
}

#[tokio::test]
async fn concurrency() {
    let calls: Vec<_> = (0..12).map(|id| (id % 6, tokio::spawn(capped(id % 6)))).collect();
    for (id, call) in calls {
        assert_eq!(call.await.unwrap(), id);
    }
    loads(6, &CAPPED);
    assert_eq!(MOST.load(Ordering::SeqCst), 2);
}
