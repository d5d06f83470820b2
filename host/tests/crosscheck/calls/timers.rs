//! Timers: as C, and as the model has them.

use super::errors::EAGAIN;
use super::oracle::Oracle;
use super::program::{ALARM, BEGINS_THREAD, Program, QUEUED, Setting, Statement};
use super::state::{Item, OF_ALARM, OF_CLOCK, OF_PROCESS, State};

/// The time of a setting, as C.
fn time(setting: Setting) -> &'static str {
    match setting {
        Setting::Off => "never",
        Setting::Once => "soon",
        Setting::Periodic => "often",
    }
}

fn was_set_before() -> Option<String> {
    Some("1 + is_set(before.it_value)".to_owned())
}

/// A call on a timer, and what is noted of it; none for other statements.
pub(super) fn call(statement: Statement, number: usize) -> Option<(String, Option<String>)> {
    Some(match statement {
        Statement::Alarm(on) => (format!("got = alarm({})", u8::from(on)), Some("1 + (got > 0)".into())),
        Statement::SetAlarm(setting) => (
            format!(
                "setitimer(ITIMER_REAL, &(struct itimerval){{{{{}}}, {{{}}}}}, &interval)",
                u8::from(setting == Setting::Periodic),
                u8::from(setting != Setting::Off)
            ),
            Some("1 + (interval.it_value.tv_sec || interval.it_value.tv_usec)".into()),
        ),
        Statement::AskAlarm => (
            "getitimer(ITIMER_REAL, &interval)".into(),
            Some("1 + (interval.it_value.tv_sec || interval.it_value.tv_usec)".into()),
        ),
        Statement::Overrun(timer) => (String::new(), Some(format!("1 + timer_getoverrun(timers{number}[{timer}])"))),
        Statement::SetTimer(timer, setting) => {
            (format!("timer_settime(timers{number}[{timer}], 0, &{}, &before)", time(setting)), was_set_before())
        }
        Statement::AskTimer(timer) => (format!("timer_gettime(timers{number}[{timer}], &before)"), was_set_before()),
        other => return clock_call(other, number),
    })
}

fn clock_call(statement: Statement, number: usize) -> Option<(String, Option<String>)> {
    Some(match statement {
        Statement::PollClock(waits) => (
            format!(
                "polled[0] = (struct pollfd){{.fd = clock{number}, .events = POLLIN}}; poll(polled, 1, {})",
                if waits { "-1" } else { "0" }
            ),
            Some("1 + bit(polled[0], POLLIN, 1)".into()),
        ),
        Statement::SetClock(setting) => {
            (format!("timerfd_settime(clock{number}, 0, &{}, &before)", time(setting)), was_set_before())
        }
        Statement::AskClock => (format!("timerfd_gettime(clock{number}, &before)"), was_set_before()),
        Statement::ReadClock => (
            format!("got = read(clock{number}, &amount, sizeof amount)"),
            Some("got < 0 ? failed() : 1 + amount".into()),
        ),
        _ => return None,
    })
}

/// Whether the program uses the timer that begins threads.
pub(super) fn uses_threads(program: &Program) -> bool {
    let of_threads = |s: &Statement| {
        matches!(
            s,
            Statement::SetTimer(BEGINS_THREAD, _)
                | Statement::AskTimer(BEGINS_THREAD)
                | Statement::Overrun(BEGINS_THREAD)
        )
    };
    program.has(of_threads)
}

/// Makes the timers that the program uses.
pub(super) fn objects(program: &Program, number: usize, flag: &str) -> String {
    let mut made = String::new();
    if program
        .has(|s| matches!(s, Statement::SetTimer(0 | 1, _) | Statement::AskTimer(0 | 1) | Statement::Overrun(0 | 1)))
    {
        for (timer, signal) in [(0, "SIGRTMIN + 1"), (1, "SIGUSR1")] {
            made += &format!(
                "    timer_create(CLOCK_MONOTONIC, &(struct sigevent){{.sigev_notify = SIGEV_SIGNAL, .sigev_signo = \
                 {signal}, .sigev_value.sival_int = {}}}, &timers{number}[{timer}]);\n",
                timer + 1
            );
        }
    }
    if uses_threads(program) {
        made += &format!(
            "    timer_create(CLOCK_MONOTONIC, &(struct sigevent){{.sigev_notify = SIGEV_THREAD, \
             .sigev_notify_function = post}}, &timers{number}[{BEGINS_THREAD}]);\n"
        );
    }
    let has_clock = |s: &Statement| {
        matches!(s, Statement::SetClock(_) | Statement::AskClock | Statement::ReadClock | Statement::PollClock(_))
    };
    if program.has(has_clock) {
        made += &format!("    clock{number} = timerfd_create(CLOCK_MONOTONIC, {flag});\n");
    }
    made
}

impl State {
    /// A timer expires. One with an interval does so again once somebody has taken its signal, or read from it.
    pub(super) fn expire(&self, timer: u8) -> Option<State> {
        let setting = self.set[timer as usize];
        let is_own = |item: &Item| item.timer == Some(timer);
        let is_pending = match timer {
            OF_CLOCK => self.expired,
            OF_ALARM => self.signals(OF_PROCESS) >> ALARM & 1 != 0,
            _ => self.pending[OF_PROCESS].iter().any(is_own),
        };
        if setting == Setting::Off || setting == Setting::Periodic && is_pending {
            return None;
        }
        let mut next = self.clone();
        if setting == Setting::Once {
            next.set[timer as usize] = Setting::Off;
        }
        let sent = |signal, value, timer| Item { signal, value, timer };
        match timer {
            OF_CLOCK => next.expired = true,
            OF_ALARM => next.send(OF_PROCESS, sent(ALARM, 0, None)),
            BEGINS_THREAD => next.begun += 1,
            _ if is_pending => {}
            0 => next.send(OF_PROCESS, sent(QUEUED, 1, Some(0))),
            _ => next.send(OF_PROCESS, sent(0, 2, Some(1))),
        }
        Some(next)
    }
}

/// A thread posts that a timer has begun.
pub(super) fn post(state: &State) -> Option<State> {
    let (begun, units) = (state.begun.checked_sub(1)?, state.units + 1);
    Some(State { begun, units, ..state.clone() })
}

fn was_set(state: &State, timer: u8) -> u64 {
    1 + u64::from(state.set[timer as usize] != Setting::Off)
}

/// A call on a timer that sends signals. Whether the pending signal of one that is set again stays is left open.
pub(super) fn timer(state: &State, thread: usize, statement: Statement) -> Vec<State> {
    let mut next = state.clone();
    match statement {
        Statement::SetAlarm(setting) => {
            next.set[OF_ALARM as usize] = setting;
            vec![next.noting(thread, was_set(state, OF_ALARM))]
        }
        Statement::AskAlarm => vec![next.noting(thread, was_set(state, OF_ALARM))],
        Statement::SetTimer(timer, setting) => {
            next.set[timer as usize] = setting;
            let mut without = next.clone();
            without.pending[OF_PROCESS].retain(|item| item.timer != Some(timer));
            [next, without].map(|next| next.noting(thread, was_set(state, timer))).to_vec()
        }
        Statement::AskTimer(timer) => vec![next.noting(thread, was_set(state, timer))],
        Statement::Overrun(_) => vec![next.noting(thread, 1)],
        other => unreachable!("{other:?}"),
    }
}

impl Oracle<'_> {
    /// A call on the timer that is a descriptor.
    pub(super) fn clock(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match statement {
            Statement::SetClock(setting) => {
                (next.set[OF_CLOCK as usize], next.expired) = (setting, false);
                vec![next.noting(thread, was_set(state, OF_CLOCK))]
            }
            Statement::AskClock => vec![next.noting(thread, was_set(state, OF_CLOCK))],
            Statement::PollClock(waits) => match state.expired {
                false if waits => Vec::new(),
                expired => vec![next.noting(thread, 1 + u64::from(expired))],
            },
            _ if state.expired => {
                next.expired = false;
                vec![next.noting(thread, 2)]
            }
            _ if self.program.nonblocking => vec![next.noting(thread, EAGAIN)],
            _ => Vec::new(),
        }
    }
}
