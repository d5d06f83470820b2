//! Functions that the compiler calls by itself, and families of functions with a common beginning.

use super::InLoops::Operation;
use super::Outcome::Varies;
use super::PointerFlow::Exchanges;
use super::builder::{family, function};
use super::{LibraryHeader, LibraryRow};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "libatomic",
    rows: &[
        function("__atomic_compare_exchange", 6).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_compare_exchange_16", 5).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_exchange", 5).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_exchange_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_add_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_and_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_nand_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_or_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_sub_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_fetch_xor_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_load", 4).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_load_16", 2).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_store", 4).modelled().flows(&[Exchanges]).in_loops(Operation),
        function("__atomic_store_16", 3).modelled().flows(&[Exchanges]).in_loops(Operation),
    ],
}];

/// See [`FAMILIES`](super::FAMILIES).
pub(super) const FAMILIES: &[LibraryRow] = &[
    family("__VERIFIER_nondet_").keeps_nothing().outcome(Varies),
    family("pthread_mutex_").keeps_nothing(),
    family("pthread_mutexattr_").harmless().keeps_nothing(),
    family("pthread_cond_").keeps_nothing(),
    family("pthread_condattr_").harmless().keeps_nothing(),
    family("pthread_rwlock_").keeps_nothing(),
    family("pthread_rwlockattr_").harmless().keeps_nothing(),
    family("pthread_spin_").keeps_nothing(),
    family("pthread_barrier_").keeps_nothing(),
    family("pthread_barrierattr_").harmless().keeps_nothing(),
    family("pthread_attr_").harmless().keeps_nothing(),
    family("__VERIFIER_").keeps_nothing(),
    family("__inspect_").harmless().keeps_nothing(),
    family("_ZSt20__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt17__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt19__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt16__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt18__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt21__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt24__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt25__throw_").keeps_nothing().writes_elsewhere(),
    family("_ZSt28__throw_").keeps_nothing().writes_elsewhere(),
    family("_ITM_").harmless(),
    family("_Unwind_").harmless(),
    family("__atomic_").harmless().flows(&[Exchanges]).in_loops(Operation),
    family("__sync_").flows(&[Exchanges]),
];
