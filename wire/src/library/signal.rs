//! Functions of `signal.h`.

use super::CallEffect::{ChangesSignal, LooksAtSignal, Reads, UsesStandard, Writes};
use super::Extent::{Bytes, Text};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{GivesAway, KeepsNumber, StoresUnknown};
use super::builder::{function, pure};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "signal.h",
    rows: &[
        pure("__libc_current_sigrtmax", ""),
        pure("__libc_current_sigrtmin", ""),
        function("__sysv_signal", "if").announces(&[ChangesSignal { signal: 0, action: 0 }]),
        function("gsignal", "i").refused(),
        function("kill", "ii").modelled().keeps_nothing(),
        function("killpg", "ii").refused(),
        function("psiginfo", "cc").refused(),
        function("psignal", "ic").announces(&[Reads(1, Text), UsesStandard("stderr")]).keeps_nothing(),
        function("pthread_kill", "ii").modelled().keeps_nothing(),
        function("pthread_sigmask", "icp")
            .modelled()
            .flows(&[GivesAway(1), StoresUnknown(2)])
            .accesses(&[Reads(1, Bytes(128)), Writes(2, Bytes(128))]),
        function("pthread_sigqueue", "iii").modelled(),
        function("raise", "i").modelled().keeps_nothing(),
        function("sigaction", "icp").announces(&[
            Reads(1, Bytes(152)),
            Writes(2, Bytes(152)),
            ChangesSignal { signal: 0, action: 1 },
        ]),
        function("sigaddset", "pi")
            .announces(&[Reads(0, Bytes(128)), Writes(0, Bytes(128))])
            .keeps_nothing()
            .outcome(Determined),
        function("sigaltstack", "cp").announces(&[Reads(0, Bytes(24)), Writes(1, Bytes(24))]),
        function("sigandset", "pcc")
            .announces(&[Reads(1, Bytes(128)), Reads(2, Bytes(128)), Writes(0, Bytes(128))])
            .keeps_nothing()
            .outcome(Determined),
        function("sigblock", "i").harmless().flows(&[KeepsNumber(0)]),
        function("sigdelset", "pi")
            .announces(&[Reads(0, Bytes(128)), Writes(0, Bytes(128))])
            .keeps_nothing()
            .outcome(Determined),
        function("sigemptyset", "p").announces(&[Writes(0, Bytes(128))]).keeps_nothing().outcome(Determined),
        function("sigfillset", "p").announces(&[Writes(0, Bytes(128))]).keeps_nothing().outcome(Determined),
        function("siggetmask", "").harmless().keeps_nothing(),
        function("sighold", "i").harmless().keeps_nothing(),
        function("sigignore", "i").refused(),
        function("siginterrupt", "ii").announces(&[ChangesSignal { signal: 0, action: 0 }]).keeps_nothing(),
        function("sigisemptyset", "c").announces(&[Reads(0, Bytes(128))]).keeps_nothing().outcome(Determined),
        function("sigismember", "ci").announces(&[Reads(0, Bytes(128))]).keeps_nothing().outcome(Determined),
        function("signal", "if").announces(&[ChangesSignal { signal: 0, action: 0 }]),
        function("sigorset", "pcc")
            .announces(&[Reads(1, Bytes(128)), Reads(2, Bytes(128)), Writes(0, Bytes(128))])
            .keeps_nothing()
            .outcome(Determined),
        function("sigpause", "i"),
        function("sigpending", "p").modelled().keeps_nothing().accesses(&[Writes(0, Bytes(128))]),
        function("sigprocmask", "icp")
            .modelled()
            .flows(&[GivesAway(1), StoresUnknown(2)])
            .accesses(&[Reads(1, Bytes(128)), Writes(2, Bytes(128))]),
        function("sigqueue", "iii").modelled(),
        function("sigrelse", "i").harmless().keeps_nothing(),
        function("sigreturn", "p").refused(),
        function("sigset", "if").refused(),
        function("sigsetmask", "i").harmless().flows(&[KeepsNumber(0)]),
        function("sigstack", "pp").refused(),
        function("sigsuspend", "c").cancellation_point().modelled().keeps_nothing().accesses(&[Reads(0, Bytes(128))]),
        function("sigtimedwait", "cpc").cancellation_point().modelled().flows(&[StoresUnknown(1)]).accesses(&[
            Reads(0, Bytes(128)),
            Writes(1, Bytes(128)),
            Reads(2, Bytes(16)),
        ]),
        function("sigwait", "cp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .accesses(&[Reads(0, Bytes(128)), Writes(1, Bytes(4))]),
        function("sigwaitinfo", "cp")
            .cancellation_point()
            .modelled()
            .flows(&[StoresUnknown(1)])
            .accesses(&[Reads(0, Bytes(128)), Writes(1, Bytes(128))]),
        function("ssignal", "if").refused(),
        function("sysv_signal", "if").announces(&[ChangesSignal { signal: 0, action: 0 }]),
        function("tgkill", "iii").announces(&[LooksAtSignal(2)]).keeps_nothing(),
    ],
}];
