//! What crosses a border between processes, or between compiler and guest: the hook contract ([`hooks`]), what
//! the code tells without being run ([`facts`]), the shared
//! memory of host and guest ([`shared`]), the messages in it ([`message`]) and parts of a search that guests share
//! ([`work`]).
#![no_std]

extern crate alloc;

pub mod facts;
pub mod hooks;
pub mod library;
pub mod message;
pub mod shared;
pub mod work;
