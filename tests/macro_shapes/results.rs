//! What is stored: `T` of a `Result`, under any alias, by type.

use std::num::ParseIntError;
use std::sync::atomic::{AtomicU32, Ordering};

use herdless::{LoadFailed, cached};

use crate::{Loads, loads, send};

/// Neither `Clone` nor `Serialize`.
#[derive(Debug, PartialEq)]
pub struct NotFound(pub u32);
pub type Answer<T> = Result<T, NotFound>;

#[cached(ttl = 300)]
pub async fn parse(raw: String) -> Result<i32, ParseIntError> {
    PARSE.add();
    if raw.is_empty() {
        return Ok(0);
    }
    let n: i32 = raw.parse()?;
    Ok(n)
}
static PARSE: Loads = Loads::new();

#[cached(ttl = 300)]
pub async fn find(id: u32) -> Answer<Option<String>> {
    FIND.add();
    match id {
        0 => Err(NotFound(id)),
        1 => Ok(None),
        n => Ok(Some(n.to_string())),
    }
}
static FIND: Loads = Loads::new();

// M08
#[tokio::test]
async fn errors_are_not_stored() {
    for _ in 0..2 {
        assert!(send(parse("x".to_owned())).await.is_err());
        assert_eq!(parse(String::new()).await, Ok(0));
        assert_eq!(parse("7".to_owned()).await, Ok(7));
    }
    loads(4, &PARSE);
    for _ in 0..2 {
        assert_eq!(find(0).await, Err(NotFound(0)));
        assert_eq!(find(1).await, Ok(None));
        assert_eq!(find(2).await, Ok(Some("2".to_owned())));
    }
    loads(4, &FIND);
}

pub struct Shop;

impl Shop {
    #[cached(ttl = 300, skip(self))]
    pub async fn find(&self, raw: &str) -> std::io::Result<i32> {
        IN_PLACE.add();
        if raw.is_empty() {
            return Ok(0);
        }
        let n = raw.parse().map_err(std::io::Error::other)?;
        Ok(n)
    }

    #[cached(ttl = 300, skip(self))]
    pub async fn gives_up(&self) -> Result<u8, String> {
        Err("no".into())
    }

    #[cached(ttl = 300, skip(self))]
    pub async fn collects(&self, upto: u8) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        if upto == 0 {
            return Err("zero".into());
        }
        Ok((0..upto).collect())
    }
}
static IN_PLACE: Loads = Loads::new();

#[tokio::test]
async fn methods_answer_results() {
    for _ in 0..2 {
        assert!(send(Shop.find("x")).await.is_err());
        assert_eq!(Shop.find("").await.unwrap(), 0);
        assert_eq!(Shop.find("7").await.unwrap(), 7);
    }
    loads(4, &IN_PLACE);
    assert!(Shop.gives_up().await.is_err());
    assert_eq!(Shop.collects(2).await.unwrap(), [0, 1]);
    assert!(Shop.collects(0).await.is_err());
}

/// Takes what a leader left its waiters.
#[derive(Debug)]
pub struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed")
    }
}

impl std::error::Error for Failed {}

impl From<LoadFailed> for Failed {
    fn from(_: LoadFailed) -> Self {
        Self
    }
}

#[cached(ttl = 300, share_errors)]
pub async fn shared(id: u32) -> Result<u32, Failed> {
    if id == 0 { Err(Failed) } else { Ok(id) }
}

#[cached(ttl = 300)]
pub async fn told(id: u32) -> Result<u32, &'static str> {
    if id == 0 { Err("zero") } else { Ok(id) }
}

#[tokio::test]
async fn errors_of_any_kind() {
    assert!(shared(0).await.is_err());
    assert_eq!(shared(1).await.unwrap(), 1);
    assert_eq!(told(0).await, Err("zero"));
    assert_eq!(answered(0).await, Err((404, "zero")));
    assert_eq!(renamed(0).await, Err("zero"));
    assert_eq!(explained(0).await.unwrap_err()("zero"), "zero");
    assert_eq!((answered(1).await, renamed(1).await), (Ok(1), Ok(1)));
    for (loads, before) in [(&ANSWERED, 2), (&RENAMED, 2)] {
        answered(1).await.unwrap();
        renamed(1).await.unwrap();
        assert_eq!(loads.load(Ordering::SeqCst), before, "the value is stored, the error is not");
    }
}

static ANSWERED: AtomicU32 = AtomicU32::new(0);
static RENAMED: AtomicU32 = AtomicU32::new(0);

/// As a web framework answers.
#[cached(ttl = 300)]
pub async fn answered(id: u32) -> Result<u32, (u16, &'static str)> {
    ANSWERED.fetch_add(1, Ordering::SeqCst);
    if id == 0 { Err((404, "zero")) } else { Ok(id) }
}

type Renamed<T, E> = Result<T, E>;

#[cached(ttl = 300)]
pub async fn renamed(id: u32) -> Renamed<u32, &'static str> {
    RENAMED.fetch_add(1, Ordering::SeqCst);
    if id == 0 { Err("zero") } else { Ok(id) }
}

#[cached(ttl = 300)]
pub async fn explained(id: u32) -> Result<u32, fn(&str) -> &str> {
    if id == 0 { Err(|why| why) } else { Ok(id) }
}
