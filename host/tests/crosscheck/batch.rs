//! Programs compiled into one executable.

use inspect_core::event::SiteId;
use inspect_core::model::{Program, print};
use inspect_driver::{FACTS_FLAG, ToolPaths};
use inspect_host::program::frames_flag;
use inspect_wire::message::LocalStates;
use object::{Object, ObjectSymbol};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The flags for a program at fixed addresses.
pub(crate) const FIXED: [&str; 2] = ["-no-pie", "-fno-pie"];

/// A compiled file of programs.
pub(crate) struct Batch {
    /// The executable.
    pub(crate) path: PathBuf,
    /// The kind of its frame records, if it was compiled with them.
    pub(crate) local_states: LocalStates,
    arrays: BTreeMap<String, (u64, u64)>,
    sites: BTreeMap<u32, (usize, SiteId)>,
    _directory: TempDir,
}

/// The build tree that `make build` leaves.
pub(crate) fn built() -> PathBuf {
    let inspect = std::env::var_os("INSPECT").map(PathBuf::from);
    let folder = inspect.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release"))
}

impl Batch {
    /// Prints and compiles, at fixed addresses, so that those of the arrays can be read from the file.
    pub(crate) fn compile(programs: &[Program]) -> Batch {
        Batch::compile_with(programs, &FIXED, &str::to_owned)
    }

    /// The same with the text changed in a way that leaves every statement on its line.
    pub(crate) fn compile_changed(programs: &[Program], change: &dyn Fn(&str) -> String) -> Batch {
        Batch::compile_with(programs, &FIXED, change)
    }

    /// The same with frame records, for searches that compare states.
    pub(crate) fn compile_with_frames(programs: &[Program], local_states: LocalStates) -> Batch {
        let flags = ["-no-pie", "-fno-pie", frames_flag(local_states)];
        Batch { local_states, ..Batch::compile_with(programs, &flags, &str::to_owned) }
    }

    /// The same with facts, for searches that prune.
    pub(crate) fn compile_with_facts(programs: &[Program]) -> Batch {
        Batch::compile_with(programs, &["-no-pie", "-fno-pie", FACTS_FLAG], &str::to_owned)
    }

    /// The same as an executable that can be loaded anywhere.
    pub(crate) fn compile_movable(programs: &[Program]) -> Batch {
        Batch::compile_with(programs, &["-pie", "-fPIE"], &str::to_owned)
    }

    fn compile_with(programs: &[Program], placed: &[&str], change: &dyn Fn(&str) -> String) -> Batch {
        let printed = print::print(programs);
        let sites = printed.sites.iter().map(|&(line, number, site)| (line, (number, site))).collect();
        Batch { sites, ..Batch::of_text(&change(&printed.text), placed) }
    }

    /// Compiles a file of programs, of which the first argument chooses one.
    pub(crate) fn of_text(text: &str, flags: &[&str]) -> Batch {
        let directory = TempDir::with_prefix("crosscheck-").expect("a directory");
        let source = directory.path().join("batch.c");
        let path = directory.path().join("batch");
        std::fs::write(&source, text).expect("written");
        let tools = ToolPaths::around(&built()).expect("`make build` was run");
        let flags = ["-g", "-O1", "-w", "-D_GNU_SOURCE"].iter().chain(flags);
        let flags: Vec<OsString> = flags.map(Into::into).collect();
        if let Err(error) = inspect_driver::compile(&[source], &flags, &path, &tools, None, None) {
            panic!("{error:?}\n{text}");
        }
        let (local_states, sites) = (LocalStates::Exact, BTreeMap::new());
        Batch { local_states, arrays: arrays(&path), sites, path, _directory: directory }
    }

    /// Address and size of one of the arrays; nothing if no program uses it.
    pub(crate) fn array(&self, name: &str) -> (u64, u64) {
        self.arrays.get(name).copied().unwrap_or_default()
    }

    /// The program and the statement on a line.
    pub(crate) fn site(&self, line: u32) -> Option<(usize, SiteId)> {
        self.sites.get(&line).copied()
    }
}

fn arrays(path: &Path) -> BTreeMap<String, (u64, u64)> {
    let bytes = std::fs::read(path).expect("compiled");
    let file = object::File::parse(&*bytes).expect("an executable");
    let named =
        |symbol: object::Symbol<'_, '_>| Some((symbol.name().ok()?.to_owned(), (symbol.address(), symbol.size())));
    file.symbols().filter_map(named).collect()
}
