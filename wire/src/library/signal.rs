//! Functions of `signal.h`.

use super::CallEffect::{ChangesSignal, LooksAtSignal, Reads, Writes};
use super::Extent::Bytes;
use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "signal.h",
    rows: &[
        function("kill", 2).announces(&[LooksAtSignal(1)]).keeps_nothing(),
        function("killpg", 2).refused(),
        function("pthread_kill", 2).refused().keeps_nothing(),
        function("pthread_sigmask", 3).announces(&[Reads(1, Bytes(128)), Writes(2, Bytes(128))]).keeps_nothing(),
        function("pthread_sigqueue", 3).refused(),
        function("raise", 1).announces(&[LooksAtSignal(0)]).keeps_nothing(),
        function("sigaction", 3).announces(&[
            Reads(1, Bytes(152)),
            Writes(2, Bytes(152)),
            ChangesSignal { signal: 0, action: 1 },
        ]),
        function("sigaddset", 2).harmless().keeps_nothing(),
        function("sigaltstack", 2).harmless(),
        function("sigdelset", 2).harmless().keeps_nothing(),
        function("sigemptyset", 1).harmless().keeps_nothing(),
        function("sigfillset", 1).harmless().keeps_nothing(),
        function("siginterrupt", 2).harmless(),
        function("sigismember", 2).harmless().keeps_nothing(),
        function("signal", 2).announces(&[ChangesSignal { signal: 0, action: 0 }]),
        function("sigpending", 1).announces(&[Writes(0, Bytes(128))]),
        function("sigprocmask", 3).announces(&[Reads(1, Bytes(128)), Writes(2, Bytes(128))]).keeps_nothing(),
        function("sigqueue", 3).refused(),
        function("sigsuspend", 1).refused(),
        function("sigtimedwait", 3).refused(),
        function("sigwait", 2).refused(),
        function("sigwaitinfo", 2).refused(),
        function("tgkill", 3).harmless(),
    ],
}];
