//! Which lines of the source a program has code and accesses at.

use super::GivenPlace;
use super::calls::announced;
use super::sites::accesses;
use crate::symbols::{Location, is_system_file, lines_with_code};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// A place that a program has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownPlace {
    /// As it was given.
    pub given: GivenPlace,
    /// The files that the name may stand for, as the program names them.
    files: BTreeSet<String>,
    /// Whether an instruction accesses memory there, as the compiler pass has recorded it, or a function of a library
    /// does that is called. Otherwise functions of the program may be called there, whose accesses are at their own
    /// lines.
    pub has_accesses: bool,
    /// If functions of a system header make the access, called here: the innermost line of it.
    header: Option<Box<KnownPlace>>,
}

impl KnownPlace {
    /// A place in one file, for tests of others.
    #[cfg(test)]
    pub(crate) fn in_file(file: &str, line: u32, column: Option<u32>) -> KnownPlace {
        let given = GivenPlace { file: file.to_owned(), line, column };
        KnownPlace { given, files: BTreeSet::from([file.to_owned()]), has_accesses: true, header: None }
    }

    /// This line of the program, for an access that a system header makes at `header` and that is called here.
    #[must_use]
    pub fn through(self, header: Option<KnownPlace>) -> KnownPlace {
        let has_accesses = self.has_accesses || header.as_ref().is_some_and(|header| header.has_accesses);
        KnownPlace { has_accesses, header: header.map(Box::new), ..self }
    }

    /// Whether a location is on the line, or on that of the header.
    pub fn is_on_line(&self, location: &Location) -> bool {
        self.is_on_own_line(location) || self.header.as_ref().is_some_and(|header| header.is_on_own_line(location))
    }

    /// Whether a location is on the line, or anywhere in the header: other tools may say of another of its lines that
    /// the access is there.
    pub fn is_near(&self, location: &Location) -> bool {
        self.is_on_own_line(location) || self.header.as_ref().is_some_and(|header| header.is_in_file(location))
    }

    fn is_on_own_line(&self, location: &Location) -> bool {
        location.line == self.given.line && self.is_in_file(location)
    }

    fn is_in_file(&self, location: &Location) -> bool {
        let file = location.path.as_ref().map(|path| path.to_string_lossy());
        file.is_some_and(|file| self.files.contains(&*file))
    }

    /// Whether a location is on the line and, where both have one, in the column.
    pub fn is_at(&self, location: &Location) -> bool {
        let column = self.given.column.is_none_or(|column| location.column == 0 || location.column == column);
        column && self.is_on_own_line(location)
    }

    /// Whether an access that is said to be at these locations is at this place. Of an access that a function of a
    /// system header makes, the program's own line is known where the function was inlined, and otherwise from a call
    /// stack only. Without that, the header's line decides.
    pub fn is_place_of(&self, access: &[Location]) -> bool {
        let in_header = |header: &KnownPlace| access.iter().any(|location| header.is_at(location));
        let has_own_line = access.iter().any(Location::is_users_own);
        access.iter().any(|location| self.is_at(location))
            || !has_own_line && self.header.as_deref().is_some_and(in_header)
    }
}

impl fmt::Display for KnownPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.given)?;
        let Some(header) = &self.header else { return Ok(()) };
        let name = Path::new(&header.given.file).file_name().unwrap_or_default();
        write!(f, " ({}:{})", name.to_string_lossy(), header.given.line)
    }
}

/// The lines of a program's source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceMap {
    /// For each file, the lines with accesses, each with their columns.
    accesses: BTreeMap<String, BTreeMap<u32, BTreeSet<u32>>>,
    /// For each file, the lines of instructions.
    code: BTreeMap<String, BTreeSet<u32>>,
}

impl SourceMap {
    /// What these files, a program and its libraries, say of themselves.
    pub fn of(files: &[PathBuf]) -> SourceMap {
        let mut map = SourceMap::default();
        for path in files {
            let Ok(bytes) = std::fs::read(path) else { continue };
            for (file, line, column) in accesses(&bytes).into_iter().chain(announced(path, &bytes)) {
                map.accesses.entry(file).or_default().entry(line).or_default().insert(column);
            }
            for (file, line) in lines_with_code(path) {
                map.code.entry(file).or_default().insert(line);
            }
        }
        map
    }

    /// Whether a place is in a file of the program that belongs to no system library.
    pub fn has_file_of(&self, place: &GivenPlace) -> bool {
        !is_system_file(&place.file) && self.files_of(&place.file).iter().any(|file| !is_system_file(file))
    }

    /// The innermost of these calls that is in a file of the program, if it is in a system header.
    pub fn header_of(&self, calls: &[GivenPlace]) -> Option<KnownPlace> {
        let innermost = calls.iter().find(|place| !self.files_of(&place.file).is_empty())?;
        self.find(innermost).ok().filter(|place| place.files.iter().all(|file| is_system_file(file)))
    }

    /// The place of the program that was given; otherwise what is wrong with it, in words.
    pub fn find(&self, given: &GivenPlace) -> Result<KnownPlace, String> {
        let files = self.files_of(&given.file);
        if files.is_empty() {
            return Err(format!("the program has no code of a file {}; {}", given.file, self.own_files()));
        }
        let columns: BTreeSet<u32> =
            self.lines_in(&files).filter(|(line, _)| *line == given.line).flat_map(|it| it.1).collect();
        let has_code = files.iter().filter_map(|file| self.code.get(file)).any(|lines| lines.contains(&given.line));
        let wrong_column = given.column.filter(|column| !columns.contains(column) && !columns.contains(&0));
        match wrong_column {
            Some(column) if !columns.is_empty() => {
                let others = listed(columns.iter().map(u32::to_string));
                Err(format!(
                    "{}:{} has accesses, but none in column {column}; they are in column {others}",
                    given.file, given.line
                ))
            }
            Some(_) | None if columns.is_empty() && !has_code => {
                Err(format!("the program has no code at {}:{}; {}", given.file, given.line, self.near(&files, given)))
            }
            Some(_) | None => {
                Ok(KnownPlace { given: given.clone(), has_accesses: !columns.is_empty(), files, header: None })
            }
        }
    }

    fn lines_in<'a>(&'a self, files: &'a BTreeSet<String>) -> impl Iterator<Item = (u32, BTreeSet<u32>)> + 'a {
        let of_file = |file: &String| self.accesses.get(file).into_iter().flatten();
        files.iter().flat_map(of_file).map(|(line, columns)| (*line, columns.clone()))
    }

    /// The files that a name stands for: those whose path ends like it, or whose path is its end. Of an absolute path,
    /// which another machine may have had, those that have most of its end.
    fn files_of(&self, given: &str) -> BTreeSet<String> {
        let wanted = components(given);
        let all: BTreeSet<&String> = self.accesses.keys().chain(self.code.keys()).collect();
        let common = |file: &str| {
            let own = components(file);
            let common = own.iter().rev().zip(wanted.iter().rev()).take_while(|(own, wanted)| own == wanted).count();
            (common, common == wanted.len().min(own.len()) && common > 0)
        };
        let whole: BTreeSet<String> = all.iter().filter(|file| common(file).1).map(|file| (*file).clone()).collect();
        if !whole.is_empty() || !Path::new(given).is_absolute() {
            return whole;
        }
        let most = all.iter().map(|file| common(file).0).max().unwrap_or(0);
        all.into_iter().filter(|file| most > 0 && common(file).0 == most).cloned().collect()
    }

    fn own_files(&self) -> String {
        const MOST: usize = 5;
        let own: Vec<&String> = self.accesses.keys().filter(|file| !is_system_file(file)).collect();
        let names = own.iter().take(MOST).map(|file| shortened(file));
        match own.len() {
            0 => "it has no line numbers: build it with -g".to_owned(),
            number if number > MOST => {
                format!("it has accesses in {} and {} other files", listed(names), number - MOST)
            }
            _ => format!("it has accesses in {}", listed(names)),
        }
    }

    /// The lines with accesses that are nearest to a place.
    fn near(&self, files: &BTreeSet<String>, given: &GivenPlace) -> String {
        const MOST: usize = 4;
        let mut lines: Vec<u32> = self.lines_in(files).map(|(line, _)| line).collect();
        lines.sort_by_key(|line| line.abs_diff(given.line));
        lines.dedup();
        lines.truncate(MOST);
        lines.sort();
        match lines.as_slice() {
            [] => "nor has it an access anywhere in that file".to_owned(),
            _ => format!("lines with accesses near it: {}", listed(lines.iter().map(u32::to_string))),
        }
    }
}

fn listed(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(", ")
}

/// The path as seen from the current directory, if it lies below it.
fn shortened(file: &str) -> String {
    let current = std::env::current_dir().ok();
    let relative = current.as_ref().and_then(|current| Path::new(file).strip_prefix(current).ok());
    relative.map_or_else(|| file.to_owned(), |path| path.display().to_string())
}

/// The names in a path, without its root and without what stays in a folder or leaves one that it has entered:
/// compilers name their headers from a folder of their own, as `/usr/lib/gcc/12/../../../include`.
fn components(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => names.extend(name.to_str()),
            Component::ParentDir if names.last().is_some_and(|last| *last != "..") => drop(names.pop()),
            Component::ParentDir => names.push(".."),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> SourceMap {
        let mut map = SourceMap::default();
        for (file, line, column) in [
            ("/home/p/src/a.c", 10, 3),
            ("/home/p/src/a.c", 10, 9),
            ("/home/p/src/a.c", 20, 1),
            ("/home/p/lib/a.c", 30, 1),
            ("/home/p/src/b.c", 5, 1),
        ] {
            map.accesses.entry(file.into()).or_default().entry(line).or_default().insert(column);
        }
        map.code.insert("/home/p/src/a.c".into(), BTreeSet::from([10, 11, 20]));
        map
    }

    fn find(text: &str) -> Result<KnownPlace, String> {
        map().find(&GivenPlace::parse(text).expect("a place"))
    }

    fn at(file: &str, line: u32, column: u32) -> Location {
        Location { path: Some(file.into()), line, column, ..Location::default() }
    }

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        let files = |text: &str| find(text).map(|place| place.files.into_iter().collect::<Vec<_>>());
        assert_eq!(files("src/a.c:10"), Ok(vec!["/home/p/src/a.c".to_owned()]));
        assert_eq!(files("./src/a.c:10"), Ok(vec!["/home/p/src/a.c".to_owned()]));
        assert_eq!(files("/home/p/src/b.c:5"), Ok(vec!["/home/p/src/b.c".to_owned()]));
        assert_eq!(files("a.c:10").map(|files| files.len()), Ok(2), "both files of this name");
        assert!(files("c/a.c:10").is_err_and(|why| why.contains("no code of a file c/a.c")));
    }

    #[test]
    fn an_absolute_path_of_another_machine_is_known_by_most_of_its_end() {
        let known = find("/ci/7/src/a.c:10").expect("known");
        assert!(known.is_at(&at("/home/p/src/a.c", 10, 3)) && !known.is_at(&at("/home/p/lib/a.c", 10, 3)));
        assert!(find("/ci/7/src/c.c:10").is_err());
    }

    #[test]
    fn a_column_counts_if_it_is_given() {
        let line = find("src/a.c:10").expect("known");
        assert!(line.is_at(&at("/home/p/src/a.c", 10, 3)) && line.is_at(&at("/home/p/src/a.c", 10, 9)));
        let column = find("src/a.c:10:9").expect("known");
        let other = at("/home/p/src/a.c", 10, 3);
        assert!(column.is_at(&at("/home/p/src/a.c", 10, 9)) && !column.is_at(&other) && column.is_on_line(&other));
        assert!(find("src/a.c:10:4").is_err_and(|why| why.contains("none in column 4; they are in column 3, 9")));
    }

    #[test]
    fn a_line_without_code_is_none_and_the_lines_near_it_are_named() {
        assert!(
            find("src/a.c:12")
                .is_err_and(|why| why.ends_with("no code at src/a.c:12; lines with accesses near it: 10, 20"))
        );
        assert!(find("src/a.c:11").is_ok_and(|place| !place.has_accesses));
        assert!(find("src/a.c:10").is_ok_and(|place| place.has_accesses));
    }

    #[test]
    fn frames_of_system_libraries_are_not_the_programs_own() {
        let own = |text: &str| map().has_file_of(&GivenPlace::parse(text).expect("a place"));
        assert!(own("/ci/src/a.c:1") && own("a.c:1"));
        assert!(!own("/usr/include/a.c:1") && !own("sanitizer_common_interceptors.inc:899"));
    }

    fn with_header() -> SourceMap {
        let mut map = map();
        let lines = [4, 5].map(|line| (line, BTreeSet::from([1])));
        map.accesses.insert("/usr/include/c++/12/box.h".into(), lines.into());
        // Debug information has the path as the compiler knows it.
        map.code.insert("/usr/lib/gcc/x/12/../../../../include/c++/12/box.h".into(), BTreeSet::from([4, 5]));
        map
    }

    fn calls(texts: &[&str]) -> Vec<GivenPlace> {
        texts.iter().map(|text| GivenPlace::parse(text).expect("a place")).collect()
    }

    #[test]
    fn a_system_header_is_known_by_its_name_alone_as_helgrind_gives_it() {
        let map = with_header();
        let own = |text: &str| map.has_file_of(&calls(&[text])[0]);
        assert!(!own("box.h:4") && !own("/usr/lib/gcc/12/../../include/c++/12/box.h:4") && own("b.c:5"));
        let as_compiled = "/usr/lib/gcc/x/12/../../../../include/c++/12/box.h:4";
        for calls in [calls(&["box.h:4", "box.h:5"]), calls(&["interceptors.inc:899", as_compiled])] {
            let found = map.header_of(&calls).map(|place| (place.given.line, place.files.len()));
            assert_eq!(found, Some((4, 2)), "{calls:?}, by either path");
        }
        assert_eq!(map.header_of(&calls(&["a.c:10", "box.h:4"])), None, "the program's own file is the innermost");
        assert_eq!(map.header_of(&calls(&["box.h:9"])), None, "no code there");
    }

    #[test]
    fn an_access_of_a_header_is_known_by_the_own_line_or_without_one_by_the_headers() {
        let header = with_header().header_of(&calls(&["box.h:4"]));
        let place = find("src/a.c:10").expect("known").through(header);
        let in_header = |line| at("/usr/include/c++/12/box.h", line, 1);
        let (own, other) = (at("/home/p/src/a.c", 10, 3), at("/home/p/src/a.c", 20, 1));
        assert!(place.is_place_of(&[in_header(4)]) && place.is_place_of(&[in_header(4), own.clone()]));
        assert!(place.is_place_of(std::slice::from_ref(&own)), "inlined");
        assert!(!place.is_place_of(&[in_header(5)]), "another line of the header");
        assert!(!place.is_place_of(&[in_header(4), other]), "called elsewhere");
        assert!(place.is_on_line(&in_header(4)) && place.is_on_line(&own) && !place.is_on_line(&in_header(5)));
        assert!(place.is_near(&in_header(5)) && place.is_near(&own) && !place.is_near(&at("/home/p/src/b.c", 10, 3)));
        assert_eq!(place.to_string(), "src/a.c:10 (box.h:4)");
    }
}
