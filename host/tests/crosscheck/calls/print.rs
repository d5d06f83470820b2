//! Programs as C.

use super::program::{Patience, Program, SIGNALS, Statement, Target, Topic};
use super::sync::Sync;
use super::{conditions, handlers, sync, timers};

/// What all files begin with.
const HEAD: &str = include_str!("head.c");

/// The numbers of [`SIGNALS`].
const NUMBERS: [u32; 4] = [10, 12, 14, 35];

/// A file of programs of one topic, of which the first argument chooses one.
pub(crate) fn file(topic: Topic, programs: &[Program]) -> String {
    let mut text = HEAD.to_owned() + &sets("sets", |set| set) + &sets("others", |set| 15 & !set);
    let mut cases = String::new();
    for (number, program) in programs.iter().enumerate() {
        text += &source(program, number);
        cases += &format!("    case {number}: run{number}(); break;\n");
    }
    let setup = match topic {
        Topic::Descriptors | Topic::Fifos => "    signal(SIGPIPE, SIG_IGN);\n",
        _ => "",
    };
    format!(
        "{text}\nint main(int argc, char **argv) {{\n    pthread_sigmask(SIG_BLOCK, &sets[15], 0);\n    \
         threads[0] = pthread_self();\n{setup}    switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{cases}    }}\n    return 0;\n}}\n"
    )
}

/// Sets of signals, by the bits that stand for their elements.
fn sets(name: &str, of: fn(usize) -> usize) -> String {
    let bits =
        |set: usize| (0..NUMBERS.len()).filter(move |bit| set >> bit & 1 != 0).map(|bit| 1u64 << (NUMBERS[bit] - 1));
    let all: Vec<String> =
        (0..1 << NUMBERS.len()).map(|set| format!("{{{{{:#x}}}}}", bits(of(set)).sum::<u64>())).collect();
    format!("static const sigset_t {name}[16] = {{{}}};\n", all.join(", "))
}

/// One program.
pub(crate) fn source(program: &Program, number: usize) -> String {
    let mut text = objects(program, number);
    for (thread, body) in program.threads.iter().enumerate().skip(1) {
        text += &format!("\nstatic void *program{number}_body{thread}(void *unused) {{\n    self = {thread};\n");
        text += &if program.topic == Topic::Cancellation {
            let inside = statements(program.topic, number, thread, body);
            format!("    pthread_cleanup_push(cleaned, 0);\n{inside}    pthread_cleanup_pop(0);\n")
        } else {
            statements(program.topic, number, thread, body)
        };
        text += "    return unused;\n}\n";
    }
    text += &format!("\nstatic void run{number}(void) {{\n    void *result;\n    prepare{number}();\n");
    for thread in 1..program.threads.len() {
        text += &format!("    pthread_create(&threads[{thread}], 0, program{number}_body{thread}, 0);\n");
    }
    text += &statements(program.topic, number, 0, &program.threads[0]);
    for thread in (1..program.threads.len()).rev() {
        text += &join(program.topic, thread, "0");
    }
    text + "}\n"
}

/// Joins a thread, if nobody has joined it and it is not detached.
fn join(topic: Topic, thread: usize, by: &str) -> String {
    let condition = if by == "0" { format!("if (!over[{thread}]) ") } else { String::new() };
    let note = match topic {
        Topic::Cancellation => format!("        note({by}, result == PTHREAD_CANCELED ? 2 : 1);\n"),
        _ => String::new(),
    };
    format!("    {condition}{{\n        pthread_join(threads[{thread}], &result);\n{note}    }}\n")
}

/// What main makes before it creates threads: objects that the program uses.
fn objects(program: &Program, number: usize) -> String {
    let nonblocking = |flag: &'static str| if program.nonblocking { flag } else { "0" };
    let mut made = String::new();
    if program.topic == Topic::Handlers {
        made += &handlers::setup(program);
    }
    made += &sync::objects(program);
    let posts = program.topic == Topic::Handlers && program.handling.posts;
    let uses_units = |s: &Statement| {
        matches!(s, Statement::Acquire | Statement::AcquireSoon | Statement::Post)
            || matches!(s, Statement::Sync(Sync::TryAcquire | Sync::Units))
    };
    if posts || program.has(uses_units) || timers::uses_threads(program) {
        made += &format!("    sem_init(&semaphore, 0, {});\n", program.units);
    }
    made += &descriptors_of_signals(program, number, nonblocking("SFD_NONBLOCK"));
    made += &timers::objects(program, number, nonblocking("TFD_NONBLOCK"));
    if program.topic == Topic::Descriptors {
        let (count, flag) = (program.count, nonblocking("EFD_NONBLOCK"));
        let units = if program.one_by_one { "EFD_SEMAPHORE" } else { "0" };
        made += &format!("    counter{number} = eventfd({count}, {units} | {flag});\n");
    }
    if program.topic == Topic::Descriptors
        || program.has(|s| matches!(s, Statement::WritePipe(_) | Statement::ReadPipe))
    {
        made += &format!("    pipe2(ends{number}, {});\n", nonblocking("O_NONBLOCK"));
    }
    if program.topic == Topic::Fifos {
        made += "    mkfifo(\"/tmp/inspect-fifo\", 0600);\n";
    }
    format!(
        "\nstatic int signals{number}[2], clock{number}, counter{number}, ends{number}[2];\nstatic timer_t \
         timers{number}[3];\nstatic void prepare{number}(void) {{\n{made}}}\n"
    )
}

fn descriptors_of_signals(program: &Program, number: usize, flag: &str) -> String {
    let mut made = String::new();
    if program.has(|s| matches!(s, Statement::ReadSignal(_) | Statement::PollSignals(_) | Statement::WatchSignals(_))) {
        for (which, set) in program.sets.iter().enumerate() {
            made += &format!("    signals{number}[{which}] = signalfd(-1, &sets[{set}], {flag});\n");
        }
    }
    if program.has(|s| matches!(s, Statement::WatchSignals(_))) {
        made += "    instance = epoll_create1(0);\n";
        for which in 0..2 {
            made += &format!(
                "    epoll_ctl(instance, EPOLL_CTL_ADD, signals{number}[{which}], &(struct epoll_event){{.events = \
                 EPOLLIN, .data.u32 = {}}});\n",
                which + 1
            );
        }
    }
    made
}

fn statements(topic: Topic, number: usize, thread: usize, body: &[Statement]) -> String {
    let text = |statement: &Statement| {
        match statement {
            Statement::Sleep if topic == Topic::Handlers => {
                return format!("    got = usleep(1000);\n    note({thread}, done(got));\n");
            }
            Statement::Condition(call) => return conditions::source(*call),
            Statement::Sync(call) => return sync::source(*call),
            Statement::Join => return format!("    void *result;\n{}    over[1] = 1;\n", join(topic, 1, "self")),
            _ => {}
        }
        let (call, code) = call(*statement, number);
        match code {
            None => format!("    {call};\n"),
            Some(code) if call.is_empty() => format!("    note({thread}, {code});\n"),
            Some(code) => format!("    {call};\n    note({thread}, {code});\n"),
        }
    };
    body.iter().map(text).collect()
}

/// A call, and what is noted of it.
fn call(statement: Statement, number: usize) -> (String, Option<String>) {
    match statement {
        Statement::Add(variable) => {
            (format!("__atomic_fetch_add(&variables[{}], 1, __ATOMIC_SEQ_CST)", variable + 3), None)
        }
        Statement::Load(variable) => {
            (String::new(), Some(format!("1 + __atomic_load_n(&variables[{}], __ATOMIC_SEQ_CST)", variable + 3)))
        }
        Statement::Post => ("sem_post(&semaphore)".into(), None),
        Statement::Acquire => ("got = sem_wait(&semaphore)".into(), Some("done(got)".into())),
        Statement::AcquireSoon => ("got = sem_timedwait(&semaphore, &far)".into(), Some("done(got)".into())),
        Statement::Cancel(thread) => (format!("pthread_cancel(threads[{thread}])"), None),
        Statement::TestCancel => ("pthread_testcancel()".into(), None),
        Statement::Sleep => ("usleep(1000)".into(), None),
        Statement::Cancellable(on) => {
            (format!("pthread_setcancelstate(PTHREAD_CANCEL_{}, 0)", if on { "ENABLE" } else { "DISABLE" }), None)
        }
        Statement::Asynchronous(on) => {
            let name = if on { "ASYNCHRONOUS" } else { "DEFERRED" };
            (format!("pthread_setcanceltype(PTHREAD_CANCEL_{name}, 0)"), None)
        }
        Statement::Send(..)
        | Statement::Wait(..)
        | Statement::ReadSignal(_)
        | Statement::PollSignals(_)
        | Statement::WatchSignals(_)
        | Statement::Pending
        | Statement::Block(_)
        | Statement::Unblock(_)
        | Statement::Suspend(_) => signal_call(statement, number),
        _ => timers::call(statement, number).unwrap_or_else(|| descriptor_call(statement, number)),
    }
}

fn signal_call(statement: Statement, number: usize) -> (String, Option<String>) {
    let valued = "coded(got) + (got > 0 && has_value(information.si_code) ? 8 * information.si_value.sival_int : 0)";
    match statement {
        Statement::Send(target, signal, value) => (send(target, SIGNALS[signal as usize], value), None),
        Statement::Wait(Patience::Forever, set) => {
            (format!("sigwait(&sets[{set}], &got)"), Some("coded(got)".into()))
        }
        Statement::Wait(Patience::Informed, set) => {
            (format!("got = sigwaitinfo(&sets[{set}], &information)"), Some(valued.into()))
        }
        Statement::Wait(Patience::None, set) => {
            (format!("got = sigtimedwait(&sets[{set}], &information, &none)"), Some(valued.into()))
        }
        Statement::PollSignals(waits) => (
            format!(
                "polled[0] = (struct pollfd){{.fd = signals{number}[0], .events = POLLIN}}; polled[1] = (struct \
                 pollfd){{.fd = signals{number}[1], .events = POLLIN}}; poll(polled, 2, {})",
                if waits { "-1" } else { "0" }
            ),
            Some("1 + bit(polled[0], POLLIN, 1) + bit(polled[1], POLLIN, 2)".into()),
        ),
        Statement::WatchSignals(waits) => (
            format!("got = epoll_wait(instance, events, 2, {})", if waits { "-1" } else { "0" }),
            Some("1 + (got > 0 ? events[0].data.u32 : 0) + (got > 1 ? events[1].data.u32 : 0)".into()),
        ),
        Statement::ReadSignal(which) => (
            format!("got = read(signals{number}[{which}], &taken, sizeof taken)"),
            Some(
                "got < 0 ? failed() : coded((int)taken.ssi_signo) + (has_value(taken.ssi_code) ? 8 * taken.ssi_int : 0)"
                    .into(),
            ),
        ),
        Statement::Pending => (String::new(), Some("pending()".into())),
        Statement::Block(set) => (format!("pthread_sigmask(SIG_BLOCK, &sets[{set}], 0)"), None),
        Statement::Unblock(set) => (format!("pthread_sigmask(SIG_UNBLOCK, &sets[{set}], 0)"), None),
        Statement::Suspend(set) => (format!("sigsuspend(&others[{set}])"), None),
        other => unreachable!("{other:?}"),
    }
}

fn send(target: Target, signal: &str, value: Option<u8>) -> String {
    match (target, value) {
        (Target::Thread(thread), None) => format!("pthread_kill(threads[{thread}], {signal})"),
        (Target::Thread(thread), Some(value)) => {
            format!("pthread_sigqueue(threads[{thread}], {signal}, queued({value}))")
        }
        (Target::Process, None) => format!("kill(getpid(), {signal})"),
        (Target::Process, Some(value)) => format!("sigqueue(getpid(), {signal}, queued({value}))"),
    }
}

fn write(value: u8, end: &str) -> (String, Option<String>) {
    (format!("byte = {value}; got = write({end}, &byte, 1)"), Some("done(got)".into()))
}

fn read(end: &str) -> (String, Option<String>) {
    (format!("got = read({end}, &byte, 1)"), Some("got < 0 ? failed() : got == 0 ? 30 : 1 + byte".into()))
}

fn fifo_call(statement: Statement) -> (String, Option<String>) {
    match statement {
        Statement::OpenFifo(writes, try_only) => {
            let way = if writes { "O_WRONLY" } else { "O_RDONLY" };
            let flag = if try_only { " | O_NONBLOCK" } else { "" };
            (format!("own = open(\"/tmp/inspect-fifo\", {way}{flag})"), Some("done(own)".into()))
        }
        Statement::WriteFifo(value) => write(value, "own"),
        Statement::ReadFifo => read("own"),
        Statement::CloseFifo => ("close(own)".into(), None),
        other => unreachable!("{other:?}"),
    }
}

fn descriptor_call(statement: Statement, number: usize) -> (String, Option<String>) {
    match statement {
        Statement::WriteCounter(value) => (
            format!("amount = {value}; got = write(counter{number}, &amount, sizeof amount)"),
            Some("done(got)".into()),
        ),
        Statement::ReadCounter => (
            format!("got = read(counter{number}, &amount, sizeof amount)"),
            Some("got < 0 ? failed() : 1 + amount".into()),
        ),
        Statement::WritePipe(value) => write(value, &format!("ends{number}[1]")),
        Statement::ReadPipe => read(&format!("ends{number}[0]")),
        Statement::ClosePipe(writes) => {
            (format!("got = close(ends{number}[{}])", u8::from(writes)), Some("done(got)".into()))
        }
        Statement::Poll => (
            format!(
                "polled[0] = (struct pollfd){{.fd = counter{number}, .events = POLLIN}}; polled[1] = (struct \
                 pollfd){{.fd = ends{number}[0], .events = POLLIN}}; poll(polled, 2, 0)"
            ),
            Some(
                "1 + bit(polled[0], POLLIN, 1) + bit(polled[1], POLLIN, 2) + bit(polled[1], POLLHUP, 4) + \
                 bit(polled[1], POLLNVAL, 8)"
                    .into(),
            ),
        ),
        other => fifo_call(other),
    }
}
