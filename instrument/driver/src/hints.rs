//! What to do about errors in C sources that gcc takes with a warning.

/// Warnings of gcc 12 that are errors of clang.
const LENIENT: &[&str] =
    &["implicit-int", "implicit-function-declaration", "int-conversion", "incompatible-pointer-types"];

/// The flags with which these are warnings here as well, for C of 1989, where gcc's users expect that.
pub(crate) fn flags_of_old_c() -> impl Iterator<Item = String> {
    LENIENT.iter().map(|name| demoting(name))
}

/// The flag that makes an error a warning.
fn demoting(name: &str) -> String {
    format!("-Wno-error={name}")
}

/// What helps against a line of the compiler's messages, if it is one of these errors.
pub(crate) fn hint(line: &str) -> Option<String> {
    if !line.contains("error:") {
        return None;
    }
    if line.contains("'main'") && line.contains("parameter") {
        return Some("main has to be declared as int main(void) or int main(int argc, char **argv)".into());
    }
    let name = LENIENT.iter().find(|name| line.contains(&format!("-W{name}]")))?;
    Some(format!("gcc takes this with a warning, and so does --cflag={}", demoting(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_gcc_does_not_have_name_the_flag() {
        let line = "a.c:1:1: error: type specifier missing, defaults to 'int' [-Wimplicit-int]";
        assert!(hint(line).is_some_and(|hint| hint.ends_with("--cflag=-Wno-error=implicit-int")));
        assert!(hint("a.c:1:5: error: too many parameters (4) for 'main': must be 0, 2, or 3").is_some());
        assert_eq!(hint("a.c:1:1: warning: type specifier missing [-Wimplicit-int]"), None);
        assert_eq!(hint("a.c:1:1: error: expected ';'"), None);
        assert_eq!(hint("a.c:9:5: error: redefinition of 'main'"), None);
    }
}
