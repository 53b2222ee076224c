//! What has parts in no order: maps, sets, heaps.

use serde::ser::{self, Serialize};

use super::sum::Sum;
use super::text::Text;
use super::{Failed, argument};

/// Entries of a map or elements of a set. Iteration order must not make a key, so they are sorted
/// before they are written; or, where they are too many or too long to be held, summed up.
///
/// Which of the two it is depends on the bytes of all of them, and so not on their order either.
pub(super) struct Unordered<'a> {
    out: &'a mut Text,
    brackets: [&'static str; 2],
    /// All entries so far; of those that are summed up, the one that is being written.
    written: Text,
    entries: Vec<Entry>,
    sum: Option<Sum>,
}

/// Where an entry stands in the written text. A set has keys only.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    key: usize,
    end: usize,
}

impl<'a> Unordered<'a> {
    pub(super) fn map(out: &'a mut Text) -> Self {
        let written = out.inside();
        Self { out, brackets: ["<", ">"], written, entries: Vec::new(), sum: None }
    }

    pub(super) fn set(out: &'a mut Text) -> Self {
        Self { brackets: ["[", "]"], ..Self::map(out) }
    }

    /// An element of a set.
    pub(super) fn push<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Failed> {
        self.begin(element)?;
        self.end();
        Ok(())
    }

    fn begin<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        let start = self.written.len();
        self.written.begin(self.out.room().saturating_sub(self.held()));
        argument(&mut self.written, key)?;
        let end = self.written.len();
        self.entries.push(Entry { start, key: end, end });
        Ok(())
    }

    /// The entry that was begun is complete.
    fn end(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.end = self.written.len();
        }
        if self.sum.is_some() || self.written.has_spilled() || self.held() > self.out.room() {
            self.sum_up();
        }
    }

    /// Bytes of memory.
    fn held(&self) -> usize {
        self.written.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Moves all entries into the sum: one by one from the first time on.
    fn sum_up(&mut self) {
        let sum = self.sum.get_or_insert_default();
        sum.add(&self.written.take_digest());
        self.entries.pop();
        for Entry { start, end, .. } in self.entries.drain(..) {
            sum.add(&blake3::hash(&self.written.as_str().as_bytes()[start..end]));
        }
        if self.written.len() > 0 {
            self.written = self.out.inside();
            self.entries = Vec::new();
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the shape of serde's `end`")]
    pub(super) fn finish(self) -> Result<(), Failed> {
        let Self { out, brackets: [open, close], written, mut entries, sum } = self;
        out.push_str(open);
        if let Some(sum) = sum {
            // No entry begins like that.
            out.push_str("#");
            out.push_str(&sum.digest().to_hex());
        }
        let written = written.as_str();
        let parts = |Entry { start, key, end }| (&written[start..key], &written[key..end]);
        entries.sort_unstable_by(|&one, &other| parts(one).cmp(&parts(other)));
        for (at, Entry { start, end, .. }) in entries.into_iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            out.push_str(&written[start..end]);
        }
        out.push_str(close);
        Ok(())
    }
}

impl ser::SerializeMap for Unordered<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        self.begin(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        // Serde demands a key before each value.
        if self.entries.is_empty() {
            return Err(Failed);
        }
        self.written.push_str("=");
        argument(&mut self.written, value)?;
        self.end();
        Ok(())
    }

    fn end(self) -> Result<(), Failed> {
        self.finish()
    }
}
