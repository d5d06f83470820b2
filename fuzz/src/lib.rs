//! Damaged input for every reader of data from outside of the host: schedule files, which users keep, edit and send
//! around, and the messages of a guest, whose memory the program under test may have overwritten.
//!
//! Each target takes arbitrary bytes and panics if their reader does something wrong: the reader has to refuse the
//! bytes, or to decode a value that is the same after it was encoded and decoded again. Inputs come from [`Damage`], a
//! seeded sequence of small changes to sound inputs: most are refused late, where most of the reader has been run. The
//! whole builds with a stable compiler; a coverage-guided fuzzer can call the targets as they are.
#![forbid(unsafe_code)]

mod damage;

pub use damage::Damage;

use inspect_host::schedule::Schedule;
use inspect_wire::message::{Job, Message};
use inspect_wire::work::{Bundle, Commit};

/// A schedule file, without the check that the program is there.
pub fn schedule(bytes: &[u8]) -> bool {
    let Ok(schedule) = serde_json::from_slice::<Schedule>(bytes) else { return false };
    let written = serde_json::to_vec_pretty(&schedule).expect("what was read can be written");
    let again: Schedule = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(again, schedule, "a schedule changes when it is written");
    // The job of a replay crosses the border to the guest.
    let sent = postcard::to_allocvec(&schedule.job(true)).expect("its job can be sent");
    assert!(job(&sent), "its job can be received");
    true
}

/// A message of a guest.
pub fn message(bytes: &[u8]) -> bool {
    let Ok(message) = postcard::from_bytes::<Message>(bytes) else { return false };
    let sent = postcard::to_allocvec(&message).expect("what was received can be sent");
    let again: Message = postcard::from_bytes(&sent).expect("what was sent can be received");
    // The encodings are compared, as a value with a NaN in it does not equal itself.
    assert_eq!(postcard::to_allocvec(&again).expect("as before"), sent, "a message changes on the way");
    true
}

/// A commit of a guest.
pub fn commit(bytes: &[u8]) -> bool {
    let Ok(commit) = postcard::from_bytes::<Commit>(bytes) else { return false };
    let sent = postcard::to_allocvec(&commit).expect("what was received can be sent");
    let again: Commit = postcard::from_bytes(&sent).expect("what was sent can be received");
    assert_eq!(postcard::to_allocvec(&again).expect("as before"), sent, "a commit changes on the way");
    let Some(items) = commit.left.items() else { return false };
    assert_eq!(items.len(), commit.left.len(), "an item is lost");
    let packed = postcard::to_allocvec(&Bundle::of(items)).expect("items can be packed");
    let bundle: Bundle = postcard::from_bytes(&packed).expect("what was packed can be received");
    let repacked = Bundle::of(bundle.items().expect("what was packed can be unpacked"));
    assert_eq!(postcard::to_allocvec(&repacked).expect("as before"), packed, "items change when they are packed");
    true
}

/// The job that a host gives a guest.
pub fn job(bytes: &[u8]) -> bool {
    let Ok(job) = postcard::from_bytes::<Job>(bytes) else { return false };
    let sent = postcard::to_allocvec(&job).expect("what was received can be sent");
    let again: Job = postcard::from_bytes(&sent).expect("what was sent can be received");
    assert_eq!(again, job, "a job changes on the way");
    true
}
