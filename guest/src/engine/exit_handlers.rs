//! The exit handlers that the program has registered in any run, by number. The C library keeps the numbers in its
//! lists, in memory of the program, so that what is registered at present is part of a state; the numbers are the same
//! in all runs.

use super::service_stack::on_service_stack;
use crate::platform::Global;
use alloc::vec::Vec;

/// A function that is called when the process ends, and what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Handler {
    pub(crate) function: u64,
    pub(crate) argument: u64,
}

static HANDLERS: Global<Vec<Handler>> = Global::new(Vec::new());

on_service_stack!(number_on_service_stack(function: u64, argument: u64) -> u64 => number);

extern "C" fn number(function: u64, argument: u64) -> u64 {
    let handler = Handler { function, argument };
    // SAFETY: one OS thread; the borrow ends here.
    let handlers = unsafe { HANDLERS.get() };
    let known = handlers.iter().position(|&known| known == handler);
    known.unwrap_or_else(|| {
        handlers.push(handler);
        handlers.len() - 1
    }) as u64
}

/// The number of a handler.
pub(crate) fn number_of(handler: Handler) -> u64 {
    number_on_service_stack(handler.function, handler.argument)
}

/// The handler with this number, which is one of those that [`number_of`] has given.
pub(crate) fn handler(number: u64) -> Handler {
    // SAFETY: a read; one OS thread, and the borrow ends here.
    let handlers = unsafe { HANDLERS.get() };
    handlers[number as usize]
}

/// The argument of each handler.
pub(super) fn arguments() -> impl Iterator<Item = u64> {
    // SAFETY: a read; one OS thread, and the caller registers nothing meanwhile.
    unsafe { HANDLERS.get() }.iter().map(|handler| handler.argument)
}
