//! What a thread reads over and over while it comes to no visible operation: a loop that waits for memory whose
//! accesses are no operations (S13).
//!
//! The watchdog says that a thread makes no progress. From then on its plain accesses leave the fast path and are
//! observed. Locations that it reads again and again, that hold the same value each time and that it does not write,
//! are what it may be waiting for: the run is cut, accesses to them become visible, and the search begins anew. The
//! clock decides only whether that happens; the run that is cut counts for nothing, so that the same plan still gives
//! the same trace.

use super::attention::{self, attention, set_attention};
use super::observation::LEFT;
use super::state::{LAST_SITE, RUNNING, Trouble, with};
use super::step::end_run;
use super::threads::me;
use crate::platform::Global;
use inspect_core::event::{ByteRange, LimitKind, ThreadId};

/// How many accesses were still to be observed at the last tick.
static LEFT_AT_TICK: Global<u32> = Global::new(0);

/// Whether the running thread, which makes no progress, is observed. Called in the handler of the watchdog's timer, at
/// any moment, so it changes nothing but the thread's reasons for attention. A thread that has made no plain access
/// since the last tick is not observed.
pub(crate) fn is_observed() -> bool {
    let left = LEFT.read();
    if !RUNNING.read() || left == 0 {
        return false;
    }
    let begins = attention(me()) & attention::STALLED == 0;
    let goes_on = left != LEFT_AT_TICK.read();
    LEFT_AT_TICK.write(left);
    set_attention(me(), attention::STALLED, true);
    begins || goes_on
}

/// The stalled thread is about to make a plain access that is no operation. Cuts the run once enough was seen.
#[cold]
pub(crate) fn observe(thread: ThreadId, range: ByteRange, write: bool) {
    if LEFT.read() == 0 {
        return;
    }
    LEFT.write(LEFT.read() - 1);
    let cut = with(|engine| {
        engine.observation.note(range, write);
        LEFT.read() == 0 && engine.observation.conclude()
    });
    if cut {
        end_run(Some(Trouble::Stuck(thread, LAST_SITE.read())), LimitKind::Time);
    }
}
