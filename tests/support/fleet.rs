//! Several servers that belong together: a cluster, and a primary with replicas and sentinels.
//!
//! Included by `#[path]` beside `server.rs`, which must be `crate::server`.

#![allow(dead_code, reason = "shared by several binaries, none of which uses all of it")]
#![allow(unreachable_pub, reason = "shared: some binaries have this at their root")]

use std::time::{Duration, Instant};

use crate::server::{Options, Server};

/// How long servers may take to agree with each other on a busy machine.
const AGREEMENT: Duration = Duration::from_secs(60);
const PRIMARIES: usize = 3;
const SLOTS: usize = 16_384;

/// Three primaries with a replica each.
#[derive(Debug)]
pub struct Cluster {
    /// The primaries at first, then their replicas in the same order.
    pub servers: Vec<Server>,
}

impl Cluster {
    /// Starts the servers and waits until all of them agree.
    pub fn start() -> Self {
        let options = |free: fn() -> u16| {
            let port = free().to_string();
            let own = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000"];
            quick(&[&own[..], &["--cluster-port", &port]].concat())
        };
        let servers = (0..2 * PRIMARIES).map(|_| Server::with(options)).collect();
        let cluster = Self { servers };
        cluster.join();
        cluster
    }

    /// Lets the others serve on while one of them is away.
    pub fn bear_gaps(&self) {
        for server in &self.servers {
            done(server, &["CONFIG", "SET", "cluster-require-full-coverage", "no"]);
        }
    }

    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::url).collect()
    }

    /// The number of the server that serves the slot, as the server with this number sees it.
    pub fn primary_of(&self, slot: u16, seen_by: usize) -> Option<usize> {
        let port = owner(&self.servers[seen_by], slot)?;
        self.servers.iter().position(|server| server.port() == port)
    }

    /// The slot of a key, as the servers count.
    pub fn slot(&self, key: &str) -> u16 {
        ask(&self.servers[0], &["CLUSTER", "KEYSLOT", key]).expect("a server of ours runs")
    }

    /// Moves a slot with all its keys to another primary. `pause` is called between the steps of
    /// which others may see something.
    pub fn move_slot(&self, slot: u16, from: usize, to: usize, mut pause: impl FnMut()) {
        let (slot, count) = (slot.to_string(), "1000");
        let (source, target) = (&self.servers[from], &self.servers[to]);
        let (from_id, to_id) = (id(source), id(target));
        done(target, &["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id]);
        done(source, &["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id]);
        pause();
        let (port, timeout) = (target.port().to_string(), "5000");
        loop {
            let keys: Vec<String> =
                ask(source, &["CLUSTER", "GETKEYSINSLOT", &slot, count]).expect("its keys");
            if keys.is_empty() {
                break;
            }
            for key in keys {
                // A key that has just ended is not there to be moved, and that is fine.
                done(source, &["MIGRATE", "127.0.0.1", &port, &key, "0", timeout, "REPLACE"]);
                pause();
            }
        }
        for server in [target, source] {
            done(server, &["CLUSTER", "SETSLOT", &slot, "NODE", &to_id]);
        }
        pause();
    }

    /// Waits until everybody alive says that this server serves the slot.
    pub fn until_served(&self, slot: u16, by: impl Fn(usize) -> bool, alive: &[usize]) {
        until("another primary serves the slot", || {
            alive.iter().all(|&one| self.primary_of(slot, one).is_some_and(&by))
        });
        until("the cluster is whole", || {
            alive.iter().all(|&one| info(&self.servers[one]).contains("cluster_state:ok"))
        });
    }

    fn join(&self) {
        for (number, server) in self.servers.iter().enumerate() {
            done(server, &["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]);
        }
        let (first, others) = self.servers.split_first().expect("six of them");
        let bus = bus(first);
        let port = first.port().to_string();
        for server in others {
            done(server, &["CLUSTER", "MEET", "127.0.0.1", &port, &bus]);
        }
        let (primaries, replicas) = self.servers.split_at(PRIMARIES);
        for (number, server) in primaries.iter().enumerate() {
            let bounds = [number, number + 1].map(|part| part * SLOTS / PRIMARIES);
            let (from, to) = (bounds[0].to_string(), (bounds[1] - 1).to_string());
            done(server, &["CLUSTER", "ADDSLOTSRANGE", &from, &to]);
        }
        until("all know each other", || {
            self.servers.iter().all(|server| info(server).contains("cluster_known_nodes:6"))
        });
        for (replica, primary) in replicas.iter().zip(primaries) {
            let id = id(primary);
            until("a replica has heard of its primary", || {
                ask::<()>(replica, &["CLUSTER", "REPLICATE", &id]).is_ok()
            });
        }
        until("the cluster is whole", || {
            self.servers.iter().all(|server| info(server).contains("cluster_state:ok"))
                && replicas.iter().all(follows)
                && self.servers.iter().all(sees_replicas)
        });
    }
}

/// What servers are told that shall follow each other without delay.
fn quick(more: &[&str]) -> Options {
    let delays = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"];
    let arguments = [&delays[..], more].concat().into_iter().map(String::from).collect();
    Options { arguments, ..Options::default() }
}

/// A primary with two replicas, and three sentinels that watch over it.
#[derive(Debug)]
pub struct Watched {
    /// The primary at first, then its replicas.
    pub servers: Vec<Server>,
    pub sentinels: Vec<Server>,
}

impl Watched {
    /// What the sentinels call the primary.
    pub const NAME: &'static str = "shop";

    /// Starts the servers and waits until the sentinels know all of them and each other.
    pub fn start() -> Self {
        let primary = Server::with(|_| quick(&[]));
        let port = primary.port();
        let leader = format!("127.0.0.1 {port}");
        let servers: Vec<_> =
            (0..2).map(|_| Server::with(|_| quick(&["--replicaof", &leader]))).collect();
        until("the replicas follow", || servers.iter().all(follows));
        let sentinels: Vec<_> = (0..3).map(|_| sentinel(port)).collect();
        until("the sentinels know everybody", || sentinels.iter().all(knows_all));
        let servers = std::iter::once(primary).chain(servers).collect();
        Self { servers, sentinels }
    }

    pub fn sentinel_urls(&self) -> Vec<String> {
        self.sentinels.iter().map(Server::url).collect()
    }

    /// The number of the server that is the primary, as all sentinels say.
    pub fn primary(&self) -> Option<usize> {
        let said = self.sentinels.iter().map(|sentinel| {
            let words = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Self::NAME];
            ask::<(String, u16)>(sentinel, &words).ok().map(|(_, port)| port)
        });
        let ports: std::collections::HashSet<_> = said.collect();
        let [Some(port)] = ports.into_iter().collect::<Vec<_>>()[..] else { return None };
        self.servers.iter().position(|server| server.port() == port)
    }

    /// Waits until another server than this one is the primary.
    pub fn until_succeeded(&self, old: usize) -> usize {
        until("another primary is elected", || {
            self.primary().is_some_and(|new| new != old && role(&self.servers[new]) == "master")
        });
        self.primary().expect("just seen")
    }
}

/// A sentinel that watches over the server on this port.
pub fn sentinel(port: u16) -> Server {
    let name = Watched::NAME;
    let file = format!(
        "sentinel monitor {name} 127.0.0.1 {port} 2\n\
         sentinel down-after-milliseconds {name} 500\n\
         sentinel failover-timeout {name} 2000\n"
    );
    let arguments = vec!["--sentinel".to_owned()];
    Server::with(|_| Options {
        arguments: arguments.clone(),
        file: Some(file.clone()),
        ..Options::default()
    })
}

fn knows_all(sentinel: &Server) -> bool {
    let facts: Vec<String> =
        ask(sentinel, &["SENTINEL", "MASTER", Watched::NAME]).unwrap_or_default();
    let fact = |name: &str| facts.chunks(2).find(|fact| fact[0] == name).map(|fact| &*fact[1]);
    fact("num-slaves") == Some("2") && fact("num-other-sentinels") == Some("2")
}

/// Lets a user called `app` in, with these rights and no other.
pub fn allow(servers: &[Server], rights: &str) {
    let user = format!("ACL SETUSER app on >secret ~{{shop:* resetchannels &{{shop:* {rights}");
    for server in servers {
        done(server, &user.split_whitespace().collect::<Vec<_>>());
    }
}

/// What a server answers, asked over a connection of its own.
pub fn ask<T: redis::FromRedisValue>(server: &Server, words: &[&str]) -> redis::RedisResult<T> {
    let client = redis::Client::open(server.url())?;
    let mut connection = client.get_connection_with_timeout(Duration::from_secs(2))?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    redis::cmd(words[0]).arg(&words[1..]).query(&mut connection)
}

/// Waits for something that the servers will come to.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let give_up = Instant::now() + AGREEMENT;
    while !holds() {
        assert!(Instant::now() < give_up, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn done(server: &Server, words: &[&str]) {
    ask::<redis::Value>(server, words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
}

fn info(server: &Server) -> String {
    ask(server, &["CLUSTER", "INFO"]).unwrap_or_default()
}

fn id(server: &Server) -> String {
    ask(server, &["CLUSTER", "MYID"]).expect("a server of ours runs")
}

/// The port of the cluster's own traffic.
fn bus(server: &Server) -> String {
    let (_, port): (String, String) =
        ask(server, &["CONFIG", "GET", "cluster-port"]).expect("a server of ours runs");
    port
}

fn follows(server: &Server) -> bool {
    let replication: String = ask(server, &["INFO", "replication"]).unwrap_or_default();
    replication.contains("master_link_status:up")
}

fn role(server: &Server) -> String {
    let replication: String = ask(server, &["INFO", "replication"]).unwrap_or_default();
    let role = replication.lines().find_map(|line| line.strip_prefix("role:"));
    role.unwrap_or_default().trim().to_owned()
}

/// The port of the slot's primary.
fn owner(server: &Server, slot: u16) -> Option<u16> {
    let ranges: Vec<Vec<redis::Value>> = ask(server, &["CLUSTER", "SLOTS"]).ok()?;
    ranges.into_iter().find_map(|range| {
        let number = |value: &redis::Value| redis::from_redis_value_ref::<u16>(value).ok();
        let holds = (number(&range[0])?..=number(&range[1])?).contains(&slot);
        let redis::Value::Array(node) = &range[2] else { return None };
        if holds { number(&node[1]) } else { None }
    })
}

fn sees_replicas(server: &Server) -> bool {
    let ranges: Vec<Vec<redis::Value>> = ask(server, &["CLUSTER", "SLOTS"]).unwrap_or_default();
    ranges.len() == PRIMARIES && ranges.iter().all(|range| range.len() == 4)
}
