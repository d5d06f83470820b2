//! Build systems must not notice that the compiler is the driver of Inspect.

mod common;

use common::{Project, include, runtime, tool_paths};
use inspect_driver::{CompileError, Language, compile, prepare};
use std::path::Path;
use std::process::{Command, Stdio};

const SHARED: &str = "int shared;\nvoid bump(void) { shared++; }\n";
const MAIN: &str = "#include <pthread.h>\n#include <stdio.h>\nextern int shared; void bump(void);\n\
    static void *run(void *p) { bump(); return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); bump(); printf(\"%d\\n\", shared); return 0; }\n";

fn project() -> Project {
    Project::new(&[("a.c", SHARED), ("main.c", MAIN)])
}

/// What `readelf` says of a file.
fn readelf(option: &str, file: &Path) -> String {
    let output = Command::new("readelf").arg("-W").arg(option).arg(file).output().expect("readelf runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Asserts that the program works by itself and calls the hooks of `bump`.
fn assert_instrumented(project: &Project, program: &str) {
    assert_eq!(project.run(program), ("2\n".into(), Some(0)));
    let hooks = project.hooks(program);
    let bump = ["read a.c:2:25 bump shared 4", "write a.c:2:25 bump shared 4"];
    let column = MAIN.lines().last().and_then(|line| line.find("shared);")).expect("it is there") + 1;
    let read = format!("read main.c:5:{column} main shared 4");
    assert_eq!(hooks, [&bump[..], &bump[..], &[read.as_str()][..]].concat());
}

#[test]
fn one_step() {
    let project = project();
    project.cc("-O2 a.c main.c -o p -pthread");
    assert_instrumented(&project, "p");
}

#[test]
fn objects_then_a_link() {
    let project = project();
    project.cc("-c a.c");
    project.cc("-c -O2 main.c -o m.o");
    project.cc("m.o a.o -o p -pthread");
    assert_instrumented(&project, "p");
}

#[test]
fn static_library() {
    let project = project();
    project.cc("-c a.c");
    let status = Command::new("ar").args(["rcs", "liba.a", "a.o"]).current_dir(&project.folder).status();
    assert!(status.expect("ar runs").success());
    let folder = project.folder.display().to_string();
    project.cc(&format!("main.c -o p -L{folder} -la -pthread"));
    assert_instrumented(&project, "p");
    assert!(!readelf("-S", &project.path("p")).contains("inspect_uninstrumented"));
}

#[test]
fn shared_library_of_the_project() {
    let project = project();
    project.cc("-shared -fPIC a.c -o liba.so -Wl,--no-undefined");
    let folder = project.folder.display().to_string();
    project.cc(&format!("main.c -o p -L{folder} -la -pthread -Wl,-rpath,{folder}"));
    assert_instrumented(&project, "p");
    assert!(!readelf("-S", &project.path("p")).contains("inspect_uninstrumented"));
}

#[test]
fn objects_joined_by_a_partial_link() {
    let project = project();
    project.cc("-c a.c");
    project.cc("-r a.o -o joined.o");
    project.cc("main.c joined.o -o p -pthread");
    assert_instrumented(&project, "p");
}

#[test]
fn the_runtime_comes_first_and_everything_is_bound_at_start() {
    let project = project();
    project.cc("-lm a.c main.c -o p -pthread");
    let dynamic = readelf("-d", &project.path("p"));
    let needed: Vec<&str> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    assert!(needed[0].contains(&format!("[{}]", runtime().display())), "{dynamic}");
    assert!(dynamic.contains("BIND_NOW"), "{dynamic}");
    for section in ["inspect_sites", "inspect_version"] {
        assert!(readelf("-S", &project.path("p")).contains(section), "{section}");
    }
}

#[test]
fn the_marks_survive_the_collection_of_unused_sections() {
    let project = Project::new(&[("a.c", SHARED), ("main.c", MAIN), ("n.c", "int n;\n")]);
    let status = Command::new("clang-22").args(["-c", "n.c"]).current_dir(&project.folder).status();
    assert!(status.expect("clang runs").success());
    project.cc("-ffunction-sections -fdata-sections -Wl,--gc-sections -O2 a.c main.c n.o -o p -pthread");
    let sections = readelf("-S", &project.path("p"));
    for section in ["inspect_sites", "inspect_version", "inspect_uninstrumented"] {
        assert!(sections.contains(section), "{section}: {sections}");
    }
}

#[test]
fn inputs_that_the_pass_does_not_see_are_listed() {
    let project =
        Project::new(&[("a.c", SHARED), ("main.c", MAIN), ("n.c", "int n;\n"), ("s.s", ".globl s\ns: ret\n")]);
    let native = |line: &str| {
        let status = Command::new("clang-22").args(line.split(' ')).current_dir(&project.folder).status();
        assert!(status.expect("clang runs").success());
    };
    native("-c n.c -o n.o");
    native("-c n.c -o member.o");
    native("-shared -fPIC n.c -o libn.so");
    assert!(Command::new("ar").args(["rcs", "libm2.a", "member.o"]).current_dir(&project.folder).status().is_ok());
    let folder = project.folder.display().to_string();
    std::fs::write(project.path("n.c"), "int hidden;\n").expect("the file can be written");
    native("-c n.c -o hidden.o");
    project.cc(&format!(
        "a.c main.c n.o s.s libn.so -L{folder} -lm2 -lm -o p -pthread -Wl,-rpath,{folder} -Wl,{folder}/hidden.o -Wl,-z,lazy"
    ));
    assert!(readelf("-d", &project.path("p")).contains("BIND_NOW"));
    let output = Command::new("readelf").args(["-p", "inspect_uninstrumented"]).arg(project.path("p")).output();
    let text = String::from_utf8_lossy(&output.expect("readelf runs").stdout).into_owned();
    let names: Vec<&str> = text.lines().filter_map(|line| line.rsplit_once('/')).map(|(_, name)| name).collect();
    assert_eq!(names, ["n.o", "s.s", "libn.so", "libm2.a", "hidden.o"]);
    assert_eq!(project.run("p"), ("2\n".into(), Some(0)));
}

#[test]
fn thin_bitcode_of_another_compiler_is_refused() {
    let project = project();
    let status =
        Command::new("clang-22").args(["-O1", "-flto=thin", "-c", "a.c"]).current_dir(&project.folder).status();
    assert!(status.expect("clang runs").success());
    let output = project.try_cc("main.c a.o -o p -pthread");
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("thin LTO"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn calls_that_the_compiler_adds_are_refused() {
    let project = project();
    for option in [
        "-finstrument-functions",
        "-finstrument-functions-after-inlining",
        "-finstrument-function-entry-bare",
        "-fsanitize-coverage=func,trace-pc",
        "-Xclang -finstrument-functions",
    ] {
        let why = project.refusal(&format!("{option} -c a.c"));
        assert!(why.contains("does not see the calls that it adds"), "{option}: {why}");
    }
    assert!(project.refusal("-Xclang -fsanitize=thread -c a.c").contains("both watch the memory"));
    let status = Command::new("clang-22")
        .args("-O1 -flto=full -finstrument-functions -Xclang -disable-llvm-passes -c a.c".split(' '))
        .current_dir(&project.folder)
        .status();
    assert!(status.expect("clang runs").success());
    let output = project.try_cc("main.c a.o -o p -pthread");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("is compiled with -finstrument-functions"), "{text}");
}

#[test]
fn preprocessing_and_dependency_files() {
    let project = Project::new(&[("a.c", "#include \"h.h\"\nint x = VALUE;\n"), ("h.h", "#define VALUE 42\n")]);
    let text = String::from_utf8(project.cc("-E a.c").stdout).expect("it is text");
    assert!(text.contains("int x = 42;"));
    project.cc("-MD -MF a.d -c a.c -o a.o");
    let rule = std::fs::read_to_string(project.path("a.d")).expect("the file is there");
    assert!(rule.starts_with("a.o:") && rule.contains("h.h"), "{rule}");
    let rule = String::from_utf8(project.cc("-MM a.c").stdout).expect("it is text");
    assert!(rule.starts_with("a.o:") && rule.contains("h.h"), "{rule}");
}

#[test]
fn assembly_text_is_assembly_and_shows_up_as_uninstrumented() {
    let project = project();
    project.cc("-S a.c -o a.s");
    let text = std::fs::read_to_string(project.path("a.s")).expect("the file is there");
    assert!(text.contains("bump:") && !text.contains("define"), "{text}");
    project.cc("main.c a.s -o p -pthread");
    assert_eq!(project.run("p"), ("2\n".into(), Some(0)));
    assert!(readelf("-S", &project.path("p")).contains("inspect_uninstrumented"));
}

#[test]
fn inquiries_are_answered_like_clang() {
    let project = Project::new(&[]);
    for line in ["--version", "-v", "-dumpmachine", "-print-search-dirs", "-dumpversion", "-print-prog-name=ld"] {
        let plain = Command::new("clang-22").arg(line).output().expect("clang runs");
        let ours = project.try_cc(line);
        assert_eq!((ours.status, ours.stdout, ours.stderr), (plain.status, plain.stdout, plain.stderr), "{line}");
    }
    let ours = project.try_cc("");
    assert!(!ours.status.success());
    assert!(String::from_utf8_lossy(&ours.stderr).contains("no input files"));
}

#[test]
fn probes_of_configure_scripts() {
    let project = Project::new(&[
        ("conftest.c", "int main(void) { return 0; }\n"),
        ("func.c", "char pthread_create(); int main(void) { return pthread_create(); }\n"),
        ("nofunc.c", "char no_such_function(); int main(void) { return no_such_function(); }\n"),
        ("bad.c", "int main(void) { return undeclared; }\n"),
        ("type.c", "#include <stddef.h>\nint check[sizeof(size_t) == 8 ? 1 : -1]; int main(void) { return 0; }\n"),
    ]);
    project.cc("-o conftest -g -O2 -Wall -Werror conftest.c -lpthread");
    assert_eq!(project.run("conftest").1, Some(0));
    project.cc("-o conftest func.c -pthread");
    project.cc("-c -Werror type.c");
    assert!(!project.try_cc("-o conftest2 nofunc.c").status.success());
    assert!(!project.path("conftest2").exists());
    let bad = project.try_cc("-c bad.c");
    assert_eq!(bad.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("undeclared"));
}

#[test]
fn source_from_standard_input_and_response_files() {
    let project = project();
    std::fs::write(project.path("args"), "-DUNUSED='a b' -o p -pthread\n").expect("the file can be written");
    let mut words: Vec<_> = ["-x", "c", "-", "-x", "none"].map(Into::into).to_vec();
    words.push(project.path("a.c").into());
    words.push(format!("@{}", project.path("args").display()).into());
    let (mut command, notices) = prepare(words, Language::C, tool_paths()).expect("the driver takes it");
    assert_eq!(notices, [""; 0]);
    let mut child = command.current_dir(&project.folder).stdin(Stdio::piped()).spawn().expect("clang runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("it has a pipe"), MAIN.as_bytes()).expect("clang reads");
    assert!(child.wait().expect("clang ends").success());
    assert_eq!(project.run("p"), ("2\n".into(), Some(0)));
}

#[test]
fn options_that_would_lose_the_instrumentation_are_overridden_with_a_notice() {
    let project = project();
    for (option, notices) in [
        ("-fno-lto", 1),
        ("-flto=thin", 1),
        ("-fuse-ld=bfd", 1),
        ("-static", 1),
        ("-g0", 0),
        ("-flto", 0),
        ("-flto=auto", 0),
        ("-fuse-ld=lld", 0),
        ("-ffat-lto-objects", 0),
        ("-gsplit-dwarf", 0),
        ("-s", 0),
    ] {
        let line = format!("{option} a.c main.c -o p -pthread");
        assert_eq!(project.notices(&line).len(), notices, "{option}");
        project.cc(&line);
        assert_instrumented(&project, "p");
    }
}

#[test]
fn checking_variants_of_library_functions_are_not_used() {
    let source = "#include <string.h>\nchar a[8]; int main(int n, char **v) { strcpy(a, v[0] + strlen(v[0]) - 1); return a[1]; }\n";
    let project = Project::new(&[("t.c", source)]);
    project.cc("-O2 -D_FORTIFY_SOURCE=2 -Werror t.c -o t");
    let symbols = readelf("--dyn-syms", &project.path("t"));
    assert!(symbols.contains(" strcpy@") && !symbols.contains("__strcpy_chk"), "{symbols}");
}

#[test]
fn sanitizers_and_other_machines_are_refused() {
    for option in ["-fsanitize=thread", "-fsanitize=address", "-m32"] {
        let refused = prepare(vec![option.into(), "a.c".into()], Language::C, tool_paths());
        let message = refused.expect_err("it is refused");
        assert!(message.contains(option), "{message}");
    }
}

#[test]
fn the_level_of_optimisation_is_the_users() {
    let source = "#include <stdio.h>\nint main(void) {\n#ifdef __OPTIMIZE__\nputs(\"on\");\n#else\nputs(\"off\");\n#endif\nreturn 0; }\n";
    let project = Project::new(&[("t.c", source)]);
    for (flags, expected) in [("", "off\n"), ("-O0", "off\n"), ("-O1", "on\n"), ("-O3", "on\n")] {
        project.cc(&format!("{flags} t.c -o t"));
        assert_eq!(project.run("t").0, expected, "{flags}");
        let shown = project.try_cc(&format!("-v {flags} t.c -o t"));
        let link = String::from_utf8_lossy(&shown.stderr).into_owned();
        let level = flags.strip_prefix("-O").map(|level| format!("-plugin-opt=O{level}"));
        assert!(level.is_none_or(|level| link.contains(&level)), "{link}");
    }
}

#[test]
fn coverage_and_profiles_still_work() {
    let project = project();
    project.cc("--coverage a.c main.c -o p -pthread");
    assert_eq!(project.run("p"), ("2\n".into(), Some(0)));
    assert!(project.path("p-a.gcda").exists(), "the counts were written");
    project.cc("-fprofile-instr-generate a.c main.c -o p -pthread");
    assert_eq!(project.run("p"), ("2\n".into(), Some(0)));
    assert!(!project.hooks("p").iter().any(|line| line.contains("__prof")));
}

#[test]
fn cxx_program() {
    let source = "#include <atomic>\n#include <condition_variable>\n#include <iostream>\n#include <map>\n#include <memory>\n#include <mutex>\n\
        #include <stdexcept>\n#include <string>\n#include <thread>\n#include <vector>\n\
        std::atomic<int> counter{0}; std::mutex m; int plain; std::vector<int> numbers{1, 2, 3};\n\
        struct Queue { int head = 0; std::atomic<Queue *> next{nullptr}; void push(int k) { head = k; next.store(this, std::memory_order_release); } } queue;\n\
        int main() {\n\
        auto five = std::make_shared<int>(5); std::map<int, std::string> names;\n\
        std::thread t([&, five] { counter.fetch_add(1); std::lock_guard<std::mutex> g(m); plain++; numbers[1] = 7; queue.push(*five); names[3] = \"x\";\n\
        try { throw std::runtime_error(\"caught\"); } catch (std::exception &e) { std::cout << e.what() << \"\\n\"; } });\n\
        t.join(); std::cout << plain + numbers[1] + queue.head + names.size() << \"\\n\"; return 0; }\n";
    let project = Project::new(&[("t.cpp", source)]);
    for flags in ["-O0", "-O2"] {
        project.cxx(&format!("-std=c++20 {flags} t.cpp -o t -pthread"));
        // 1 + 7 + 5 + 1
        assert_eq!(project.run("t"), ("caught\n14\n".into(), Some(0)));
        let hooks = project.hooks("t");
        // Made by a member function of std::atomic, shown where it is called.
        let column = source.lines().nth(14).and_then(|line| line.find("fetch_add")).expect("it is there") + 1;
        let add = format!("atomic_rmw t.cpp:15:{column} operator() counter 4 order 5");
        assert!(hooks.contains(&add), "{add}: {hooks:#?}");
        assert!(
            hooks.iter().any(|line| line.starts_with("write t.cpp:15:") && line.contains(" plain 4")),
            "{hooks:#?}"
        );
        assert!(
            hooks.iter().any(|line| line.starts_with("atomic_store t.cpp:12:") && line.contains("Queue::push")),
            "{hooks:#?}"
        );
    }
}

#[test]
fn static_initialisers_leave_marks_that_the_system_ignores() {
    let source = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <string.h>\n\
        pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, c = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, d, e = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;\n\
        pthread_cond_t v = PTHREAD_COND_INITIALIZER, w; int step;\n\
        static void *run(void *p) { pthread_mutex_lock(&a); while (!step) pthread_cond_wait(&v, &a); step = 2; pthread_cond_broadcast(&v); pthread_mutex_unlock(&a); return p; }\n\
        static int mark(pthread_mutex_t *m) { unsigned short s; memcpy(&s, (char *)m + 22, 2); return s; }\n\
        static unsigned cond_mark(pthread_cond_t *m) { unsigned s; memcpy(&s, (char *)m + 36, 4); return s; }\n\
        int main(void) { pthread_t t;\n\
        if (mark(&a) != 0x4e49 || mark(&b) != 0x4e49 || mark(&c) != 0x4e49 || mark(&e) != 0x4e49 || mark(&d) != 0) return 1;\n\
        if (cond_mark(&v) != 4 || cond_mark(&w) != 0) return 2;\n\
        if (pthread_mutex_lock(&b) || pthread_mutex_lock(&b) || pthread_mutex_unlock(&b) || pthread_mutex_unlock(&b)) return 3;\n\
        if (pthread_mutex_lock(&c) || !pthread_mutex_lock(&c) || pthread_mutex_unlock(&c)) return 4;\n\
        if (pthread_mutex_lock(&e) || !pthread_mutex_trylock(&e) || pthread_mutex_unlock(&e)) return 5;\n\
        pthread_create(&t, 0, run, 0); pthread_mutex_lock(&a); step = 1; pthread_cond_signal(&v); while (step != 2) pthread_cond_wait(&v, &a);\n\
        pthread_mutex_unlock(&a); pthread_join(t, 0); return pthread_mutex_destroy(&a) || pthread_cond_destroy(&v); }\n";
    // The offsets and values are those of inspect_wire::hooks.
    let project = Project::new(&[
        ("t.c", source),
        (
            "t.cpp",
            "#include <mutex>\nconstexpr std::mutex *none = nullptr; constinit std::mutex m; int main() { std::lock_guard<std::mutex> g(m); return none != nullptr; }\n",
        ),
    ]);
    project.cc("-Wall -Wextra -Werror -pedantic t.c -o t -pthread");
    assert_eq!(project.run("t").1, Some(0));
    project.cxx("-std=c++20 -Wall -Wextra -Werror t.cpp -o u -pthread");
    assert_eq!(project.run("u").1, Some(0));
    assert!(include().join("inspect.h").exists());
}

#[test]
fn compile_makes_a_program_or_says_why_not() {
    let project = Project::new(&[
        ("a.c", SHARED),
        ("main.c", MAIN),
        ("bad.c", "int main(void) { return x; }\n"),
        ("choice.c", "#include <inspect.h>\nint main(void) { inspect_assume(1); return inspect_choose(3); }\n"),
    ]);
    let sources = [project.path("a.c"), project.path("main.c")];
    compile(&sources, &["-DX=1".into()], &project.path("p"), tool_paths(), None, None).expect("it compiles");
    assert_instrumented(&project, "p");
    compile(&[project.path("choice.c")], &[], &project.path("c"), tool_paths(), None, None).expect("it compiles");
    assert_eq!(project.run("c").1, Some(0));
    let error = compile(&[project.path("bad.c")], &[], &project.path("q"), tool_paths(), None, None);
    assert!(matches!(error, Err(CompileError::Failed(status)) if status.code() == Some(1)));
    let error =
        compile(&[project.path("bad.c")], &["-fsanitize=address".into()], &project.path("q"), tool_paths(), None, None);
    assert!(matches!(error, Err(CompileError::Tool(message)) if message.contains("-fsanitize=address")));
}
