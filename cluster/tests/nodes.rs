//! Nodes differ: one forbids fixed addresses, one lacks a library, one does not let the program start. Here a node is a
//! rank in a mount namespace of its own, or behind a program that takes something from it.

mod common;

use common::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Compiles with the distribution's compiler.
fn cc(words: &[&str], output: &Path) {
    let mut command = Command::new("cc");
    let compiled = command.args(words).arg("-o").arg(output).output().expect("a C compiler is there");
    assert!(compiled.status.success(), "{compiled:?}");
}

/// Rank 0 as always, and rank 1 started by these words. Both work in the program's folder.
fn beside(program: &Program, start: &[&str], options: &[&str]) -> Output {
    let mut command = mpirun(&[(1, tool("inspect-mpi"))], options, Path::new("./program"));
    command.args([":", "-n", "1"]).args(start).arg(tool("inspect-mpi")).args(["check", "-j", "1"]).args(options);
    command.arg("./program").current_dir(program.folder.path()).output().expect("it ends")
}

/// The words that start a program in a mount namespace in which `script` was run. None if this user may not make one.
fn with_mounts(folder: &TempDir, script: &str) -> Option<[String; 4]> {
    let allowed = Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|status| status.success());
    if !allowed {
        println!("skipped: no mount namespace can be had here");
        return None;
    }
    let file = folder.path().join("mounts");
    std::fs::write(&file, format!("set -e\n{script}\nexec \"$@\"\n")).expect("written");
    Some(["unshare".into(), "-m".into(), "/bin/sh".into(), file.display().to_string()])
}

#[test]
fn a_node_that_forbids_fixed_addresses_is_named() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    let forbid = program.path("forbid");
    let source = repository().join("cluster/tests/programs/forbid_personality.c");
    cc(&[&source.display().to_string()], &forbid);
    let refused = beside(&program, &[&forbid.display().to_string()], &[]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let said = errors(&refused);
    assert!(said.contains("inspect-mpi: rank 1 on ") && said.contains("fixed addresses are forbidden there"), "{said}");
}

/// A program with a library of its own, which lies in another folder.
fn with_library() -> (Program, PathBuf) {
    let program = Program { folder: TempDir::with_prefix("nodes-").expect("a temporary directory") };
    let library = program.path("libraries");
    std::fs::create_dir(&library).expect("a folder");
    let source = program.path("own.c");
    std::fs::write(&source, "int weight(void) { return 1; }\n").expect("written");
    cc(&["-shared", "-fPIC", &source.display().to_string()], &library.join("libown.so"));
    let main = "#include <pthread.h>\n#include <assert.h>\nint weight(void);\nstatic pthread_mutex_t mutex = \
        PTHREAD_MUTEX_INITIALIZER;\nstatic int sum;\nstatic void *add(void *none) {\n  for (int i = 0; i < 3; i++) {\n    \
        pthread_mutex_lock(&mutex);\n    sum += 1;\n    pthread_mutex_unlock(&mutex);\n  }\n  return none;\n}\nint \
        main(void) {\n  pthread_t threads[3];\n  int one = weight();\n  for (int i = 0; i < 3; i++) \
        pthread_create(&threads[i], 0, add, 0);\n  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);\n  \
        assert(sum == 9 * one);\n  return 0;\n}\n";
    let main_file = program.path("main.c");
    std::fs::write(&main_file, main).expect("written");
    let mut compile = Command::new(tool("inspect"));
    compile.args(["cc", "-g", "-pthread", "-o"]).arg(program.path("program")).arg(&main_file);
    compile.arg(library.join("libown.so")).arg(format!("-Wl,-rpath,{}", library.display()));
    let compiled = compile.output().expect("inspect starts");
    assert!(compiled.status.success(), "{}", errors(&compiled));
    (program, library)
}

/// 9! / (3!)^3 orders of three threads that lock a mutex three times.
#[test]
fn a_library_that_a_node_lacks_is_sent() {
    let (program, library) = with_library();
    let hide = format!("mount -t tmpfs none {}", library.display());
    let Some(start) = with_mounts(&program.folder, &hide) else { return };
    let shared = report(&beside(&program, &start.each_ref().map(String::as_str), &[]));
    let alone = program.alone(&[]);
    assert_eq!(alone["executions"].as_u64(), Some(1680), "{alone}");
    assert_eq!(result(&shared), result(&alone), "{shared}");
}

/// The program lies on a file system there from which nothing may be started.
#[test]
fn a_node_where_the_program_does_not_start_is_named() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=17"]);
    let folder = program.folder.path().display();
    let cover = format!(
        "cp {folder}/program /dev/shm/program.$$\nmount -t tmpfs -o noexec none {folder}\nmv /dev/shm/program.$$ \
         {folder}/program\ncd {folder}"
    );
    let Some(start) = with_mounts(&program.folder, &cover) else { return };
    let refused = beside(&program, &start.each_ref().map(String::as_str), &[]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let said = errors(&refused);
    assert!(said.contains("inspect-mpi: rank 1 on ") && said.contains("Permission denied"), "{said}");
}
