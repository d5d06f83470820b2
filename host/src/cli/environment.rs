//! `inspect env`: the variables by which build systems find the compilers and the tools beside them.

use crate::error::{ToolError, plain};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The variables, each with the name that the tool is installed under.
const TOOLS: [(&str, &str); 5] = [
    ("CC", "inspect-cc"),
    ("CXX", "inspect-c++"),
    ("AR", "inspect-ar"),
    ("RANLIB", "inspect-ranlib"),
    ("NM", "inspect-nm"),
];

/// What CMake reads, as it looks for an archiver of its own beside the compiler that the variables name.
const CMAKE_VARIABLE: &str = "CMAKE_TOOLCHAIN_FILE";
const CMAKE_FILE: &str = "inspect.cmake";

/// Prints commands for a shell.
pub(super) fn print() -> Result<ExitCode, ToolError> {
    let fail = |what: String| ToolError::new(format!("Inspect is not completely installed: {what}"));
    let executable =
        std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| fail(plain(&error)))?;
    let folder = executable.parent().unwrap_or(Path::new("/"));
    let missing = TOOLS.iter().find(|(_, tool)| !folder.join(tool).exists());
    if let Some((_, tool)) = missing {
        return Err(fail(format!("{tool} is missing; looked in {}", folder.display())));
    }
    let places = [folder.join("../lib/inspect"), folder.to_owned(), folder.join("../../instrument/toolchain")];
    let toolchain = places.iter().find_map(|place| place.join(CMAKE_FILE).canonicalize().ok());
    let toolchain = toolchain.ok_or_else(|| fail(format!("{CMAKE_FILE} is missing")))?;
    let commands = commands(folder, &toolchain)
        .ok_or_else(|| ToolError::new(format!("the search path cannot have {}: it has a colon", folder.display())))?;
    std::io::stdout()
        .write_all(commands.as_bytes())
        .map_err(|error| ToolError::new(format!("cannot write: {}", plain(&error))))?;
    Ok(ExitCode::SUCCESS)
}

/// The commands for tools in this folder. Makefiles split the value of `CC` into words, so the tools of a folder whose
/// name is not a single word everywhere go by their names alone, behind a search path that has the folder; `None` if it
/// cannot be there. Each line ends with a semicolon, as `eval $(inspect env)` joins them.
fn commands(folder: &Path, toolchain: &Path) -> Option<String> {
    let mut commands = String::new();
    let single = is_single_word(folder);
    if !single {
        if folder.as_os_str().as_bytes().contains(&b':') {
            return None;
        }
        let _ = writeln!(commands, "export PATH=\"{}:$PATH\";", quoted(folder));
    }
    for (variable, tool) in TOOLS {
        let path = if single { folder.join(tool) } else { PathBuf::from(tool) };
        let _ = writeln!(commands, "export {variable}={};", path.display());
    }
    let _ = writeln!(commands, "export {CMAKE_VARIABLE}=\"{}\";", quoted(toolchain));
    Some(commands)
}

/// Whether a shell, a makefile and a build system all take the path as one word as it stands.
fn is_single_word(path: &Path) -> bool {
    path.as_os_str().as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._+-".contains(byte))
}

/// The path for use within double quotes. Characters that mean something to a shell are given by their numbers: what
/// comes of `$(inspect env)` without quotes is split at blanks and expanded as a pattern before `eval` sees it.
fn quoted(path: &Path) -> String {
    if is_single_word(path) {
        return path.display().to_string();
    }
    let mut format = String::new();
    for byte in OsString::from(path).as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._+-".contains(byte) {
            format.push(char::from(*byte));
        } else if *byte == b'%' {
            format.push_str("%%");
        } else {
            let _ = write!(format, "\\{byte:03o}");
        }
    }
    format!("$(printf '{format}')")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What a shell makes of the commands in the environment of its children.
    fn seen(script: &str, folder: &str, variable: &str) -> String {
        let commands = commands(Path::new(folder), Path::new("/lib/t.cmake")).expect("has no colon");
        let output = Command::new("/bin/sh")
            .args(["-c", &format!("{script}; /usr/bin/printenv {variable}")])
            .env("COMMANDS", commands)
            .env("PATH", "/usr/bin:/bin")
            .output()
            .expect("there is a shell");
        String::from_utf8(output.stdout).expect("is UTF-8").trim_end_matches('\n').to_owned()
    }

    #[test]
    fn a_shell_sees_the_tools() {
        // With and without quotes around the commands.
        for script in ["eval \"$COMMANDS\"", "eval $COMMANDS"] {
            assert_eq!(seen(script, "/opt/bin", "CC"), "/opt/bin/inspect-cc");
            assert_eq!(seen(script, "/opt/bin", "PATH"), "/usr/bin:/bin");
            assert_eq!(seen(script, "/opt/bin", "NM"), "/opt/bin/inspect-nm");
            assert_eq!(seen(script, "/opt/bin", CMAKE_VARIABLE), "/lib/t.cmake");
            for folder in ["/a  b/bin", "/a'b", "/a\"b$PATH`id`", "/*", "/a\\b;c", "/100%d", "/\u{e9}"] {
                assert_eq!(seen(script, folder, "AR"), "inspect-ar");
                assert_eq!(seen(script, folder, "PATH"), format!("{folder}:/usr/bin:/bin"), "{script}");
            }
        }
        assert_eq!(commands(Path::new("/a:b"), Path::new("/t")), None);
    }
}
