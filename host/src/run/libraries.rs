//! The shared libraries with which a program is started.

use super::process::Target;
use std::path::PathBuf;
use std::process::Stdio;

/// The files of the libraries, as the dynamic linker says without starting the program; none if it cannot.
pub fn libraries_of(target: &Target) -> Vec<PathBuf> {
    let mut command = target.command();
    command.env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null());
    let Ok(output) = command.output() else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(library).collect()
}

/// The file in `libx.so.1 => /usr/lib/libx.so.1 (0x7f00)`.
fn library(line: &str) -> Option<PathBuf> {
    let file = line.split_once(" => ")?.1;
    let path = file.rsplit_once(" (0x").map_or(file, |(path, _)| path);
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_libraries_that_have_a_file_are_named() {
        assert_eq!(library("\tlibx.so.1 => /opt/my lib/libx.so.1 (0x7f00)"), Some("/opt/my lib/libx.so.1".into()));
        assert_eq!(library("\tlibx.so.1 => not found"), None);
        assert_eq!(library("\tlinux-vdso.so.1 (0x7ffc)"), None);
    }

    #[test]
    fn the_test_program_itself_has_the_c_library() {
        let own = Target::new(std::env::current_exe().expect("has a path"), Vec::new());
        let is_c = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libc.so"));
        assert!(libraries_of(&own).iter().any(is_c));
    }
}
