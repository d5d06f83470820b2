//! The guest: runs inside the program under test.
#![no_std]
