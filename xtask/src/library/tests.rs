use super::*;
use crate::guest::root;
use inspect_wire::library::{CallEffect, Extent, LibraryRow, PointerFlow};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

#[test]
fn the_document_is_what_the_rows_say() {
    let written = std::fs::read_to_string(root().join(DOCUMENT)).unwrap_or_default();
    assert!(written == document(), "{DOCUMENT} is out of date: cargo xtask library");
}

#[test]
fn a_difference_between_rows_and_exports_is_reported() {
    let row = |wanted: Guest| ALL.iter().filter(move |row| row.guest == wanted).map(|row| row.name.to_owned());
    let all = || ALL.iter().filter(|row| row.guest.exports()).map(|row| row.name.to_owned());
    let exports: Vec<String> = all().collect();
    assert!(check_exports(&exports).is_ok());
    assert!(
        check_exports(&[exports.clone(), vec!["__inspect_read".to_owned()]].concat()).is_ok(),
        "hooks have no rows"
    );
    for wanted in [Guest::Announces, Guest::Models, Guest::Refuses] {
        let missing = row(wanted).next().expect("there is one");
        let without: Vec<String> = all().filter(|name| *name != missing).collect();
        assert!(check_exports(&without).is_err_and(|error| error.to_string().contains(&missing)), "{missing}");
    }
    let harmless = row(Guest::Harmless).next().expect("there is one");
    assert!(
        check_exports(&[exports.clone(), vec![harmless]].concat()).is_err(),
        "its row says that nobody takes it over"
    );
    assert!(check_exports(&[exports, vec!["no_such_function".to_owned()]].concat()).is_err());
}

/// A function as a header declares it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Declared {
    /// The kinds of its arguments, a letter each as in a [`Signature`](inspect_wire::library::Signature).
    kinds: String,
    /// The arguments that are integers of 32 bits: what is in the rest of their registers means nothing.
    narrow: Vec<u8>,
    /// Whether more arguments may follow.
    variadic: bool,
    /// Whether it returns an address.
    returns_address: bool,
}

/// The functions that a header declares, and the headers that it includes.
fn declared(header: &str) -> BTreeMap<String, Declared> {
    let mut clang = Command::new("clang-22")
        .args(["-x", "c", "-std=gnu17", "-O2", "-D_GNU_SOURCE", "-D_FORTIFY_SOURCE=2", "-I"])
        .arg(root().join("instrument/include"))
        .args(["-fsyntax-only", "-Xclang", "-ast-dump", "-fno-color-diagnostics", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clang-22 runs");
    let source = format!("#include <{header}>\n");
    std::io::Write::write_all(&mut clang.stdin.take().expect("piped"), source.as_bytes()).expect("clang reads it");
    let output = clang.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "{header} compiles");
    declarations(&String::from_utf8_lossy(&output.stdout))
}

fn declarations(tree: &str) -> BTreeMap<String, Declared> {
    let mut all = BTreeMap::new();
    let mut current = None;
    for line in tree.lines() {
        if line.starts_with("|-") || line.starts_with("`-") {
            current = declaration(line).map(|(name, function)| {
                all.insert(name.clone(), function);
                name
            });
        } else if let (Some(name), Some((_, rest))) = (&current, line.split_once("-ParmVarDecl "))
            && let Some(ty) = last_type(rest)
        {
            let function = all.get_mut(name).expect("inserted");
            if matches!(ty, "int" | "unsigned int") {
                function.narrow.push(function.kinds.len() as u8);
            }
            function.kinds.push(kind(ty));
        }
    }
    all
}

/// A line such as `|-FunctionDecl 0x1 <a.h:1:2, line:3:4> line:1:5 strlen 'unsigned long (const char *)' extern`.
fn declaration(line: &str) -> Option<(String, Declared)> {
    let rest = line.strip_prefix("|-FunctionDecl").or(line.strip_prefix("`-FunctionDecl"))?;
    let (before, after) = rest.split_once(" '")?;
    let name = before.rsplit(' ').next()?;
    let ty = after.split('\'').next()?;
    let returns_address = ty.contains("(*(") || ty.split('(').next()?.trim().ends_with('*');
    Some((
        name.to_owned(),
        Declared { kinds: String::new(), narrow: Vec::new(), variadic: ty.ends_with("...)"), returns_address },
    ))
}

/// Of `'name':'what it stands for'` the latter; of `'type'` that.
fn last_type(rest: &str) -> Option<&str> {
    rest.rsplit('\'').nth(1)
}

/// The kind of an argument of this type.
fn kind(ty: &str) -> char {
    let mut ty = ty.trim();
    while let Some(shorter) = ["restrict", "const", "volatile"].iter().find_map(|word| ty.strip_suffix(word)) {
        ty = shorter.trim_end();
    }
    if ty.contains("(*") {
        return 'f';
    }
    match ty.strip_suffix('*').map(str::trim_end) {
        Some(pointee) if pointee.contains('*') => {
            if pointee.ends_with("const") {
                'c'
            } else {
                'p'
            }
        }
        Some(pointee) if pointee.split(' ').any(|word| word == "const") => 'c',
        Some(_) => 'p',
        None if ty.contains("long double") || ty == "_Float64x" => 'm',
        None if ty.contains("double") || ty.contains("float") || ty.starts_with("_Float") => 'd',
        None => 'i',
    }
}

#[test]
fn rows_have_the_arguments_that_the_headers_say() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let mut known: BTreeMap<&str, BTreeMap<String, Declared>> = BTreeMap::new();
    for header in headers().filter(|header| header.is_file()) {
        let declared = known.entry(header.name).or_insert_with(|| declared(header.name));
        for row in header.rows.iter().filter(|row| row.arguments != Arguments::Variable) {
            compared += 1;
            let variadic = matches!(row.arguments, Arguments::Variadic(_));
            let (kinds, here) = (row.arguments.signature().0, format!("{} in {}", row.name, header.name));
            let Some(found) = declared.get(row.name) else {
                wrong.push(format!("{here}: the header does not declare it"));
                continue;
            };
            if found.kinds != kinds || found.variadic != variadic {
                wrong.push(format!("{here}: {kinds:?}, the header has {found:?}"));
            }
            if let Some(count) = counts(row).find(|count| found.narrow.contains(count)) {
                wrong.push(format!("{here}: the count {count} is an int, of which half a register means nothing"));
            }
            if found.returns_address && row.flows.is_some_and(|flows| !flows.iter().any(PointerFlow::returns)) {
                wrong.push(format!("{here}: it returns an address, and the row does not say which"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 1700, "{compared} rows were compared");
}

/// The arguments of which the row says that all of their 64 bits are a number of bytes or elements.
fn counts(row: &LibraryRow) -> impl Iterator<Item = u8> {
    let stored = row.effects.iter().filter_map(|effect| match *effect {
        CallEffect::Stores(_, stored) => Some(stored.counts()),
        _ => None,
    });
    let extents = row.effects.iter().filter_map(|effect| match *effect {
        CallEffect::Reads(_, extent) | CallEffect::Writes(_, extent) => Some(extent),
        _ => None,
    });
    let announced = extents.flat_map(|extent| match extent {
        Extent::Argument(count)
        | Extent::Signed(count)
        | Extent::Elements(count, _)
        | Extent::TextUpTo(count)
        | Extent::WideUpTo(count) => vec![count],
        Extent::Product(count, size) => vec![count, size],
        _ => Vec::new(),
    });
    announced.chain(stored.flatten())
}

#[test]
fn declarations_are_read() {
    let tree = "\
|-FunctionDecl 0x1 prev 0x2 </a.h:1:2, line:3:4> line:1:5 used qsort 'void (void *, size_t, __compar_fn_t)' extern
| |-ParmVarDecl 0x3 <col:1, col:2> col:3 __base 'void *'
| |-ParmVarDecl 0x4 <col:1, col:2> col:3 __size 'size_t':'unsigned long'
| `-ParmVarDecl 0x5 <col:1, col:2> col:3 __compar '__compar_fn_t':'int (*)(const void *, const void *)'
|-VarDecl 0x6 </a.h:1:2> col:3 stdin 'FILE *' extern
|-FunctionDecl 0x7 </a.h:1:2, line:3:4> line:1:5 printf 'int (const char *restrict, ...)' extern
| `-ParmVarDecl 0x8 <col:1, col:2> col:3 __format 'const char *restrict'
`-FunctionDecl 0x9 </a.h:1:2, line:3:4> line:1:5 signal 'void (*(int, void (*)(int)))(int)' extern
  |-ParmVarDecl 0x8 <col:1, col:2> col:3 __signal 'int'
  `-ParmVarDecl 0x8 <col:1, col:2> col:3 __handler '__sighandler_t':'void (*)(int)'
";
    let function = |kinds: &str, narrow: &[u8], variadic, returns_address| Declared {
        kinds: kinds.to_owned(),
        narrow: narrow.to_vec(),
        variadic,
        returns_address,
    };
    let expected = [
        ("printf".to_owned(), function("c", &[], true, false)),
        ("qsort".to_owned(), function("pif", &[], false, false)),
        ("signal".to_owned(), function("if", &[0], false, true)),
    ];
    assert_eq!(declarations(tree), BTreeMap::from(expected));
}

#[test]
fn kinds_of_arguments_are_read() {
    let cases = [
        ("char *const *", 'c'),
        ("const char **restrict", 'p'),
        ("const struct timespec *", 'c'),
        ("unsigned short *", 'p'),
        ("int (*)(int)", 'f'),
        ("long double", 'm'),
        ("_Complex double", 'd'),
        ("_Float32x", 'd'),
        ("struct in_addr", 'i'),
    ];
    for (ty, expected) in cases {
        assert_eq!(kind(ty), expected, "{ty}");
    }
}
