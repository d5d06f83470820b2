//! Where in the program's own code something happened inside a library, for messages: the innermost return address on
//! the stack that leads into instrumented code.

use super::global::Global;
use super::layout::Range;
use super::{elf, fiber, recover};
use alloc::vec::Vec;

/// Exports a function, and passes its return address as one more argument to the one that does the work.
macro_rules! with_return_address {
    ($exported:ident, $register:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $exported() {
            core::arch::naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {}", sym $target)
        }
    };
}
pub(crate) use with_return_address;

static CODE: Global<Option<Vec<Range>>> = Global::new(None);

/// The images of the program and of its instrumented libraries.
fn instrumented() -> &'static [Range] {
    // SAFETY: one OS thread; set once and never changed after.
    unsafe { CODE.get() }.get_or_insert_with(|| calling("__inspect_"))
}

/// The images of the program and of the libraries that import a function whose name begins so.
pub(super) fn calling(prefix: &str) -> Vec<Range> {
    let imports = elf::imports();
    let does_call = |path: &str| {
        let object = imports.iter().find(|object| object.path == path);
        object.is_some_and(|object| object.names.iter().any(|name| name.starts_with(prefix)))
    };
    let modules = elf::modules().into_iter();
    let own = modules.filter(|module| module.path.is_empty() || does_call(&module.path));
    own.map(|module| Range { start: module.start, end: module.end }).collect()
}

/// Whether an address is in the code of the program or of its instrumented libraries.
pub(crate) fn is_instrumented(pc: u64) -> bool {
    instrumented().iter().any(|range| range.contains(pc))
}

/// The address that stands for `pc` in messages: itself if it lies in the program's code, else that of the call that
/// led there, else itself. `stack` is the stack pointer at `pc`. Nothing but a message depends on it, so a word that
/// only looks like a return address does no harm.
pub(crate) fn in_program(pc: u64, stack: u64) -> u64 {
    const WORDS: u64 = 4096;
    if is_instrumented(pc) {
        return pc;
    }
    let end = fiber::slot_of_address(stack).map_or(0, |slot| fiber::stack(slot).end);
    let words = (stack & !7..end).step_by(8).take(WORDS as usize);
    words
        .map_while(recover::read_value::<u64>)
        .find(|&word| is_instrumented(word) && follows_a_call(word))
        .unwrap_or(pc)
}

/// Whether a call instruction ends at the address.
fn follows_a_call(address: u64) -> bool {
    const DIRECT: u8 = 0xe8;
    const INDIRECT: u8 = 0xff;
    let mut before = [0u8; 7];
    if recover::read(address - 7, &mut before) != before.len() {
        return false;
    }
    let calls_through = |at: usize| before[at] == INDIRECT && before[at + 1] >> 3 & 7 == 2;
    before[2] == DIRECT || [0, 1, 4, 5].into_iter().any(calls_through)
}
