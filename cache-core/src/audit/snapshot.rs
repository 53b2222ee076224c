//! The audit as a file under version control: a changed key or ttl shows in review.

use std::fmt::Write as _;
use std::path::Path;

use super::table::in_one_line;
use super::{Audit, Audited};

/// Set to `1`, this environment variable makes [`Audit::assert_snapshot`] write instead of compare.
const BLESS: &str = "HERDLESS_BLESS";

impl Audit {
    /// One section a function, one line a setting, without line numbers: a move within a file is
    /// no change.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = "# Caches\n".to_owned();
        for function in &self.functions {
            let _ = writeln!(text, "\n## `{}`\n", function.identity);
            for (name, value) in function.lines() {
                let _ = writeln!(text, "- {name}: {}", in_one_line(&value));
            }
        }
        text
    }

    /// Compares [`markdown`](Self::markdown) with the file at `path`, relative to the directory
    /// that `cargo test` runs in: the package's own.
    ///
    /// Run once with `HERDLESS_BLESS=1` in the environment to write the file, and again after
    /// every change on purpose.
    ///
    /// # Panics
    /// Where the file differs or cannot be read, with the lines that do.
    #[track_caller]
    pub fn assert_snapshot(&self, path: impl AsRef<Path>) {
        let bless = std::env::var_os(BLESS).is_some_and(|set| set == "1");
        let done = if bless { self.write(path.as_ref()) } else { self.compare(path.as_ref()) };
        done.unwrap_or_else(|what| panic!("{what}"));
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        std::fs::write(path, self.markdown())
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn compare(&self, path: &Path) -> Result<(), String> {
        let (shown, now) = (path.display(), self.markdown());
        let before = std::fs::read_to_string(path)
            .map_err(|error| format!("{shown}: {error}; run this test with {BLESS}=1"))?;
        if before.lines().eq(now.lines()) {
            return Ok(());
        }
        let difference = difference(&before, &now);
        Err(format!(
            "{shown} is no longer true; if that is on purpose, run this test with {BLESS}=1:\n\
             {difference}"
        ))
    }
}

/// The lines that are gone and those that are new, each under its function.
fn difference(before: &str, now: &str) -> String {
    let (old, new) = (in_sections(before), in_sections(now));
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| ("-", line));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| ("+", line));
    let mut changes: Vec<_> = gone.chain(come).collect();
    changes.sort_by_key(|(_, (section, _))| *section);
    let shown = changes.iter().map(|(sign, (section, line))| format!("{sign} {section}: {line}\n"));
    shown.collect()
}

/// Each line of a setting, with the heading it stands under.
fn in_sections(text: &str) -> Vec<(&str, &str)> {
    let mut section = "";
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading;
            lines.push((section, "(the function)"));
        } else if !line.is_empty() {
            lines.push((section, line));
        }
    }
    lines
}

impl Audited {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let arguments = self.arguments.iter().map(|one| {
            let parts = if one.parts.is_empty() { "" } else { ": " };
            let parts = parts.to_owned() + &one.parts.join(", ");
            format!("`{}: {}` ({}{parts})", one.name, one.ty, one.role)
        });
        let mut lines = vec![
            ("file", self.file.clone()),
            ("key", format!("`{}`", self.key)),
            ("arguments", arguments.collect::<Vec<_>>().join(", ")),
            ("cache", format!("{}{}", self.cache, if self.shared { "" } else { " (process)" })),
            ("ttl", self.life()),
            ("strategy", self.strategy_in_words()),
        ];
        let optional = [
            ("grace", self.grace),
            ("stale if error", self.stale_if_error),
            ("timeout", self.timeout),
            ("concurrency", self.concurrency),
        ];
        let given = optional.into_iter().filter_map(|(name, one)| Some((name, one?.to_string())));
        lines.extend(given);
        lines.extend(self.none_in_words().map(|none| ("none", none)));
        lines.extend([
            ("lease", self.lease.to_string()),
            ("wait", self.wait.to_string()),
            ("codec", self.codec.clone()),
            ("load", if self.detached { "detached" } else { "inline" }.to_owned()),
            ("refresh", if self.refreshes_behind { "background" } else { "inline" }.to_owned()),
        ]);
        if !self.reason.is_empty() {
            lines.push(("reason", self.reason.to_owned()));
        }
        lines.retain(|(_, value)| !value.is_empty());
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::policy::Policy;
    use crate::registry::CachedFn;

    static PRICE: CachedFn = CachedFn::new("price", "src/lib.rs", 7)
        .named("price")
        .policy(|| Policy::ttl(Duration::from_secs(30)));
    static STOCK: CachedFn = CachedFn::new("stock", "src/lib.rs", 9).named("stock");

    fn audit(functions: &[&'static CachedFn]) -> Audit {
        let functions = functions.iter().map(|function| Audited::new(function)).collect();
        Audit { functions, allowed: Vec::new(), wants_shared: false }
    }

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("herdless-{}-{name}.md", std::process::id()))
    }

    /// Whatever the environment of the test run says of snapshots.
    #[test]
    fn a_changed_ttl_and_a_new_function_are_told_and_then_written() {
        let (path, audit) = (file("changed"), audit(&[&PRICE, &STOCK]));
        let before = audit.markdown().replace("- ttl: 30 s", "- ttl: 60 s");
        std::fs::write(&path, before.split("\n## `stock").next().unwrap()).unwrap();
        let told = audit.compare(&path).unwrap_err();
        assert!(told.contains("HERDLESS_BLESS=1:\n- `price:v1`: - ttl: 60 s\n"), "{told}");
        assert!(told.contains("\n+ `price:v1`: - ttl: 30 s\n"), "{told}");
        assert!(told.contains("\n+ `stock:v1`: (the function)\n"), "{told}");
        audit.write(&path).unwrap();
        assert_eq!(audit.compare(&path), Ok(()));
        std::fs::remove_file(&path).unwrap();
        assert!(audit.compare(&path).unwrap_err().contains("run this test with HERDLESS_BLESS=1"));
    }
}
