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
