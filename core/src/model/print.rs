//! Prints model programs as C, so that the same program can be run natively.
//!
//! Every statement is on a line of its own, and [`Printed::sites`] says on which; so the statement of the model that an
//! event of the native run belongs to is found by its line. Objects that several threads can reach are in arrays,
//! whose elements have the numbers of the model; a register is a local variable. One file can have several programs:
//! the first argument of the command line chooses one.
//!
//! A once is two statements of the model with others between them, and one call with a function in C. The statements
//! between are printed as that function, and the second one is part of the call. A wait at a barrier is two statements
//! in a row and one call; a writer's lock that comes before waiting readers is four, or five with a time limit
//! ([`super::writers_first`]), and so are some calls on futexes ([`super::futex_steps`]).

use super::futex_steps;
use super::pipes::{CAPACITY, PIECE, READS_TRY, WRITES_TRY};
use super::writers_first::WriterCall;
use super::{Expression, FutexResult, Operand, Part, Program, RECURSIVE, Statement, Test};
use crate::event::{Side, SiteId, WriterFirstStep};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Elements of each array of shared objects: more than any generated program uses.
const OBJECTS: usize = 8;

/// What the statements of a printed program are written with.
const HEAD: &str = include_str!("print/head.c");

const INITIALISED: [(&str, &str, &str); 8] = [
    ("pthread_mutex_t", "mutexes", "PTHREAD_MUTEX_INITIALIZER"),
    ("pthread_mutex_t", "recursive_mutexes", "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP"),
    ("pthread_cond_t", "conditions", "PTHREAD_COND_INITIALIZER"),
    ("pthread_once_t", "onces", "PTHREAD_ONCE_INIT"),
    ("sem_t", "semaphores", "{{0}}"),
    ("pthread_rwlock_t", "rwlocks", "PTHREAD_RWLOCK_INITIALIZER"),
    ("pthread_rwlock_t", "writers_first", "PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP"),
    ("pthread_barrier_t", "barriers", "{{0}}"),
];

/// A file of C programs.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// In ascending order: a line (from 1), the number of the program, and the site of the statement on that line.
    pub sites: Vec<(u32, usize, SiteId)>,
}

/// The program as it can be printed, to be run in the model for comparison: statements that initialise or destroy are
/// replaced, atomic accesses have sizes that the hardware supports, and the initialiser of a once uses no registers.
pub fn printable(program: &Program) -> Program {
    let mut program = program.clone();
    for body in &mut program.bodies {
        let mut initialiser = false;
        for statement in body {
            match statement {
                Statement::Initialise(_) | Statement::Destroy(_) => {
                    *statement = Statement::Set(0, Expression::Register(0, 0))
                }
                Statement::Load(place, _) | Statement::Store(place, _) if place.part == Part::Two => {
                    place.part = Part::Whole;
                }
                Statement::Write(_, value @ (Expression::Register(..) | Expression::Modulo(..))) if initialiser => {
                    *value = Expression::Constant(1);
                }
                Statement::OnceEnter(..) => initialiser = true,
                Statement::OnceLeave(_) => initialiser = false,
                _ => {}
            }
        }
    }
    program
}

/// The site at which the native run reports a statement: for the second half of a once or of a wait at a barrier, that
/// of its first half; for a later step of a writer or of a call on a futex, that of the first one.
pub fn once_of(program: &Program, site: SiteId) -> SiteId {
    let (body, at) = ((site.0 >> 16) as usize, (site.0 & 0xFFFF) as usize);
    let Some(statements) = program.bodies.get(body) else { return site };
    let first = match statements.get(at) {
        Some(Statement::OnceLeave(_)) => {
            let enter = statements[..at].iter().rposition(|statement| matches!(statement, Statement::OnceEnter(..)));
            enter.expect("a once is entered before it is left")
        }
        Some(Statement::BarrierPass(..)) => at - 1,
        Some(Statement::WriterFirst(_, WriterFirstStep::Announce)) => at - 2,
        Some(Statement::WriterFirst(_, WriterFirstStep::Lock(Side::Writer))) => at - 3,
        Some(Statement::WriterFirst(_, WriterFirstStep::Withdraw)) => at - 4,
        Some(Statement::WriterFirstTryLock(..)) if at >= 3 && WriterCall::at(&statements[at - 3..]).is_some() => at - 3,
        Some(Statement::FutexStep { .. } | Statement::Choose(..)) => futex_steps::start_of_call(statements, at),
        _ => return site,
    };
    SiteId((body as u64) << 16 | first as u64)
}

/// Prints programs that [`printable`] has made.
pub fn print(programs: &[Program]) -> Printed {
    let mut printer = Printer { printed: Printed::default(), line: 1, number: 0 };
    printer.raw(HEAD);
    printer.raw(&format!("word variables[{OBJECTS}] __attribute__((aligned(16)));\n"));
    for (kind, name, value) in INITIALISED {
        printer.raw(&format!("{kind} {name}[{OBJECTS}] = {{{}}};\n", [value; OBJECTS].join(", ")));
    }
    for (number, program) in programs.iter().enumerate() {
        printer.number = number;
        printer.program(program);
    }
    printer.raw("\nint main(int argc, char **argv) {\n    switch (argc > 1 ? atoi(argv[1]) : 0) {\n");
    for number in 0..programs.len() {
        printer.raw(&format!("    case {number}: program{number}_body0(0); break;\n"));
    }
    printer.raw("    }\n    return 0;\n}\n");
    printer.printed
}

struct Printer {
    printed: Printed,
    line: u32,
    number: usize,
}

impl Printer {
    fn raw(&mut self, text: &str) {
        self.line += text.bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.printed.text.push_str(text);
    }

    fn statement(&mut self, body: usize, at: usize, text: &str) {
        let site = SiteId((body as u64) << 16 | at as u64);
        self.printed.sites.push((self.line, self.number, site));
        self.raw(&format!("    {text}\n"));
    }

    fn program(&mut self, program: &Program) {
        let number = self.number;
        self.raw("\n");
        for body in 0..program.bodies.len() {
            self.raw(&format!("static void *program{number}_body{body}(void *unused);\n"));
        }
        for (body, statements) in program.bodies.iter().enumerate() {
            self.initialisers(body, statements);
            self.body(body, statements);
        }
    }

    /// A function for each once of the body.
    fn initialisers(&mut self, body: usize, statements: &[Statement]) {
        for (enter, statement) in statements.iter().enumerate() {
            if !matches!(statement, Statement::OnceEnter(..)) {
                continue;
            }
            let number = self.number;
            self.raw(&format!("static void program{number}_body{body}_once{enter}(void) {{\n    ran = 1;\n"));
            let end = leave_of(statements, enter);
            let mut at = enter + 2;
            while at < end {
                let text = match statements[at] {
                    Statement::FutexStep { .. } => futex_steps::text(&statements[at..], variable),
                    _ => text(&statements[at], self.number, body, at),
                };
                self.statement(body, at, &text);
                at += futex_steps::length_of_call(&statements[at..]).unwrap_or(1);
            }
            self.raw("}\n");
        }
    }

    fn body(&mut self, body: usize, statements: &[Statement]) {
        self.raw(&format!(
            "static void *program{}_body{body}(void *unused) {{\n    word r0 = 0, r1 = 0, r2 = 0, r3 = 0;\n",
            self.number
        ));
        for statement in statements {
            if let Statement::Create(child) = statement {
                self.raw(&format!("    pthread_t thread{child};\n"));
            }
        }
        let mut at = 0;
        while at < statements.len() {
            let label = label(statements, at);
            let text = match statements[at] {
                Statement::WriterFirstTryLock(place, _, register) => match WriterCall::at(&statements[at..]) {
                    Some(WriterCall::Lock) => format!("pthread_rwlock_wrlock(&{});", element("writers_first", place)),
                    Some(WriterCall::TimedLock) => {
                        let lock = element("writers_first", place);
                        format!("r{register} = !pthread_rwlock_timedwrlock(&{lock}, &far);")
                    }
                    None => text(&statements[at], self.number, body, at),
                },
                Statement::FutexStep { .. } => futex_steps::text(&statements[at..], variable),
                _ => text(&statements[at], self.number, body, at),
            };
            self.statement(body, at, &format!("{label}{text}"));
            at = match statements[at] {
                Statement::OnceEnter(..) => leave_of(statements, at) + 1,
                Statement::BarrierArrive(..) => at + 2,
                Statement::WriterFirstTryLock(..) => {
                    at + WriterCall::at(&statements[at..]).map_or(1, WriterCall::length)
                }
                Statement::FutexStep { .. } => at + futex_steps::length_of_call(&statements[at..]).unwrap_or(1),
                _ => at + 1,
            };
        }
        let end = if body == 0 { "pthread_exit(0);" } else { "return 0;" };
        self.raw(&format!("    {}{end}\n}}\n", label(statements, at)));
    }
}

/// Where the once entered here is left.
fn leave_of(statements: &[Statement], enter: usize) -> usize {
    let length = statements[enter..].iter().position(|statement| matches!(statement, Statement::OnceLeave(_)));
    enter + length.expect("a once that is entered is left")
}

/// A label, if some statement jumps here.
fn label(statements: &[Statement], at: usize) -> String {
    let to_here = |statement: &Statement| match *statement {
        Statement::Jump(target) | Statement::JumpUnless(_, target) => usize::from(target) == at,
        _ => false,
    };
    if statements.iter().any(to_here) { format!("at{at}: ;") } else { String::new() }
}

/// A statement in C.
fn text(statement: &Statement, number: usize, body: usize, at: usize) -> String {
    match *statement {
        Statement::OnceEnter(place, register) => format!(
            "ran = 0; pthread_once(&{}, program{number}_body{body}_once{at}); r{register} = ran;",
            element("onces", place)
        ),
        Statement::Create(child) => {
            format!("pthread_create(&thread{child}, 0, program{number}_body{child}, 0);")
        }
        Statement::Join(child) => format!("pthread_join(thread{child}, 0);"),
        Statement::Detach(child, register) => format!("r{register} = pthread_detach(thread{child}) != 0;"),
        Statement::Cancel(child) => format!("pthread_cancel(thread{child});"),
        Statement::CancelPoint(_) => "pthread_testcancel();".into(),
        Statement::CancellableJoin(child) => format!("pthread_join(thread{child}, 0);"),
        Statement::CancelChoice | Statement::CancelAccept(_) => unreachable!("belongs to the call that waits"),
        Statement::Choose(count, register) => format!("r{register} = inspect_choose({count});"),
        Statement::Assume(condition) => format!("inspect_assume({});", test(condition)),
        Statement::Assert(condition) => format!("assert({});", test(condition)),
        Statement::ExitProcess(status) => format!("exit({status});"),
        Statement::Set(register, new) => format!("r{register} = {};", value(new)),
        Statement::JumpUnless(condition, target) => format!("if (!({})) goto at{target};", test(condition)),
        Statement::Jump(target) => format!("goto at{target};"),
        Statement::OnceLeave(_) => unreachable!("belongs to the call that enters"),
        Statement::Initialise(_) | Statement::Destroy(_) => unreachable!("left out by `printable`"),
        Statement::SignalSend(..)
        | Statement::SignalTake(..)
        | Statement::SignalAwait(..)
        | Statement::SignalLook(..)
        | Statement::TimerSet(..)
        | Statement::TimerStart(_)
        | Statement::TimerExpire(..) => unreachable!("in programs that are not printed"),
        Statement::Lock(_)
        | Statement::TryLock(..)
        | Statement::Unlock(_)
        | Statement::Wait(..)
        | Statement::TimedWait(..)
        | Statement::CancellableWait(..)
        | Statement::Signal(_)
        | Statement::Broadcast(_)
        | Statement::FutexWait { .. }
        | Statement::FutexWake { .. }
        | Statement::FutexRequeue { .. } => call(statement),
        Statement::FutexStep { .. } => futex_steps::text(&[*statement], variable),
        Statement::SemaphoreInit(..)
        | Statement::SemaphoreWait(_)
        | Statement::CancellableSemaphoreWait(_)
        | Statement::SemaphoreTryWait(..)
        | Statement::SemaphorePost(_)
        | Statement::SemaphoreCount(..)
        | Statement::RwlockLock(..)
        | Statement::RwlockTryLock(..)
        | Statement::RwlockUnlock(_)
        | Statement::WriterFirst(..)
        | Statement::WriterFirstTryLock(..)
        | Statement::BarrierInit(..)
        | Statement::BarrierArrive(..)
        | Statement::BarrierPass(..) => call_on_shared(statement),
        Statement::PipeInit(..)
        | Statement::PipeWrite(..)
        | Statement::PipeRead(..)
        | Statement::PipeTryWrite(..)
        | Statement::PipeTryRead(..)
        | Statement::PipePoll(..) => call_on_pipe(statement),
        Statement::Read(..)
        | Statement::Write(..)
        | Statement::Load(..)
        | Statement::Store(..)
        | Statement::FetchAdd(..)
        | Statement::CompareExchange(..)
        | Statement::Await(..) => access(statement),
    }
}

/// An access to a variable.
fn access(statement: &Statement) -> String {
    match *statement {
        Statement::Read(place, register) if place.part == Part::Two => {
            format!("{{ two both = {0}; r{register} = (word)both + (word)(both >> 64); }}", variable(place))
        }
        Statement::Write(place, new) if place.part == Part::Two => {
            format!("{0} = (two)({1}) << 64 | ({1});", variable(place), value(new))
        }
        Statement::Read(place, register) => format!("r{register} = {};", variable(place)),
        Statement::Write(place, new) => format!("{} = {};", variable(place), value(new)),
        Statement::Load(place, register) => {
            format!("r{register} = __atomic_load_n(&{}, {});", variable(place), place.order as u8)
        }
        Statement::Store(place, new) => {
            format!("__atomic_store_n(&{}, {}, {});", variable(place), value(new), place.order as u8)
        }
        Statement::FetchAdd(place, add, register) => {
            format!("r{register} = __atomic_fetch_add(&{}, {add}, {});", variable(place), place.order as u8)
        }
        Statement::CompareExchange(place, expected, new, register) => format!(
            "{{ word old = {}; r{register} = __atomic_compare_exchange_n(&{}, &old, {}, 0, {}, 0); }}",
            value(expected),
            variable(place),
            value(new),
            place.order as u8
        ),
        Statement::Await(place, wanted, register) => {
            format!(
                "while ((r{register} = __atomic_load_n(&{}, {})) != {wanted}ull) {{ }}",
                variable(place),
                place.order as u8
            )
        }
        _ => unreachable!("no access"),
    }
}

/// A call on a synchronisation object.
fn call(statement: &Statement) -> String {
    match *statement {
        Statement::Lock(place) => format!("pthread_mutex_lock(&{});", mutex(place)),
        Statement::TryLock(place, register) => format!("r{register} = !pthread_mutex_trylock(&{});", mutex(place)),
        Statement::Unlock(place) => format!("pthread_mutex_unlock(&{});", mutex(place)),
        Statement::Wait(c, m) | Statement::CancellableWait(c, m, false) => {
            format!("pthread_cond_wait(&{}, &{});", condition(c), mutex(m))
        }
        Statement::TimedWait(c, m, register) => {
            format!("r{register} = pthread_cond_timedwait(&{}, &{}, &far) == ETIMEDOUT;", condition(c), mutex(m))
        }
        Statement::CancellableWait(c, m, true) => {
            format!("pthread_cond_timedwait(&{}, &{}, &far);", condition(c), mutex(m))
        }
        Statement::Signal(place) => format!("pthread_cond_signal(&{});", condition(place)),
        Statement::Broadcast(place) => format!("pthread_cond_broadcast(&{});", condition(place)),
        _ => futex_call(*statement),
    }
}

/// A system call for a futex.
fn futex_call(statement: Statement) -> String {
    match statement {
        Statement::FutexWait { place, expected, timed, bits, register } => format!(
            "r{register} = !syscall(SYS_futex, &{}, {}, {expected}u, {}, (void *)0, {}u) \
             ? {}u : errno == EAGAIN ? {}u : {}u;",
            variable(Operand { part: Part::Low, ..place }),
            if bits == 0 { "FUTEX_WAIT_PRIVATE" } else { "FUTEX_WAIT_BITSET_PRIVATE" },
            if timed { "&soon" } else { "(void *)0" },
            bits,
            FutexResult::Woken as u64,
            FutexResult::NotAsExpected as u64,
            FutexResult::Expired as u64,
        ),
        Statement::FutexWake { place, most, bits, register } => format!(
            "r{register} = syscall(SYS_futex, &{}, {}, {}, (void *)0, (void *)0, {bits}u);",
            variable(Operand { part: Part::Low, ..place }),
            if bits == 0 { "FUTEX_WAKE_PRIVATE" } else { "FUTEX_WAKE_BITSET_PRIVATE" },
            most.min(i32::MAX as u32),
        ),
        Statement::FutexRequeue { from, to, wakes, moves, expected, register } => format!(
            "r{register} = syscall(SYS_futex, &{}, {}, {}, (void *){moves}ul, &{}, {}u);",
            variable(Operand { part: Part::Low, ..from }),
            if expected.is_some() { "FUTEX_CMP_REQUEUE_PRIVATE" } else { "FUTEX_REQUEUE_PRIVATE" },
            wakes,
            variable(Operand { part: Part::Low, ..to }),
            expected.unwrap_or(0),
        ),
        _ => unreachable!("no call on an object"),
    }
}

/// A call on a semaphore, a read-write lock or a barrier.
fn call_on_shared(statement: &Statement) -> String {
    let semaphore = |place| element("semaphores", place);
    let rwlock = |place| element("rwlocks", place);
    let barrier = |place| element("barriers", place);
    let short = |side| if side == Side::Reader { "rd" } else { "wr" };
    match *statement {
        Statement::SemaphoreInit(place, count) => format!("sem_init(&{}, 0, {count});", semaphore(place)),
        Statement::SemaphoreWait(place) | Statement::CancellableSemaphoreWait(place) => {
            format!("sem_wait(&{});", semaphore(place))
        }
        Statement::SemaphoreTryWait(place, register) => format!("r{register} = !sem_trywait(&{});", semaphore(place)),
        Statement::SemaphorePost(place) => format!("sem_post(&{});", semaphore(place)),
        Statement::SemaphoreCount(place, register) => {
            format!("{{ int count; sem_getvalue(&{}, &count); r{register} = count > 0; }}", semaphore(place))
        }
        Statement::RwlockLock(place, side) => format!("pthread_rwlock_{}lock(&{});", short(side), rwlock(place)),
        Statement::RwlockTryLock(place, side, register) => {
            format!("r{register} = !pthread_rwlock_try{}lock(&{});", short(side), rwlock(place))
        }
        Statement::RwlockUnlock(place) => format!("pthread_rwlock_unlock(&{});", rwlock(place)),
        Statement::BarrierInit(place, count) => format!("pthread_barrier_init(&{}, 0, {count});", barrier(place)),
        Statement::BarrierArrive(place, register) => {
            format!("r{register} = pthread_barrier_wait(&{}) != 0;", barrier(place))
        }
        Statement::WriterFirst(place, WriterFirstStep::Lock(side)) => {
            format!("pthread_rwlock_{}lock(&{});", short(side), element("writers_first", place))
        }
        Statement::WriterFirstTryLock(place, side, register) => {
            format!("r{register} = !pthread_rwlock_try{}lock(&{});", short(side), element("writers_first", place))
        }
        Statement::WriterFirst(place, WriterFirstStep::Unlock(_)) => {
            format!("pthread_rwlock_unlock(&{});", element("writers_first", place))
        }
        _ => unreachable!("belongs to the call that arrives, or that locks"),
    }
}

/// A call on a pipe. A value is the first bytes of a piece, which is written and read as a whole.
fn call_on_pipe(statement: &Statement) -> String {
    let pipe = |place| element("pipes", place);
    match *statement {
        Statement::PipeInit(place, made) => format!(
            "open_pipe({}.ends, {}, {}, {});",
            pipe(place),
            u32::from(made & CAPACITY) * PIECE,
            u8::from(made & READS_TRY != 0),
            u8::from(made & WRITES_TRY != 0),
        ),
        Statement::PipeWrite(place, new) => format!("put({}.ends[1], {});", pipe(place), value(new)),
        Statement::PipeTryWrite(place, new, register) => {
            format!("r{register} = put({}.ends[1], {});", pipe(place), value(new))
        }
        Statement::PipeRead(place, register) | Statement::PipeTryRead(place, register) => {
            format!("r{register} = take({}.ends[0]);", pipe(place))
        }
        Statement::PipePoll(waits, register) => {
            let limit = if waits { -1 } else { 0 };
            format!("r{register} = look(pipes[0].ends[0], pipes[1].ends[0], {limit});")
        }
        _ => unreachable!("no pipe"),
    }
}

fn element(array: &str, place: Operand) -> String {
    match place.index {
        None => format!("{array}[{}]", place.base),
        Some(register) => format!("{array}[{} + r{register}]", place.base),
    }
}

fn variable(place: Operand) -> String {
    let whole = element("variables", place);
    match place.part {
        Part::Whole => whole,
        Part::Low => format!("((half *)&{whole})[0]"),
        Part::High => format!("((half *)&{whole})[1]"),
        Part::Two => format!("*(two *)&{whole}"),
    }
}

fn mutex(place: Operand) -> String {
    match place.base.checked_sub(RECURSIVE) {
        None => element("mutexes", place),
        Some(base) => element("recursive_mutexes", Operand { base, ..place }),
    }
}

fn condition(place: Operand) -> String {
    element("conditions", place)
}

fn value(value: Expression) -> String {
    match value {
        Expression::Constant(number) => format!("{number}ull"),
        Expression::Register(register, plus) => format!("r{register} + {plus}ull"),
        Expression::Modulo(register, plus, modulo) => format!("(r{register} + {plus}ull) % {modulo}ull"),
    }
}

fn test(test: Test) -> String {
    format!("r{} == {}ull", test.register, test.equals)
}
