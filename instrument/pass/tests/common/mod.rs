//! Builds programs with the driver and the plugin under test and a runtime that prints which hooks are called.

#![allow(dead_code, reason = "each test file uses some of it")]

use inspect_driver::{Language, ToolPaths, prepare};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const SOURCES: &str = env!("CARGO_MANIFEST_DIR");

/// The tools, with the stub as the runtime.
fn tools() -> &'static ToolPaths {
    static TOOLS: OnceLock<ToolPaths> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let executable = std::env::current_exe().expect("the test has a path");
        let folder = executable.parent().expect("it is in a folder");
        let pass = [folder.join("libinspect_pass.so"), folder.join("../libinspect_pass.so")]
            .into_iter()
            .find(|path| path.exists())
            .expect("cargo has built the plugin");
        let guest = scratch("runtime").join("libinspect_guest.so");
        let clang = PathBuf::from("/usr/bin/clang-22");
        let status = Command::new(&clang)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&guest)
            .arg(Path::new(SOURCES).join("../tests/stub.c"))
            .status()
            .expect("clang runs");
        assert!(status.success());
        ToolPaths {
            pass,
            guest,
            include: Path::new(SOURCES).join("../include"),
            clang_cxx: PathBuf::from("/usr/bin/clang++-22"),
            lld: PathBuf::from("/usr/bin/ld.lld-22"),
            quick: None,
            clang,
        }
    })
}

/// The runtime's file.
pub(crate) fn runtime() -> &'static Path {
    &tools().guest
}

/// The folder with the headers of Inspect.
pub(crate) fn include() -> &'static Path {
    &tools().include
}

/// The tools, to call the driver's functions with.
pub(crate) fn tool_paths() -> &'static ToolPaths {
    tools()
}

/// A new empty folder.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// A folder with source files in which the driver is run.
pub(crate) struct Project {
    pub(crate) folder: PathBuf,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let folder = scratch("project");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("the file can be written");
        }
        Project { folder }
    }

    fn prepared(&self, language: Language, line: &str) -> Result<(Command, Vec<String>), String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        // The driver looks at inputs relative to where it runs; the tests share one process and give absolute names.
        let words = words.into_iter().map(|word| self.absolute(word)).collect();
        let (mut command, notices) = prepare(words, language, tools())?;
        command.current_dir(&self.folder);
        Ok((command, notices))
    }

    fn driver(&self, language: Language, line: &str) -> (Command, Vec<String>) {
        self.prepared(language, line).expect("the driver takes the command line")
    }

    /// Why the C driver refuses a command line.
    pub(crate) fn refusal(&self, line: &str) -> String {
        self.prepared(Language::C, line).expect_err("the driver refuses the command line")
    }

    fn absolute(&self, word: OsString) -> OsString {
        let path = self.folder.join(&word);
        let is_file = !word.to_string_lossy().starts_with('-') && path.exists();
        if is_file { path.into_os_string() } else { word }
    }

    /// Runs the C driver; it must succeed.
    pub(crate) fn cc(&self, line: &str) -> Output {
        self.check(Language::C, line)
    }

    /// Runs the C++ driver; it must succeed.
    pub(crate) fn cxx(&self, line: &str) -> Output {
        self.check(Language::Cxx, line)
    }

    fn check(&self, language: Language, line: &str) -> Output {
        let output = self.driver(language, line).0.output().expect("clang runs");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Runs the C driver, which may fail.
    pub(crate) fn try_cc(&self, line: &str) -> Output {
        self.driver(Language::C, line).0.output().expect("clang runs")
    }

    /// The notices for a command line.
    pub(crate) fn notices(&self, line: &str) -> Vec<String> {
        self.driver(Language::C, line).1
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs a program of the project while its hooks print nothing; returns standard output and exit status.
    pub(crate) fn run(&self, program: &str) -> (String, Option<i32>) {
        let output = Command::new(self.path(program)).current_dir(&self.folder).output().expect("the program runs");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }

    /// The hooks that a run of a program calls before its main returns, in order, each as a line.
    pub(crate) fn hooks(&self, program: &str) -> Vec<String> {
        let mut hooks = self.all_hooks(program);
        hooks.retain(|hook| !hook.starts_with("leave_main "));
        hooks
    }

    /// The hooks that a run of a program calls, those of returns from main among them.
    pub(crate) fn all_hooks(&self, program: &str) -> Vec<String> {
        let output = Command::new(self.path(program))
            .current_dir(&self.folder)
            .env("INSPECT_STUB", "1")
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().filter_map(|line| line.strip_prefix('@')).map(|line| line.trim_end().to_owned()).collect()
    }
}

/// Compiles one C file and returns the hooks that its run calls.
pub(crate) fn hooks_of(source: &str) -> Vec<String> {
    hooks_with(source, "-O1 -pthread")
}

/// The same, with other flags.
pub(crate) fn hooks_with(source: &str, flags: &str) -> Vec<String> {
    let project = Project::new(&[("t.c", source)]);
    project.cc(&format!("{flags} t.c -o t"));
    project.hooks("t")
}
