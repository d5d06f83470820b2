//! Which synchronisation objects count as used for nothing but calls.

mod common;

use common::Project;
use std::process::Command;

/// How many bytes of objects a program announces whose two threads run `body`.
fn announced(globals: &str, body: &str) -> u64 {
    let source = format!(
        "#include <pthread.h>\n#include <string.h>\n{globals}\n\
         static void *run(void *p) {{ {body} return p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); run(0); pthread_join(t, 0); return 0; }}\n"
    );
    let project = Project::new(&[("t.c", &source)]);
    project.cc("-O1 -pthread t.c -o t");
    let output = Command::new(project.path("t")).env("INSPECT_STUB_OBJECTS", "1").output().expect("the program runs");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(0)
}

/// Bytes of a mutex and of a condition variable.
const MUTEX: u64 = 40;
const COND: u64 = 48;

#[test]
fn objects_that_are_only_passed_to_calls_are_announced() {
    let mutex = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    assert_eq!(announced(mutex, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"), MUTEX);
    assert_eq!(announced("pthread_mutex_t m;", "pthread_mutex_trylock(&m); pthread_mutex_unlock(&m);"), MUTEX);
    let several = "static pthread_mutex_t m[3]; static int at;";
    assert_eq!(announced(several, "pthread_mutex_lock(&m[at]); pthread_mutex_unlock(&m[at]);"), 3 * MUTEX);
    let both = "static pthread_mutex_t m; static pthread_cond_t c;";
    let body =
        "pthread_mutex_lock(&m); if (p) pthread_cond_wait(&c, &m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);";
    // Each begins at a multiple of 16, in either order.
    assert!([MUTEX + 8 + COND, COND + MUTEX].contains(&announced(both, body)));
}

#[test]
fn objects_that_are_used_otherwise_are_not_announced() {
    let lock = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
    for (globals, more) in [
        ("static pthread_mutex_t m, n;", "n = m;"),
        ("static pthread_mutex_t m;", "memset(&m, 0, sizeof m);"),
        ("static pthread_mutex_t m; static volatile char c;", "c = ((volatile char *)&m)[7];"),
        ("static pthread_mutex_t m; static pthread_mutex_t *volatile at;", "at = &m;"),
        ("static pthread_mutex_t m;", "__asm__ volatile(\"\" : : \"r\"(&m) : \"memory\");"),
        ("__asm__(\".globl m_again\\nm_again = m\"); __attribute__((used)) static pthread_mutex_t m;", ""),
        (
            "static pthread_mutex_t m; extern pthread_mutex_t again __attribute__((alias(\"m\")));",
            "pthread_mutex_trylock(&again); pthread_mutex_unlock(&again);",
        ),
        ("static pthread_mutex_t m; extern char end[]; char *last(void) { return end; }", "last();"),
        ("static pthread_mutex_t m __attribute__((section(\"mine\")));", ""),
        ("static _Thread_local pthread_mutex_t m;", ""),
        ("static struct { pthread_mutex_t m; volatile int n; } s;\n#define m s.m\n", "s.n = 1;"),
        (
            "static int pthread_mutex_consistent_(pthread_mutex_t *);\nstatic pthread_mutex_t m;\n\
          __attribute__((noinline)) static int pthread_mutex_consistent_(pthread_mutex_t *o) { return *(volatile int *)o; }",
            "pthread_mutex_consistent_(&m);",
        ),
    ] {
        assert_eq!(announced(globals, &format!("{lock} {more}")), 0, "{globals} {more}");
    }
}
