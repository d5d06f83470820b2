//! Builds `inspect-llvm`: clang's and lld's libraries and the pass in one program that is linked statically
//! (`instrument/compiler/main.cpp` says why).
//!
//! Beside it lies `inspect-llvm.parts`, which names the pass and the compiler that it has the code of: whoever calls it
//! leaves it alone if those are not the ones that are there.

use crate::guest::root;
use inspect_driver::ToolPaths;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Error = Box<dyn std::error::Error>;

/// Clang's libraries of which the program has parts. Whatever of LLVM these need is taken as well.
const CLANG: [&str; 16] = [
    "Basic",
    "CodeGen",
    "Driver",
    "Frontend",
    "Lex",
    "Parse",
    "Sema",
    "AST",
    "ASTMatchers",
    "Analysis",
    "AnalysisLifetimeSafety",
    "APINotes",
    "Edit",
    "Options",
    "Serialization",
    "Support",
];
const LLD: [&str; 2] = ["ELF", "Common"];
/// What LLVM calls for each processor that it knows.
const OF_TARGETS: [&str; 5] = ["Target", "TargetInfo", "TargetMC", "AsmPrinter", "AsmParser"];
/// The only one that Inspect's programs run on.
const TARGET: &str = "X86";

/// Where the distribution's LLVM is.
struct Llvm {
    version: String,
    compiler: PathBuf,
    headers: PathBuf,
    libraries: PathBuf,
    /// The archives of LLVM itself.
    archives: Vec<PathBuf>,
}

impl Llvm {
    fn find() -> Result<Llvm, Error> {
        let ask = |what: &[&str]| -> Result<String, Error> {
            let output = Command::new("llvm-config-22").args(what).output()?;
            Ok(String::from_utf8(output.stdout)?.trim().to_owned())
        };
        let archives = ask(&["--link-static", "--libfiles", "all"])?;
        // The name of the optimiser's entry is that of the pass in this program.
        let is_wanted = |path: &PathBuf| !path.to_string_lossy().contains("Polly");
        Ok(Llvm {
            version: ask(&["--version"])?,
            compiler: Path::new(&ask(&["--bindir"])?).join("clang++"),
            headers: ask(&["--includedir"])?.into(),
            libraries: ask(&["--libdir"])?.into(),
            archives: archives.split_whitespace().map(PathBuf::from).filter(is_wanted).collect(),
        })
    }

    fn libraries(&self) -> impl Iterator<Item = PathBuf> {
        let clang = CLANG.iter().map(|name| format!("libclang{name}.a"));
        let lld = LLD.iter().map(|name| format!("liblld{name}.a"));
        clang.chain(lld).map(|name| self.libraries.join(name)).chain(self.archives.iter().cloned())
    }

    /// Compiles a source of the program, unless that was done for the same source.
    fn compile(&self, source: &Path, object: &Path) -> Result<(), Error> {
        if is_newer(object, &[source]) {
            return Ok(());
        }
        let mut command = Command::new(&self.compiler);
        command.args(["-std=c++17", "-fno-rtti", "-fno-exceptions", "-O1", "-c", "-isystem"]).arg(&self.headers);
        run(command.arg(source).arg("-o").arg(object))
    }

    /// A source that stands for the processors other than [`TARGET`], of which there is nothing to initialise.
    fn others(&self) -> Result<String, Error> {
        let all = fs::read_to_string(self.headers.join("llvm/Config/Targets.def"))?;
        let names = all.lines().filter_map(|line| line.strip_prefix("LLVM_TARGET(")?.strip_suffix(')'));
        let mut source = String::from("extern \"C\" {\n");
        for name in names.filter(|name| *name != TARGET) {
            OF_TARGETS.iter().try_for_each(|part| writeln!(source, "void LLVMInitialize{name}{part}() {{}}"))?;
        }
        Ok(source + "}\n")
    }
}

/// Builds it into `target/release`, beside the pass that was built there.
pub(crate) fn build() -> Result<(), Error> {
    let (root, llvm) = (root(), Llvm::find()?);
    let release = root.join("target/release");
    // Objects of another version do not go with this one's libraries.
    let (folder, program) = (root.join("target/compiler").join(&llvm.version), release.join(ToolPaths::QUICK));
    fs::create_dir_all(&folder)?;
    let (main, pass) = (root.join("instrument/compiler/main.cpp"), release.join("libinspect_pass.a"));
    let parts = ToolPaths::parts_with(&release.join("libinspect_pass.so"));
    let parts = parts.ok_or("the pass or clang is not there")?;
    let named = program.with_extension(ToolPaths::PARTS);
    if fs::read_to_string(&named).is_ok_and(|known| known == parts) && is_newer(&program, &[&main, &pass]) {
        return Ok(());
    }
    let others = folder.join("others.cpp");
    fs::write(&others, llvm.others()?)?;
    let objects = [folder.join("main.o"), folder.join("others.o")];
    llvm.compile(&main, &objects[0])?;
    llvm.compile(&others, &objects[1])?;
    let fresh = folder.join(ToolPaths::QUICK);
    let mut link = Command::new(&llvm.compiler);
    link.args(["-fuse-ld=lld", "-no-pie", "-static-libstdc++", "-static-libgcc", "-Wl,--gc-sections,--strip-all"]);
    // LLVM only asks whether there is such an entry.
    link.args(["-Wl,--as-needed", "-Wl,--undefined=llvmGetPassPluginInfo"]).args(objects).arg(&pass);
    link.args(llvm.libraries()).args(["-l:libz.so.1", "-l:libzstd.so.1", "-lm", "-o"]).arg(&fresh);
    run(&mut link)?;
    fs::rename(&fresh, &program)?;
    fs::write(named, parts)?;
    Ok(())
}

/// Whether a file is there and was made after all of these.
fn is_newer(file: &Path, than: &[&Path]) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let made = time(file);
    made.is_some() && than.iter().all(|path| time(path) < made)
}

fn run(command: &mut Command) -> Result<(), Error> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)).into())
}
