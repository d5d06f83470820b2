//! The `inspect` command; as `inspect-cc` or `inspect-c++` it is a compiler, as `inspect-ar` and its kin a tool beside.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    inspect_host::cli::main(std::env::args_os().collect())
}
