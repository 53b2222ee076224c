//! The worker processes: this program again, watched from here.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::options::Options;
use crate::report::Answers;

/// Running workers. Dropped, they are killed.
pub(crate) struct Fleet {
    workers: Vec<Child>,
    news: mpsc::Receiver<News>,
}

/// A worker and its answers of a round; `None` when it has ended.
type News = (usize, Option<String>);

impl Fleet {
    /// Starts the workers with the parent's own arguments.
    pub(crate) fn launch(options: &Options, redis: &str, run: &str) -> std::io::Result<Self> {
        let (say, news) = mpsc::channel(1);
        let workers = (0..options.processes as usize).map(|worker| {
            let mut child = Command::new(std::env::current_exe()?)
                .args(std::env::args().skip(1))
                .env(crate::REDIS, redis)
                .env(crate::RUN, run)
                .stdin(Stdio::piped()) // closes with this process, which ends the worker
                .stdout(Stdio::piped())
                .kill_on_drop(true)
                .spawn()?;
            let lines = child.stdout.take().expect("it is a pipe");
            tokio::spawn(listen(worker, BufReader::new(lines), say.clone()));
            Ok(child)
        });
        Ok(Self { workers: workers.collect::<std::io::Result<_>>()?, news })
    }

    /// What all workers say of one round.
    pub(crate) async fn answers(&mut self, workers: u32) -> Result<Answers, String> {
        let mut all = Answers::default();
        for _ in 0..workers {
            let (worker, line) = self.news.recv().await.ok_or("all workers are gone")?;
            let Some(line) = line else { return Err(self.obituary(worker).await) };
            let answers = serde_json::from_str(&line)
                .map_err(|_| format!("worker {worker} said something else: {line}"))?;
            all.merge(answers);
        }
        Ok(all)
    }

    async fn obituary(&mut self, worker: usize) -> String {
        match self.workers[worker].wait().await {
            Ok(status) => format!("worker {worker} died: {status}"),
            Err(error) => format!("worker {worker} died: {error}"),
        }
    }
}

async fn listen(
    worker: usize,
    lines: BufReader<tokio::process::ChildStdout>,
    say: mpsc::Sender<News>,
) {
    let mut lines = lines.lines();
    loop {
        let line = lines.next_line().await.ok().flatten();
        let ended = line.is_none();
        if say.send((worker, line)).await.is_err() || ended {
            return;
        }
    }
}
