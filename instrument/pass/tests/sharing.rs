//! The analysis must find each shared access, by whatever way the address reaches it, and should not count private ones
//! as shared.

mod common;

use common::{Project, hooks_of};

const HEAD: &str = "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
    struct box { int value; struct box *next; void (*call)(struct box *); };\n";

/// The hooks on four-byte writes of a program: those of `value`, which is the only member of that size.
fn hooks_on_value(code: &str) -> Vec<String> {
    let lines = hooks_of(&format!("{HEAD}{code}"));
    lines
        .iter()
        .filter(|line| {
            line.contains("write") && line.ends_with(" 4") && !line.contains("low") && !line.contains("high")
        })
        .map(|line| line.split(' ').next().unwrap_or("").to_owned())
        .collect()
}

/// Both threads write the box; each way to hand it over must leave both writes hooked as shared.
fn assert_both_shared(code: &str) {
    assert_eq!(hooks_on_value(code), ["write", "write"], "{code}");
}

const MAIN_TAIL: &str =
    "pthread_t t; b->value = 1; pthread_create(&t, 0, run, GIVEN); pthread_join(t, 0); return 0; }\n";

fn main_tail(given: &str) -> String {
    MAIN_TAIL.replace("GIVEN", given)
}

#[test]
fn a_box_given_to_the_thread_is_shared() {
    assert_both_shared(&format!(
        "static void *run(void *p) {{ struct box *b = p; b->value = 2; return 0; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); {}",
        main_tail("b")
    ));
}

#[test]
fn a_box_behind_what_is_given_is_shared() {
    assert_both_shared(&format!(
        "struct pair {{ long n; struct box *held; }};\n\
         static void *run(void *p) {{ struct pair *pair = p; struct box *b = pair->held; b->value = 2; return 0; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); struct pair pair = {{1, b}}, copy; copy = pair; {}",
        main_tail("&copy")
    ));
}

#[test]
fn a_box_in_a_global_is_shared_also_through_functions_and_function_pointers() {
    assert_both_shared(&format!(
        "static struct box *global; static struct box *get(void) {{ return global; }}\n\
         static struct box *(*getter)(void) = get;\n\
         static void set(struct box **at, struct box *b) {{ *at = b; }}\n\
         static void *run(void *p) {{ struct box *b = getter(); b->value = 2; return p; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); set(&global, b); {}",
        main_tail("0")
    ));
}

#[test]
fn a_box_copied_byte_by_byte_is_shared() {
    assert_both_shared(&format!(
        "static char bytes[8];\n\
         static void *run(void *p) {{ struct box *b; memcpy(&b, bytes, 8); b->value = 2; return p; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); const char *from = (const char *)&b;\n\
         for (int i = 0; i < 8; i++) bytes[i] = from[i]; {}",
        main_tail("0")
    ));
}

#[test]
fn a_box_made_a_number_is_shared() {
    assert_both_shared(&format!(
        "static unsigned low, high;\n\
         static void *run(void *p) {{ struct box *b = (struct box *)((uintptr_t)high << 32 | low); b->value = 2; return p; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); low = (unsigned)(uintptr_t)b; high = (unsigned)((uintptr_t)b >> 32); {}",
        main_tail("0")
    ));
}

#[test]
fn a_box_sent_through_a_pipe_is_shared() {
    assert_both_shared(&format!(
        "static int ends[2];\n\
         static void *run(void *p) {{ struct box *b; if (read(ends[0], &b, sizeof b) != sizeof b) abort(); b->value = 2; return p; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b); if (pipe(ends)) abort(); if (write(ends[1], &b, sizeof b) != sizeof b) abort(); {}",
        main_tail("0")
    ));
}

#[test]
fn a_box_in_thread_specific_data_or_returned_by_a_thread_is_shared() {
    assert_both_shared(
        "static void *run(void *p) { struct box *b = malloc(sizeof *b); b->value = 2; return b; }\n\
         int main(void) { pthread_t t; void *r; pthread_create(&t, 0, run, 0); pthread_join(t, &r);\n\
         struct box *b = r; b->value = 1; return 0; }\n",
    );
}

#[test]
fn a_box_in_an_exchanged_pointer_is_shared() {
    assert_both_shared(&format!(
        "static _Atomic(struct box *) slot;\n\
         static void *run(void *p) {{ struct box *b = __c11_atomic_exchange(&slot, 0, __ATOMIC_SEQ_CST); b->value = 2; return p; }}\n\
         int main(void) {{ struct box *b = malloc(sizeof *b), *none = 0;\n\
         __c11_atomic_compare_exchange_strong(&slot, &none, b, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); {}",
        main_tail("0")
    ));
}

#[test]
fn a_box_in_a_wide_atomic_is_shared() {
    let project = Project::new(&[(
        "t.c",
        &format!(
            "{HEAD}struct tagged {{ struct box *held; long tag; }}; static _Atomic struct tagged slot;\n\
             static void *run(void *p) {{ struct tagged now = slot; struct box *b = now.held; b->value = 2; return p; }}\n\
             int main(void) {{ struct box *b = malloc(sizeof *b); struct tagged first = {{b, 1}}; slot = first; {}",
            main_tail("0")
        ),
    )]);
    project.cc("-O1 -pthread t.c -o t -latomic");
    let lines = project.hooks("t");
    let values: Vec<_> = lines.iter().filter(|line| line.contains("value ") && line.starts_with("write ")).collect();
    assert_eq!(values.len(), 2, "{lines:?}");
}

#[test]
fn what_a_sort_function_is_given_stays_known() {
    let lines = hooks_of(&format!(
        "{HEAD}static int calls;\n\
         static int order(const void *a, const void *b) {{ return ((const struct box *)a)->value - ((const struct box *)b)->value; }}\n\
         static void *run(void *p) {{ calls = 1; return p; }}\n\
         int main(void) {{ pthread_t t; struct box boxes[2] = {{{{2, 0, 0}}, {{1, 0, 0}}}}; qsort(boxes, 2, sizeof *boxes, order);\n\
         pthread_create(&t, 0, run, 0); pthread_join(t, 0); calls = boxes[0].value; return 0; }}\n"
    ));
    let names: Vec<_> = lines.iter().map(|line| line.split(' ').nth(3).unwrap_or("")).collect();
    assert_eq!(names, ["calls", "calls"], "the boxes are main's own: {lines:?}");
}

#[test]
fn a_box_for_an_unlisted_function_is_shared() {
    // The library may hand it to a thread of its own.
    let project = Project::new(&[
        (
            "t.c",
            &format!(
                "{HEAD}void keep(struct box *b);\nint main(void) {{ struct box *b = malloc(sizeof *b); keep(b); b->value = 1; return 0; }}\n"
            ),
        ),
        ("keep.c", "struct box; struct box *kept; void keep(struct box *b) { kept = b; }\n"),
    ]);
    let status = std::process::Command::new("clang-22")
        .args(["-shared", "-fPIC", "keep.c", "-o", "libkeep.so"])
        .current_dir(&project.folder)
        .status()
        .expect("clang runs");
    assert!(status.success());
    project.cc("-pthread t.c libkeep.so -o t -Wl,-rpath,$ORIGIN");
    let lines = project.hooks("t");
    assert!(lines.iter().any(|line| line.starts_with("write ") && line.contains("value")), "{lines:?}");
}

#[test]
fn thread_local_variables_are_private_until_their_address_is_given_away() {
    let own = hooks_of(&format!(
        "{HEAD}static __thread int mine; int x;\n\
         static void *run(void *p) {{ mine = 1; mine++; x = mine; return p; }}\n\
         int main(void) {{ pthread_t t; mine = 4; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }}\n"
    ));
    assert_eq!(own.len(), 1, "only x: {own:?}");
    let given = hooks_of(&format!(
        "{HEAD}static __thread int mine;\n\
         static void *run(void *p) {{ *(int *)p = 1; return 0; }}\n\
         int main(void) {{ pthread_t t; mine = 4; pthread_create(&t, 0, run, &mine); pthread_join(t, 0); return 0; }}\n"
    ));
    assert_eq!(given.len(), 2, "the assignments by both threads: {given:?}");
}
