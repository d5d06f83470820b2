//! Writes the table ([`inspect_wire::facts`]) into the program.

use super::Point;
use super::untaken::{CodeStep, Locks, UntakenCode};
use crate::hook;
use crate::ir::{Module, Value, llvm};
use inspect_wire::facts::{ANYWHERE, OPAQUE, REACHES, SECTION, VERSION};
use inspect_wire::hooks::names;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::CString;

/// The words of a table.
struct Words {
    module: Module,
    all: Vec<LLVMValueRef>,
}

impl Words {
    fn number(&mut self, number: u64) {
        let context = self.module.context();
        let long = llvm!(LLVMConstInt(LLVMInt64TypeInContext(context), number, 0));
        self.all.push(llvm!(LLVMConstIntToPtr(long, LLVMPointerTypeInContext(context, 0))));
    }

    fn addresses<'a>(&mut self, addresses: impl ExactSizeIterator<Item = &'a Value>) {
        self.number(addresses.len() as u64);
        self.all.extend(addresses.map(|address| address.0));
    }

    fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.number(numbers.len() as u64);
        numbers.for_each(|number| self.number(number.into()));
    }

    fn places(&mut self, places: Option<&Vec<u32>>) {
        match places {
            None => self.number(ANYWHERE),
            Some(objects) => self.numbers(objects.iter().copied()),
        }
    }

    fn locks(&mut self, locks: &Locks) {
        self.addresses(locks.acquired.iter());
        self.addresses(locks.released.iter());
    }

    fn point(&mut self, point: &Point) {
        self.number(point.flags);
        self.number(point.merge.into());
        self.places(point.places.as_ref());
        self.numbers(point.influences.iter().copied().collect::<Vec<_>>().into_iter());
        self.number(point.untaken_paths.len() as u64);
        point.untaken_paths.iter().for_each(|untaken| self.untaken(untaken));
    }

    fn untaken(&mut self, untaken: &UntakenCode) {
        let reaches = if untaken.after.is_some() { REACHES } else { 0 };
        self.number(reaches | if untaken.opaque { OPAQUE } else { 0 });
        self.addresses(untaken.given_up.iter());
        self.locks(untaken.after.as_ref().unwrap_or(&Locks::default()));
        // The steps of an opaque untaken path are never read.
        let steps: &[CodeStep] = if untaken.opaque { &[] } else { &untaken.steps };
        self.number(steps.len() as u64);
        steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &CodeStep) {
        self.number(step.what as u64);
        match step.exact {
            None => self.number(0),
            Some((address, size)) => {
                self.number(size);
                self.all.push(address.0);
            }
        }
        self.places(step.places.as_ref());
        self.locks(&step.locks);
    }
}

/// Adds the table to the program, and a constructor that hands it to the guest.
pub(super) fn add(module: Module, points: &[Point]) {
    let mut words = Words { module, all: Vec::new() };
    words.number(VERSION);
    words.number(points.len() as u64);
    points.iter().for_each(|point| words.point(point));
    let context = module.context();
    let pointer = llvm!(LLVMPointerTypeInContext(context, 0));
    let count = words.all.len() as u64;
    let table = llvm!(LLVMConstArray2(pointer, words.all.as_mut_ptr(), count));
    let global = llvm!(LLVMAddGlobal(module.0, LLVMTypeOf(table), c"__inspect_fact_table".as_ptr()));
    let section = CString::new(SECTION).unwrap_or_default();
    llvm!(LLVMSetInitializer(global, table));
    llvm!(LLVMSetGlobalConstant(global, 1));
    llvm!(LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage));
    llvm!(LLVMSetSection(global, section.as_ptr()));
    llvm!(LLVMSetAlignment(global, 8));
    let long = llvm!(LLVMInt64TypeInContext(context));
    let arguments = [global, llvm!(LLVMConstInt(long, count, 0))].map(Value);
    hook::announce(module, c"__inspect_tell_facts", &names::__inspect_facts, arguments);
}
