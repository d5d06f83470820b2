//! Each check on the project itself, and on small crates in which it must find something.

use super::exceptions::{self, Found};
use super::source::Crate;
use super::{circles, limits, operations, owners, types};
use std::collections::BTreeMap;
use std::path::Path;

/// A crate of these files, by their names below `src`.
fn crate_of(files: &[(&str, &str)]) -> Crate {
    crate_in("src", files)
}

/// The same below another folder.
fn crate_in(source: &str, files: &[(&str, &str)]) -> Crate {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = folder.path().join(source).join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    Crate::load(folder.path(), "c", source).expect("it can be read")
}

fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    circles::shrunk(&circles::circles(&crate_of(files))).lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "make check does this"]
fn the_project_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    super::check(root).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn modules_that_need_each_other_are_a_circle() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B; fn f() { crate::c::f() }"),
        ("c.rs", "pub fn f() { let _: Option<super::a::A> = None; }"),
    ]);
    assert_eq!(found, ["c: a b c"]);
}

/// Folders count as one with what is below them, and a name leads to the file that defines it, whichever module
/// re-exports it.
#[test]
fn folders_are_one_among_their_siblings() {
    let lib = ("lib.rs", "mod a; mod b;");
    let face = ("a/mod.rs", "mod inner; pub use inner::Inner; pub use leaf::Leaf; mod leaf;");
    let user = ("b.rs", "use crate::a::Leaf; pub struct B(Leaf);");
    let inner = ("a/inner.rs", "pub struct Inner(crate::b::B);");
    let leaf = ("a/leaf.rs", "pub struct Leaf;");
    // b needs a/leaf.rs and a/inner.rs needs b: no circle of files, but one of a and b.
    assert_eq!(circles_of(&[lib, face, user, inner, leaf]), ["c: a b"]);
    let free = ("a/inner.rs", "pub struct Inner;");
    assert_eq!(circles_of(&[lib, face, user, free, leaf]), [""; 0], "what is passed on is no use");
}

#[test]
fn uses_inside_macros_and_functions_count_and_those_of_tests_do_not() {
    let lib = ("lib.rs", "mod a; mod b;");
    let a = ("a.rs", "pub const A: u8 = 1; pub fn f() { assert!(crate::b::B == 1); }");
    let b = ("b.rs", "pub const B: u8 = 1; pub fn f() { use crate::a::A; }");
    assert_eq!(circles_of(&[lib, a, b]), ["c: a b"]);
    let tests = ("b.rs", "pub const B: u8 = 1; #[cfg(test)] mod tests { use crate::a::A; }");
    assert_eq!(circles_of(&[lib, a, tests]), [""; 0]);
}

#[test]
fn a_new_circle_is_reported_with_its_way_and_a_smaller_one_too() {
    let files =
        [("lib.rs", "mod a; mod b;"), ("a.rs", "pub struct A(super::b::B);"), ("b.rs", "pub struct B(super::a::A);")];
    let found = circles::circles(&crate_of(&files));
    let wrong = circles::check(&found, "");
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("a new circle of imports in c: a b:"), "{wrong:?}");
    assert!(wrong[0].contains("b needs a: super::a::A in src/b.rs"), "{wrong:?}");
    assert_eq!(circles::check(&found, "c: a b"), [""; 0]);
    let wrong = circles::check(&found, "c: a b d\nd: x y");
    assert_eq!(wrong.len(), 2, "one got smaller, one is gone: {wrong:?}");
}

#[test]
fn long_files_and_functions_are_found() {
    let body = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    let too_long = |text: &str| {
        let mut found = Found::new();
        limits::too_long("x.rs", text, &syn::parse_file(text).expect("Rust"), &mut found);
        found
    };
    assert_eq!(too_long(&body(40)), Found::new());
    assert_eq!(too_long(&format!("// A comment\n{}", body(41))), Found::from([("x.rs f".into(), 41)]));
    assert_eq!(too_long(&format!("impl X {{\n{}}}\n", body(41))), Found::from([("x.rs f".into(), 41)]));
    assert_eq!(too_long(&"\n".repeat(500)), Found::new());
    assert_eq!(too_long(&"\n".repeat(501)), Found::from([("x.rs".into(), 501)]));
}

#[test]
fn types_of_one_name_are_found_if_others_can_use_them() {
    let ambiguous = |b: &str| {
        let mut named = BTreeMap::new();
        types::public_types(&crate_of(&[("lib.rs", "mod b; pub struct A;"), ("b.rs", b)]), &mut named);
        types::ambiguous(&named)
    };
    let found = "A: several public types have this name, in src/b.rs, src/lib.rs";
    assert_eq!(ambiguous("pub(crate) enum A {}"), [found]);
    assert_eq!(ambiguous("enum A {} pub(super) struct A;"), [""; 0]);
    assert_eq!(ambiguous("#[cfg(test)] pub struct A;"), [""; 0]);
}

#[test]
fn places_silent_about_new_operations_are_counted() {
    let silent = |code: &str| {
        let mut found = Found::new();
        operations::silent_places(&crate_of(&[("lib.rs", code)]), &mut found);
        found.values().sum::<usize>()
    };
    assert_eq!(silent("fn f(o: Operation) -> bool { matches!(o, Operation::Read(_)) }"), 1);
    assert_eq!(silent("fn f(o: Operation) { assert!(g() && matches!(o, crate::Operation::Read(_))); }"), 1);
    assert_eq!(silent("fn f(o: Other) -> bool { matches!(o, Other::Read(_)) }"), 0);
    assert_eq!(silent("fn f(o: Operation) { match o { Operation::Read(_) => a(), _ => b() } }"), 1);
    assert_eq!(silent("fn f(o: Operation) { match o { Operation::Read(_) => a(), other => b(other) } }"), 1);
    assert_eq!(
        silent("fn f(o: O, p: O) { match (o, p) { (Operation::Read, Operation::Read) => a(), (_, _) => b() } }"),
        1
    );
    assert_eq!(silent("impl Operation { fn f(self) { match self { Self::Read(_) => a(), _ => b() } } }"), 1);
    assert_eq!(silent("impl Other { fn f(self) { match self { Self::Read(_) => a(), _ => b() } } }"), 0);
    assert_eq!(silent("fn f(o: Operation) { match o { Operation::Read(_) => a(), Operation::Write(_) => b() } }"), 0);
    assert_eq!(silent("#[cfg(test)] mod tests { fn f(o: O) -> bool { matches!(o, Operation::Read(_)) } }"), 0);
}

#[test]
fn places_that_pick_operations_in_other_ways_are_counted() {
    let silent = |code: &str| {
        let mut found = Found::new();
        operations::silent_places(&crate_of(&[("lib.rs", code)]), &mut found);
        found.values().sum::<usize>()
    };
    assert_eq!(silent("fn f(o: O) -> bool { matches!(o, MutexOperation::Lock(_)) }"), 1, "of a group");
    assert_eq!(silent("fn f(o: O) { if let Operation::Mutex(_) = o { a() } }"), 1);
    assert_eq!(silent("fn f(o: O) { let Operation::Mutex(m) = o else { return }; }"), 1);
    assert_eq!(silent("fn f(o: O) -> bool { o == Operation::Mutex(m) }"), 1);
    assert_eq!(silent("fn f(o: O) -> O { Operation::Mutex(m) }"), 0, "made");
    assert_eq!(silent("use crate::event::MutexOperation::*;"), 1, "variants without their type");
    assert_eq!(silent("use crate::event::{MutexOperation, Touch};"), 0);
}

#[test]
fn decisions_about_kinds_belong_to_the_vocabulary_the_run_and_the_model() {
    let count = |file: &str, code: &str| {
        let mut found = Found::new();
        let root = if file == "lib" { code } else { "mod event; mod run; mod model;" };
        let folder = |name: &str| if name == file { code } else { "" };
        let files = [
            ("lib.rs", root),
            ("event/mod.rs", folder("event")),
            ("run/mod.rs", folder("run")),
            ("model/mod.rs", folder("model")),
        ];
        operations::silent_places(&crate_in("core/src", &files), &mut found);
        found.values().sum::<usize>()
    };
    let decision = "fn f(n: Need) { match n { Need::Nothing => a(), Need::Never => b() } }";
    let comparison = "fn f(t: Touch) -> bool { t == Touch::Read }";
    let pick = "fn f(k: ObjectKind) -> bool { matches!(k, ObjectKind::Mutex) }";
    assert_eq!(["lib", "event", "run", "model"].map(|file| count(file, decision)), [1, 0, 0, 0]);
    assert_eq!(["lib", "event", "run", "model"].map(|file| count(file, comparison)), [1, 0, 0, 0]);
    assert_eq!(["lib", "event", "run", "model"].map(|file| count(file, pick)), [1, 0, 1, 1]);
    let silent = "fn f(n: Need) { match n { Need::Nothing => a(), _ => b() } }";
    assert_eq!(["lib", "event", "run", "model"].map(|file| count(file, silent)), [2, 1, 1, 1]);
    assert_eq!(count("lib", "fn f() -> Touch { Touch::Read }"), 0, "made");
    assert_eq!(count("lib", "fn f(o: Other) { match o { Other::Read => a(), _ => b() } }"), 0);
}

/// A crate called guest of a library with an operation, an owning type, and this model.
fn owners_in(model: &str) -> Vec<String> {
    let step = "pub fn switch_to() {} pub fn visible() { switch_to() } pub struct Text { part: Vec<u8> } \
                impl Text { pub fn made() -> Text { x() } pub fn text(&self) -> String { x() } pub fn len(&self) -> u8 { 1 } }";
    let files = [
        ("lib.rs", "mod engine; mod model; mod search;"),
        ("engine/mod.rs", "pub mod step;"),
        ("engine/step.rs", step),
        ("model.rs", model),
        ("search.rs", ""),
    ];
    let mut crate_of_guest = crate_in("guest/src", &files);
    crate_of_guest.name = "guest".into();
    let mut found = Found::new();
    owners::owners_that_operate(&crate_of_guest, &mut found);
    found.into_keys().map(|place| place.replace("guest/src/model.rs ", "")).collect()
}

#[test]
fn values_of_the_heap_across_an_operation_are_found() {
    let uses = "use crate::engine::step::{Text, visible};";
    let owners = |code: &str| owners_in(&format!("{uses} {code}"));
    assert_eq!(owners("fn f() { let a = format!(\"a\"); visible(); g(&a) }"), ["f"]);
    assert_eq!(owners("fn f() { for a in list() { visible() } } fn list() -> Vec<u8> { x() }"), ["f"], "given");
    assert_eq!(owners("fn f(t: &Text) { let a = t.text(); g() } fn g() { visible() }"), ["f"], "at a distance");
    assert_eq!(owners("fn f() { let a = Text::made(); visible() }"), ["f"], "of a type with a part that owns");
    assert_eq!(owners("fn f(a: Option<String>) { visible() }"), ["f"], "passed");
    assert_eq!(owners("fn f() { let a = with(|t| t.name.clone()); super::engine::step::visible() }"), ["f"]);
    assert_eq!(owners("fn f(a: &str, t: &Text) { if t.len() > 0 { visible() } }"), [""; 0], "borrowed");
    assert_eq!(
        owners("fn f() { let a = g(); visible() } fn g() -> u8 { list().len() } fn list() -> Vec<u8> { x() }"),
        [""; 0]
    );
    assert_eq!(
        owners("fn f() { let visible = |a| a; visible(list()) } fn list() -> Vec<u8> { x() }"),
        [""; 0],
        "another"
    );
}

#[test]
fn exceptions_only_get_fewer() {
    let found = Found::from([("new".into(), 1), ("same".into(), 2), ("more".into(), 3), ("fewer".into(), 4)]);
    let listed = "same | 2 | because\nmore | 2 | because\nfewer | 5 | because\ngone | 6 | because\nwrong | 7\n";
    let wrong = exceptions::check("list.txt", &found, listed, "lines");
    for (part, name) in [("new: 1 lines", "new"), ("allows 2", "more"), ("still allows 5", "fewer")] {
        assert!(wrong.iter().any(|wrong| wrong.starts_with(name) && wrong.contains(part)), "{name}: {wrong:?}");
    }
    assert!(wrong.iter().any(|wrong| wrong.contains("gone needs no exception")), "{wrong:?}");
    assert!(wrong.iter().any(|wrong| wrong.contains("not a name, a number and a reason: wrong")), "{wrong:?}");
    assert_eq!(wrong.len(), 5, "{wrong:?}");
    let shrunk = "same | 2 | because\nmore | 2 | because\nfewer | 4 | because\n";
    assert_eq!(exceptions::shrunk(&found, listed), shrunk);
}

#[test]
fn code_in_documentation_is_found() {
    let code = |text: &str| {
        let mut found = Found::new();
        limits::code_in_documentation("x.rs", text, &mut found);
        found
    };
    assert_eq!(code("/// ```\n/// let x = 1;\n/// ```\n"), Found::from([("x.rs code in documentation".into(), 2)]));
    assert_eq!(code("/// A word in `quotes`.\nlet text = \"```\";\n"), Found::new());
}

#[test]
fn comments_that_are_too_wide_are_counted() {
    let wide = |text: &str| {
        let mut found = Found::new();
        limits::wide_comments("x.rs", text, &mut found);
        found
    };
    let comment = |columns: usize| format!("    // {}\n", "x".repeat(columns - 7));
    assert_eq!(wide(&comment(120)), Found::new());
    assert_eq!(wide(&format!("{}{}", comment(121), comment(122))), Found::from([("x.rs comments".into(), 2)]));
    assert_eq!(wide(&format!("//! | {} | y |\n", "x".repeat(200))), Found::new());
}
