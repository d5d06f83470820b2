//! Leaving synchronisation objects: whoever ends the memory waits for that, or destroys the object.

use super::script::{MAIN, Script, T1, T2, X};
use crate::detect::AccessKind;
use crate::event::{ByteRange, ControlOperation, Operation, SiteId, ThreadId, ThreadOperation};

const STEP: Operation = Operation::Control(ControlOperation::Yield);
const LEFT_AT: SiteId = SiteId(7);
const FREED_AT: SiteId = SiteId(9);

impl Script {
    fn leave(&mut self, thread: ThreadId) -> &mut Self {
        self.event(thread, STEP);
        self.detector.on_leaving(thread, X, LEFT_AT);
        self
    }

    fn use_object(&mut self, thread: ThreadId) -> &mut Self {
        self.detector.on_object(thread, X, false, SiteId(8));
        self
    }

    fn destroy(&mut self) -> &mut Self {
        self.detector.forget_leavings(X);
        self
    }

    fn free(&mut self, thread: ThreadId) -> &mut Self {
        self.detector.on_free(thread, X, FREED_AT);
        self
    }
}

#[test]
fn a_free_races_with_a_leaving_in_either_order() {
    let mut script = Script::two_threads();
    script.leave(T1).event(T2, STEP).free(T2).expect(1);
    assert_eq!(script.races()[0].first.kind, AccessKind::Leave);
    let mut script = Script::two_threads();
    script.event(T2, STEP).free(T2).leave(T1).expect(1);
    assert_eq!(script.races()[0].second.kind, AccessKind::Leave);
}

#[test]
fn a_destroyed_object_was_left() {
    Script::two_threads().leave(T1).destroy().event(T2, STEP).free(T2).expect(0);
    Script::two_threads().leave(T1).leave(T2).destroy().event(T2, STEP).free(T2).expect(0);
}

#[test]
fn a_use_is_not_over_because_the_object_is_destroyed() {
    Script::two_threads().event(T1, STEP).use_object(T1).destroy().event(T2, STEP).free(T2).expect(1);
}

/// Also where the use is in the same step as the leaving, as of a thread that waits at a barrier again at once.
#[test]
fn a_use_after_a_leaving_counts() {
    Script::two_threads().leave(T1).use_object(T1).destroy().event(T2, STEP).free(T2).expect(1);
}

#[test]
fn who_waits_for_the_thread_knows_that_it_has_left() {
    let mut script = Script::two_threads();
    script.leave(T1).event(T1, Operation::Thread(ThreadOperation::Exit(None)));
    script.event(MAIN, Operation::Thread(ThreadOperation::Join(T1))).free(MAIN).expect(0);
}

/// A granule that has more records than its cell has room for.
#[test]
fn leavings_are_found_and_forgotten_beside_other_accesses() {
    let beside = |place: u64| ByteRange { start: X.start + place, len: 1 };
    for destroyed in [false, true] {
        let mut script = Script::two_threads();
        script.event(MAIN, STEP).write(MAIN, beside(4)).write(MAIN, beside(5));
        script.event(T2, STEP).write(T2, beside(6)).write(T2, beside(7));
        script.leave(T1);
        if destroyed {
            script.destroy();
        }
        script.event(T2, STEP).free(T2).expect(usize::from(!destroyed));
    }
}
