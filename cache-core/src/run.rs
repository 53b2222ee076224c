//! A call from its first poll to its answer: the typed shell around the untyped engine.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::cache::Cache;
use crate::loader::{Background, Body, Loading, Mine, Split};
use crate::meaning::{Meaning, Share, take};
use crate::plan::{Ended, Load, Plan, begin, tell};
use crate::site::Site;

/// The future inside a [`Call`](crate::Call). One for each function, so it only moves what has the
/// function's types in and out.
pub(crate) async fn run<M: Meaning, L: Loading<M::Output>>(
    site: Site,
    share: Share<M::Error>,
    loading: L,
) -> M::Output {
    let (cache, plan) = begin(&site).await;
    let (mine, ended) = match settled::<M>(plan, share) {
        Ok(answer) => answer,
        // A box: arguments are held once, however deep they are handed down.
        Err(load) => Box::pin(perform::<M, L>(load, &site, &cache, share, loading)).await,
    };
    tell(&cache, ended.outcome);
    output::<M>(mine, ended, share)
}

/// The leader's own output where it is at hand, and the rest of the answer.
type Answer<R> = (Option<R>, Ended);

/// The answer of a call that runs no loader.
fn settled<M: Meaning>(plan: Plan, share: Share<M::Error>) -> Result<Answer<M::Output>, Load> {
    match plan {
        Plan::Ended(ended) => Ok((None, ended)),
        Plan::Failed(shared, outcome) => match share.error(&shared) {
            Some(error) => Ok((Some(M::err(error)), Ended::mine(None, outcome))),
            None => Err(Load::Alone { degraded: false }),
        },
        Plan::Load(load) => Err(load),
    }
}

fn output<M: Meaning>(mine: Option<M::Output>, ended: Ended, share: Share<M::Error>) -> M::Output {
    if let Some(value) = ended.value {
        return M::ok(take(value));
    }
    let mine = match ended.mine {
        Some(Mine::Sent(mut sent)) => {
            sent.downcast_mut::<Option<M::Output>>().and_then(Option::take)
        }
        Some(Mine::Late(failed)) => Some(M::err(share.late(failed))),
        None => mine,
    };
    mine.expect("a lead settles, and an error keeps its output")
}

/// Runs the loader: where it can be finished without this caller, so that it will be.
async fn perform<M: Meaning, L: Loading<M::Output>>(
    load: Load,
    site: &Site,
    cache: &Cache,
    share: Share<M::Error>,
    loading: L,
) -> Answer<M::Output> {
    let (body, loading) = match detachable(loading, load.leaves()) {
        Ok(background) => (Some(body::<M>(background, share)), None),
        Err(loading) => (None, Some(loading)),
    };
    let mut started = match load.start(body, site, cache).await {
        Ok(started) => started,
        Err(ended) => return (None, ended),
    };
    let mut loader = loading.expect("what runs here has not left").here();
    let mut output = None;
    let ran = poll_fn(|cx| {
        started.poll(cx, &mut |cx| loader.as_mut().poll(cx).map(|done| output = Some(done)))
    })
    .await;
    drop(loader);
    let (mine, split) = match (ran, output) {
        (Ok(()), Some(output)) if started.is_stored() => split::<M>(output, share),
        (Ok(()), output) => (output, Split::Error(None, None)),
        (Err(failed), _) => (None, Split::Late(failed)),
    };
    (mine, started.settle(split).await)
}

fn detachable<R, L: Loading<R>>(loading: L, wanted: bool) -> Result<Background<R>, L> {
    if wanted { loading.away() } else { Err(loading) }
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
