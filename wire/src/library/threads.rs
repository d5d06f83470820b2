//! Functions of `threads.h`.

use super::Completion::WritesNothing;
use super::InLoops::{Operation, Sleeps, Yields};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{Calls, ReturnsUnknown, Starts};
use super::Role::{Create, EndsThread, Join, Lifecycle, Lock, TimedWait, TryLock, Unlock, Wait, Wake};
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "threads.h",
    rows: &[
        function("call_once", 2).modelled().flows(&[Calls { function: 1, with: &[] }]),
        function("cnd_broadcast", 1).modelled().keeps_nothing().role(Wake),
        function("cnd_destroy", 1).modelled().keeps_nothing().role(Lifecycle),
        function("cnd_init", 1).modelled().keeps_nothing().role(Lifecycle),
        function("cnd_signal", 1).modelled().keeps_nothing().role(Wake),
        function("cnd_timedwait", 3).modelled().keeps_nothing().role(TimedWait),
        function("cnd_wait", 2).modelled().keeps_nothing().role(Wait),
        function("mtx_destroy", 1).modelled().keeps_nothing().role(Lifecycle),
        function("mtx_init", 2).modelled().keeps_nothing().role(Lifecycle),
        function("mtx_lock", 1).modelled().keeps_nothing().role(Lock).completes(WritesNothing).in_loops(Operation),
        function("mtx_timedlock", 2).modelled().keeps_nothing(),
        function("mtx_trylock", 1)
            .modelled()
            .keeps_nothing()
            .role(TryLock)
            .completes(WritesNothing)
            .in_loops(Operation),
        function("mtx_unlock", 1).modelled().keeps_nothing().role(Unlock).completes(WritesNothing).in_loops(Operation),
        function("thrd_create", 3).modelled().flows(&[Starts { function: 1, argument: 2 }]).role(Create),
        function("thrd_current", 0).modelled().keeps_nothing().outcome(Determined),
        function("thrd_detach", 1).modelled().keeps_nothing().outcome(Determined),
        function("thrd_equal", 2).harmless().keeps_nothing().outcome(Determined),
        function("thrd_exit", 1).modelled().role(EndsThread),
        function("thrd_join", 2).modelled().keeps_nothing().role(Join),
        function("thrd_sleep", 2).modelled().keeps_nothing().in_loops(Sleeps),
        function("thrd_yield", 0).modelled().keeps_nothing().outcome(Determined).in_loops(Yields),
        function("tss_create", 2).modelled(),
        function("tss_delete", 1).modelled().keeps_nothing(),
        function("tss_get", 1).harmless().flows(&[ReturnsUnknown]),
        function("tss_set", 2).harmless(),
    ],
}];
