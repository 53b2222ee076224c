//! A call from its first poll to its answer: the typed shell around the untyped engine.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::loader::{Background, Body, Loading, Mine, Split};
use crate::meaning::{Meaning, Share, take};
use crate::outcome::Outcome;
use crate::plan::{Ended, Engine, Load, Turn};
use crate::site::Site;

/// The future inside a [`Call`](crate::Call). One for each function, so it only moves what has the
/// function's types in and out; written by hand, as an `async` block is twice the code.
pub(crate) struct Run<M: Meaning, L: Loading<M::Output>> {
    share: Share<M::Error>,
    /// Until it is known whether it stays.
    loading: Option<L>,
    /// While it runs here. Dropped before the engine: nobody is told of its end while it holds
    /// anything.
    loader: Option<Pin<Box<L::Here>>>,
    /// The leader's own output.
    mine: Option<M::Output>,
    engine: Engine,
}

/// Nothing in it is pinned where it stands.
impl<M: Meaning, L: Loading<M::Output>> Unpin for Run<M, L> {}

impl<M: Meaning, L: Loading<M::Output>> Run<M, L> {
    pub(crate) fn new(site: Site, share: Share<M::Error>, loading: L) -> Self {
        let (loading, engine) = (Some(loading), Engine::new(site));
        Self { share, loading, loader: None, mine: None, engine }
    }

    /// Where the loader can be finished without this caller it goes away, so that it will be.
    fn start(&mut self, load: Load) {
        let away = if load.leaves() { self.away() } else { None };
        self.engine.start(load, away);
    }

    fn away(&mut self) -> Option<Body> {
        match self.loading.take()?.away() {
            Ok(background) => Some(body::<M>(background, self.share)),
            Err(stays) => {
                self.loading = Some(stays);
                None
            }
        }
    }
}

impl<M: Meaning, L: Loading<M::Output>> Future for Run<M, L> {
    type Output = M::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<M::Output> {
        let this = &mut *self;
        loop {
            let Self { loader, mine, .. } = this;
            let turn = this.engine.poll(cx, &mut |cx| {
                let loader = loader.as_mut().expect("made when its turn came");
                loader.as_mut().poll(cx).map(|output| *mine = Some(output))
            });
            match ready!(turn) {
                Turn::Load(load) => this.start(load),
                Turn::Run => this.loader = this.loading.take().map(Loading::here),
                Turn::Ran { late: Some(failed), .. } => {
                    this.loader = None;
                    this.engine.settle(Split::Late(failed));
                }
                Turn::Ran { late: None, is_stored } => {
                    this.loader = None;
                    let split = this.split(is_stored);
                    this.engine.settle(split);
                }
                Turn::Failed(shared, outcome) => match this.share.error(&shared) {
                    Some(error) => return Poll::Ready(this.ends(Some(M::err(error)), outcome)),
                    None => this.start(Load::Alone { degraded: false }),
                },
                Turn::Ended(Ended { value, mine, outcome }) => {
                    let output = value.map(|value| M::ok(take(value))).or_else(|| this.own(mine));
                    return Poll::Ready(this.ends(output, outcome));
                }
            }
        }
    }
}

impl<M: Meaning, L: Loading<M::Output>> Run<M, L> {
    /// Takes an output apart that is for others too.
    fn split(&mut self, is_stored: bool) -> Split {
        match self.mine.take() {
            Some(output) if is_stored => {
                let (mine, split) = split::<M>(output, self.share);
                self.mine = mine;
                split
            }
            output => {
                self.mine = output;
                Split::Error(None, None)
            }
        }
    }

    /// The leader's own output, wherever it is.
    fn own(&mut self, mine: Option<Mine>) -> Option<M::Output> {
        match mine {
            Some(Mine::Sent(mut sent)) => {
                sent.downcast_mut::<Option<M::Output>>().and_then(Option::take)
            }
            Some(Mine::Late(failed)) => Some(M::err(self.share.late(failed))),
            None => self.mine.take(),
        }
    }

    fn ends(&mut self, output: Option<M::Output>, outcome: Outcome) -> M::Output {
        self.loading = None;
        self.engine.tell(outcome); // the last thing that happens
        output.expect("a lead settles, and an error keeps its output")
    }
}

fn split<M: Meaning>(output: M::Output, share: Share<M::Error>) -> (Option<M::Output>, Split) {
    match M::split(output) {
        Ok(value) => (None, Split::Value(Arc::new(value))),
        Err(error) => {
            let (mine, shared) = (share.split)(error, share.function);
            (Some(M::err(mine)), Split::Error(None, shared))
        }
    }
}

fn body<M: Meaning>(background: Background<M::Output>, share: Share<M::Error>) -> Body {
    let Background { loader, erase } = background;
    Box::pin(Apart::<M> { loader, erase, share })
}

/// A loader whose output is taken apart where it ends. No `async` block: a tenth of the code.
struct Apart<M: Meaning> {
    loader: Pin<Box<dyn Future<Output = M::Output> + Send>>,
    erase: fn(M::Output) -> Box<dyn Any + Send>,
    share: Share<M::Error>,
}

impl<M: Meaning> Future for Apart<M> {
    type Output = Split;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Split> {
        let output = ready!(self.loader.as_mut().poll(cx));
        Poll::Ready(match split::<M>(output, self.share) {
            (Some(mine), Split::Error(_, shared)) => {
                Split::Error(Some(Mine::Sent((self.erase)(mine))), shared)
            }
            (_, split) => split,
        })
    }
}
