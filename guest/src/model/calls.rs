//! Functions of the C library that need something done before they run: those that access memory for their caller, use
//! state shared behind the scenes, or are not modelled and end the run with a message.
//!
//! They are exported with whatever arguments they have: the exported stub saves the argument registers, asks
//! [`before`], and goes on in the C library's function.

use super::arguments::{Frame, VaList};
use super::library_state::{self, *};
use super::string::{length, number_length};
use super::{format, real};
use crate::engine::site::of_call;
use crate::engine::{has_other_threads, note_exit, uncomparable_during, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{Global, caller, elf, started};
use core::arch::global_asm;
use inspect_core::event::SiteId;

/// Something that has to be done before a function. Numbers are those of arguments, from 0.
#[derive(Clone, Copy)]
enum Before {
    /// It looks at hidden state.
    Reads(Hidden),
    /// It changes hidden state.
    Writes(Hidden),
    /// It changes hidden state under a lock of its own.
    Updates(Hidden),
    /// It reads from the stream in this argument, or asks about it.
    Stream(usize),
    /// It writes to the stream in this argument.
    StreamOut(usize),
    /// It depends on what the path in this argument leads to.
    Path(usize),
    /// It changes what the path in this argument leads to.
    ChangePath(usize),
    /// It opens the path in the second argument (relative to the first, a descriptor), with the flags in the third.
    OpenAt(usize, usize, usize),
    /// It opens the path in argument 0 with the flags in argument 1.
    Open,
    /// It opens the path in argument 0 in the mode in argument 1.
    OpenStream,
    /// It reads from the descriptor in this argument at its position, or changes what the descriptor is.
    ReadFrom(usize),
    /// It depends on the file behind the descriptor in this argument.
    Ask(usize),
    /// It writes to the descriptor in this argument, at its position.
    WriteTo(usize),
    /// It reads the string in this argument.
    Text(usize),
    /// It takes a token off the string in this argument, with the delimiters in argument 1: the byte behind it is written.
    /// Where that is null, the string to go on with is kept at the address in the second one.
    NextToken(usize, usize),
    /// The same, where this argument points to the string.
    TokenAt(usize),
    /// It reads a number at the start of the string in this argument.
    Number(usize),
    /// It takes memory away: as many bytes as the second argument says at the first.
    Unmaps(usize, usize),
    /// It changes what may be done with memory: address, length and protection are the first three arguments.
    Protects,
    /// It advises about memory: the same with the advice in the third.
    Advises,
    /// It depends on what is done about the signal in this argument.
    SignalLook(usize),
    /// It changes what is done about the signal in this argument, if the other one is not null.
    SignalChange(usize, usize),
    /// It reads so many bytes (second) at the address in this argument, unless that is null.
    In(usize, u64),
    /// It writes so many bytes (second) at the address in this argument, unless that is null.
    Out(usize, u64),
    /// It reads as many bytes as the second argument says at the first.
    InBytes(usize, usize),
    /// It writes at most as many bytes as the second argument says at the first.
    OutBytes(usize, usize),
    /// It prints with the format in this argument and what follows it.
    Print(usize),
    /// It prints with the format in the first argument and the list in the second.
    PrintList(usize, usize),
    /// It prints into the buffer in argument 0, without a limit, with the format in argument 1 and what follows.
    PrintInto,
    /// The same with a limit in argument 1 and the format in argument 2.
    PrintIntoAtMost,
    /// As [`PrintInto`](Before::PrintInto) with a list in argument 2.
    PrintListInto,
    /// As [`PrintIntoAtMost`](Before::PrintIntoAtMost) with a list in argument 3.
    PrintListIntoAtMost,
    /// It scans with the format in this argument and what follows it.
    Scan(usize),
    /// It scans with the format in the first argument and the list in the second.
    ScanList(usize, usize),
    /// It maps the file behind the descriptor in argument 4, if there is one.
    MapFile,
    /// It fills the buffers, or reads them, of the vector in argument 1, whose length is argument 2.
    Vector(bool),
    /// It makes a file of its own, whose name it writes into the string in argument 0.
    Template,
    /// It lists the folder at the path in this argument.
    Folder(usize),
    /// It changes something for all threads that other calls depend on unseen: modelled only while there are no others.
    Alone,
    /// It uses the stream of a folder's entries in this argument, which only one thread at a time may do.
    FolderStream(usize),
    /// It ends the process, after exit handlers.
    Exit,
    /// It is not modelled.
    Refuse,
}

use Before::*;

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

struct Call {
    name: &'static str,
    before: &'static [Before],
}

/// `syscall` as such is the platform's affair, but a futex of the program's own is communication between threads that
/// no model covers (the C library's locks make their system calls themselves).
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn interpose_syscall() {
    core::arch::naked_asm!(
        "mov r10d, {other}",
        "cmp rdi, 202",
        "mov r11d, {futex}",
        "cmove r10d, r11d",
        "jmp inspect_pass_through",
        other = const Number::syscall as u32,
        futex = const Number::futex as u32,
    )
}

macro_rules! calls {
    (
        inner { $($inner:ident $text:literal [$($inner_before:expr),*];)+ }
        $($name:ident $exported:ident [$($before:expr),*];)+
    ) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names, reason = "numbers named after C functions")]
        #[derive(Clone, Copy)]
        #[repr(u32)]
        pub(super) enum Number { $($inner,)+ $($name),+ }

        pub(super) const COUNT: usize = [$(Number::$inner,)+ $(Number::$name),+].len();

        pub(super) static CALLS: [Call; COUNT] = [
            $(Call { name: $text, before: &[$($inner_before),*] },)+
            $(Call { name: stringify!($name), before: &[$($before),*] }),+
        ];

        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $exported() {
                core::arch::naked_asm!(
                    "mov r10d, {number}",
                    "jmp inspect_pass_through",
                    number = const Number::$name as u32
                )
            }
        )+
    };
}

mod table;
use table::{CALLS, COUNT, Number};

static FUNCTIONS: Global<[*const (); COUNT]> = Global::new([core::ptr::null(); COUNT]);

/// Does what the call needs and returns the C library's function.
extern "C" fn before(number: u32, frame: &Frame) -> *const () {
    let call = &CALLS[number as usize];
    if started() {
        let site = of_call(frame.return_address);
        for &action in call.before {
            perform(action, call.name, frame, site);
        }
    }
    // SAFETY: one OS thread; the borrow ends here.
    let function = &mut unsafe { FUNCTIONS.get() }[number as usize];
    if function.is_null() {
        *function = elf::real(call.name.split(' ').next().unwrap_or(call.name));
    }
    *function
}

fn perform(action: Before, name: &str, frame: &Frame, site: SiteId) {
    let argument = |number| frame.argument(number);
    match action {
        Reads(object) => library_state::read(object, site),
        Writes(object) => library_state::write(object, site),
        Updates(object) => library_state::update(object, site),
        Stream(stream) => library_state::use_stream(argument(stream), Use::Look, site),
        StreamOut(stream) => library_state::use_stream(argument(stream), Use::Change, site),
        Path(path) => library_state::use_name(CURRENT_DIRECTORY, argument(path), Use::Look, site),
        ChangePath(path) => library_state::use_name(CURRENT_DIRECTORY, argument(path), Use::Change, site),
        OpenAt(directory, path, flags) => {
            let how = how_opened(argument(flags));
            library_state::use_name(argument(directory) as i32, argument(path), how, site);
        }
        Open => library_state::use_name(CURRENT_DIRECTORY, argument(0), how_opened(argument(1)), site),
        OpenStream => {
            // SAFETY: the program passes a mode; if not, it faults here as it would in the C library.
            let mode = unsafe { core::ffi::CStr::from_ptr(argument(1) as *const core::ffi::c_char) }.to_bytes();
            let looks = mode.starts_with(b"r") && !mode.contains(&b'+');
            library_state::use_name(CURRENT_DIRECTORY, argument(0), if looks { Use::Look } else { Use::Change }, site);
        }
        ReadFrom(fd) => library_state::use_position(argument(fd), site),
        Ask(fd) => library_state::use_descriptor(argument(fd), Use::Look, site),
        WriteTo(fd) => library_state::use_descriptor(argument(fd), Use::Change, site),
        Text(text) => {
            if argument(text) != 0 {
                argument_read(argument(text), length(argument(text), u64::MAX) + 1, site);
            }
        }
        NextToken(text, kept) if argument(text) == 0 => take_token(pointee(argument(kept)), argument(1), true, site),
        NextToken(text, _) => take_token(argument(text), argument(1), true, site),
        TokenAt(at) => take_token(pointee(argument(at)), argument(1), false, site),
        Number(text) => argument_read(argument(text), number_length(argument(text)), site),
        Unmaps(at, len) => argument_write(argument(at), argument(len).min(LARGEST_UNMAPPED), site),
        Protects => protect(argument(0), argument(1), argument(2), site),
        Advises => {
            const DONT_NEED: u64 = 4;
            if argument(2) == DONT_NEED {
                argument_write(argument(0), argument(1).min(LARGEST_UNMAPPED), site);
            }
        }
        Vector(written) => uncomparable_during(|| {
            const LARGEST: u64 = 1024;
            argument_read(argument(1), 16 * argument(2).min(LARGEST), site);
            for piece in 0..argument(2).min(LARGEST) {
                // SAFETY: the program passes a vector of buffers; if not, it faults here as it would there.
                let [start, len] = unsafe { *((argument(1) + 16 * piece) as *const [u64; 2]) };
                if written { argument_write(start, len, site) } else { argument_read(start, len, site) }
            }
        }),
        Template => {
            argument_write(argument(0), length(argument(0), u64::MAX - argument(0)) + 1, site);
            library_state::use_name(CURRENT_DIRECTORY, argument(0), Use::Change, site);
        }
        SignalLook(signal) => library_state::use_signal(argument(signal), Use::Look, site),
        SignalChange(signal, new) => {
            let how = if argument(new) == 0 { Use::Look } else { Use::Change };
            library_state::use_signal(argument(signal), how, site);
        }
        In(at, len) => argument_read(argument(at), len, site),
        Out(at, len) => argument_write(argument(at), len, site),
        InBytes(at, len) => argument_read(argument(at), argument(len), site),
        OutBytes(at, len) => argument_write(argument(at), argument(len), site),
        Print(at) => format::print(argument(at), frame.variable(at + 1), site),
        PrintList(at, list) => format::print(argument(at), VaList::copy_of(argument(list)), site),
        PrintInto => print_into(argument(0), u64::MAX, argument(1), frame.variable(2), site),
        PrintIntoAtMost => print_into(argument(0), argument(1), argument(2), frame.variable(3), site),
        PrintListInto => print_into(argument(0), u64::MAX, argument(1), VaList::copy_of(argument(2)), site),
        PrintListIntoAtMost => {
            print_into(argument(0), argument(1), argument(2), VaList::copy_of(argument(3)), site);
        }
        Scan(at) => format::scan(argument(at), frame.variable(at + 1), site),
        ScanList(at, list) => format::scan(argument(at), VaList::copy_of(argument(list)), site),
        Exit => note_exit(site),
        Refuse => {
            let pc = caller::in_program(frame.return_address, &raw const *frame as u64);
            unmodelled(name, of_call(pc));
        }
        MapFile => {
            const ANONYMOUS: u64 = 0x20;
            if argument(3) & ANONYMOUS == 0 {
                library_state::use_descriptor(argument(4), Use::Look, site);
            }
        }
        Folder(path) => library_state::use_folder(argument(path), site),
        Alone => {
            if has_other_threads() {
                unmodelled(name, site);
            }
        }
        FolderStream(stream) => library_state::use_folder_stream(argument(stream), site),
    }
}

/// Of a large mapping that goes away the beginning stands for all of it.
const LARGEST_UNMAPPED: u64 = 1 << 20;

/// Taking a right away is like a change of the memory for those who need it.
fn protect(address: u64, len: u64, rights: u64, site: SiteId) {
    const READ: u64 = 1;
    const WRITE: u64 = 2;
    let len = len.min(LARGEST_UNMAPPED);
    if rights & READ == 0 {
        argument_write(address, len, site);
    } else if rights & WRITE == 0 {
        argument_read(address, len, site);
    }
}

fn how_opened(flags: u64) -> Use {
    const WRITE_ONLY: u64 = 1;
    const READ_WRITE: u64 = 2;
    const CREATE: u64 = 0o100;
    const TRUNCATE: u64 = 0o1000;
    if flags & (WRITE_ONLY | READ_WRITE | CREATE | TRUNCATE) == 0 { Use::Look } else { Use::Change }
}

/// The pointer at this address.
fn pointee(address: u64) -> u64 {
    // SAFETY: the program passes the address of a pointer; if not, it faults here as it would in the C library.
    if address == 0 { 0 } else { unsafe { *(address as *const u64) } }
}

/// Taking a token off a string, after delimiters if these may come first: the delimiter behind it is overwritten.
pub(super) fn take_token(text: u64, delimiters: u64, skips: bool, site: SiteId) {
    if text == 0 || delimiters == 0 {
        return;
    }
    // SAFETY: the program passes two strings; if not, it faults here as it would in the C library.
    let (text_bytes, delimiters) = unsafe {
        let string = |address: u64| core::ffi::CStr::from_ptr(address as *const core::ffi::c_char).to_bytes();
        (string(text), string(delimiters))
    };
    let is_delimiter = |byte: &u8| delimiters.contains(byte);
    let first = if skips { text_bytes.iter().take_while(|byte| is_delimiter(byte)).count() } else { 0 };
    let len = text_bytes[first..].iter().take_while(|byte| !is_delimiter(byte)).count();
    let end = (first + len) as u64;
    uncomparable_during(|| {
        argument_read(text, end + 1, site);
        if end < text_bytes.len() as u64 {
            argument_write(text + end, 1, site);
        }
    });
}

/// Printing into a buffer: what it writes is known after printing to nowhere.
fn print_into(buffer: u64, limit: u64, text: u64, arguments: VaList, site: SiteId) {
    format::print(text, arguments, site);
    let mut list = arguments;
    let measure = real!("vsnprintf" as fn(u64, u64, u64, *mut VaList) -> i32);
    let len = measure(0, 0, text, &raw mut list);
    argument_write(buffer, (len.max(0) as u64 + 1).min(limit), site);
}
