//! Functions of `semaphore.h`.

use super::CallEffect::{Operates, Reads, Writes};
use super::Completion::WritesNothing;
use super::Extent::{Bytes, Text};
use super::InLoops::Operation;
use super::LibraryHeader;
use super::PointerFlow::{KeepsNumber, ReturnsUnknown};
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "semaphore.h",
    rows: &[
        function("sem_clockwait", "pic")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(2, Bytes(16))]),
        function("sem_close", "p").modelled().keeps_nothing().accesses(&[Operates(0)]),
        function("sem_destroy", "p").modelled().keeps_nothing().essential().accesses(&[Operates(0)]),
        function("sem_getvalue", "pp").modelled().keeps_nothing().accesses(&[Operates(0), Writes(1, Bytes(4))]),
        function("sem_init", "pii").modelled().flows(&[KeepsNumber(2)]).essential().accesses(&[Operates(0)]),
        variadic("sem_open", "ci").modelled().flows(&[ReturnsUnknown]).accesses(&[Reads(0, Text)]),
        function("sem_post", "p")
            .modelled()
            .keeps_nothing()
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
        function("sem_timedwait", "pc")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .accesses(&[Operates(0), Reads(1, Bytes(16))]),
        function("sem_trywait", "p").modelled().keeps_nothing().in_loops(Operation).accesses(&[Operates(0)]),
        function("sem_unlink", "c").modelled().keeps_nothing().accesses(&[Reads(0, Text)]),
        function("sem_wait", "p")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .completes(WritesNothing)
            .in_loops(Operation)
            .essential()
            .accesses(&[Operates(0)]),
    ],
}];
