//! Functions of the C library that need something done before they run: those that access memory for their caller, use
//! state shared behind the scenes, or are not modelled and end the run with a message.
//!
//! They are exported with whatever arguments they have: the exported stub saves the argument registers, asks
//! [`before`], and goes on in the C library's function.

use super::arguments::{Frame, VaList};
use super::hidden::{self, *};
use super::string::{length, number_length};
use super::{format, real};
use crate::engine::site::of_call;
use crate::engine::{has_other_threads, note_exit, unmodelled};
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
        enum Number { $($inner,)+ $($name),+ }

        const COUNT: usize = [$(Number::$inner,)+ $(Number::$name),+].len();

        static CALLS: [Call; COUNT] = [
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
        Reads(object) => hidden::read(object, site),
        Writes(object) => hidden::write(object, site),
        Updates(object) => hidden::update(object, site),
        Stream(stream) => hidden::use_stream(argument(stream), Use::Look, site),
        StreamOut(stream) => hidden::use_stream(argument(stream), Use::Change, site),
        Path(path) => hidden::use_name(CURRENT_DIRECTORY, argument(path), Use::Look, site),
        ChangePath(path) => hidden::use_name(CURRENT_DIRECTORY, argument(path), Use::Change, site),
        OpenAt(directory, path, flags) => {
            let how = how_opened(argument(flags));
            hidden::use_name(argument(directory) as i32, argument(path), how, site);
        }
        Open => hidden::use_name(CURRENT_DIRECTORY, argument(0), how_opened(argument(1)), site),
        OpenStream => {
            // SAFETY: the program passes a mode; if not, it faults here as it would in the C library.
            let mode = unsafe { core::ffi::CStr::from_ptr(argument(1) as *const core::ffi::c_char) }.to_bytes();
            let looks = mode.starts_with(b"r") && !mode.contains(&b'+');
            hidden::use_name(CURRENT_DIRECTORY, argument(0), if looks { Use::Look } else { Use::Change }, site);
        }
        ReadFrom(fd) => hidden::use_position(argument(fd), site),
        Ask(fd) => hidden::use_descriptor(argument(fd), Use::Look, site),
        WriteTo(fd) => hidden::use_descriptor(argument(fd), Use::Change, site),
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
        Vector(written) => {
            const LARGEST: u64 = 1024;
            argument_read(argument(1), 16 * argument(2).min(LARGEST), site);
            for piece in 0..argument(2).min(LARGEST) {
                // SAFETY: the program passes a vector of buffers; if not, it faults here as it would there.
                let [start, len] = unsafe { *((argument(1) + 16 * piece) as *const [u64; 2]) };
                if written { argument_write(start, len, site) } else { argument_read(start, len, site) }
            }
        }
        Template => {
            argument_write(argument(0), length(argument(0), u64::MAX - argument(0)) + 1, site);
            hidden::use_name(CURRENT_DIRECTORY, argument(0), Use::Change, site);
        }
        SignalLook(signal) => hidden::use_signal(argument(signal), Use::Look, site),
        SignalChange(signal, new) => {
            let how = if argument(new) == 0 { Use::Look } else { Use::Change };
            hidden::use_signal(argument(signal), how, site);
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
                hidden::use_descriptor(argument(4), Use::Look, site);
            }
        }
        Folder(path) => hidden::use_folder(argument(path), site),
        Alone => {
            if has_other_threads() {
                unmodelled(name, site);
            }
        }
        FolderStream(stream) => hidden::use_folder_stream(argument(stream), site),
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
    argument_read(text, end + 1, site);
    if end < text_bytes.len() as u64 {
        argument_write(text + end, 1, site);
    }
}

/// Printing into a buffer: what it writes is known after printing to nowhere.
fn print_into(buffer: u64, limit: u64, text: u64, arguments: VaList, site: SiteId) {
    format::print(text, arguments, site);
    let mut list = arguments;
    let measure = real!("vsnprintf" as fn(u64, u64, u64, *mut VaList) -> i32);
    let len = measure(0, 0, text, &raw mut list);
    argument_write(buffer, (len.max(0) as u64 + 1).min(limit), site);
}

calls! {
    inner {
        syscall "syscall" [];
        futex "syscall (futex)" [Refuse];
    }
    rand interpose_rand [Writes(RAND)];
    srand interpose_srand [Writes(RAND)];
    random interpose_random [Updates(RANDOM)];
    srandom interpose_srandom [Updates(RANDOM)];
    initstate interpose_initstate [Updates(RANDOM)];
    setstate interpose_setstate [Updates(RANDOM)];
    drand48 interpose_drand48 [Writes(RAND48)];
    lrand48 interpose_lrand48 [Writes(RAND48)];
    mrand48 interpose_mrand48 [Writes(RAND48)];
    srand48 interpose_srand48 [Writes(RAND48)];
    seed48 interpose_seed48 [Writes(RAND48)];
    lcong48 interpose_lcong48 [Writes(RAND48)];
    getenv interpose_getenv [Reads(ENVIRONMENT), Text(0)];
    secure_getenv interpose_secure_getenv [Reads(ENVIRONMENT), Text(0)];
    setenv interpose_setenv [Writes(ENVIRONMENT), Text(0), Text(1)];
    unsetenv interpose_unsetenv [Writes(ENVIRONMENT), Text(0)];
    putenv interpose_putenv [Writes(ENVIRONMENT), Text(0)];
    clearenv interpose_clearenv [Writes(ENVIRONMENT)];
    strerror interpose_strerror [Writes(ERROR_TEXT)];
    strsignal interpose_strsignal [Writes(ERROR_TEXT)];
    setlocale interpose_setlocale [Writes(LOCALE)];
    localeconv interpose_localeconv [Writes(LOCALE)];
    tzset interpose_tzset [Reads(ENVIRONMENT), Writes(BROKEN_DOWN_TIME)];
    timespec_get interpose_timespec_get [Out(0, 16)];
    nl_langinfo interpose_nl_langinfo [Reads(LOCALE)];
    getopt interpose_getopt [Writes(GETOPT)];
    getopt_long interpose_getopt_long [Writes(GETOPT)];
    getopt_long_only interpose_getopt_long_only [Writes(GETOPT)];
    getpwnam interpose_getpwnam [Writes(STATIC_RESULT)];
    getpwuid interpose_getpwuid [Writes(STATIC_RESULT)];
    getgrnam interpose_getgrnam [Writes(STATIC_RESULT)];
    getgrgid interpose_getgrgid [Writes(STATIC_RESULT)];
    gethostbyname interpose_gethostbyname [Writes(STATIC_RESULT)];
    inet_ntoa interpose_inet_ntoa [Writes(STATIC_RESULT)];
    ttyname interpose_ttyname [Writes(STATIC_RESULT)];
    tmpnam interpose_tmpnam [Writes(STATIC_RESULT)];
    l64a interpose_l64a [Writes(STATIC_RESULT)];
    ecvt interpose_ecvt [Writes(STATIC_RESULT)];
    fcvt interpose_fcvt [Writes(STATIC_RESULT)];
    hcreate interpose_hcreate [Writes(HASH_TABLE)];
    hsearch interpose_hsearch [Writes(HASH_TABLE)];
    hdestroy interpose_hdestroy [Writes(HASH_TABLE)];

    strtol interpose_strtol [Number(0), Out(1, 8)];
    strtoul interpose_strtoul [Number(0), Out(1, 8)];
    strtoll interpose_strtoll [Number(0), Out(1, 8)];
    strtoull interpose_strtoull [Number(0), Out(1, 8)];
    strtoimax interpose_strtoimax [Number(0), Out(1, 8)];
    strtoumax interpose_strtoumax [Number(0), Out(1, 8)];
    strtod interpose_strtod [Number(0), Out(1, 8), Reads(LOCALE)];
    strtof interpose_strtof [Number(0), Out(1, 8), Reads(LOCALE)];
    strtold interpose_strtold [Number(0), Out(1, 8), Reads(LOCALE)];
    atoi interpose_atoi [Number(0)];
    atol interpose_atol [Number(0)];
    atoll interpose_atoll [Number(0)];
    atof interpose_atof [Number(0), Reads(LOCALE)];
    strtok_r interpose_strtok_r [Text(1), NextToken(0, 2), Out(2, 8)];
    strsep interpose_strsep [Text(1), TokenAt(0), Out(0, 8)];
    strpbrk interpose_strpbrk [Text(0), Text(1)];
    strspn interpose_strspn [Text(0), Text(1)];
    strcspn interpose_strcspn [Text(0), Text(1)];
    strcasecmp interpose_strcasecmp [Text(0), Text(1), Reads(LOCALE)];
    strcoll interpose_strcoll [Text(0), Text(1), Reads(LOCALE)];
    toupper interpose_toupper [Reads(LOCALE)];
    tolower interpose_tolower [Reads(LOCALE)];
    __ctype_b_loc interpose___ctype_b_loc [Reads(LOCALE)];
    __ctype_toupper_loc interpose___ctype_toupper_loc [Reads(LOCALE)];
    __ctype_tolower_loc interpose___ctype_tolower_loc [Reads(LOCALE)];
    rand_r interpose_rand_r [In(0, 4), Out(0, 4)];
    localtime_r interpose_localtime_r [In(0, 8), Out(1, 56)];
    gmtime_r interpose_gmtime_r [In(0, 8), Out(1, 56)];
    asctime_r interpose_asctime_r [In(0, 56), Out(1, 26)];
    ctime_r interpose_ctime_r [In(0, 8), Out(1, 26)];
    mktime interpose_mktime [In(0, 56), Out(0, 56)];
    timegm interpose_timegm [In(0, 56), Out(0, 56)];
    strftime interpose_strftime [Text(2), In(3, 56), OutBytes(0, 1), Reads(LOCALE)];
    time interpose_time [Out(0, 8)];
    gettimeofday interpose_gettimeofday [Out(0, 16)];
    clock_gettime interpose_clock_gettime [Out(1, 16)];
    clock_getres interpose_clock_getres [Out(1, 16)];
    read interpose_read [OutBytes(1, 2), ReadFrom(0)];
    readv interpose_readv [Vector(true), ReadFrom(0)];
    writev interpose_writev [Vector(false), WriteTo(0)];
    mkstemp interpose_mkstemp [Template];
    mkstemp64 interpose_mkstemp64 [Template];
    pread interpose_pread [OutBytes(1, 2), Ask(0)];
    pread64 interpose_pread64 [OutBytes(1, 2), Ask(0)];
    write interpose_write [InBytes(1, 2), WriteTo(0)];
    pwrite interpose_pwrite [InBytes(1, 2), WriteTo(0)];
    pwrite64 interpose_pwrite64 [InBytes(1, 2), WriteTo(0)];
    getrandom interpose_getrandom [OutBytes(0, 1)];
    getentropy interpose_getentropy [OutBytes(0, 1)];
    getcwd interpose_getcwd [OutBytes(0, 1)];
    readlink interpose_readlink [Text(0), OutBytes(1, 2), Path(0)];
    gethostname interpose_gethostname [OutBytes(0, 1)];
    open interpose_open [Text(0), Open];
    open64 interpose_open64 [Text(0), Open];
    openat interpose_openat [Text(1), OpenAt(0, 1, 2)];
    creat interpose_creat [Text(0), ChangePath(0)];
    access interpose_access [Text(0), Path(0)];
    unlink interpose_unlink [Text(0), ChangePath(0)];
    stat interpose_stat [Text(0), Out(1, 144), Path(0)];
    lstat interpose_lstat [Text(0), Out(1, 144), Path(0)];
    fstat interpose_fstat [Out(1, 144), Ask(0)];
    stat64 interpose_stat64 [Text(0), Out(1, 144), Path(0)];
    lstat64 interpose_lstat64 [Text(0), Out(1, 144), Path(0)];
    fstat64 interpose_fstat64 [Out(1, 144), Ask(0)];
    pipe interpose_pipe [Refuse];
    fopen interpose_fopen [Text(0), Text(1), OpenStream];
    fopen64 interpose_fopen64 [Text(0), Text(1), OpenStream];
    freopen interpose_freopen [Text(0), Text(1), Stream(2), OpenStream];
    lseek interpose_lseek [ReadFrom(0)];
    lseek64 interpose_lseek64 [ReadFrom(0)];
    ftruncate interpose_ftruncate [WriteTo(0)];
    ftruncate64 interpose_ftruncate64 [WriteTo(0)];
    truncate interpose_truncate [Text(0), ChangePath(0)];
    close interpose_close [ReadFrom(0)];
    dup interpose_dup [ReadFrom(0)];
    dup2 interpose_dup2 [ReadFrom(1)];
    dup3 interpose_dup3 [ReadFrom(1)];
    fcntl interpose_fcntl [ReadFrom(0)];
    fcntl64 interpose_fcntl64 [ReadFrom(0)];
    umask interpose_umask [Alone];
    remove interpose_remove [Text(0), ChangePath(0)];
    mkdir interpose_mkdir [Text(0), ChangePath(0)];
    rmdir interpose_rmdir [Text(0), ChangePath(0)];
    chmod interpose_chmod [Text(0), ChangePath(0)];
    perror interpose_perror [Text(0)];
    printf interpose_printf [Print(0), Reads(LOCALE)];
    fprintf interpose_fprintf [StreamOut(0), Print(1), Reads(LOCALE)];
    dprintf interpose_dprintf [WriteTo(0), Print(1), Reads(LOCALE)];
    sprintf interpose_sprintf [PrintInto, Reads(LOCALE)];
    snprintf interpose_snprintf [PrintIntoAtMost, Reads(LOCALE)];
    asprintf interpose_asprintf [Print(1), Out(0, 8), Reads(LOCALE)];
    vprintf interpose_vprintf [PrintList(0, 1), Reads(LOCALE)];
    vfprintf interpose_vfprintf [StreamOut(0), PrintList(1, 2), Reads(LOCALE)];
    vsprintf interpose_vsprintf [PrintListInto, Reads(LOCALE)];
    vsnprintf interpose_vsnprintf [PrintListIntoAtMost, Reads(LOCALE)];
    vasprintf interpose_vasprintf [PrintList(1, 2), Out(0, 8), Reads(LOCALE)];
    scanf interpose_scanf [Updates(STANDARD_INPUT), Scan(0), Reads(LOCALE)];
    fscanf interpose_fscanf [Stream(0), Scan(1), Reads(LOCALE)];
    sscanf interpose_sscanf [Text(0), Scan(1), Reads(LOCALE)];
    vscanf interpose_vscanf [Updates(STANDARD_INPUT), ScanList(0, 1)];
    vfscanf interpose_vfscanf [Stream(0), ScanList(1, 2)];
    vsscanf interpose_vsscanf [Text(0), ScanList(1, 2)];
    __isoc99_scanf interpose___isoc99_scanf [Updates(STANDARD_INPUT), Scan(0), Reads(LOCALE)];
    __isoc99_fscanf interpose___isoc99_fscanf [Stream(0), Scan(1), Reads(LOCALE)];
    __isoc99_sscanf interpose___isoc99_sscanf [Text(0), Scan(1), Reads(LOCALE)];
    __isoc99_vscanf interpose___isoc99_vscanf [Updates(STANDARD_INPUT), ScanList(0, 1)];
    __isoc99_vfscanf interpose___isoc99_vfscanf [Stream(0), ScanList(1, 2)];
    __isoc99_vsscanf interpose___isoc99_vsscanf [Text(0), ScanList(1, 2)];
    getchar interpose_getchar [Updates(STANDARD_INPUT)];
    fgetc interpose_fgetc [Stream(0)];
    getc interpose_getc [Stream(0)];
    fgets interpose_fgets [Stream(2), OutBytes(0, 1)];
    ungetc interpose_ungetc [Stream(1)];
    fputc interpose_fputc [StreamOut(1)];
    putc interpose_putc [StreamOut(1)];
    fseek interpose_fseek [Stream(0)];
    fseeko interpose_fseeko [Stream(0)];
    ftell interpose_ftell [Stream(0)];
    ftello interpose_ftello [Stream(0)];
    rewind interpose_rewind [Stream(0)];
    fgetpos interpose_fgetpos [Stream(0), Out(1, 16)];
    fsetpos interpose_fsetpos [Stream(0), In(1, 16)];
    fflush interpose_fflush [StreamOut(0)];
    fclose interpose_fclose [StreamOut(0)];
    feof interpose_feof [Stream(0)];
    ferror interpose_ferror [Stream(0)];
    clearerr interpose_clearerr [Stream(0)];
    setvbuf interpose_setvbuf [Stream(0)];
    setbuf interpose_setbuf [Stream(0)];
    fdopen interpose_fdopen [Text(1)];
    exit interpose_exit [Exit];
    _exit interpose__exit [Exit];
    _Exit interpose__Exit [Exit];
    quick_exit interpose_quick_exit [Exit];
    fork interpose_fork [Refuse];
    vfork interpose_vfork [Refuse];
    _Fork interpose__Fork [Refuse];
    clone interpose_clone [Refuse];
    system interpose_system [Refuse];
    popen interpose_popen [Refuse];
    posix_spawn interpose_posix_spawn [Refuse];
    posix_spawnp interpose_posix_spawnp [Refuse];
    execl interpose_execl [Refuse];
    execle interpose_execle [Refuse];
    execlp interpose_execlp [Refuse];
    execv interpose_execv [Refuse];
    execve interpose_execve [Refuse];
    execvp interpose_execvp [Refuse];
    execvpe interpose_execvpe [Refuse];
    fexecve interpose_fexecve [Refuse];
    socket interpose_socket [Refuse];
    socketpair interpose_socketpair [Refuse];
    pipe2 interpose_pipe2 [Refuse];
    mkfifo interpose_mkfifo [Refuse];
    flockfile interpose_flockfile [Refuse];
    ftrylockfile interpose_ftrylockfile [Refuse];
    funlockfile interpose_funlockfile [Refuse];

    pthread_rwlock_rdlock interpose_pthread_rwlock_rdlock [Refuse];
    pthread_rwlock_wrlock interpose_pthread_rwlock_wrlock [Refuse];
    pthread_rwlock_tryrdlock interpose_pthread_rwlock_tryrdlock [Refuse];
    pthread_rwlock_trywrlock interpose_pthread_rwlock_trywrlock [Refuse];
    pthread_rwlock_timedrdlock interpose_pthread_rwlock_timedrdlock [Refuse];
    pthread_rwlock_timedwrlock interpose_pthread_rwlock_timedwrlock [Refuse];
    pthread_rwlock_clockrdlock interpose_pthread_rwlock_clockrdlock [Refuse];
    pthread_rwlock_clockwrlock interpose_pthread_rwlock_clockwrlock [Refuse];
    pthread_rwlock_unlock interpose_pthread_rwlock_unlock [Refuse];
    pthread_barrier_wait interpose_pthread_barrier_wait [Refuse];
    pthread_spin_lock interpose_pthread_spin_lock [Refuse];
    pthread_spin_trylock interpose_pthread_spin_trylock [Refuse];
    pthread_spin_unlock interpose_pthread_spin_unlock [Refuse];
    opendir interpose_opendir [Text(0), Folder(0)];
    fdopendir interpose_fdopendir [Ask(0)];
    closedir interpose_closedir [FolderStream(0)];
    rewinddir interpose_rewinddir [FolderStream(0)];
    seekdir interpose_seekdir [FolderStream(0)];
    telldir interpose_telldir [FolderStream(0)];
    scandir interpose_scandir [Text(0), Out(1, 8), Folder(0)];
    scandir64 interpose_scandir64 [Text(0), Out(1, 8), Folder(0)];
    mmap interpose_mmap [MapFile];
    mmap64 interpose_mmap64 [MapFile];
    munmap interpose_munmap [Unmaps(0, 1)];
    mremap interpose_mremap [Unmaps(0, 1)];
    mprotect interpose_mprotect [Protects];
    madvise interpose_madvise [Advises];

    signal interpose_signal [SignalChange(0, 0)];
    sigaction interpose_sigaction [In(1, 152), Out(2, 152), SignalChange(0, 1)];
    raise interpose_raise [SignalLook(0)];
    kill interpose_kill [SignalLook(1)];
    sigprocmask interpose_sigprocmask [In(1, 128), Out(2, 128)];
    pthread_sigmask interpose_pthread_sigmask [In(1, 128), Out(2, 128)];
    sigpending interpose_sigpending [Out(0, 128)];

    alarm interpose_alarm [Refuse];
    ualarm interpose_ualarm [Refuse];
    setitimer interpose_setitimer [Refuse];
    timer_create interpose_timer_create [Refuse];
    timerfd_create interpose_timerfd_create [Refuse];
    pause interpose_pause [Refuse];
    sigsuspend interpose_sigsuspend [Refuse];
    sigqueue interpose_sigqueue [Refuse];
    signalfd interpose_signalfd [Refuse];
    killpg interpose_killpg [Refuse];
    wait interpose_wait [Refuse];
    waitpid interpose_waitpid [Refuse];
    waitid interpose_waitid [Refuse];
    wait3 interpose_wait3 [Refuse];
    wait4 interpose_wait4 [Refuse];
    epoll_create interpose_epoll_create [Refuse];
    epoll_create1 interpose_epoll_create1 [Refuse];
    eventfd interpose_eventfd [Refuse];
    inotify_init interpose_inotify_init [Refuse];
    inotify_init1 interpose_inotify_init1 [Refuse];
    memfd_create interpose_memfd_create [Refuse];
    shmget interpose_shmget [Refuse];
    shmat interpose_shmat [Refuse];
    semget interpose_semget [Refuse];
    semop interpose_semop [Refuse];
    semtimedop interpose_semtimedop [Refuse];
    msgget interpose_msgget [Refuse];
    msgsnd interpose_msgsnd [Refuse];
    msgrcv interpose_msgrcv [Refuse];
    mq_open interpose_mq_open [Refuse];
    aio_read interpose_aio_read [Refuse];
    aio_write interpose_aio_write [Refuse];
    lio_listio interpose_lio_listio [Refuse];
    flock interpose_flock [Refuse];
    lockf interpose_lockf [Refuse];
    lockf64 interpose_lockf64 [Refuse];
    ptrace interpose_ptrace [Refuse];
    unshare interpose_unshare [Refuse];
    chdir interpose_chdir [Refuse];
    fchdir interpose_fchdir [Refuse];
    chroot interpose_chroot [Refuse];
    swapcontext interpose_swapcontext [Refuse];
    setcontext interpose_setcontext [Refuse];

    sem_wait interpose_sem_wait [Refuse];
    sem_trywait interpose_sem_trywait [Refuse];
    sem_timedwait interpose_sem_timedwait [Refuse];
    sem_clockwait interpose_sem_clockwait [Refuse];
    sem_post interpose_sem_post [Refuse];
    sem_getvalue interpose_sem_getvalue [Refuse];
    sem_open interpose_sem_open [Refuse];
    pthread_cancel interpose_pthread_cancel [Refuse];
    pthread_kill interpose_pthread_kill [Refuse];
    pthread_sigqueue interpose_pthread_sigqueue [Refuse];
    pthread_tryjoin_np interpose_pthread_tryjoin_np [Refuse];
    pthread_timedjoin_np interpose_pthread_timedjoin_np [Refuse];
    pthread_clockjoin_np interpose_pthread_clockjoin_np [Refuse];
    pthread_getattr_np interpose_pthread_getattr_np [Refuse];
    pthread_mutex_consistent interpose_pthread_mutex_consistent [Refuse];
    pthread_mutex_setprioceiling interpose_pthread_mutex_setprioceiling [Refuse];
    sigwait interpose_sigwait [Refuse];
    sigwaitinfo interpose_sigwaitinfo [Refuse];
    sigtimedwait interpose_sigtimedwait [Refuse];
}
