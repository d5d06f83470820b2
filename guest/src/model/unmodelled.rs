//! Functions that only need something done before the C library's own runs: those with hidden state, and those that
//! are not modelled, which end the run with a message.
//!
//! They are exported with whatever arguments they have: the exported stub saves the argument registers, asks
//! [`before`], and goes on in the C library's function.

use super::hidden::{self, *};
use crate::engine::site::of_call;
use crate::engine::unmodelled;
use crate::platform::{Global, elf, started};
use core::arch::global_asm;

/// What has to be done before a function.
#[derive(Clone, Copy)]
enum Before {
    /// It looks at hidden state.
    Reads(Hidden),
    /// It changes hidden state.
    Writes(Hidden),
    /// It changes hidden state under a lock of its own.
    Updates(Hidden),
    /// It is not modelled.
    Refuse,
    /// Nothing.
    Pass,
}

use Before::{Pass, Reads, Refuse, Updates, Writes};

// r10 holds the number of the function; the C calling convention leaves r10 and r11 free between caller and callee.
// The stack is aligned to 16 at the call: seven registers and the return address, and eight vector registers.
global_asm!(
    ".text",
    ".p2align 4",
    ".hidden inspect_pass_through",
    ".globl inspect_pass_through",
    ".type inspect_pass_through, @function",
    "inspect_pass_through:",
    ".cfi_startproc",
    "push rdi; push rsi; push rdx; push rcx; push r8; push r9; push rax",
    ".cfi_adjust_cfa_offset 56",
    "sub rsp, 128",
    ".cfi_adjust_cfa_offset 128",
    "movups [rsp], xmm0; movups [rsp + 16], xmm1; movups [rsp + 32], xmm2; movups [rsp + 48], xmm3",
    "movups [rsp + 64], xmm4; movups [rsp + 80], xmm5; movups [rsp + 96], xmm6; movups [rsp + 112], xmm7",
    "mov edi, r10d",
    "mov rsi, [rsp + 184]",
    "call {before}",
    "mov r11, rax",
    "movups xmm0, [rsp]; movups xmm1, [rsp + 16]; movups xmm2, [rsp + 32]; movups xmm3, [rsp + 48]",
    "movups xmm4, [rsp + 64]; movups xmm5, [rsp + 80]; movups xmm6, [rsp + 96]; movups xmm7, [rsp + 112]",
    "add rsp, 128",
    ".cfi_adjust_cfa_offset -128",
    "pop rax; pop r9; pop r8; pop rcx; pop rdx; pop rsi; pop rdi",
    ".cfi_adjust_cfa_offset -56",
    "jmp r11",
    ".cfi_endproc",
    before = sym before,
);

struct Call {
    name: &'static str,
    before: Before,
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
    (hidden { $($inner:ident $text:literal $inner_before:expr;)+ } $($name:ident $exported:ident $before:expr;)+) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names, reason = "numbers named after C functions")]
        #[derive(Clone, Copy)]
        #[repr(u32)]
        enum Number { $($inner,)+ $($name),+ }

        const COUNT: usize = [$(Number::$inner,)+ $(Number::$name),+].len();

        static CALLS: [Call; COUNT] = [
            $(Call { name: $text, before: $inner_before },)+
            $(Call { name: stringify!($name), before: $before }),+
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
extern "C" fn before(number: u32, pc: u64) -> *const () {
    let call = &CALLS[number as usize];
    if started() {
        match call.before {
            Reads(object) => hidden::read(object, of_call(pc)),
            Writes(object) => hidden::write(object, of_call(pc)),
            Updates(object) => hidden::update(object, of_call(pc)),
            Refuse => unmodelled(call.name, of_call(pc)),
            Pass => {}
        }
    }
    // SAFETY: one OS thread; the borrow ends here.
    let function = &mut unsafe { FUNCTIONS.get() }[number as usize];
    if function.is_null() {
        *function = elf::real(call.name.split(' ').next().unwrap_or(call.name));
    }
    *function
}

calls! {
    hidden {
        syscall "syscall" Pass;
        futex "syscall (futex)" Refuse;
    }
    strtok interpose_strtok Writes(STRTOK);
    localtime interpose_localtime Writes(BROKEN_DOWN_TIME);
    gmtime interpose_gmtime Writes(BROKEN_DOWN_TIME);
    asctime interpose_asctime Writes(TIME_TEXT);
    ctime interpose_ctime Writes(TIME_TEXT);
    rand interpose_rand Writes(RAND);
    srand interpose_srand Writes(RAND);
    random interpose_random Updates(RANDOM);
    srandom interpose_srandom Updates(RANDOM);
    initstate interpose_initstate Updates(RANDOM);
    setstate interpose_setstate Updates(RANDOM);
    drand48 interpose_drand48 Writes(RAND48);
    lrand48 interpose_lrand48 Writes(RAND48);
    mrand48 interpose_mrand48 Writes(RAND48);
    srand48 interpose_srand48 Writes(RAND48);
    seed48 interpose_seed48 Writes(RAND48);
    lcong48 interpose_lcong48 Writes(RAND48);
    getenv interpose_getenv Reads(ENVIRONMENT);
    secure_getenv interpose_secure_getenv Reads(ENVIRONMENT);
    setenv interpose_setenv Writes(ENVIRONMENT);
    unsetenv interpose_unsetenv Writes(ENVIRONMENT);
    putenv interpose_putenv Writes(ENVIRONMENT);
    clearenv interpose_clearenv Writes(ENVIRONMENT);
    strerror interpose_strerror Writes(ERROR_TEXT);
    strsignal interpose_strsignal Writes(ERROR_TEXT);
    setlocale interpose_setlocale Writes(LOCALE);
    localeconv interpose_localeconv Writes(LOCALE);
    nl_langinfo interpose_nl_langinfo Reads(LOCALE);
    getopt interpose_getopt Writes(GETOPT);
    getopt_long interpose_getopt_long Writes(GETOPT);
    getopt_long_only interpose_getopt_long_only Writes(GETOPT);
    getpwnam interpose_getpwnam Writes(STATIC_RESULT);
    getpwuid interpose_getpwuid Writes(STATIC_RESULT);
    getgrnam interpose_getgrnam Writes(STATIC_RESULT);
    getgrgid interpose_getgrgid Writes(STATIC_RESULT);
    gethostbyname interpose_gethostbyname Writes(STATIC_RESULT);
    inet_ntoa interpose_inet_ntoa Writes(STATIC_RESULT);
    ttyname interpose_ttyname Writes(STATIC_RESULT);
    tmpnam interpose_tmpnam Writes(STATIC_RESULT);
    l64a interpose_l64a Writes(STATIC_RESULT);
    ecvt interpose_ecvt Writes(STATIC_RESULT);
    fcvt interpose_fcvt Writes(STATIC_RESULT);
    hcreate interpose_hcreate Writes(HASH_TABLE);
    hsearch interpose_hsearch Writes(HASH_TABLE);
    hdestroy interpose_hdestroy Writes(HASH_TABLE);

    pthread_rwlock_rdlock interpose_pthread_rwlock_rdlock Refuse;
    pthread_rwlock_wrlock interpose_pthread_rwlock_wrlock Refuse;
    pthread_rwlock_tryrdlock interpose_pthread_rwlock_tryrdlock Refuse;
    pthread_rwlock_trywrlock interpose_pthread_rwlock_trywrlock Refuse;
    pthread_rwlock_timedrdlock interpose_pthread_rwlock_timedrdlock Refuse;
    pthread_rwlock_timedwrlock interpose_pthread_rwlock_timedwrlock Refuse;
    pthread_rwlock_clockrdlock interpose_pthread_rwlock_clockrdlock Refuse;
    pthread_rwlock_clockwrlock interpose_pthread_rwlock_clockwrlock Refuse;
    pthread_rwlock_unlock interpose_pthread_rwlock_unlock Refuse;
    pthread_barrier_wait interpose_pthread_barrier_wait Refuse;
    pthread_spin_lock interpose_pthread_spin_lock Refuse;
    pthread_spin_trylock interpose_pthread_spin_trylock Refuse;
    pthread_spin_unlock interpose_pthread_spin_unlock Refuse;
    sem_wait interpose_sem_wait Refuse;
    sem_trywait interpose_sem_trywait Refuse;
    sem_timedwait interpose_sem_timedwait Refuse;
    sem_clockwait interpose_sem_clockwait Refuse;
    sem_post interpose_sem_post Refuse;
    sem_getvalue interpose_sem_getvalue Refuse;
    sem_open interpose_sem_open Refuse;
    pthread_cancel interpose_pthread_cancel Refuse;
    pthread_kill interpose_pthread_kill Refuse;
    pthread_sigqueue interpose_pthread_sigqueue Refuse;
    pthread_tryjoin_np interpose_pthread_tryjoin_np Refuse;
    pthread_timedjoin_np interpose_pthread_timedjoin_np Refuse;
    pthread_clockjoin_np interpose_pthread_clockjoin_np Refuse;
    pthread_getattr_np interpose_pthread_getattr_np Refuse;
    pthread_mutex_consistent interpose_pthread_mutex_consistent Refuse;
    pthread_mutex_setprioceiling interpose_pthread_mutex_setprioceiling Refuse;
    sigwait interpose_sigwait Refuse;
    sigwaitinfo interpose_sigwaitinfo Refuse;
    sigtimedwait interpose_sigtimedwait Refuse;
}
