//! Blocks of the heap that are lost at the end of the process: no thread could free them any more. Looked for only
//! where the finding was asked for.
//!
//! A block is *reachable* if a word that lies in a variable of static storage, in thread-local storage, on the live
//! part of a living thread's stack, in its registers or in a reachable block may point to one of its bytes. Which words
//! are pointers is not known: any number that could be one counts, so that a block which such a number names is not
//! found (Boehm, Weiser: Garbage Collection in an Uncooperative Environment, Software: Practice and Experience 1988).
//! Of blocks that can be reached from each other only, the first one is reported.

use super::exit_handlers;
use super::site::of_call;
use super::state::Engine;
use super::symmetry::at_last_own_frame;
use crate::platform::arena::{self, BlockInfo};
use crate::platform::{ARENAS, Global, PAGE, STACKS, fiber, recover, snapshot};
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, EndKind, Ending, ThreadId};

static WANTED: Global<bool> = Global::new(false);

/// From now on the end of each run is looked at.
pub(crate) fn want() {
    WANTED.write(true);
}

/// Looks at the run just made, whose memory is as the program left it.
pub(crate) fn look(engine: &mut Engine) {
    if !WANTED.read() || !ends_in_order(engine) {
        return;
    }
    let mut blocks = Blocks::live();
    roots(engine, &mut blocks);
    for (thread, block) in blocks.lost() {
        let site = of_call(block.allocated_at);
        let range = ByteRange { start: block.start, len: block.size.min(u32::MAX.into()) as u32 };
        engine.observer.leaked(&engine.run, thread, site, range, &mut engine.findings);
    }
}

/// Whether the process came to an end at which it could have freed what it has.
fn ends_in_order(engine: &Engine) -> bool {
    let trace = engine.run.trace();
    let regular = matches!(trace.process_end(), None | Some((_, EndKind::Exit(_) | EndKind::LastThread)));
    trace.ending == Ending::Completed && regular
}

/// The live blocks, in the order of their addresses, and which of them were reached.
struct Blocks {
    all: Vec<BlockInfo>,
    reached: Vec<bool>,
    /// Those that were reached and not looked through.
    open: Vec<usize>,
    /// Lost blocks from which a pass of `lost` has begun, and to which no later pass has led: those to be reported.
    first_lost: Vec<bool>,
    /// The block from which the present pass of `lost` has begun; None while the roots are looked through.
    from: Option<usize>,
}

impl Blocks {
    fn live() -> Blocks {
        let mut all = Vec::new();
        arena::each_live(|block| all.push(block));
        all.sort_unstable_by_key(|block| block.start);
        let (reached, first_lost) = (alloc::vec![false; all.len()], alloc::vec![false; all.len()]);
        Blocks { all, reached, open: Vec::new(), first_lost, from: None }
    }

    /// The block that a word may point to. A pointer behind the last byte is none to the block, except to one of no
    /// bytes.
    fn named_by(&self, word: u64) -> Option<usize> {
        if !ARENAS.contains(word) {
            return None;
        }
        let at = self.all.partition_point(|block| block.start <= word).checked_sub(1)?;
        (word - self.all[at].start < self.all[at].size.max(1)).then_some(at)
    }

    /// Takes in a word that a thread could read, without the bits above an address: some programs keep tags there.
    fn word(&mut self, word: u64) {
        const ADDRESS: u64 = (1 << 48) - 1;
        let Some(at) = self.named_by(word & ADDRESS) else { return };
        if !self.reached[at] {
            self.reached[at] = true;
            self.open.push(at);
        } else if self.from != Some(at) {
            self.first_lost[at] = false;
        }
    }

    /// All words of a range, and what can be reached from them. A page of the range need not be there: its file may
    /// end before.
    fn range(&mut self, start: u64, end: u64) {
        let mut words = [0u8; PAGE as usize];
        let mut at = start.next_multiple_of(8);
        while at < end & !7 {
            let next = ((at & !(PAGE - 1)) + PAGE).min(end & !7);
            let read = recover::read(at, &mut words[..(next - at) as usize]);
            for word in words[..read].as_chunks::<8>().0 {
                self.word(u64::from_le_bytes(*word));
            }
            at = next;
        }
        self.close();
    }

    fn close(&mut self) {
        while let Some(at) = self.open.pop() {
            let BlockInfo { start, size, .. } = self.all[at];
            for address in (start..(start + size) & !7).step_by(8) {
                // SAFETY: inside of a live block.
                self.word(unsafe { *(address as *const u64) });
            }
        }
    }

    /// The blocks that were not reached, without those that can be reached from another one, each with the thread that
    /// allocated it.
    fn lost(mut self) -> Vec<(ThreadId, BlockInfo)> {
        for at in 0..self.all.len() {
            if !self.reached[at] {
                (self.reached[at], self.first_lost[at], self.from) = (true, true, Some(at));
                self.open.push(at);
                self.close();
            }
        }
        let lost = self.all.iter().zip(&self.first_lost).filter(|(_, first)| **first);
        lost.map(|(block, _)| (ThreadId::at(block.owner), *block)).collect()
    }
}

/// Marks what threads can reach.
fn roots(engine: &Engine, blocks: &mut Blocks) {
    // Exit handlers reach them, also those of earlier runs only: their blocks are at the same addresses, if they are.
    exit_handlers::arguments().for_each(|argument| blocks.word(argument));
    blocks.close();
    for range in snapshot::program_memory() {
        if !ARENAS.contains(range.start) && !STACKS.contains(range.start) {
            blocks.range(range.start, range.end);
        }
    }
    for slot in 0..fiber::ready_slots() {
        // The loader's table of a slot's thread-local storage lasts as long as the process.
        let table = fiber::thread_pointer(slot) + 8;
        blocks.range(table, table + 8);
        let thread = ThreadId::at(slot);
        let info = engine.run.thread_info(thread);
        if !info.exists {
            continue;
        }
        if slot == 0 || !info.ended {
            living(thread, blocks);
        }
        if info.ended && !info.joined && !info.detached {
            // Whoever joins it gets its result.
            blocks.word(engine.threads[slot].result);
            blocks.close();
        }
    }
}

/// The stack and the thread-local storage of a thread that has not ended, or of main, whose variables last as long as
/// the process. Main's thread-local storage is not on its stack: `roots` looks through it with the program's memory.
fn living(thread: ThreadId, blocks: &mut Blocks) {
    let slot = thread.index();
    let stack = fiber::stack(slot);
    let first = at_last_own_frame(thread).filter(|registers| stack.contains(registers.stack));
    if let Some(registers) = &first {
        registers.preserved.iter().for_each(|&word| blocks.word(word));
    }
    blocks.range(first.map_or(stack.start, |registers| registers.stack), stack.end);
}
