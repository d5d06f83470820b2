//! The programs of this folder as one, which is built once for all of them: the argument says which one runs.
#[path = "barrier/main.rs"]
mod barrier;
#[path = "cell/main.rs"]
mod cell;
#[path = "channel/main.rs"]
mod channel;
#[path = "index/main.rs"]
mod index;
#[path = "local/main.rs"]
mod local;
#[path = "locks/main.rs"]
mod locks;
#[path = "once/main.rs"]
mod once;
#[path = "panics/main.rs"]
mod panics;
#[path = "park/main.rs"]
mod park;
#[path = "pointer/main.rs"]
mod pointer;
#[path = "poison/main.rs"]
mod poison;
#[path = "publication/main.rs"]
mod publication;
#[path = "refcount/main.rs"]
mod refcount;
#[path = "ring/main.rs"]
mod ring;
#[path = "rwlocks/main.rs"]
mod rwlocks;
#[path = "scope/main.rs"]
mod scope;
#[path = "signal/main.rs"]
mod signal;
#[path = "spinlock/main.rs"]
mod spinlock;
#[path = "unique/main.rs"]
mod unique;
#[path = "wakeup/main.rs"]
mod wakeup;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("barrier") => barrier::main(),
        Some("cell") => cell::main(),
        Some("channel") => channel::main(),
        Some("index") => index::main(),
        Some("local") => local::main(),
        Some("locks") => locks::main(),
        Some("once") => once::main(),
        Some("panics") => panics::main(),
        Some("park") => park::main(),
        Some("pointer") => pointer::main(),
        Some("poison") => poison::main(),
        Some("publication") => publication::main(),
        Some("refcount") => refcount::main(),
        Some("ring") => ring::main(),
        Some("rwlocks") => rwlocks::main(),
        Some("scope") => scope::main(),
        Some("signal") => signal::main(),
        Some("spinlock") => spinlock::main(),
        Some("unique") => unique::main(),
        Some("wakeup") => wakeup::main(),
        _ => panic!("no program has this name"),
    }
}
