//! Functions of `threads.h`.

use super::CallEffect::{Operates, Reads, Unannounced, Updates, UsesKey, Writes};
use super::Completion::WritesNothing;
use super::Extent::Bytes;
use super::Hidden::Keys;
use super::InLoops::{Operation, Sleeps, Yields};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{Calls, ReturnsUnknown, Starts};
use super::Role::{Create, EndsThread, Join, Lifecycle, Lock, TimedWait, TryLock, Unlock, Wait, Wake};
use super::builder::function;
use super::reason::{A_VALUE, KEPT, NEVER_INTERRUPTED};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "threads.h",
    rows: &[
        function("call_once", "pf").modelled().flows(&[Calls { function: 1, with: &[] }]).accesses(&[Operates(0)]),
        function("cnd_broadcast", "p")
            .modelled()
            .keeps_nothing()
            .role(Wake)
            .accesses(&[Operates(0)])
            .completes(WritesNothing),
        function("cnd_destroy", "p").modelled().keeps_nothing().role(Lifecycle).accesses(&[Operates(0)]),
        function("cnd_init", "p").modelled().keeps_nothing().role(Lifecycle).accesses(&[Operates(0)]),
        function("cnd_signal", "p")
            .modelled()
            .keeps_nothing()
            .role(Wake)
            .accesses(&[Operates(0)])
            .completes(WritesNothing),
        function("cnd_timedwait", "ppc").cancellation_point().modelled().keeps_nothing().role(TimedWait).accesses(&[
            Operates(0),
            Operates(1),
            Reads(2, Bytes(16)),
        ]),
        function("cnd_wait", "pp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .role(Wait)
            .accesses(&[Operates(0), Operates(1)])
            .completes(WritesNothing),
        function("mtx_destroy", "p").modelled().keeps_nothing().role(Lifecycle).accesses(&[Operates(0)]),
        function("mtx_init", "pi").modelled().keeps_nothing().role(Lifecycle).accesses(&[Operates(0)]),
        function("mtx_lock", "p")
            .modelled()
            .keeps_nothing()
            .role(Lock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("mtx_timedlock", "pc").modelled().keeps_nothing().accesses(&[Operates(0), Reads(1, Bytes(16))]),
        function("mtx_trylock", "p")
            .modelled()
            .keeps_nothing()
            .role(TryLock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("mtx_unlock", "p")
            .modelled()
            .keeps_nothing()
            .role(Unlock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("thrd_create", "pfp")
            .modelled()
            .flows(&[Starts { function: 1, argument: 2 }])
            .role(Create)
            .accesses(&[Writes(0, Bytes(8)), Unannounced(2, A_VALUE)]),
        function("thrd_current", "").modelled().keeps_nothing().outcome(Determined),
        function("thrd_detach", "i").modelled().keeps_nothing().outcome(Determined),
        function("thrd_equal", "ii").harmless().keeps_nothing().outcome(Determined),
        function("thrd_exit", "i").modelled().role(EndsThread),
        function("thrd_join", "ip")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .role(Join)
            .accesses(&[Writes(1, Bytes(4))]),
        function("thrd_sleep", "cp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .in_loops(Sleeps)
            .accesses(&[Reads(0, Bytes(16)), Unannounced(1, NEVER_INTERRUPTED)]),
        function("thrd_yield", "").modelled().keeps_nothing().outcome(Determined).in_loops(Yields),
        function("tss_create", "pf").modelled().accesses(&[Writes(0, Bytes(4)), Updates(Keys)]),
        function("tss_delete", "i").modelled().keeps_nothing(),
        function("tss_get", "i").announces(&[UsesKey(0)]).flows(&[ReturnsUnknown]),
        function("tss_set", "ip").announces(&[UsesKey(0), Unannounced(1, KEPT)]),
    ],
}];
