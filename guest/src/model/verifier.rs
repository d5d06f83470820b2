//! What a test driver calls for Inspect: choices, assumptions, assertions; and `abort`.

use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::{end_process, last_event, unmodelled, visible};
use crate::platform::exit::exit;
use crate::platform::signals::SIGABRT;
use crate::platform::{caller, elf, sigaction, started};
use inspect_core::event::{ControlOperation, EndKind, Operation, SiteId};
use inspect_core::run::Request;

export! {
    interpose_inspect_choose / 1 => choose;
    interpose_inspect_assume / 1 => assume;
    interpose___VERIFIER_assume / 1 => assume;
    interpose___VERIFIER_nondet_bool / 0 => nondet_bool;
    interpose___VERIFIER_nondet_char / 0 => nondet_byte;
    interpose___VERIFIER_nondet_uchar / 0 => nondet_byte;
    interpose___VERIFIER_nondet_int / 0 => nondet_int;
    interpose___VERIFIER_nondet_uint / 0 => nondet_int;
    interpose___VERIFIER_nondet_long / 0 => nondet_int;
    interpose___VERIFIER_nondet_ulong / 0 => nondet_int;
    interpose___VERIFIER_error / 0 => error;
    interpose_reach_error / 0 => error;
    interpose_abort / 0 => abort;
    interpose___assert_fail / 4 => assertion_failed;
    interpose___assert_perror_fail / 4 => assertion_failed;
    interpose___assert / 3 => old_assertion_failed;
}

fn chosen(count: u32, site: SiteId) -> u32 {
    let mut request = Request::new(Operation::Control(ControlOperation::Choose), site);
    request.count = count;
    visible(request);
    last_event().choice
}

/// `inspect_choose(n)`: any value from 0 to below n; without Inspect 0.
extern "C" fn choose(count: i32, pc: u64) -> i32 {
    if !started() || count == 1 {
        return 0;
    }
    if count < 1 {
        unmodelled("inspect_choose(n) for n below 1, which has no value to choose", of_call(pc));
    }
    chosen(count as u32, of_call(pc)) as i32
}

/// `inspect_assume(c)`: if c is false, this thread goes no further; without Inspect the program ends.
extern "C" fn assume(condition: i32, pc: u64) {
    if condition != 0 {
        return;
    }
    if !started() {
        exit(0);
    }
    visible(Request::new(Operation::Control(ControlOperation::Assume), of_call(pc)));
}

extern "C" fn nondet_bool(pc: u64) -> u32 {
    if started() { chosen(2, of_call(pc)) } else { 0 }
}

extern "C" fn nondet_byte(pc: u64) -> u32 {
    if started() { chosen(256, of_call(pc)) } else { 0 }
}

/// There are too many numbers to try them all.
extern "C" fn nondet_int(pc: u64) -> u64 {
    if started() {
        unmodelled("__VERIFIER_nondet_int and the like (use inspect_choose(n))", of_call(pc));
    }
    0
}

extern "C" fn error(pc: u64) -> ! {
    assertion_failed(0, 0, 0, 0, pc)
}

extern "C" fn abort(pc: u64) -> ! {
    if !started() {
        real!("abort" as fn())();
    }
    // A handler may jump out of the call; when it returns, the process ends all the same.
    if sigaction::has_handler(SIGABRT) {
        sigaction::run_abort_handler(pc);
    }
    abort_at(pc)
}

/// Ends the process as `abort` does. Libraries call it on the program's behalf: for an exception that nobody catches,
/// for instance.
pub(super) fn abort_at(pc: u64) -> ! {
    let here = 0u64;
    let end = if handles_exception(pc) { EndKind::UncaughtException } else { EndKind::Abort };
    end_process(end, of_call(caller::in_program(pc, &raw const here as u64)))
}

/// Whether a call from `pc` is one of the C++ library while the running thread handles an exception: one that nobody
/// catches counts as handled once `std::terminate` is called.
fn handles_exception(pc: u64) -> bool {
    let globals = elf::find("__cxa_get_globals");
    let modules = elf::modules();
    let library = modules.iter().find(|module| (module.start..module.end).contains(&(globals as u64)));
    if library.is_none_or(|library| library.path.is_empty() || !(library.start..library.end).contains(&pc)) {
        return false;
    }
    // SAFETY: the C++ ABI's function, which returns the thread's handled exceptions, a list, and the number of others.
    unsafe {
        let globals = core::mem::transmute::<*const (), extern "C" fn() -> *const [u64; 2]>(globals);
        (*globals())[0] != 0
    }
}

extern "C" fn assertion_failed(expression: u64, file: u64, line: u64, function: u64, pc: u64) -> ! {
    if !started() {
        if expression == 0 {
            real!("abort" as fn())();
        }
        real!("__assert_fail" as fn(u64, u64, u64, u64))(expression, file, line, function);
    }
    end_process(EndKind::AssertionFailed, of_call(pc))
}

extern "C" fn old_assertion_failed(expression: u64, file: u64, line: u64, pc: u64) -> ! {
    assertion_failed(expression, file, line, 0, pc)
}
