//! Which bits of a call's arguments and of its result depend on uninitialised memory: one record for all threads. No
//! thread comes to an operation between a caller's writing to the record and the function's reading of it, so that no
//! other thread's bits are in it then.

use super::run_data::RunData;
use crate::platform::{Global, poison};
use inspect_core::run::Run;

/// The bits of a call's arguments and of its result (`MsanContextStateTy` of LLVM 22).
#[repr(C, align(16))]
struct Record {
    arguments: [u64; 100],
    result: [u64; 100],
    variable: [u64; 100],
    variable_origins: [u64; 100],
    overflow: u64,
    argument_origins: [u32; 200],
    result_origin: u32,
}

static RECORD: Global<Record> = Global::new(Record {
    arguments: [0; 100],
    result: [0; 100],
    variable: [0; 100],
    variable_origins: [0; 100],
    overflow: 0,
    argument_origins: [0; 200],
    result_origin: 0,
});

/// The record, as the program uses it.
pub(crate) fn bits_of_call() -> *mut () {
    RECORD.as_ptr().cast()
}

/// A function of the program is about to be called by code that does not write to the record: its arguments are
/// initialised.
pub(crate) fn forget_arguments() {
    if poison::is_on() {
        // SAFETY: one OS thread; the borrow ends with this statement.
        unsafe { RECORD.get() }.arguments = [0; 100];
    }
}

/// The record as data of a run: empty wherever a run begins or goes on.
#[derive(Debug)]
pub(crate) struct BitsOfCall;

impl RunData for BitsOfCall {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        forget_arguments();
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {
        forget_arguments();
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
