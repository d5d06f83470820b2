//! `--client`: programs whose main runs as a thread of the program that is checked, at the other end of its sockets.
//!
//! A server waits for clients that are processes of their own, and never ends. To explore it, each client becomes a
//! thread: its source is compiled with its main under another name, and a part that is added to the program
//! (`clients/begin.c`) creates the threads. A client begins once the program is ready for it, and the run ends when all
//! clients have ended, as if the server was stopped then.

use std::path::{Path, PathBuf};

/// What creates the threads.
const BEGIN: &str = include_str!("clients/begin.c");

/// What calls the main of a client, with arguments if it takes any.
const CALL: &str = include_str!("clients/call.h");

/// The flags of a build with sources in this folder: the program's calls of `listen` and `bind` are noticed, and the
/// name of the folder is left out, as the program is to be the same each time.
pub(super) fn flags(folder: &Path) -> [String; 2] {
    ["-Wl,--wrap=listen,--wrap=bind".into(), format!("-ffile-prefix-map={}=client", folder.display())]
}

/// Writes the sources that are to be compiled with the program, and names them.
pub(super) fn write(program: &[PathBuf], clients: &[PathBuf], folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for (number, client) in clients.iter().enumerate() {
        let end = client.extension().unwrap_or_default().to_string_lossy();
        let file = folder.join(format!("inspect_client_{number}.{end}"));
        std::fs::write(&file, wrapped(number, &client.canonicalize()?))?;
        sources.push(file);
    }
    // Where one file is C++, all are compiled as such.
    let is_c = |file: &PathBuf| file.extension().is_some_and(|end| end == "c");
    let end = if program.iter().chain(clients).all(is_c) { "c" } else { "cc" };
    let begin = folder.join(format!("inspect_begin_clients.{end}"));
    std::fs::write(&begin, format!("#define CLIENTS(begin) {}\n{BEGIN}", each(clients.len())))?;
    sources.push(begin);
    Ok(sources)
}

/// `begin(0) begin(1) ...`
fn each(count: usize) -> String {
    (0..count).map(|number| format!("begin({number})")).collect::<Vec<_>>().join(" ")
}

/// The text of a client, with its main under another name. A main that returns nothing returns success, another
/// function does not: so its result is not looked at.
fn wrapped(number: usize, client: &Path) -> String {
    let path = client.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "#pragma clang diagnostic ignored \"-Wreturn-type\"\n#define MAIN inspect_main_of_client_{number}\n\
         #define main MAIN\n#include \"{path}\"\n#undef main\n{CALL}"
    )
}
