//! Which hooks stand where: exact sequences for small programs.

mod common;

use common::{Project, hooks_of, hooks_with};

/// A program whose thread runs `body` after main has run `before`.
fn threaded(globals: &str, before: &str, body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n{globals}\n\
         static void *run(void *p) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t; {before} pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

/// The lines of hooks without the places: hook, variable and the other arguments.
fn short(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let rest: Vec<&str> = words[3..].to_vec();
            format!("{} {}", words[0], rest.join(" "))
        })
        .collect()
}

#[test]
fn a_site_says_file_line_column_function_and_variable() {
    let source = "#include <pthread.h>\n\
                  int x;\n\
                  static void *run(void *p) {\n\
                  \x20 x = x + 1;\n\
                  \x20 return p;\n\
                  }\n\
                  int main(void) {\n\
                  \x20 pthread_t t;\n\
                  \x20 pthread_create(&t, 0, run, 0);\n\
                  \x20 pthread_join(t, 0);\n\
                  \x20 return x;\n\
                  }\n";
    assert_eq!(hooks_of(source), ["read t.c:4:7 run x 4", "write t.c:4:5 run x 4", "read t.c:11:10 main x 4"]);
}

#[test]
fn the_file_is_an_absolute_path() {
    let project = Project::new(&[("t.c", &threaded("int shared;", "", "shared = 1;"))]);
    project.cc("t.c -o t");
    let binary = std::fs::read(project.path("t")).expect("the program is there");
    let path = project.path("t.c");
    let path = path.to_str().expect("it is text").as_bytes();
    assert!(binary.windows(path.len()).any(|window| window == path));
}

#[test]
fn members_elements_and_what_pointers_lead_to_have_names() {
    let globals = "struct inner { int a, b[4]; }; struct node { int v; struct node *next; struct inner in; };\n\
                   struct node q; struct node *head; int table[4][3]; int *pointer; union { int i; float f; } u;";
    let before = "head = malloc(sizeof *head); head->next = head; pointer = &table[1][2]; head->v = 0;";
    let body = "struct node *n = head; n->v = 1; n->next->in.b[2] = 2; q.in.a = 3; int i = q.v; q.in.b[i] = 4; *pointer = 5; u.f = 1;";
    let lines = short(&hooks_of(&threaded(globals, before, body)));
    let from = lines.iter().rposition(|line| line == "read head 8").expect("the thread reads head");
    assert_eq!(
        &lines[from..],
        [
            "read head 8",
            "write n->v 4",
            "read n->next 8",
            "write n->next->in.b[2] 4",
            "write q.in.a 4",
            "read q.v 4",
            "write q.in.b[i] 4",
            "read pointer 8",
            "write *pointer 4",
            // The members of a union overlap; which one the source names is not in LLVM's code.
            "write u 4",
        ]
    );
}

#[test]
fn inlined_code_is_reported_where_the_user_wrote_it() {
    let globals = "int x;\nstatic inline __attribute__((always_inline)) void bump(int *at) { (*at)++; }";
    let lines = hooks_of(&threaded(globals, "", "bump(&x);"));
    assert_eq!(lines, ["read t.c:6:72 bump x 4", "write t.c:6:72 bump x 4"]);
}

#[test]
fn locals_have_no_hooks_unless_another_thread_gets_their_address() {
    let source = "#include <pthread.h>\n\
        static void *run(void *p) { *(int *)p = 1; return 0; }\n\
        int main(void) { pthread_t t; int mine = 1, given = 2; int array[3] = {1, 2, 3}; int *q = &mine; (*q)++;\n\
          for (int i = 0; i < 3; i++) array[i] += mine;\n\
          pthread_create(&t, 0, run, &given); pthread_join(t, 0); return array[1] + given - 6; }\n";
    // array[1] is 2 + 2, given is 1 afterwards.
    assert_eq!(short(&hooks_of(source)), ["write given 4", "write *p 4", "read given 4"]);
}

#[test]
fn globals_that_threads_do_not_touch_or_no_code_writes_have_no_hooks() {
    let globals = "int only_main; int never_written = 3; const int constant = 4; int both;";
    let lines = hooks_of(&threaded(globals, "only_main = 1; only_main++;", "both = never_written + constant;"));
    assert_eq!(short(&lines), ["write both 4"]);
}

#[test]
fn blocks_of_one_thread_have_checks_only() {
    let lines = hooks_of(&threaded("int x;", "int *own = malloc(8); own[1] = 1; x = own[1]; free(own);", "x = 2;"));
    assert_eq!(short(&lines), ["check_write own[1] 4", "check_read own[1] 4", "write x 4", "write x 4"]);
}

#[test]
fn a_check_is_not_repeated_until_something_may_have_freed_the_block() {
    let before = "int *own = malloc(8); *own = 1; *own += 1; *own = *own + 1; rand(); *own = 2;";
    let lines = hooks_of(&threaded("int x;", before, "x = 2;"));
    assert_eq!(short(&lines), ["check_write *own 4", "check_write *own 4", "write x 4"]);
}

#[test]
fn variables_of_a_collected_section_are_shared() {
    let globals = "struct entry { int value; }; static struct entry one __attribute__((section(\"entries\"), used));\n\
        extern struct entry __start_entries[];";
    let lines = hooks_of(&threaded(globals, "one.value = 1;", "__start_entries[0].value = 2;"));
    assert_eq!(lines.len(), 2, "both writes: {lines:?}");
}

#[test]
fn atomics_say_order_and_values() {
    let globals = "_Atomic int a = 5; _Atomic(char *) at; _Atomic double d; _Atomic long l;";
    let body = "atomic_store_explicit(&a, -2, memory_order_release); atomic_load_explicit(&a, memory_order_acquire);\n\
        atomic_fetch_add_explicit(&a, 1, memory_order_relaxed); atomic_exchange(&l, 4);\n\
        int e = -1; atomic_compare_exchange_strong_explicit(&a, &e, 9, memory_order_acq_rel, memory_order_acquire);\n\
        atomic_store(&d, 1.0); atomic_store(&at, (char *)16);\n\
        atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_seq_cst);";
    assert_eq!(
        short(&hooks_of(&threaded(globals, "", &format!("{{ {body} }}")))),
        [
            "atomic_store a 4 value fffffffe order 3",
            "atomic_load a 4 order 2",
            "atomic_rmw a 4 order 0",
            "atomic_rmw l 8 order 5",
            "atomic_cas a 4 expected ffffffff 0 order 4 2",
            // The bits of 1.0.
            "atomic_store d 8 value 3ff0000000000000 order 5",
            "atomic_store at 8 value 10 order 5",
            "fence - order 5",
        ]
    );
}

#[test]
fn wide_atomics_are_seen_in_place_and_as_library_calls() {
    let globals = "struct pair { long tag; void *at; }; _Atomic struct pair w; struct big { long a, b, c; }; _Atomic struct big big;";
    let body = "struct pair e = {0, 0}, n = {7, 0}; atomic_compare_exchange_strong(&w, &e, n);\n\
        e = atomic_load(&w); struct big x = atomic_load(&big); x.a = 3; atomic_store(&big, x);";
    let source = threaded(globals, "struct pair s = {0, 0}; atomic_store(&w, s);", body);
    for flags in ["-O1 -pthread -mcx16", "-O1 -pthread", "-O0 -pthread"] {
        let project = Project::new(&[("t.c", &source)]);
        project.cc(&format!("{flags} t.c -o t -latomic"));
        assert_eq!(
            short(&project.hooks("t")),
            [
                "atomic_store w 16 value 0 order 5",
                "atomic_cas w 16 expected 0 0 order 5 5",
                "atomic_load w 16 order 5",
                "atomic_load big 24 order 5",
                "atomic_store big 24 value 3 order 5",
            ],
            "{flags}"
        );
    }
}

#[test]
fn memory_intrinsics_read_their_source_and_write_their_target() {
    let globals = "struct s { char c[40]; } a, b; char text[100]; int n = 7;";
    let body = "a = b; memset(text, 1, n); memcpy(text + 1, text + 50, 20); memmove(text, text + 1, n); b.c[0] = 1; n = 0; memset(text, 0, n);";
    assert_eq!(
        short(&hooks_of(&threaded(globals, "", &format!("{{ {body} }}")))),
        [
            "read b 40",
            "write a 40",
            "read n 4",
            "write text 7",
            "read text[50] 20",
            "write text[1] 20",
            "read n 4",
            "read text[1] 7",
            "write text 7",
            "write b.c[0] 1",
            "write n 4",
            "read n 4",
            // A length of 0 is no access: the hook announces a size of 0.
            "write text 0",
        ]
    );
}

#[test]
fn library_calls_stay_calls() {
    let globals = "char text[8], other[8]; int same;";
    let body = "strcpy(text, \"abc\"); same = memcmp(text, other, 4); free(malloc(3));";
    let project = Project::new(&[("t.c", &threaded(globals, "", &format!("{{ {body} }}")))]);
    project.cc("-O3 -pthread t.c -o t");
    let symbols = std::process::Command::new("nm").arg("-D").arg(project.path("t")).output().expect("nm runs");
    let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
    for name in ["strcpy", "memcmp", "malloc", "free"] {
        assert!(symbols.contains(&format!("U {name}@")), "{name} is still called: {symbols}");
    }
}

#[test]
fn equal_calls_keep_their_lines() {
    let source = "#include <stdlib.h>\nint main(int count, char **arguments) {\n(void)arguments;\nif (count == 7)\n\
                  exit(1);\nif (count == 8)\nexit(1);\nreturn 0;\n}\n";
    let project = Project::new(&[("t.c", source)]);
    project.cc("-g -O3 t.c -o t");
    let mut objdump = std::process::Command::new("llvm-objdump-22");
    let code = objdump.args(["-d", "--no-show-raw-insn"]).arg(project.path("t")).output().expect("llvm-objdump runs");
    let code = String::from_utf8_lossy(&code.stdout).into_owned();
    assert_eq!(code.lines().filter(|line| line.contains("call") && line.contains("<exit@plt>")).count(), 2, "{code}");
}

#[test]
fn assembly_is_read() {
    let globals = "int x, y;";
    let body = "__asm__ volatile(\"pause\" ::: \"memory\"); __asm__ volatile(\"\" ::: \"memory\");\n\
        __asm__ volatile(\"lock; incl %0\" : \"+m\"(x) :: \"memory\"); __asm__(\"movl $1, %0\" : \"=m\"(y));\n\
        int r; __asm__(\"movl %1, %0\" : \"=r\"(r) : \"m\"(x)); __asm__ volatile(\"mfence\" ::: \"memory\");\n\
        unsigned lo, hi; __asm__ volatile(\"rdtsc\" : \"=a\"(lo), \"=d\"(hi));\n\
        unsigned a = 1, b, c; __asm__(\"cpuid\" : \"+a\"(a), \"=b\"(b), \"=c\"(c) : : \"edx\");";
    assert_eq!(
        short(&hooks_of(&threaded(globals, "", &format!("{{ {body} }}")))),
        ["atomic_rmw x 4 order 5", "write y 4", "read x 4", "fence - order 5", "opaque -"]
    );
}

#[test]
fn hooks_do_not_depend_on_the_level_of_optimisation() {
    let globals = "int x, flag; _Atomic int a;";
    let body = "x++; x++; if (flag) x = flag; flag = x; a += 2;";
    let source = threaded(globals, "", body);
    let lines = hooks_with(&source, "-O0 -pthread");
    assert_eq!(lines.len(), 8, "x++ twice, the condition, flag = x, a += 2: {lines:?}");
    for flags in ["-pthread", "-O1 -pthread", "-O2 -pthread", "-O3 -pthread", "-Os -pthread"] {
        assert_eq!(hooks_with(&source, flags), lines, "{flags}");
    }
}

#[test]
fn every_return_from_main_is_announced_with_its_line() {
    let source = "#include <pthread.h>\n\
                  static void *run(void *p) { return p; }\n\
                  int main(int count, char **arguments) {\n\
                  \x20 pthread_t t;\n\
                  \x20 (void)arguments;\n\
                  \x20 pthread_create(&t, 0, run, 0);\n\
                  \x20 pthread_join(t, 0);\n\
                  \x20 if (count > 1)\n\
                  \x20   return 1;\n\
                  \x20 return 0;\n\
                  }\n";
    let project = Project::new(&[("t.c", source)]);
    project.cc("-O1 -pthread t.c -o t");
    let hooks = project.all_hooks("t");
    assert_eq!(hooks.len(), 1, "nothing is shared: {hooks:?}");
    assert!(hooks[0].starts_with("leave_main t.c:1"), "{hooks:?}");
}

#[test]
fn the_stub_has_every_hook_of_the_contract() {
    let symbols = std::process::Command::new("nm").arg("-D").arg(common::runtime()).output().expect("nm runs");
    let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
    for hook in inspect_wire::hooks::HOOKS {
        assert!(symbols.contains(&format!(" T {}\n", hook.name)), "instrument/tests/stub.c lacks {}", hook.name);
    }
}

#[test]
fn a_local_variable_that_a_thread_reaches_ends_with_its_function_and_no_other_does() {
    let source = "#include <pthread.h>\n\
                  static void *run(void *p) { *(int *)p = 1; return 0; }\n\
                  static void begin(void) {\n\
                  \x20 int shared = 0, own = 0; int *p = &own; ++*p;\n\
                  \x20 pthread_t t;\n\
                  \x20 pthread_create(&t, 0, run, &shared);\n\
                  \x20 pthread_join(t, 0);\n\
                  }\n\
                  int main(void) { int mine = 0; pthread_t t; begin(); pthread_create(&t, 0, run, &mine); return pthread_join(t, 0); }\n";
    let lines = hooks_of(source);
    let ends: Vec<&String> = lines.iter().filter(|line| line.starts_with("end ")).collect();
    assert_eq!(ends, ["end t.c:8:1 begin shared (ends here) 4"], "{lines:#?}");
}

#[test]
fn variables_of_blocks_computed_lengths_and_copied_parameters_end() {
    let head = "#include <alloca.h>\n#include <pthread.h>\nstruct large { int values[20]; };\n\
                static pthread_t t;\n\
                static void *run(void *p) { return (void *)(long)*(int *)p; }\n\
                static void start(int *p) { pthread_create(&t, 0, run, p); }\n";
    for (function, expected) in [
        ("static void use(int n) {\n{ int block = n; start(&block); }\nt = 0; }", ["block (ends here) 4"].as_slice()),
        // 5 integers of 4 bytes, and the stack goes on at a multiple of 16.
        (
            "static void use(int n) {\nfor (int i = 0; i < 1; i++) { int array[n]; start(array); }\n}",
            &["array (ends here) 32"],
        ),
        // 5 bytes, and the stack goes on at a multiple of 16.
        ("static void use(int n) {\nstart(alloca(n));\n}", &[" (ends here) 16"]),
        (
            "static void copied(struct large l) { start(l.values);\n} static void use(int n) { struct large l = {{n}}; copied(l); }",
            &["l (ends here) 80"],
        ),
        ("static void use(int n) { int own = n; { int inner = own; int *p = &inner; ++*p; } t = 0; }", &[]),
    ] {
        let source = format!("{head}{function}\nint main(void) {{ use(5); return 0; }}\n");
        let lines = hooks_of(&source);
        let end = |line: &'_ String| Some(line.strip_prefix("end t.c:")?.splitn(3, ' ').nth(2)?.to_owned());
        let ends: Vec<String> = lines.iter().filter_map(end).collect();
        assert_eq!(ends, expected, "{function}: {lines:#?}");
    }
}

#[test]
fn a_number_that_a_thread_is_started_with_shares_nothing() {
    // Which way the branch goes tells of the number of a node, which lies beside an address.
    let source = "#include <pthread.h>\n#include <stdlib.h>\n\
                  struct node { struct node *next; int value; };\n\
                  static void *run(void *p) {\n\
                  \x20 struct node *n = malloc(sizeof *n); n->next = 0; n->value = (int)(long)p;\n\
                  \x20 long seen = n->value & 1 ? 1 : 2;\n\
                  \x20 return (void *)seen;\n\
                  }\n\
                  int main(void) { pthread_t t; for (long i = 0; i < 2; i++) pthread_create(&t, 0, run, (void *)i); return pthread_join(t, 0); }\n";
    let lines = hooks_of(source);
    assert!(lines.iter().any(|line| line.starts_with("check_")), "{lines:#?}");
    let is_access = |line: &&String| line.starts_with("read ") || line.starts_with("write ");
    assert_eq!(lines.iter().filter(is_access).count(), 0, "{lines:#?}");
}

#[test]
fn variables_that_end_begin_and_those_of_main_do_neither() {
    let source = "#include <pthread.h>\nstatic pthread_t t;\n\
                  static void *run(void *p) { return (void *)(long)*(int *)p; }\n\
                  static void start(int *p) { pthread_create(&t, 0, run, p); pthread_join(t, 0); }\n\
                  static void use(void) { int values[3] = {0}; start(values); }\n\
                  int main(void) { int mine[5] = {0}; start(mine); use(); return 0; }\n";
    let lines = hooks_of(source);
    let begins: Vec<&String> = lines.iter().filter(|line| line.starts_with("begin ")).collect();
    // The three integers of `values`, of 4 bytes.
    assert_eq!(begins, ["begin 12"], "{lines:#?}");
}

#[test]
fn assembly_in_which_a_register_decides_what_is_touched_is_opaque() {
    let globals = "#include <stddef.h>\nlong words[4]; int x;";
    for (body, is_opaque) in [
        ("__asm__ volatile(\"btsq $3, %0\" : \"+m\"(words[0]));", false),
        ("__asm__ volatile(\"btsq %1, %0\" : \"+m\"(words[0]) : \"r\"(70L));", true),
        ("__asm__ volatile(\"btq %%rax, %0\" : : \"m\"(words[0]), \"a\"(70L));", true),
        (
            "long *p = words; __asm__ volatile(\"1: incq (%0)\\n add $8, %0\\n cmp %1, %0\\n jb 1b\" : \"+r\"(p) : \"r\"(words + 4));",
            true,
        ),
        ("__asm__ volatile(\"test %0, %0\\n jz 1f\\n incl %1\\n 1:\" : : \"r\"(0), \"m\"(x));", true),
        ("__asm__ volatile(\"test %0, %0\\n jz 1f\\n mfence\\n 1:\" : : \"r\"(0) : \"memory\");", true),
        ("__asm__ volatile(\"test %0, %0\\n jz 1f\\n pause\\n 1:\" : : \"r\"(0) : \"memory\");", false),
        ("__asm__ volatile(\"maskmovdqu %%xmm0, %%xmm1\" : : \"D\"(words) : \"memory\");", true),
        ("register long *p __asm__(\"rbp\") = words; __asm__ volatile(\"movq $1, (%0)\" : : \"r\"(p));", true),
        ("*(int __seg_fs *)0 = 1;", true),
        ("__atomic_fetch_add((long __seg_gs *)8, 1, 5);", true),
    ] {
        let lines = short(&hooks_of(&threaded(globals, "", &format!("{{ {body} }}"))));
        assert_eq!(lines.iter().any(|line| line.starts_with("opaque")), is_opaque, "{body}: {lines:?}");
    }
}
