//! The static records of instrumented places ([`inspect_wire::hooks::Site`]), as globals of the program.

use crate::ir::{Module, Value, llvm};
use crate::shim::SourceLocation;
use inspect_wire::hooks::{SITE_SECTION, SiteKind};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMUnnamedAddr};
use std::collections::BTreeMap;
use std::ffi::CString;

/// The records made so far. Equal places of one kind share a record.
pub(crate) struct Sites {
    module: Module,
    record_type: LLVMTypeRef,
    strings: BTreeMap<String, LLVMValueRef>,
    records: BTreeMap<(SourceLocation, u8, u8), Value>,
}

impl Sites {
    pub(crate) fn new(module: Module) -> Sites {
        let context = module.context();
        let pointer = llvm!(LLVMPointerTypeInContext(context, 0));
        let word = llvm!(LLVMInt32TypeInContext(context));
        let rest = llvm!(LLVMArrayType2(LLVMInt8TypeInContext(context), 8));
        // The layout of `Site`: three strings, line, column, then the kind, the flags and six reserved bytes.
        let mut fields = [pointer, pointer, pointer, word, word, rest];
        let record_type = llvm!(LLVMStructTypeInContext(context, fields.as_mut_ptr(), fields.len() as u32, 0));
        Sites { module, record_type, strings: BTreeMap::new(), records: BTreeMap::new() }
    }

    /// The address of the record for a place, with these flags.
    pub(crate) fn record(&mut self, place: SourceLocation, kind: SiteKind, flags: u8) -> Value {
        let key = (place, kind as u8, flags);
        if let Some(record) = self.records.get(&key) {
            return *record;
        }
        let record = self.make(&key.0, key.1, key.2);
        self.records.insert(key, record);
        record
    }

    /// A record that no other place shares.
    pub(crate) fn own_record(&mut self, place: SourceLocation, kind: SiteKind) -> Value {
        self.make(&place, kind as u8, 0)
    }

    fn make(&mut self, place: &SourceLocation, kind: u8, flags: u8) -> Value {
        let context = self.module.context();
        let number = |n: u32| llvm!(LLVMConstInt(LLVMInt32TypeInContext(context), n.into(), 0));
        let tail = [kind, flags, 0, 0, 0, 0, 0, 0];
        let tail = llvm!(LLVMConstStringInContext2(context, tail.as_ptr().cast(), tail.len(), 1));
        let mut fields = [
            self.string(&place.file),
            self.string(&place.function),
            self.string(&place.variable),
            number(place.line),
            number(place.column),
            tail,
        ];
        let value = llvm!(LLVMConstNamedStruct(self.record_type, fields.as_mut_ptr(), fields.len() as u32));
        let section = CString::new(SITE_SECTION).unwrap_or_default();
        let record = llvm!(LLVMAddGlobal(self.module.0, self.record_type, c"__inspect_site".as_ptr()));
        llvm!(LLVMSetInitializer(record, value));
        llvm!(LLVMSetLinkage(record, LLVMLinkage::LLVMPrivateLinkage));
        llvm!(LLVMSetGlobalConstant(record, 1));
        llvm!(LLVMSetSection(record, section.as_ptr()));
        llvm!(LLVMSetAlignment(record, 8));
        Value(record)
    }

    /// The address of a NUL-terminated string.
    fn string(&mut self, text: &str) -> LLVMValueRef {
        if let Some(string) = self.strings.get(text) {
            return *string;
        }
        let value = llvm!(LLVMConstStringInContext2(self.module.context(), text.as_ptr().cast(), text.len(), 0));
        let string = llvm!(LLVMAddGlobal(self.module.0, LLVMTypeOf(value), c"__inspect_string".as_ptr()));
        llvm!(LLVMSetInitializer(string, value));
        llvm!(LLVMSetLinkage(string, LLVMLinkage::LLVMPrivateLinkage));
        llvm!(LLVMSetGlobalConstant(string, 1));
        llvm!(LLVMSetUnnamedAddress(string, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr));
        self.strings.insert(text.to_owned(), string);
        string
    }
}
