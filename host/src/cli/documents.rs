//! What the README and docs/ say of options and algorithms, compared with the command line and the catalogue.

use super::combinations::goes_with_uninitialised;
use super::flags::Flags;
use clap::{Arg, CommandFactory};
use inspect_core::explore::catalogue::CATALOGUE;
use std::collections::{BTreeMap, BTreeSet};

fn document(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The options in the README's tables, each with the last cell of its row: the default.
fn documented(readme: &str) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    for row in readme.lines().filter(|line| line.starts_with("| `-")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        for option in quoted(cells[0]) {
            let name = option.split([' ', '=']).next().unwrap_or_default();
            options.insert(name.to_owned(), cells.last().unwrap_or(&"").to_string());
        }
    }
    options
}

fn name(option: &Arg) -> Option<String> {
    let long = option.get_long().map(|long| format!("--{long}"));
    long.or_else(|| option.get_short().map(|short| format!("-{short}")))
}

#[test]
fn the_readme_has_the_options_of_the_command_line_with_their_defaults() {
    let command = Flags::command();
    let check = command.find_subcommand("check").expect("inspect check exists");
    let options: Vec<&Arg> = check.get_arguments().filter(|option| !option.is_hide_set()).collect();
    let documented = documented(&document("README.md"));
    let known: BTreeSet<String> = options.iter().filter_map(|option| name(option)).collect();
    let written: BTreeSet<String> = documented.keys().cloned().collect();
    assert_eq!(written, known, "left: the README's tables, right: inspect check --help");
    for option in options {
        let (Some(name), [default, ..]) = (name(option), option.get_default_values()) else { continue };
        let default = default.to_string_lossy();
        if option.get_action().takes_values() {
            let cell = documented[&name].replace('`', "");
            assert!(cell.split([' ', ';', ',']).any(|word| word == default), "{name}: `{cell}` does not say {default}");
        }
    }
}

#[test]
fn the_readme_names_every_algorithm() {
    let readme = document("README.md");
    let named: BTreeSet<&str> = quoted(&readme).collect();
    for row in CATALOGUE {
        assert!(named.contains(row.name), "`{}` is not in the README", row.name);
    }
}

/// The table of what can be combined: a mark for each option in the row of each algorithm.
#[test]
fn the_table_of_combinations_agrees_with_the_catalogue() {
    let document = document("docs/algorithms.md");
    let mut lines = document.lines().skip_while(|line| !line.starts_with("| | `-j`"));
    let options: Vec<&str> = lines.next().expect("the table is there").trim_matches('|').split(" | ").skip(1).collect();
    let mut seen = BTreeSet::new();
    for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        for row in quoted(cells[0]).map(|name| CATALOGUE.iter().find(|row| row.name == name).expect("an algorithm")) {
            seen.insert(row.name);
            for (option, cell) in options.iter().zip(&cells[1..]) {
                let answer = match quoted(option).next().expect("an option") {
                    "-j" => row.sharing.among_guests(),
                    "--checkpoint" => row.sharing.division(),
                    "--preemptions" => row.bound(),
                    "--symmetry" => row.symmetry,
                    "--local-states" => row.local_states,
                    "--mode fork" => row.fork,
                    "--plain-accesses sync" => row.sync,
                    "--uninitialised" => goes_with_uninitialised(row.requires),
                    other => panic!("{other} is not in the catalogue"),
                };
                assert_eq!(!cell.is_empty(), answer.is_ok(), "{}: {option}", row.name);
            }
            assert_eq!(cells[3] == "required", row.needs_bound(), "{}", row.name);
        }
    }
    assert_eq!(seen.len(), CATALOGUE.len(), "every algorithm has its row");
}

#[test]
fn the_table_of_algorithms_agrees_with_the_catalogue() {
    let document = document("docs/algorithms.md");
    let row = |line: &str| {
        let name = line.strip_prefix("| `--algorithm ")?.split('`').next()?.to_owned();
        Some((name, line.to_owned()))
    };
    let rows: BTreeMap<String, String> = document.lines().filter_map(row).collect();
    let known: BTreeSet<&str> = CATALOGUE.iter().map(|row| row.name).collect();
    assert_eq!(rows.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
    for row in CATALOGUE {
        let line = &rows[row.name];
        let file = format!("`core/src/{}`", row.file);
        assert!(
            line.contains(row.paper) && line.contains(&file),
            "{}: {} {file}\nis not in\n{line}",
            row.name,
            row.paper
        );
        let source = self::document(&format!("core/src/{}", row.file));
        assert!(source.starts_with("//!"), "{file} opens with its paper");
    }
}
