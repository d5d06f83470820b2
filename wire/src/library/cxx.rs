//! The C++ runtime: exceptions, guards, `new` and `delete`, and what libstdc++ has of threads out of line.

use super::CallEffect::{Operates, Reads, Unannounced, Writes};
use super::Extent::{Argument, Bytes};
use super::LibraryHeader;
use super::PointerFlow::{ReturnsBlock, ReturnsUnknown};
use super::builder::{function, variable};
use super::reason::{A_CONSTANT, A_HANDLE, A_VALUE, BY_FREE, BY_FUTEX, BY_PTHREADS, EMPTY, KEPT};

/// `std::thread::_M_start_thread`.
const START_THREAD: &str = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
/// `std::__atomic_futex_unsigned_base::_M_futex_wait_until`.
const WAIT_UNTIL: &str = concat!(
    "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_until",
    "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
);
/// The same by a clock that nobody sets.
const WAIT_UNTIL_STEADY: &str = concat!(
    "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steady",
    "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
);

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "C++ runtime",
    rows: &[
        // References to exception objects, and to messages that they share, end by atomic operations on their number.
        function("_Unwind_DeleteException", "p").modelled().accesses(&[Unannounced(0, A_HANDLE)]),
        function("_Unwind_RaiseException", "p").modelled().accesses(&[Unannounced(0, A_HANDLE)]),
        function("_Unwind_Resume", "p")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, A_HANDLE)]),
        function("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", "pi").announces(&[Writes(0, Bytes(16))]),
        function("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", "piii")
            .announces(&[Writes(0, Bytes(16))]),
        function("_ZNSaIcEC1ERKS_", "pc").harmless().accesses(&[Unannounced(0, EMPTY), Unannounced(1, EMPTY)]),
        function("_ZNSaIcEC1Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIcEC2ERKS_", "pc").harmless().accesses(&[Unannounced(0, EMPTY), Unannounced(1, EMPTY)]),
        function("_ZNSaIcEC2Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIcED1Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIcED2Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIwEC1ERKS_", "pc").harmless().accesses(&[Unannounced(0, EMPTY), Unannounced(1, EMPTY)]),
        function("_ZNSaIwEC1Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIwEC2ERKS_", "pc").harmless().accesses(&[Unannounced(0, EMPTY), Unannounced(1, EMPTY)]),
        function("_ZNSaIwEC2Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIwED1Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSaIwED2Ev", "p").harmless().accesses(&[Unannounced(0, EMPTY)]),
        function("_ZNSs6assignERKSs", "pc").modelled().accesses(&[Writes(0, Bytes(8)), Reads(1, Bytes(8))]),
        // They lock mutexes of the library, by the function of the threads API.
        function("_ZNSt10_Sp_lockerC1EPKv", "pc").announces(&[Writes(0, Bytes(2)), Unannounced(1, A_VALUE)]),
        function("_ZNSt10_Sp_lockerC1EPKvS1_", "pcc").announces(&[
            Writes(0, Bytes(2)),
            Unannounced(1, A_VALUE),
            Unannounced(2, A_VALUE),
        ]),
        function("_ZNSt10_Sp_lockerC2EPKv", "pc").announces(&[Writes(0, Bytes(2)), Unannounced(1, A_VALUE)]),
        function("_ZNSt10_Sp_lockerC2EPKvS1_", "pcc").announces(&[
            Writes(0, Bytes(2)),
            Unannounced(1, A_VALUE),
            Unannounced(2, A_VALUE),
        ]),
        function("_ZNSt10_Sp_lockerD1Ev", "p").announces(&[Writes(0, Bytes(2))]),
        function("_ZNSt10_Sp_lockerD2Ev", "p").announces(&[Writes(0, Bytes(2))]),
        function("_ZNSt13__future_base12_Result_baseC1Ev", "p").announces(&[Writes(0, Bytes(16))]),
        function("_ZNSt13__future_base12_Result_baseC2Ev", "p").announces(&[Writes(0, Bytes(16))]),
        function("_ZNSt13__future_base12_Result_baseD0Ev", "p").announces(&[Writes(0, Bytes(16))]),
        function("_ZNSt13__future_base12_Result_baseD1Ev", "p").announces(&[Writes(0, Bytes(16))]),
        function("_ZNSt13__future_base12_Result_baseD2Ev", "p").announces(&[Writes(0, Bytes(16))]),
        // The promise becomes ready when the thread ends, by a store in the library's own code.
        function("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv", "p").refused(),
        function("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", "p")
            .modelled()
            .accesses(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptr4swapERS0_", "pp")
            .announces(&[Writes(0, Bytes(8)), Writes(1, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", "p").modelled().accesses(&[Reads(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrC1EPv", "pp")
            .announces(&[Writes(0, Bytes(8)), Unannounced(1, A_HANDLE)]),
        function("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_", "pc")
            .announces(&[Writes(0, Bytes(8)), Reads(1, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrC1Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrC2ERKS0_", "pc")
            .announces(&[Writes(0, Bytes(8)), Reads(1, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrC2Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrD1Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptrD2Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptraSERKS0_", "pc")
            .announces(&[Writes(0, Bytes(8)), Reads(1, Bytes(8))]),
        function("_ZNSt18condition_variable10notify_allEv", "p")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_PTHREADS)]),
        function("_ZNSt18condition_variable10notify_oneEv", "p")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_PTHREADS)]),
        function("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "pp")
            .keeps_nothing()
            .writes_elsewhere()
            .announces(&[Unannounced(0, BY_PTHREADS), Reads(1, Bytes(8))]),
        function("_ZNSt18condition_variableC1Ev", "p")
            .modelled()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Operates(0)]),
        function("_ZNSt18condition_variableC2Ev", "p").modelled().accesses(&[Operates(0)]),
        function("_ZNSt18condition_variableD1Ev", "p")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_PTHREADS)]),
        function("_ZNSt18condition_variableD2Ev", "p")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_PTHREADS)]),
        function("_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj", "pp")
            .harmless()
            .accesses(&[Unannounced(0, A_VALUE), Unannounced(1, BY_FUTEX)]),
        function(WAIT_UNTIL, "ppiiii").harmless().accesses(&[Unannounced(0, A_VALUE), Unannounced(1, BY_FUTEX)]),
        function(WAIT_UNTIL_STEADY, "ppiiii").harmless().accesses(&[Unannounced(0, A_VALUE), Unannounced(1, BY_FUTEX)]),
        function("_ZNSt3_V215system_categoryEv", "").harmless(),
        function("_ZNSt3_V216generic_categoryEv", "").harmless(),
        function("_ZNSt6chrono3_V212steady_clock3nowEv", "").harmless(),
        function("_ZNSt6chrono3_V212system_clock3nowEv", "").harmless(),
        function(START_THREAD, "ppf").announces(&[Unannounced(0, BY_PTHREADS), Writes(1, Bytes(8))]),
        function("_ZNSt6thread20hardware_concurrencyEv", "").harmless().keeps_nothing().writes_elsewhere(),
        function("_ZNSt6thread4joinEv", "p")
            .modelled()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Reads(0, Bytes(8)), Writes(0, Bytes(8))]),
        function("_ZNSt6thread6_StateD0Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt6thread6_StateD1Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt6thread6_StateD2Ev", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZNSt6thread6detachEv", "p")
            .modelled()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Reads(0, Bytes(8)), Writes(0, Bytes(8))]),
        function("_ZNSt8__detail15_List_node_base10_M_reverseEv", "p").modelled().accesses(&[Writes(0, Bytes(16))]),
        function("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", "ppp").modelled().accesses(&[
            Writes(0, Bytes(16)),
            Writes(1, Bytes(16)),
            Writes(2, Bytes(16)),
        ]),
        function("_ZNSt8__detail15_List_node_base4swapERS0_S1_", "pp")
            .modelled()
            .accesses(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt8__detail15_List_node_base7_M_hookEPS0_", "pp")
            .modelled()
            .accesses(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt8__detail15_List_node_base9_M_unhookEv", "p").modelled().accesses(&[Reads(0, Bytes(16))]),
        function("_ZSt11_Hash_bytesPKvmm", "cii").announces(&[Reads(0, Argument(1))]),
        variable("_ZSt11__once_call").harmless(),
        variable("_ZSt15__once_callable").harmless(),
        function("_ZSt15future_categoryv", "").harmless(),
        function("_ZSt17current_exceptionv", "p").announces(&[Writes(0, Bytes(8))]),
        function("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", "p")
            .modelled()
            .accesses(&[Reads(0, Bytes(8))]),
        function("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", "c").modelled().accesses(&[Reads(0, Bytes(32))]),
        function("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", "p").modelled().accesses(&[Reads(0, Bytes(32))]),
        function("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", "c").modelled().accesses(&[Reads(0, Bytes(32))]),
        function("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "p").modelled().accesses(&[Reads(0, Bytes(32))]),
        function("_ZSt18uncaught_exceptionv", "").harmless(),
        function("_ZSt19uncaught_exceptionsv", "").harmless(),
        function("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", "pp")
            .modelled()
            .accesses(&[Writes(0, Bytes(32)), Writes(1, Bytes(32))]),
        function("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", "ippp").modelled().accesses(&[
            Writes(1, Bytes(32)),
            Writes(2, Bytes(32)),
            Writes(3, Bytes(32)),
        ]),
        // The compiler calls it where an exception would leave a destructor; it ends in `abort`.
        function("_ZSt9terminatev", "").harmless().keeps_nothing().writes_elsewhere(),
        variable("_ZTVNSt13__future_base12_Result_baseE").harmless(),
        variable("_ZTVNSt6thread6_StateE").harmless(),
        function("_ZdaPv", "p").harmless().keeps_nothing().writes_elsewhere().accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdaPvSt11align_val_t", "pi")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdaPvm", "pi").harmless().keeps_nothing().writes_elsewhere().accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdaPvmSt11align_val_t", "pii")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdlPv", "p").harmless().keeps_nothing().writes_elsewhere().accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdlPvRKSt9nothrow_t", "pc")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_FREE), Unannounced(1, A_VALUE)]),
        function("_ZdlPvSt11align_val_t", "pi")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdlPvm", "pi").harmless().keeps_nothing().writes_elsewhere().accesses(&[Unannounced(0, BY_FREE)]),
        function("_ZdlPvmSt11align_val_t", "pii")
            .harmless()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Unannounced(0, BY_FREE)]),
        function("_Znam", "i").harmless().flows(&[ReturnsBlock]),
        function("_ZnamRKSt9nothrow_t", "ic").harmless().flows(&[ReturnsBlock]).accesses(&[Unannounced(1, A_VALUE)]),
        function("_ZnamSt11align_val_t", "ii").harmless().flows(&[ReturnsBlock]),
        function("_ZnamSt11align_val_tRKSt9nothrow_t", "iic")
            .harmless()
            .flows(&[ReturnsBlock])
            .accesses(&[Unannounced(2, A_VALUE)]),
        function("_Znwm", "i").harmless().flows(&[ReturnsBlock]),
        function("_ZnwmRKSt9nothrow_t", "ic").harmless().flows(&[ReturnsBlock]).accesses(&[Unannounced(1, A_VALUE)]),
        function("_ZnwmSt11align_val_t", "ii").harmless().flows(&[ReturnsBlock]),
        function("_ZnwmSt11align_val_tRKSt9nothrow_t", "iic")
            .harmless()
            .flows(&[ReturnsBlock])
            .accesses(&[Unannounced(2, A_VALUE)]),
        function("__clang_call_terminate", "p")
            .harmless()
            .accesses(&[Unannounced(0, A_HANDLE)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("__cxa_allocate_exception", "i").harmless().flows(&[ReturnsBlock]),
        function("__cxa_at_quick_exit", "fp").modelled().accesses(&[Unannounced(1, A_VALUE)]),
        function("__cxa_atexit", "fpp").modelled().accesses(&[Unannounced(1, KEPT), Unannounced(2, A_VALUE)]),
        function("__cxa_bad_cast", "").harmless(),
        function("__cxa_bad_typeid", "").harmless(),
        function("__cxa_begin_catch", "p").harmless().accesses(&[Unannounced(0, A_HANDLE)]).flows(&[ReturnsUnknown]),
        function("__cxa_current_exception_type", "").harmless(),
        function("__cxa_end_catch", "").harmless().keeps_nothing().writes_elsewhere(),
        function("__cxa_finalize", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("__cxa_free_exception", "p")
            .harmless()
            .accesses(&[Unannounced(0, A_HANDLE)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("__cxa_get_exception_ptr", "p")
            .harmless()
            .accesses(&[Unannounced(0, A_HANDLE)])
            .flows(&[ReturnsUnknown]),
        function("__cxa_guard_abort", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_guard_acquire", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_guard_release", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_init_primary_exception", "pcf")
            .harmless()
            .accesses(&[Unannounced(0, A_HANDLE), Unannounced(1, A_HANDLE)]),
        function("__cxa_pure_virtual", "").harmless().keeps_nothing().writes_elsewhere(),
        function("__cxa_rethrow", "").harmless().keeps_nothing().writes_elsewhere(),
        function("__cxa_thread_atexit", "fpp").harmless().accesses(&[Unannounced(1, KEPT), Unannounced(2, A_VALUE)]),
        function("__cxa_thread_atexit_impl", "fpp")
            .harmless()
            .accesses(&[Unannounced(1, KEPT), Unannounced(2, A_VALUE)]),
        function("__cxa_throw", "pcf").harmless().accesses(&[Unannounced(0, A_HANDLE), Unannounced(1, A_HANDLE)]),
        function("__cxa_throw_bad_array_new_length", "").harmless(),
        function("__dynamic_cast", "ccci").announces(&[
            Reads(0, Bytes(8)),
            Unannounced(1, A_CONSTANT),
            Unannounced(2, A_CONSTANT),
        ]),
        function("__gxx_personality_v0", "iiipp")
            .harmless()
            .accesses(&[Unannounced(3, A_HANDLE), Unannounced(4, A_HANDLE)]),
        function("__once_proxy", "").harmless(),
    ],
}];
