//! How a store is told where its Redis is.

use std::fmt;
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use redis::{ConnectionInfo, IntoConnectionInfo, RedisError, RedisResult};

use crate::addr::{host_and_port, tuned};
use crate::door::{CONNECT, Door};
use crate::sentinel::Sentinels;
use crate::slots::Place;
use crate::store::RedisStore;
#[cfg(feature = "tls")]
use crate::tls::Certificates;
use crate::topology::Topology;

/// Says where Redis is: one server, a primary that sentinels watch over, or a cluster.
///
/// ```no_run
/// # fn build() -> Result<(), cache_core::Error> {
/// use std::time::Duration;
/// use cache_redis::RedisStore;
///
/// let store = RedisStore::builder()
///     .sentinel("shop", ["redis://sentinel-1:26379", "redis://sentinel-2:26379"])
///     .username("app") // of the servers; what the sentinels want stands in their URLs
///     .password("secret")
///     .connect_timeout(Duration::from_millis(500))
///     .build()?;
/// # Ok(())
/// # }
/// ```
///
/// URLs are `redis://user:password@host:port/database`, `rediss://` with TLS (feature `tls`), and
/// `unix:///path/of/socket?db=1&user=app&pass=secret`; `valkey://` and its kin mean the same.
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    place: Option<RedisResult<At>>,
    username: Option<String>,
    password: Option<String>,
    database: Option<i64>,
    timeout: Duration,
    #[cfg(feature = "tls")]
    certificates: Certificates,
    #[cfg(feature = "tls")]
    encrypted: bool,
}

enum At {
    Server(ConnectionInfo),
    Sentinels(String, Vec<ConnectionInfo>),
    Cluster(Vec<ConnectionInfo>),
}

impl RedisStore {
    /// A store on this server, as `builder().standalone(url).build()`. Only the URL is checked
    /// here: connecting begins at once where there is a tokio runtime, else with the first command,
    /// and heals by itself for ever.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`] for a URL the driver does not understand.
    pub fn connect(url: impl IntoConnectionInfo) -> Result<Self, Error> {
        Self::builder().standalone(url).build()
    }

    /// Begins a store on a server, on what sentinels watch over, or on a cluster.
    pub fn builder() -> Builder {
        Builder {
            place: None,
            username: None,
            password: None,
            database: None,
            timeout: CONNECT,
            #[cfg(feature = "tls")]
            certificates: Certificates::default(),
            #[cfg(feature = "tls")]
            encrypted: false,
        }
    }
}

impl Builder {
    /// One server.
    pub fn standalone(self, url: impl IntoConnectionInfo) -> Self {
        self.at(url.into_connection_info().map(At::Server))
    }

    /// The primary that these sentinels know under this name. Their URLs hold what the sentinels
    /// want; what the servers want is said by [`username`](Self::username),
    /// [`password`](Self::password), [`database`](Self::database) and `encrypted`.
    pub fn sentinel(
        self,
        name: impl Into<String>,
        sentinels: impl IntoIterator<Item: IntoConnectionInfo>,
    ) -> Self {
        let name = name.into();
        self.at(all(sentinels).map(|sentinels| At::Sentinels(name, sentinels)))
    }

    /// The cluster to which these servers belong: some of them, so that one answers. All its
    /// servers are spoken to as the first URL says.
    pub fn cluster(self, servers: impl IntoIterator<Item: IntoConnectionInfo>) -> Self {
        self.at(all(servers).map(At::Cluster))
    }

    /// The ACL user on the servers, instead of the URL's.
    pub fn username(mut self, username: impl Into<String>) -> Self {
        self.username = Some(username.into());
        self
    }

    /// The password on the servers, instead of the URL's.
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// The database on the servers, instead of the URL's. A cluster has only number 0.
    pub fn database(mut self, database: i64) -> Self {
        self.database = Some(database);
        self
    }

    /// How long connecting may take, until it is tried anew: one second by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Whom to trust, in PEM, instead of the system's certificates.
    #[cfg(feature = "tls")]
    pub fn tls_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificates.roots = Some(pem.into());
        self
    }

    /// Who we are to servers that ask for it: certificate and key, in PEM.
    #[cfg(feature = "tls")]
    pub fn tls_identity(
        mut self,
        certificate: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.certificates.identity = Some((certificate.into(), key.into()));
        self
    }

    /// The servers that sentinels name speak TLS. Elsewhere the URL says so: `rediss://`.
    #[cfg(feature = "tls")]
    pub fn encrypted(mut self) -> Self {
        self.encrypted = true;
        self
    }

    /// The store. Connecting begins at once where there is a tokio runtime, else with the first
    /// command, and heals by itself for ever.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`] for a URL the driver does not understand, for no place at all, and for
    /// certificates that are none.
    pub fn build(mut self) -> Result<RedisStore, Error> {
        let place = self.place.take().ok_or_else(|| {
            config("no Redis was named: call `standalone`, `sentinel` or `cluster`")
        })?;
        let topology = match place.map_err(|error| unusable(&error))? {
            At::Server(server) => Topology::single(Door::fixed(self.server(server)?, self.timeout)),
            At::Sentinels(_, none) if none.is_empty() => {
                return Err(config("no sentinel was named"));
            }
            At::Sentinels(name, sentinels) => {
                let server = self.server(self.unaddressed())?;
                let sentinels = sentinels.into_iter().map(|one| self.trusting(tuned(one)));
                let sentinels = sentinels.collect::<Result<_, _>>()?;
                let sentinels = Sentinels::new(name, sentinels, server);
                Topology::single(Door::sentinel(sentinels, self.timeout))
            }
            At::Cluster(servers) => {
                let seeds = servers.iter().map(seed).collect::<Result<_, _>>()?;
                let first =
                    servers.into_iter().next().ok_or_else(|| config("no server was named"))?;
                Topology::cluster(Door::fixed(self.server(first)?, self.timeout), seeds)
            }
        };
        Ok(RedisStore::on(topology))
    }

    fn at(mut self, place: RedisResult<At>) -> Self {
        self.place = Some(place);
        self
    }

    /// How a server is spoken to.
    fn server(&self, info: ConnectionInfo) -> Result<ConnectionInfo, Error> {
        let mut redis = info.redis_settings().clone();
        if let Some(username) = &self.username {
            redis = redis.set_username(username);
        }
        if let Some(password) = &self.password {
            redis = redis.set_password(password);
        }
        if let Some(database) = self.database {
            redis = redis.set_db(database);
        }
        self.trusting(tuned(info.set_redis_settings(redis)))
    }

    /// A server whose address is not known yet.
    fn unaddressed(&self) -> ConnectionInfo {
        #[cfg(feature = "tls")]
        if self.encrypted {
            return crate::tls::unaddressed();
        }
        ("", 0).into_connection_info().expect("an address needs no parsing")
    }

    #[cfg(feature = "tls")]
    fn trusting(&self, info: ConnectionInfo) -> Result<ConnectionInfo, Error> {
        self.certificates.apply(info).map_err(|error| unusable(&error))
    }

    #[cfg(not(feature = "tls"))]
    fn trusting(&self, info: ConnectionInfo) -> Result<ConnectionInfo, Error> {
        Ok(info)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("connect_timeout", &self.timeout).finish_non_exhaustive()
    }
}

fn all(urls: impl IntoIterator<Item: IntoConnectionInfo>) -> RedisResult<Vec<ConnectionInfo>> {
    urls.into_iter().map(IntoConnectionInfo::into_connection_info).collect()
}

fn seed(info: &ConnectionInfo) -> Result<Place, Error> {
    let (host, port) =
        host_and_port(info.addr()).ok_or_else(|| config("a cluster is not behind a socket"))?;
    Ok(format!("{host}:{port}").into())
}

/// The driver's details quote the URL, and nobody knows where in it a secret stands.
fn unusable(error: &RedisError) -> Error {
    let quoted = error.detail().is_some();
    let why = if quoted { error.category().to_owned() } else { error.to_string() };
    config(&format!("the Redis URL is not usable ({why}): write `redis://host:port`"))
}

fn config(what: &str) -> Error {
    Error::new(ErrorKind::Config, what)
}
