//! Functions of the C library that need something done before they run: those that access memory for their caller, use
//! state shared behind the scenes, or are not modelled and end the run with a message. What that is, is in their rows
//! ([`inspect_wire::library`]).
//!
//! They are exported with whatever arguments they have: the exported stub, which the build makes from the row, saves
//! the argument registers, asks [`before`], and goes on in the C library's function.

mod afterwards;
mod text;

use super::arguments::{Frame, VaList};
use super::extent::{address_length, decimal_length, integer_length, length, number_length, to_byte};
use super::indirect::{draw_random, how_opened, how_stream_opened, pointee, use_unlocked, use_vector};
use super::library_state::{self, CURRENT_DIRECTORY, Use};
use super::{
    cancel, channels, conversion, cxx_stream, descriptors, exit, fifos, file_calls, format, kept, locale, mapping,
    memory_streams, options, processors, shared_memory, stream_lock, system_call, thread_attributes, unknown,
};
use crate::engine::site::of_call;
use crate::engine::{has_other_threads, note_exit, note_uncontrolled, unmodelled, unmodelled_beside_threads};
use crate::hooks::{argument_decides, argument_read, argument_write};
use crate::platform::{Global, caller, elf, explored, names, poison, start, started};
use core::arch::global_asm;
use inspect_core::event::SiteId;
use inspect_wire::library::{self, ALL, CallEffect, Extent, Guest, Hidden, LibraryRow, PointerFlow, Signature};

// r10 holds the number of the function; the C calling convention leaves r10 and r11 free between caller and callee.
// What is saved is a [`Frame`]; with the return address it is a multiple of 16 bytes, as the ABI wants at a call.
global_asm!(
    ".text",
    ".p2align 4",
    ".hidden inspect_pass_through",
    ".globl inspect_pass_through",
    ".type inspect_pass_through, @function",
    "inspect_pass_through:",
    ".cfi_startproc",
    "sub rsp, 184",
    ".cfi_adjust_cfa_offset 184",
    "mov [rsp], rdi; mov [rsp + 8], rsi; mov [rsp + 16], rdx; mov [rsp + 24], rcx; mov [rsp + 32], r8; mov [rsp + 40], r9",
    "movups [rsp + 48], xmm0; movups [rsp + 64], xmm1; movups [rsp + 80], xmm2; movups [rsp + 96], xmm3",
    "movups [rsp + 112], xmm4; movups [rsp + 128], xmm5; movups [rsp + 144], xmm6; movups [rsp + 160], xmm7",
    "mov [rsp + 176], rax",
    "mov edi, r10d",
    "mov rsi, rsp",
    "call {before}",
    "mov r11, rax",
    "mov rdi, [rsp]; mov rsi, [rsp + 8]; mov rdx, [rsp + 16]; mov rcx, [rsp + 24]; mov r8, [rsp + 32]; mov r9, [rsp + 40]",
    "movups xmm0, [rsp + 48]; movups xmm1, [rsp + 64]; movups xmm2, [rsp + 80]; movups xmm3, [rsp + 96]",
    "movups xmm4, [rsp + 112]; movups xmm5, [rsp + 128]; movups xmm6, [rsp + 144]; movups xmm7, [rsp + 160]",
    "mov rax, [rsp + 176]",
    "add rsp, 184",
    ".cfi_adjust_cfa_offset -184",
    "jmp r11",
    ".cfi_endproc",
    before = sym before,
);

// A stub for each function whose row says that the guest announces it or refuses it.
global_asm!(include_str!(concat!(env!("OUT_DIR"), "/stubs.s")));

/// The numbers of functions are positions in [`ALL`].
const SYSCALL: usize = library::position("syscall");
/// The number of `syscall` where it is a futex operation.
const FUTEX: usize = ALL.len();

/// `syscall` as such is the platform's affair, but a futex is communication between threads (the C library's locks make
/// their system calls themselves).
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn interpose_syscall() {
    core::arch::naked_asm!(
        "mov r10d, {other}",
        "mov r11d, {futex}",
        "cmp rdi, 202",
        "cmove r10d, r11d",
        "cmp rdi, 449",
        "cmove r10d, r11d",
        "jmp inspect_pass_through",
        other = const SYSCALL as u32,
        futex = const FUTEX as u32,
    )
}

static FUNCTIONS: Global<[*const (); ALL.len()]> = Global::new([core::ptr::null(); ALL.len()]);

/// Where the stub goes on if the call has been made: back to the caller.
#[unsafe(naked)]
extern "C" fn go_back() {
    core::arch::naked_asm!("ret")
}

/// Does what the call needs and returns where to go on: in the C library's function, or back in the program if the call
/// had to be made here, as its effects are known afterwards only.
extern "C" fn before(number: u32, frame: &mut Frame) -> *const () {
    let number = number as usize;
    if unknown::has_number(number) {
        return unknown::called(number, frame);
    }
    if number == FUTEX && started() {
        system_call::serve_futex(frame);
        return go_back as *const ();
    }
    let number = if number == FUTEX { SYSCALL } else { number };
    if number == SYSCALL && started() && is_made(frame) {
        return go_back as *const ();
    }
    let row = &ALL[number];
    if !started() && explored() && row.effects.iter().any(CallEffect::keeps) {
        refuse_before_main(row.name, frame);
    }
    if started() {
        if row.guest == Guest::Refuses || channels::lacks_stream(row.name, frame.argument(0)) {
            refuse(row.name, frame);
        }
        let site = of_call(frame.return_address);
        cancel::point_of_call(row, site);
        let call = Announced { frame, before: 0, signature: row.arguments.signature(), effects: row.effects, site };
        let lock = stream_lock::take_of_call(row, |number| call.argument(number), site);
        for &effect in row.effects {
            call.announce(effect, row.name);
        }
        call.copy_poison(row);
        if lock.is_some() || row.effects.iter().any(|effect| call.ends_later(effect)) {
            let result = call.make(row.name, function(number, frame), lock);
            frame.set_result(result);
            return go_back as *const ();
        }
    }
    function(number, frame)
}

/// Announces a raw system call; whether it was made here as well.
fn is_made(frame: &mut Frame) -> bool {
    system_call::note_in_loops(frame);
    announce_system_call(frame);
    make_system_call(frame).inspect(|&result| frame.set_result(result)).is_some()
}

/// The C library's function for the row with this number.
fn function(number: usize, frame: &Frame) -> *const () {
    // SAFETY: one OS thread; the borrow ends here.
    let function = &mut unsafe { FUNCTIONS.get() }[number];
    if function.is_null() {
        *function = elf::find(ALL[number].name);
        if function.is_null() {
            refuse(ALL[number].name, frame);
        }
    }
    *function
}

/// Ends the run: there is no model of the call, or no library of the program has the function.
fn refuse(name: &str, frame: &Frame) -> ! {
    let pc = caller::in_program(frame.return_address, &raw const *frame as u64);
    unmodelled(name, of_call(pc))
}

/// Ends the process: what the call does then is unknown to the runs.
fn refuse_before_main(name: &str, frame: &Frame) -> ! {
    start::refuse_call(&alloc::format!("{name} before main"), of_call(frame.return_address))
}

/// Notes a raw system call of which nobody knows what it accesses.
fn note_unknown(number: u32, site: SiteId) {
    note_uncontrolled(alloc::format!("syscall for {}", names::of(number)), site);
}

/// Announces what a raw system call accesses, or notes that nobody knows it.
fn announce_system_call(frame: &Frame) {
    let site = of_call(frame.return_address);
    let number = frame.argument(0) as u32;
    system_call::note_action(number, frame.argument(2), site);
    match system_call::effects(number) {
        Some(effects) => {
            let call = Announced { frame, before: 1, signature: system_call::SIGNATURE, effects, site };
            effects.iter().for_each(|&effect| call.announce(effect, "syscall"));
        }
        None => note_unknown(number, site),
    }
}

/// Makes a raw system call of which it is known afterwards only what it has written, and announces that.
fn make_system_call(frame: &Frame) -> Option<u64> {
    let effects = system_call::effects(frame.argument(0) as u32)?;
    let site = of_call(frame.return_address);
    let call = Announced { frame, before: 1, signature: system_call::SIGNATURE, effects, site };
    if !effects.iter().any(|effect| call.ends_later(effect)) {
        return None;
    }
    cancel::point_of_call(&ALL[SYSCALL], site);
    Some(call.make("syscall", function(SYSCALL, frame), None))
}

/// A call whose effects are announced.
struct Announced<'a> {
    frame: &'a Frame,
    /// Arguments of the frame before those that the effects speak of.
    before: usize,
    signature: Signature,
    effects: &'static [CallEffect],
    site: SiteId,
}

impl Announced<'_> {
    /// The argument with this number, which is an integer or a pointer.
    fn argument(&self, number: u8) -> u64 {
        self.frame.argument(self.before + self.signature.register(number))
    }

    /// The arguments behind the one with this number.
    fn behind(&self, number: u8) -> VaList {
        self.frame.variable(self.signature.register(number) + 1)
    }

    /// The bytes that the call accesses at an address which is not null.
    fn length(&self, extent: Extent, at: u64) -> u64 {
        let argument = |number| self.argument(number);
        match extent {
            Extent::Bytes(bytes) => bytes.into(),
            Extent::Argument(number) => argument(number),
            Extent::Address(family) => address_length(argument(family) as u32),
            Extent::Int(number) => u64::try_from(argument(number) as i32).unwrap_or(0),
            Extent::Signed(number) => u64::try_from(argument(number) as i64).unwrap_or(0),
            Extent::IntElements(number, size) => u64::try_from(argument(number) as i32).unwrap_or(0) * u64::from(size),
            Extent::Pages(number) => mapping::pages(argument(number)),
            Extent::Elements(number, size) => argument(number).saturating_mul(size.into()),
            Extent::Product(count, size) => argument(count).saturating_mul(argument(size)),
            // SAFETY: the program passes the address of a length; if not, it faults here as it would in the library.
            Extent::Counted(number) if argument(number) != 0 => unsafe { *(argument(number) as *const u32) }.into(),
            Extent::Counted(_) => 0,
            Extent::Text => length::<u8>(at, u64::MAX) + 1,
            Extent::TextUpTo(limit) => (length::<u8>(at, argument(limit)) + 1).min(argument(limit)),
            Extent::TextWithin(limit) => (length::<u8>(at, limit.into()) + 1).min(limit.into()),
            Extent::TextOf(other) if argument(other) != 0 => length::<u8>(argument(other), u64::MAX) + 1,
            Extent::Wide => 4 * (length::<u32>(at, u64::MAX) + 1),
            Extent::WideUpTo(limit) => 4 * (length::<u32>(at, argument(limit)) + 1).min(argument(limit)),
            Extent::WideOf(other) if argument(other) != 0 => 4 * (length::<u32>(argument(other), u64::MAX) + 1),
            Extent::TextOf(_) | Extent::WideOf(_) => 0,
            Extent::ToByte(byte) => to_byte(at, argument(byte) as u8, u64::MAX, true),
            Extent::ToByteWithin { byte, limit } => {
                to_byte(at, argument(byte) as u8, limit.map_or(u64::MAX, argument), false)
            }
            Extent::ToByteOf { of, byte, limit } => to_byte(argument(of), argument(byte) as u8, argument(limit), false),
            Extent::Transformed { of, limit, locale, wide } => {
                conversion::transformed(argument(of), argument(limit), locale.map(argument), wide)
            }
            Extent::Character(limit) => conversion::character(at, argument(limit)),
            Extent::CharacterOf(wide) => conversion::character_of(argument(wide) as u32),
            Extent::Number => number_length::<u8>(at),
            Extent::WideNumber => 4 * number_length::<u32>(at),
            Extent::Decimal => decimal_length(at),
            Extent::Integer(base) => integer_length::<u8>(at, argument(base) as u32),
            Extent::WideInteger(base) => 4 * integer_length::<u32>(at, argument(base) as u32),
        }
    }

    fn access(&self, at: u8, extent: Extent, announce: fn(u64, u64, SiteId)) {
        /// What stands for the default where a floating-point environment is passed.
        const DEFAULT: u64 = u64::MAX;
        let at = self.argument(at);
        if at != 0 && at != DEFAULT {
            announce(at, self.length(extent, at), self.site);
        }
    }

    /// What a call copies is as initialised there as it was where it comes from.
    fn copy_poison(&self, row: &LibraryRow) {
        let copies = row.flows.unwrap_or_default().iter().filter_map(|flow| match *flow {
            PointerFlow::Copies { to, from } if poison::is_on() => Some((to, from)),
            _ => None,
        });
        for (to, from) in copies {
            let written = self.effects.iter().find_map(|effect| match *effect {
                CallEffect::Writes(at, extent) if at == to => Some(extent),
                _ => None,
            });
            // Of a string, all that is copied was looked at.
            if let Some(extent) = written.filter(|&extent| self.effects.contains(&CallEffect::Reads(from, extent))) {
                let at = self.argument(to);
                poison::copy(self.argument(from), at, self.length(extent, at));
            }
        }
    }

    fn announce(&self, effect: CallEffect, name: &str) {
        use CallEffect::*;
        let argument = |number: u8| self.argument(number);
        let site = self.site;
        match effect {
            Reads(at, extent) if extent.depends_on_contents() => self.access(at, extent, argument_decides),
            Reads(at, extent) => self.access(at, extent, argument_read),
            Writes(..) if self.receives() => {}
            Writes(at, extent) => self.access(at, extent, argument_write),
            Compares { limit, wide } => self.compare(limit, wide),
            Appends { limit, wide } => self.append(limit, wide),
            WritesVariable(variable, size) => argument_write(elf::find(variable) as u64, size.into(), site),
            ReadsVariable(variable, size) => argument_read(elf::find(variable) as u64, size.into(), site),
            Operates(_) | Unannounced(..) | WritesResult(_) | Stores(..) => {}
            Converts { to_wide, moves } => {
                let text = if moves { pointee(argument(1)) } else { argument(1) };
                conversion::announce(to_wide, argument(0), text, argument(2), site);
            }
            TakesOption { long: false } => options::take(argument(0), argument(1), 0, site),
            TakesOption { long: true } => options::take(argument(0), argument(1), argument(3), site),
            TakesSuboption => options::take_suboption(pointee(argument(0)), argument(1), site),
            DrawsRandom(state) => draw_random(argument(state), site),
            UsesOutput(at) | ReadsString(at) => cxx_stream::announce(effect, argument(at), site),
            TakesToken { text, kept } if argument(text) == 0 => {
                options::take_token(pointee(argument(kept)), argument(1), true, site);
            }
            TakesToken { text, .. } => options::take_token(argument(text), argument(1), true, site),
            TakesTokenAt(at) => options::take_token(pointee(argument(at)), argument(1), false, site),
            Prints { format, wide } => format::print(argument(format), wide, self.behind(format), site),
            PrintsList { format, list, wide } => {
                format::print(argument(format), wide, VaList::copy_of(argument(list)), site);
            }
            PrintsInto { limit, format } => self.print_into(limit, format, self.behind(format)),
            PrintsListInto { limit, format, list } => self.print_into(limit, format, VaList::copy_of(argument(list))),
            Scans { format, wide } | ScansList { format, wide, .. } => {
                format::read_format(argument(format), wide, site);
            }
            ReadsVector => use_vector(argument(1), argument(2), argument_read, site),
            StoresVector => use_vector(argument(1), argument(2), |_, _, _| {}, site),
            MapsFile => mapping::map(argument(0), argument(1), argument(3), argument(4), site),
            Unmaps if name == "mremap" => mapping::remap(argument(0), argument(1), site),
            Unmaps => mapping::go_away(argument(0), argument(1), site),
            LooksAtPages => mapping::look(argument(0), argument(1), site),
            Protects => mapping::protect(argument(0), argument(1), argument(2), site),
            Advises => mapping::advise(argument(0), argument(1), argument(2), site),
            UsesShiftState(_)
            | UsesStreamUnlocked(_)
            | UsesStandardUnlocked(_)
            | UsesStandard(_)
            | UsesKey(_)
            | UsesLocale(_)
            | Processors { .. }
            | AsksOwnProcessors
            | KeepsBuffer { .. }
            | KeepsVariable(_)
            | KeepsState { .. }
            | SetsTimeZone
            | Looks(_)
            | Changes(_)
            | ChangesIfNull(..)
            | SetsLocale
            | Updates(_)
            | NamesThread
            | AsksName
            | UsesPriority { .. }
            | ForAllThreads
            | Exits { .. } => self.announce_state(effect, name),
            ReadsStream(_)
            | WritesStream(_)
            | AsksStream(_)
            | FlushesStreams(_)
            | ReplacesDescriptor
            | LooksUpPath(_)
            | ChangesPath(_)
            | LooksUpPathAt
            | ChangesPathAt
            | AsksStatus { .. }
            | ChangesFolder
            | LooksAtFolder
            | OpensGrowingStream
            | OpensStreamOfMemory
            | MakesDescriptor
            | CopiesFile { .. }
            | ControlsDevice
            | Opens
            | OpensAt
            | OpensStream
            | ReopensStream
            | Creates
            | OpensSharedMemory
            | ChangesSharedMemory(_)
            | OpensFolder(_)
            | ClosesFolder(_)
            | DuplicatesDescriptor(_)
            | ControlsDescriptor
            | ReadsDescriptor(_)
            | AsksDescriptor(_)
            | ClosesDescriptor(_)
            | ClosesStream(_)
            | DropsBuffer(_)
            | WritesDescriptor(_)
            | MakesTemporary
            | ListsFolder(_)
            | UsesFolderStream(_)
            | LooksAtSignal(_)
            | ChangesSignal { .. } => self.announce_outside(effect),
        }
    }

    /// Announces what is done to state of the library and the process.
    fn announce_state(&self, effect: CallEffect, name: &str) {
        use CallEffect::*;
        let argument = |number: u8| self.argument(number);
        let site = self.site;
        match effect {
            UsesShiftState(state) => conversion::use_state(argument(state), site),
            UsesStandard(variable) => descriptors::use_standard(variable, site),
            UsesKey(key) => library_state::use_key(argument(key) as u32, false, site),
            UsesLocale(at) if argument(at) == locale::GLOBAL => library_state::read_global_locale(site),
            UsesLocale(at) => locale::use_object(argument(at), site),
            Processors { thread, handle, changes } => processors::announce(argument(thread), handle, changes, site),
            AsksOwnProcessors => processors::look_at_own(site),
            KeepsBuffer { stream, buffer, mode, size } => {
                kept::keep_buffer(argument(stream), argument(buffer), mode.map(argument), size.map(argument));
            }
            KeepsVariable(variable) => kept::keep_variable(argument(variable)),
            KeepsState { state, size } => kept::keep_state(argument(state), size.map(argument)),
            SetsTimeZone => library_state::set_time_zone(site),
            UsesStreamUnlocked(stream) => use_unlocked(argument(stream), site),
            UsesStandardUnlocked(variable) => use_unlocked(pointee(elf::find(variable) as u64), site),
            Looks(object) => library_state::read(object, site),
            Changes(object) => library_state::write(object, site),
            ChangesIfNull(at, object) if argument(at) == 0 => library_state::write(object, site),
            SetsLocale if argument(1) == 0 => library_state::read(Hidden::Locale, site),
            SetsLocale => library_state::write(Hidden::Locale, site),
            Updates(object) => library_state::update(object, site),
            NamesThread => thread_attributes::name_by_request(argument(0), argument(1), site),
            AsksName => thread_attributes::ask_by_request(argument(0), argument(1), site),
            UsesPriority { own, changes } => {
                thread_attributes::use_priority((!own).then(|| (argument(0), argument(1))), changes, site);
            }
            ForAllThreads if has_other_threads() => unmodelled_beside_threads(name, site),
            Exits { cleanly } => end(cleanly, site),
            _ => {}
        }
    }

    /// Announces what is done to files, streams and signals.
    fn announce_outside(&self, effect: CallEffect) {
        use CallEffect::*;
        let argument = |number: u8| self.argument(number);
        let site = self.site;
        match effect {
            ReadsStream(stream) => descriptors::read_stream(argument(stream), site),
            WritesStream(stream) => descriptors::use_stream(argument(stream), Use::Change, site),
            FlushesStreams(stream) if argument(stream) == 0 => descriptors::use_all_streams(site),
            FlushesStreams(stream) => {
                descriptors::use_stream(argument(stream), Use::Change, site);
                memory_streams::write_out(argument(stream), site);
            }
            AsksStream(stream) => argument_read(argument(stream) + descriptors::FILENO, 4, site),
            ReplacesDescriptor => descriptors::replace_descriptor(argument(0), argument(1), site),
            LooksUpPath(path) => library_state::use_name(CURRENT_DIRECTORY, argument(path), Use::Look, site),
            ChangesPath(path) => library_state::use_name(CURRENT_DIRECTORY, argument(path), Use::Change, site),
            LooksUpPathAt => library_state::use_name(argument(0) as i32, argument(1), Use::Look, site),
            ChangesPathAt => library_state::use_name(argument(0) as i32, argument(1), Use::Change, site),
            AsksStatus { flags } => file_calls::ask_status(argument(0), argument(1), argument(flags), site),
            ChangesFolder => file_calls::change_folder(site),
            LooksAtFolder => file_calls::look_at_folder(site),
            OpensStreamOfMemory => memory_streams::open_fixed(argument(0), argument(1), argument(2), site),
            MakesDescriptor => descriptors::make_descriptor(site),
            CopiesFile { from, to } => file_calls::copy(argument(from), argument(to), site),
            ControlsDevice => file_calls::control_device(argument(0), argument(1), argument(2), site),
            Opens => descriptors::open_name(CURRENT_DIRECTORY, argument(0), how_opened(argument(1)), site),
            OpensAt => descriptors::open_name(argument(0) as i32, argument(1), how_opened(argument(2)), site),
            OpensStream => fifos::open_stream(argument(0), how_stream_opened(argument(1)), site),
            ReopensStream => {
                descriptors::reopen_stream(argument(0), how_stream_opened(argument(1)), argument(2), site);
                fifos::refuse_stream(argument(0), site);
            }
            Creates => descriptors::open_name(CURRENT_DIRECTORY, argument(0), Use::Change, site),
            OpensSharedMemory => shared_memory::open(argument(0), how_opened(argument(1)), site),
            ChangesSharedMemory(name) => shared_memory::change(argument(name), site),
            OpensFolder(path) => descriptors::open_folder(argument(path), site),
            ClosesFolder(stream) => descriptors::close_folder_stream(argument(stream), site),
            DuplicatesDescriptor(fd) => descriptors::duplicate_descriptor(argument(fd), site),
            ControlsDescriptor => file_calls::control(argument(0), argument(1) as u32, argument(2), site),
            ReadsDescriptor(fd) => descriptors::use_position(argument(fd), site),
            AsksDescriptor(fd) => descriptors::use_descriptor(argument(fd), Use::Look, site),
            ClosesDescriptor(fd) => descriptors::close_descriptor(argument(fd), site),
            ClosesStream(stream) => descriptors::close_stream(argument(stream), site),
            DropsBuffer(stream) => kept::forget_buffer(argument(stream)),
            WritesDescriptor(fd) => descriptors::use_descriptor(argument(fd), Use::Change, site),
            MakesTemporary => {
                argument_write(argument(0), length::<u8>(argument(0), u64::MAX) + 1, site);
                descriptors::open_name(CURRENT_DIRECTORY, argument(0), Use::Change, site);
            }
            ListsFolder(path) => library_state::use_folder(argument(path), site),
            UsesFolderStream(stream) => library_state::use_folder_stream(argument(stream), site),
            LooksAtSignal(signal) => library_state::use_signal(argument(signal), Use::Look, site),
            ChangesSignal { signal, action } => {
                let how = if argument(action) == 0 { Use::Look } else { Use::Change };
                library_state::use_signal(argument(signal), how, site);
            }
            _ => {}
        }
    }
}

/// The call ends the process.
fn end(cleanly: bool, site: SiteId) {
    note_exit(site);
    if cleanly {
        exit::begin();
    }
}
