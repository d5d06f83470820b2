//! Functions of the C library that the guest takes over without a model of threads: the heap and the clock.

pub mod heap;
