//! Vector clocks and the two happens-before relations (exploration's and C11's).

pub mod c11;
mod table;
