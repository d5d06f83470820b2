//! Fork mode: every run in a forked child, which sends back everything it has to say about it.
//!
//! The child inherits what is known and what was told before, so it finds and tells what the parent would have.

use super::groups::RunOfGroups;
use super::state::{Elsewhere, Trouble, with};
use super::{detection, search};
use crate::platform::fork::{self, Died};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::{Plan, SiteId, ThreadId, Trace};
use inspect_wire::message::Values;
use serde::{Deserialize, Serialize};

/// What is left of a run when its process is gone.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    trouble: Option<Trouble>,
    trace: Trace,
    paths: Vec<(ThreadId, u32)>,
    values: Vec<Values>,
    contents: Vec<u64>,
    opaque: Vec<SiteId>,
    found: Elsewhere,
    groups: RunOfGroups,
}

/// Runs the program once along `plan` in a child. The engine's state then holds the record.
pub(super) fn run(plan: &Plan) -> Option<Trouble> {
    with(|engine| {
        engine.elsewhere = None;
        engine.groups.begin();
    });
    match fork::run(|| record(plan)) {
        Ok(record) => adopt(record),
        Err(died) => Some(Trouble::Lost(format!("a run in a forked process was lost: {}", in_words(died)))),
    }
}

/// In the child.
fn record(plan: &Plan) -> Record {
    let trouble = search::run_here(plan);
    with(|engine| Record {
        trouble,
        found: detection::record(engine),
        trace: engine.run.trace().clone(),
        paths: engine.run.paths().to_vec(),
        values: core::mem::take(&mut engine.values),
        contents: core::mem::take(&mut engine.contents),
        opaque: core::mem::take(&mut engine.opaque),
        groups: engine.groups.take_run(),
    })
}

/// In the parent.
fn adopt(record: Record) -> Option<Trouble> {
    with(|engine| {
        engine.run.adopt(record.trace, record.paths);
        engine.values = record.values;
        engine.contents = record.contents;
        engine.opaque = record.opaque;
        engine.elsewhere = Some(record.found);
        engine.groups.put_run(record.groups);
    });
    record.trouble
}

fn in_words(died: Died) -> String {
    match died {
        Died::Exited(status) => format!("it exited with status {status}"),
        Died::Killed(signal) => format!("it was killed by signal {signal}"),
        Died::NotStarted(error) => format!("it could not be started (error {})", -error),
        Died::NoResult => String::from("it left no complete record"),
    }
}
