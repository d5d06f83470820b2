//! Functions of the C library that the guest takes over without a model of threads: the heap.

pub mod heap;
