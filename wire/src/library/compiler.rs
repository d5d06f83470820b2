//! Functions that the compiler calls by itself, and families of functions with a common beginning.

use super::CallEffect::{Operates, Reads, Writes};
use super::Extent::{Argument, Bytes};
use super::InLoops::Operation;
use super::Outcome::Varies;
use super::PointerFlow::Exchanges;
use super::builder::{family, function};
use super::{LibraryHeader, LibraryRow};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "libatomic",
    rows: &[
        function("__atomic_compare_exchange", "ipppii").modelled().flows(&[Exchanges]).in_loops(Operation).accesses(&[
            Operates(1),
            Reads(2, Argument(0)),
            Writes(2, Argument(0)),
            Reads(3, Argument(0)),
        ]),
        function("__atomic_compare_exchange_16", "ppiii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0), Reads(1, Bytes(16)), Writes(1, Bytes(16))]),
        function("__atomic_exchange", "ipppi").modelled().flows(&[Exchanges]).in_loops(Operation).accesses(&[
            Operates(1),
            Reads(2, Argument(0)),
            Writes(3, Argument(0)),
        ]),
        function("__atomic_exchange_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_add_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_and_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_nand_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_or_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_sub_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_fetch_xor_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
        function("__atomic_load", "ippi")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(1), Writes(2, Argument(0))]),
        function("__atomic_load_16", "pi").modelled().flows(&[Exchanges]).in_loops(Operation).accesses(&[Operates(0)]),
        function("__atomic_store", "ippi")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(1), Reads(2, Argument(0))]),
        function("__atomic_store_16", "pii")
            .modelled()
            .flows(&[Exchanges])
            .in_loops(Operation)
            .accesses(&[Operates(0)]),
    ],
}];
/// See [`FAMILIES`](super::FAMILIES).
pub(super) const FAMILIES: &[LibraryRow] = &[
    family("__VERIFIER_nondet_").keeps_nothing().outcome(Varies),
    family("pthread_mutex_").keeps_nothing(),
    family("pthread_mutexattr_").keeps_nothing(),
    family("pthread_cond_").keeps_nothing(),
    family("pthread_condattr_").keeps_nothing(),
    family("pthread_rwlock_").keeps_nothing(),
    family("pthread_rwlockattr_").keeps_nothing(),
    family("pthread_spin_").keeps_nothing(),
    family("pthread_barrier_").keeps_nothing(),
    family("pthread_barrierattr_").keeps_nothing(),
    family("pthread_attr_").keeps_nothing(),
    family("__VERIFIER_").keeps_nothing(),
    family("__inspect_").harmless().keeps_nothing(),
    family(crate::hooks::MEMORY_SANITIZER_PREFIX).harmless().keeps_nothing(),
    family("_ZSt20__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt17__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt19__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt16__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt18__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt21__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt24__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt25__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ZSt28__throw_").harmless().keeps_nothing().writes_elsewhere(),
    family("_ITM_").harmless(),
    // Tables that the compiler makes of types, and the addresses of the functions that read them.
    family("_ZTI").harmless(),
    family("_ZTS").harmless(),
    family("_ZTVN10__cxxabiv1").harmless(),
    family("_Unwind_").harmless(),
    family("__atomic_").harmless().flows(&[Exchanges]).in_loops(Operation),
    family("__sync_").flows(&[Exchanges]),
];
