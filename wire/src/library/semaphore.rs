//! Functions of `semaphore.h`.

use super::LibraryHeader;
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "semaphore.h",
    rows: &[
        function("sem_clockwait", 3).refused().keeps_nothing(),
        function("sem_close", 1).harmless().keeps_nothing(),
        function("sem_destroy", 1).harmless().keeps_nothing(),
        function("sem_getvalue", 2).refused().keeps_nothing(),
        function("sem_init", 3).harmless().keeps_nothing(),
        variadic("sem_open", 2).refused(),
        function("sem_post", 1).refused().keeps_nothing(),
        function("sem_timedwait", 2).refused().keeps_nothing(),
        function("sem_trywait", 1).refused().keeps_nothing(),
        function("sem_unlink", 1).harmless(),
        function("sem_wait", 1).refused().keeps_nothing(),
    ],
}];
