//! Development tasks: `cargo xtask TASK`.

mod compiler;
mod conformance;
mod coverage;
mod dependencies;
mod guest;
mod layers;
mod library;
mod names;
mod rules;
mod sources;
mod test;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["guest"] => guest::build_all(),
        ["guest", "--selftest"] => {
            guest::build(guest::GuestEngine::SelfTest).map(|path| println!("{}", path.display()))
        }
        ["guest-test", names @ ..] => guest::test(names),
        ["compiler"] => compiler::build(),
        ["test"] => test::run(&guest::root()),
        ["dependencies"] => dependencies::check(&guest::root()),
        ["conformance"] => conformance::run(&guest::root(), ""),
        ["conformance", "--write"] => conformance::write(&guest::root()),
        ["conformance", filter] => conformance::run(&guest::root(), filter),
        ["coverage"] => coverage::check(&guest::root()),
        ["coverage", "--write"] => coverage::write(&guest::root()),
        ["library"] => library::write(&guest::root()),
        ["layers"] => layers::check(&guest::root()),
        ["tidy"] => tidy::check(&guest::root()),
        ["tidy", "--shrink"] => tidy::shrink(&guest::root()),
        ["docs"] => rules::check(&guest::root()).and_then(|()| names::check(&guest::root())),
        _ => {
            Err("tasks: guest [--selftest], guest-test [NAME...], compiler, test, library, coverage [--write], conformance [FILTER|--write], layers, tidy [--shrink], docs, dependencies"
                .into())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
