//! Functions of `pthread.h`, `sched.h`.

use super::Completion::{WritesNothing, WritesUnlessNull};
use super::InLoops::{Operation, Yields};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{Calls, ReturnsUnknown, Starts, StoresUnknown};
use super::Role::{Create, EndsThread, Join, Lifecycle, Lock, TimedWait, TryLock, Unlock, Wait, Wake};
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "pthread.h",
        rows: &[
            function("__pthread_register_cancel", 1).modelled(),
            function("__pthread_unregister_cancel", 1).modelled(),
            function("__pthread_unwind_next", 1).modelled(),
            function("pthread_atfork", 3).harmless(),
            function("pthread_attr_destroy", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_attr_init", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_attr_setdetachstate", 2).harmless().keeps_nothing().outcome(Determined),
            function("pthread_attr_setstacksize", 2).harmless().keeps_nothing().outcome(Determined),
            function("pthread_barrier_destroy", 1).harmless().keeps_nothing(),
            function("pthread_barrier_init", 3).harmless().keeps_nothing(),
            function("pthread_barrier_wait", 1).refused().keeps_nothing(),
            function("pthread_cancel", 1).refused().keeps_nothing(),
            function("pthread_clockjoin_np", 4).refused().flows(&[StoresUnknown(1)]),
            function("pthread_cond_broadcast", 1)
                .modelled()
                .keeps_nothing()
                .role(Wake)
                .completes(WritesNothing)
                .essential(),
            function("pthread_cond_clockwait", 4).modelled().keeps_nothing(),
            function("pthread_cond_destroy", 1).modelled().keeps_nothing().role(Lifecycle).essential(),
            function("pthread_cond_init", 2).modelled().keeps_nothing().role(Lifecycle).essential(),
            function("pthread_cond_signal", 1)
                .modelled()
                .keeps_nothing()
                .role(Wake)
                .completes(WritesNothing)
                .essential(),
            function("pthread_cond_timedwait", 3).modelled().keeps_nothing().role(TimedWait).essential(),
            function("pthread_cond_wait", 2).modelled().keeps_nothing().role(Wait).completes(WritesNothing).essential(),
            function("pthread_condattr_destroy", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_condattr_init", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_create", 4)
                .modelled()
                .flows(&[Starts { function: 2, argument: 3 }])
                .role(Create)
                .essential(),
            function("pthread_detach", 1).modelled().keeps_nothing().outcome(Determined).essential(),
            function("pthread_equal", 2).harmless().keeps_nothing().outcome(Determined),
            function("pthread_exit", 1).modelled().role(EndsThread).essential(),
            function("pthread_getattr_np", 2).refused().keeps_nothing(),
            function("pthread_getconcurrency", 0).harmless().keeps_nothing(),
            function("pthread_getcpuclockid", 2).harmless(),
            function("pthread_getname_np", 3).keeps_nothing(),
            function("pthread_getspecific", 1).harmless().flows(&[ReturnsUnknown]).essential(),
            function("pthread_join", 2)
                .modelled()
                .flows(&[StoresUnknown(1)])
                .role(Join)
                .completes(WritesUnlessNull(1))
                .essential(),
            function("pthread_key_create", 2).modelled().essential(),
            function("pthread_key_delete", 1).modelled().keeps_nothing(),
            function("pthread_mutex_clocklock", 3).modelled().keeps_nothing(),
            function("pthread_mutex_consistent", 1).refused().keeps_nothing(),
            function("pthread_mutex_destroy", 1).modelled().keeps_nothing().role(Lifecycle).essential(),
            function("pthread_mutex_init", 2).modelled().keeps_nothing().role(Lifecycle).essential(),
            function("pthread_mutex_lock", 1)
                .modelled()
                .keeps_nothing()
                .role(Lock)
                .completes(WritesNothing)
                .in_loops(Operation)
                .essential(),
            function("pthread_mutex_setprioceiling", 3).refused().keeps_nothing(),
            function("pthread_mutex_timedlock", 2).modelled().keeps_nothing().essential(),
            function("pthread_mutex_trylock", 1)
                .modelled()
                .keeps_nothing()
                .role(TryLock)
                .completes(WritesNothing)
                .in_loops(Operation)
                .essential(),
            function("pthread_mutex_unlock", 1)
                .modelled()
                .keeps_nothing()
                .role(Unlock)
                .completes(WritesNothing)
                .in_loops(Operation)
                .essential(),
            function("pthread_mutexattr_destroy", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_mutexattr_init", 1).harmless().keeps_nothing().outcome(Determined),
            function("pthread_mutexattr_settype", 2).harmless().keeps_nothing().outcome(Determined),
            function("pthread_once", 2).modelled().flows(&[Calls { function: 1, with: &[] }]).essential(),
            function("pthread_rwlock_clockrdlock", 3).refused().keeps_nothing(),
            function("pthread_rwlock_clockwrlock", 3).refused().keeps_nothing(),
            function("pthread_rwlock_destroy", 1).harmless().keeps_nothing(),
            function("pthread_rwlock_init", 2).harmless().keeps_nothing(),
            function("pthread_rwlock_rdlock", 1).refused().keeps_nothing(),
            function("pthread_rwlock_timedrdlock", 2).refused().keeps_nothing(),
            function("pthread_rwlock_timedwrlock", 2).refused().keeps_nothing(),
            function("pthread_rwlock_tryrdlock", 1).refused().keeps_nothing(),
            function("pthread_rwlock_trywrlock", 1).refused().keeps_nothing(),
            function("pthread_rwlock_unlock", 1).refused().keeps_nothing(),
            function("pthread_rwlock_wrlock", 1).refused().keeps_nothing(),
            function("pthread_self", 0).modelled().keeps_nothing().outcome(Determined),
            function("pthread_setaffinity_np", 3).harmless(),
            function("pthread_setcancelstate", 2).harmless().keeps_nothing(),
            function("pthread_setcanceltype", 2).harmless().keeps_nothing(),
            function("pthread_setconcurrency", 1).harmless().keeps_nothing(),
            function("pthread_setname_np", 2).harmless().keeps_nothing(),
            function("pthread_setspecific", 2).harmless().essential(),
            function("pthread_spin_destroy", 1).harmless().keeps_nothing(),
            function("pthread_spin_init", 2).harmless().keeps_nothing(),
            function("pthread_spin_lock", 1).refused().keeps_nothing(),
            function("pthread_spin_trylock", 1).refused().keeps_nothing(),
            function("pthread_spin_unlock", 1).refused().keeps_nothing(),
            function("pthread_testcancel", 0).harmless().keeps_nothing(),
            function("pthread_timedjoin_np", 3).refused().flows(&[StoresUnknown(1)]),
            function("pthread_tryjoin_np", 2).refused().flows(&[StoresUnknown(1)]),
            function("pthread_yield", 0).modelled().keeps_nothing().in_loops(Yields),
        ],
    },
    LibraryHeader {
        name: "sched.h",
        rows: &[
            variadic("clone", 4).refused(),
            function("sched_getcpu", 0).harmless().keeps_nothing(),
            function("sched_setaffinity", 3).harmless(),
            function("sched_yield", 0).modelled().keeps_nothing().outcome(Determined).in_loops(Yields),
            function("unshare", 1).refused(),
        ],
    },
];
