//! The words of the wire: what the scripts are given and what they answer.

use std::mem;
use std::time::Duration;

use cache_core::store::{Begun, Committed, Generation, Next, Token};
use cache_core::{Error, Timestamp};
use redis::{FromRedisValue, Value};

use crate::error::{misunderstood, translate};
use crate::wire::Answer;

/// The plain reply to a command.
pub(crate) fn reply<T: FromRedisValue>(answer: Answer) -> Result<T, Error> {
    redis::from_redis_value(answer.value.map_err(translate)?).map_err(|_| misunderstood())
}

/// The reply of a script that has nothing to tell.
pub(crate) fn done(answer: Answer) -> Result<(), Error> {
    answer.value.map(drop).map_err(translate)
}

/// The reply to `TIME`: its clock takes note.
pub(crate) fn time(mut answer: Answer) -> Result<Timestamp, Error> {
    let value = mem::replace(&mut answer.value, Ok(Value::Nil)).map_err(translate)?;
    let (seconds, micros): (u64, u64) =
        redis::from_redis_value(value).map_err(|_| misunderstood())?;
    let time = Timestamp::from_micros(seconds.saturating_mul(1_000_000).saturating_add(micros));
    answer.learn(time);
    Ok(time)
}

/// The parts of an array reply after the first one, which is the server's time: its clock takes
/// note.
pub(crate) fn timed(mut answer: Answer) -> Result<(Timestamp, Vec<Value>), Error> {
    let value = mem::replace(&mut answer.value, Ok(Value::Nil)).map_err(translate)?;
    let Value::Array(mut parts) = value else { return Err(misunderstood()) };
    let Some(Value::BulkString(digits)) = parts.first() else { return Err(misunderstood()) };
    let micros = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let time = Timestamp::from_micros(micros.ok_or_else(misunderstood)?);
    answer.learn(time);
    parts.remove(0);
    Ok((time, parts))
}

/// What `begin.lua` answered after the time: generation, kind, and what belongs to the kind.
pub(crate) fn begun(time: Timestamp, mut parts: Vec<Value>) -> Option<Begun> {
    let [Value::BulkString(generation), Value::BulkString(kind), rest @ ..] = &mut parts[..] else {
        return None;
    };
    let next = match (kind.as_slice(), rest) {
        (b"entry", [Value::BulkString(bytes)]) => Next::Entry(mem::take(bytes)),
        (b"lead", [Value::Int(leased), Value::Int(running)]) => {
            Next::Lead { leased: *leased == 1, running: u32::try_from(*running).ok()? }
        }
        (b"held", [Value::BulkString(by), Value::Int(takeovers), Value::Int(left)]) => Next::Held {
            by: Token(u128::from_str_radix(std::str::from_utf8(by).ok()?, 16).ok()?),
            takeovers: u32::try_from(*takeovers).ok()?,
            lapses: Duration::from_millis(u64::try_from(*left).ok()?),
        },
        (b"failing", [Value::Int(left)]) => {
            Next::Failing(Duration::from_millis(u64::try_from(*left).ok()?))
        }
        _ => return None,
    };
    Some(Begun { time, generation: read_generation(generation)?, next })
}

/// What `commit.lua` answered after the time.
pub(crate) fn committed(parts: &[Value]) -> Option<Committed> {
    let [Value::BulkString(verdict)] = parts else { return None };
    match verdict.as_slice() {
        b"stored" => Some(Committed::Stored),
        b"superseded" => Some(Committed::Superseded),
        b"late" => Some(Committed::TooLate),
        b"older" => Some(Committed::Older),
        _ => None,
    }
}

/// An absent generation is the empty string to the scripts.
pub(crate) fn written(generation: &Generation) -> &[u8] {
    if *generation == Generation::NONE { &[] } else { &generation.0 }
}

fn read_generation(bytes: &[u8]) -> Option<Generation> {
    if bytes.is_empty() { Some(Generation::NONE) } else { bytes.try_into().ok().map(Generation) }
}

/// Whole milliseconds, rounded up, never none: Redis refuses an expiry of zero.
pub(crate) fn millis(span: Duration) -> u64 {
    const CENTURY: u128 = 100 * 365 * 24 * 3600 * 1000;
    u64::try_from(span.as_nanos().div_ceil(1_000_000).clamp(1, CENTURY)).unwrap_or(1)
}
