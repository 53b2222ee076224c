//! What every test needs: a server, a store on it, and loads and entries to play with.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;
use std::time::Duration;

use cache_core::store::{Begin, Begun, Load, Next, Shape, Store as _, Subscription, Token};
use cache_core::{Error, Timestamp};
use cache_redis::redis::aio::MultiplexedConnection;
use cache_redis::{Builder, RedisStore};

use crate::certificates;
use crate::fleet::{Cluster, Watched};
pub(crate) use crate::server::Server;
use crate::server::{Options, WITHOUT_SCRIPTS};

pub(crate) const KEY: &str = "{shop:catalog::f:v1(80)}";
pub(crate) const SHAPE: Shape = Shape(1);
pub(crate) const MINUTE: Duration = Duration::from_secs(60);

pub(crate) struct Lab {
    pub(crate) server: Host,
    pub(crate) store: RedisStore,
    /// Looks behind the store's back, where its key is.
    pub(crate) redis: MultiplexedConnection,
}

/// The server that has the key: the test's own, or one of several that all tests share.
pub(crate) struct Host(Option<Server>);

impl Deref for Host {
    type Target = Server;

    fn deref(&self) -> &Server {
        self.0.as_ref().expect("a test of its own server")
    }
}

impl DerefMut for Host {
    fn deref_mut(&mut self) -> &mut Server {
        self.0.as_mut().expect("a test of its own server")
    }
}

/// Says on what the tests run, where it is not one server for each.
pub(crate) const TOPOLOGY: &str = "HERDLESS_TEST_TOPOLOGY";

pub(crate) fn topology() -> String {
    std::env::var(TOPOLOGY).unwrap_or_default()
}

pub(crate) async fn lab() -> Lab {
    match topology().as_str() {
        "" => own(Server::start(), |server| RedisStore::connect(server.url())).await,
        "unix" => {
            let arguments = ["--unixsocket", "{dir}/socket"].map(String::from).to_vec();
            let options =
                |_: fn() -> u16| Options { arguments: arguments.clone(), ..Options::default() };
            let connect = |server: &Server| {
                RedisStore::connect(format!("unix://{}/socket", server.dir().display()))
            };
            own(Server::with(options), connect).await
        }
        "tls" => own(certificates::server(), |server| certificates::store(server).build()).await,
        "unscripted" => own(unscripted(), |server| RedisStore::connect(server.url())).await,
        "sentinel" => {
            static WATCHED: OnceLock<Watched> = OnceLock::new();
            let watched = WATCHED.get_or_init(Watched::start);
            let builder = RedisStore::builder().sentinel(Watched::NAME, watched.sentinel_urls());
            shared(builder, &watched.servers[0]).await
        }
        "cluster" => {
            static CLUSTER: OnceLock<Cluster> = OnceLock::new();
            let cluster = CLUSTER.get_or_init(Cluster::start);
            let builder = RedisStore::builder().cluster(cluster.urls());
            let primary = cluster.primary_of(cluster.slot(KEY), 0).expect("it is whole");
            shared(builder, &cluster.servers[primary]).await
        }
        other => panic!("no topology called {other}"),
    }
}

/// A server on which nobody may run scripts.
pub(crate) fn unscripted() -> Server {
    let arguments: Vec<String> = WITHOUT_SCRIPTS.split(' ').map(String::from).collect();
    Server::with(|_| Options { arguments: arguments.clone(), ..Options::default() })
}

async fn own(server: Server, connect: impl Fn(&Server) -> Result<RedisStore, Error>) -> Lab {
    let store = connect(&server).unwrap();
    let redis = server.connection().await;
    Lab { server: Host(Some(server)), store, redis }
}

/// On servers that all tests share, one after the other.
async fn shared(builder: Builder, server: &Server) -> Lab {
    let store = builder.build().unwrap();
    let mut redis = server.connection().await;
    raw::<()>(&mut redis, "FLUSHALL").await;
    Lab { server: Host(None), store, redis }
}

impl Lab {
    /// Any command, words separated by spaces.
    pub(crate) async fn raw<T: redis::FromRedisValue>(&mut self, words: &str) -> T {
        raw(&mut self.redis, words).await
    }

    /// Puts bytes into a field as another process, or another version, might have.
    pub(crate) async fn plant(&mut self, shape: Shape, bytes: &[u8]) {
        let mut command = redis::cmd("HSET");
        command.arg(KEY).arg(shape.to_string()).arg(bytes);
        command.query_async::<()>(&mut self.redis).await.unwrap();
    }

    pub(crate) async fn begin(&self, begin: Begin) -> Begun {
        self.store.begin(KEY, begin).await.unwrap()
    }

    /// Begins a load and insists on the lease.
    pub(crate) async fn lead(&self) -> Load {
        let (load, leased) = self.load(begin()).await;
        assert!(leased);
        load
    }

    /// Begins a load, with or without a lease.
    pub(crate) async fn load(&self, begin: Begin) -> (Load, bool) {
        if topology() == "unscripted" {
            // Where leases end by lapsing, the last one has.
            raw::<()>(&mut self.redis.clone(), &format!("DEL {KEY}:lease")).await;
        }
        let begun = self.begin(begin).await;
        let Next::Lead { leased, .. } = begun.next else { panic!("not led: {:?}", begun.next) };
        let (token, generation) = (begin.token, begun.generation);
        (Load { token, generation, begun: begun.time, leased }, leased)
    }

    pub(crate) async fn commit(&self, load: Load, entry: &[u8]) -> cache_core::store::Committed {
        self.store.commit(KEY, load, SHAPE, entry).await.unwrap()
    }

    pub(crate) async fn read(&self) -> Option<Vec<u8>> {
        self.store.read(KEY, SHAPE).await.unwrap()
    }
}

pub(crate) async fn raw<T: redis::FromRedisValue>(
    redis: &mut MultiplexedConnection,
    words: &str,
) -> T {
    let mut words = words.split(' ');
    let mut command = redis::cmd(words.next().unwrap());
    for word in words {
        command.arg(word);
    }
    command.query_async(redis).await.unwrap()
}

/// A cold caller of a protected strategy.
pub(crate) fn begin() -> Begin {
    Begin {
        shape: SHAPE,
        after: Timestamp::ZERO,
        token: Token::fresh(),
        lease: MINUTE,
        exclusive: true,
        over: None,
        refresh: false,
        last_resort: false,
    }
}

/// Refuses every entry, so that a load begins although one is there.
pub(crate) fn begin_anyway() -> Begin {
    Begin { after: Timestamp::MAX, ..begin() }
}

/// A caller who has something to serve.
pub(crate) fn refresh() -> Begin {
    Begin { refresh: true, ..begin_anyway() }
}

/// An entry as the scripts see it, ending `life` after `begun`.
pub(crate) fn entry(begun: Timestamp, life: Duration, payload: &str) -> Vec<u8> {
    let mut bytes = vec![0; 112];
    let end = begun.after(life).as_micros() / 1000;
    bytes[..4].copy_from_slice(b"HERD");
    bytes[8..16].copy_from_slice(&end.to_le_bytes());
    bytes[48..56].copy_from_slice(&begun.as_micros().to_le_bytes());
    bytes[56..64].copy_from_slice(&begun.as_micros().to_le_bytes());
    bytes.extend_from_slice(payload.as_bytes());
    bytes
}

/// Waits for the next wake-up, but not for ever.
pub(crate) async fn heard(subscription: &mut Subscription, what: &str) {
    let heard = tokio::time::timeout(Duration::from_secs(10), subscription.changed()).await;
    assert!(heard.is_ok(), "{what} was not heard");
}

/// Asks again until the answer is yes, for as long as a slow machine may need.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, mut ask: impl FnMut() -> F) {
    for _ in 0..1000 {
        if ask().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("never: {what}");
}
