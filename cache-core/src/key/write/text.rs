//! Text that turns into a digest where it grows too long to stand in a key.

use std::fmt;

/// Text on its way to the digest is collected up to this many bytes: one call of the hash function
/// then works on several of its blocks at once.
const BATCH: usize = 8 * 1024;

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
    /// Boxed: the usual key has none, and a hasher is two kilobytes.
    digest: Option<Box<blake3::Hasher>>,
}

impl Text {
    /// Keeps up to `limit` bytes after the head.
    pub(in crate::key) fn limited(head: String, limit: usize) -> Self {
        Self { head: head.len(), full: head.len() + limit, text: head, digest: None }
    }

    /// Keeps everything.
    pub(super) fn unlimited() -> Self {
        Self { text: String::new(), head: 0, full: usize::MAX, digest: None }
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
        self.full = self.head + BATCH;
        if more.len() > BATCH {
            digest.update(more.as_bytes());
        } else {
            self.text.push_str(more);
        }
    }

    /// The head, and what follows it: text, or the digest of text that was over the limit.
    pub(in crate::key) fn finish(self) -> (String, Option<blake3::Hash>) {
        let Self { mut text, head, digest, .. } = self;
        let digest = digest.map(|mut digest| {
            digest.update(&text.as_bytes()[head..]);
            text.truncate(head);
            digest.finalize()
        });
        (text, digest)
    }

    /// The digest of what follows the head.
    pub(in crate::key) fn digest(self) -> blake3::Hash {
        let head = self.head;
        let (text, digest) = self.finish();
        digest.unwrap_or_else(|| blake3::hash(&text.as_bytes()[head..]))
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.push_str(more);
        Ok(())
    }
}
