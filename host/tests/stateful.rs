//! What the stateful search saves on programs of the corpus, and when it says that it cannot be used.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use serde_json::Value;
use std::path::Path;
use tool::run;

fn sources(program: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(program);
    let files = std::fs::read_dir(folder).expect("it is in the corpus");
    let paths = files.map(|file| file.expect("readable").path());
    let mut sources: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    sources.sort();
    sources
}

fn check(program: &str, options: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let sources = sources(program);
    let mut arguments = vec!["check", "--json"];
    arguments.extend(sources.iter().map(String::as_str));
    arguments.extend(options);
    let (_, stdout, stderr) = run(&arguments, directory.path());
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"))
}

/// Executions of the stateful search, if it verifies the program.
fn executions(program: &str, options: &[&str]) -> u64 {
    let stateful = check(program, &[&["--algorithm", "stateful"], options].concat());
    assert_eq!(stateful["verdict"], "verified", "{stateful}");
    assert!(stateful["states"].as_u64().is_some_and(|states| states > 0), "{stateful}");
    stateful["executions"].as_u64().expect("a number")
}

/// The other searches make 33,192 (corpus/papers/boundedbuffer, with its derivation); the dissertation's program had
/// 2.5 times fewer.
#[test]
fn the_bounded_buffer_takes_at_least_two_and_a_half_times_fewer_executions() {
    let options = ["-DPRODUCERS=2", "-DCONSUMERS=2", "-DSIZE=2", "-DITEMS=2"];
    assert!(executions("papers/boundedbuffer", &options) * 5 <= 33_192 * 2);
}

/// The other searches make 51,240 with three workers and main (corpus/papers/scanner).
#[test]
fn the_scanner_takes_at_least_four_times_fewer_executions() {
    assert!(executions("papers/scanner", &["-DWORKERS=3", "-DTREE=0"]) * 4 <= 51_240);
}

/// 8! / (3! 3! 2!) = 560 orders of the critical sections (corpus/bench/fifty), of which the sum and how far each thread
/// is make 4 * 4 * 3 states.
#[test]
fn states_that_are_not_kept_cost_executions_and_nothing_else() {
    let all = executions("bench/fifty", &["-DROUNDS=3"]);
    let few = executions("bench/fifty", &["-DROUNDS=3", "--state-memory", "1K"]);
    assert!(all < few && all * 4 < 560, "{all} {few}");
}

#[test]
fn checkpoints_make_no_difference() {
    let options = ["-DWORKERS=2", "-DTREE=0"];
    let counts = ["0", "1", "150"].map(|every| {
        let all = [&options[..], &["--checkpoint-every", every]].concat();
        executions("papers/scanner", &all)
    });
    assert_eq!(counts, [counts[0]; 3]);
}

/// A relaxed flag orders nothing, and no two accesses of its program are ever pending at once: only the history of an
/// execution shows the race.
#[test]
fn races_that_only_history_shows_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag; static int data;\n\
        static void *set(void *a) { data = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed); return a; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, set, 0);\n\
        if (atomic_load_explicit(&flag, memory_order_relaxed)) data = 2;\n\
        pthread_join(t, 0); return 0; }\n";
    std::fs::write(directory.path().join("t.c"), program).expect("written");
    let ways: [&[&str]; 3] = [&[], &["--plain-accesses", "all"], &["--local-states", "delta"]];
    for way in ways {
        let arguments = [&["check", "--json", "t.c", "--algorithm", "stateful"], way].concat();
        let (status, stdout, _) = run(&arguments, directory.path());
        let json: Value = serde_json::from_str(&stdout).expect("an object");
        assert_eq!((status, json["findings"][0]["kind"].as_str()), (1, Some("data-race")), "{way:?}: {json}");
    }
}

#[test]
fn a_program_without_frame_records_is_refused_with_the_command_that_makes_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = sources("papers/example1").remove(0);
    let (status, ..) = run(&["cc", "-O1", "-pthread", "-DASSERT=0", &source, "-o", "plain"], directory.path());
    assert_eq!(status, 0);
    let (status, _, stderr) = run(&["check", "plain", "--algorithm", "stateful"], directory.path());
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("inspect cc -finspect-frames"), "{stderr}");
    let line = ["cc", "-finspect-frames", "-O1", "-pthread", "-DASSERT=0", &source, "-o", "framed"];
    assert_eq!(run(&line, directory.path()).0, 0);
    let (status, stdout, _) = run(&["check", "./framed", "--algorithm", "stateful", "--json"], directory.path());
    let json: Value = serde_json::from_str(&stdout).expect("an object");
    // 4 * 8 states with a choice for N = 16, and the first execution.
    assert_eq!((status, json["executions"].as_u64()), (0, Some(33)), "{json}");
}

/// Runs the searches on a program of corpus/states with everything hidden in it, for each of its two orders.
fn finds_both_orders(program: &str, hidden: &[&str]) {
    find_both_orders(&["exact", "delta"], "dfs", program, hidden);
}

/// The other search, which does without states, runs the same build as the first kind of local states: a program with
/// records of its frames is like any other to it.
fn find_both_orders(local_states: &[&str], other: &str, program: &str, hidden: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/states").join(program);
    let source = source.to_string_lossy().into_owned();
    let directory = tempfile::tempdir().expect("a directory");
    for hidden in hidden {
        let hidden = format!("-DHIDDEN={hidden}");
        for (kind, others) in local_states.iter().zip([&[other][..], &[]]) {
            let frames = if *kind == "exact" { "-finspect-frames" } else { "-finspect-frames=delta" };
            let line = ["cc", frames, "-O1", "-pthread", &hidden, &source, "-o", "program", "-lm"];
            let (status, _, stderr) = run(&line, directory.path());
            assert_eq!(status, 0, "{line:?} {stderr}");
            let stateful = ["stateful", "--local-states", kind];
            let searches = others.iter().map(std::slice::from_ref).chain([&stateful[..]]);
            for (search, who) in searches.flat_map(|search| [(search, "1"), (search, "2")]) {
                let arguments = [&["check", "--json", "./program", "--algorithm"][..], search, &["--", who]].concat();
                let (_, stdout, stderr) = run(&arguments, directory.path());
                let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
                let kind = json["findings"][0]["kind"].as_str();
                let found = (json["verdict"].as_str(), kind);
                assert_eq!(found, (Some("violated"), Some("assertion")), "{hidden} {arguments:?} {json}");
            }
        }
    }
}

/// The contents of a thread's frames: values and variables of every kind, and where the thread stands.
#[test]
fn what_a_threads_functions_hold_distinguishes_states() {
    let held = ["VARIABLE", "DEEP", "DOUBLE", "LONG_DOUBLE", "WIDE", "BY_VALUE", "RETURNED", "LENGTH_VARIES"];
    finds_both_orders("thread.c", &held);
    let held = ["ARGUMENTS_VARY", "DEPTH", "TAIL", "CALLEE", "PLACE", "LARGE", "TEMPORARY", "JUMP"];
    finds_both_orders("thread.c", &held);
}

/// The rest of a thread's state: thread-local storage, registers that outlive functions, signals, time, random numbers,
/// mappings, its heap, and what the scheduler and the models record of it.
#[test]
fn what_else_belongs_to_a_thread_distinguishes_states() {
    let kept = ["THREAD_LOCAL", "ERRNO", "SPECIFIC", "ROUNDING", "EXCEPTIONS", "MASK", "PENDING", "CLOCK", "MAPPING"];
    finds_both_orders("thread.c", &kept);
    finds_both_orders("thread.c", &["HEAP", "ONCE", "RECURSIVE", "RESULT", "CHILD"]);
}

#[test]
fn what_belongs_to_the_process_distinguishes_states() {
    let kept = ["HANDLER", "ENVIRONMENT", "POSITION", "DESCRIPTOR", "AT_EXIT", "DESTRUCTOR", "TOKENS", "RAND"];
    finds_both_orders("process.c", &kept);
    finds_both_orders("process.c", &["BROKEN_DOWN", "LOCALE", "PUSHED_BACK", "OUTER_VARIABLE"]);
}

/// The hash of a state is updated from state to state, and must cover writes that no operation names as well.
#[test]
fn writes_that_no_operation_names_distinguish_states() {
    // Four threads are too many for a search without reduction.
    let both = |hidden: &[&str]| find_both_orders(&["exact"], "optimal", "kept.c", hidden);
    both(&["OTHERS_VARIABLE", "COPIED", "PRINTED", "PRINTED_FOR_ITSELF"]);
    both(&["REALLOCATED", "ASSEMBLY", "JUMPED", "STORED", "OUT", "INDEXED", "RESULT", "MAIN_ONLY", "GIVEN_BACK"]);
}

/// Local variables that are changed other than by assignments of their function: through pointers, by libraries, by
/// functions that it calls.
#[test]
fn what_is_written_from_elsewhere_distinguishes_states() {
    let ways = ["BY_CALLEE", "ABOVE", "BY_LEAF", "THROUGH_STRUCTURE", "BY_LIBRARY", "BY_LIBRARY_ABOVE"];
    finds_both_orders("written.c", &ways);
    let ways = ["THROUGH_THREAD_LOCAL", "RECURSION", "BY_INDEX", "BY_TAIL_CALL", "BY_LIBRARY_TAIL_CALL"];
    finds_both_orders("written.c", &ways);
    let ways = ["BY_POINTER_CALL", "ATOMICALLY", "BY_CALLBACK", "ONE_OF_TWO", "BY_OTHER_THREAD", "COPIED"];
    finds_both_orders("written.c", &ways);
    finds_both_orders("written.c", &["SECOND_LIFE", "ONE_WAY", "LINKED", "BY_LIBRARY_TO_TWO", "BY_JOIN"]);
    let ways = ["SPLIT", "BY_LENGTH", "HEAP_OR_STACK", "INLINED", "TWO_OF_THREE", "AT_LAST_CALL"];
    finds_both_orders("written.c", &ways);
    finds_both_orders("held.c", &["NOTHING_ELSE"]);
}

/// The numbers of executions of a program of corpus/states/deltas.c with exact local states and with those of deltas.
fn both_ways(how: &str) -> (u64, u64) {
    let how = format!("-DHOW={how}");
    let count = |local_states: &str| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/states/deltas.c");
        let source = source.to_string_lossy().into_owned();
        let common = ["check", "--json", &source, &how, "--algorithm", "stateful", "--local-states", local_states];
        let directory = tempfile::tempdir().expect("a directory");
        let (status, stdout, stderr) = run(&common, directory.path());
        assert_eq!(status, 0, "{stdout} {stderr}");
        // The thread that begins second sees what the first one has done; with HISTORY both have added 1 before.
        let late = if how.ends_with("HISTORY") { "-DLATE=5" } else { "-DLATE=3" };
        let (status, _, stderr) = run(&[&common[..], &[late]].concat(), directory.path());
        assert_eq!(status, 1, "{stderr}");
        let json: Value = serde_json::from_str(&stdout).expect("an object");
        json["executions"].as_u64().expect("a number")
    };
    (count("exact"), count("delta"))
}

/// Two threads of three rounds: 3 * 3 states with a choice, and the first execution. Where no two states are equal,
/// every order is explored: 6! / (3! 3!).
#[test]
fn a_counter_is_known_until_it_changes_in_an_unknown_way() {
    assert_eq!(both_ways("KNOWN"), (10, 10));
    assert_eq!(both_ways("BY_POINTER"), (10, 10));
    assert_eq!(both_ways("BY_POINTER_THEN_KNOWN"), (10, 10));
    assert_eq!(both_ways("BY_LIBRARY"), (10, 20));
    assert_eq!(both_ways("BY_LIBRARY_THEN_KNOWN"), (10, 10));
}

/// Horspool's algorithm passes the address that it returns from one iteration of its loop to the next, undefined until
/// it has found the word. The contents of the register meanwhile distinguish no states: there are no more of them than
/// with deltas.
#[test]
fn undefined_values_distinguish_no_states() {
    let options = ["-DWORKERS=2", "-DTREE=2", "--algorithm", "stateful", "--local-states"];
    let states = |local_states: &str| {
        let found = check("papers/scanner", &[&options[..], &[local_states]].concat());
        found["states"].as_u64().unwrap_or_else(|| panic!("{found}"))
    };
    let (exact, delta) = (states("exact"), states("delta"));
    assert!(exact <= delta, "{exact} {delta}");
}

/// An exact local state is what lives now; an identity depends on past contents as well, as long as anything lives on.
#[test]
fn deltas_remember_what_is_forgotten() {
    let (exact, delta) = both_ways("HISTORY");
    assert!(exact < delta, "{exact} {delta}");
}

/// One execution for each state in which both threads have rounds left, as deltas cover the loops' counters: 13 * 32,
/// and the first execution.
#[test]
fn the_dissertations_first_example_takes_as_many_executions_with_deltas() {
    assert_eq!(executions("papers/example1", &["-DN=64", "-DASSERT=0", "--local-states", "delta"]), 417);
}

/// A server without an end comes back to an earlier state; its identity does not if anything but an argument lives on.
#[test]
fn deltas_do_not_verify_what_they_do_not_recognise() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = sources("semantics/server").remove(0);
    let text = std::fs::read_to_string(source).expect("it is in the corpus");
    let text = text.replace("for (;;) {", "for (int *volatile place = own, *kept = place;; own = kept) {");
    std::fs::write(directory.path().join("t.c"), text).expect("written");
    for (local_states, verdict) in [("exact", "verified"), ("delta", "inconclusive")] {
        let search = ["--algorithm", "stateful", "--local-states", local_states, "--max-steps", "2000"];
        let limits = ["--max-executions", "20", "--json"];
        let (_, stdout, stderr) = run(&[&["check", "t.c"][..], &search, &limits].concat(), directory.path());
        let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
        assert_eq!(json["verdict"], verdict, "{json}");
    }
}

#[test]
fn local_states_are_recorded_in_the_way_that_was_asked_for_or_not_at_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = sources("papers/example1").remove(0);
    let (status, _, stderr) = run(&["check", &source, "--local-states", "delta"], directory.path());
    assert!(status == 2 && stderr.contains("--local-states is not for --algorithm auto"), "{stderr}");
    let frames = ["-finspect-frames", "-finspect-frames=delta"];
    for (flag, other) in [(frames[0], "delta"), (frames[1], "exact")] {
        assert_eq!(run(&["cc", flag, "-pthread", "-DASSERT=0", &source, "-o", "framed"], directory.path()).0, 0);
        let stateful = ["check", "./framed", "--algorithm", "stateful", "--local-states"];
        let (status, _, stderr) = run(&[&stateful[..], &[other]].concat(), directory.path());
        assert!(status == 2 && stderr.contains("link it with `inspect cc -finspect-frames"), "{stderr}");
        let own = if other == "delta" { "exact" } else { "delta" };
        assert_eq!(run(&[&stateful[..], &[own]].concat(), directory.path()).0, 0, "{flag}");
        // Other searches accept the program with either kind of records.
        assert_eq!(run(&["check", "./framed"], directory.path()).0, 0, "{flag}");
    }
}

/// The result of a search of a program given as text: the verdict, its reason, and the findings by kind and line.
fn searched(program: &str, algorithm: &str) -> (String, String, Vec<(String, u64)>) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("t.c"), program).expect("written");
    let (_, stdout, stderr) = run(&["check", "--json", "t.c", "--algorithm", algorithm], directory.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let finding = |finding: &Value| (text(&finding["kind"]), finding["line"].as_u64().unwrap_or_default());
    let mut findings: Vec<_> = json["findings"].as_array().expect("a list").iter().map(finding).collect();
    findings.sort();
    (text(&json["verdict"]), text(&json["reason"]), findings)
}

/// The speaker signals right after its unlock, or after a write that changes no value: memory is the same, and only in
/// the second case does the listener race with the write. Whichever case is executed first, the race is found.
#[test]
fn what_was_done_before_a_signal_distinguishes_states() {
    for condition in ["writes", "!writes"] {
        let program = "#include <pthread.h>\n#include <inspect.h>\n\
            static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
            static int ready, data;\n\
            static void *speaker(void *a) { pthread_mutex_lock(&m); ready = 1; int writes = inspect_choose(2);\n\
            pthread_mutex_unlock(&m); if (CONDITION) data = 0; pthread_cond_signal(&c); return a; }\n\
            static void *listener(void *a) { pthread_mutex_lock(&m); if (ready) { pthread_mutex_unlock(&m); return a; }\n\
            pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); data = 0; return a; }\n\
            int main(void) { pthread_t t[2]; pthread_create(&t[0], 0, listener, 0); pthread_create(&t[1], 0, speaker, 0);\n\
            pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }\n";
        let program = program.replace("CONDITION", condition);
        let (verdict, reason, findings) = searched(&program, "stateful");
        assert_eq!(verdict, "violated", "{condition}: {reason}");
        assert_eq!(findings, searched(&program, "dfs").2, "{condition}");
    }
}

/// Which of two calls has created a thread, or initialised a mutex, makes no difference but for findings about what a
/// run leaves behind.
#[test]
fn findings_about_what_is_left_behind_name_every_place() {
    let program = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, x; static int count;\n\
        static pthread_t t; static void *none(void *a) { return a; }\n\
        static void *one(void *a) { pthread_mutex_lock(&m); int first = count++ == 0; pthread_mutex_unlock(&m);\n\
        if (first) pthread_mutex_init(&x, 0);\n\
        else pthread_mutex_init(&x, 0);\n\
        if (first) pthread_create(&t, 0, none, 0);\n\
        else pthread_create(&t, 0, none, 0);\n\
        return a; }\n\
        int main(void) { pthread_t u; pthread_create(&u, 0, one, 0); pthread_mutex_lock(&m); count++;\n\
        pthread_mutex_unlock(&m); pthread_mutex_lock(&m); count = 2; pthread_mutex_unlock(&m); pthread_join(u, 0);\n\
        pthread_exit(0); }\n";
    let (verdict, _, findings) = searched(program, "stateful");
    assert_eq!(verdict, "verified");
    assert_eq!(findings.iter().map(|finding| finding.1).collect::<Vec<_>>(), [5, 6, 7, 8], "{findings:?}");
    assert_eq!(searched(program, "dfs").2, findings);
}

/// The functions of the second link have no records, so no hash of a state would cover their local states.
#[test]
fn a_program_joined_from_several_links_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = [("a", "int other(void); int main(void) { return other(); }"), ("b", "int other(void) { return 0; }")];
    for (name, text) in files {
        std::fs::write(directory.path().join(name).with_extension("c"), text).expect("written");
        let (source, part) = (format!("{name}.c"), format!("{name}.o"));
        let line = ["cc", "-finspect-frames", "-r", "-O1", &source, "-o", &part];
        assert_eq!(run(&line, directory.path()).0, 0, "{name}");
    }
    assert_eq!(run(&["cc", "-finspect-frames", "a.o", "b.o", "-o", "joined"], directory.path()).0, 0);
    let (status, _, stderr) = run(&["check", "./joined", "--algorithm", "stateful"], directory.path());
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("several links"), "{stderr}");
    assert_eq!(run(&["check", "./joined", "--algorithm", "dfs"], directory.path()).0, 0);
}

#[test]
fn states_that_cannot_be_compared_are_reported_with_reason_and_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/states/thread.c");
    let source = source.to_string_lossy().into_owned();
    let directory = tempfile::tempdir().expect("a directory");
    // No thread has the number 3, so the assertion of the program never fails.
    for (hidden, reason) in [("JUMP", "calls setjmp"), ("CLOCK", "looked at a clock"), ("MASK", "signals")] {
        let hidden = format!("-DHIDDEN={hidden}");
        let common = ["check", source.as_str(), "--cflag=-lm", &hidden, "--algorithm", "stateful"];
        let (status, stdout, stderr) = run(&[&common[..], &["--json", "--", "3"]].concat(), directory.path());
        assert_eq!(status, 0, "{stdout} {stderr}");
        let json: Value = serde_json::from_str(&stdout).expect("an object");
        let all = json["uncompared"].as_array().expect("a list");
        let is_reported = |one: &Value| {
            let words = one["reason"].as_str().is_some_and(|words| words.contains(reason));
            words && one["states"].as_u64() > Some(0) && one["line"].as_u64() > Some(0)
        };
        assert!(all.iter().any(is_reported), "{json}");
        let (_, text, _) = run(&[&common[..], &["--", "3"]].concat(), directory.path());
        assert!(text.contains("could not be compared") && text.contains(reason), "{text}");
    }
    let all = check("papers/example1", &["-DASSERT=0", "--algorithm", "stateful"]);
    assert_eq!(all["uncompared"].as_array().map(Vec::len), Some(0), "{all}");
}
