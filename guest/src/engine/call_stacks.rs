//! The call stacks of a replay: which calls led to each event, to what was pending at the end, and to the plain accesses
//! that the finding is about. Only reports ask for them, so nothing is recorded in a search.

use super::step::me;
use crate::platform::layout::SERVICE_STACK;
use crate::platform::unwind::{self, Registers};
use crate::platform::{Global, elf, fiber};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use inspect_core::event::{SiteId, ThreadId};
use inspect_wire::message::{CallStacks, NO_STACK};

/// The most calls kept of a stack: the innermost.
const DEEPEST: usize = 32;
/// The most different stacks kept in a run.
const MOST: usize = 4096;

static RECORDER: Global<Option<Recorder>> = Global::new(None);

/// What is recorded in a run.
#[derive(Default)]
struct Recorder {
    /// Plain accesses at these sites are recorded as well.
    places: Vec<SiteId>,
    numbers: BTreeMap<Vec<u64>, u32>,
    events: Vec<u32>,
    accesses: BTreeMap<(ThreadId, SiteId), u32>,
    /// What each thread stands at.
    current: BTreeMap<ThreadId, (SiteId, u32)>,
}

fn recorder() -> Option<&'static mut Recorder> {
    // SAFETY: one OS thread; the functions of this file use it one after the other and do not call each other with it.
    unsafe { RECORDER.get() }.as_mut()
}

/// Call stacks are recorded from now on. `places` are offsets in mapped files, by path.
pub(super) fn record(places: &[(alloc::string::String, u64)]) {
    let modules = elf::modules();
    let site = |(path, offset): &(alloc::string::String, u64)| {
        let module = modules.iter().find(|module| module.path == *path)?;
        Some(SiteId(module.bias.wrapping_add(*offset)))
    };
    let places = places.iter().filter_map(site).collect();
    // SAFETY: before the first run.
    *unsafe { RECORDER.get() } = Some(Recorder { places, ..Recorder::default() });
}

/// A run begins.
pub(super) fn begin() {
    if let Some(recorder) = recorder() {
        let places = core::mem::take(&mut recorder.places);
        *recorder = Recorder { places, ..Recorder::default() };
    }
}

/// The running thread is about to make the visible operation at `site`.
pub(super) fn arrive(site: SiteId) {
    if let Some(recorder) = recorder() {
        let stack = number_here();
        recorder.current.insert(me(), (site, stack));
    }
}

/// The operation that the running thread stood at is the event at this position.
pub(super) fn executed(at: usize) {
    let Some(recorder) = recorder() else { return };
    if let Some((_, stack)) = recorder.current.get(&me()) {
        let length = recorder.events.len().max(at + 1);
        recorder.events.resize(length, NO_STACK);
        recorder.events[at] = *stack;
    }
}

/// The running thread makes the plain access at `site`, which is no event.
pub(crate) fn access(site: SiteId) {
    if let Some(recorder) = recorder().filter(|recorder| recorder.places.contains(&site)) {
        let stack = number_here();
        recorder.accesses.insert((me(), site), stack);
    }
}

/// What was recorded in the run just made.
pub(super) fn take() -> CallStacks {
    let Some(recorder) = recorder() else { return CallStacks::default() };
    let mut stacks: Vec<(u32, Vec<u64>)> =
        core::mem::take(&mut recorder.numbers).into_iter().map(|(stack, number)| (number, stack)).collect();
    stacks.sort();
    let accesses = core::mem::take(&mut recorder.accesses).into_iter();
    let current = core::mem::take(&mut recorder.current).into_iter();
    CallStacks {
        stacks: stacks.into_iter().map(|(_, stack)| stack).collect(),
        events: core::mem::take(&mut recorder.events),
        places: accesses
            .map(|((thread, site), stack)| (thread, site, stack))
            .chain(current.map(|(thread, (site, stack))| (thread, site, stack)))
            .collect(),
    }
}

elsewhere!(number_here() -> u32 => number);

/// The number of the running thread's call stack. On the engine's own stack: what is left on the program's is the same as
/// in a run that is not recorded.
extern "C" fn number() -> u32 {
    let stack = walk(me());
    let Some(recorder) = recorder() else { return NO_STACK };
    let next = recorder.numbers.len();
    if let Some(&known) = recorder.numbers.get(&stack) {
        return known;
    }
    if stack.is_empty() || next >= MOST {
        return NO_STACK;
    }
    recorder.numbers.insert(stack, next as u32);
    next as u32
}

/// The return addresses on the running thread's stack, innermost first, those that lead into the engine left out.
fn walk(thread: ThreadId) -> Vec<u64> {
    let own = elf::image();
    let stacks = [fiber::stack(thread.index()), SERVICE_STACK];
    let mut calls = Vec::new();
    let mut registers = Registers::here();
    while calls.len() < DEEPEST {
        if !own.contains(registers.pc) {
            calls.push(registers.pc);
        }
        let caller = unwind::row(registers.pc).and_then(|row| row.leave(&registers, stacks));
        match caller {
            Some(caller) => registers = caller,
            None => break,
        }
    }
    calls
}
