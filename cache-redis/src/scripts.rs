//! The scripts, called by digest.

use std::sync::LazyLock;

use cache_core::Error;
use redis::{Cmd, ErrorKind, ServerErrorKind};

use crate::scripting::{Scripting, is_refusal};
use crate::topology::Topology;
use crate::wire::Answer;

/// A script's text and the digest the server knows it by.
#[derive(Debug)]
pub(crate) struct Script {
    text: &'static str,
    digest: String,
}

macro_rules! scripts {
    ($($name:ident = $file:literal;)*) => {$(
        pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(include_str!("common.lua"), include_str!($file)))
        });
    )*};
}

scripts! {
    BEGIN = "begin.lua";
    RENEW = "renew.lua";
    COMMIT = "commit.lua";
    ABANDON = "abandon.lua";
    INVALIDATE = "invalidate.lua";
    PRIME = "prime.lua";
    REPLACE = "replace.lua";
}

impl Script {
    fn new(text: &'static str) -> Self {
        Self { text, digest: redis::Script::new(text).get_hash().to_owned() }
    }

    /// Runs on the keys of one value; `arguments` adds what is this script's own. `None`: the
    /// account may not run scripts.
    pub(crate) async fn run(
        &self,
        redis: &Topology,
        scripting: &Scripting,
        key: &str,
        arguments: impl Fn(&mut Cmd) + Send + Sync,
    ) -> Result<Option<Answer>, Error> {
        if scripting.is_refused() {
            return Ok(None);
        }
        let call = |verb: &str, script: &str| {
            let mut command = redis::cmd(verb);
            command.arg(script);
            address(&mut command, key, redis.publish());
            arguments(&mut command);
            command
        };
        let mut answer = redis.ask(key, &call("EVALSHA", &self.digest)).await?;
        let unknown = ErrorKind::Server(ServerErrorKind::NoScript);
        if answer.value.as_ref().is_err_and(|error| error.kind() == unknown) {
            // The server has restarted or dropped its scripts; this teaches it again.
            answer = redis.ask(key, &call("EVAL", self.text)).await?;
        }
        if answer.value.as_ref().is_err_and(is_refusal) {
            scripting.refused(&redis.name());
            return Ok(None);
        }
        scripting.allowed(&redis.name());
        Ok(Some(answer))
    }
}

/// The channel on which the wake-ups of a value are published.
pub(crate) fn channel(key: &str) -> String {
    format!("{key}:wake")
}

/// Keys and channel of one value, and how to publish, as `common.lua` expects them.
fn address(command: &mut Cmd, key: &str, publish: &str) {
    command.arg(5).arg(key);
    for part in ["lease", "gen", "mark", "load"] {
        command.arg(format!("{key}:{part}"));
    }
    command.arg(publish).arg(channel(key));
}
