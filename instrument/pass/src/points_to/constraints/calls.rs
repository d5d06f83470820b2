//! States what calls do with pointers: of functions of the program, of intrinsics, of library functions.

use super::{Analysis, ObjectKind, Watcher, may_be_pointer};
use crate::ir::Value;
use crate::points_to::externals::{self, Summary};
use crate::points_to::solver::{Node, UNKNOWN, WORLD};
use crate::shim;

impl Analysis {
    pub(super) fn state_call(&mut self, caller: Value, call: Value) {
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

    pub(super) fn call_anything(&mut self, call: Value, arguments: &[Value]) {
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
}
