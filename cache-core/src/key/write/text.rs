//! Text that turns into a digest where it grows too long to stand in a key.

use std::fmt;

/// Bytes that the outermost map or set may hold in order to sort them. Those inside it may hold half
/// as much each, so that all of them together hold twice this.
const ROOM: usize = 128 * 1024;

/// ... but no less than this: what can be shown in a key is sorted at any depth.
const LEAST_ROOM: usize = 8 * 1024;

/// Text on its way to the digest is collected up to this part of the room: one call of the hash
/// function then works on several of its blocks at once.
const BATCH: usize = 16;

/// Bytes of a digest in a key: hexadecimal, lower case.
pub(in crate::key) const DIGEST: usize = 2 * blake3::OUT_LEN;

/// Text with a head that stays. What follows the head stays too, or, beyond a limit, goes to a
/// digest piece by piece: an argument of any size needs little memory of its own.
#[derive(Debug)]
pub(in crate::key) struct Text {
    text: String,
    head: usize,
    /// Bytes `text` may have; what is more spills into the digest.
    full: usize,
    /// Bytes that a map or set in this text may hold in order to sort them. Told by the depth alone:
    /// what else was written must not make a key.
    room: usize,
    /// Boxed: the usual key has none, and a hasher is two kilobytes.
    digest: Option<Box<blake3::Hasher>>,
}

impl Text {
    /// Keeps up to `limit` bytes after the head.
    pub(in crate::key) fn limited(head: String, limit: usize) -> Self {
        Self { head: head.len(), full: head.len() + limit, room: ROOM, text: head, digest: None }
    }

    /// For the entries of a map or set in this text. [`begin`](Self::begin) comes before the first.
    pub(super) fn inside(&self) -> Self {
        let room = (self.room / 2).max(LEAST_ROOM);
        Self { text: String::new(), head: 0, full: 0, room, digest: None }
    }

    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// From here on up to `limit` bytes stay text. What was written so far does.
    pub(super) fn begin(&mut self, limit: usize) {
        self.head = self.text.len();
        self.full = self.head + limit;
    }

    /// Whether more was written since the beginning than may stay.
    pub(super) fn has_spilled(&self) -> bool {
        self.digest.is_some()
    }

    /// Bytes so far, of the head too. Without meaning once something spilled.
    pub(in crate::key) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(in crate::key) fn push_str(&mut self, more: &str) {
        if self.text.len() + more.len() > self.full {
            return self.spill(more);
        }
        self.text.push_str(more);
    }

    #[cold]
    fn spill(&mut self, more: &str) {
        let digest = self.digest.get_or_insert_with(Box::default);
        digest.update(&self.text.as_bytes()[self.head..]);
        self.text.truncate(self.head);
        let batch = self.room / BATCH;
        self.full = self.head + batch;
        if more.len() > batch {
            digest.update(more.as_bytes());
        } else {
            self.text.push_str(more);
        }
    }

    /// The head, and what follows it: text, or the digest of text that was over the limit.
    pub(in crate::key) fn finish(mut self) -> (String, Option<blake3::Hash>) {
        let digest = self.has_spilled().then(|| self.take_digest());
        (self.text, digest)
    }

    /// The digest of what follows the head, which is taken away.
    pub(in crate::key) fn take_digest(&mut self) -> blake3::Hash {
        let rest = &self.text.as_bytes()[self.head..];
        let digest = match self.digest.take() {
            Some(mut digest) => digest.update(rest).finalize(),
            None => blake3::hash(rest),
        };
        self.text.truncate(self.head);
        digest
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.push_str(more);
        Ok(())
    }
}
