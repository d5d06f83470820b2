//! Frame records: programs behave the same with them, and there are none in a program whose build did not ask for them.

mod common;

use common::Project;
use inspect_wire::hooks::{DELTA_SECTION, DELTAS_FLAG, FRAME_SECTION, FRAMES_FLAG};
use std::process::Command;

/// Recursion, variables whose address goes around, variable lengths, lists of arguments, numbers of all kinds, tail
/// calls.
const C: &str = r#"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct large { long words[12]; };
static int depth(struct large l, int n) {
    int own[3] = {n, n + 1, n + 2};
    l.words[n % 12] += own[n % 3];
    return n == 0 ? (int)l.words[1] : depth(l, n - 1) + own[1];
}
static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int all = 0;
    for (int i = 0; i < count; i++)
        all += va_arg(list, int);
    va_end(list);
    return all;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *run(void *p) {
    int n = *(int *)p;
    char text[n + 4];
    snprintf(text, sizeof text, "%d", n);
    long double wide = n;
    __int128 product = (__int128)n * n;
    double half = n;
    for (int i = 0; i < 3; i++) {
        int inner[4] = {i, 3, 1, 2};
        qsort(inner, 4, sizeof *inner, compare);
        half += inner[0] + strlen(text);
        wide *= 2;
    }
    printf("%s %.1f %.1Lf %d %d\n", text, half, wide, (int)product, sum(3, n, n, n));
    return p;
}
int main(void) {
    int n = 7;
    pthread_t t;
    pthread_create(&t, 0, run, &n);
    pthread_join(t, 0);
    struct large l = {{1, 2, 3}};
    printf("%d\n", depth(l, 20));
    return 0;
}
"#;

const CXX: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Guard { int *left; ~Guard() { ++*left; } };
static int fails(int n, int *left) {
    Guard guard{left};
    std::string text(n, 'x');
    if (n > 2)
        throw std::runtime_error(text);
    return fails(n + 1, left);
}
int main() {
    int left = 0;
    std::vector<int> values;
    std::thread thread([&] {
        for (int i = 0; i < 4; i++)
            try {
                values.push_back(fails(i, &left));
            } catch (const std::exception &error) {
                values.push_back((int)std::string(error.what()).size());
            }
    });
    thread.join();
    int sum = 0;
    for (int value : values)
        sum += value;
    std::printf("%d %d\n", sum, left);
}
"#;

/// The flags for each kind of records, and the section that shows them.
const KINDS: [(&str, &str); 2] = [(FRAMES_FLAG, FRAME_SECTION), (DELTAS_FLAG, DELTA_SECTION)];

fn has_records(project: &Project, program: &str, section: &str) -> bool {
    let output = Command::new("readelf").args(["-W", "-S"]).arg(project.path(program)).output().expect("readelf runs");
    String::from_utf8_lossy(&output.stdout).contains(section)
}

#[test]
fn c_programs_do_the_same_with_records() {
    let project = Project::new(&[("t.c", C)]);
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        project.cc(&format!("{level} -pthread t.c -o plain"));
        for (flag, section) in KINDS {
            project.cc(&format!("{level} -pthread {flag} t.c -o framed"));
            assert!(has_records(&project, "framed", section) && !has_records(&project, "plain", section), "{level}");
            assert_eq!(project.run("framed"), project.run("plain"), "{level} {flag}");
            let mut hooks = project.hooks("framed");
            hooks.retain(|hook| !ANNOUNCING.contains(&hook.as_str()));
            assert_eq!(hooks, project.hooks("plain"), "{level} {flag}");
        }
    }
}

#[test]
fn cxx_programs_do_the_same_with_records() {
    let project = Project::new(&[("t.cc", CXX)]);
    for level in ["-O0", "-O2"] {
        for (flag, _) in KINDS {
            project.cxx(&format!("{level} -pthread {flag} t.cc -o framed"));
            // Each of four calls goes on to 3, which is the length of the text.
            assert_eq!(project.run("framed"), ("12 10\n".into(), Some(0)), "{level} {flag}");
        }
    }
}

/// The hooks that announce writes to variables of other functions.
const ANNOUNCING: [&str; 4] = ["delta_through", "delta_called", "delta_returned", "unknown_delta"];

/// How often a run of a program calls each of these hooks.
fn announced(source: &str) -> [usize; 4] {
    let project = Project::new(&[("t.c", source)]);
    project.cc(&format!("-O1 -pthread {DELTAS_FLAG} t.c -o t"));
    let hooks = project.hooks("t");
    ANNOUNCING.map(|name| hooks.iter().filter(|hook| *hook == name).count())
}

/// Another function writes to main's own variable; then main does so itself; then main has no variable.
#[test]
fn an_address_is_announced_where_it_may_be_that_of_a_callers_variable() {
    let write = "__attribute__((noinline)) static void write_it(int *it) { *it = 1; }";
    let own = "int main(void) { int own = 0; write_it(&own); return own - 1; }";
    assert_eq!(announced(&format!("{write} {own}")), [1, 0, 0, 0]);
    assert_eq!(announced("int main(void) { int own = 0; int *it = &own; *it = 1; return own - 1; }"), [0; 4]);
    let all = "int main(void) { static int all; write_it(&all); return all - 1; }";
    assert_eq!(announced(&format!("{write} {all}")), [0; 4]);
}

/// A library writes to main's variable: at an address that it is given, at an address found in main's variable, or not
/// at all.
#[test]
fn what_a_library_writes_is_unknown_where_it_is_not_given_the_address() {
    let program = |what: &str| {
        format!(
            "#include <string.h>\n__attribute__((noinline)) static void call(char *it, char **rest) {{ {what} }}\n\
             int main(void) {{ char own[4] = \"a\", *rest = own; call(own, &rest); return !own[0]; }}"
        )
    };
    assert_eq!(announced(&program("(void)rest; strcpy(it, \"b\");")), [0, 1, 1, 0]);
    assert_eq!(announced(&program("(void)it; strtok_r(NULL, \",\", rest);")), [0, 0, 0, 1]);
    assert_eq!(announced(&program("(void)it, (void)rest;")), [0; 4]);
}

#[test]
fn the_flag_may_stand_in_any_step() {
    let project = Project::new(&[("t.c", C)]);
    project.cc(&format!("-O1 -pthread {FRAMES_FLAG} -c t.c -o t.o"));
    project.cc("-pthread t.o -o plain");
    project.cc(&format!("-pthread {FRAMES_FLAG} t.o -o framed"));
    assert!(has_records(&project, "framed", FRAME_SECTION) && !has_records(&project, "plain", FRAME_SECTION));
    project.cc(&format!("-pthread {FRAMES_FLAG} {DELTAS_FLAG} t.o -o both"));
    assert!(has_records(&project, "both", DELTA_SECTION) && !has_records(&project, "both", FRAME_SECTION));
}
