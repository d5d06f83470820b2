//! Builds a program of one source in two processes, the compiler and the linker, without the compiler's driver between
//! them: asked for an object only, the driver compiles in its own process, and how it would run the linker is kept in
//! the cache.

use crate::arguments::Language;
use crate::cache::{CachedBuild, Link};
use crate::child::{COLORS, CompilerRun, Stop, colored, command, run_with_hints, with_variables};
use crate::plan::{self, CompilerCommand};
use crate::tools::ToolPaths;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The two steps of a build.
pub(crate) struct Steps<'a> {
    compile: CompilerCommand,
    link: CompilerCommand,
    object: Object,
    program: &'a Path,
}

/// The object between the two steps. It is removed when the build is over.
struct Object(PathBuf);

impl Drop for Object {
    fn drop(&mut self) {
        // There is none after an error in the source.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl<'a> Steps<'a> {
    /// Plans the steps; `source` is a word of the command line.
    pub(crate) fn plan(
        flags: &[OsString],
        source: OsString,
        program: &'a Path,
        language: Language,
        tools: &ToolPaths,
    ) -> Result<Steps<'a>, String> {
        let mut object = program.as_os_str().to_owned();
        object.push(".o");
        let with = |flags: &[OsString], more: &[OsString]| {
            let words = flags.iter().chain(more).cloned();
            plan::make(words.collect(), language, tools)
        };
        let compile = with(flags, &["-c".into(), source, "-o".into(), object.clone()])?;
        let link = with(&plan::without_macros(flags)?, &[object.clone(), "-o".into(), program.into()])?;
        Ok(Steps { compile, link, object: Object(object.into()), program })
    }

    /// Runs both, or the first one only if it fails.
    pub(crate) fn run(
        &self,
        known: &CachedBuild<'_>,
        tools: &ToolPaths,
        stop: Option<&Stop>,
    ) -> std::io::Result<CompilerRun> {
        let mut compile = self.compiler(tools);
        compile.args(known.compiler_flags());
        let mut compiled = run_with_hints(colored(&mut compile, COLORS), stop)?;
        if compiled.status.success() {
            let linked = run_with_hints(&mut self.linker(known, tools), stop)?;
            compiled.add(linked);
        }
        Ok(compiled)
    }

    /// The compiler's driver, which compiles in its own process.
    fn compiler(&self, tools: &ToolPaths) -> Command {
        let Some(quick) = self.quick(tools) else { return command(&self.compile) };
        let mut quick = with_variables(Command::new(quick), &self.compile);
        quick.arg(&self.compile.compiler).args(&self.compile.arguments);
        quick
    }

    /// The program that is compiler and linker in one, if it can make this program: it has no plugins but the pass, and
    /// one processor.
    fn quick<'t>(&self, tools: &'t ToolPaths) -> Option<&'t Path> {
        const OTHERS: [&str; 6] = ["-fplugin", "-fpass-plugin", "-load", "-mllvm", "-target", "--target"];
        /// Changes the driver's arguments.
        const EDITED: &str = "CCC_OVERRIDE_OPTIONS";
        let needs_others = |word: &OsString| {
            let word = word.to_string_lossy();
            OTHERS.iter().any(|other| word.starts_with(other))
        };
        let is_plain = !self.compile.arguments.iter().any(needs_others) && std::env::var_os(EDITED).is_none();
        tools.quick.as_deref().filter(|_| is_plain)
    }

    /// The linker, or the driver that runs it if it does not say how.
    fn linker(&self, known: &CachedBuild<'_>, tools: &ToolPaths) -> Command {
        let link = Link { planned: &self.link, object: &self.object.0, program: self.program };
        let Some(words) = known.cache().linker_command(&link, tools) else {
            let mut driver = command(&self.link);
            driver.arg("-Xlinker").arg(known.linker_flag());
            colored(&mut driver, COLORS);
            return driver;
        };
        let linker = words.first().map(PathBuf::from).unwrap_or_default();
        let quick = self.quick(tools).filter(|_| linker == tools.lld);
        let mut linker = with_variables(Command::new(quick.unwrap_or(&linker)), &self.link);
        let mut pass = OsString::from("--load-pass-plugin=");
        pass.push(&tools.pass);
        // The quick linker takes its name as an argument, and has the pass.
        let left_out =
            |(number, word): &(usize, &OsString)| if quick.is_some() { **word == pass } else { *number == 0 };
        linker.args(words.iter().enumerate().filter(|word| !left_out(word)).map(|(_, word)| word));
        linker.arg(known.linker_flag());
        colored(&mut linker, "--color-diagnostics=always");
        linker
    }
}
