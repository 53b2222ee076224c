//! A buffer with an end: a value over the limit is given up while it is written, not after.

use std::io::{Error, Result, Write};

pub(super) struct Bounded {
    pub(super) bytes: Vec<u8>,
    limit: usize,
    /// More than the limit was to be written.
    pub(super) is_over: bool,
}

impl Bounded {
    pub(super) const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, is_over: false }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let length = self.bytes.len().saturating_add(bytes.len());
        if length > self.limit {
            self.is_over = true;
            return Err(Error::other("over the size limit"));
        }
        if length > self.bytes.capacity() {
            let room = self.bytes.capacity().saturating_mul(2).max(length).min(self.limit);
            self.bytes.reserve_exact(room - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
