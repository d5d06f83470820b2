//! The table of library functions (`inspect_wire::library`): writes docs/library.md, and compares the rows with what
//! the guest exports and with what the system's headers declare.

mod words;

use inspect_wire::hooks::CALLED_BY_COMPILED_CODE;
use inspect_wire::library::{ALL, Arguments, FAMILIES, Guest, LibraryRow, headers};
use std::fmt::Write;
use std::path::Path;

type Error = Box<dyn std::error::Error>;

/// The document, below the root.
const DOCUMENT: &str = "docs/library.md";

/// Writes the document.
pub(crate) fn write(root: &Path) -> Result<(), Error> {
    Ok(std::fs::write(root.join(DOCUMENT), document())?)
}

/// Every function that the guest exports has a row that says so, and every function whose row says so is exported.
pub(crate) fn check_exports(exports: &[String]) -> Result<(), Error> {
    let of_library = |name: &&String| !CALLED_BY_COMPILED_CODE.iter().any(|prefix| name.starts_with(prefix));
    let has_row = |name: &&String| ALL.iter().any(|row| row.name == name.as_str() && row.guest.exports());
    if let Some(name) = exports.iter().filter(of_library).find(|name| !has_row(name)) {
        return Err(format!("the guest exports {name}, whose row in wire/src/library does not say so").into());
    }
    let is_exported = |row: &&LibraryRow| exports.iter().any(|name| name == row.name);
    match ALL.iter().filter(|row| row.guest.exports()).find(|row| !is_exported(row)) {
        Some(row) => Err(format!("the guest does not export {}, whose row says {:?}", row.name, row.guest).into()),
        None => Ok(()),
    }
}

fn document() -> String {
    let mut text = format!("{}\n", include_str!("library/introduction.md").trim_end());
    let counted = |guest: Guest| ALL.iter().filter(|row| row.guest == guest).count();
    let counts = [Guest::Models, Guest::Announces, Guest::Harmless, Guest::Refuses, Guest::Unknown]
        .map(|guest| format!("{} {}", counted(guest), words::guest(guest)))
        .join(", ");
    let _ = writeln!(text, "\n{} rows: {counts}.", ALL.len());
    // Rows of one header may come in several groups.
    let mut groups = headers().peekable();
    while let Some(header) = groups.next() {
        let title = if header.is_file() { format!("`{}`", header.name) } else { header.name.to_owned() };
        let mut rows: Vec<&LibraryRow> = header.rows.iter().collect();
        while let Some(more) = groups.next_if(|next| next.name == header.name) {
            rows.extend(more.rows);
        }
        rows.sort_by_key(|row| row.name);
        section(&mut text, &title, &rows);
    }
    let families: Vec<&LibraryRow> = FAMILIES.iter().collect();
    section(&mut text, "Families: all functions whose names begin so and that have no row of their own", &families);
    text
}

fn section(text: &mut String, title: &str, rows: &[&LibraryRow]) {
    let _ = writeln!(text, "\n## {title}\n\n| function | call | accesses | pointers | depends on | threads, loops |");
    let _ = writeln!(text, "|---|---|---|---|---|---|");
    for row in rows {
        let name = match row.arguments {
            Arguments::Fixed(signature) => format!("`{}` ({})", row.name, signature.0),
            Arguments::Variadic(signature) => format!("`{}` ({}...)", row.name, signature.0),
            Arguments::Variable => format!("`{}` (variable)", row.name),
            Arguments::Family => format!("`{}...`", row.name),
        };
        let cells = [words::guest(row.guest).to_owned(), words::effects(row), words::flows(row)];
        let others = [words::outcome(row).to_owned(), words::threads(row)];
        let _ = writeln!(text, "| {name} | {} | {} |", cells.join(" | "), others.join(" | "));
    }
}

#[cfg(test)]
mod accesses;
#[cfg(test)]
mod cxx;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod tests;
