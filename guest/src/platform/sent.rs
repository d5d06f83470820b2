//! How a signal was sent, as the program may ask (`siginfo_t`).

use super::fiber::PROCESS;

/// How a signal was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// By which kind of call (`si_code`).
    code: i32,
    /// What the sender has given along (`si_value`).
    value: u64,
    /// The timer that has sent it, plus one, and above that its setting; 0 if none has.
    timer: u32,
}

impl Sent {
    /// By `kill`.
    pub const TO_PROCESS: Sent = Sent { code: 0, value: 0, timer: 0 };
    /// By `pthread_kill` or `raise`.
    pub const TO_THREAD: Sent = Sent { code: -6, value: 0, timer: 0 };
    /// By the timer of `alarm` and `setitimer`.
    pub const BY_KERNEL: Sent = Sent { code: 0x80, value: 0, timer: 0 };

    /// By `sigqueue` or `pthread_sigqueue`, with a value.
    pub fn with_value(value: u64) -> Sent {
        Sent { code: -1, value, timer: 0 }
    }

    /// By a timer of this number, which was set so many times.
    pub fn by_timer(number: u16, setting: u16, value: u64) -> Sent {
        Sent { code: -2, value, timer: u32::from(setting) << 16 | (u32::from(number) + 1) }
    }

    /// The timer that has sent it, and its setting.
    pub fn timer(self) -> Option<(u16, u16)> {
        let number = (self.timer as u16).checked_sub(1)?;
        Some((number, (self.timer >> 16) as u16))
    }

    /// Whether both were sent by one timer.
    pub fn is_of_timer_of(self, other: Sent) -> bool {
        self.timer().is_some() && self.timer().map(|of| of.0) == other.timer().map(|of| of.0)
    }

    /// All of it, for a hash.
    pub fn words(self) -> [u64; 2] {
        [u64::from(self.code.cast_unsigned()) | u64::from(self.timer) << 32, self.value]
    }

    /// What is said of the signal: number, error, code, padding, sender (or timer), its user (or overruns), value.
    pub(super) fn information(self, signal: i32) -> [u32; 32] {
        let mut information = [0u32; 32];
        (information[0], information[2]) = (signal as u32, self.code.cast_unsigned());
        information[4] = match self.timer() {
            Some((timer, _)) => timer.into(),
            None if self == Sent::BY_KERNEL => 0,
            None => PROCESS as u32,
        };
        (information[6], information[7]) = (self.value as u32, (self.value >> 32) as u32);
        information
    }
}
