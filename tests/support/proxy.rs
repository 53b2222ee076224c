//! A proxy in front of a server: what passes it is heard, and replies can be held back or lost.

#![allow(dead_code, reason = "shared by several binaries, none of which uses all of it")]
#![allow(unreachable_pub, reason = "shared: some binaries have this at their root")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

/// What becomes of the server's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    Pass,
    /// They come once this ends.
    Held,
    /// They never come.
    Lost,
}

/// Listens on a port of its own for as long as the test runs.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    replies: Replies,
    heard: Vec<u8>,
    connections: Vec<TcpStream>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread of ours panics with it")
    }
}

impl Proxy {
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback works");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let state = State { replies: Replies::Pass, heard: Vec::new(), connections: Vec::new() };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(upstream) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) {
                    connect(&theirs, &client, &upstream);
                }
            }
        });
        Self { port, shared }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// From now on.
    pub fn set(&self, replies: Replies) {
        self.shared.state().replies = replies;
        self.shared.changed.notify_all();
    }

    /// Breaks every connection there is.
    pub fn cut(&self) {
        for connection in self.shared.state().connections.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// How often this stood in what the clients have sent since the proxy began.
    pub fn heard(&self, needle: &str) -> usize {
        let state = self.shared.state();
        state.heard.windows(needle.len()).filter(|part| *part == needle.as_bytes()).count()
    }
}

fn connect(shared: &Arc<Shared>, client: &TcpStream, upstream: &TcpStream) {
    let copy = |stream: &TcpStream| stream.try_clone().expect("a socket can be shared");
    shared.state().connections.extend([copy(client), copy(upstream)]);
    let (asking, asked, hears) = (copy(client), copy(upstream), Arc::clone(shared));
    thread::spawn(move || {
        pass(asking, asked, |bytes| {
            hears.state().heard.extend_from_slice(bytes);
            true
        });
    });
    let (answering, answered, holds) = (copy(upstream), copy(client), Arc::clone(shared));
    thread::spawn(move || {
        pass(answering, answered, |_| {
            let held = |state: &mut State| state.replies == Replies::Held;
            let state = holds.changed.wait_while(holds.state(), held);
            state.expect("no thread of ours panics with it").replies == Replies::Pass
        });
    });
}

/// Until one side closes. `admit` may wait, and says whether the bytes go on.
fn pass(mut from: TcpStream, mut to: TcpStream, mut admit: impl FnMut(&[u8]) -> bool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if admit(&bytes[..read]) && to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
