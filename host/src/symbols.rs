//! From addresses to source lines and names of objects: the only module that does so.
//!
//! A [`SiteId`] is either the address of a static record, which the guest resolves and reports, or an address inside
//! the instruction that the thread was at, which is looked up here in the debug information of the module that holds
//! it.

use crate::run::AddressContext;
use inspect_core::event::{ByteRange, SiteId, ThreadId};
use inspect_wire::GUEST_LIBRARY;
use inspect_wire::hooks::USES_SECTION;
use inspect_wire::message::{CallStacks, LoadedModule, ResolvedSite};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A place in the source, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The file: relative to the current directory if it lies below it.
    pub file: Option<String>,
    /// The file as an absolute path, to read it.
    pub path: Option<PathBuf>,
    /// Line, or 0.
    pub line: u32,
    /// Column, or 0.
    pub column: u32,
    /// The function.
    pub function: Option<String>,
    /// The variable accessed.
    pub variable: Option<String>,
    /// The file name of the module, where there is no source line.
    pub module: Option<String>,
    /// Whether the access is `volatile`.
    pub volatile: bool,
}

impl Location {
    /// Whether it is in a file that belongs to the program under test, and not in a header of a system library or in
    /// code without debug information.
    pub fn is_users_own(&self) -> bool {
        let file = self.path.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        !file.is_empty() && !is_system_file(&file)
    }

    /// `file:line:column`, or the function or module where there is no line.
    pub fn place(&self) -> Option<String> {
        match (&self.file, self.line, self.column) {
            (Some(file), 0, _) => Some(file.clone()),
            (Some(file), line, 0) => Some(format!("{file}:{line}")),
            (Some(file), line, column) => Some(format!("{file}:{line}:{column}")),
            (None, ..) => match (&self.function, &self.module) {
                (Some(function), Some(module)) => Some(format!("{function} in {module}")),
                (Some(function), None) => Some(function.clone()),
                (None, Some(module)) => Some(module.clone()),
                (None, None) => None,
            },
        }
    }

    /// The name of the file and the line, for narrow columns.
    pub fn short(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), line) if line > 0 => {
                let name = Path::new(file).file_name().map_or(file.clone(), |name| name.to_string_lossy().into_owned());
                format!("{name}:{line}")
            }
            _ => self.function.clone().or_else(|| self.module.clone()).unwrap_or_default(),
        }
    }
}

/// How the report names the module of a call that the guest makes where the C library would make it: of the start
/// routine of a thread, or of what runs at its end, if that is a function of a library.
const LIBRARY: &str = "the C library";

/// Where something happened, as the report shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The innermost place in the program's own source files, if one is known; else the exact place.
    pub own: Location,
    /// The exact place, if that is in a library which the own place has called.
    pub inner: Option<Location>,
}

impl Position {
    /// The own place and, in brackets, the exact one.
    pub fn place(&self) -> Option<String> {
        let own = self.own.place()?;
        let inner = self.inner.as_ref().and_then(|inner| {
            let function = inner.function.as_deref().filter(|_| inner.file.is_some());
            let function = function.map_or_else(String::new, |function| format!(" of {function}"));
            Some(format!(" (inside: {}{function})", inner.place()?))
        });
        Some(own + &inner.unwrap_or_default())
    }

    /// File name and line of the own place, then of the exact one, for narrow columns.
    pub fn short(&self) -> String {
        match self.inner.as_ref().filter(|inner| inner.file.is_some()) {
            Some(inner) => format!("{} ({})", self.own.short(), inner.short()),
            None => self.own.short(),
        }
    }
}

/// A global of a module.
struct Global {
    end: u64,
    name: String,
}

/// What is known of one mapped file.
#[derive(Default)]
struct File {
    loader: Option<addr2line::Loader>,
    globals: BTreeMap<u64, Global>,
    /// Where the program uses the addresses of unknown functions, by their names.
    uses: BTreeMap<String, String>,
}

impl File {
    fn load(path: &Path) -> File {
        let mut file = File { loader: addr2line::Loader::new(path).ok(), ..File::default() };
        let Ok(bytes) = std::fs::read(path) else { return file };
        let Ok(parsed) = object::File::parse(&*bytes) else { return file };
        for symbol in parsed.symbols().chain(parsed.dynamic_symbols()) {
            if symbol.kind() != SymbolKind::Data || symbol.size() == 0 || !symbol.is_definition() {
                continue;
            }
            if let Ok(name) = symbol.name() {
                let name = demangled(name);
                file.globals.insert(symbol.address(), Global { end: symbol.address() + symbol.size(), name });
            }
        }
        let section = parsed.section_by_name(USES_SECTION).and_then(|section| section.data().ok());
        let words = section.unwrap_or_default().split(|&byte| byte == 0).map(String::from_utf8_lossy);
        let words: Vec<_> = words.map(|word| word.into_owned()).collect();
        file.uses = words.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        file
    }
}

/// Resolves the addresses of one guest.
pub struct Symbols {
    program: PathBuf,
    modules: Vec<LoadedModule>,
    sites: BTreeMap<SiteId, ResolvedSite>,
    objects: BTreeMap<u64, String>,
    calls: CallStacks,
    /// Where the threads of the trace were created.
    created: BTreeMap<ThreadId, SiteId>,
    files: RefCell<BTreeMap<PathBuf, File>>,
    current: Option<PathBuf>,
}

impl Symbols {
    /// For a run of `program` of which the report knows `context`.
    pub fn of(program: &Path, context: &AddressContext) -> Symbols {
        let symbols = Symbols::new(program, &context.modules, &context.sites).naming(&context.objects);
        let events = context.trace.iter().flat_map(|trace| &trace.events);
        let created = events.filter_map(|event| Some((event.operation.creates()?, event.site))).collect();
        Symbols { calls: context.call_stacks.clone(), created, ..symbols }
    }

    /// For a guest that ran `program` and reported these modules and sites.
    pub fn new(program: &Path, modules: &[LoadedModule], sites: &[ResolvedSite]) -> Symbols {
        Symbols {
            program: program.to_owned(),
            modules: modules.to_vec(),
            sites: sites.iter().map(|site| (site.site, site.clone())).collect(),
            objects: BTreeMap::new(),
            calls: CallStacks::default(),
            created: BTreeMap::new(),
            files: RefCell::default(),
            current: std::env::current_dir().ok(),
        }
    }

    /// With these names of made-up objects.
    pub fn naming(mut self, objects: &BTreeMap<u64, String>) -> Symbols {
        let current = self.current.as_ref().map(|current| format!("\"{}/", current.display()));
        let shortened = |name: &String| current.as_ref().map_or_else(|| name.clone(), |path| name.replace(path, "\""));
        self.objects = objects.iter().map(|(start, name)| (*start, shortened(name))).collect();
        self
    }

    /// Where an event of the trace, one of this thread, happened.
    pub fn locate_event(&self, position: usize, thread: ThreadId, site: SiteId) -> Position {
        let number = self.calls.events.get(position).copied();
        self.position(thread, site, number)
    }

    /// Where a thread is at the end of the trace, or was at an access that is no event of it.
    pub fn locate_place(&self, thread: ThreadId, site: SiteId) -> Position {
        let place = self.calls.places.iter().rev().find(|(other, at, _)| (*other, *at) == (thread, site));
        self.position(thread, site, place.map(|(_, _, number)| *number))
    }

    /// The place of a site, and the user's own call that led there by the call stack of this number. Where the thread
    /// runs nothing but a function of the C library, that is the call which has created the thread.
    fn position(&self, thread: ThreadId, site: SiteId, number: Option<u32>) -> Position {
        let exact = self.locate(site);
        if exact.is_users_own() || site.0 == 0 {
            return Position { own: exact, inner: None };
        }
        let inlined_into = if self.sites.contains_key(&site) { Vec::new() } else { self.frames(site.0) };
        let stack = number.and_then(|number| self.calls.stacks.get(number as usize));
        // A return address is that of the instruction after the call.
        let calls = stack.into_iter().flatten().flat_map(|address| self.frames(address.wrapping_sub(1)));
        let is_library = exact.module.as_deref() == Some(LIBRARY);
        let creation = || self.created.get(&thread).filter(|_| is_library).map(|call| self.locate(*call));
        match inlined_into.into_iter().chain(calls).find(Location::is_users_own).or_else(creation) {
            Some(own) => Position { own: Location { variable: exact.variable.clone(), ..own }, inner: Some(exact) },
            None => Position { own: exact, inner: None },
        }
    }

    /// The place of a site.
    pub fn locate(&self, site: SiteId) -> Location {
        if site.0 == 0 {
            return Location::default();
        }
        if let Some(known) = self.sites.get(&site) {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            return Location {
                file: some(&known.file).map(|file| self.shorten(&file)),
                path: some(&known.file).map(PathBuf::from),
                line: known.line,
                column: known.column,
                function: some(&known.function),
                variable: some(&demangled(&known.variable)),
                module: None,
                volatile: known.volatile,
            };
        }
        self.locate_code(site.0)
    }

    /// The name of a global and the offset in it, or the address.
    pub fn object(&self, range: ByteRange) -> String {
        let range = ByteRange { start: inspect_core::event::Object(range.start).in_memory(), ..range };
        if let Some(name) = self.objects.get(&{ range.start }) {
            return name.clone();
        }
        let name = self.modules.iter().find_map(|module| {
            // Zeroed globals lie behind what is mapped from the file, so the module's own range is no guide; those of
            // other modules are distinguished by their bias.
            let address = range.start.checked_sub(module.bias)?;
            self.with_file(&self.path_of(module), |file| {
                let (start, global) = file.globals.range(..=address).next_back()?;
                (address < global.end).then(|| (global.name.clone(), address - start))
            })
        });
        match name {
            Some((name, 0)) => name,
            Some((name, offset)) => format!("{name}+{offset}"),
            None => format!("{:#x}", { range.start }),
        }
    }

    /// All places that an access may be said to be at: its own, those of functions that it was inlined into, and the
    /// program's own line that has called the library which makes it.
    pub fn places_of(&self, thread: ThreadId, site: SiteId) -> Vec<Location> {
        let inlined = if self.sites.contains_key(&site) { Vec::new() } else { self.frames(site.0) };
        [self.locate(site), self.locate_place(thread, site).own].into_iter().chain(inlined).collect()
    }

    /// Where the program uses the address of this function, if the compiler pass has said so.
    pub fn use_of(&self, function: &str) -> Option<String> {
        self.with_file(&self.program, |file| file.uses.get(function).map(|place| self.shorten(place)))
    }

    fn locate_code(&self, address: u64) -> Location {
        self.frames(address).into_iter().next().unwrap_or_default()
    }

    /// The function at an address of code and, if it was inlined there, those that it was inlined into: innermost
    /// first.
    fn frames(&self, address: u64) -> Vec<Location> {
        let Some((module, address)) = self.module(address) else { return Vec::new() };
        if module.ends_with(GUEST_LIBRARY) {
            return vec![Location { module: Some(LIBRARY.to_owned()), ..Location::default() }];
        }
        let name = module.file_name().map(|name| name.to_string_lossy().into_owned());
        let unknown = Location { module: name, ..Location::default() };
        let found = self.with_file(&module, |file| {
            let loader = file.loader.as_ref()?;
            let symbol = loader.find_symbol(address).map(demangled);
            let mut frames = loader.find_frames(address).ok()?;
            let mut found = Vec::new();
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function.and_then(|function| Some(demangled(&function.raw_name().ok()?)));
                let mut location = Location { function: function.or_else(|| symbol.clone()), ..unknown.clone() };
                if let Some(source) = frame.location {
                    location.file = source.file.map(|file| self.shorten(file));
                    location.path = source.file.map(PathBuf::from);
                    location.line = source.line.unwrap_or(0);
                    location.column = source.column.unwrap_or(0);
                }
                found.push(location);
            }
            if found.is_empty() {
                found.push(Location { function: symbol, ..unknown.clone() });
            }
            Some(found)
        });
        found.unwrap_or_else(|| vec![unknown])
    }

    /// The file mapped at an address, and the address inside the file.
    fn module(&self, address: u64) -> Option<(PathBuf, u64)> {
        let module = self.modules.iter().find(|module| (module.start..module.end).contains(&address))?;
        Some((self.path_of(module), address.wrapping_sub(module.bias)))
    }

    fn path_of(&self, module: &LoadedModule) -> PathBuf {
        if module.path.is_empty() { self.program.clone() } else { PathBuf::from(&module.path) }
    }

    fn with_file<T>(&self, path: &Path, look: impl FnOnce(&File) -> T) -> T {
        let mut files = self.files.borrow_mut();
        look(files.entry(path.to_owned()).or_insert_with(|| File::load(path)))
    }

    fn shorten(&self, file: &str) -> String {
        let relative = self.current.as_ref().and_then(|current| Path::new(file).strip_prefix(current).ok());
        relative.map_or_else(|| file.to_owned(), |path| path.display().to_string())
    }
}

/// Whether a source file is a header or a source of a system library.
pub fn is_system_file(file: &str) -> bool {
    const SYSTEM: &[&str] = &["/usr/include/", "/usr/local/include/", "/usr/lib/", "/usr/lib64/", "/include/c++/"];
    // The standard library of Rust, by the name that its builds have given it, and where its source is installed.
    let is_of_rust = file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/library/");
    is_of_rust || SYSTEM.iter().any(|folder| file.contains(folder))
}

/// The files and lines for which a program or library has instructions, as its debug information says: their own, and
/// those of calls that were inlined.
pub fn lines_with_code(program: &Path) -> BTreeSet<(String, u32)> {
    let Ok(loader) = addr2line::Loader::new(program) else { return BTreeSet::new() };
    let Ok(ranges) = loader.find_location_range(0, u64::MAX) else { return BTreeSet::new() };
    let line = |location: addr2line::Location<'_>| Some((location.file?.to_owned(), location.line?));
    let mut lines = BTreeSet::new();
    for (address, _, location) in ranges {
        lines.extend(line(location));
        let Ok(mut frames) = loader.find_frames(address) else { continue };
        while let Ok(Some(frame)) = frames.next() {
            lines.extend(frame.location.and_then(line));
        }
    }
    lines
}

/// The name as the user wrote it. Only what is certainly mangled is touched: the variable `b` is no `bool`.
pub(crate) fn demangled(name: &str) -> String {
    const STRING: &str = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    if name.starts_with("_Z") || name.starts_with("_R") {
        addr2line::demangle_auto(name.into(), None).replace(STRING, "std::string")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mangled_names_are_demangled() {
        assert_eq!(demangled("_ZN4bank4lockE"), "bank::lock");
        assert_eq!(demangled("b"), "b");
        assert_eq!(demangled("_Z1fNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), "f(std::string)");
        assert_eq!(demangled("_Rest"), "_Rest");
    }
}
