//! `SCAN`: a step through all keys of one server.

use cache_core::store::{Cursor, Scanned};
use cache_core::{Error, ErrorKind};
use redis::Cmd;

use crate::reply::reply;
use crate::wire::Answer;

/// Keys a server looks at in one step: some tenths of a millisecond.
const STEP: u32 = 1000;

pub(crate) fn step(prefix: &str, from: &Cursor) -> Cmd {
    let mut command = redis::cmd("SCAN");
    command.arg(from.at).arg("MATCH").arg(pattern(prefix)).arg("COUNT").arg(STEP);
    command
}

/// Matches what begins with exactly this.
fn pattern(prefix: &str) -> String {
    let mut pattern = String::with_capacity(prefix.len() + 8);
    for c in prefix.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('*');
    pattern
}

pub(crate) fn read(answer: Answer, from: &Cursor) -> Result<Scanned, Error> {
    let connection = answer.connection;
    if from.at != 0 && from.connection != connection {
        // Perhaps to another server, whose keys are in another order.
        return Err(Error::new(ErrorKind::Moved, "the connection was made anew during a SCAN"));
    }
    let (at, names): (u64, Vec<Vec<u8>>) = reply(answer)?;
    // What is not text is not ours.
    let names = names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
    let next = (at != 0).then(|| Cursor { primary: from.primary.clone(), at, connection });
    Ok(Scanned { names, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_prefix_is_a_pattern() {
        assert_eq!(pattern("{a*b:f"), "{a\\*b:f*");
        assert_eq!(pattern("[^x-z]?\\"), "\\[^x-z\\]\\?\\\\*");
    }
}
