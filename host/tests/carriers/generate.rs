//! Programs in which one thread hands another a pointer, in a way that the seed chooses.
//!
//! The second thread rebuilds the pointer and writes where it leads, as the first one does. Without the lock that is a
//! data race, with it there is none: what the program is started with decides.

use crate::ways::{CARRIERS, DETOURS, FROM_POINTER, TO_POINTER};
use inspect_core::model::Random;

/// What all programs of a file begin with.
const HEAD: &str = "#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
typedef uint64_t pair2 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef char bytes16 __attribute__((vector_size(16)));
static char anchor;
static int locked;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { if (locked) pthread_mutex_lock(&mutex); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&mutex); }
";

/// The pointer's object: declarations before the function, and the statement that makes `h` point to it.
const OBJECTS: &[(&str, &str)] = &[
    ("", "int *h = malloc(sizeof *h);"),
    ("", "int *h = calloc(3, sizeof *h) + 1;"),
    (
        "struct @box { long n; int value; };",
        "struct @box *box = malloc(sizeof *box); box->n = 0; int *h = &box->value;",
    ),
    ("static int @object;", "int *h = &@object;"),
    ("static struct { char c; int value[2]; } @object;", "int *h = &@object.value[1];"),
    ("", "int object = 0; int *h = &object;"),
];

/// How the second thread comes to its write: declarations, which end with a function `@reach` of the pointer.
const REACHES: &[&str] = &[
    "static void @reach(int *q) { @touch(q); }",
    "static void (*@call)(int *) = @touch; static void @reach(int *q) { @call(q); }",
    "static uint64_t @call; __attribute__((constructor)) static void @ready(void) { @call = ~(uint64_t)@touch; } static void @reach(int *q) { ((void (*)(int *))~@call)(q); }",
    "static void (*@choose(void))(int *) { return @touch; } static void @reach(int *) __attribute__((ifunc(\"@choose\")));",
    "__attribute__((target_clones(\"avx2\", \"default\"))) void @reach(int *q) { lock(); *q = 1; unlock(); }",
    "static void @reach(int *) __attribute__((alias(\"@touch\")));",
    "__attribute__((weak, visibility(\"hidden\"))) void @reach(int *q) { @touch(q); }",
    "static int @step(const void *a, const void *b) { @touch(*(int *const *)a); return b == a; } static void @reach(int *q) { int *both[2] = {q, q}; qsort(both, 2, sizeof *both, @step); }",
    "static void @clean(void *q) { @touch(q); } static void @reach(int *q) { pthread_cleanup_push(@clean, q); pthread_cleanup_pop(1); }",
    "static pthread_key_t @key; static void @last(void *q) { @touch(q); } static void @reach(int *q) { pthread_key_create(&@key, @last); pthread_setspecific(@key, q); }",
    "static _Thread_local int *@mine; static void @caught(int n) { if (n) @touch(@mine); } static void @reach(int *q) { @mine = q; signal(SIGUSR1, @caught); raise(SIGUSR1); }",
    "static void @reach(int *q) { jmp_buf b; if (setjmp(b)) { @touch(q); return; } longjmp(b, 1); }",
    "static void @reach(int *q) { void *labels[] = {&&@end, &&@here}; goto *labels[q != 0]; @here: @touch(q); @end:; }",
    "static void @reach(int *q) { asm volatile(\"lock; incl %0\" : \"+m\"(*(int *)&(int){0})); @touch(q); }",
    "static void @nest(int n, ...) { va_list l; va_start(l, n); int *q = va_arg(l, int *); va_end(l); @touch(q); } static void @reach(int *q) { @nest(1, q); }",
];

/// A file of programs.
pub(crate) fn file(seeds: &[u64]) -> String {
    let mut text = HEAD.to_owned();
    let mut cases = String::new();
    for (number, seed) in seeds.iter().enumerate() {
        text += &program(*seed, number);
        cases += &format!("  case {number}: return run{number}();\n");
    }
    text + "int main(int argc, char **argv) {\n  locked = argc > 2;\n  switch (atoi(argv[1])) {\n"
        + &cases
        + "  }\n  return 9;\n}\n"
}

/// One program.
pub(crate) fn program(seed: u64, number: usize) -> String {
    let mut random = Random(seed);
    let carrier = choose(&mut random, CARRIERS);
    let global = random.below(2) == 0;
    let mut outside = format!("struct slot@ {{ {} }};\n", carrier.members);
    if global {
        outside += "static struct slot@ slot@;\n";
    }
    let mut mark = 0;
    let [put, get] = [(); 2].map(|()| detours(&mut random, &mut mark, &mut outside));
    let (from, to) = (choose(&mut random, FROM_POINTER), choose(&mut random, TO_POINTER));
    let (object, made) = choose(&mut random, OBJECTS);
    let reach = choose(&mut random, REACHES);
    let access = choose(&mut random, &["*h = 7;", "*h += 7;"]);
    let slots = ["struct slot@ *s = malloc(sizeof *s);", "struct slot@ inner, *s = &inner;"];
    let slot = if global { "" } else { choose(&mut random, &slots) };
    let (put_at, get_at, own, given) = match global {
        true => ("", "", "(void)argument;", "0"),
        false => ("s, ", "s", "struct slot@ *s = argument;", "s"),
    };
    let parameter = if global { ["", "void"] } else { ["struct slot@ *s, ", "struct slot@ *s"] };
    let text = format!(
        "\n/* seed {seed} */\n{outside}{object}
static void put@({}int *p) {{\n  uint64_t w;\n  {from}\n{put}  {}\n}}
static int *get@({}) {{\n  uint64_t w;\n  {}\n{get}  int *p;\n  {to}\n  return p;\n}}
static void @touch(int *q) {{ lock(); *q = 1; unlock(); }}\n{reach}
static void *other@(void *argument) {{ {own} @reach(get@({get_at})); return 0; }}
static int run@(void) {{\n  {made}\n  *h = 0;\n  {slot}\n  put@({put_at}h);
  pthread_t t;\n  pthread_create(&t, 0, other@, {given});
  lock();\n  {access}\n  unlock();\n  pthread_join(t, 0);\n  return 0;\n}}\n",
        parameter[0], carrier.put, parameter[1], carrier.get,
    );
    number_names(&text.replace("S.", if global { "slot@." } else { "s->" }), number)
}

/// Up to two detours of the number; what they declare goes to `outside`.
fn detours(random: &mut Random, mark: &mut u32, outside: &mut String) -> String {
    let mut inside = String::new();
    for _ in 0..random.below(3) {
        let detour = choose(random, DETOURS);
        let name = format!("_{mark}");
        *outside += &format!("{}\n", detour.outside.replace('$', &name));
        inside += &format!("  {}\n", detour.inside.replace('$', &name));
        *mark += 1;
    }
    inside
}

/// Replaces `@`: before a name it makes the name one of the program, after it as well.
fn number_names(text: &str, number: usize) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        result += before;
        let begins_name = after.starts_with(|c: char| c.is_ascii_alphabetic());
        result += &if begins_name { format!("p{number}_") } else { number.to_string() };
        rest = after;
    }
    result + rest
}

fn choose<'a, T>(random: &mut Random, all: &'a [T]) -> &'a T {
    &all[random.below(all.len() as u64) as usize]
}
