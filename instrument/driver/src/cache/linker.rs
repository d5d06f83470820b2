//! How the compiler's driver calls the linker, kept from one build to the next.
//!
//! What the driver says to the linker depends on the flags and on the system, not on the program. It is asked for once,
//! so that a build need not run the driver only to start the linker: to load the driver takes longer than to compile a
//! small program.

use super::{BuildCache, add, identity, of_command, path_of, text};
use crate::arguments::split_response;
use crate::plan::CompilerCommand;
use crate::tools::ToolPaths;
use sha2::Digest;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Changes with what is kept.
const FORMAT: &[u8] = b"inspect linker command 1";

/// Where the driver looks for the newest version of the compiler's own library.
const COMPILER_LIBRARIES: &str = "/usr/lib/gcc/x86_64-linux-gnu";

/// The words that stand for the object and for the program in a kept command. The driver's own words have no blank in
/// front.
const OBJECT: &str = " object";
const PROGRAM: &str = " program";

/// A link of one object.
#[derive(Debug)]
pub(crate) struct Link<'a> {
    /// The link as a command of the compiler.
    pub(crate) planned: &'a CompilerCommand,
    pub(crate) object: &'a Path,
    pub(crate) program: &'a Path,
}

impl BuildCache {
    /// The linker with its arguments, as the compiler's driver would run it for this link. None if the driver does not
    /// say it in one line.
    pub(crate) fn linker_command(&self, link: &Link<'_>, tools: &ToolPaths) -> Option<Vec<OsString>> {
        let kept = self.name_of(link, tools)?;
        let known = std::fs::read(&kept).ok().map(words).filter(|words| are_there(words));
        let general = match known {
            Some(known) => known,
            None => {
                let asked = ask(link)?;
                self.keep_command(&kept, &asked);
                asked
            }
        };
        Some(general.into_iter().map(|word| link.special(word)).collect())
    }

    fn name_of(&self, link: &Link<'_>, tools: &ToolPaths) -> Option<PathBuf> {
        let mut hash = of_command(link.planned, &[link.object, link.program], tools)?;
        hash.update(FORMAT);
        add(&mut hash, &identity(Path::new(COMPILER_LIBRARIES)).unwrap_or_default());
        Some(self.folder.join(format!("{}.linker", text(hash))))
    }

    /// Keeps a command. Where that is not possible, it is asked for again the next time.
    fn keep_command(&self, kept: &Path, command: &[OsString]) {
        let bytes = command.iter().map(|word| word.as_bytes()).collect::<Vec<_>>().join(&0);
        if std::fs::create_dir_all(&self.folder).is_ok()
            && let Some(_room) = self.make_room(bytes.len() as u64)
        {
            self.place(kept, |to| std::fs::write(to, bytes));
        }
    }
}

impl Link<'_> {
    /// A word of a kept command as a word of this link's.
    fn special(&self, word: OsString) -> OsString {
        match word.to_str() {
            Some(OBJECT) => self.object.into(),
            Some(PROGRAM) => self.program.into(),
            Some(_) | None => word,
        }
    }

    /// A word of this link's command as one of a kept command.
    fn general(&self, word: OsString) -> OsString {
        if word == self.object.as_os_str() {
            OBJECT.into()
        } else if word == self.program.as_os_str() {
            PROGRAM.into()
        } else {
            word
        }
    }
}

/// Asks the compiler's driver, which runs nothing then.
fn ask(link: &Link<'_>) -> Option<Vec<OsString>> {
    let mut driver = Command::new(&link.planned.compiler);
    let asked = driver.args(&link.planned.arguments).arg("-###").stdin(Stdio::null()).output().ok()?;
    if !asked.status.success() {
        return None;
    }
    let words: Vec<OsString> = the_command(&asked.stderr)?.into_iter().map(|word| link.general(word)).collect();
    let is_once = |name: &str| words.iter().filter(|word| *word == name).count() == 1;
    (is_once(OBJECT) && is_once(PROGRAM)).then_some(words)
}

/// The one command in what the driver says, each word in quotes.
fn the_command(said: &[u8]) -> Option<Vec<OsString>> {
    let mut commands = said.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b" \""));
    let command = commands.next()?;
    if commands.next().is_some() {
        return None;
    }
    Some(split_response(command))
}

/// Whether the files that a command names are there still.
fn are_there(words: &[OsString]) -> bool {
    words.len() > 1 && words.iter().all(|word| !word.as_bytes().starts_with(b"/") || Path::new(word).exists())
}

fn words(kept: Vec<u8>) -> Vec<OsString> {
    kept.split(|&byte| byte == 0).map(|word| path_of(word.to_vec()).into_os_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn a_command_is_read_as_the_driver_writes_it() {
        let said = b"Debian clang version 22\n \"/usr/bin/ld.lld\" \"-o\" \"a \\\"b\\\"\" \"\\$x\"\n";
        assert_eq!(the_command(said), Some(["/usr/bin/ld.lld", "-o", "a \"b\"", "$x"].map(OsString::from).to_vec()));
        assert_eq!(the_command(b" \"clang\" \"-cc1\"\n \"ld.lld\"\n"), None, "two commands");
        assert_eq!(the_command(b"clang: error: no input files\n"), None);
    }

    #[test]
    fn a_command_is_kept_for_every_object_and_program() {
        let planned = CompilerCommand {
            compiler: PathBuf::new(),
            arguments: Vec::new(),
            notices: Vec::new(),
            asked: Vec::new(),
            uninstrumented: Vec::new(),
        };
        let link = |object, program| Link { planned: &planned, object, program };
        let words = |of: [&str; 4]| of.map(OsString::from);
        let one = link(Path::new("a.o"), Path::new("a"));
        let general = words(["ld", "-o", "a", "a.o"]).map(|word| one.general(word));
        let other = link(Path::new("/x/b.o"), Path::new("/x/b"));
        assert_eq!(general.map(|word| other.special(word)), words(["ld", "-o", "/x/b", "/x/b.o"]));
    }

    #[test]
    fn a_command_whose_files_are_gone_is_not_used() {
        let command = |file: &str| ["ld".into(), "-lc".into(), OsString::from(file)];
        assert!(are_there(&command("/")));
        assert!(!are_there(&command("/no-such-file-anywhere")));
        assert!(!are_there(&[OsStr::new("").into()]), "an empty file");
    }
}
