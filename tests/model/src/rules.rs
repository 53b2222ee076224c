//! The rules that can be broken, and how much may happen.

/// Processes of a world. Fewer take part where the rules say so.
pub(crate) const PROCESSES: usize = 3;

/// The rules of the protocol; each can be broken, to see what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// How many processes take part.
    pub processes: usize,
    /// A commit is refused under another generation.
    pub generation_counts: bool,
    /// A commit is refused ten minutes after its begin.
    pub ten_minutes_count: bool,
    /// A commit is refused where an entry is that began later.
    pub begun_later_wins: bool,
    /// What a commit or an abandonment frees is a lease of its own token.
    pub token_is_compared: bool,
    /// A commit does not ask for the lease.
    pub lost_lease_stores: bool,
    /// A lease that is not renewed lapses.
    pub leases_lapse: bool,
    /// A waiter looks again after a pause.
    pub fallback_timer: bool,
    /// A waiter looks again when the lease it saw would have lapsed.
    pub lapse_timer: bool,
    /// A waiter takes the lease from a holder after `wait`.
    pub patience: bool,
    /// A waiter that has subscribed looks once more before it waits.
    pub looks_once_more: bool,
    /// What is served may be refreshed meanwhile.
    pub refreshes: bool,
    /// Waiters subscribe. Where a pause may end at any moment anyway, it makes no difference to
    /// what can happen.
    pub listens: bool,
    /// Wake-ups may get lost.
    pub wakes_get_lost: bool,
    /// What a load leaves, entry or marker, stands until everybody who waits has looked.
    pub lingers: bool,
    /// Others join the load of their process.
    pub joiners: bool,
    /// The flight is closed before the commit.
    pub closes_first: bool,
    /// What stands in for a failed load is read again before others get it.
    pub confirms_last: bool,
    /// A commit without an answer is taken for refused.
    pub unanswered_is_refused: bool,
    /// What others in a process get whose commit was not answered is held against the protocol.
    pub cut_off_counts: bool,
    /// An abandonment, too, is refused ten minutes after its begin.
    pub abandon_knows_time: bool,
    /// An entry that has left by its own end still counts as the newest.
    pub remembers_what_left: bool,
}

impl Rules {
    /// The protocol as it is.
    pub const AS_IS: Self = Self {
        processes: PROCESSES,
        generation_counts: true,
        ten_minutes_count: true,
        begun_later_wins: true,
        token_is_compared: true,
        lost_lease_stores: true,
        leases_lapse: true,
        fallback_timer: true,
        lapse_timer: true,
        patience: true,
        looks_once_more: true,
        refreshes: true,
        listens: true,
        wakes_get_lost: true,
        lingers: true,
        joiners: false,
        closes_first: true,
        confirms_last: true,
        unanswered_is_refused: false,
        cut_off_counts: false,
        abandon_knows_time: true,
        remembers_what_left: false,
    };
}

/// How often something may still happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Left {
    /// `invalidate`, `expire`, `prime`.
    pub changes: u8,
    /// A process is killed.
    pub crashes: u8,
    /// A process is stopped for a while.
    pub pauses: u8,
    /// A command whose answer is not heard; it may arrive later, or never.
    pub unheard: u8,
    /// A load fails or gives a value that cannot be stored. [`Left::ALWAYS`] of them never run out.
    pub failures: u8,
    /// A load is left by its caller.
    pub leaves: u8,
}

impl Left {
    /// For what may happen without end.
    pub const ALWAYS: u8 = u8::MAX;
}
