//! States what each instruction does with pointers; [`calls`] states it for calls, [`branches`] for what the program
//! does depending on them, [`globals`] for what is there before the first instruction, [`offsets`] for addresses
//! computed from numbers; [`pointers`] decides which values can carry a pointer.

mod branches;
mod calls;
mod globals;
mod offsets;
mod pointers;

pub(crate) use self::globals::names_ends_of_data;
use self::offsets::{Difference, Meetings, Offset, is_difference};
use self::pointers::{chosen_by, is_data, number_is_cut_up};
use super::set::{AbstractObject, Set};
use super::solver::{MADE_OF_NUMBER, NewObject, Node, Solver, UNKNOWN, WORLD};
use crate::ir::{Module, Value};
use llvm_sys::LLVMOpcode;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What kind of thing an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AbstractObjectKind {
    /// Everything the analysis does not see.
    Unknown,
    /// A global variable.
    Global,
    /// A variable of which each thread has its own.
    ThreadLocal,
    /// Memory that never changes.
    Constant,
    /// A local variable.
    Local,
    /// A block of the heap, one for each place that allocates.
    Heap,
    /// A function.
    Function,
}

/// Why the analysis watches a node: what to do with each object that the node turns out to point to.
#[derive(Clone, Copy, Debug)]
enum Watcher {
    /// A call through the pointer: the object is a function that is called.
    IndirectCall { caller: Value, call: Value },
    /// The start of a thread: the object is the function that it runs.
    ThreadStart { argument: Node },
    /// The object is a function given to a library, which calls it with `arguments` as each argument.
    Callback { caller: Value, arguments: Option<Node> },
    /// The object escapes.
    Escape,
}

/// The finished analysis.
pub(crate) struct Analysis {
    module: Module,
    solver: Solver,
    nodes: HashMap<Value, Node>,
    kinds: Vec<AbstractObjectKind>,
    values: Vec<Option<Value>>,
    objects: HashMap<Value, AbstractObject>,
    results: HashMap<Value, Node>,
    /// The function that each local variable belongs to.
    locals: HashMap<AbstractObject, Value>,
    watchers: Vec<Watcher>,
    /// Calls through pointers of which no callee is known yet.
    unresolved: HashSet<Value>,
    /// Whether something is called through a pointer of which nothing is known.
    calls_unknown: bool,
    /// Addresses that are computed from a base and a number.
    offsets: Vec<Offset>,
    /// Differences of addresses.
    differences: Vec<Difference>,
    /// What the two have in common.
    meetings: Meetings,
    /// A node that points to nothing.
    nothing: Node,
    /// Whether the module is the program and no library.
    has_main: bool,
    thread_variable: Option<AbstractObject>,
    constant_table: Option<AbstractObject>,
    /// The call graph: by caller, the functions called.
    calls: HashMap<Value, BTreeSet<Value>>,
    /// Functions that threads are started with.
    entries: BTreeSet<Value>,
    /// The arguments that threads are started with.
    passed_to_threads: Vec<Node>,
    /// Pointers that a function gives to a library.
    given_to_libraries: Vec<(Value, Node)>,
}

/// Analyses a module. `asked` are the addresses that [`Analysis::points_to`] will be asked about.
pub(crate) fn analyse(module: Module, asked: impl Iterator<Item = Value>) -> Analysis {
    let mut solver = Solver::new();
    let nothing = solver.node();
    let mut analysis = Analysis {
        module,
        solver,
        nodes: HashMap::new(),
        // The two objects that stand for what is not seen.
        kinds: vec![AbstractObjectKind::Unknown; 2],
        values: vec![None; 2],
        objects: HashMap::new(),
        results: HashMap::new(),
        locals: HashMap::new(),
        watchers: Vec::new(),
        unresolved: HashSet::new(),
        calls_unknown: false,
        offsets: Vec::new(),
        differences: Vec::new(),
        meetings: Meetings::default(),
        nothing,
        has_main: module.named_function("main").is_some_and(Value::is_defined_function),
        thread_variable: None,
        constant_table: None,
        calls: HashMap::new(),
        entries: BTreeSet::new(),
        passed_to_threads: Vec::new(),
        given_to_libraries: Vec::new(),
    };
    analysis.state_globals(module);
    for function in module.functions() {
        for instruction in function.instructions() {
            analysis.state_instruction(function, instruction);
        }
    }
    let asked: Vec<Value> = asked.inspect(|address| _ = analysis.node(*address)).collect();
    analysis.solve();
    analysis.follow_branches(module, &asked);
    analysis
}

impl Analysis {
    /// What an address may lead to. Empty if nothing is known of it.
    pub(crate) fn points_to(&self, pointer: Value) -> Option<&Set> {
        let node = self.nodes.get(&pointer)?;
        Some(self.solver.points_to(*node)).filter(|set| !set.is_empty())
    }

    pub(crate) fn kind(&self, object: AbstractObject) -> AbstractObjectKind {
        self.kinds[object.0 as usize]
    }

    /// Whether the object is a local variable.
    pub(crate) fn is_local(&self, object: AbstractObject) -> bool {
        self.kind(object) == AbstractObjectKind::Local
    }

    /// The functions that a call through the pointer may call; `None` if there may be others.
    pub(crate) fn functions(&self, pointer: Value) -> Option<Vec<Value>> {
        let function = |object: AbstractObject| {
            self.values[object.0 as usize].filter(|_| self.kind(object) == AbstractObjectKind::Function)
        };
        self.points_to(pointer)?.iter().map(function).collect()
    }

    /// The object that is made by an instruction, or that a parameter is a copy of.
    pub(crate) fn object_of(&self, value: Value) -> Option<AbstractObject> {
        self.objects.get(&value).copied()
    }

    /// Whether the object is a local variable of this function.
    pub(crate) fn is_local_of(&self, object: AbstractObject, function: Value) -> bool {
        self.owner(object) == Some(function)
    }

    /// The function whose local variable the object is.
    pub(crate) fn owner(&self, object: AbstractObject) -> Option<Value> {
        self.locals.get(&object).copied()
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = AbstractObject> + use<> {
        (0..self.kinds.len() as u32).map(AbstractObject)
    }

    pub(crate) fn content(&self, object: AbstractObject) -> &Set {
        self.solver.points_to(self.solver.content(object))
    }

    /// The objects that escaped to the outside world.
    pub(crate) fn escaped(&self) -> &Set {
        self.solver.points_to(WORLD)
    }

    /// The objects that the arguments of threads point to.
    pub(crate) fn passed_to_threads(&self) -> impl Iterator<Item = AbstractObject> + '_ {
        self.passed_to_threads.iter().flat_map(|node| self.solver.points_to(*node).iter())
    }

    /// Functions that threads other than the first may run: those they are started with, those that the outside world
    /// may call, and whatever these call.
    pub(crate) fn run_by_threads(&self) -> HashSet<Value> {
        let function = |object: AbstractObject| {
            self.values[object.0 as usize].filter(|_| self.kind(object) == AbstractObjectKind::Function)
        };
        let mut left: Vec<Value> =
            self.entries.iter().copied().chain(self.escaped().iter().filter_map(function)).collect();
        let mut reached = HashSet::new();
        while let Some(next) = left.pop() {
            if reached.insert(next) {
                left.extend(self.calls.get(&next).into_iter().flatten());
            }
        }
        reached
    }

    /// Whether a function may be called again before it returns, in the same thread.
    pub(crate) fn is_recursive(&self, function: Value) -> bool {
        let mut left: Vec<Value> = self.calls.get(&function).into_iter().flatten().copied().collect();
        let mut reached = HashSet::new();
        while let Some(next) = left.pop() {
            if reached.insert(next) {
                left.extend(self.calls.get(&next).into_iter().flatten());
            }
        }
        reached.contains(&function)
    }

    /// The instruction that makes a local variable.
    pub(crate) fn variable(&self, object: AbstractObject) -> Option<Value> {
        self.values[object.0 as usize].filter(|_| self.kind(object) == AbstractObjectKind::Local)
    }

    /// Memory that functions give to libraries, which read and write it and what it leads to.
    pub(crate) fn given_to_libraries(&self) -> impl Iterator<Item = (Value, Set)> + '_ {
        self.given_to_libraries.iter().map(|(function, node)| (*function, self.solver.points_to_and_content(*node)))
    }

    fn object(&mut self, kind: AbstractObjectKind, value: Option<Value>) -> AbstractObject {
        let object = self.solver.object();
        self.kinds.push(kind);
        self.values.push(value);
        if let Some(value) = value {
            self.objects.insert(value, object);
        }
        object
    }

    fn watcher(&mut self, watcher: Watcher) -> u32 {
        self.watchers.push(watcher);
        self.watchers.len() as u32 - 1
    }

    /// The node of a value.
    fn node(&mut self, value: Value) -> Node {
        if let Some(node) = self.nodes.get(&value) {
            return *node;
        }
        if value.is_alias() {
            let node = self.node(value.aliasee());
            self.nodes.insert(value, node);
            return node;
        }
        if let Some(resolver) = value.resolver() {
            let node = self.result(resolver);
            self.nodes.insert(value, node);
            return node;
        }
        if !value.is_constant() {
            let node = self.solver.node();
            self.nodes.insert(value, node);
            return node;
        }
        let node = match self.objects.get(&value).copied() {
            Some(object) => {
                let node = self.solver.node();
                self.solver.address(node, object);
                node
            }
            None if value.operand_count() == 0 || value.is_block_address() => self.nothing,
            None => {
                let node = self.solver.node();
                for operand in value.operands() {
                    let from = self.node(operand);
                    self.solver.copy(from, node);
                }
                node
            }
        };
        self.nodes.insert(value, node);
        node
    }

    fn result(&mut self, function: Value) -> Node {
        if let Some(node) = self.results.get(&function) {
            return *node;
        }
        let node = self.solver.node();
        self.results.insert(function, node);
        node
    }

    fn copy(&mut self, from: Value, to: Value) {
        let from = self.node(from);
        if from != self.nothing {
            let to = self.node(to);
            self.solver.copy(from, to);
        }
    }

    fn escape(&mut self, value: Value) {
        let node = self.node(value);
        if node != self.nothing {
            self.solver.copy(node, WORLD);
        }
    }

    fn may_be_anything(&mut self, value: Value) {
        let node = self.node(value);
        self.solver.address(node, UNKNOWN);
    }

    fn new_object(&mut self, kind: AbstractObjectKind, at: Value) -> AbstractObject {
        let object = self.object(kind, Some(at));
        let node = self.node(at);
        self.solver.address(node, object);
        object
    }

    fn state_instruction(&mut self, function: Value, i: Value) {
        match i.opcode() {
            Some(LLVMOpcode::LLVMAlloca) => {
                let object = self.new_object(AbstractObjectKind::Local, i);
                self.locals.insert(object, function);
            }
            Some(LLVMOpcode::LLVMLoad) => {
                let (pointer, to) = (self.node(i.operand(0)), self.node(i));
                self.solver.load(pointer, to);
                chosen_by(i.operand(0)).into_iter().for_each(|number| self.copy(number, i));
            }
            Some(LLVMOpcode::LLVMStore) => self.state_store(i.operand(0), i.operand(1)),
            Some(LLVMOpcode::LLVMAtomicRMW) => self.state_exchange(i, i.operand(0), i.operand(1)),
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => self.state_exchange(i, i.operand(0), i.operand(2)),
            Some(LLVMOpcode::LLVMRet) if i.operand_count() > 0 => {
                let (from, to) = (self.node(i.operand(0)), self.result(function));
                self.solver.copy(from, to);
            }
            Some(LLVMOpcode::LLVMLandingPad | LLVMOpcode::LLVMVAArg) => self.may_be_anything(i),
            Some(LLVMOpcode::LLVMResume) => self.escape(i.operand(0)),
            Some(LLVMOpcode::LLVMIntToPtr) => {
                self.copy(i.operand(0), i);
                let node = self.node(i);
                self.solver.address(node, MADE_OF_NUMBER);
            }
            Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr) => {
                let (from, to) = (self.node(i.operand(0)), self.node(i));
                self.solver.copy_number(from, to);
                if number_is_cut_up(i) {
                    self.escape(i.operand(0));
                }
            }
            Some(LLVMOpcode::LLVMGetElementPtr) => self.state_offsets(i),
            Some(LLVMOpcode::LLVMPHI) => {
                for (value, _) in i.incoming() {
                    self.copy(value, i);
                }
            }
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
                self.state_call(function, i)
            }
            // What two pointers have to do with each other is no piece of either.
            Some(LLVMOpcode::LLVMICmp) if i.operand(0).ty().is_pointer() => {}
            Some(_) if is_data(i.ty()) => self.state_computation(i),
            _ => {}
        }
    }

    /// States that a result may be as good a pointer as each of the operands.
    fn state_computation(&mut self, i: Value) {
        if is_difference(i) {
            return self.state_difference(i);
        }
        for operand in i.operands().into_iter().filter(|operand| is_data(operand.ty())) {
            self.copy(operand, i);
        }
    }

    /// States what a store writes: the value, and the number that chose the element.
    fn state_store(&mut self, value: Value, address: Value) {
        self.write(address, value);
        chosen_by(address).into_iter().for_each(|number| self.write(address, number));
    }

    /// States that a value is written where an address leads.
    fn write(&mut self, address: Value, value: Value) {
        let from = self.node(value);
        if from != self.nothing {
            let address = self.node(address);
            self.solver.store(address, from);
        }
    }

    fn state_exchange(&mut self, i: Value, pointer: Value, value: Value) {
        self.write(pointer, value);
        let (pointer, result) = (self.node(pointer), self.node(i));
        self.solver.load(pointer, result);
    }

    /// Solves the constraints, adding those of calls through pointers as their callees become known.
    fn solve(&mut self) {
        loop {
            let news = self.solver.solve();
            if news.is_empty() && self.follow_offsets() {
                continue;
            }
            if news.is_empty() {
                // A call through a pointer of which nothing is known may call anything.
                let left: Vec<Value> = self.unresolved.drain().collect();
                if left.is_empty() {
                    return;
                }
                self.calls_unknown = true;
                for call in left {
                    self.call_anything(call, &call.arguments());
                }
            }
            for NewObject { watcher, object } in news {
                self.hear(self.watchers[watcher as usize], object);
            }
        }
    }

    fn hear(&mut self, watcher: Watcher, object: AbstractObject) {
        let function = self.values[object.0 as usize].filter(|_| self.kind(object) == AbstractObjectKind::Function);
        match (watcher, function) {
            (Watcher::IndirectCall { caller, call }, Some(function)) => {
                self.unresolved.remove(&call);
                self.bind(caller, call, function);
            }
            (Watcher::IndirectCall { call, .. }, None) if self.kind(object) == AbstractObjectKind::Unknown => {
                self.unresolved.remove(&call);
                self.call_anything(call, &call.arguments());
            }
            (Watcher::ThreadStart { argument }, Some(function)) => self.run_in_thread(function, argument),
            (Watcher::ThreadStart { argument }, None) if self.kind(object) == AbstractObjectKind::Unknown => {
                self.solver.copy(argument, WORLD)
            }
            (Watcher::Callback { caller, arguments }, Some(function)) => {
                if !function.is_defined_function() {
                    self.given_to_libraries.extend(arguments.map(|arguments| (caller, arguments)));
                }
                self.calls.entry(caller).or_default().insert(function);
                self.give(function, arguments);
            }
            (Watcher::Callback { arguments, .. }, None) if self.kind(object) == AbstractObjectKind::Unknown => {
                arguments.into_iter().for_each(|node| self.solver.copy(node, WORLD));
            }
            (Watcher::Escape, Some(function)) if function.is_defined_function() => {
                self.give(function, Some(WORLD));
                let result = self.result(function);
                self.solver.copy(result, WORLD);
            }
            (
                Watcher::IndirectCall { .. } | Watcher::ThreadStart { .. } | Watcher::Callback { .. } | Watcher::Escape,
                _,
            ) => {}
        }
    }

    /// States that a thread runs the function. One of a library may reach all that it is given.
    fn run_in_thread(&mut self, function: Value, argument: Node) {
        if !function.is_defined_function() {
            return self.solver.copy(argument, WORLD);
        }
        self.entries.insert(function);
        self.give(function, Some(argument));
        // The value that a thread returns flows to the threads that join it.
        let result = self.result(function);
        self.solver.copy(result, WORLD);
    }

    /// States that every parameter of the function may be `argument`.
    fn give(&mut self, function: Value, argument: Option<Node>) {
        let Some(argument) = argument.filter(|_| function.is_defined_function()) else { return };
        for parameter in function.parameters() {
            let node = self.node(parameter);
            self.solver.copy(argument, node);
        }
    }
}
