//! Turns the command line of a compiler into the one that is run.
//!
//! Objects are bitcode of un-optimised code (`-flto=full -disable-llvm-passes`): the pass must see every access as the
//! user wrote it, and the user's `-O` takes effect at the link, after the hooks stand.

use crate::arguments::{Argument, InputKind, Language, input_kind, parse};
use crate::hints;
use crate::inputs;
use crate::tools::ToolPaths;
use inspect_wire::facts;
use inspect_wire::hooks::{
    ALL_HOOKS_FLAG, ALL_HOOKS_VARIABLE, DELTAS_FLAG, FRAMES_DELTA, FRAMES_FLAG, FRAMES_VARIABLE, UNINITIALISED_FLAG,
    UNINITIALISED_VARIABLE,
};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The option of other compilers whose objects call the runtime of ThreadSanitizer.
const THREAD_SANITIZER: &str = "-fsanitize=thread";

/// The option of a link that has the pass add the facts of the program.
pub const FACTS_FLAG: &str = "-finspect-facts";

/// The command of the compiler that is run.
#[derive(Debug)]
pub(crate) struct CompilerCommand {
    pub(crate) compiler: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// What the user should know, a line each.
    pub(crate) notices: Vec<String>,
    /// What is asked of the pass beside hooks: the variables that say so, with their values.
    pub(crate) asked: Vec<Variable>,
    /// Inputs of the link without instrumentation.
    pub(crate) uninstrumented: Vec<String>,
}

/// A variable of the environment and its value.
pub(crate) type Variable = (&'static str, &'static str);

/// The flags by which the pass is asked for something beside hooks, with the variable that passes it on.
pub(crate) const ASKING: [(&str, Variable); 5] = [
    (FACTS_FLAG, (facts::VARIABLE, "1")),
    (ALL_HOOKS_FLAG, (ALL_HOOKS_VARIABLE, "1")),
    (UNINITIALISED_FLAG, (UNINITIALISED_VARIABLE, "1")),
    (FRAMES_FLAG, (FRAMES_VARIABLE, "1")),
    (DELTAS_FLAG, (FRAMES_VARIABLE, FRAMES_DELTA)),
];

/// How far the compiler goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The compiler only prints something about itself, or there is nothing to compile.
    Inquiry,
    /// Preprocessor, syntax check: no code is made.
    NoCode,
    /// Assembly text (`-S`).
    Assembly,
    /// Objects (`-c`).
    Object,
    /// One object of several (`-r`).
    Partial,
    /// A program or shared library.
    Link,
}

/// Plans the command for a command line.
pub(crate) fn make(raw: Vec<OsString>, language: Language, tools: &ToolPaths) -> Result<CompilerCommand, String> {
    let compiler = match language {
        Language::C => tools.clang.clone(),
        Language::Cxx => tools.clang_cxx.clone(),
    };
    let mut arguments = parse(raw)?;
    let asked = asked(&mut arguments)?;
    let stage = stage(&arguments);
    let mut notices = Vec::new();
    let arguments = without_thread_sanitizer(arguments, stage);
    let kept = adjust(arguments, stage, &mut notices)?;
    let uninstrumented = if stage == Stage::Link { inputs::uninstrumented(&kept) } else { Vec::new() };
    let mut command = own_flags(stage, &kept, tools);
    kept.into_iter().for_each(|argument| append(&mut command, argument));
    if stage != Stage::Inquiry {
        // The checking variants of the C library's functions hide which memory they touch.
        command.extend(
            ["--start-no-unused-arguments", "-U_FORTIFY_SOURCE", "--end-no-unused-arguments"].map(OsString::from),
        );
    }
    if stage == Stage::Link {
        // It comes last, so that no other option overrides it: no symbol is looked up while the program runs.
        command.push("-Wl,-z,now".into());
    }
    Ok(CompilerCommand { compiler, arguments: command, notices, asked, uninstrumented })
}

/// Flags without those that define macros. They make no difference to how the linker is run, so that the variants of a
/// program share what the cache keeps about the linker.
pub(crate) fn without_macros(flags: &[OsString]) -> Result<Vec<OsString>, String> {
    let defines = |name: &OsStr| [b"-D", b"-U"].iter().any(|define| name.as_bytes().starts_with(*define));
    let mut words = Vec::new();
    parse(flags.to_vec())?
        .into_iter()
        .filter(|argument| !matches!(argument, Argument::Option(name, _) if defines(name)))
        .for_each(|argument| append(&mut words, argument));
    Ok(words)
}

/// The flags that stand before those of the user's command line.
fn own_flags(stage: Stage, kept: &[Argument], tools: &ToolPaths) -> Vec<OsString> {
    if stage == Stage::Inquiry {
        return Vec::new();
    }
    let mut flags = vec!["--start-no-unused-arguments".into()];
    flags.extend(compile_flags(stage, kept, tools));
    if matches!(stage, Stage::Link | Stage::Partial) {
        flags.extend(pass_flags(tools));
    }
    if stage == Stage::Link {
        flags.extend(link_flags(tools));
    }
    flags.push("--end-no-unused-arguments".into());
    flags
}

/// Appends an argument as the compiler takes it.
fn append(command: &mut Vec<OsString>, argument: Argument) {
    match argument {
        Argument::Option(name, value) => {
            command.push(name);
            command.extend(value);
        }
        Argument::Input(file, _) => command.push(file),
        Argument::Library(name) => {
            let mut joined = OsString::from("-l");
            joined.push(name);
            command.push(joined);
        }
    }
}

/// Takes out the flags that ask the pass for something; of two that set one variable, the last counts.
fn asked(arguments: &mut Vec<Argument>) -> Result<Vec<Variable>, String> {
    let mut asked: Vec<Variable> = Vec::new();
    arguments.retain(|argument| {
        let Argument::Option(name, None) = argument else { return true };
        let Some((_, variable)) = ASKING.iter().find(|(flag, _)| name == flag) else { return true };
        asked.retain(|(name, _)| *name != variable.0);
        asked.push(*variable);
        false
    });
    let has = |variable| asked.iter().any(|(name, _)| *name == variable);
    if has(UNINITIALISED_VARIABLE) && has(FRAMES_VARIABLE) {
        return Err(format!(
            "{UNINITIALISED_FLAG} cannot be combined with {FRAMES_FLAG}, which begins all variables as zeros"
        ));
    }
    Ok(asked)
}

fn stage(arguments: &[Argument]) -> Stage {
    let has_input = arguments.iter().any(|a| match a {
        Argument::Input(..) => true,
        Argument::Option(..) | Argument::Library(_) => false,
    });
    let mut stage = Stage::Link;
    for argument in arguments {
        let Argument::Option(name, value) = argument else { continue };
        match name.to_str() {
            Some("--version" | "--help" | "-dumpversion" | "-dumpmachine" | "-dumpspecs" | "-###") => {
                return Stage::Inquiry;
            }
            Some(text) if text.starts_with("-print-") || text.starts_with("--print-") || text.starts_with("--help") => {
                return Stage::Inquiry;
            }
            Some("-E" | "-M" | "-MM" | "-fsyntax-only" | "--preprocess" | "--analyze") => stage = Stage::NoCode,
            Some("-S" | "--assemble") if stage != Stage::NoCode => stage = Stage::Assembly,
            Some("-c" | "--compile") if matches!(stage, Stage::Link | Stage::Partial) => stage = Stage::Object,
            Some("-r" | "-Wl,-r" | "-Wl,--relocatable") if stage == Stage::Link => stage = Stage::Partial,
            Some("-Xlinker") if stage == Stage::Link && value.as_deref() == Some(OsStr::new("-r")) => {
                stage = Stage::Partial;
            }
            _ => {}
        }
    }
    if has_input { stage } else { Stage::Inquiry }
}

/// Takes `-fsanitize=thread` out of the link of objects of another compiler, which call the guest for ThreadSanitizer's
/// runtime. Where there is something to compile, it stays to be refused.
fn without_thread_sanitizer(mut arguments: Vec<Argument>, stage: Stage) -> Vec<Argument> {
    let is_source = |argument: &Argument| match argument {
        Argument::Input(file, language) => input_kind(file, language.as_deref()) != InputKind::Linked,
        Argument::Option(..) | Argument::Library(_) => false,
    };
    if stage == Stage::Link && !arguments.iter().any(is_source) {
        arguments.retain(|argument| !matches!(argument, Argument::Option(name, None) if name == THREAD_SANITIZER));
    }
    arguments
}

/// Drops options that would keep code from the pass, with a notice for each; refuses options that cannot work.
fn adjust(arguments: Vec<Argument>, stage: Stage, notices: &mut Vec<String>) -> Result<Vec<Argument>, String> {
    if stage == Stage::Inquiry {
        return Ok(arguments);
    }
    let mut kept = Vec::new();
    let mut notice = |text: String| {
        if !notices.contains(&text) {
            notices.push(text);
        }
    };
    for argument in arguments {
        let Argument::Option(name, value) = &argument else {
            kept.push(argument);
            continue;
        };
        let behind = value.as_ref().filter(|_| name == "-Xclang");
        if let Some(why) = [Some(name), behind].into_iter().flatten().find_map(|option| refusal(option)) {
            return Err(why);
        }
        let text = name.to_string_lossy();
        let keep = match text.as_ref() {
            "-flto"
            | "-flto=full"
            | "-flto=auto"
            | "-flto=jobserver"
            | "-ffat-lto-objects"
            | "-fno-fat-lto-objects" => false,
            "-fno-lto" => {
                notice("-fno-lto is ignored: the analysis needs the whole program".into());
                false
            }
            t if lessens_debug_information(t) => false,
            "-static" | "--static" | "-static-pie" | "-static-libstdc++" => {
                if stage == Stage::Link {
                    notice(format!(
                        "{text} is ignored: the program is linked dynamically, with the runtime of Inspect"
                    ));
                }
                false
            }
            t if t.starts_with("-flto=") || t.starts_with("-flto-") => {
                if t == "-flto=thin" {
                    notice("-flto=thin is replaced by -flto=full: the analysis needs the whole program".into());
                }
                false
            }
            t if t.starts_with("-fuse-ld=") || t.starts_with("--ld-path=") => {
                if stage == Stage::Link && !t.contains("lld") {
                    notice(format!("{t} is ignored: the program is linked with ld.lld"));
                }
                false
            }
            t if t.starts_with("-Wl,-plugin") || t.starts_with("-Wl,--lto-") || t.starts_with("-Wl,-plugin-opt") => {
                false
            }
            _ => true,
        };
        if keep {
            kept.push(argument);
        }
    }
    Ok(kept)
}

/// Why an option cannot work, if it cannot: one of the compiler's, or one behind `-Xclang`.
fn refusal(option: &OsStr) -> Option<String> {
    let option = option.to_str()?;
    if matches!(option, "-m32" | "-mx32" | "-m16") {
        Some(format!("{option} is not supported: only 64-bit x86 programs are"))
    } else if option.starts_with("-fsanitize=") {
        let other = if option == THREAD_SANITIZER { "; objects that were built with it can be linked" } else { "" };
        Some(format!("{option} cannot be combined with Inspect: both watch the memory of the program{other}"))
    } else if option.starts_with("-finstrument-function") || option.starts_with("-fsanitize-coverage") {
        Some(format!("{option} is not supported: the analysis does not see the calls that it adds"))
    } else {
        None
    }
}

/// Whether a flag asks for less than full debug information, or for some of it elsewhere. The blocks of the source are
/// known from full debug information only.
fn lessens_debug_information(flag: &str) -> bool {
    const LESS: [&str; 8] =
        ["-g0", "-ggdb0", "-gsplit-dwarf", "-g1", "-ggdb1", "-gmlt", "-gline-tables-only", "-gline-directives-only"];
    LESS.contains(&flag)
}

/// Flags that every compilation gets.
fn compile_flags(stage: Stage, arguments: &[Argument], tools: &ToolPaths) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-isystem".into(), tools.include.clone().into()];
    if is_old_c(arguments) {
        flags.extend(hints::flags_of_old_c().map(OsString::from));
    }
    if matches!(stage, Stage::NoCode | Stage::Assembly) {
        return flags;
    }
    // Code behind the end of a function that returns nothing runs on, as with gcc. No loop is taken to end: where all
    // code is optimised as a whole, one that waits for a variable that nobody writes would be removed, and what comes
    // after it. The last flag marks where blocks end, which is not done without optimisation otherwise; it has no other
    // effect here.
    flags.extend(["-g", "-fno-strict-return", "-fno-finite-loops", "-flto=full"].map(OsString::from));
    flags.extend(
        ["-Xclang", "-disable-O0-optnone", "-Xclang", "-fsanitize-address-use-after-scope"].map(OsString::from),
    );
    let counts = |name: &OsStr| {
        let bytes = name.as_bytes();
        [&b"-fprofile"[..], b"--coverage", b"-coverage", b"-fcoverage", b"-ftest-coverage", b"-fcs-profile"]
            .iter()
            .any(|p| bytes.starts_with(p))
    };
    // Counters for coverage and profiles are inserted by passes.
    if arguments.iter().any(|a| matches!(a, Argument::Option(name, _) if counts(name))) {
        flags.push("-O0".into());
    } else {
        flags.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    }
    flags
}

/// Whether the sources are in C of 1989.
fn is_old_c(arguments: &[Argument]) -> bool {
    let standard = arguments.iter().rev().find_map(|argument| match argument {
        Argument::Option(name, None) if name == "-ansi" => Some("c89"),
        Argument::Option(name, None) => name.to_str()?.strip_prefix("-std="),
        _ => None,
    });
    matches!(standard, Some("c89" | "c90" | "gnu89" | "gnu90" | "iso9899:1990" | "iso9899:199409"))
}

/// Flags that bring the pass into the link.
fn pass_flags(tools: &ToolPaths) -> Vec<OsString> {
    let mut linker = OsString::from("--ld-path=");
    linker.push(&tools.lld);
    let mut plugin = OsString::from("-Wl,--load-pass-plugin=");
    plugin.push(&tools.pass);
    vec![linker, plugin]
}

/// Flags of a final link. The runtime comes before every other library: it must be the first to define its symbols. It
/// has no soname, so the program names it by its whole path, and no `LD_LIBRARY_PATH` can lead to another one.
fn link_flags(tools: &ToolPaths) -> Vec<OsString> {
    let mut flags: Vec<OsString> = [
        // Version scripts may name symbols that are gone.
        "-Wl,--undefined-version",
        "-Wl,--push-state,--no-as-needed",
    ]
    .map(OsString::from)
    .to_vec();
    flags.push(tools.guest.clone().into());
    flags.push("-Wl,--pop-state".into());
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_left_out_and_nothing_else() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let flags = words("-DN=1 -O2 -D M -Xlinker -DX -UN -U M -lm -L -Dir");
        assert_eq!(without_macros(&flags), Ok(words("-O2 -Xlinker -DX -lm -L -Dir")));
    }
}
