//! The cache of programs: a change of what went into a program is never missed, and an unchanged one is not built
//! again.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn inspect() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository");
    let path = std::env::var_os("INSPECT").map_or_else(|| repository.join("target/release/inspect"), PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

/// Sources in a folder of their own, with a cache of their own.
struct Project {
    home: TempDir,
}

impl Project {
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.home.path().join(name), text).expect("written");
        // What changes while a program is built is not kept, and the file system's clock is not exact.
        std::thread::sleep(std::time::Duration::from_millis(100));
    }

    /// The status of `inspect check`: 0 if verified, 1 if violated.
    fn check(&self, flags: &[&str]) -> Option<i32> {
        self.check_file("a.c", flags)
    }

    fn check_file(&self, file: &str, flags: &[&str]) -> Option<i32> {
        let mut command = Command::new(inspect());
        command.args(["check", "--quiet", file]).args(flags).current_dir(self.home.path());
        command.env("INSPECT_CACHE", self.cache());
        command.output().expect("inspect runs").status.code()
    }

    fn cache(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    /// How many programs the cache has.
    fn programs(&self) -> usize {
        let entries = std::fs::read_dir(self.cache()).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "program")).count()
    }
}

const SOURCE: &str = "#include <assert.h>\n#include \"limit.h\"\nint main(void) { assert(LIMIT == 1); return 0; }\n";
const GOOD: &str = "#define LIMIT 1\n";
const BAD: &str = "#define LIMIT 2\n";

/// A program whose verdict a header decides.
fn project() -> Project {
    let project = Project { home: tempfile::tempdir().expect("a folder") };
    std::fs::create_dir(project.home.path().join("include")).expect("a folder");
    project.write("a.c", SOURCE);
    project.write("include/limit.h", GOOD);
    project
}

const WITH_HEADERS: &[&str] = &["--cflag=-Iinclude"];

#[test]
fn a_program_is_built_again_exactly_if_a_file_or_a_flag_changed() {
    let project = project();
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(0), 1), "built");
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(0), 1), "found");
    project.write("include/limit.h", BAD);
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(1), 2), "another header");
    project.write("include/limit.h", GOOD);
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(0), 2), "the first one again");
    assert_eq!((project.check(&["--cflag=-Iinclude", "-D", "NDEBUG"]), project.programs()), (Some(0), 3), "a macro");
    project.write("limit.h", BAD);
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(1), 4), "a header in front of the other");
}

#[test]
fn what_depends_on_more_than_files_is_built_each_time() {
    let project = project();
    project.write("a.c", &format!("#if __has_include(\"more.h\")\n#include \"more.h\"\n#endif\n{SOURCE}"));
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(0), 0), "no header more.h");
    project.write("more.h", "#define main(x) main(void) { assert(0); } int other(x)\n");
    assert_eq!((project.check(WITH_HEADERS), project.programs()), (Some(1), 0), "the header is there now");
}

#[test]
fn a_rust_program_is_built_again_exactly_if_a_file_or_a_flag_changed() {
    let project = Project { home: tempfile::tempdir().expect("a folder") };
    project.write("main.rs", "mod limit;\nfn main() { assert!(limit::LIMIT == if cfg!(two) { 2 } else { 1 }); }\n");
    project.write("limit.rs", "pub const LIMIT: u32 = 1;\n");
    let check = |flags: &[&str]| (project.check_file("main.rs", flags), project.programs());
    assert_eq!(check(&[]), (Some(0), 1), "built");
    assert_eq!(check(&[]), (Some(0), 1), "found");
    assert_eq!(check(&["--cflag=--cfg=two"]), (Some(1), 2), "another flag");
    project.write("limit.rs", "pub const LIMIT: u32 = 2;\n");
    assert_eq!(check(&[]), (Some(1), 3), "another module");
    project.write("limit.rs", "pub const LIMIT: u32 = env ! (\"PATH\").len() as u32;\n");
    assert_eq!(check(&[]), (Some(1), 3), "a variable of the environment: not kept");
}

#[test]
fn a_damaged_cache_is_built_over() {
    let project = project();
    assert_eq!(project.check(WITH_HEADERS), Some(0));
    for entry in std::fs::read_dir(project.cache()).expect("a cache").flatten() {
        if entry.path().extension().is_some_and(|end| end == "inputs") {
            std::fs::write(entry.path(), b"nowhere.c\0").expect("damaged");
        }
    }
    project.write("include/limit.h", BAD);
    assert_eq!(project.check(WITH_HEADERS), Some(1));
}

#[test]
fn warnings_are_shown_each_time() {
    let project = project();
    project.write("a.c", &format!("#warning look here\n{SOURCE}"));
    for round in 0..2 {
        let mut command = Command::new(inspect());
        command.args(["check", "--quiet", "a.c", "--cflag=-Iinclude"]).current_dir(project.home.path());
        let output = command.env("INSPECT_CACHE", project.cache()).output().expect("inspect runs");
        assert!(String::from_utf8_lossy(&output.stderr).contains("look here"), "round {round}");
    }
    assert_eq!(project.programs(), 0);
}

/// A folder with the tool, where the pass is a copy that `inspect-llvm` was not made of: programs are built by the
/// distribution's compiler and linker.
fn without_quick_compiler() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let built = inspect().canonicalize().expect("a path");
    let place = |name: &str| (built.with_file_name(name), folder.path().join(name));
    for name in ["inspect", "libinspect_pass.so", "inspect-llvm", "inspect-llvm.parts"] {
        let (from, to) = place(name);
        std::fs::copy(&from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
    for name in ["libinspect_guest.so", "libinspect_guest_many.so"] {
        let (from, to) = place(name);
        std::os::unix::fs::symlink(from, to).expect("a link");
    }
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../instrument/include");
    std::os::unix::fs::symlink(headers, folder.path().join("include")).expect("a link");
    folder
}

/// The messages of a build, and the program that is kept of it.
fn built(tool: &Path, project: &Project, cache: &str, words: &[&str]) -> (String, Option<Vec<u8>>) {
    let cache = project.home.path().join(cache);
    let mut command = Command::new(tool);
    command.args(["check", "--quiet", "--max-executions", "1"]).args(words).current_dir(project.home.path());
    let output = command.env("INSPECT_CACHE", &cache).output().expect("inspect runs");
    let entries = std::fs::read_dir(&cache).into_iter().flatten().flatten();
    let mut programs =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "program"));
    let program = programs.next().map(|path| std::fs::read(path).expect("readable"));
    assert_eq!(programs.next(), None, "one program is kept");
    (without_folder(&String::from_utf8_lossy(&output.stderr)), program)
}

/// The messages without the name of the folder that a program is built in, which is another one each time.
fn without_folder(messages: &str) -> String {
    const FOLDER: &str = "/.build";
    let parts = messages.split(FOLDER).enumerate();
    parts
        .map(|(number, part)| if number == 0 { part } else { part.split_once('/').map_or(part, |(_, rest)| rest) })
        .collect()
}

#[test]
fn the_quick_compiler_makes_the_programs_and_messages_of_the_distribution_s() {
    let other = without_quick_compiler();
    let project = project();
    project.write("warned.c", "int main(void) { int unused; return 0; }\n");
    project.write("wrong.c", "int main(void) { return missing; }\n");
    project.write("unlinked.c", "int missing(void); int main(void) { return missing(); }\n");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let of_corpus = |name: &str| corpus.join(name).display().to_string();
    let (threads, coroutine) = (of_corpus("papers/indexer/prog.c"), of_corpus("cxx/async/prog.cc"));
    let cases: [(&[&str], bool); 7] = [
        (&["a.c", "--cflag=-Iinclude"], true),
        (&[&threads, "-D", "N=3"], true),
        (&[&coroutine, "--cflag=-std=c++20"], true),
        (&["warned.c", "--cflag=-Wall"], false),
        (&["wrong.c"], false),
        (&["warned.c", "--cflag=-fno-such-thing"], false),
        (&["unlinked.c"], false),
    ];
    for (number, (words, is_kept)) in cases.into_iter().enumerate() {
        let quick = built(&inspect(), &project, &format!("quick-{number}"), words);
        let usual = built(&other.path().join("inspect"), &project, &format!("usual-{number}"), words);
        assert_eq!(quick.0, usual.0, "the messages for {words:?}");
        assert_eq!(quick.1.is_some(), is_kept, "{words:?}: {}", quick.0);
        assert!(quick.1 == usual.1, "the programs of {words:?} differ");
    }
}

/// It is used at all.
#[test]
fn there_is_a_quick_compiler_of_this_very_pass() {
    let folder = inspect().canonicalize().expect("a path");
    let tools = inspect_driver::ToolPaths::around(folder.parent().expect("a folder")).expect("the tool is built");
    assert_eq!(tools.quick, Some(folder.with_file_name("inspect-llvm")));
}
