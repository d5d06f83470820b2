//! Decides which threads may reach the memory of an access.
//!
//! An object is shared if a thread other than its first owner may reach it *and* it matters: code that threads run
//! touches it, and it is written after its initialisation. Objects that escaped to code that is not seen are shared,
//! and so is all memory that the analysis does not know. What ends with its thread matters also if nobody but another
//! thread touches it: the use may come after the end.

use crate::access::Access;
use crate::ir::Value;
use crate::points_to::{AbstractObject, AbstractObjectKind, Analysis, Set};

/// Which threads may reach the memory of an access.
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
    /// The objects that several threads may reach, whether it matters or not.
    reachable: Set,
    /// The blocks of the heap.
    blocks: Set,
    /// Whether the analysis is not asked, and all memory counts as shared.
    everything: bool,
}

impl<'a> Sharing<'a> {
    /// Finds the shared objects, given every access of the program and its local variables.
    pub(crate) fn new(analysis: &'a Analysis, accesses: &[Access], variables: &[Value]) -> Sharing<'a> {
        let reachable = reachable(analysis);
        let (mut touched, mut written) = uses(analysis, accesses);
        let by_threads = analysis.run_by_threads();
        // Their end writes them, and so does whoever copies a parameter.
        for object in variables.iter().filter_map(|variable| analysis.points_to(*variable)).flat_map(Set::iter) {
            written.insert(object);
            if analysis.owner(object).is_some_and(|function| by_threads.contains(&function)) {
                touched.insert(object);
            }
        }
        let escaped = analysis.escaped();
        let mut shared = Set::default();
        for object in analysis.objects() {
            let is_shared = match analysis.kind(object) {
                AbstractObjectKind::Unknown => true,
                AbstractObjectKind::Constant | AbstractObjectKind::Function => false,
                AbstractObjectKind::ThreadLocal => escaped.contains(object) || reachable.contains(object),
                AbstractObjectKind::Global | AbstractObjectKind::Local | AbstractObjectKind::Heap => {
                    escaped.contains(object)
                        || (reachable.contains(object) && touched.contains(object) && written.contains(object))
                }
            };
            if is_shared {
                shared.insert(object);
            }
        }
        let mut blocks = Set::default();
        let is_block = |object: &AbstractObject| analysis.kind(*object) == AbstractObjectKind::Heap;
        analysis.objects().filter(is_block).for_each(|block| _ = blocks.insert(block));
        Sharing { analysis, shared, reachable, blocks, everything: false }
    }

    /// Takes all memory for shared, but for what the compiler itself has added to the program.
    pub(crate) fn everything(analysis: &'a Analysis) -> Sharing<'a> {
        let [shared, reachable, blocks] = [(); 3].map(|()| Set::default());
        Sharing { analysis, shared, reachable, blocks, everything: true }
    }

    /// Whether a thread other than its first owner may reach the object, even if it does not matter.
    pub(crate) fn is_reachable(&self, object: AbstractObject) -> bool {
        self.everything || self.reachable.contains(object) || self.shared.contains(object)
    }

    /// Which threads may reach the memory of an access.
    pub(crate) fn reach(&self, access: &Access) -> Reach {
        let Some(pointer) = access.pointer else { return Reach::Shared };
        if is_counter(pointer) {
            return Reach::Private;
        }
        if self.everything {
            return Reach::Shared;
        }
        let Some(objects) = self.analysis.points_to(pointer) else { return Reach::Shared };
        if objects.meets(&self.shared) {
            return Reach::Shared;
        }
        if objects.meets(&self.blocks) { Reach::Heap } else { Reach::Private }
    }
}

/// The objects that several threads may reach: globals, those passed to threads, those that escaped, and all that these
/// lead to.
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

/// The objects that code run by threads touches, and the objects that any code writes.
fn uses(analysis: &Analysis, accesses: &[Access]) -> (Set, Set) {
    let by_threads = analysis.run_by_threads();
    let (mut touched, mut written) = (Set::default(), Set::default());
    for access in accesses {
        let Some(objects) = access.pointer.and_then(|pointer| analysis.points_to(pointer)) else { continue };
        if by_threads.contains(&access.function) {
            touched.add_all(objects);
        }
        if access.kind.writes() {
            written.add_all(objects);
        }
    }
    for (function, objects) in analysis.given_to_libraries() {
        if by_threads.contains(&function) {
            touched.add_all(&objects);
        }
        written.add_all(&objects);
    }
    (touched, written)
}

/// Whether the memory is a counter that the compiler itself added, for profiles and coverage.
fn is_counter(pointer: Value) -> bool {
    let base = if pointer.is_global_variable() || pointer.operand_count() == 0 { pointer } else { pointer.operand(0) };
    let name = if base.is_global_variable() { base.name() } else { String::new() };
    ["__profc_", "__profd_", "__profbm_", "__llvm_prf", "__llvm_gcov", "__llvm_gcda", "__inspect"]
        .iter()
        .any(|p| name.starts_with(p))
}
