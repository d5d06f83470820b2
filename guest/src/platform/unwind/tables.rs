//! The unwind tables of one object, where the loader has put them, read by gimli. `.eh_frame_hdr` is a list of
//! functions, sorted by address, that leads to the function's description in `.eh_frame`.

use super::UnwindRow;
use crate::platform::elf;
use crate::platform::layout::Range;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, ParsedEhFrameHdr, Pointer, ReaderOffset,
    Register, RegisterRule, UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow, X86_64,
};
use linux_raw_sys::elf::PT_LOAD;

type Bytes = EndianSlice<'static, LittleEndian>;

const ADDRESS_SIZE: u8 = 8;

/// The registers that a call preserves, in the order of [`Registers::preserved`](super::Registers::preserved).
const PRESERVED: [Register; 6] = [X86_64::RBX, X86_64::RBP, X86_64::R12, X86_64::R13, X86_64::R14, X86_64::R15];

/// An object with unwind tables.
pub(super) struct Tables {
    /// The object's addresses.
    pub(super) image: Range,
    search: ParsedEhFrameHdr<Bytes>,
    frames: EhFrame<Bytes>,
    bases: BaseAddresses,
}

impl Tables {
    /// The tables of a loaded object; `None` if it has none, or none that can be searched.
    pub(super) fn of(image: Range) -> Option<Tables> {
        const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
        // SAFETY: the loader maps an object from its start on, and keeps it.
        let segments = unsafe { elf::Segments::of(image.start) }?;
        let header = segments.find(PT_GNU_EH_FRAME)?;
        let mut bases = BaseAddresses::default().set_eh_frame_hdr(header.start);
        // SAFETY: the linker has put the table into a segment that the loader maps as constant.
        let search = EhFrameHdr::new(unsafe { constant(header) }, LittleEndian).parse(&bases, ADDRESS_SIZE).ok()?;
        search.table()?;
        let Pointer::Direct(start) = search.eh_frame_ptr() else { return None };
        bases = bases.set_eh_frame(start);
        // Nothing says where the descriptions end but a last one that is empty.
        let end = segments.of_type(PT_LOAD).map(|(_, segment)| segment).find(|segment| segment.contains(start))?.end;
        // SAFETY: the rest of a segment that the loader maps as constant.
        let frames = EhFrame::new(unsafe { constant(Range { start, end }) }, LittleEndian);
        Some(Tables { image, search, frames, bases })
    }

    /// The row for the instruction at an address.
    pub(super) fn row(&self, address: u64) -> Option<UnwindRow> {
        let table = self.search.table()?;
        let function = table.fde_for_address(&self.frames, &self.bases, address, EhFrame::cie_from_offset).ok()?;
        if function.is_signal_trampoline() {
            return None;
        }
        let mut context = UnwindContext::<_, Storage>::new_in();
        let row = function.unwind_info_for_address(&self.frames, &self.bases, &mut context, address).ok()?;
        understood(function.initial_address(), row)
    }
}

/// A row of gimli's in our words; `None` if it needs more than a register, an offset and words on the stack.
fn understood(function: u64, row: &UnwindTableRow<usize, Storage>) -> Option<UnwindRow> {
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    let base = match PRESERVED.iter().position(|&preserved| preserved == register) {
        None if register != X86_64::RSP => return None,
        base => base,
    };
    // A frame ends with its return address; that the outermost one has none is said by `undefined`.
    if row.register(X86_64::RA) != RegisterRule::Offset(-8) {
        return None;
    }
    let mut saved = [None; 6];
    for (saved, register) in saved.iter_mut().zip(PRESERVED) {
        *saved = match row.register(register) {
            RegisterRule::Undefined | RegisterRule::SameValue => None,
            RegisterRule::Offset(offset) => Some(offset),
            _ => return None,
        };
    }
    Some(UnwindRow { function, base, offset, saved })
}

/// Memory as constant bytes.
///
/// # Safety
/// The range is mapped, and neither written nor unmapped ever.
unsafe fn constant(range: Range) -> &'static [u8] {
    // SAFETY: passed on to the caller.
    unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len() as usize) }
}

/// Where gimli keeps a row while it makes it: on the stack. A row that needs more room is not understood. A row of a
/// function has 17 registers at most (the general ones and the return address); that four states remembered at a time
/// are enough for the C and C++ libraries is tested (`guest/tests/platform/unwind.cc`).
struct Storage;

impl<T: ReaderOffset> UnwindContextStorage<T> for Storage {
    type Rules = [(Register, RegisterRule<T>); 17];
    type Stack = [UnwindTableRow<T, Self>; 4];
}
