//! What crosses a border between processes, or between compiler and guest: the hook contract ([`hooks`]), what is known
//! of a program's code without running it ([`facts`]), the memory shared by host and guest ([`shared`]), the messages
//! in it ([`message`]) and the parts of a search that guests share ([`work`]). Beside that, what both compiler and
//! guest know of library functions ([`library`]).
#![no_std]

extern crate alloc;

pub mod facts;
pub mod hooks;
pub mod library;
pub mod message;
pub mod race_pattern;
pub mod shared;
pub mod work;

/// The library that the driver links into every instrumented program.
pub const GUEST_LIBRARY: &str = "libinspect_guest.so";

/// The form of it with room for many threads, which takes its place, beside it.
pub const MANY_THREADS_LIBRARY: &str = "libinspect_guest_many.so";

/// How the name begins that this form is built with. Another name is written over it ([`MANY_THREADS_NAME_ROOM`]): the
/// one by which a program needs the library that it takes the place of.
pub const MANY_THREADS_NAME: &str = "inspect-guest-library-for-many-threads";

/// How long that name is: as long as a path can be.
pub const MANY_THREADS_NAME_ROOM: usize = 4095;
