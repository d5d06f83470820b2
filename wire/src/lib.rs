//! What crosses a border between processes, or between compiler and guest: the hook contract ([`hooks`]), the shared
//! memory of host and guest ([`shared`]) and the messages in it ([`message`]).
#![no_std]

extern crate alloc;

pub mod hooks;
pub mod message;
pub mod shared;
