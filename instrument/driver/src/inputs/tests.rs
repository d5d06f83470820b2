//! What inputs of every kind are made of, from files made by hand.

use super::*;
use std::fs;

/// A relocatable ELF file with sections of these names, of a class (32 or 64 bits) and byte order.
fn elf(bits: usize, big: bool, sections: &[&str]) -> Vec<u8> {
    let number = |value: usize, size: usize| {
        let bytes = (value as u64).to_be_bytes();
        let bytes = bytes[8 - size..].iter().copied();
        if big { bytes.collect::<Vec<u8>>() } else { bytes.rev().collect() }
    };
    let (word, header, entry) = if bits == 64 { (8, 64, 64) } else { (4, 52, 40) };
    let mut names = vec![0];
    let mut offsets = Vec::new();
    for name in sections.iter().chain(&[".shstrtab"]) {
        offsets.push(names.len());
        names.extend(name.bytes().chain([0]));
    }
    let table = header + names.len().next_multiple_of(8);
    let mut file = b"\x7fELF".to_vec();
    file.extend([bits as u8 / 32, if big { 2 } else { 1 }, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let (relocatable, x86_64) = (1, 62);
    let count = offsets.len() + 1;
    // Type, machine, version; entry point, program headers, section headers; flags; sizes and counts.
    for (value, size) in [(relocatable, 2), (x86_64, 2), (1, 4), (0, word), (0, word), (table, word), (0, 4)] {
        file.extend(number(value, size));
    }
    for value in [header, 0, 0, entry, count, count - 1] {
        file.extend(number(value, 2));
    }
    file.extend(&names);
    file.resize(table + entry, 0);
    for (at, &name) in offsets.iter().enumerate() {
        let is_names = at + 1 == offsets.len();
        let (kind, size) = if is_names { (3, names.len()) } else { (1, 0) };
        // Name, type, flags, address, offset, size; link, info; alignment, size of an entry.
        for (value, size) in [(name, 4), (kind, 4), (0, word), (0, word), (header, word), (size, word), (0, 8)] {
            file.extend(number(value, size));
        }
        file.extend([number(1, word), number(0, word)].concat());
    }
    file
}

/// An archive of members; in a thin one there is no more of a member than its name and size.
fn archive(magic: &[u8], members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = magic.to_vec();
    for (name, body) in members {
        file.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, body.len()).bytes());
        if magic == archive::MAGIC || name.starts_with("//") {
            file.extend(*body);
            file.resize(file.len().next_multiple_of(2), b'\n');
        }
    }
    file
}

/// The parts that are named of a file, in which `*` stands for the file.
fn parts(file: &Path) -> Vec<String> {
    let shown = file.to_string_lossy().into_owned();
    native_parts(file).into_iter().map(|part| part.replace(&shown, "*")).collect()
}

fn parts_of(bytes: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("input");
    fs::write(&file, bytes).expect("the file can be written");
    parts(&file)
}

const BITCODE: &[u8] = b"BC\xc0\xde and so on";

#[test]
fn objects() {
    let native = elf(64, false, &[".text"]);
    let instrumented = elf(64, false, &[".text", SITE_SECTION]);
    let text_only = [native.clone(), SITE_SECTION.bytes().chain([0]).collect()].concat();
    for (what, bytes, expected) in [
        ("bitcode", BITCODE, Content::Instrumented),
        ("wrapped bitcode", b"\xde\xc0\x17\x0b\0\0\0\0", Content::Instrumented),
        ("machine code", &native, Content::Native),
        ("machine code that went through the pass", &instrumented, Content::Instrumented),
        ("the section's name, but no section", &text_only, Content::Native),
        ("32 bits", &elf(32, false, &[".text"]), Content::Native),
        ("32 bits, through the pass", &elf(32, false, &[SITE_SECTION]), Content::Instrumented),
        ("big-endian", &elf(64, true, &[".text"]), Content::Native),
        ("big-endian, 32 bits, through the pass", &elf(32, true, &[SITE_SECTION]), Content::Instrumented),
        ("no more than the magic", b"\x7fELF", Content::Native),
        ("no section headers", &instrumented[..instrumented.len() - 1], Content::Native),
        ("a linker script", b"INPUT(-lm)", Content::Nothing),
        ("an empty file", b"", Content::Nothing),
    ] {
        assert_eq!(object_content(bytes), expected, "{what}");
    }
    assert_eq!(parts_of(&native), ["*"]);
    assert_eq!(parts_of(&instrumented), [""; 0]);
    assert_eq!(native_parts(Path::new("/no/such/file")), [""; 0]);
}

#[test]
fn archives() {
    let (native, instrumented) = (&*elf(64, false, &[".text"]), &*elf(64, false, &[SITE_SECTION]));
    let of = |members: &[(&str, &[u8])]| archive(&archive::MAGIC, members);
    let named = [b"a_long_name_of_bsd.o", native].concat();
    let whole = of(&[("a.o/", BITCODE), ("b.o/", native)]);
    let many = of(&[("a.o/", native), ("b.o/", BITCODE), ("c/", b"text"), ("d.o/", native)]);
    for (what, bytes, expected) in [
        ("empty", of(&[]), &[][..]),
        ("bitcode", of(&[("a.o/", BITCODE)]), &[]),
        ("through the pass", of(&[("/", b"\0\0\0\0"), ("a.o/", instrumented)]), &[]),
        ("one of two", of(&[("a.o/", native), ("b.o/", BITCODE)]), &["*(a.o)"]),
        ("the other of two", whole.clone(), &["*(b.o)"]),
        ("two of four", many, &["*(a.o)", "*(d.o)"]),
        ("all of them", of(&[("a.o/", native), ("b.o/", native), ("c/", b"text")]), &["*"]),
        ("after an odd size", of(&[("a/", b"odd"), ("b.o/", native), ("c.o/", BITCODE)]), &["*(b.o)"]),
        (
            "a long name",
            of(&[("//", b"a_long_name_of_gnu.o/\n"), ("/0", native), ("c.o/", BITCODE)]),
            &["*(a_long_name_of_gnu.o)"],
        ),
        ("a long name of another platform", of(&[("#1/20", &named), ("c.o/", BITCODE)]), &["*(a_long_name_of_bsd.o)"]),
        ("text", of(&[("readme/", b"text")]), &[]),
        ("an archive in it", of(&[("inner.a/", &whole)]), &[]),
        ("half a header", whole[..30].to_vec(), &["*"]),
        ("half a member", whole[..72].to_vec(), &["*"]),
        ("something after it", [of(&[("a.o/", BITCODE)]), b"more".to_vec()].concat(), &["*"]),
    ] {
        assert_eq!(parts_of(&bytes), expected, "{what}");
    }
}

#[test]
fn thin_archives_are_made_of_the_files_they_name() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
        fs::write(&file, bytes).expect("the file can be written");
        file
    };
    write("bitcode.o", BITCODE);
    write("a_longer_folder/native.o", &elf(64, false, &[".text"]));
    let thin = |members: &[(&str, &[u8])]| parts(&write("thin.a", &archive(&archive::THIN_MAGIC, members)));
    let names = ("//", &b"a_longer_folder/native.o/\nno_longer_there.o/\n"[..]);
    assert_eq!(thin(&[]), [""; 0]);
    assert_eq!(thin(&[("bitcode.o/", b"")]), [""; 0]);
    assert_eq!(thin(&[names, ("bitcode.o/", b""), ("/0", b"")]), ["*(a_longer_folder/native.o)"]);
    assert_eq!(thin(&[names, ("bitcode.o/", b""), ("/26", b"")]), [""; 0]);
    assert_eq!(thin(&[names, ("/99", b"")]), ["*"], "a name that is not in the table");
    assert_eq!(thin(&[("thin.a/", b"")]), [""; 0], "an archive that names itself");
}
