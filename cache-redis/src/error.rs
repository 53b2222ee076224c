//! The driver's errors in our words.

use cache_core::{Error, ErrorKind};
use redis::{ErrorKind as Driver, RedisError, ServerErrorKind as Server};

/// Our error for the driver's. A server's text may quote arguments, so only its code is told.
pub(crate) fn translate(error: RedisError) -> Error {
    match error.kind() {
        Driver::Server(_) | Driver::Extension | Driver::AuthenticationFailed => answered(&error),
        Driver::Io if error.is_timeout() => {
            Error::new(ErrorKind::Timeout, "Redis has not answered in time").because(error)
        }
        Driver::Io => {
            Error::new(ErrorKind::Unavailable, "the connection to Redis failed").because(error)
        }
        Driver::Parse | Driver::UnexpectedReturnType => misunderstood(),
        _ => Error::new(ErrorKind::Refused, format!("the driver refused: {}", error.category())),
    }
}

/// The server's own word.
fn answered(error: &RedisError) -> Error {
    let code = code(error);
    let kind = match code {
        "LOADING" => ErrorKind::Loading,
        "READONLY" | "MASTERDOWN" => ErrorKind::ReadOnly,
        "OOM" => ErrorKind::OutOfMemory,
        "NOPERM" | "NOAUTH" | "WRONGPASS" => ErrorKind::Denied,
        "NOSCRIPT" => ErrorKind::NoScript,
        "MOVED" | "ASK" | "TRYAGAIN" | "CLUSTERDOWN" => ErrorKind::Moved,
        "WRONGTYPE" => ErrorKind::WrongType,
        _ if error.kind() == Driver::AuthenticationFailed => ErrorKind::Denied,
        _ if is_denied_in_script(error) => ErrorKind::Denied,
        _ => ErrorKind::Refused,
    };
    let what = if kind == ErrorKind::Loading { "Redis is not ready" } else { "Redis refused" };
    Error::new(kind, format!("{what}: {code}"))
}

/// A script may run, and not do what it does: servers before 7.2 have no code for that.
fn is_denied_in_script(error: &RedisError) -> bool {
    let detail = error.detail().unwrap_or_default();
    detail.contains("The user executing the script can't")
        || detail.contains("ACL failure in script")
}

/// Whether the connection that gave this error is of no more use.
pub(crate) fn is_final(error: &RedisError) -> bool {
    matches!(error.kind(), Driver::Io | Driver::Parse) && !error.is_timeout()
}

/// Whether a replica refused to write.
pub(crate) fn is_read_only(error: &RedisError) -> bool {
    error.kind() == Driver::Server(Server::ReadOnly)
}

/// What a server of a cluster advises instead of an answer.
#[derive(Debug)]
pub(crate) enum Redirect {
    /// The slot has moved for good, to this address.
    Moved(String),
    /// The slot is moving, and the key is at this address, or will be.
    Ask(String),
    /// Of the keys of a script some have moved and some have not.
    Later,
    /// This server does not serve the slot, now or any more, and cannot tell who does.
    Elsewhere,
}

/// Whether the answer is such advice.
pub(crate) fn redirect(error: &RedisError) -> Option<Redirect> {
    let node = || error.redirect_node().map(|(address, _)| address.to_owned());
    match error.kind() {
        Driver::Server(Server::Moved) => node().map(Redirect::Moved),
        Driver::Server(Server::Ask) => node().map(Redirect::Ask),
        Driver::Server(Server::TryAgain) => Some(Redirect::Later),
        Driver::Server(Server::ClusterDown | Server::MasterDown | Server::ReadOnly) => {
            Some(Redirect::Elsewhere)
        }
        _ => None,
    }
}

/// A reply that no script or command of ours gives.
pub(crate) fn misunderstood() -> Error {
    Error::new(ErrorKind::Protocol, "Redis answered something this version does not understand")
}

/// The server is out of reach, for this reason.
pub(crate) fn unavailable(address: &str, cause: Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("Redis at {address} cannot be reached"))
        .because(cause)
}

fn code(error: &RedisError) -> &str {
    let is_code = |code: &&str| {
        code.len() <= 20 && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    error.code().filter(is_code).unwrap_or_else(|| error.category())
}
