//! The C++ runtime: exceptions, guards, `new` and `delete`, and what libstdc++ has of threads out of line.

use super::CallEffect::{Operates, Reads, Unannounced, Writes};
use super::Extent::Bytes;
use super::LibraryHeader;
use super::PointerFlow::{ReturnsBlock, ReturnsUnknown};
use super::builder::function;
use super::reason::{A_HANDLE, A_VALUE, KEPT};

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
        function("_ZNSs6assignERKSs", "pc").modelled().accesses(&[Writes(0, Bytes(8)), Reads(1, Bytes(8))]),
        function("_ZNSt11logic_errorC1EOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt11logic_errorC1ERKS_", "pc").modelled().accesses(&[Writes(0, Bytes(16)), Reads(1, Bytes(16))]),
        function("_ZNSt11logic_errorC2EOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt11logic_errorC2ERKS_", "pc").modelled().accesses(&[Writes(0, Bytes(16)), Reads(1, Bytes(16))]),
        function("_ZNSt11logic_errorD1Ev", "p").modelled().accesses(&[Writes(0, Bytes(16))]),
        function("_ZNSt11logic_errorD2Ev", "p").modelled().accesses(&[Writes(0, Bytes(16))]),
        function("_ZNSt11logic_erroraSEOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        // The promise becomes ready when the thread ends, by a store in the library's own code.
        function("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv", "p").refused(),
        function("_ZNSt13runtime_errorC1EOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt13runtime_errorC1ERKS_", "pc").modelled().accesses(&[Writes(0, Bytes(16)), Reads(1, Bytes(16))]),
        function("_ZNSt13runtime_errorC2EOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt13runtime_errorC2ERKS_", "pc").modelled().accesses(&[Writes(0, Bytes(16)), Reads(1, Bytes(16))]),
        function("_ZNSt13runtime_errorD1Ev", "p").modelled().accesses(&[Writes(0, Bytes(16))]),
        function("_ZNSt13runtime_errorD2Ev", "p").modelled().accesses(&[Writes(0, Bytes(16))]),
        function("_ZNSt13runtime_erroraSEOS_", "pp").announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(16))]),
        function("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", "p")
            .modelled()
            .accesses(&[Writes(0, Bytes(8))]),
        function("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", "p").modelled().accesses(&[Reads(0, Bytes(8))]),
        function("_ZNSt18condition_variable10notify_allEv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZNSt18condition_variable10notify_oneEv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "pp").keeps_nothing().writes_elsewhere(),
        function("_ZNSt18condition_variableC1Ev", "p")
            .modelled()
            .keeps_nothing()
            .writes_elsewhere()
            .accesses(&[Operates(0)]),
        function("_ZNSt18condition_variableC2Ev", "p").modelled().accesses(&[Operates(0)]),
        function("_ZNSt18condition_variableD1Ev", "p").keeps_nothing().writes_elsewhere(),
        function("_ZNSt6thread20hardware_concurrencyEv", "").keeps_nothing().writes_elsewhere(),
        function("_ZNSt6thread4joinEv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZNSt6thread6detachEv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", "p")
            .modelled()
            .accesses(&[Reads(0, Bytes(8))]),
        // The compiler calls it where an exception would leave a destructor; it ends in `abort`.
        function("_ZSt9terminatev", "").harmless().keeps_nothing().writes_elsewhere(),
        function("_ZdaPv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZdaPvSt11align_val_t", "pi").keeps_nothing().writes_elsewhere(),
        function("_ZdaPvm", "pi").keeps_nothing().writes_elsewhere(),
        function("_ZdaPvmSt11align_val_t", "pii").keeps_nothing().writes_elsewhere(),
        function("_ZdlPv", "p").keeps_nothing().writes_elsewhere(),
        function("_ZdlPvRKSt9nothrow_t", "pc").keeps_nothing().writes_elsewhere(),
        function("_ZdlPvSt11align_val_t", "pi").keeps_nothing().writes_elsewhere(),
        function("_ZdlPvm", "pi").keeps_nothing().writes_elsewhere(),
        function("_ZdlPvmSt11align_val_t", "pii").keeps_nothing().writes_elsewhere(),
        function("_Znam", "i").flows(&[ReturnsBlock]),
        function("_ZnamRKSt9nothrow_t", "ic").flows(&[ReturnsBlock]),
        function("_ZnamSt11align_val_t", "ii").flows(&[ReturnsBlock]),
        function("_ZnamSt11align_val_tRKSt9nothrow_t", "iic").flows(&[ReturnsBlock]),
        function("_Znwm", "i").flows(&[ReturnsBlock]),
        function("_ZnwmRKSt9nothrow_t", "ic").flows(&[ReturnsBlock]),
        function("_ZnwmSt11align_val_t", "ii").flows(&[ReturnsBlock]),
        function("_ZnwmSt11align_val_tRKSt9nothrow_t", "iic").flows(&[ReturnsBlock]),
        function("__clang_call_terminate", "p").keeps_nothing().writes_elsewhere(),
        function("__cxa_allocate_exception", "i").flows(&[ReturnsBlock]),
        function("__cxa_at_quick_exit", "fp").modelled().accesses(&[Unannounced(1, A_VALUE)]),
        function("__cxa_atexit", "fpp").modelled().accesses(&[Unannounced(1, KEPT), Unannounced(2, A_VALUE)]),
        function("__cxa_begin_catch", "p").harmless().accesses(&[Unannounced(0, A_HANDLE)]).flows(&[ReturnsUnknown]),
        function("__cxa_end_catch", "").keeps_nothing().writes_elsewhere(),
        function("__cxa_finalize", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("__cxa_free_exception", "p").keeps_nothing().writes_elsewhere(),
        function("__cxa_get_exception_ptr", "p").flows(&[ReturnsUnknown]),
        function("__cxa_guard_abort", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_guard_acquire", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_guard_release", "p").modelled().keeps_nothing().writes_elsewhere().accesses(&[Operates(0)]),
        function("__cxa_pure_virtual", "").keeps_nothing().writes_elsewhere(),
        function("__cxa_rethrow", "").keeps_nothing().writes_elsewhere(),
        function("__cxa_thread_atexit_impl", "fpp")
            .harmless()
            .accesses(&[Unannounced(1, KEPT), Unannounced(2, A_VALUE)]),
        function("__gxx_personality_v0", "iiipp")
            .harmless()
            .accesses(&[Unannounced(3, A_HANDLE), Unannounced(4, A_HANDLE)]),
    ],
}];
