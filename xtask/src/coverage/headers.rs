//! What the headers of this machine declare.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

type Error = Box<dyn std::error::Error>;

/// How the names of the futex' operations begin.
pub(super) const OPERATION: &str = "FUTEX_";

/// A function of a header.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// What programs import where the header declares the function with another symbol; else the name.
    pub(super) symbol: String,
}

/// The functions that a header declares itself, or in parts of it that are no headers of their own. Those whose names
/// begin with two underscores are what its macros are made of.
pub(super) fn functions(header: &str) -> Result<BTreeSet<Function>, Error> {
    let text = preprocess(&["-E"], header)?;
    let own = own_lines(&text, header);
    let of_library = |function: &Function| function.name.starts_with("__");
    Ok(own.split(';').filter_map(declared).filter(|function| !of_library(function)).collect())
}

/// The operations of the system call futex.
pub(super) fn futex_operations() -> Result<BTreeSet<String>, Error> {
    let text = preprocess(&["-E", "-dM"], "linux/futex.h")?;
    let mut operations = BTreeSet::new();
    for line in text.lines() {
        if let ["#define", name, value] = line.split_whitespace().collect::<Vec<_>>()[..]
            && name.starts_with(OPERATION)
            && !name.starts_with("FUTEX_OP_")
            && !FLAGS.contains(&name)
            && value.parse::<u32>().is_ok()
        {
            operations.insert(name.to_owned());
        }
    }
    Ok(operations)
}

/// Macros of the header with numbers that are no operations.
const FLAGS: &[&str] = &["FUTEX_PRIVATE_FLAG", "FUTEX_CLOCK_REALTIME", "FUTEX_32", "FUTEX_WAITV_MAX"];

/// How the names of the numbers of system calls begin.
pub(super) const NUMBER: &str = "__NR_";

/// The system calls of this machine, by their names.
pub(super) fn system_calls() -> Result<BTreeSet<String>, Error> {
    let text = preprocess(&["-E", "-dM"], "asm/unistd.h")?;
    Ok(text.split_whitespace().filter_map(|word| word.strip_prefix(NUMBER)).map(str::to_owned).collect())
}

fn preprocess(flags: &[&str], header: &str) -> Result<String, Error> {
    let mut clang = Command::new("clang-22")
        .args(["-x", "c", "-std=gnu17", "-D_GNU_SOURCE"])
        .args(flags)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = clang.stdin.take().ok_or("clang-22 reads nothing")?;
    writeln!(stdin, "#include <{header}>")?;
    drop(stdin);
    let output = clang.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("clang-22 cannot read {header}").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The lines of the header, and of the files in folders named `bits` that it includes: parts of headers. Those of other
/// headers have names that begin otherwise.
fn own_lines(text: &str, header: &str) -> String {
    let stem = header.trim_end_matches(".h");
    let is_own = |path: &str| match path.rsplit_once("/bits/") {
        Some((_, part)) => PARTS.iter().any(|&(of, name)| of == stem && part == name),
        None => path.ends_with(&format!("/{header}")),
    };
    let mut own = false;
    let mut lines = String::new();
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix("# ") {
            own = marker.split('"').nth(1).is_some_and(is_own);
        } else if own {
            lines.push_str(line);
            lines.push('\n');
        }
    }
    lines
}

/// Parts of these headers that declare functions.
const PARTS: &[(&str, &str)] = &[
    ("dirent", "dirent_ext.h"),
    ("fcntl", "fcntl-linux.h"),
    ("sched", "cpu-set.h"),
    ("sched", "sched.h"),
    ("signal", "sigthread.h"),
    ("sys/mman", "mman-shared.h"),
    ("sys/mman", "mman_ext.h"),
    ("sys/stat", "statx-generic.h"),
    ("sys/uio", "uio-ext.h"),
    ("unistd", "unistd_ext.h"),
];

/// The function that a declaration declares.
fn declared(declaration: &str) -> Option<Function> {
    let declaration = declaration.trim();
    let text = match declaration.strip_prefix("extern ") {
        Some(text) => text,
        None if declaration.contains('{') || NO_FUNCTIONS.iter().any(|other| declaration.starts_with(other)) => {
            return None;
        }
        None => declaration,
    };
    let name_ends = text.find('(').filter(|&at| !text[at + 1..].starts_with('*'))?;
    let name = text[..name_ends].trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let symbol = text.split("__asm__").nth(1).and_then(|rest| rest.split('"').find(|part| is_name(part)));
    let symbol = symbol.unwrap_or(name).to_owned();
    is_name(name).then(|| Function { name: name.to_owned(), symbol })
}

/// How declarations without `extern` begin that declare no functions of the library.
const NO_FUNCTIONS: &[&str] = &["typedef", "struct", "union", "enum", "static", "return", "}"];

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_name_functions_or_their_symbols() {
        let found = |text: &str| declared(text).map(|function| [function.name, function.symbol]);
        let both = |name: &str| Some([name.to_owned(), name.to_owned()]);
        assert_eq!(found("\nextern int sem_wait (sem_t *__sem)"), both("sem_wait"));
        let renamed = "extern int old (int) __asm__ (\"\" \"renewed\") __attribute__ ((x))";
        assert_eq!(found(renamed), Some(["old".to_owned(), "renewed".to_owned()]));
        assert_eq!(found("extern void *pointer (void)"), both("pointer"));
        assert_eq!(found("extern int variable"), None);
        assert_eq!(found("typedef int (*start) (void *)"), None);
        assert_eq!(found("int plain (int)"), both("plain"));
        assert_eq!(found("int (*member) (const char *)"), None);
    }

    #[test]
    fn a_header_has_its_own_functions_only() {
        let names = |header: &str| -> BTreeSet<String> {
            functions(header).expect("clang reads it").into_iter().map(|function| function.name).collect()
        };
        let found = names("semaphore.h");
        assert!(found.contains("sem_wait") && found.contains("sem_clockwait"), "{found:?}");
        assert!(found.iter().all(|name| name.starts_with("sem_")), "{found:?}");
        assert!(names("pthread.h").contains("pthread_create"));
    }

    #[test]
    fn operations_of_the_futex_are_found() {
        let found = futex_operations().expect("clang reads it");
        assert!(found.contains("FUTEX_WAIT") && found.contains("FUTEX_CMP_REQUEUE_PI"), "{found:?}");
        assert!(!found.iter().any(|name| name.starts_with("FUTEX_OP_")), "{found:?}");
    }
}
