//! Which memory a pointer can lead to, for a whole program.
//!
//! [`constraints`] walks the code and states what each instruction does with pointers; [`externals`] says the same for
//! functions without a body; [`solver`] computes the sets. What cannot be followed (a pointer made from a number that
//! was cut up, the arguments of an unlisted function) escapes to the outside world, and the outside world may do
//! anything with it.

mod constraints;
mod externals;
mod set;
mod solver;

pub(crate) use constraints::{AbstractObjectKind, Analysis, analyse, names_ends_of_data};
pub(crate) use externals::writes_directly;
pub(crate) use set::{AbstractObject, Set};
