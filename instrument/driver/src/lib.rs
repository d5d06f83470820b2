//! The compiler driver behind `inspect cc`.
