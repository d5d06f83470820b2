//! The compiler pass: finds the accesses that may be shared and inserts hooks.
