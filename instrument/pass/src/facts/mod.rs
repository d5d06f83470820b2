//! The facts of a program, what is known of its code without running it: for a search that prunes what cannot lead to a
//! race (`inspect_core::explore::Pdp`). They are made only in a build that asks for them.
//!
//! Every access to memory that may be shared, every call of a library and every branch that such an access may decide
//! is a *point*. [`flow`] follows values from points to points, [`untaken`] finds what may happen on the untaken paths
//! of a branch, [`paths`] its join point, [`library`] what calls of functions without a body mean.

mod flow;
mod library;
mod paths;
mod table;
mod untaken;

use crate::access::{Access, Kind, Number};
use crate::hook::Inserter;
use crate::ir::{Module, Value};
use crate::points_to::Analysis;
use crate::sharing::Sharing;
use flow::ValueFlow;
use inspect_wire::facts::{CALL, FIXED, OPAQUE, VARIES};
use library::{LibraryCall, library_call, pointers};
use llvm_sys::LLVMOpcode;
use paths::{JoinPoint, Paths};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use untaken::{UntakenCode, UntakenPaths};

/// One point.
#[derive(Debug)]
struct Point {
    instruction: Value,
    flags: u64,
    /// The objects that it may access; `None` if they are not known.
    places: Option<Vec<u32>>,
    /// Whether it is a call, or opaque assembly, whose effects need not be accesses that hooks announce.
    is_call: bool,
    /// Whether it reads a value.
    takes_in: bool,
    influences: BTreeSet<u32>,
    untaken_paths: Vec<UntakenCode>,
    merge: u32,
    is_branch: bool,
    /// If it is a branch whose condition a value read at a point may influence: the positions of its function and
    /// block.
    branch: Option<(usize, usize)>,
}

/// Adds the facts to a program: the table, and the hooks that announce the points a thread passes.
pub(crate) fn add(
    module: Module,
    functions: &[Value],
    accesses: &[Access],
    analysis: &Analysis,
    sharing: &Sharing<'_>,
) {
    if !is_followed(module, functions) {
        return table::add(module, &[]);
    }
    let functions: Vec<(Value, Paths)> = functions.iter().map(|function| (*function, Paths::new(*function))).collect();
    let opaque: HashSet<Value> =
        functions.iter().filter(|(function, _)| is_opaque(*function)).map(|(function, _)| *function).collect();
    let mut untaken_paths = UntakenPaths::new(analysis, sharing, accesses, &functions, &opaque);
    let mut flow = ValueFlow::new(analysis, &functions);
    let mut points = Vec::new();
    for (number, (function, paths)) in functions.iter().enumerate() {
        collect(number, *function, paths, opaque.contains(function), &untaken_paths, analysis, &mut points);
    }
    for (number, point) in points.iter().enumerate() {
        sinks(&mut flow, &untaken_paths, point, number as u32);
    }
    for point in points.iter_mut().filter(|point| point.takes_in) {
        point.influences = flow.influenced(flow.taken_in(point.instruction));
    }
    let join_points = describe_branches(&mut points, &functions, &mut untaken_paths);
    let mut inserter = Inserter::new(module);
    insert(&mut inserter, &functions, &points, &join_points);
    drop(inserter);
    table::add(module, &points);
}

/// Gives each branch that a value read at a point may decide its untaken paths and its join point. Other branches are
/// no branches for the facts.
fn describe_branches(
    points: &mut [Point],
    functions: &[(Value, Paths)],
    untaken_paths: &mut UntakenPaths<'_>,
) -> JoinPoints {
    let undecided: BTreeSet<u32> = points.iter().flat_map(|point| point.influences.iter().copied()).collect();
    let mut join_points = JoinPoints::default();
    for (number, point) in points.iter_mut().enumerate() {
        let Some((function, block)) = point.branch.filter(|_| undecided.contains(&(number as u32))) else {
            point.branch = None;
            continue;
        };
        let (function_value, paths) = &functions[function];
        let end = paths.join_point(block);
        point.merge = join_points.number(function, end);
        let ways = &paths.successors[block];
        // The hook does not announce which side a switch takes: each of its sides may be the untaken one.
        let two = point.instruction.opcode() == Some(LLVMOpcode::LLVMBr);
        let others: Vec<Vec<usize>> = if two { vec![vec![ways[1]], vec![ways[0]]] } else { vec![ways.clone()] };
        point.untaken_paths =
            others.iter().map(|from| untaken_paths.untaken(*function_value, paths, from, end)).collect();
    }
    join_points
}

/// The numbers of the join points, by function.
#[derive(Debug, Default)]
struct JoinPoints {
    numbers: BTreeMap<(usize, JoinPoint), u32>,
}

impl JoinPoints {
    fn number(&mut self, function: usize, join_point: JoinPoint) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((function, join_point)).or_insert(next)
    }
}

/// Whether facts can be derived for the program. They cannot if it sets signal handlers, which run where the code has
/// no call of them, or has a tail call that takes the place of its caller, after which there can be no hook.
fn is_followed(module: Module, functions: &[Value]) -> bool {
    const HANDLERS: [&str; 4] = ["signal", "sigaction", "bsd_signal", "sigset"];
    let handles = |name: &str| module.named_function(name).is_some_and(|function| !function.users().is_empty());
    let ends_in_call = |function: &Value| function.instructions().into_iter().any(Value::must_be_last);
    !HANDLERS.iter().any(|name| handles(name)) && !functions.iter().any(ends_in_call)
}

/// Whether the function has control flow or data flow that is not followed: exceptions, computed jumps, variadic
/// arguments.
fn is_opaque(function: Value) -> bool {
    if function.is_variadic() {
        return true;
    }
    let strange = |i: &Value| {
        matches!(
            i.opcode(),
            Some(
                LLVMOpcode::LLVMInvoke
                    | LLVMOpcode::LLVMLandingPad
                    | LLVMOpcode::LLVMResume
                    | LLVMOpcode::LLVMIndirectBr
                    | LLVMOpcode::LLVMCallBr
                    | LLVMOpcode::LLVMVAArg
            )
        )
    };
    function.instructions().iter().any(strange)
}

fn new_point(instruction: Value, flags: u64) -> Point {
    Point {
        instruction,
        flags,
        places: None,
        is_call: false,
        takes_in: false,
        influences: BTreeSet::new(),
        untaken_paths: Vec::new(),
        merge: 0,
        is_branch: false,
        branch: None,
    }
}

/// The point of an instruction after which the effects are not known.
fn opaque_point(instruction: Value) -> Point {
    Point { is_call: true, ..new_point(instruction, OPAQUE) }
}

/// The points of a function.
fn collect(
    number: usize,
    function: Value,
    paths: &Paths,
    opaque: bool,
    untaken_paths: &UntakenPaths<'_>,
    analysis: &Analysis,
    points: &mut Vec<Point>,
) {
    if opaque && let Some(first) = function.instructions().iter().find(|i| i.opcode() != Some(LLVMOpcode::LLVMPHI)) {
        points.push(opaque_point(*first));
    }
    for (block_number, block) in paths.blocks.iter().enumerate() {
        let mut calls_something = false;
        for instruction in block.instructions() {
            let shared = untaken_paths.shared(instruction);
            // The call may have begun before the state that is analysed: the rest of its effects is not known, either.
            if core::mem::take(&mut calls_something) && instruction.opcode() != Some(LLVMOpcode::LLVMUnreachable) {
                points.push(opaque_point(instruction));
            }
            if opaque && goes_on_somewhere(instruction, paths.successors[block_number].len()) {
                points.push(opaque_point(instruction));
            } else if let Some(point) = call_point(instruction, analysis) {
                calls_something = point.flags & OPAQUE != 0;
                points.push(point);
            } else if !shared.is_empty() {
                points.push(access_point(instruction, shared, analysis));
            }
            if !opaque && paths.successors[block_number].len() > 1 && flow::condition(instruction).is_some() {
                let mut point = new_point(instruction, 0);
                point.is_branch = true;
                point.branch = Some((number, block_number));
                points.push(point);
            }
        }
    }
}

/// The point of an instruction with accesses to memory that may be shared.
fn access_point(instruction: Value, shared: &[Access], analysis: &Analysis) -> Point {
    let mut point = new_point(instruction, 0);
    point.takes_in = shared.iter().any(|access| access.kind.reads());
    if shared.iter().any(|access| matches!(access.kind, Kind::Opaque)) {
        (point.flags, point.is_call) = (OPAQUE, true);
    }
    point.places = all_places(analysis, shared.iter().map(|access| access.pointer));
    point
}

/// Whether an opaque function, which may have begun before the state that is analysed, branches at the instruction or
/// returns to its caller.
fn goes_on_somewhere(instruction: Value, ways: usize) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMBr) => ways > 1,
        Some(LLVMOpcode::LLVMRet) => true,
        _ => ways > 0 && instruction.is_terminator() || instruction.opcode() == Some(LLVMOpcode::LLVMResume),
    }
}

fn all_places(analysis: &Analysis, pointers: impl Iterator<Item = Option<Value>>) -> Option<Vec<u32>> {
    let mut all = BTreeSet::new();
    for pointer in pointers {
        let pointer = pointer?;
        if !pointer.is_null_or_undef() {
            all.extend(untaken::places(analysis, pointer)?);
        }
    }
    Some(all.into_iter().collect())
}

/// The point of a call of a function without a body.
fn call_point(call: Value, analysis: &Analysis) -> Option<Point> {
    if call.opcode() != Some(LLVMOpcode::LLVMCall) {
        return None;
    }
    let callee = call.callee();
    if !callee.is_function() {
        return Some(opaque_point(call));
    }
    if callee.is_defined_function() || callee.name().starts_with("llvm.") {
        return None;
    }
    let arguments = call.arguments();
    let kind = library_call(call);
    let mut point = new_point(call, flags_of(kind, &arguments));
    (point.takes_in, point.is_call) = (true, true);
    // The call does not access the memory that the new thread's argument points to.
    let accessed = if matches!(kind, LibraryCall::Create { .. }) { 1 } else { arguments.len() };
    point.places = all_places(analysis, pointers(call).take(accessed).map(Some));
    Some(point)
}

/// The flags of the point of a call with these arguments.
fn flags_of(kind: LibraryCall, arguments: &[Value]) -> u64 {
    match kind {
        LibraryCall::Unknown | LibraryCall::Stream { .. } => OPAQUE,
        LibraryCall::TryLock | LibraryCall::Wait { timed: true } | LibraryCall::Varies => VARIES,
        // A stream has a buffer on the heap.
        LibraryCall::Outside => VARIES | FIXED,
        LibraryCall::Create { function, argument } => {
            let known = |at: u32| arguments.get(at as usize).copied();
            let body = known(function).is_some_and(Value::is_defined_function) && known(argument).is_some();
            if body { FIXED } else { OPAQUE }
        }
        LibraryCall::Join => match arguments.get(1) {
            // The value that a thread returns is not followed.
            Some(result) if !result.is_null_or_undef() => OPAQUE,
            _ => 0,
        },
        LibraryCall::Lifecycle | LibraryCall::Heap => FIXED,
        LibraryCall::Lock
        | LibraryCall::Unlock
        | LibraryCall::Wait { timed: false }
        | LibraryCall::Wake
        | LibraryCall::Plain
        | LibraryCall::Ends
        | LibraryCall::EndsThread => 0,
    }
}

/// Records which values decide what happens at a point.
fn sinks(flow: &mut ValueFlow<'_>, untaken_paths: &UntakenPaths<'_>, point: &Point, number: u32) {
    if point.branch.is_some() {
        return flow.sink(point.instruction, number);
    }
    for access in untaken_paths.shared(point.instruction) {
        access.pointer.into_iter().for_each(|pointer| flow.sink(pointer, number));
        if let Number::Runtime(size) = access.size {
            flow.sink(size, number);
        }
    }
    if point.instruction.opcode() == Some(LLVMOpcode::LLVMCall) {
        let reads_memory =
            |kind| matches!(kind, LibraryCall::Plain | LibraryCall::Varies | LibraryCall::Outside | LibraryCall::Heap);
        let content = point.instruction.callee().is_function() && reads_memory(library_call(point.instruction));
        point.instruction.arguments().into_iter().for_each(|argument| flow.sink(argument, number));
        if content {
            pointers(point.instruction).for_each(|pointer| flow.sink_memory(pointer, number));
        }
    }
}

/// Inserts the hooks of points, branches and join points.
fn insert(inserter: &mut Inserter, functions: &[(Value, Paths)], points: &[Point], join_points: &JoinPoints) {
    let mut activations: HashMap<usize, Value> = HashMap::new();
    for &(function, join_point) in join_points.numbers.keys() {
        activations.entry(function).or_insert_with(|| inserter.activation(functions[function].0));
        let (activation, number) = (activations[&function], join_points.numbers[&(function, join_point)]);
        let (_, paths) = &functions[function];
        match join_point {
            JoinPoint::Nowhere => {}
            JoinPoint::Block(block) => {
                let instructions = paths.blocks[block].instructions();
                let first = instructions.iter().find(|i| i.opcode() != Some(LLVMOpcode::LLVMPHI));
                first.into_iter().for_each(|first| inserter.join_point(*first, number, activation));
            }
            JoinPoint::Return => {
                let leaves = |i: &Value| i.opcode() == Some(LLVMOpcode::LLVMRet) || paths::ends_thread(*i);
                for block in (0..paths.blocks.len()).filter(|block| paths.leaves(*block)) {
                    let last = paths.blocks[block].instructions().into_iter().find(leaves);
                    last.into_iter().for_each(|last| inserter.join_point(last, number, activation));
                }
            }
        }
    }
    for (number, point) in points.iter().enumerate() {
        let number = number as u32;
        match point.branch {
            Some((function, _)) => inserter.branch(point.instruction, number, activations[&function]),
            None if point.is_branch => {}
            None if point.is_call => inserter.point(point.instruction, number | CALL),
            None => inserter.point(point.instruction, number),
        }
    }
}
