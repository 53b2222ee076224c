//! Private Redis servers for tests, benches and examples: one process each, on a free loopback
//! port, without persistence, gone with the value that started it.
//!
//! Included by `#[path]` where it is wanted, so it needs only std and the crate `redis`.

#![allow(dead_code, reason = "shared by several binaries, none of which uses all of it")]
#![allow(unreachable_pub, reason = "shared: some binaries have this at their root")]

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Names the program to start, where it is not to be `redis-server`.
pub const PROGRAM: &str = "HERDLESS_REDIS_SERVER";

/// Further arguments for it, separated by spaces.
pub const ARGUMENTS: &str = "HERDLESS_REDIS_ARGUMENTS";

/// Arguments by which nobody may run scripts.
pub const WITHOUT_SCRIPTS: &str = "--user default on nopass ~* &* +@all -@scripting";

const INSTALL: &str = "`redis-server` is needed to run this (Debian and Ubuntu: `apt-get install \
                       redis-server`, macOS: `brew install redis`)";
const STARTUP: Duration = Duration::from_secs(15);

/// What a server is told beside its port. `{dir}` stands for its directory, also in the file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Arguments of the command line.
    pub arguments: Vec<String>,
    /// A configuration file, for servers that rewrite theirs.
    pub file: Option<String>,
    /// Files to lie in its directory, by name.
    pub beside: Vec<(&'static str, String)>,
}

/// A running server. Dropped, it is killed and its directory removed.
#[derive(Debug)]
pub struct Server {
    port: u16,
    dir: PathBuf,
    options: Options,
    child: Child,
    heir: Child,
}

impl Server {
    /// A server on a free port. Panics when there is no `redis-server`.
    pub fn start() -> Self {
        Self::with(|_| Options::default())
    }

    /// A server that is told more. `options` is asked anew where a port was taken meanwhile, and
    /// given a function that finds a free one.
    pub fn with(options: impl Fn(fn() -> u16) -> Options) -> Self {
        (0..20)
            .find_map(|_| Self::try_start(free_port(), options(free_port)))
            .expect("no port on 127.0.0.1 was free for a Redis server")
    }

    /// A server on this port. Panics when the port stays taken.
    pub fn start_on(port: u16) -> Self {
        (0..20)
            .find_map(|_| Self::try_start(port, Options::default()))
            .unwrap_or_else(|| panic!("port {port} stays taken"))
    }

    /// The URL to connect to.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Stops the process where it stands: it neither answers nor closes.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Lets a paused process go on.
    pub fn resume(&self) {
        self.signal("CONT");
    }

    /// Kills the process at once.
    pub fn kill(&mut self) {
        // Fails only where it is dead already.
        let _ = self.child.kill();
        self.child.wait().expect("a child can be waited for");
        let _ = self.heir.kill();
        self.heir.wait().expect("a child can be waited for");
    }

    /// A new, empty server on the same port. One of a cluster remembers what it was.
    pub fn restart(&mut self) {
        self.kill();
        self.child = (0..20)
            .find_map(|_| launch(self.port, &self.dir, &self.options))
            .unwrap_or_else(|| panic!("port {} was taken while the server was away", self.port));
        self.heir = heir(&self.child);
    }

    /// A connection of its own for the test to look around with.
    pub async fn connection(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.url()).expect("our own URL");
        client.get_multiplexed_async_connection().await.expect("the server runs")
    }

    fn try_start(port: u16, options: Options) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = format!("herdless-redis-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(dir);
        fs::create_dir_all(&dir).expect("the temporary directory can be written");
        for (name, text) in &options.beside {
            fs::write(dir.join(name), text).expect("our own directory can be written");
        }
        let Some(child) = launch(port, &dir, &options) else {
            let _ = fs::remove_dir_all(&dir);
            return None;
        };
        let heir = heir(&child);
        Some(Self { port, dir, options, child, heir })
    }

    fn signal(&self, name: &str) {
        // The shell's own `kill`: small images have no such program.
        let status = Command::new("sh")
            .args(["-c", "kill -$0 $1", name, &self.pid().to_string()])
            .status()
            .expect("there is a shell");
        assert!(status.success(), "signal {name} was not delivered");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            eprintln!("--- log of the Redis server on port {} ---\n{log}", self.port);
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Ends the server should this process end without dropping it: a server in a static, or a test
/// that was killed. Reads from a pipe that nobody writes to and that closes with this process.
fn heir(server: &Child) -> Child {
    Command::new("sh")
        .args(["-c", "read _; kill -9 $0", &server.id().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("there is a shell")
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback works");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Starts a server and waits until it answers. `None` when it ended at once: the port was taken.
fn launch(port: u16, dir: &Path, options: &Options) -> Option<Child> {
    let here = dir.to_str().expect("a temporary directory with a plain name");
    let log = File::create(dir.join("log")).expect("our own directory can be written");
    let errors = log.try_clone().expect("a file can be shared");
    let program = std::env::var(PROGRAM).unwrap_or_else(|_| "redis-server".to_owned());
    let further = std::env::var(ARGUMENTS).unwrap_or_default();
    let mut command = Command::new(program);
    if let Some(file) = &options.file {
        fs::write(dir.join("conf"), file.replace("{dir}", here)).expect("it can be written");
        command.arg(dir.join("conf"));
    }
    let mut child = command
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no", "--daemonize", "no"])
        .args(["--dir", here])
        .args(options.arguments.iter().map(|one| one.replace("{dir}", here)))
        .args(further.split_whitespace())
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .spawn()
        .unwrap_or_else(|error| panic!("{INSTALL}: {error}"));
    let give_up = Instant::now() + STARTUP;
    while Instant::now() < give_up {
        if answers(port, child.id()) {
            return Some(child);
        }
        if child.try_wait().expect("a child can be asked").is_some() {
            std::thread::sleep(Duration::from_millis(50));
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
    panic!("a Redis server on port {port} has not answered within {STARTUP:?}");
}

/// Whether the process behind the port is ours and ready. Another test's server may have taken it.
fn answers(port: u16, pid: u32) -> bool {
    let ask = || -> redis::RedisResult<String> {
        let client = redis::Client::open(("127.0.0.1", port))?;
        let mut connection = client.get_connection_with_timeout(Duration::from_millis(200))?;
        connection.set_read_timeout(Some(Duration::from_millis(500)))?;
        let _: String = redis::cmd("PING").query(&mut connection)?;
        redis::cmd("INFO").arg("server").query(&mut connection)
    };
    ask().is_ok_and(|info| info.lines().any(|line| line == format!("process_id:{pid}")))
}
