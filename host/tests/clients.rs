//! `--client`: a program with clients is the same program each time that it is built.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use serde_json::Value;
use std::path::Path;
use tool::run;

#[test]
fn a_search_with_a_client_is_resumed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/channels/clients");
    let file = |name: &str| corpus.join(name).to_string_lossy().into_owned();
    let (server, client) = (file("server.c"), file("client.c"));
    let directory = tempfile::tempdir().expect("a directory");
    let check = |options: &[&str]| {
        let program = ["check", "--json", "--algorithm", "optimal", "-DLOCKED", &server, "--client", &client];
        let (_, stdout, stderr) = run(&[&program, options].concat(), directory.path());
        let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
        (report["verdict"].as_str().expect("a verdict").to_owned(), report["executions"].as_u64().expect("a number"))
    };
    let whole = check(&[]);
    assert_eq!(whole.0, "verified");
    assert_eq!(check(&["--max-executions", "5", "--checkpoint", "search"]).0, "inconclusive");
    assert_eq!(check(&["--resume", "search"]), whole);
}
