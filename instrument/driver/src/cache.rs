//! Programs that were built before, found by the contents of everything that went into them.
//!
//! A build is named by its command and by the parts of Inspect and of the compiler (their sizes and times). Under that
//! name the cache keeps which files the compiler and the linker read, as they report it. The program itself is named by
//! the contents of all of these files (of the system's and Inspect's own, by size and time). So whatever changed in one
//! of them, another program is looked for, and none is found unless it was built from just these contents.
//!
//! A header may also come to lie in front of another one of its name. The folders in which the program's own headers
//! are looked for take part with the names that they have of the headers that were read. Not kept are programs whose
//! compiler had something to say, with flags that may name further files, or with sources that ask for more than files:
//! for the time, or whether a header exists.

mod linker;
mod room;

pub(crate) use linker::Link;

use crate::arguments::{Argument, InputKind, input_kind};
use crate::plan::CompilerCommand;
use crate::tools::ToolPaths;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The variable that names the cache's folder; empty, it switches the cache off.
const VARIABLE: &str = "INSPECT_CACHE";

/// Changes with what the names of builds are made of.
const FORMAT: &[u8] = b"inspect build cache 1";

/// Variables of the environment that the compiler and the linker read.
const ENVIRONMENT: [&str; 12] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "LD_RUN_PATH",
    "LD_LIBRARY_PATH",
    "SOURCE_DATE_EPOCH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
];

/// Words in a source after which the program may depend on more than the files that the compiler reads.
const ASKS_FOR_MORE: [&[u8]; 6] = [b"__DATE__", b"__TIME", b"__has_include", b"__has_embed", b"#embed", b".incbin"];

/// How rustc begins a line about a variable of the environment that the program has read while it was compiled.
const READS_VARIABLE: &[u8] = b"# env-dep:";

/// The folder of Rust's own libraries, wherever it lies.
const RUST_LIBRARIES: &str = "rustlib";

/// A folder of programs that were built before.
#[derive(Clone, Debug)]
pub struct BuildCache {
    folder: PathBuf,
}

impl BuildCache {
    /// The one that the environment names: `INSPECT_CACHE`, else `inspect` in the user's folder for caches. None if it
    /// is switched off, or the user has no such folder.
    pub fn of_user() -> Option<BuildCache> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = match std::env::var_os(VARIABLE) {
            Some(value) if value.is_empty() => return None,
            Some(value) => PathBuf::from(value),
            None => set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?.join("inspect"),
        };
        Some(BuildCache { folder })
    }

    /// The cache in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> BuildCache {
        BuildCache { folder: folder.into() }
    }

    /// Writes a file of the cache: nobody sees a part of it.
    fn place(&self, path: &Path, write: impl FnOnce(&Path) -> std::io::Result<()>) -> Option<()> {
        let mut fresh = path.as_os_str().to_owned();
        fresh.push(format!(".{}", std::process::id()));
        let written = write(Path::new(&fresh)).and_then(|()| std::fs::rename(&fresh, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&fresh);
        }
        written.ok()
    }
}

/// A build whose program may be in the cache.
pub(crate) struct CachedBuild<'a> {
    cache: &'a BuildCache,
    /// The name of the command.
    name: String,
    /// Folders in which a header may come to lie in front of another one.
    folders: Vec<PathBuf>,
    /// Where the compiler and the linker write what they read.
    records: [PathBuf; 2],
    /// Inspect's headers and runtime.
    inspect: [PathBuf; 2],
    /// When the build began. What is changed from then on may not be what the compiler has read.
    began: SystemTime,
}

impl<'a> CachedBuild<'a> {
    /// None if what the program depends on is not known.
    pub(crate) fn new(
        cache: &'a BuildCache,
        planned: &CompilerCommand,
        flags: &[Argument],
        sources: &[PathBuf],
        output: &Path,
        tools: &ToolPaths,
    ) -> Option<CachedBuild<'a>> {
        let [source] = sources else { return None };
        // Nothing says what assembly includes, and objects are only linked.
        if input_kind(source.as_os_str(), None) != InputKind::Source {
            return None;
        }
        let mut folders = vec![source.parent()?.to_owned(), tools.include.clone(), PathBuf::from("/usr/local/include")];
        for flag in flags {
            folders.extend(header_folder(flag)?);
        }
        for variable in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"] {
            folders.extend(std::env::var_os(variable).iter().flat_map(std::env::split_paths));
        }
        let mut hash = of_command(planned, &[output], tools)?;
        // Relative paths are in the program's description for debuggers.
        if !source.is_absolute() || folders.iter().any(|folder| !folder.is_absolute()) {
            add(&mut hash, std::env::current_dir().ok()?.as_os_str().as_bytes());
        }
        Some(CachedBuild::named(cache, hash, folders, output, tools))
    }

    /// The same for a Rust program that is named by these words: what rustc says of itself, its flags and the source.
    /// Where a second file for a module comes to lie, rustc refuses the program, which is still found here.
    pub(crate) fn of_rust(
        cache: &'a BuildCache,
        words: &[&[u8]],
        output: &Path,
        tools: &ToolPaths,
    ) -> Option<CachedBuild<'a>> {
        let mut hash = of_tools(&tools.clang, tools)?;
        words.iter().for_each(|word| add(&mut hash, word));
        add_environment(&mut hash);
        // Paths in the description for debuggers begin there.
        add(&mut hash, std::env::current_dir().ok()?.as_os_str().as_bytes());
        Some(CachedBuild::named(cache, hash, Vec::new(), output, tools))
    }

    fn named(
        cache: &'a BuildCache,
        hash: Sha256,
        folders: Vec<PathBuf>,
        output: &Path,
        tools: &ToolPaths,
    ) -> CachedBuild<'a> {
        let record = |of: &str| {
            let mut path = output.as_os_str().to_owned();
            path.push(of);
            PathBuf::from(path)
        };
        let records = [record(".compiled"), record(".linked")];
        let inspect = [tools.include.clone(), tools.guest.clone()];
        CachedBuild { cache, name: text(hash), folders, records, inspect, began: SystemTime::now() }
    }

    /// Where the compiler reports what it read.
    pub(crate) fn compiler_record(&self) -> &Path {
        let [compiled, _] = &self.records;
        compiled
    }

    /// The cache that it may be in.
    pub(crate) fn cache(&self) -> &'a BuildCache {
        self.cache
    }

    /// Brings the program to `output` if it was built before from the same contents.
    pub(crate) fn fetch(&self, output: &Path) -> bool {
        let Ok(list) = std::fs::read(self.list()) else { return false };
        let inputs: Vec<PathBuf> =
            list.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(|path| path_of(path.to_vec())).collect();
        let Some(program) = self.program(&inputs) else { return false };
        if std::fs::copy(&program, output).is_err() {
            return false;
        }
        for used in [program, self.list()] {
            // Where its time cannot be set, it only is removed sooner than others.
            let _ =
                std::fs::File::options().append(true).open(used).and_then(|file| file.set_modified(SystemTime::now()));
        }
        true
    }

    /// Flags by which the compiler reports what it read.
    pub(crate) fn compiler_flags(&self) -> [OsString; 3] {
        ["-MD".into(), "-MF".into(), self.compiler_record().into()]
    }

    /// The flag by which the linker reports what it read.
    pub(crate) fn linker_flag(&self) -> OsString {
        let [_, linked] = &self.records;
        let mut flag = OsString::from("--dependency-file=");
        flag.push(linked);
        flag
    }

    /// Keeps the program. Where that is not possible, it is built again the next time.
    pub(crate) fn keep(&self, output: &Path) {
        let _ = self.try_to_keep(output);
    }

    fn try_to_keep(&self, output: &Path) -> Option<()> {
        let mut inputs = Vec::new();
        for record in &self.records {
            let record = std::fs::read(record).ok()?;
            if record.split(|&byte| byte == b'\n').any(|line| line.starts_with(READS_VARIABLE)) {
                return None;
            }
            inputs.extend(dependencies(&record));
        }
        // What only this build read is gone: an object between compiler and linker.
        inputs.retain(|input| input.exists());
        inputs.sort();
        inputs.dedup();
        if inputs.iter().any(|input| is_changed_since(input, self.began)) {
            return None;
        }
        for input in inputs.iter().filter(|input| !self.is_of_system(input)) {
            let contents = std::fs::read(input).ok()?;
            if ASKS_FOR_MORE.iter().any(|word| contents.windows(word.len()).any(|part| part == *word)) {
                return None;
            }
        }
        let program = self.program(&inputs)?;
        std::fs::create_dir_all(&self.cache.folder).ok()?;
        let list = inputs.iter().map(|input| input.as_os_str().as_bytes()).collect::<Vec<_>>().join(&0);
        let _room = self.cache.make_room(std::fs::metadata(output).ok()?.len() + list.len() as u64)?;
        self.cache.place(&program, |to| std::fs::copy(output, to).map(|_| ()))?;
        self.cache.place(&self.list(), |to| std::fs::write(to, list))
    }

    /// Whether a file belongs to the system or to Inspect: packages replace such files, nobody edits them.
    fn is_of_system(&self, input: &Path) -> bool {
        let lies_in = |folders: &[&str]| folders.iter().any(|folder| input.starts_with(folder));
        lies_in(&["/usr", "/lib", "/lib64"]) && !lies_in(&["/usr/local", "/usr/src"])
            || input.iter().any(|folder| folder == RUST_LIBRARIES)
            || self.inspect.iter().any(|part| input.starts_with(part))
    }

    /// The folders in which a header may come to lie in front of one of these files: those in which the compiler looks
    /// for headers, and those of the files that ask for others by a name in quotes.
    fn folders_in_front(&self, inputs: &[PathBuf]) -> BTreeSet<PathBuf> {
        let own = inputs.iter().filter(|input| !self.is_of_system(input)).filter_map(|input| input.parent());
        self.folders.iter().cloned().chain(own.map(Path::to_owned)).collect()
    }

    /// Where the names of the files are that the build read.
    fn list(&self) -> PathBuf {
        self.cache.folder.join(format!("{}.inputs", self.name))
    }

    /// Where the program is that is built from these files as they are now.
    fn program(&self, inputs: &[PathBuf]) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        add(&mut hash, self.name.as_bytes());
        for input in inputs {
            add(&mut hash, input.as_os_str().as_bytes());
            let contents = if self.is_of_system(input) { identity(input)? } else { std::fs::read(input).ok()? };
            add(&mut hash, &contents);
        }
        for folder in &self.folders_in_front(inputs) {
            for input in inputs.iter().filter(|input| is_header(input)) {
                for hidden in endings(input).map(|ending| folder.join(ending)).filter(|path| path.exists()) {
                    add(&mut hash, hidden.as_os_str().as_bytes());
                }
            }
        }
        Some(self.cache.folder.join(format!("{}.program", text(hash))))
    }
}

/// The hash of a command without these files, and of the tools that it runs.
fn of_command(planned: &CompilerCommand, without: &[&Path], tools: &ToolPaths) -> Option<Sha256> {
    let mut hash = of_tools(&planned.compiler, tools)?;
    for argument in
        planned.arguments.iter().filter(|argument| !without.iter().any(|file| *argument == file.as_os_str()))
    {
        add(&mut hash, argument.as_bytes());
    }
    for word in planned.asked.iter().flat_map(|(variable, value)| [variable, value]) {
        add(&mut hash, word.as_bytes());
    }
    add(&mut hash, b"");
    add_environment(&mut hash);
    Some(hash)
}

/// The hash of the tools that build a program.
fn of_tools(compiler: &Path, tools: &ToolPaths) -> Option<Sha256> {
    let mut hash = Sha256::new();
    hash.update(FORMAT);
    let inspect = std::env::current_exe().ok()?;
    for part in [inspect.as_path(), &tools.pass, &tools.guest, compiler, &tools.lld] {
        add(&mut hash, &identity(part)?);
    }
    Some(hash)
}

fn add_environment(hash: &mut Sha256) {
    for variable in ENVIRONMENT {
        add(hash, std::env::var_os(variable).unwrap_or_default().as_bytes());
    }
}

/// The folder of headers that a flag of the user names. None for a flag after which the program may depend on files
/// that neither the compiler nor the linker reports.
fn header_folder(flag: &Argument) -> Option<Option<PathBuf>> {
    const FOLDERS: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];
    const WITH_REST: [&str; 5] = ["-D", "-U", "-O", "-std=", "-pedantic"];
    const ALONE: [&str; 8] = ["-g", "-g1", "-g2", "-g3", "-w", "-pipe", "-pthread", "-ansi"];
    const OTHERS: [&str; 6] = ["-fprofile", "-fcoverage", "-fmodule", "-fplugin", "-fpass-plugin", "-ftest-coverage"];
    let Argument::Option(name, value) = flag else { return None };
    let name = name.to_str()?;
    for folder in FOLDERS {
        if let Some(joined) = name.strip_prefix(folder) {
            return Some(Some(value.as_ref().map_or_else(|| PathBuf::from(joined), PathBuf::from)));
        }
    }
    let is_warning = name.starts_with("-W") && !name.contains(',');
    let is_choice = (name.starts_with("-f") || name.starts_with("-m"))
        && value.is_none()
        && !name.contains('=')
        && !OTHERS.iter().any(|other| name.starts_with(other));
    let is_known = ALONE.contains(&name) || WITH_REST.iter().any(|known| name.starts_with(known));
    (is_warning || is_choice || is_known).then_some(None)
}

/// Adds a part to a hash, apart from its neighbours.
fn add(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

fn text(hash: Sha256) -> String {
    hash.finalize().iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether a file was changed, or put into its place, since this moment. The file system's clock may be behind by some
/// milliseconds.
fn is_changed_since(input: &Path, moment: SystemTime) -> bool {
    const TICK: Duration = Duration::from_millis(20);
    let Ok(data) = std::fs::metadata(input) else { return true };
    let (Ok(seconds), Ok(rest)) = (u64::try_from(data.ctime()), u32::try_from(data.ctime_nsec())) else { return true };
    SystemTime::UNIX_EPOCH + Duration::new(seconds, rest) + TICK >= moment
}

/// What distinguishes a tool from another version of it.
fn identity(tool: &Path) -> Option<Vec<u8>> {
    let data = std::fs::metadata(tool).ok()?;
    let mut identity = tool.as_os_str().as_bytes().to_vec();
    for number in [data.len() as i64, data.mtime(), data.mtime_nsec(), data.ino() as i64] {
        identity.extend(number.to_le_bytes());
    }
    Some(identity)
}

/// The files that a rule for `make` says its target depends on.
fn dependencies(rule: &[u8]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut word = Vec::new();
    let mut bytes = rule.iter().copied().peekable();
    let mut in_target = true;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek().is_some_and(|&next| next == b' ' || next == b'#' || next == b'\\') => {
                word.extend(bytes.next());
            }
            b'\\' if bytes.peek() == Some(&b'\n') => {
                bytes.next();
                files.extend(taken(&mut word, in_target));
            }
            b'$' if bytes.peek() == Some(&b'$') => word.extend(bytes.next()),
            b':' if in_target && bytes.peek().is_none_or(u8::is_ascii_whitespace) => {
                word.clear();
                in_target = false;
            }
            b'\n' => {
                files.extend(taken(&mut word, in_target));
                in_target = true;
            }
            b' ' => files.extend(taken(&mut word, in_target)),
            _ => word.push(byte),
        }
    }
    files.extend(taken(&mut word, in_target));
    files
}

/// A word that has ended, if it names a file that a target depends on.
fn taken(word: &mut Vec<u8>, in_target: bool) -> Option<PathBuf> {
    let word = std::mem::take(word);
    (!in_target && !word.is_empty()).then(|| path_of(word))
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

fn is_header(path: &Path) -> bool {
    let of_linker = |end: &OsStr| ["o", "a", "so"].iter().any(|known| end == *known);
    !path.extension().is_some_and(of_linker)
}

/// The names by which a file can be asked for in `#include`: its last components.
fn endings(path: &Path) -> impl Iterator<Item = PathBuf> {
    const MOST: usize = 8;
    let parts: Vec<&OsStr> = path.iter().filter(|part| *part != "/").collect();
    (1..=parts.len().min(MOST)).map(move |count| parts[parts.len() - count..].iter().collect())
}

#[cfg(test)]
mod tests;
