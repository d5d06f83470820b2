use super::*;
use crate::arguments::parse;

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn rules_are_read_with_their_escapes() {
    let rule = b"out\\ put.o: a.c \\\n  dir\\ one/b\\#c.h price$$.h \\\n /x/d.h\n\nd.h:\n";
    assert_eq!(dependencies(rule), paths(&["a.c", "dir one/b#c.h", "price$.h", "/x/d.h"]));
    // As the linker writes it: the inputs again as targets of empty rules.
    let rule = b"prog: \\\n  /usr/lib/crt1.o \\\n  a:b.o\n\n/usr/lib/crt1.o:\n\na:b.o:\n";
    assert_eq!(dependencies(rule), paths(&["/usr/lib/crt1.o", "a:b.o"]));
}

#[test]
fn only_flags_whose_files_are_reported_are_cached() {
    let folder = |text: &str| {
        let flags = parse(text.split_whitespace().map(OsString::from).collect()).expect("parses");
        flags.iter().map(header_folder).collect::<Option<Vec<_>>>()
    };
    assert_eq!(folder("-DN=2 -O2 -std=c11 -Wall -fno-inline -g -D M"), Some(vec![None; 7]));
    assert_eq!(folder("-Iinc -isystem sys"), Some(vec![Some("inc".into()), Some("sys".into())]));
    for other in ["-lm", "lib.o", "-Wl,-x", "-fprofile-use=a", "-fplugin=a.so", "-working-directory=/", "-mllvm x"] {
        assert_eq!(folder(other), None, "{other}");
    }
}

#[test]
fn a_program_is_named_by_the_contents_of_its_files_and_by_headers_in_front_of_them() {
    let home = tempfile::tempdir().expect("a folder");
    let path = |name: &str| home.path().join(name);
    for folder in ["first", "second/sub"] {
        std::fs::create_dir_all(path(folder)).expect("folders");
    }
    let [source, header] = [path("a.c"), path("second/sub/a.h")];
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("written");
    let cache = BuildCache::at(path("cache"));
    let build = CachedBuild {
        cache: &cache,
        name: "command".into(),
        folders: vec![path("first"), path("second")],
        records: [path("compiled"), path("linked")],
        inspect: [path("include"), path("guest")],
        began: SystemTime::now(),
    };
    let name = || build.program(&[source.clone(), header.clone()]);
    assert_eq!(name(), None, "there are no such files");
    write(&source, "one");
    write(&header, "two");
    let before = name();
    assert!(before.is_some());
    write(&header, "three");
    assert_ne!(name(), before, "other contents");
    write(&header, "two");
    assert_eq!(name(), before, "the same again");
    std::fs::create_dir_all(path("first/sub")).expect("a folder");
    write(&path("first/sub/b.h"), "two");
    assert_eq!(name(), before, "a header that was not asked for");
    write(&path("first/sub/a.h"), "two");
    assert_ne!(name(), before, "a header in front");
}

#[test]
fn a_header_beside_the_file_that_asks_for_another_one_is_noticed() {
    let home = tempfile::tempdir().expect("a folder");
    let path = |name: &str| home.path().join(name);
    std::fs::create_dir_all(path("include/sub")).expect("folders");
    let write = |name: &str| std::fs::write(path(name), "text").expect("written");
    ["a.c", "include/sub/first.h", "include/second.h"].iter().for_each(|name| write(name));
    let cache = BuildCache::at(path("cache"));
    let build = CachedBuild {
        cache: &cache,
        name: "command".into(),
        folders: vec![home.path().to_owned(), path("include")],
        records: [path("compiled"), path("linked")],
        inspect: [path("inspect"), path("guest")],
        began: SystemTime::now(),
    };
    let inputs = ["a.c", "include/sub/first.h", "include/second.h"].map(path);
    let before = build.program(&inputs);
    // `first.h` asks for "second.h".
    write("include/sub/second.h");
    assert_ne!(build.program(&inputs), before);
}

#[test]
fn a_file_that_changed_since_the_build_began_is_noticed() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("a.c");
    std::fs::write(&path, "text").expect("written");
    let now = SystemTime::now();
    assert!(is_changed_since(&path, now - Duration::from_secs(1)) && is_changed_since(&path, now));
    assert!(!is_changed_since(&path, now + Duration::from_secs(1)));
    // Another file takes its place, whose contents are old.
    let old = std::fs::File::options().append(true).open(&path).expect("opened");
    old.set_modified(SystemTime::UNIX_EPOCH).expect("its time");
    assert!(is_changed_since(&path, now), "the time of its contents says nothing");
}
