//! A worker as its test sees it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::protocol::{
    Answer, Counts, Function, MARK, Reply, Request, Setup, That, WORKER, What, Work,
};
use crate::stage::GUARD;

/// A running worker process. Dropped, it is killed.
pub(crate) struct Worker {
    process: Child,
    requests: ChildStdin,
    replies: Receiver<Reply>,
    /// Replies nobody has asked for yet.
    early: HashMap<u64, That>,
    last: u64,
}

/// A call under way.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(crate) struct Ticket(u64);

impl Worker {
    pub(crate) fn start(setup: &Setup) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker", "--nocapture"])
            .env(WORKER, serde_json::to_string(setup).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (requests, lines) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (say, replies) = channel();
        std::thread::spawn(move || listen(lines, &say));
        let mut worker = Self { process, requests, replies, early: HashMap::new(), last: 0 };
        worker.count(); // it is up
        worker
    }

    /// Starts a call; [`Self::answer`] has its end.
    pub(crate) fn call(&mut self, function: Function, key: &str, work: Work) -> Ticket {
        self.ask(What::Call { function, key: key.into(), work })
    }

    pub(crate) fn answer(&mut self, Ticket(id): Ticket) -> Answer {
        match self.reply(id) {
            That::Answered(answer) => answer,
            other => panic!("no answer but {other:?}"),
        }
    }

    /// A call and its end.
    pub(crate) fn get(&mut self, function: Function, key: &str, work: Work) -> Answer {
        let ticket = self.call(function, key, work);
        self.answer(ticket)
    }

    /// Starts a request whose end is [`Self::done`].
    pub(crate) fn ask(&mut self, what: What) -> Ticket {
        self.last += 1;
        let request = serde_json::to_string(&Request { id: self.last, what }).unwrap();
        writeln!(self.requests, "{request}").unwrap();
        Ticket(self.last)
    }

    pub(crate) fn done(&mut self, Ticket(id): Ticket) {
        assert!(matches!(self.reply(id), That::Done));
    }

    pub(crate) fn invalidate(&mut self, function: Function, key: &str) {
        let ticket = self.ask(What::Invalidate { function, key: key.into() });
        self.done(ticket);
    }

    /// The number of the load whose value is stored.
    pub(crate) fn peek(&mut self, function: Function, key: &str) -> Option<u64> {
        let Ticket(id) = self.ask(What::Peek { function, key: key.into() });
        match self.reply(id) {
            That::Peeked(load) => load,
            other => panic!("no look but {other:?}"),
        }
    }

    /// What a shutdown came to: loads finished, loads given up, leases given back.
    pub(crate) fn shut_down(&mut self, Ticket(id): Ticket) -> (usize, usize, usize) {
        match self.reply(id) {
            That::ShutDown(finished, given_up, released) => (finished, given_up, released),
            other => panic!("no shutdown but {other:?}"),
        }
    }

    /// Asks for the process's end and waits for it. Returns its exit status.
    pub(crate) fn ends(mut self, how: What) -> Option<i32> {
        let _ = self.ask(how);
        self.process.wait().unwrap().code()
    }

    pub(crate) fn count(&mut self) -> Counts {
        let Ticket(id) = self.ask(What::Count);
        match self.reply(id) {
            That::Counted(counts) => counts,
            other => panic!("no counts but {other:?}"),
        }
    }

    /// Stops the process where it stands.
    pub(crate) fn stop(&self) {
        self.signal("STOP");
    }

    /// Lets a stopped process go on.
    pub(crate) fn resume(&self) {
        self.signal("CONT");
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -$0 $1", name, &pid]).status().unwrap();
        assert!(sent.success(), "signal {name} was not delivered");
    }

    fn reply(&mut self, id: u64) -> That {
        loop {
            if let Some(that) = self.early.remove(&id) {
                return that;
            }
            let reply = self.replies.recv_timeout(GUARD).expect("a worker hangs, or has died");
            self.early.insert(reply.id, reply.that);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill(); // fails only where the test did it
        let _ = self.process.wait();
    }
}

fn listen(lines: ChildStdout, say: &Sender<Reply>) {
    for line in BufReader::new(lines).lines().map_while(Result::ok) {
        let Some(reply) = line.strip_prefix(MARK) else { continue };
        let _ = say.send(serde_json::from_str(reply).unwrap()); // the test may be over
    }
}
