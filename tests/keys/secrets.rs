//! Case K07: a secret argument, from the call to the server, through everything that goes wrong.

use std::error::Error as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use herdless::{Cache, LoadFailed, RedisStore, cached, with_cache};

use crate::log::Log;
use crate::server::Server;

const TOKEN: &str = "tok-EXAMPLE-1";
const PASSWORD: &str = "pass-EXAMPLE-2";
/// The same in other writings.
const ELSEHOW: [&str; 4] = [
    "746f6b2d4558414d504c452d31",
    "706173732d4558414d504c452d32",
    "dG9rLUVYQU1QTEUtM",
    "cGFzcy1FWEFNUExFLT",
];

static LOADS: AtomicU32 = AtomicU32::new(0);

/// No text of its own: neither `Clone` nor quoting its arguments.
#[derive(Debug)]
struct Denied(LoadFailed);

impl From<LoadFailed> for Denied {
    fn from(failed: LoadFailed) -> Self {
        Self(failed)
    }
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Denied {}

#[cached(ttl = 60, hash(token, password))]
async fn session(token: String, password: &str) -> usize {
    LOADS.fetch_add(1, Ordering::SeqCst);
    token.len() * 100 + password.len()
}

#[cached(ttl = 60, hash(token, password), timeout = "20ms")]
async fn denied(token: String, password: &str) -> Result<usize, Denied> {
    LOADS.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
    Ok(token.len() + password.len())
}

fn loads(expected: u32) {
    assert_eq!(LOADS.load(Ordering::SeqCst), expected);
}

/// What a user may print of an error.
fn texts(error: &herdless::Error) -> [String; 3] {
    let source = error.source().map(|source| format!("{source} {source:?}"));
    [error.to_string(), format!("{error:?}"), source.unwrap_or_default()]
}

#[tokio::test]
async fn k07_secrets_stay_in_the_process() {
    let (log, _guard) = Log::here();
    let mut server = Server::start();
    let mut connection = server.connection().await;
    let store = RedisStore::connect(server.url()).unwrap();
    let cache = Cache::builder()
        .store(store)
        .namespace("shop")
        .key_secret("sixteen bytes or more")
        .io_budget(Duration::from_secs(2))
        .build();
    let call = |token: &str, password: &'static str| {
        with_cache(cache.clone(), session(token.to_owned(), password))
    };

    // Each secret tells calls apart.
    for _ in 0..2 {
        assert_eq!(call(TOKEN, PASSWORD).await, 1314);
        assert_eq!(call("tok-EXAMPLE-22", PASSWORD).await, 1414);
        assert_eq!(call(TOKEN, "pass-EXAMPLE-33").await, 1315);
    }
    loads(3);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query_async(&mut connection).await.unwrap();
    assert!(keys.len() >= 3, "{keys:?}");

    // What cannot be decoded, and what is of another kind.
    let key = session(TOKEN.to_owned(), PASSWORD).key().clone();
    let stored = cache.redis_key(&key);
    assert!(keys.contains(&stored), "{stored} is not in {keys:?}");
    let () =
        redis::cmd("SET").arg(&stored).arg("nonsense").query_async(&mut connection).await.unwrap();
    assert_eq!(call(TOKEN, PASSWORD).await, 1314);
    loads(4);
    let () = redis::cmd("DEL").arg(&stored).query_async(&mut connection).await.unwrap();
    let () = redis::cmd("LPUSH").arg(&stored).arg(1).query_async(&mut connection).await.unwrap();
    assert_eq!(call(TOKEN, PASSWORD).await, 1314);
    loads(5);
    let late = with_cache(cache.clone(), denied(TOKEN.to_owned(), PASSWORD)).await.unwrap_err();

    // No server.
    server.kill();
    assert_eq!(call(TOKEN, PASSWORD).await, 1314);
    let handle = session(TOKEN.to_owned(), PASSWORD);
    let down = [
        with_cache(cache.clone(), handle.invalidate()).await.unwrap_err(),
        with_cache(cache.clone(), handle.expire()).await.unwrap_err(),
        with_cache(cache.clone(), handle.peek()).await.unwrap_err(),
        with_cache(cache.clone(), handle.prime(7)).await.unwrap_err(),
    ];

    let audit = herdless::audit();
    let mut seen = log.lines();
    assert!(!seen.is_empty(), "nothing is logged, so this proves nothing");
    seen.extend(keys);
    seen.extend(down.iter().flat_map(texts));
    seen.extend([key.to_string(), format!("{key:?}"), stored]);
    seen.extend([format!("{handle:?}"), format!("{:?}", *handle), format!("{cache:?}")]);
    seen.extend([format!("{:?}", handle.invalidate()), format!("{late} {late:?}")]);
    seen.extend([format!("{audit:?}"), audit.to_string(), serde_json::to_string(&audit).unwrap()]);
    for text in &seen {
        for secret in [TOKEN, PASSWORD].iter().chain(&ELSEHOW) {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
    // Logs and server know a digest that cannot be computed without the secret.
    let digests: Vec<_> = key.as_str().split('#').skip(1).map(|rest| &rest[..64]).collect();
    assert_eq!(digests.len(), 2);
    let logged = log.lines();
    assert!(!logged.iter().any(|line| digests.iter().any(|digest| line.contains(digest))));
}
