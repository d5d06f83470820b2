//! The untaken paths of a branch: what may happen on them, and how the lockset differs at the join point. The accesses
//! and the locks given up are an upper bound, the locks acquired a lower bound.

use super::library::{LibraryCall, library_call, pointers};
use super::paths::{JoinPoint, Paths, ends_thread};
use crate::access::{Access, Kind, Number};
use crate::ir::Value;
use crate::points_to::{AbstractObjectKind, Analysis};
use crate::sharing::{Reach, Sharing};
use inspect_wire::facts::{EffectKind, LOCALE};
use llvm_sys::LLVMOpcode;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The change of the lockset since the beginning of a path. A lock is the constant address of a mutex.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Locks {
    pub(crate) acquired: BTreeSet<Value>,
    pub(crate) released: BTreeSet<Value>,
}

/// One effect that a piece of code may have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CodeStep {
    pub(crate) what: EffectKind,
    /// The address, if it is constant, and the number of bytes.
    pub(crate) exact: Option<(Value, u64)>,
    /// The objects that it may touch; `None` if they are not known.
    pub(crate) places: Option<Vec<u32>>,
    pub(crate) locks: Locks,
}

/// What may happen in a piece of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct UntakenCode {
    pub(crate) opaque: bool,
    pub(crate) steps: Vec<CodeStep>,
    pub(crate) given_up: BTreeSet<Value>,
    /// The change of the lockset at the end; `None` if the end is never reached.
    pub(crate) after: Option<Locks>,
}

/// The object that a constant address lies in.
fn base(mut address: Value) -> Value {
    while !address.is_global_variable() && address.operand_count() > 0 {
        address = address.operand(0);
    }
    address
}

impl Locks {
    /// Gives up a lock, and with it every lock whose address is in the same object.
    fn give_up(&mut self, lock: Value) {
        self.acquired.retain(|other| base(*other) != base(lock));
        self.released.insert(lock);
    }

    /// The change of a path that makes this change first, then `next`.
    fn then(&self, next: &Locks) -> Locks {
        let mut both = self.clone();
        next.released.iter().for_each(|lock| both.give_up(*lock));
        both.acquired.extend(&next.acquired);
        both
    }

    /// The change that both paths make at least.
    fn meet(&self, other: &Locks) -> Locks {
        Locks {
            acquired: self.acquired.intersection(&other.acquired).copied().collect(),
            released: self.released.union(&other.released).copied().collect(),
        }
    }
}

/// Computes untaken paths; the summary of each function is computed once.
pub(crate) struct UntakenPaths<'a> {
    analysis: &'a Analysis,
    sharing: &'a Sharing<'a>,
    accesses: HashMap<Value, Vec<Access>>,
    functions: HashMap<Value, &'a Paths>,
    opaque: &'a HashSet<Value>,
    /// The summaries by function; `None` while one is being computed.
    known: HashMap<Value, Option<Rc<UntakenCode>>>,
}

/// The objects that a pointer may lead to; `None` if they are not known.
pub(crate) fn places(analysis: &Analysis, pointer: Value) -> Option<Vec<u32>> {
    let objects = analysis.points_to(pointer)?;
    let known = objects.iter().all(|object| analysis.kind(object) != AbstractObjectKind::Unknown);
    known.then(|| objects.iter().map(|object| object.0).collect())
}

fn is_fixed(address: Value) -> bool {
    address.is_constant() && base(address).is_global_variable()
}

impl<'a> UntakenPaths<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        sharing: &'a Sharing<'a>,
        accesses: &[Access],
        functions: &'a [(Value, Paths)],
        opaque: &'a HashSet<Value>,
    ) -> UntakenPaths<'a> {
        let mut by_instruction: HashMap<Value, Vec<Access>> = HashMap::new();
        for access in accesses.iter().filter(|access| sharing.reach(access) == Reach::Shared) {
            by_instruction.entry(access.instruction).or_default().push(*access);
        }
        UntakenPaths {
            analysis,
            sharing,
            accesses: by_instruction,
            functions: functions.iter().map(|(function, paths)| (*function, paths)).collect(),
            opaque,
            known: HashMap::new(),
        }
    }

    /// The accesses of an instruction to memory that may be shared.
    pub(crate) fn shared(&self, instruction: Value) -> &[Access] {
        self.accesses.get(&instruction).map_or(&[], Vec::as_slice)
    }

    /// Whether a library function that is given this pointer may reach shared memory.
    pub(crate) fn gives_shared(&self, function: Value, instruction: Value, pointer: Value) -> bool {
        let access =
            Access { instruction, function, pointer: Some(pointer), size: Number::Known(1), kind: Kind::Write };
        self.sharing.reach(&access) == Reach::Shared
    }

    /// What may happen from these blocks on up to the join point `end`.
    pub(crate) fn untaken(&mut self, function: Value, paths: &Paths, from: &[usize], end: JoinPoint) -> UntakenCode {
        let mut states: Vec<Option<Locks>> = vec![None; paths.blocks.len()];
        let mut untaken = UntakenCode::default();
        let mut left = Vec::new();
        for &block in from {
            if end == JoinPoint::Block(block) {
                untaken.after = Some(Locks::default());
            } else {
                states[block] = Some(Locks::default());
                left.push(block);
            }
        }
        while let Some(block) = left.pop() {
            let Some(state) = states[block].clone() else { continue };
            let Some(state) = self.pass(function, paths, block, state, None) else { continue };
            for &next in paths.successors[block].iter().filter(|next| end != JoinPoint::Block(**next)) {
                let joined = states[next].as_ref().map_or_else(|| state.clone(), |old| old.meet(&state));
                if states[next].as_ref() != Some(&joined) {
                    states[next] = Some(joined);
                    left.push(next);
                }
            }
        }
        let mut seen = HashSet::new();
        for (block, state) in states.into_iter().enumerate() {
            let Some(state) = state else { continue };
            let Some(state) = self.pass(function, paths, block, state, Some((&mut untaken, &mut seen))) else {
                continue;
            };
            if paths.leaves(block) && end == JoinPoint::Return
                || paths.successors[block].iter().any(|next| end == JoinPoint::Block(*next))
            {
                untaken.after = Some(untaken.after.as_ref().map_or_else(|| state.clone(), |old| old.meet(&state)));
            }
        }
        untaken
    }

    /// What may happen in a whole function.
    fn summary(&mut self, function: Value) -> Rc<UntakenCode> {
        let opaque = || Rc::new(UntakenCode { opaque: true, ..UntakenCode::default() });
        match self.known.get(&function) {
            Some(Some(known)) => return known.clone(),
            // The function is recursive.
            Some(None) => return opaque(),
            None => {}
        }
        let Some(paths) = self.functions.get(&function).copied().filter(|_| !self.opaque.contains(&function)) else {
            return opaque();
        };
        self.known.insert(function, None);
        let untaken = Rc::new(self.untaken(function, paths, &[0], JoinPoint::Return));
        self.known.insert(function, Some(untaken.clone()));
        untaken
    }

    /// Goes through a block; returns the change of the lockset at its end, `None` if the end is not reached. Adds what
    /// may happen to `untaken`, if there is one.
    fn pass(
        &mut self,
        function: Value,
        paths: &Paths,
        block: usize,
        mut state: Locks,
        mut untaken: Option<(&mut UntakenCode, &mut HashSet<CodeStep>)>,
    ) -> Option<Locks> {
        for instruction in paths.blocks[block].instructions() {
            let mut found = Found::default();
            let ends = if ends_thread(instruction) {
                // The thread leaves its callers, too, and which of their remaining effects are missing is not known.
                found.opaque = !paths.leaves(block);
                true
            } else {
                self.instruction(function, instruction, &mut state, &mut found)
            };
            if let Some((untaken, seen)) = &mut untaken {
                untaken.opaque |= found.opaque;
                untaken.given_up.extend(found.given_up);
                untaken.steps.extend(found.steps.into_iter().filter(|step| seen.insert(step.clone())));
            }
            if ends {
                return paths.leaves(block).then_some(state);
            }
        }
        Some(state)
    }

    /// Goes through an instruction; returns whether the path ends there.
    fn instruction(&mut self, function: Value, i: Value, state: &mut Locks, found: &mut Found) -> bool {
        for access in self.shared(i) {
            found.access(self.analysis, access, state);
        }
        match i.opcode() {
            Some(LLVMOpcode::LLVMCall) => {}
            Some(LLVMOpcode::LLVMUnreachable) => return true,
            _ => return false,
        }
        let callee = i.callee();
        if !callee.is_function() {
            found.opaque = true;
        } else if callee.is_defined_function() {
            let inner = self.summary(callee);
            found.opaque |= inner.opaque;
            found.given_up.extend(inner.given_up.iter().filter(|lock| !state.acquired.contains(lock)));
            found
                .steps
                .extend(inner.steps.iter().map(|step| CodeStep { locks: state.then(&step.locks), ..step.clone() }));
            match &inner.after {
                Some(after) => *state = state.then(after),
                None => return !inner.opaque,
            }
        } else if !callee.name().starts_with("llvm.") {
            return self.library_call(function, i, library_call(i), state, found);
        }
        false
    }

    fn library_call(
        &self,
        function: Value,
        call: Value,
        library: LibraryCall,
        state: &mut Locks,
        found: &mut Found,
    ) -> bool {
        let arguments = call.arguments();
        let first = arguments.first().copied().unwrap_or(call);
        let mut push = |what, pointer: Value, state: &Locks| {
            let exact = is_fixed(pointer).then_some((pointer, 1));
            let places = places(self.analysis, pointer);
            found.steps.push(CodeStep { what, exact, places, locks: state.clone() });
        };
        match library {
            LibraryCall::Lock => {
                push(EffectKind::Lock, first, state);
                if is_fixed(first) {
                    state.acquired.insert(first);
                }
            }
            LibraryCall::TryLock => push(EffectKind::TryLock, first, state),
            LibraryCall::Unlock => {
                push(EffectKind::Unlock, first, state);
                found.give_up(first, state);
            }
            LibraryCall::Wait { .. } => {
                let mutex = arguments.get(1).copied().unwrap_or(call);
                push(EffectKind::Wait, first, state);
                push(EffectKind::Expire, first, state);
                push(EffectKind::Unlock, mutex, state);
                push(EffectKind::Lock, mutex, state);
                // The mutex is held again after the wait.
                found.give_up(mutex, &mut state.clone());
            }
            LibraryCall::Wake => push(EffectKind::Wake, first, state),
            LibraryCall::Join => {}
            LibraryCall::Plain | LibraryCall::Varies => {
                found.look_at_locale(function, state);
                for pointer in pointers(call) {
                    if self.gives_shared(function, call, pointer) {
                        let places = places(self.analysis, pointer);
                        for what in [EffectKind::Read, EffectKind::Write] {
                            let (places, locks) = (places.clone(), state.clone());
                            found.steps.push(CodeStep { what, exact: None, places, locks });
                        }
                    }
                }
            }
            LibraryCall::Ends | LibraryCall::EndsThread => return true,
            LibraryCall::Outside
            | LibraryCall::Stream { .. }
            | LibraryCall::Lifecycle
            | LibraryCall::Create { .. }
            | LibraryCall::Heap
            | LibraryCall::Unknown => found.opaque = true,
        }
        false
    }
}

/// The effects that an instruction may have.
#[derive(Debug, Default)]
struct Found {
    opaque: bool,
    steps: Vec<CodeStep>,
    given_up: Vec<Value>,
}

impl Found {
    fn access(&mut self, analysis: &Analysis, access: &Access, state: &Locks) {
        let what = match access.kind {
            Kind::Read => EffectKind::Read,
            Kind::Write | Kind::End { .. } => EffectKind::Write,
            Kind::AtomicLoad { .. } => EffectKind::AtomicRead,
            Kind::AtomicStore { .. } | Kind::AtomicRmw { .. } | Kind::AtomicCas { .. } => EffectKind::AtomicWrite,
            Kind::Fence { .. } => return,
            Kind::Opaque => {
                self.opaque = true;
                return;
            }
        };
        let exact = match (access.pointer, access.size) {
            (Some(pointer), Number::Known(size)) if is_fixed(pointer) && size > 0 => Some((pointer, size)),
            _ => None,
        };
        let places = access.pointer.and_then(|pointer| places(analysis, pointer));
        self.steps.push(CodeStep { what, exact, places, locks: state.clone() });
    }

    /// Adds the read of a library function that may look at the locale, which is not in the program's memory.
    fn look_at_locale(&mut self, function: Value, state: &Locks) {
        let exact = Some((function.address(LOCALE), 1));
        self.steps.push(CodeStep { what: EffectKind::Read, exact, places: Some(Vec::new()), locks: state.clone() });
    }

    fn give_up(&mut self, lock: Value, state: &mut Locks) {
        if !is_fixed(lock) {
            self.opaque = true;
            return;
        }
        if !state.acquired.contains(&lock) {
            self.given_up.push(lock);
        }
        state.give_up(lock);
    }
}
