//! Functions of `pthread.h`.

use super::CallEffect::{
    AsksName, NamesThread, Operates, Processors, Reads, Stores, Unannounced, Updates, UsesKey, Writes,
};
use super::Completion::{WritesNothing, WritesUnlessNull};
use super::Extent::{Argument, Bytes, Text};
use super::Hidden::{Concurrency, Keys};
use super::InLoops::{Operation, Yields};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{Calls, GivesAway, KeepsNumber, ReturnsUnknown, Starts, StoresUnknown};
use super::Role::{Create, EndsThread, Join, Lifecycle, Lock, TimedWait, TryLock, Unlock, Wait, Wake};
use super::builder::function;
use super::reason::{A_VALUE, KEPT};
use super::stored::{Present, StoredExtent};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "pthread.h",
    rows: &[
        function("__pthread_register_cancel", "p")
            .modelled()
            .accesses(&[Unannounced(0, "\"in the frame of the calling function\"")]),
        function("__pthread_register_cancel_defer", "p").refused(),
        function("__pthread_unregister_cancel", "p")
            .modelled()
            .accesses(&[Unannounced(0, "\"in the frame of the calling function\"")]),
        function("__pthread_unregister_cancel_restore", "p").refused(),
        function("__pthread_unwind_next", "p")
            .modelled()
            .accesses(&[Unannounced(0, "\"in the frame of the calling function\"")]),
        // `PTHREAD_STACK_MIN` calls it.
        function("__sysconf", "i").harmless().keeps_nothing(),
        function("pthread_atfork", "fff").harmless(),
        function("pthread_attr_destroy", "p").announces(&[Writes(0, Bytes(56))]).keeps_nothing().outcome(Determined),
        function("pthread_attr_getaffinity_np", "cip")
            .announces(&[Reads(0, Bytes(56)), Writes(2, Argument(1))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getdetachstate", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getguardsize", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(8))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getinheritsched", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getschedparam", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getschedpolicy", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getscope", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getsigmask_np", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(128))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_getstack", "cpp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(8)), Writes(2, Bytes(8))])
            .flows(&[StoresUnknown(1)]),
        function("pthread_attr_getstackaddr", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(8))])
            .flows(&[StoresUnknown(1)]),
        function("pthread_attr_getstacksize", "cp")
            .announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(8))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_init", "p").announces(&[Writes(0, Bytes(56))]).keeps_nothing().outcome(Determined),
        function("pthread_attr_setaffinity_np", "pic")
            .announces(&[Writes(0, Bytes(56)), Reads(2, Argument(1))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_setdetachstate", "pi")
            .announces(&[Writes(0, Bytes(56))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_setguardsize", "pi")
            .announces(&[Writes(0, Bytes(56))])
            .flows(&[KeepsNumber(1)])
            .outcome(Determined),
        function("pthread_attr_setinheritsched", "pi")
            .announces(&[Writes(0, Bytes(56))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_setschedparam", "pc")
            .announces(&[Writes(0, Bytes(56)), Reads(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_setschedpolicy", "pi")
            .announces(&[Writes(0, Bytes(56))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_attr_setscope", "pi").announces(&[Writes(0, Bytes(56))]).keeps_nothing().outcome(Determined),
        function("pthread_attr_setsigmask_np", "pc")
            .announces(&[Writes(0, Bytes(56)), Reads(1, Bytes(128))])
            .flows(&[GivesAway(1)])
            .outcome(Determined),
        function("pthread_attr_setstack", "ppi").announces(&[Writes(0, Bytes(56)), Unannounced(1, KEPT)]),
        function("pthread_attr_setstackaddr", "pp").announces(&[Writes(0, Bytes(56)), Unannounced(1, KEPT)]),
        function("pthread_attr_setstacksize", "pi")
            .announces(&[Writes(0, Bytes(56))])
            .flows(&[KeepsNumber(1)])
            .outcome(Determined),
        function("pthread_barrier_destroy", "p").modelled().keeps_nothing().essential().accesses(&[Operates(0)]),
        function("pthread_barrier_init", "pci")
            .modelled()
            .keeps_nothing()
            .essential()
            .accesses(&[Operates(0), Reads(1, Bytes(4))]),
        function("pthread_barrier_wait", "p").modelled().keeps_nothing().essential().accesses(&[Operates(0)]),
        function("pthread_barrierattr_destroy", "p")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_barrierattr_getpshared", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_barrierattr_init", "p").announces(&[Writes(0, Bytes(4))]).keeps_nothing().outcome(Determined),
        function("pthread_barrierattr_setpshared", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_cancel", "i").modelled().keeps_nothing(),
        function("pthread_clockjoin_np", "ipic")
            .cancellation_point()
            .modelled()
            .flows(&[StoresUnknown(1)])
            .accesses(&[Writes(1, Bytes(8)), Reads(3, Bytes(16))]),
        function("pthread_cond_broadcast", "p")
            .modelled()
            .keeps_nothing()
            .role(Wake)
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_cond_clockwait", "ppic").cancellation_point().modelled().keeps_nothing().accesses(&[
            Operates(0),
            Operates(1),
            Reads(3, Bytes(16)),
        ]),
        function("pthread_cond_destroy", "p")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_cond_init", "pc")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0), Reads(1, Bytes(4))]),
        function("pthread_cond_signal", "p")
            .modelled()
            .keeps_nothing()
            .role(Wake)
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_cond_timedwait", "ppc")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .role(TimedWait)
            .essential()
            .accesses(&[Operates(0), Operates(1), Reads(2, Bytes(16))]),
        function("pthread_cond_wait", "pp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .role(Wait)
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0), Operates(1)]),
        function("pthread_condattr_destroy", "p").announces(&[Writes(0, Bytes(4))]).keeps_nothing().outcome(Determined),
        function("pthread_condattr_getclock", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_condattr_getpshared", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_condattr_init", "p").announces(&[Writes(0, Bytes(4))]).keeps_nothing().outcome(Determined),
        function("pthread_condattr_setclock", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_condattr_setpshared", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_create", "pcfp")
            .modelled()
            .flows(&[Starts { function: 2, argument: 3 }])
            .role(Create)
            .essential()
            .accesses(&[Writes(0, Bytes(8)), Reads(1, Bytes(56)), Unannounced(3, A_VALUE)]),
        function("pthread_detach", "i").modelled().keeps_nothing().outcome(Determined).essential(),
        function("pthread_equal", "ii").harmless().keeps_nothing().outcome(Determined),
        function("pthread_exit", "p").modelled().role(EndsThread).essential().accesses(&[Unannounced(0, A_VALUE)]),
        function("pthread_getaffinity_np", "iip")
            .announces(&[Processors { thread: 0, handle: true, changes: false }, Writes(2, Argument(1))])
            .keeps_nothing(),
        function("pthread_getattr_default_np", "p").announces(&[Writes(0, Bytes(56))]).keeps_nothing(),
        function("pthread_getattr_np", "ip").modelled().accesses(&[Writes(1, Bytes(56))]).flows(&[StoresUnknown(1)]),
        function("pthread_getconcurrency", "").announces(&[Updates(Concurrency)]).keeps_nothing(),
        function("pthread_getcpuclockid", "ip").modelled().keeps_nothing().accesses(&[Writes(1, Bytes(4))]),
        function("pthread_getname_np", "ipi")
            .modelled()
            .accesses(&[Stores(1, StoredExtent::Text { limit: 2, present: Present::ResultIsZero }), AsksName])
            .keeps_nothing(),
        function("pthread_getschedparam", "ipp")
            .modelled()
            .keeps_nothing()
            .accesses(&[Writes(1, Bytes(4)), Writes(2, Bytes(4))]),
        function("pthread_getspecific", "i").announces(&[UsesKey(0)]).flows(&[ReturnsUnknown]).essential(),
        function("pthread_join", "ip")
            .cancellation_point()
            .modelled()
            .flows(&[StoresUnknown(1)])
            .role(Join)
            .completes(WritesUnlessNull(1))
            .essential()
            .accesses(&[Writes(1, Bytes(8))]),
        function("pthread_key_create", "pf").modelled().essential().accesses(&[Writes(0, Bytes(4)), Updates(Keys)]),
        function("pthread_key_delete", "i").modelled().keeps_nothing().accesses(&[Updates(Keys)]),
        function("pthread_mutex_clocklock", "pic")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(2, Bytes(16))]),
        function("pthread_mutex_consistent", "p").modelled().keeps_nothing().accesses(&[Operates(0)]),
        function("pthread_mutex_destroy", "p")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_mutex_getprioceiling", "cp")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Writes(1, Bytes(4))]),
        function("pthread_mutex_init", "pc")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0), Reads(1, Bytes(4))]),
        function("pthread_mutex_lock", "p")
            .modelled()
            .keeps_nothing()
            .role(Lock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_mutex_setprioceiling", "pip")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Writes(2, Bytes(4))]),
        function("pthread_mutex_timedlock", "pc")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(1, Bytes(16))]),
        function("pthread_mutex_trylock", "p")
            .modelled()
            .keeps_nothing()
            .role(TryLock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_mutex_unlock", "p")
            .modelled()
            .keeps_nothing()
            .role(Unlock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_mutexattr_destroy", "p")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_getprioceiling", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_getprotocol", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_getpshared", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_getrobust", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_gettype", "cp")
            .announces(&[Reads(0, Bytes(4)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_init", "p").announces(&[Writes(0, Bytes(4))]).keeps_nothing().outcome(Determined),
        function("pthread_mutexattr_setprioceiling", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_setprotocol", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_setpshared", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_setrobust", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_mutexattr_settype", "pi")
            .announces(&[Writes(0, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_once", "pf")
            .modelled()
            .flows(&[Calls { function: 1, with: &[] }])
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlock_clockrdlock", "pic")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(2, Bytes(16))]),
        function("pthread_rwlock_clockwrlock", "pic")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(2, Bytes(16))]),
        function("pthread_rwlock_destroy", "p").modelled().keeps_nothing().essential().accesses(&[Operates(0)]),
        function("pthread_rwlock_init", "pc")
            .modelled()
            .keeps_nothing()
            .essential()
            .accesses(&[Operates(0), Reads(1, Bytes(8))]),
        function("pthread_rwlock_rdlock", "p")
            .modelled()
            .keeps_nothing()
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlock_timedrdlock", "pc")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(1, Bytes(16))]),
        function("pthread_rwlock_timedwrlock", "pc")
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(1, Bytes(16))]),
        function("pthread_rwlock_tryrdlock", "p")
            .modelled()
            .keeps_nothing()
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlock_trywrlock", "p")
            .modelled()
            .keeps_nothing()
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlock_unlock", "p")
            .modelled()
            .keeps_nothing()
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlock_wrlock", "p")
            .modelled()
            .keeps_nothing()
            .completes(WritesNothing)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_rwlockattr_destroy", "p")
            .announces(&[Writes(0, Bytes(8))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_rwlockattr_getkind_np", "cp")
            .announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_rwlockattr_getpshared", "cp")
            .announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(4))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_rwlockattr_init", "p").announces(&[Writes(0, Bytes(8))]).keeps_nothing().outcome(Determined),
        function("pthread_rwlockattr_setkind_np", "pi")
            .announces(&[Writes(0, Bytes(8))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_rwlockattr_setpshared", "pi")
            .announces(&[Writes(0, Bytes(8))])
            .keeps_nothing()
            .outcome(Determined),
        function("pthread_self", "").modelled().keeps_nothing().outcome(Determined),
        function("pthread_setaffinity_np", "iic")
            .announces(&[Reads(2, Argument(1)), Processors { thread: 0, handle: true, changes: true }])
            .keeps_nothing(),
        function("pthread_setattr_default_np", "c").refused().keeps_nothing(),
        function("pthread_setcancelstate", "ip").modelled().keeps_nothing().accesses(&[Writes(1, Bytes(4))]),
        function("pthread_setcanceltype", "ip").modelled().keeps_nothing().accesses(&[Writes(1, Bytes(4))]),
        function("pthread_setconcurrency", "i").announces(&[Updates(Concurrency)]).flows(&[KeepsNumber(0)]),
        function("pthread_setname_np", "ic").modelled().accesses(&[Reads(1, Text), NamesThread]).flows(&[GivesAway(1)]),
        function("pthread_setschedparam", "iic").modelled().keeps_nothing().accesses(&[Reads(2, Bytes(4))]),
        function("pthread_setschedprio", "ii").modelled().keeps_nothing(),
        function("pthread_setspecific", "ic").announces(&[UsesKey(0), Unannounced(1, KEPT)]).essential(),
        function("pthread_spin_destroy", "p")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_spin_init", "pi")
            .modelled()
            .keeps_nothing()
            .role(Lifecycle)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_spin_lock", "p")
            .modelled()
            .keeps_nothing()
            .role(Lock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_spin_trylock", "p")
            .modelled()
            .keeps_nothing()
            .role(TryLock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_spin_unlock", "p")
            .modelled()
            .keeps_nothing()
            .role(Unlock)
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("pthread_testcancel", "").cancellation_point().modelled().keeps_nothing().in_loops(Operation),
        function("pthread_timedjoin_np", "ipc")
            .cancellation_point()
            .modelled()
            .flows(&[StoresUnknown(1)])
            .accesses(&[Writes(1, Bytes(8)), Reads(2, Bytes(16))]),
        function("pthread_tryjoin_np", "ip")
            .modelled()
            .flows(&[StoresUnknown(1)])
            .in_loops(Operation)
            .accesses(&[Writes(1, Bytes(8))]),
        function("pthread_yield", "").modelled().keeps_nothing().in_loops(Yields),
    ],
}];
