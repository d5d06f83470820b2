use super::*;
use crate::guest::root;
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

/// The functions that a header declares, and the headers that it includes: how many arguments, and whether more may
/// follow.
fn declared(header: &str) -> BTreeMap<String, Arguments> {
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
    String::from_utf8_lossy(&output.stdout).lines().filter_map(declaration).collect()
}

/// A line such as `|-FunctionDecl 0x1 <a.h:1:2, line:3:4> line:1:5 strlen 'unsigned long (const char *)' extern`.
fn declaration(line: &str) -> Option<(String, Arguments)> {
    let rest = line.strip_prefix("|-FunctionDecl").or(line.strip_prefix("`-FunctionDecl"))?;
    let (before, after) = rest.split_once(" '")?;
    let name = before.rsplit(' ').next()?;
    Some((name.to_owned(), parameters(after.split('\'').next()?)?))
}

/// The parameters in a function's type.
fn parameters(ty: &str) -> Option<Arguments> {
    // The result may be a pointer to a function: `void (*(int, void (*)(int)))(int)`.
    let list = match ty.split_once("(*(") {
        Some((_, list)) => list,
        None => ty.split_once('(')?.1,
    };
    let (mut depth, mut count, mut last) = (0, 1, String::new());
    for byte in list.chars() {
        match byte {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                count += 1;
                last.clear();
                continue;
            }
            _ => {}
        }
        last.push(byte);
    }
    Some(match last.trim() {
        "..." => Arguments::Variadic(count - 1),
        "void" | "" => Arguments::Fixed(0),
        _ => Arguments::Fixed(count),
    })
}

#[test]
fn rows_have_as_many_arguments_as_the_headers_say() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for header in headers().filter(|header| header.is_file()) {
        let declared = declared(header.name);
        for row in header.rows.iter().filter(|row| row.arguments != Arguments::Variable) {
            compared += 1;
            match declared.get(row.name) {
                Some(arguments) if *arguments == row.arguments => {}
                other => wrong
                    .push(format!("{} in {}: {:?}, the header has {other:?}", row.name, header.name, row.arguments)),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 500, "{compared} rows were compared");
}

#[test]
fn declarations_are_read() {
    let read = |line: &str| declaration(line).expect("a declaration");
    let line =
        |declared: &str| format!("|-FunctionDecl 0x1 prev 0x2 </a.h:1:2, line:3:4> line:1:5 used {declared} extern");
    let cases = [
        ("strlen 'unsigned long (const char *)'", Arguments::Fixed(1)),
        ("getpid '__pid_t (void)'", Arguments::Fixed(0)),
        ("printf 'int (const char *restrict, ...)'", Arguments::Variadic(1)),
        ("qsort 'void (void *, size_t, size_t, int (*)(const void *, const void *))'", Arguments::Fixed(4)),
        ("signal 'void (*(int, void (*)(int)))(int)'", Arguments::Fixed(2)),
    ];
    for (text, arguments) in cases {
        let name = text.split(' ').next().expect("a name").to_owned();
        assert_eq!(read(&line(text)), (name, arguments));
    }
    assert_eq!(declaration("|-VarDecl 0x1 </a.h:1:2> col:3 stdin 'FILE *' extern"), None);
}
