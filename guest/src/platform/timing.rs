//! What a timer is set to (S22), whoever is told that it has expired.

/// What becomes of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimerState {
    /// It is not set, or has expired for good.
    Unset,
    /// It has yet to expire.
    Set,
    /// It has expired, and goes on when somebody takes notice.
    Expired,
    /// The program has deleted it.
    Deleted,
}

/// What a timer is set to.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// What becomes of it.
    pub state: TimerState,
    /// When it expires, in nanoseconds since the start of the run.
    pub due: u64,
    /// Nanoseconds from one expiry to the next; 0 if there is none.
    pub interval: u64,
    /// How often it was set. An expiry belongs to one of these times.
    pub setting: u16,
}

impl Timing {
    /// That of a timer which was not set yet.
    pub const UNSET: Timing = Timing { state: TimerState::Unset, due: 0, interval: 0, setting: 0 };

    /// Sets it, or has it not expire; its setting.
    pub fn set(&mut self, is_set: bool, due: u64, interval: u64) -> u16 {
        let state = if is_set { TimerState::Set } else { TimerState::Unset };
        *self = Timing { state, due, interval, setting: self.setting.wrapping_add(1) };
        self.setting
    }

    /// Nanoseconds from `now` until it expires: at least one, also where the clock is past `due`. 0 if it is not set.
    pub fn left(&self, now: u64) -> u64 {
        match self.state {
            TimerState::Unset | TimerState::Deleted => 0,
            TimerState::Set if self.due > now || self.interval == 0 => self.due.saturating_sub(now).max(1),
            TimerState::Set | TimerState::Expired => self.next_due(now) - now,
        }
    }

    /// When it expires for the first time after this time.
    fn next_due(&self, now: u64) -> u64 {
        if self.due > now {
            return self.due;
        }
        let passed = (now - self.due) / self.interval + 1;
        self.due.saturating_add(self.interval.saturating_mul(passed)).max(now + 1)
    }

    /// An expiry that belongs to this setting comes; false if the timer was set again or deleted meanwhile.
    pub fn expire(&mut self, setting: u16) -> bool {
        let expires = (self.state, self.setting) == (TimerState::Set, setting);
        if expires {
            self.state = if self.interval > 0 { TimerState::Expired } else { TimerState::Unset };
        }
        expires
    }

    /// Somebody has taken notice at this time of the expiry of a timer, which goes on if it has an interval. Whether it
    /// does.
    pub fn go_on(&mut self, now: u64) -> bool {
        let goes_on = self.state == TimerState::Expired;
        if goes_on {
            self.due = self.next_due(now);
            self.state = TimerState::Set;
        }
        goes_on
    }
}
