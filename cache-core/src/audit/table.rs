//! The audit for people: an aligned table, each cell in words.

use std::fmt;

use super::{Audit, Audited, Reach, Value};

const HEADS: [&str; 8] = [
    "function",
    "key",
    "ttl",
    "strategy",
    "served stale",
    "who loads a missing one",
    "the others wait",
    "its caller leaves",
];

const LEGEND: &str = "\
ttl: each value draws its own within ±, a tenth of it at least; counted from the storing
served stale: after its ttl, for so long; errors are never stored, a load that fails is tried again";

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 8]> = self.functions.iter().map(Audited::cells).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([HEADS[column].len()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
        line(f, &widths, &HEADS)?;
        for (row, function) in rows.iter().zip(&self.functions) {
            line(f, &widths, row)?;
            writeln!(f, "    {}", in_one_line(&function.notes().join("; ")))?;
        }
        writeln!(f, "{LEGEND}")
    }
}

fn line(f: &mut fmt::Formatter<'_>, widths: &[usize], cells: &[impl AsRef<str>]) -> fmt::Result {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text += &format!("{:width$}  ", cell.as_ref());
    }
    writeln!(f, "{}", text.trim_end())
}

impl Audited {
    fn cells(&self) -> [String; 8] {
        [
            self.identity.clone(),
            in_one_line(self.key),
            self.life(),
            self.strategy_in_words() + self.early(),
            self.stale_in_words(),
            self.loader(),
            self.wait.value.map_or_else(
                || self.wait.to_string(),
                |wait| format!("{wait}, then one loads too"),
            ),
            if self.detached { "the load goes on" } else { "a waiter starts over" }.to_owned(),
        ]
    }

    /// `300 s ± 30 s`, `300 s ± 300 s, at least 30 s`
    pub(super) fn life(&self) -> String {
        if self.ttl.is_zero() {
            return self.ttl.to_string();
        }
        let jitter = self.jitter.map(|jitter| format!(" ± {jitter}")).unwrap_or_default();
        let from = self.ttl_from.map(|from| format!(" at most, by `{from}`")).unwrap_or_default();
        format!("{}{jitter}{}{from}", self.ttl, self.floor())
    }

    /// What a drawn life has at least, where that is not simply ttl − jitter.
    fn floor(&self) -> String {
        let known = self.ttl.span().zip(self.jitter.and_then(|jitter| jitter.span()));
        let cut = known.filter(|(ttl, jitter)| ttl.saturating_sub(*jitter) < *ttl / 10);
        cut.map(|(ttl, _)| format!(", at least {}", Value::Span(ttl / 10))).unwrap_or_default()
    }

    /// `xfetch (beta 1)`
    pub(super) fn strategy_in_words(&self) -> String {
        self.beta
            .map_or(self.strategy.to_owned(), |beta| format!("{} (beta {beta})", self.strategy))
    }

    fn early(&self) -> &'static str {
        if matches!(self.strategy, "xfetch" | "ahead") { ", refreshed early" } else { "" }
    }

    fn stale_in_words(&self) -> String {
        let who = if self.refreshes_behind { "in the background" } else { "by one caller" };
        let grace = self.grace.filter(|grace| !grace.is_zero());
        let grace = grace.map(|grace| format!("{grace}, refreshed {who}"));
        let error = self.stale_if_error.filter(|span| !span.is_zero());
        let error = error.map(|span| format!("{span} if loads fail"));
        let parts: Vec<_> = grace.into_iter().chain(error).collect();
        if parts.is_empty() { "never".to_owned() } else { parts.join("; ") }
    }

    /// Who loads what nobody has.
    fn loader(&self) -> String {
        let who = match (self.reach, self.strategy) {
            _ if !self.twins.is_empty() => "every caller, uncached",
            (Reach::Nowhere, _) => "every caller, uncached",
            (_, "jitter") => "one caller of each process",
            _ if !self.shared => "one caller of each process",
            (Reach::Process, _) => "one caller of all processes (of this one: no store)",
            (Reach::Unknown, _) => "one caller of all processes (of this one, if no store)",
            (Reach::Store, _) => "one caller of all processes",
        };
        let timeout = self.timeout.filter(|timeout| !timeout.is_zero());
        let timeout = timeout.map(|span| format!(", cut off after {span}")).unwrap_or_default();
        format!("{who}{timeout}")
    }

    fn kept(&self) -> &'static str {
        match self.reach {
            Reach::Nowhere => ", not installed or disabled",
            _ if !self.shared => ", process only",
            Reach::Process => ", without a store",
            Reach::Store | Reach::Unknown => "",
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("{}:{}", self.file, self.line)];
        notes.push(format!("cache {}{}", self.cache, self.kept()));
        let skipped: Vec<_> = self.named_with("skip").collect();
        if !skipped.is_empty() {
            notes.push(format!("not in the key: {}", skipped.join(", ")));
        }
        if let Some(none) = self.none_in_words() {
            notes.push(format!("`None` {none}"));
        }
        if let Some(most) = self.concurrency.filter(|most| !most.is_zero()) {
            notes.push(format!("at most {most} loads at once"));
        }
        if !self.reason.is_empty() {
            notes.push(format!("because: {}", self.reason));
        }
        notes
    }

    pub(super) fn named_with(&self, role: &str) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().filter(move |one| one.role == role).map(|one| one.name)
    }

    pub(super) fn none_in_words(&self) -> Option<String> {
        self.none.map(|none| match none.is_zero() {
            true => format!("is {none}"),
            false => format!("lives {none}"),
        })
    }
}

/// A reason or a template may have lines of its own.
pub(super) fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
