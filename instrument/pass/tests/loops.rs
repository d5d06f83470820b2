//! Which loops get a hook at their head, and the values that the hook is called with.

mod common;

use common::hooks_of;

const HEAD: &str = "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n\
    static atomic_int flag, lock; static int plain, total; static int values[4]; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

/// The values that the hooks of loop heads are called with in a program whose thread runs `body` when `flag` and
/// `plain` are 1 already.
fn heads(body: &str) -> Vec<String> {
    heads_with("", body)
}

/// The same with functions before it.
fn heads_with(functions: &str, body: &str) -> Vec<String> {
    let lines = hooks_of(&format!(
        "{HEAD}{functions}\nstatic int ready(void) {{ return atomic_load(&flag); }}\n\
         static void *run(void *p) {{ {body} return p; }}\n\
         int main(void) {{ pthread_t t; (void)ready; flag = 1; plain = 1; values[1] = 2; pthread_create(&t, 0, run, 0);\n\
         pthread_join(t, 0); fprintf(stderr, \"%d\", total); return 0; }}\n"
    ));
    lines
        .iter()
        .filter(|line| line.starts_with("loop_head"))
        .map(|line| line.splitn(5, ' ').last().unwrap_or("").to_owned())
        .collect()
}

#[test]
fn waiting_loops_are_hooked_at_entry_and_at_every_visit() {
    for body in [
        "while (!atomic_load(&flag)) ;",
        "while (!plain) ;",
        "while (!ready()) sched_yield();",
        "while (!atomic_load(&flag)) __asm__ volatile(\"pause\");",
        "while (!atomic_load(&flag)) { struct timespec ts = {0, 1}; nanosleep(&ts, 0); }",
        "int e = 0; while (!atomic_compare_exchange_weak(&lock, &e, 1)) { e = 0; usleep(1); }",
        "while (atomic_exchange(&lock, 1)) ;",
        "for (;;) { pthread_mutex_lock(&m); if (plain) break; pthread_mutex_unlock(&m); }",
    ] {
        assert_eq!(heads(body), ["entry", "values"], "{body}");
    }
}

/// Its condition is what nobody writes, so that its accesses are all that others could notice.
#[test]
fn a_loop_that_only_writes_is_hooked() {
    let unwritten = "static int over = 1; static atomic_int beats;";
    for body in ["while (!over) atomic_store(&lock, 1);", "while (!over) atomic_fetch_add(&beats, 1);"] {
        assert_eq!(heads_with(unwritten, body), ["entry", "values"], "{body}");
    }
}

#[test]
fn the_values_are_those_that_an_iteration_hands_to_the_next() {
    // `last` is 0 at first, then the 1 it has seen.
    assert_eq!(
        heads("int last = 0, now = plain; while (now != last) { last = now; now = plain; }"),
        // Two phis, in the order of the code: (last, now) = (0, 1), then (1, 1).
        ["entry", "values 0 1", "values 1 1"]
    );
}

#[test]
fn what_nobody_uses_is_no_value_and_no_reason_against_a_hook() {
    let counted = "static unsigned rounds, of_threads[2]; static int (*volatile look)(void) = ready;";
    for body in [
        "while (!atomic_load(&flag)) rounds++;",
        "while (!atomic_load(&flag)) of_threads[p != 0]++;",
        "unsigned n = 0; while (!atomic_load(&flag)) n++;",
        "while (!look()) ;",
    ] {
        let functions = "static int ready(void);";
        assert_eq!(heads_with(&format!("{functions}{counted}"), body), ["entry", "values"], "{body}");
    }
    // The count is used after the loop.
    assert_eq!(heads("unsigned n = 0; while (!atomic_load(&flag)) n++; total = n;"), [""; 0]);
}

#[test]
fn each_passage_through_a_loop_is_announced() {
    assert_eq!(
        heads("for (int i = 0; i < 2; i++) while (!atomic_load(&flag)) ;"),
        ["entry", "values", "entry", "values"]
    );
}

#[test]
fn loops_that_count_or_do_something_else_have_no_hook() {
    for body in [
        "for (int i = 0; i < 3; i++) total += values[i];",
        "int tries = 0; do { tries++; } while (!atomic_load(&flag) && tries < 4);",
        "while (!atomic_load(&flag)) puts(\"x\");",
        "while (!atomic_load(&flag)) { char c; if (read(0, &c, 1) != 1) break; }",
        "int n[40] = {0}; do { int *at = &n[plain]; (*at)++; } while (n[1] < 2);",
        "struct timespec ts; do { clock_gettime(CLOCK_MONOTONIC, &ts); } while (!atomic_load(&flag));",
    ] {
        assert_eq!(heads(body), [""; 0], "{body}");
    }
}

/// In seven iterations, a ring of three is back where it began twice, and one of four (in steps of three) once.
#[test]
fn a_ring_is_looked_at_when_its_index_is_back() {
    let seven = "total = 0; while (values[i] != 9 && total < 7) { total++;";
    for (start, step, looks) in [
        (0, "(i + 1) % 3", vec!["values 0"; 2]),
        (1, "(i + 1) % 3", vec!["values 1"; 2]),
        (1, "(i + 3) % 4", vec!["values 1"]),
    ] {
        let body = format!("unsigned i = {start}; {seven} i = {step}; }}");
        assert_eq!(heads(&body), [vec!["entry"], looks].concat(), "{body}");
    }
}

#[test]
fn a_remainder_that_may_be_the_value_before_is_no_counter() {
    // Three steps of one in a ring of three, and a step that is not known.
    for body in [
        "unsigned i = 1; while (values[i] == 2) { i = (i + 3) % 3; if (plain == 1) break; }",
        "unsigned i = 1, step = plain; while (values[i] == 2) i = (i + step) % 3;",
    ] {
        assert_eq!(heads(body)[0], "entry", "{body}");
    }
}

#[test]
fn variables_in_memory_that_the_loop_may_change_are_values() {
    // The word of `n` before each iteration; (n[0], n[1]) = (0, 1) is 2^32, shown in hexadecimal.
    assert_eq!(
        heads("int n[2] = {0, 0}; do { int *at = &n[plain]; (*at)++; } while (n[1] < 2);"),
        ["entry", "values 0", "values 100000000"]
    );
    let take = "__attribute__((noinline)) static int take(int *to) { int now = atomic_load(&flag); if (now) *to = now; return now; }";
    assert_eq!(heads_with(take, "int v = 7; while (!take(&v)) ; total = v;"), ["entry", "values 7"]);
    // The callee's own variable is gone when it returns, and so is one declared in the loop before the next iteration.
    let nested = format!("{take} static int other(void) {{ int own = 0; return take(&own); }}");
    assert_eq!(heads_with(&nested, "while (!other()) ;"), ["entry", "values"]);
    // A variable of a recursive function stands for one in each of its active calls.
    let again =
        format!("{take} static int again(int n) {{ int v = n; while (!take(&v)) ; return n ? again(n - 1) : v; }}");
    assert_eq!(heads_with(&again, "total = again(1);"), [""; 0]);
}
