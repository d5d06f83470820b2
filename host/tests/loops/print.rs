//! Programs as C.

use crate::program::{Condition, Counter, Form, Operand, Program, REGISTERS, Statement};
use std::fmt::Write;

/// What all programs of a file begin with.
const HEAD: &str = "#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
";

/// The largest result of a program.
const MAX_RESULT: u8 = 64;

/// A file of programs, of which the first argument chooses one.
pub(crate) fn file(programs: &[Program]) -> String {
    let mut text = HEAD.to_owned();
    let mut cases = String::new();
    for (number, program) in programs.iter().enumerate() {
        text += &source(program, number);
        cases += &format!("  case {number}: return run{number}();\n");
    }
    // A finding is known by its place: each result ends the program in a line of its own.
    let ends: String = (0..=MAX_RESULT).map(|result| format!("  case {result}: exit({result});\n")).collect();
    text + "static int run(int number) {\n  switch (number) {\n"
        + &cases
        + "  }\n  return 0;\n}\n"
        + "int main(int argc, char **argv) {\n  (void)argc;\n  switch (run(atoi(argv[1]))) {\n"
        + &ends
        + "  }\n  return 0;\n}\n"
}

/// One program.
pub(crate) fn source(program: &Program, number: usize) -> String {
    let mut text = String::new();
    let printer = Printer { number, thread: 0, unwritten: program.unwritten, text: &mut text };
    printer.all(program);
    text
}

struct Printer<'a> {
    number: usize,
    /// The thread that is being printed.
    thread: usize,
    unwritten: bool,
    text: &'a mut String,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let text = match self.unwritten {
            true => text.replace("@shared.", "@v_").replace("@through->", "@v_"),
            false => text.to_owned(),
        };
        // Names that begin with an at sign are the program's own.
        let own = format!("p{}_", self.number);
        writeln!(self.text, "{}", text.replace('@', &own)).expect("a string");
    }

    fn all(mut self, program: &Program) {
        let mut threads = String::new();
        for (thread, statements) in program.threads.iter().enumerate() {
            let mut printer = Printer { thread, text: &mut threads, ..self };
            printer.thread(statements);
        }
        if program.unwritten {
            // As variables of their own: a field that nobody writes counts as written if another one of its structure
            // is.
            self.line("\nstatic atomic_int @v_a, @v_b, @v_c, @v_d;");
        } else {
            self.line("\nstatic struct { atomic_int a, b, c, d; } @shared, *@through = &@shared;");
        }
        self.line("static atomic_int @atomic, @beat; static unsigned @rounds[4]; static int @guarded[2], @result[4];");
        self.line("static pthread_mutex_t @mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};");
        for name in ["a", "b", "c", "d"] {
            self.functions(name, &threads);
        }
        // Never called: what nobody writes needs no hooks, and loops that wait for it would be left to the watchdog.
        let touched = "@storea(1); @storeb(1); @storec(1); @stored(1); @guarded[0] = @guarded[1] = 1;";
        self.line(&format!("static void @touch(void) {{ {} }}", if program.unwritten { "" } else { touched }));
        self.text.push_str(&threads);
        self.run(program.threads.len());
    }

    /// The functions that access a variable. Where it matters what is written nowhere, those that write it are there
    /// only if they are used.
    fn functions(&mut self, name: &str, threads: &str) {
        let uses = |function: &str| !self.unwritten || threads.contains(&format!("_{function}{name}("));
        let (stores, puts) = (uses("store"), uses("put"));
        self.line(&format!(
            "__attribute__((noinline)) static int @load{name}(void) {{ return atomic_load(&@shared.{name}); }}"
        ));
        self.line(&format!("static int (*volatile @look{name})(void) = @load{name};"));
        if stores || puts {
            self.line(&format!(
                "__attribute__((noinline)) static void @store{name}(int v) {{ atomic_store(&@shared.{name}, v); }}"
            ));
        }
        if puts {
            self.line(&format!("static void (*volatile @put{name})(int) = @store{name};"));
        }
    }

    fn thread(&mut self, statements: &[Statement]) {
        let thread = self.thread;
        self.line(&format!("static void *@thread{thread}(void *argument) {{"));
        let registers: Vec<String> = (0..REGISTERS).map(|register| format!("r{register} = 0")).collect();
        self.line(&format!("  int {}; unsigned n = 0;", registers.join(", ")));
        self.line("  if (argument) @touch();");
        self.statements(statements, 1);
        let used: Vec<String> = (0..REGISTERS).map(|register| format!("(void)r{register};")).collect();
        self.line(&format!("  {} (void)n;", used.join(" ")));
        self.line(&format!("  @result[{thread}] = r0;\n  return argument;\n}}"));
    }

    fn run(&mut self, threads: usize) {
        self.line(&format!("static int run{}(void) {{\n  pthread_t t[4];", self.number));
        for thread in 1..threads {
            self.line(&format!("  pthread_create(&t[{thread}], 0, @thread{thread}, 0);"));
        }
        self.line("  @thread0(0);");
        for thread in 1..threads {
            self.line(&format!("  pthread_join(t[{thread}], 0);"));
        }
        let third = if threads > 2 { "@result[2]" } else { "@shared.b" };
        self.line(&format!("  return 1 + (@result[1] & 3) + 4 * ({third} & 3) + 16 * (@shared.a & 3);\n}}"));
    }

    fn statements(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn block(&mut self, before: &str, inside: &[Statement], after: &str, depth: usize) {
        let space = "  ".repeat(depth);
        self.line(&format!("{space}{before}"));
        self.statements(inside, depth + 1);
        self.line(&format!("{space}{after}"));
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let (before, inside, after) = match statement {
            Statement::If(condition, inside) => (format!("if ({}) {{", condition_text(*condition)), inside, "}".into()),
            Statement::Loop(body) => ("for (;;) {".into(), body, "}".into()),
            Statement::Rounds(rounds, body) => (format!("for (int i = 0; i < {rounds}; i++) {{"), body, "}".into()),
            Statement::Locked(mutex, inside) => {
                let call = |function: &str| format!("{function}(&@mutex[{mutex}]);");
                (call("pthread_mutex_lock"), inside, call("pthread_mutex_unlock"))
            }
            Statement::Tried(register, mutex, inside) => (
                format!("if (pthread_mutex_trylock(&@mutex[{mutex}]) == 0) {{ r{register} = 1;"),
                inside,
                format!("pthread_mutex_unlock(&@mutex[{mutex}]); }} else r{register} = 0;"),
            ),
            simple => {
                let text = self.simple(simple);
                return self.line(&format!("{}{text}", "  ".repeat(depth)));
            }
        };
        self.block(&before, inside, &after, depth);
    }

    /// A statement without others inside.
    fn simple(&self, statement: &Statement) -> String {
        match statement {
            Statement::Load(register, variable, form) => load_text(*register, name(*variable), *form),
            Statement::Store(variable, operand, form) => store_text(name(*variable), &operand_text(*operand), *form),
            Statement::Add(variable) => format!("atomic_fetch_add(&@shared.{}, 1);", name(*variable)),
            Statement::Exchange(register, variable, value) => {
                format!("r{register} = atomic_exchange(&@shared.{}, {value});", name(*variable))
            }
            Statement::Set(register, value) => format!("r{register} = {value};"),
            Statement::Count(Counter::Global) => format!("@rounds[{}]++;", self.thread),
            Statement::Count(Counter::Local) => "n++;".to_owned(),
            Statement::Count(Counter::Beat) => "atomic_store(&@beat, 1);".to_owned(),
            Statement::Count(Counter::Atomic) => "atomic_fetch_add(&@atomic, 1);".to_owned(),
            Statement::Yield => "sched_yield();".to_owned(),
            Statement::Break(condition) => format!("if ({}) break;", condition_text(*condition)),
            Statement::Look(register, mutex) => format!("r{register} = @guarded[{mutex}];"),
            Statement::Change(mutex, operand) => format!("@guarded[{mutex}] = {};", operand_text(*operand)),
            _ => unreachable!("others are inside"),
        }
    }
}

fn load_text(register: usize, name: &str, form: Form) -> String {
    let value = match form {
        Form::Direct => format!("atomic_load(&@shared.{name})"),
        Form::Function => format!("@load{name}()"),
        Form::Indirect => format!("@look{name}()"),
        Form::Pointer => format!("atomic_load(&@through->{name})"),
    };
    format!("r{register} = {value};")
}

fn store_text(name: &str, value: &str, form: Form) -> String {
    match form {
        Form::Direct => format!("atomic_store(&@shared.{name}, {value});"),
        Form::Function => format!("@store{name}({value});"),
        Form::Indirect => format!("@put{name}({value});"),
        Form::Pointer => format!("atomic_store(&@through->{name}, {value});"),
    }
}

fn name(variable: usize) -> &'static str {
    ["a", "b", "c", "d"][variable]
}

fn operand_text(operand: Operand) -> String {
    match operand {
        Operand::Constant(value) => value.to_string(),
        Operand::Register(register) => format!("r{register}"),
    }
}

fn condition_text(condition: Condition) -> String {
    format!("r{} {} {}", condition.register, if condition.equal { "==" } else { "!=" }, condition.value)
}
