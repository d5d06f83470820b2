//! Decides who can get at the memory of an access.
//!
//! An object is shared if another thread than its first owner may reach it *and* it matters: code that threads run
//! touches it, and somebody writes it after its initialisation. What escaped to code that is not seen is shared, and so
//! is whatever the analysis knows nothing of.

use crate::access::Access;
use crate::ir::Value;
use crate::points_to::{AbstractObject, AbstractObjectKind, Analysis, Set};

/// Who can get at the memory of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Another thread may.
    Shared,
    /// Only this thread, but it may be a heap block.
    Heap,
    /// Only this thread, and it is no heap block.
    Private,
}

/// The shared objects of a program.
pub(crate) struct Sharing<'a> {
    analysis: &'a Analysis,
    shared: Set,
    /// What several threads may get at, whether it matters or not.
    reachable: Set,
}

impl<'a> Sharing<'a> {
    /// Finds the shared objects, given every access of the program.
    pub(crate) fn new(analysis: &'a Analysis, accesses: &[Access]) -> Sharing<'a> {
        let reachable = reachable(analysis);
        let (touched, written) = uses(analysis, accesses);
        let escaped = analysis.escaped();
        let mut shared = Set::default();
        for object in analysis.objects() {
            let is_shared = match analysis.kind(object) {
                AbstractObjectKind::Unknown => true,
                AbstractObjectKind::Constant | AbstractObjectKind::Function => false,
                AbstractObjectKind::Global
                | AbstractObjectKind::ThreadLocal
                | AbstractObjectKind::Local
                | AbstractObjectKind::Heap => {
                    escaped.contains(object)
                        || (reachable.contains(object) && touched.contains(object) && written.contains(object))
                }
            };
            if is_shared {
                shared.insert(object);
            }
        }
        Sharing { analysis, shared, reachable }
    }

    /// Whether another thread than its first owner may get at the object, if only to keep what belongs to one of them.
    pub(crate) fn is_reachable(&self, object: AbstractObject) -> bool {
        self.reachable.contains(object) || self.shared.contains(object)
    }

    /// Who can get at the memory of an access.
    pub(crate) fn reach(&self, access: &Access) -> Reach {
        let Some(pointer) = access.pointer else { return Reach::Shared };
        let Some(objects) = self.analysis.points_to(pointer) else { return Reach::Shared };
        if is_counter(pointer) {
            return Reach::Private;
        }
        if objects.iter().any(|object| self.shared.contains(object)) {
            return Reach::Shared;
        }
        let heap = objects.iter().any(|object| self.analysis.kind(object) == AbstractObjectKind::Heap);
        if heap { Reach::Heap } else { Reach::Private }
    }
}

/// What several threads may reach: globals, what threads are started with, what escaped, and what these hold.
fn reachable(analysis: &Analysis) -> Set {
    let starts = |object: &AbstractObject| match analysis.kind(*object) {
        AbstractObjectKind::Unknown | AbstractObjectKind::Global | AbstractObjectKind::Constant => true,
        AbstractObjectKind::ThreadLocal
        | AbstractObjectKind::Local
        | AbstractObjectKind::Heap
        | AbstractObjectKind::Function => false,
    };
    let mut left: Vec<AbstractObject> = analysis.objects().filter(starts).collect();
    left.extend(analysis.escaped().iter().chain(analysis.passed_to_threads()));
    let mut reached = Set::default();
    while let Some(object) = left.pop() {
        if reached.insert(object) {
            left.extend(analysis.content(object).iter());
        }
    }
    reached
}

/// What code that threads run touches, and what anybody writes.
fn uses(analysis: &Analysis, accesses: &[Access]) -> (Set, Set) {
    let by_threads = analysis.run_by_threads();
    let (mut touched, mut written) = (Set::default(), Set::default());
    for access in accesses {
        let objects = access.pointer.and_then(|pointer| analysis.points_to(pointer));
        for object in objects.into_iter().flat_map(Set::iter) {
            if by_threads.contains(&access.function) {
                touched.insert(object);
            }
            if access.kind.writes() {
                written.insert(object);
            }
        }
    }
    for (function, object) in analysis.given_to_libraries() {
        if by_threads.contains(&function) {
            touched.insert(object);
        }
        written.insert(object);
    }
    (touched, written)
}

/// The memory is a counter that the compiler itself added, for profiles and coverage.
fn is_counter(pointer: Value) -> bool {
    let base = if pointer.is_global_variable() || pointer.operand_count() == 0 { pointer } else { pointer.operand(0) };
    let name = if base.is_global_variable() { base.name() } else { String::new() };
    ["__profc_", "__profd_", "__profbm_", "__llvm_prf", "__llvm_gcov", "__llvm_gcda", "__inspect"]
        .iter()
        .any(|p| name.starts_with(p))
}
