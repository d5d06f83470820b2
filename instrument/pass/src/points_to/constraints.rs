//! States what each instruction does with pointers.

use super::externals::{self, Summary};
use super::solver::{News, Node, Object, Set, Solver, UNKNOWN, WORLD};
use crate::ir::{Module, Type, Value};
use crate::shim;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What kind of thing an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
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

/// What somebody waits to hear about a node.
#[derive(Clone, Copy, Debug)]
enum Watcher {
    /// A call through a pointer: who is called?
    IndirectCall { caller: Value, call: Value },
    /// The start of a thread: with which function?
    ThreadStart { argument: Node },
    /// A function is given to a library that calls it, with this as each argument.
    Callback { caller: Value, arguments: Option<Node> },
    /// Something escapes.
    Escape,
}

/// The finished analysis.
pub(crate) struct Analysis {
    solver: Solver,
    nodes: HashMap<Value, Node>,
    kinds: Vec<ObjectKind>,
    values: Vec<Option<Value>>,
    objects: HashMap<Value, Object>,
    results: HashMap<Value, Node>,
    /// The function that each local variable belongs to.
    locals: HashMap<Object, Value>,
    watchers: Vec<Watcher>,
    /// Calls through pointers of which no callee is known yet.
    unresolved: HashSet<Value>,
    /// A node that points to nothing.
    nothing: Node,
    thread_variable: Option<Object>,
    constant_table: Option<Object>,
    /// Who calls whom.
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
        kinds: vec![ObjectKind::Unknown],
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

    pub(crate) fn kind(&self, object: Object) -> ObjectKind {
        self.kinds[object.0 as usize]
    }

    /// The object is a local variable of this function.
    pub(crate) fn is_local_of(&self, object: Object, function: Value) -> bool {
        self.locals.get(&object) == Some(&function)
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = Object> + use<> {
        (0..self.kinds.len() as u32).map(Object)
    }

    pub(crate) fn content(&self, object: Object) -> &Set {
        self.solver.points_to(self.solver.content(object))
    }

    /// What escaped to the outside world.
    pub(crate) fn escaped(&self) -> &Set {
        self.solver.points_to(WORLD)
    }

    /// What threads are given when they start.
    pub(crate) fn passed_to_threads(&self) -> impl Iterator<Item = Object> + '_ {
        self.passed_to_threads.iter().flat_map(|node| self.solver.points_to(*node).iter())
    }

    /// Functions that threads other than the first may run: those they are started with, those that the outside world
    /// may call, and whatever these call.
    pub(crate) fn run_by_threads(&self) -> HashSet<Value> {
        let function = |object: Object| self.values[object.0 as usize].filter(|_| self.kind(object) == ObjectKind::Function);
        let mut left: Vec<Value> = self.entries.iter().copied().chain(self.escaped().iter().filter_map(function)).collect();
        let mut reached = HashSet::new();
        while let Some(next) = left.pop() {
            if reached.insert(next) {
                left.extend(self.calls.get(&next).into_iter().flatten());
            }
        }
        reached
    }

    /// Memory that functions give to libraries, which read and write it and what it leads to.
    pub(crate) fn given_to_libraries(&self) -> impl Iterator<Item = (Value, Object)> + '_ {
        self.given_to_libraries.iter().flat_map(|(function, node)| {
            let objects = self.solver.points_to(*node).iter();
            objects
                .flat_map(|object| std::iter::once(object).chain(self.content(object).iter()))
                .map(|object| (*function, object))
        })
    }

    fn object(&mut self, kind: ObjectKind, value: Option<Value>) -> Object {
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
            let object = self.object(ObjectKind::Function, Some(function));
            if function.is_defined_function() && !function.is_local() && function.name() != "main" {
                self.solver.address(WORLD, object);
            }
        }
        for global in module.globals() {
            let name = global.name();
            let kind = match () {
                () if global.is_thread_local() => ObjectKind::ThreadLocal,
                // libc's streams are set once, before main.
                () if global.is_constant_global() || matches!(name.as_str(), "stdin" | "stdout" | "stderr") => {
                    ObjectKind::Constant
                }
                () => ObjectKind::Global,
            };
            let object = self.object(kind, Some(global));
            let internal = global.is_local() || name.starts_with("llvm.") || kind == ObjectKind::Constant;
            if !internal {
                self.solver.address(WORLD, object);
            }
        }
        for global in module.globals() {
            let object = self.objects[&global];
            let content = self.solver.content(object);
            if let Some(initializer) = global.initializer() {
                let from = self.node(initializer);
                self.solver.copy(from, content);
            }
            if self.kind(object) == ObjectKind::Constant && !global.is_local() && global.is_constant_global() {
                // Another module may read the table, or has filled it.
                self.solver.copy(content, WORLD);
                if global.is_declaration() {
                    self.solver.address(content, UNKNOWN);
                }
            }
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

    fn new_object(&mut self, kind: ObjectKind, at: Value) -> Object {
        let object = self.object(kind, Some(at));
        let node = self.node(at);
        self.solver.address(node, object);
        object
    }

    fn state_instruction(&mut self, function: Value, i: Value) {
        let ty = i.ty();
        match i.opcode() {
            Some(LLVMOpcode::LLVMAlloca) => {
                let object = self.new_object(ObjectKind::Local, i);
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
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => self.state_call(function, i),
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

    fn state_call(&mut self, caller: Value, call: Value) {
        let callee = call.callee();
        if callee.is_inline_asm() {
            for argument in call.arguments() {
                self.escape(argument);
            }
            self.may_be_anything(call);
        } else if callee.is_function() {
            self.bind(caller, call, callee);
        } else {
            self.unresolved.insert(call);
            let node = self.node(callee);
            let watcher = self.watcher(Watcher::IndirectCall { caller, call });
            self.solver.watch(node, watcher);
        }
    }

    /// The call calls the function.
    fn bind(&mut self, caller: Value, call: Value, callee: Value) {
        self.calls.entry(caller).or_default().insert(callee);
        let arguments = call.arguments();
        if !callee.is_declaration() {
            let parameters = callee.parameters();
            for (index, argument) in (0_u32..).zip(&arguments) {
                match parameters.get(index as usize) {
                    Some(parameter) if shim::byval_size(call, index) > 0 => self.copy_by_value(*argument, *parameter),
                    Some(parameter) => self.copy(*argument, *parameter),
                    None => self.escape(*argument),
                }
            }
            let (from, to) = (self.result(callee), self.node(call));
            return self.solver.copy(from, to);
        }
        let name = callee.name();
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return self.state_intrinsic(call, intrinsic, &arguments);
        }
        for argument in &arguments {
            let node = self.node(*argument);
            self.given_to_libraries.push((caller, node));
        }
        match externals::summary(&name) {
            Some(summary) => self.apply(caller, call, summary, &arguments),
            None => self.call_anything(call, &arguments),
        }
    }

    /// A structure passed as a copy: the callee has an object of its own with the same content.
    fn copy_by_value(&mut self, argument: Value, parameter: Value) {
        let object = match self.objects.get(&parameter) {
            Some(object) => *object,
            None => self.new_object(ObjectKind::Local, parameter),
        };
        let content = self.solver.content(object);
        let from = self.node(argument);
        self.solver.load(from, content);
    }

    fn call_anything(&mut self, call: Value, arguments: &[Value]) {
        for argument in arguments {
            self.escape(*argument);
        }
        self.may_be_anything(call);
    }

    fn state_intrinsic(&mut self, call: Value, name: &str, a: &[Value]) {
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("memcpy.") || starts("memmove.") {
            self.move_content(a[1], a[0]);
        } else if starts("va_start") {
            let content = self.solver.node();
            self.solver.address(content, UNKNOWN);
            let list = self.node(a[0]);
            self.solver.store(list, content);
        } else if starts("va_copy") {
            self.move_content(a[1], a[0]);
        } else if starts("masked.load.") || starts("masked.expandload.") {
            let (from, to) = (self.node(a[0]), self.node(call));
            self.solver.load(from, to);
        } else if starts("masked.store.") || starts("masked.compressstore.") {
            let (from, to) = (self.node(a[0]), self.node(a[1]));
            self.solver.store(to, from);
        } else if starts("masked.gather.") || starts("masked.scatter.") || starts("eh.") {
            self.call_anything(call, a);
        } else if may_be_pointer(call.ty()) {
            for argument in a.iter().filter(|v| may_be_pointer(v.ty())) {
                self.copy(*argument, call);
            }
        }
    }

    fn move_content(&mut self, from: Value, to: Value) {
        let content = self.solver.node();
        let (from, to) = (self.node(from), self.node(to));
        self.solver.load(from, content);
        self.solver.store(to, content);
    }

    /// What a listed function does.
    fn apply(&mut self, caller: Value, call: Value, summary: Summary, a: &[Value]) {
        let at = |index: u32| a.get(index as usize).copied();
        match summary {
            Summary::KeepsNothing => {}
            Summary::ReturnsUnknown => self.may_be_anything(call),
            Summary::ReturnsFirst => at(0).into_iter().for_each(|first| self.copy(first, call)),
            Summary::Allocates => drop(self.new_object(ObjectKind::Heap, call)),
            Summary::Reallocates => {
                let block = self.new_object(ObjectKind::Heap, call);
                if let Some(old) = at(0) {
                    self.copy(old, call);
                    let content = self.solver.content(block);
                    let old = self.node(old);
                    self.solver.load(old, content);
                }
            }
            Summary::AllocatesInto => {
                if let Some(place) = at(0) {
                    let block = self.object(ObjectKind::Heap, None);
                    let (held, place) = (self.solver.node(), self.node(place));
                    self.solver.address(held, block);
                    self.solver.store(place, held);
                }
            }
            Summary::Copies => {
                if let (Some(to), Some(from)) = (at(0), at(1)) {
                    self.move_content(from, to);
                    self.copy(to, call);
                }
            }
            Summary::StoresFirstInSecond => {
                if let (Some(text), Some(end)) = (at(0), at(1)) {
                    let (text, end) = (self.node(text), self.node(end));
                    self.solver.store(end, text);
                }
            }
            Summary::Tokenizes => {
                if let (Some(text), Some(rest)) = (at(0), at(2)) {
                    self.copy(text, call);
                    let (text, rest, token) = (self.node(text), self.node(rest), self.node(call));
                    self.solver.store(rest, text);
                    self.solver.load(rest, token);
                }
            }
            Summary::ReturnsThreadVariable => {
                let object = match self.thread_variable {
                    Some(object) => object,
                    None => self.object(ObjectKind::ThreadLocal, None),
                };
                self.thread_variable = Some(object);
                let node = self.node(call);
                self.solver.address(node, object);
            }
            Summary::ReturnsConstantTable => self.return_constant_table(call),
            Summary::StartsThread { function, argument } => {
                if let (Some(function), Some(argument)) = (at(function), at(argument)) {
                    let (function, argument) = (self.node(function), self.node(argument));
                    self.passed_to_threads.push(argument);
                    let watcher = self.watcher(Watcher::ThreadStart { argument });
                    self.solver.watch(function, watcher);
                }
            }
            Summary::Joins { result } => {
                if let Some(result) = at(result) {
                    let (anything, result) = (self.solver.node(), self.node(result));
                    self.solver.address(anything, UNKNOWN);
                    self.solver.store(result, anything);
                }
            }
            Summary::CallsBack { function, elements } => {
                if let (Some(function), Some(elements)) = (at(function), at(elements)) {
                    let elements = self.node(elements);
                    self.call_back(caller, function, Some(elements));
                }
            }
            Summary::Searches => {
                if let (Some(key), Some(elements), Some(function)) = (at(0), at(1), at(4)) {
                    let both = self.solver.node();
                    let (key, elements) = (self.node(key), self.node(elements));
                    self.solver.copy(key, both);
                    self.solver.copy(elements, both);
                    let result = self.node(call);
                    self.solver.copy(elements, result);
                    self.call_back(caller, function, Some(both));
                }
            }
            Summary::CallsPlain { function } => {
                if let Some(function) = at(function) {
                    self.call_back(caller, function, None);
                }
            }
            Summary::SendsContent { buffer } => {
                if let Some(buffer) = at(buffer) {
                    let buffer = self.node(buffer);
                    self.solver.load(buffer, WORLD);
                }
            }
            Summary::ReceivesContent { buffer } => {
                if let Some(buffer) = at(buffer) {
                    let (anything, buffer) = (self.solver.node(), self.node(buffer));
                    self.solver.address(anything, UNKNOWN);
                    self.solver.store(buffer, anything);
                }
            }
            Summary::MovesContent => self.move_everything(call, a),
        }
    }

    fn return_constant_table(&mut self, call: Value) {
        let table = match self.constant_table {
            Some(table) => table,
            None => {
                let table = self.object(ObjectKind::Constant, None);
                // The table holds addresses of tables.
                let content = self.solver.content(table);
                self.solver.address(content, table);
                table
            }
        };
        self.constant_table = Some(table);
        let node = self.node(call);
        self.solver.address(node, table);
    }

    /// Values go between all the objects that the arguments point to, the arguments that are values, and the result.
    fn move_everything(&mut self, call: Value, arguments: &[Value]) {
        let moved = self.solver.node();
        for argument in arguments {
            let node = self.node(*argument);
            if argument.ty().is_pointer() {
                self.solver.load(node, moved);
                self.solver.store(node, moved);
            } else {
                self.solver.copy(node, moved);
            }
        }
        let result = self.node(call);
        self.solver.copy(moved, result);
    }

    fn call_back(&mut self, caller: Value, function: Value, arguments: Option<Node>) {
        let node = self.node(function);
        let watcher = self.watcher(Watcher::Callback { caller, arguments });
        self.solver.watch(node, watcher);
    }

    /// Solves, taking in the calls that turn up on the way.
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
            for News { watcher, object } in news {
                self.hear(self.watchers[watcher as usize], object);
            }
        }
    }

    fn hear(&mut self, watcher: Watcher, object: Object) {
        let function = self.values[object.0 as usize].filter(|_| self.kind(object) == ObjectKind::Function);
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
                // What a thread returns goes to whoever joins it.
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
            (Watcher::IndirectCall { .. } | Watcher::ThreadStart { .. } | Watcher::Callback { .. } | Watcher::Escape, _) => {}
        }
    }

    /// Every parameter of the function may be this.
    fn give(&mut self, function: Value, argument: Option<Node>) {
        let Some(argument) = argument.filter(|_| function.is_defined_function()) else { return };
        for parameter in function.parameters() {
            let node = self.node(parameter);
            self.solver.copy(argument, node);
        }
    }
}

/// A value of this type may be, hold, or be a piece of a pointer that is copied byte by byte.
fn may_be_pointer(ty: Type) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMPointerTypeKind
        | LLVMTypeKind::LLVMStructTypeKind
        | LLVMTypeKind::LLVMArrayTypeKind
        | LLVMTypeKind::LLVMVectorTypeKind
        | LLVMTypeKind::LLVMScalableVectorTypeKind => true,
        LLVMTypeKind::LLVMIntegerTypeKind => ty.integer_bits().is_some_and(|bits| bits >= 64 || bits == 8),
        _ => false,
    }
}

/// A load or store of this type at this address may move a pointer or a piece of one. A narrow integer that is a variable
/// or a member of its own is no piece of a pointer; one at a computed address may be.
fn holds_pointers(ty: Type, address: Value) -> bool {
    let Some(bits) = ty.integer_bits().filter(|bits| *bits < 64) else { return may_be_pointer(ty) };
    if bits == 1 {
        return false;
    }
    match address.opcode() {
        Some(LLVMOpcode::LLVMAlloca) => false,
        Some(LLVMOpcode::LLVMGetElementPtr) => {
            let indices = address.operands().split_off(1);
            indices.len() <= 1 || indices.iter().any(|index| !index.is_constant())
        }
        _ => !address.is_global_variable(),
    }
}

/// The number made from a pointer is used in a way that the analysis does not follow.
fn number_is_cut_up(number: Value) -> bool {
    let mut seen = HashSet::new();
    let mut left = vec![number];
    while let Some(value) = left.pop() {
        if !seen.insert(value) {
            continue;
        }
        for user in value.users() {
            match user.opcode() {
                Some(
                    LLVMOpcode::LLVMAdd
                    | LLVMOpcode::LLVMAnd
                    | LLVMOpcode::LLVMOr
                    | LLVMOpcode::LLVMXor
                    | LLVMOpcode::LLVMPHI
                    | LLVMOpcode::LLVMSelect
                    | LLVMOpcode::LLVMZExt
                    | LLVMOpcode::LLVMSExt
                    | LLVMOpcode::LLVMFreeze,
                ) => left.push(user),
                // The difference of two pointers is a plain number.
                Some(LLVMOpcode::LLVMSub) if is_number_of_pointer(user.operand(0)) && is_number_of_pointer(user.operand(1)) => {}
                Some(LLVMOpcode::LLVMSub) => left.push(user),
                Some(
                    LLVMOpcode::LLVMICmp
                    | LLVMOpcode::LLVMIntToPtr
                    | LLVMOpcode::LLVMStore
                    | LLVMOpcode::LLVMRet
                    | LLVMOpcode::LLVMCall
                    | LLVMOpcode::LLVMInvoke
                    | LLVMOpcode::LLVMAtomicRMW
                    | LLVMOpcode::LLVMAtomicCmpXchg
                    | LLVMOpcode::LLVMInsertValue,
                ) => {}
                _ => return true,
            }
        }
    }
    false
}

fn is_number_of_pointer(value: Value) -> bool {
    matches!(value.opcode(), Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr))
}
