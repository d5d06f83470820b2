//! The call stacks of a replay: which calls led to each event, to what was pending at the end, and to the plain
//! accesses that the finding is about. Only reports ask for them, so nothing is recorded in a search.

use super::run_data::RunData;
use crate::platform::elf;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::{SiteId, ThreadId};
use inspect_core::run::Run;
use inspect_wire::message::{CallStacks, NO_STACK, Task};

/// How many distinct stacks are recorded in a run at most.
const MOST: usize = 4096;

/// Records call stacks, where the job is a replay.
pub(crate) struct CallStackRecorder {
    /// The sites of the plain accesses whose stacks are recorded as well; None where the job is no replay.
    places: Option<Vec<SiteId>>,
    /// The distinct stacks by number.
    stacks: Vec<Vec<u64>>,
    numbers: BTreeMap<Vec<u64>, u32>,
    /// The number of each event's stack.
    events: Vec<u32>,
    /// The number of the stack at each thread's last plain access at a site.
    accesses: BTreeMap<(ThreadId, SiteId), u32>,
    /// The site of the visible operation that each thread came to last, and the number of its stack there.
    last: BTreeMap<ThreadId, (SiteId, u32)>,
}

impl CallStackRecorder {
    /// A recorder for a process with this task.
    pub(crate) fn new(task: &Task) -> Self {
        let places = match task {
            Task::Replay { places, .. } => Some(sites(places)),
            Task::Explore | Task::Work | Task::Minimise { .. } => None,
        };
        CallStackRecorder {
            places,
            stacks: Vec::new(),
            numbers: BTreeMap::new(),
            events: Vec::new(),
            accesses: BTreeMap::new(),
            last: BTreeMap::new(),
        }
    }

    /// The operation that `thread` came to last is the event at this position.
    pub(super) fn executed(&mut self, thread: ThreadId, at: usize) {
        if let Some((_, stack)) = self.last.get(&thread) {
            let length = self.events.len().max(at + 1);
            self.events.resize(length, NO_STACK);
            self.events[at] = *stack;
        }
    }

    /// Takes out the call stacks of the run just made.
    pub(crate) fn take_stacks(&mut self) -> CallStacks {
        self.numbers.clear();
        let accesses = core::mem::take(&mut self.accesses).into_iter();
        let last = core::mem::take(&mut self.last).into_iter();
        CallStacks {
            stacks: core::mem::take(&mut self.stacks),
            events: core::mem::take(&mut self.events),
            places: accesses
                .map(|((thread, site), stack)| (thread, site, stack))
                .chain(last.map(|(thread, (site, stack))| (thread, site, stack)))
                .collect(),
        }
    }

    /// Whether call stacks are recorded.
    pub(super) fn is_wanted(&self) -> bool {
        self.places.is_some()
    }

    /// Whether call stacks are recorded at plain accesses at this site.
    pub(super) fn is_wanted_at(&self, site: SiteId) -> bool {
        self.places.as_ref().is_some_and(|places| places.contains(&site))
    }

    /// `thread` comes to the visible operation at `site` with the stack of this number.
    pub(super) fn arrived(&mut self, thread: ThreadId, site: SiteId, stack: u32) {
        self.last.insert(thread, (site, stack));
    }

    /// `thread` makes the plain access at `site` with the stack of this number.
    pub(super) fn accessed(&mut self, thread: ThreadId, site: SiteId, stack: u32) {
        self.accesses.insert((thread, site), stack);
    }

    /// The number of a stack; [`NO_STACK`] for an empty one, or if too many are recorded already.
    pub(super) fn number(&mut self, stack: Vec<u64>) -> u32 {
        if let Some(&known) = self.numbers.get(&stack) {
            return known;
        }
        let number = self.stacks.len();
        if stack.is_empty() || number >= MOST {
            return NO_STACK;
        }
        self.stacks.push(stack.clone());
        self.numbers.insert(stack, number as u32);
        number as u32
    }
}

impl RunData for CallStackRecorder {
    /// A replay makes one run, so no other run goes on from a checkpoint in it.
    type Saved = ();
    type Left = CallStacks;

    fn begin(&mut self, _run: &Run) {
        self.take_stacks();
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) -> CallStacks {
        self.take_stacks()
    }

    fn adopt(&mut self, left: CallStacks) {
        self.stacks = left.stacks;
        self.events = left.events;
        self.accesses = left.places.into_iter().map(|(thread, site, stack)| ((thread, site), stack)).collect();
    }
}

/// The sites of code addresses, each given by the path of a module and the address in its file.
fn sites(places: &[(String, u64)]) -> Vec<SiteId> {
    let modules = elf::modules();
    let site = |(path, address): &(String, u64)| {
        let module = modules.iter().find(|module| module.path == *path)?;
        Some(SiteId(module.bias.wrapping_add(*address)))
    };
    places.iter().filter_map(site).collect()
}
