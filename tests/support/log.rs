//! What is logged, line by line. Included by `#[path]` where it is wanted.

#![allow(dead_code, reason = "shared by several binaries, none of which uses all of it")]
#![allow(unreachable_pub, reason = "shared: some binaries have this at their root")]

use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// Remembers every event, and every span that is made or told something.
#[derive(Debug, Clone)]
pub struct Log {
    most: LevelFilter,
    lines: Arc<Mutex<Vec<String>>>,
    spans: Arc<Mutex<Vec<(String, &'static str)>>>,
}

impl Log {
    /// Of what is as grave as this, or graver.
    pub fn of(most: LevelFilter) -> Self {
        Self { most, lines: Arc::default(), spans: Arc::default() }
    }

    /// Of everything, from now on, in this thread.
    pub fn here() -> (Self, DefaultGuard) {
        let log = Self::of(LevelFilter::TRACE);
        (log.clone(), tracing::subscriber::set_default(log))
    }

    /// One line each: `message=a load failed key={shop:price:v1(7)} `.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The names of the spans that were made in this module.
    pub fn spans_of(&self, module: &str) -> Vec<&'static str> {
        let spans = self.spans.lock().unwrap();
        spans.iter().filter(|(target, _)| target == module).map(|(_, name)| *name).collect()
    }

    fn add(&self, record: impl FnOnce(&mut Line)) {
        let mut line = Line(String::new());
        record(&mut line);
        self.lines.lock().unwrap().push(line.0.replace('\n', " "));
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.most
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let metadata = span.metadata();
        self.spans.lock().unwrap().push((metadata.target().to_owned(), metadata.name()));
        self.add(|line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.add(|line| values.record(line));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.add(|line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
