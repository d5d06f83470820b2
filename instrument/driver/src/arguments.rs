//! Reads a compiler's command line: response files, options with separate values, inputs and their languages.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Which compiler is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `inspect cc`
    C,
    /// `inspect c++`
    Cxx,
}

impl Language {
    /// The name of the subcommand.
    pub fn command(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
        }
    }
}

/// One part of a command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// An option, with its separate value if it has one.
    Option(OsString, Option<OsString>),
    /// A file to compile or to link; the language if `-x` says one.
    Input(OsString, Option<OsString>),
    /// `-lname`.
    Library(OsString),
}

/// Options whose value is the next argument if it is not joined.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-B",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-A",
    "-G",
    "-b",
    "-V",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xarch_host",
    "-mllvm",
    "-target",
    "--target",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "--param",
    "--sysroot",
    "-rpath",
    "-rdynamic-list",
    "-soname",
    "-wrapper",
    "-specs",
    "--config",
    "-gcc-toolchain",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-working-directory",
    "-Tdata",
    "-Tbss",
    "-Ttext",
    "-undefined",
    "-segprot",
    "-stdlib++-isystem",
    "-resource-dir",
];

/// Splits a command line. `@file` is replaced by what the file holds.
pub(crate) fn parse(raw: Vec<OsString>) -> Result<Vec<Argument>, String> {
    let mut words = Vec::new();
    for word in raw {
        expand(word, &mut words, 0)?;
    }
    let mut parsed = Vec::new();
    let mut language: Option<OsString> = None;
    let mut words = words.into_iter();
    let mut only_files = false;
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        if only_files && bytes.starts_with(b"-") {
            parsed.push(Argument::Input(Path::new(".").join(word).into_os_string(), language.clone()));
        } else if only_files || bytes == b"-" || !bytes.starts_with(b"-") {
            parsed.push(Argument::Input(word, language.clone()));
        } else if bytes == b"--" {
            only_files = true;
        } else if bytes == b"-l" {
            let name = words.next().ok_or("argument to '-l' is missing")?;
            parsed.push(Argument::Library(name));
        } else if let Some(name) = bytes.strip_prefix(b"-l") {
            parsed.push(Argument::Library(OsStr::from_bytes(name).to_owned()));
        } else if WITH_VALUE.iter().any(|option| option.as_bytes() == bytes) {
            let value = words.next();
            if bytes == b"-x" {
                language = value.clone().filter(|v| v != "none");
            }
            parsed.push(Argument::Option(word, value));
        } else {
            if let Some(name) = bytes.strip_prefix(b"-x") {
                language = (name != b"none").then(|| OsStr::from_bytes(name).to_owned());
            }
            parsed.push(Argument::Option(word, None));
        }
    }
    Ok(parsed)
}

/// Adds a word, or the words of the response file it names. A file that cannot be read is an ordinary argument, as it
/// is for the compilers.
fn expand(word: OsString, into: &mut Vec<OsString>, depth: u32) -> Result<(), String> {
    let text = match word.as_bytes().strip_prefix(b"@") {
        Some(name) => std::fs::read(OsStr::from_bytes(name)).ok(),
        None => None,
    };
    let Some(text) = text else {
        into.push(word);
        return Ok(());
    };
    if depth > 20 {
        return Err(format!("response file {} includes itself", word.to_string_lossy()));
    }
    for inner in split_response(&text) {
        expand(inner, into, depth + 1)?;
    }
    Ok(())
}

/// Splits the text of a response file: blanks separate, quotes group, a backslash takes the next character as it is.
pub(crate) fn split_response(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => {
                if let Some(next) = bytes.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (_, Some(open)) if byte == open => quote = None,
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            (_, _) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// The kind of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputKind {
    /// Compiled to bitcode.
    Source,
    /// Assembled: machine code that the pass does not see.
    Assembly,
    /// Given to the linker.
    Linked,
}

/// What the compiler makes of an input.
pub(crate) fn input_kind(file: &OsStr, language: Option<&OsStr>) -> InputKind {
    if let Some(language) = language {
        return match language.to_str() {
            Some("assembler" | "assembler-with-cpp") => InputKind::Assembly,
            _ => InputKind::Source,
        };
    }
    match Path::new(file).extension().and_then(OsStr::to_str) {
        Some("s" | "S" | "sx" | "asm") => InputKind::Assembly,
        Some(
            "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "h" | "hh" | "hpp" | "hxx" | "H"
            | "m" | "mm" | "ll" | "bc" | "cppm" | "ixx",
        ) => InputKind::Source,
        _ if file == "-" => InputKind::Source,
        _ => InputKind::Linked,
    }
}

/// Whether the file's name ends as those of C++ sources do.
pub(crate) fn is_cxx_source(file: &Path) -> bool {
    matches!(
        file.extension().and_then(OsStr::to_str),
        Some("cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "cppm" | "ixx")
    )
}

/// The folders in which `-l` looks, in order: those of the command line first.
pub(crate) fn library_folders(arguments: &[Argument]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Option(name, Some(value)) if name == "-L" => folders.push(value.into()),
            Argument::Option(name, None) => {
                if let Some(folder) = name.as_bytes().strip_prefix(b"-L") {
                    folders.push(OsStr::from_bytes(folder).into());
                }
            }
            _ => {}
        }
    }
    folders.extend(
        ["/usr/local/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"].map(PathBuf::from),
    );
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn values_of_options_are_no_inputs() {
        let parsed = parse(words("-c -o out.o -MF out.d -I inc a.c -lm -l pthread -x c++ b.h")).expect("parses");
        let inputs: Vec<_> = parsed.iter().filter(|a| matches!(a, Argument::Input(..))).collect();
        assert_eq!(inputs, [&Argument::Input("a.c".into(), None), &Argument::Input("b.h".into(), Some("c++".into()))]);
        let libraries: Vec<_> = parsed.iter().filter(|a| matches!(a, Argument::Library(..))).collect();
        assert_eq!(libraries, [&Argument::Library("m".into()), &Argument::Library("pthread".into())]);
    }

    #[test]
    fn response_files_are_split_like_a_shell_would() {
        let text = b"-DA='b c' \"d e\" f\\ g\n-DX=\\\"y\\\"  \"\"";
        assert_eq!(split_response(text), ["-DA=b c", "d e", "f g", "-DX=\"y\"", ""].map(OsString::from));
    }

    #[test]
    fn a_response_file_that_is_not_there_stays_an_argument() {
        assert_eq!(
            parse(words("@no-such-file-anywhere")).expect("parses"),
            [Argument::Input("@no-such-file-anywhere".into(), None)]
        );
    }

    #[test]
    fn kinds_of_inputs() {
        let kind = |file: &str, language: Option<&str>| input_kind(OsStr::new(file), language.map(OsStr::new));
        assert_eq!(kind("a.c", None), InputKind::Source);
        assert_eq!(kind("a.S", None), InputKind::Assembly);
        assert_eq!(kind("liba.so.1", None), InputKind::Linked);
        assert_eq!(kind("a.o", None), InputKind::Linked);
        assert_eq!(kind("-", Some("c")), InputKind::Source);
        assert_eq!(kind("-", Some("assembler")), InputKind::Assembly);
    }
}
