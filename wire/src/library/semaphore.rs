//! Functions of `semaphore.h`.

use super::CallEffect::{ChangesPath, Reads, Writes};
use super::Extent::{Bytes, Text};
use super::LibraryHeader;
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "semaphore.h",
    rows: &[
        function("sem_clockwait", "pic").refused().keeps_nothing(),
        function("sem_close", "p").refused().keeps_nothing(),
        function("sem_destroy", "p").announces(&[Writes(0, Bytes(32))]).keeps_nothing(),
        function("sem_getvalue", "pp").refused().keeps_nothing(),
        function("sem_init", "pii").announces(&[Writes(0, Bytes(32))]).keeps_nothing(),
        variadic("sem_open", "ci").refused(),
        function("sem_post", "p").refused().keeps_nothing(),
        function("sem_timedwait", "pc").refused().keeps_nothing(),
        function("sem_trywait", "p").refused().keeps_nothing(),
        function("sem_unlink", "c").announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
        function("sem_wait", "p").refused().keeps_nothing(),
    ],
}];
