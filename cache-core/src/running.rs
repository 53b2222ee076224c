//! What a cache has running in this process: loads, and tasks behind their callers. What
//! [`Cache::shutdown`](crate::Cache::shutdown) waits for.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use crate::remote::Remote;
use crate::store::{Load, Mark};

/// A lease, or a load mark, in the store.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) remote: Arc<Remote>,
    pub(crate) tag: Arc<str>,
    pub(crate) load: Load,
}

/// What became of the loads that ran when a cache was shut down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shutdown {
    /// Loads that came to an end, with a value or an error, since the shutdown began.
    pub finished: usize,
    /// Loads that were given up: by the deadline, or by callers that left since the shutdown began.
    pub given_up: usize,
    /// Leases and load marks that were given back at the deadline. What the store did not hear of
    /// lapses by itself, within one lease.
    pub released: usize,
    /// Invalidations that the store has not heard of, and will not. Other processes may serve what
    /// should have been removed, until its life is over.
    pub unsent: usize,
}

/// All of it, of one cache.
#[derive(Debug, Default)]
pub(crate) struct Running {
    state: Mutex<State>,
    /// Of loads and tasks.
    number: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// No load goes on without its caller any more.
    closed: bool,
    /// The deadline is over: what still loads behind its caller is aborted.
    over: bool,
    loads: HashMap<u64, Loading>,
    tasks: HashMap<u64, Task>,
    sum: Shutdown,
}

#[derive(Debug)]
struct Loading {
    held: Option<Held>,
    let_go: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Task {
    /// A load; else something short that gives a lease back.
    loads: bool,
    handle: Option<AbortHandle>,
}

impl State {
    fn draw(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Marks all loads as given up. What they hold, and the tasks to abort.
    fn give_up(&mut self) -> (Vec<Held>, Vec<AbortHandle>) {
        self.over = true;
        let news = |load: &&mut Loading| !load.let_go.swap(true, Ordering::SeqCst);
        let given_up: Vec<_> = self.loads.values_mut().filter(news).collect();
        self.sum.given_up += given_up.len();
        let held = given_up.into_iter().filter_map(|load| load.held.take()).collect();
        let tasks = self.tasks.values().filter(|task| task.loads);
        (held, tasks.filter_map(|task| task.handle.clone()).collect())
    }
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state);
        let number = state.loads.len() + state.tasks.len();
        self.number.send_replace(number); // under the lock, so that the last word is the newest
        changed
    }

    /// Whether the cache is shut down.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// A load begins, with what it holds in the store.
    pub(crate) fn enter(self: &Arc<Self>, held: Option<Held>) -> Place {
        let let_go = Arc::<AtomicBool>::default();
        let load = Loading { held, let_go: Arc::clone(&let_go) };
        let id = self.change(|state| {
            let id = state.draw();
            state.loads.insert(id, load);
            id
        });
        Place { running: Arc::clone(self), id, let_go, finished: false }
    }

    /// Lets a load go on in a task of its own. `false`: not after a shutdown, nor without a runtime.
    pub(crate) fn load_behind(
        self: &Arc<Self>,
        job: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        self.spawn(true, job)
    }

    /// Gives something back in a task of its own. Without a runtime nobody does.
    pub(crate) fn give_back(self: &Arc<Self>, job: impl Future<Output = ()> + Send + 'static) {
        self.spawn(false, job);
    }

    fn spawn(
        self: &Arc<Self>,
        loads: bool,
        job: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        let Ok(runtime) = Handle::try_current() else { return false };
        let entered = self.change(|state| {
            let id = state.draw();
            let enters = !(loads && state.closed);
            enters.then(|| state.tasks.insert(id, Task { loads, handle: None })).map(|_| id)
        });
        let Some(id) = entered else { return false };
        // Made here: a runtime that is shutting down drops the task without polling it.
        let counted = Counted { running: Arc::clone(self), id };
        let task = runtime.spawn(async move {
            let _counted = counted; // dropped after the job: what that leaves behind is known by then
            job.await;
        });
        let mut state = self.state();
        if loads && state.over {
            task.abort();
        } else if let Some(known) = state.tasks.get_mut(&id) {
            known.handle = Some(task.abort_handle());
        }
        true
    }

    /// See [`Cache::shutdown`](crate::Cache::shutdown). `farewell`: how long the store may take to
    /// hear of what is given up.
    pub(crate) async fn shut_down(&self, deadline: Duration, farewell: Duration) -> Shutdown {
        self.change(|state| state.closed = true);
        if timeout(deadline, self.idle()).await.is_err() {
            self.give_up(farewell).await;
        }
        self.state().sum
    }

    /// Nothing runs.
    async fn idle(&self) {
        let mut number = self.number.subscribe();
        let _ = number.wait_for(|number| *number == 0).await; // the sender is in `self`
    }

    async fn give_up(&self, farewell: Duration) {
        let (held, tasks) = self.change(State::give_up);
        tasks.iter().for_each(AbortHandle::abort);
        let released: JoinSet<bool> = held.into_iter().map(|held| held.release(farewell)).collect();
        let released = released.join_all().await.into_iter().filter(|&heard| heard).count();
        self.change(|state| state.sum.released += released);
        // The aborted are dropped, and what else gives something back has its time.
        let _ = timeout(farewell, self.idle()).await;
    }
}

impl Held {
    /// Whether the store has heard of it. Wakes who waits for the lease.
    async fn release(self, farewell: Duration) -> bool {
        let Self { remote, tag, load } = self;
        let left = remote.store().abandon(&tag, load, Mark::Nothing);
        matches!(timeout(farewell, left).await, Ok(Ok(_)))
    }
}

/// A load among those that run. Dropping it counts the load out.
#[derive(Debug)]
pub(crate) struct Place {
    running: Arc<Running>,
    id: u64,
    let_go: Arc<AtomicBool>,
    finished: bool,
}

impl Place {
    /// The load has come to an end of its own.
    pub(crate) fn finished(&mut self) {
        self.finished = true;
    }

    /// What the load held was given back for it.
    pub(crate) fn is_let_go(&self) -> bool {
        self.let_go.load(Ordering::SeqCst)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (let_go, finished) = (self.is_let_go(), self.finished);
        self.running.change(|state| {
            state.loads.remove(&self.id);
            if state.closed && !let_go {
                let sum = &mut state.sum;
                *(if finished { &mut sum.finished } else { &mut sum.given_up }) += 1;
            }
        });
    }
}

/// Counts a task out.
struct Counted {
    running: Arc<Running>,
    id: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.running.change(|state| state.tasks.remove(&self.id));
    }
}
