//! States what calls do with pointers: of functions of the program, of intrinsics, of library functions.

use super::{AbstractObjectKind, Analysis, Watcher, is_data};
use crate::ir::Value;
use crate::points_to::externals;
use crate::points_to::set::AbstractObject;
use crate::points_to::solver::{Node, UNKNOWN, WORLD};
use crate::shim;
use inspect_wire::library::{LibraryRow, PointerFlow};
use llvm_sys::LLVMOpcode;

impl Analysis {
    pub(super) fn state_call(&mut self, caller: Value, call: Value) {
        let callee = call.callee();
        if callee.is_inline_asm() {
            for argument in call.arguments() {
                self.escape(argument);
            }
            self.escape_named(&callee.asm_text().0);
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

    /// States that assembly may do anything with the variables and functions that it names.
    fn escape_named(&mut self, assembly: &str) {
        let part_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@');
        for name in assembly.split(|c| !part_of_name(c)) {
            let name = name.split('@').next().unwrap_or_default();
            for named in [self.module.named_variable(name), self.module.named_function(name)].into_iter().flatten() {
                self.escape(named);
            }
        }
    }

    /// States that the call may call the function.
    pub(super) fn bind(&mut self, caller: Value, call: Value, callee: Value) {
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
            return self.state_intrinsic(caller, call, intrinsic, &arguments);
        }
        for argument in &arguments {
            let node = self.node(*argument);
            self.given_to_libraries.push((caller, node));
        }
        match externals::described(&name) {
            Some((row, flows)) => {
                flows.iter().for_each(|flow| self.apply(caller, call, *flow, &arguments));
                self.move_data(call, (callee, row), flows, &arguments);
            }
            None => self.call_anything(call, &arguments),
        }
    }

    /// States that a structure is passed as a copy: the callee has an object of its own with the same content.
    fn copy_by_value(&mut self, argument: Value, parameter: Value) {
        let object = match self.objects.get(&parameter) {
            Some(object) => *object,
            None => self.new_object(AbstractObjectKind::Local, parameter),
        };
        let content = self.solver.content(object);
        let from = self.node(argument);
        self.solver.load(from, content);
    }

    pub(super) fn call_anything(&mut self, call: Value, arguments: &[Value]) {
        for argument in arguments {
            self.escape(*argument);
        }
        self.may_be_anything(call);
    }

    /// States that data move between the arguments, the result and what is outside of the program's memory.
    fn move_data(
        &mut self,
        call: Value,
        (callee, row): (Value, &LibraryRow),
        flows: &[PointerFlow],
        arguments: &[Value],
    ) {
        if externals::may_move_data(flows) {
            let moved = self.data_of(callee, arguments);
            self.give_data(call, (callee, row), flows, arguments, moved);
        }
        if row.leaves_data() {
            let left = self.data_of(callee, arguments);
            self.solver.copy(left, WORLD);
        }
        if row.brings_data() {
            self.bring_data(call, row, flows, arguments);
        }
    }

    /// The data that a call is given: what its arguments point to, and those that are numbers. Text is as good as the
    /// number that it was printed from.
    fn data_of(&mut self, callee: Value, arguments: &[Value]) -> Node {
        let fixed = callee.parameters().len();
        let data = self.solver.node();
        for (index, argument) in arguments.iter().enumerate() {
            let is_pointer = argument.ty().is_pointer();
            let node = self.node(*argument);
            if is_pointer {
                self.solver.load(node, data);
            }
            // A pointer beyond the fixed arguments may be printed.
            if !is_pointer || index >= fixed {
                self.solver.copy(node, data);
            }
        }
        data
    }

    /// States that a call finds data in a file: any address that was written down may be among them.
    fn bring_data(&mut self, call: Value, row: &LibraryRow, flows: &[PointerFlow], arguments: &[Value]) {
        let found = self.solver.node();
        self.solver.address(found, UNKNOWN);
        if is_data(call.ty()) && !call.ty().is_pointer() {
            let result = self.node(call);
            self.solver.copy(found, result);
        }
        let written = arguments.iter().enumerate().filter(|(number, _)| row.may_write(*number));
        for (_, argument) in written.filter(|(_, argument)| argument.ty().is_pointer()) {
            let place = self.node(*argument);
            self.solver.store(place, found);
            if flows.iter().any(|flow| matches!(flow, PointerFlow::StoresBlock(_))) {
                let block = self.solver.node();
                self.solver.load(place, block);
                self.solver.store(block, found);
            }
        }
    }

    /// States where a library function may put data: into numbers that it returns, blocks that it makes, and what its
    /// arguments point to, unless it only reads that.
    fn give_data(
        &mut self,
        call: Value,
        (callee, row): (Value, &LibraryRow),
        flows: &[PointerFlow],
        arguments: &[Value],
        data: Node,
    ) {
        let result = self.node(call);
        if flows.iter().any(|flow| matches!(flow, PointerFlow::ReturnsBlock)) {
            self.solver.store(result, data);
        } else if is_data(call.ty()) && !call.ty().is_pointer() && !callee.is_variadic() {
            self.solver.copy(data, result);
        } else if callee.is_variadic() {
            // How long the text is depends on numbers given as widths.
            let numbers = arguments.iter().filter(|argument| !argument.ty().is_pointer());
            numbers.for_each(|number| self.copy(*number, call));
        }
        let pointers = arguments.iter().enumerate().filter(|(_, argument)| argument.ty().is_pointer());
        for (number, argument) in pointers {
            let place = self.node(*argument);
            if flows.is_empty() || row.may_write(number) {
                self.solver.store(place, data);
            }
            if flows.iter().any(|flow| matches!(flow, PointerFlow::StoresBlock(_))) {
                let block = self.solver.node();
                self.solver.load(place, block);
                self.solver.store(block, data);
            }
        }
    }

    fn state_intrinsic(&mut self, caller: Value, call: Value, name: &str, a: &[Value]) {
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("memcpy.") || starts("memmove.") {
            self.move_content(a[1], a[0]);
            self.write(a[0], a[2]);
        } else if starts("memset.") {
            self.write(a[0], a[1]);
            self.write(a[0], a[2]);
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
            self.write(a[1], a[0]);
        } else if ["masked.gather.", "masked.scatter.", "eh.", "x86."].iter().any(|p| starts(p))
            && a.iter().any(|argument| argument.ty().holds_addresses())
        {
            self.call_anything(call, a);
        } else if makes_address(name) {
            self.may_be_anything(call);
            if makes_frame_address(name) {
                self.escape_variables(caller);
            }
        } else if is_data(call.ty()) {
            for argument in a.iter().filter(|v| is_data(v.ty())) {
                self.copy(*argument, call);
            }
        }
    }

    /// States that whoever has an address in the function's frame may reach all its variables.
    fn escape_variables(&mut self, function: Value) {
        for instruction in function.instructions() {
            if instruction.opcode() == Some(LLVMOpcode::LLVMAlloca) {
                self.escape(instruction);
            }
        }
    }

    fn move_content(&mut self, from: Value, to: Value) {
        let content = self.solver.node();
        let (from, to) = (self.node(from), self.node(to));
        self.solver.load(from, content);
        self.solver.store(to, content);
    }

    /// States one of the things that a library function does with pointers.
    fn apply(&mut self, caller: Value, call: Value, flow: PointerFlow, a: &[Value]) {
        use PointerFlow::*;
        let at = |index: u8| a.get(usize::from(index)).copied();
        match flow {
            ReturnsInside(argument) => at(argument).into_iter().for_each(|argument| self.copy(argument, call)),
            ReturnsBlock => drop(self.new_object(AbstractObjectKind::Heap, call)),
            ReturnsResized(old) => self.return_resized(call, at(old)),
            ReturnsUnknown => self.may_be_anything(call),
            ReturnsContent(place) => {
                if let Some(place) = at(place) {
                    let (place, result) = (self.node(place), self.node(call));
                    self.solver.load(place, result);
                }
            }
            ReturnsThreadVariable => self.return_thread_variable(call),
            ReturnsConstantTable => self.return_constant_table(call),
            StoresInside { of, at: place } => {
                if let (Some(of), Some(place)) = (at(of), at(place)) {
                    let (of, place) = (self.node(of), self.node(place));
                    self.solver.store(place, of);
                }
            }
            StoresBlock(place) => {
                if let Some(place) = at(place) {
                    let block = self.object(AbstractObjectKind::Heap, None);
                    self.store_address(place, block);
                }
            }
            StoresUnknown(place) => at(place).into_iter().for_each(|place| self.store_address(place, UNKNOWN)),
            GivesAway(buffer) => {
                if let Some(buffer) = at(buffer) {
                    let buffer = self.node(buffer);
                    self.solver.load(buffer, WORLD);
                }
            }
            KeepsNumber(number) => at(number).into_iter().for_each(|number| self.escape(number)),
            Copies { to, from } => {
                if let (Some(to), Some(from)) = (at(to), at(from)) {
                    self.move_content(from, to);
                }
            }
            Exchanges => self.move_everything(call, a),
            Calls { function, with } => {
                if let Some(function) = at(function) {
                    self.call_back(caller, function, with.iter().filter_map(|&argument| at(argument)));
                }
            }
            Starts { function, argument } => {
                if let (Some(function), Some(argument)) = (at(function), at(argument)) {
                    self.start_thread(function, argument);
                }
            }
        }
    }

    /// States that a thread starts with a function and an argument.
    fn start_thread(&mut self, function: Value, argument: Value) {
        let (function, argument) = (self.node(function), self.node(argument));
        self.passed_to_threads.push(argument);
        let watcher = self.watcher(Watcher::ThreadStart { argument });
        self.solver.watch(function, watcher);
    }

    /// States that the address of an object is stored where an argument points.
    fn store_address(&mut self, place: Value, object: AbstractObject) {
        let (held, place) = (self.solver.node(), self.node(place));
        self.solver.address(held, object);
        self.solver.store(place, held);
    }

    /// States that the result is a new block with the contents of the old one, or the old one.
    fn return_resized(&mut self, call: Value, old: Option<Value>) {
        let block = self.new_object(AbstractObjectKind::Heap, call);
        if let Some(old) = old {
            self.copy(old, call);
            let content = self.solver.content(block);
            let old = self.node(old);
            self.solver.load(old, content);
        }
    }

    fn return_thread_variable(&mut self, call: Value) {
        let object = match self.thread_variable {
            Some(object) => object,
            None => self.object(AbstractObjectKind::ThreadLocal, None),
        };
        self.thread_variable = Some(object);
        let node = self.node(call);
        self.solver.address(node, object);
    }

    fn return_constant_table(&mut self, call: Value) {
        let table = match self.constant_table {
            Some(table) => table,
            None => {
                let table = self.object(AbstractObjectKind::Constant, None);
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

    /// States that values may move between all objects that the arguments point to, the arguments that are values, and
    /// the result.
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

    /// States that a library calls a function of the program, each of whose parameters may be any of the arguments.
    fn call_back(&mut self, caller: Value, function: Value, arguments: impl Iterator<Item = Value>) {
        let mut given = None;
        for argument in arguments {
            let together = *given.get_or_insert_with(|| self.solver.node());
            let argument = self.node(argument);
            self.solver.copy(argument, together);
        }
        let node = self.node(function);
        let watcher = self.watcher(Watcher::Callback { caller, arguments: given });
        self.solver.watch(node, watcher);
    }
}

/// Whether the result of an intrinsic is an address in the frame of the function that calls it.
fn makes_frame_address(name: &str) -> bool {
    ["frameaddress", "addressofreturnaddress", "sponentry"].iter().any(|beginning| name.starts_with(beginning))
}

/// Whether the result of an intrinsic is an address, or a register that may hold one.
fn makes_address(name: &str) -> bool {
    [
        "frameaddress",
        "returnaddress",
        "addressofreturnaddress",
        "sponentry",
        "thread.pointer",
        "read_register",
        "read_volatile_register",
        "x86.rdfsbase",
        "x86.rdgsbase",
        "eh.",
    ]
    .iter()
    .any(|beginning| name.starts_with(beginning))
}
