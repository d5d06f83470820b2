//! States what each instruction does with pointers; [`calls`] states it for calls, [`pointers`] decides which values
//! can carry one.

mod calls;
mod pointers;

use self::pointers::{holds_pointers, may_be_pointer, number_is_cut_up};
use super::solver::{AbstractObject, NewObject, Node, Set, Solver, UNKNOWN, WORLD};
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
    /// A node that points to nothing.
    nothing: Node,
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
        solver,
        nodes: HashMap::new(),
        kinds: vec![AbstractObjectKind::Unknown],
        values: vec![None],
        objects: HashMap::new(),
        results: HashMap::new(),
        locals: HashMap::new(),
        watchers: Vec::new(),
        unresolved: HashSet::new(),
        nothing,
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
    for address in asked {
        analysis.node(address);
    }
    analysis.solve();
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

    /// The object that is made by an instruction, or that a parameter is a copy of.
    pub(crate) fn object_of(&self, value: Value) -> Option<AbstractObject> {
        self.objects.get(&value).copied()
    }

    /// Whether the object is a local variable of this function.
    pub(crate) fn is_local_of(&self, object: AbstractObject, function: Value) -> bool {
        self.locals.get(&object) == Some(&function)
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
    pub(crate) fn given_to_libraries(&self) -> impl Iterator<Item = (Value, AbstractObject)> + '_ {
        self.given_to_libraries.iter().flat_map(|(function, node)| {
            let objects = self.solver.points_to(*node).iter();
            objects
                .flat_map(|object| std::iter::once(object).chain(self.content(object).iter()))
                .map(|object| (*function, object))
        })
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

    fn state_globals(&mut self, module: Module) {
        for function in module.functions() {
            let object = self.object(AbstractObjectKind::Function, Some(function));
            if function.is_defined_function() && !function.is_local() && function.name() != "main" {
                self.solver.address(WORLD, object);
            }
        }
        for global in module.globals() {
            self.state_variable(global);
        }
        for global in module.globals() {
            self.state_content(global);
        }
        for alias in module.aliases() {
            if !alias.is_local() {
                self.escape(alias);
            }
        }
        if let Some(main) = module.named_function("main") {
            for parameter in main.parameters() {
                let node = self.node(parameter);
                self.solver.address(node, UNKNOWN);
            }
        }
        let watcher = self.watcher(Watcher::Escape);
        self.solver.watch(WORLD, watcher);
    }

    /// Makes the object of a global variable, and lets it escape if the outside world can reach it.
    fn state_variable(&mut self, global: Value) {
        let name = global.name();
        let kind = match () {
            () if global.is_thread_local() => AbstractObjectKind::ThreadLocal,
            // libc's streams are set once, before main.
            () if global.is_constant_global() || matches!(name.as_str(), "stdin" | "stdout" | "stderr") => {
                AbstractObjectKind::Constant
            }
            () => AbstractObjectKind::Global,
        };
        let object = self.object(kind, Some(global));
        // Variables collected in a section are also reached through the symbols at its ends.
        let internal = (global.is_local() && !global.has_section())
            || name.starts_with("llvm.")
            || kind == AbstractObjectKind::Constant;
        if !internal {
            self.solver.address(WORLD, object);
        }
    }

    /// States what a global variable holds from the start. All variables have objects by now: they may point to each
    /// other.
    fn state_content(&mut self, global: Value) {
        let object = self.objects[&global];
        let content = self.solver.content(object);
        if let Some(initializer) = global.initializer() {
            let from = self.node(initializer);
            self.solver.copy(from, content);
        }
        if self.kind(object) == AbstractObjectKind::Constant && !global.is_local() && global.is_constant_global() {
            // Another module may read the table, or has filled it.
            self.solver.copy(content, WORLD);
            if global.is_declaration() {
                self.solver.address(content, UNKNOWN);
            }
        }
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
            return self.node(value.aliasee());
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
                // Of an address computation only the base can be a pointer.
                let count = match value.opcode() {
                    Some(LLVMOpcode::LLVMGetElementPtr) => 1,
                    _ => value.operand_count(),
                };
                for operand in value.operands().into_iter().take(count as usize) {
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
        let (from, to) = (self.node(from), self.node(to));
        self.solver.copy(from, to);
    }

    fn escape(&mut self, value: Value) {
        let node = self.node(value);
        self.solver.copy(node, WORLD);
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
        let ty = i.ty();
        match i.opcode() {
            Some(LLVMOpcode::LLVMAlloca) => {
                let object = self.new_object(AbstractObjectKind::Local, i);
                self.locals.insert(object, function);
            }
            Some(LLVMOpcode::LLVMLoad) if holds_pointers(ty, i.operand(0)) => {
                let (pointer, to) = (self.node(i.operand(0)), self.node(i));
                self.solver.load(pointer, to);
            }
            Some(LLVMOpcode::LLVMStore) if holds_pointers(i.operand(0).ty(), i.operand(1)) => {
                let (pointer, from) = (self.node(i.operand(1)), self.node(i.operand(0)));
                self.solver.store(pointer, from);
            }
            Some(LLVMOpcode::LLVMAtomicRMW) if may_be_pointer(ty) => self.state_exchange(i, i.operand(0), i.operand(1)),
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => self.state_exchange(i, i.operand(0), i.operand(2)),
            Some(LLVMOpcode::LLVMRet) if i.operand_count() > 0 => {
                let (from, to) = (self.node(i.operand(0)), self.result(function));
                self.solver.copy(from, to);
            }
            Some(LLVMOpcode::LLVMLandingPad | LLVMOpcode::LLVMVAArg) => self.may_be_anything(i),
            Some(LLVMOpcode::LLVMResume) => self.escape(i.operand(0)),
            Some(LLVMOpcode::LLVMIntToPtr) => {
                self.copy(i.operand(0), i);
                self.may_be_anything(i);
            }
            Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr) => {
                self.copy(i.operand(0), i);
                if number_is_cut_up(i) {
                    self.escape(i.operand(0));
                }
            }
            Some(LLVMOpcode::LLVMGetElementPtr) => self.copy(i.operand(0), i),
            Some(LLVMOpcode::LLVMPHI) if may_be_pointer(ty) => {
                for (value, _) in i.incoming() {
                    self.copy(value, i);
                }
            }
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
                self.state_call(function, i)
            }
            Some(LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp | LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch) => {}
            Some(_) if may_be_pointer(ty) => {
                for operand in i.operands() {
                    if may_be_pointer(operand.ty()) {
                        self.copy(operand, i);
                    }
                }
            }
            _ => {}
        }
    }

    fn state_exchange(&mut self, i: Value, pointer: Value, value: Value) {
        let (pointer, value, result) = (self.node(pointer), self.node(value), self.node(i));
        self.solver.store(pointer, value);
        self.solver.load(pointer, result);
    }

    /// Solves the constraints, adding those of calls through pointers as their callees become known.
    fn solve(&mut self) {
        loop {
            let news = self.solver.solve();
            if news.is_empty() {
                // A call through a pointer of which nothing is known may call anything.
                let left: Vec<Value> = self.unresolved.drain().collect();
                if left.is_empty() {
                    return;
                }
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
            (Watcher::IndirectCall { call, .. }, None) if object == UNKNOWN => {
                self.unresolved.remove(&call);
                self.call_anything(call, &call.arguments());
            }
            (Watcher::ThreadStart { argument }, Some(function)) => {
                self.entries.insert(function);
                self.give(function, Some(argument));
                // The value that a thread returns flows to the threads that join it.
                let result = self.result(function);
                self.solver.copy(result, WORLD);
            }
            (Watcher::ThreadStart { argument }, None) if object == UNKNOWN => self.solver.copy(argument, WORLD),
            (Watcher::Callback { caller, arguments }, Some(function)) => {
                self.calls.entry(caller).or_default().insert(function);
                self.give(function, arguments);
            }
            (Watcher::Callback { arguments, .. }, None) if object == UNKNOWN => {
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

    /// States that every parameter of the function may be `argument`.
    fn give(&mut self, function: Value, argument: Option<Node>) {
        let Some(argument) = argument.filter(|_| function.is_defined_function()) else { return };
        for parameter in function.parameters() {
            let node = self.node(parameter);
            self.solver.copy(argument, node);
        }
    }
}
