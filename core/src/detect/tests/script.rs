//! Feeds a detector by hand, as the guest does, and keeps the trace.

use crate::detect::{PagedShadow, Race, RaceDetector};
use crate::event::{
    Alternatives, ByteRange, Event, EventIndex, MemoryOperation, MemoryOrder, Object, Operation, Pending,
    PendingStatus, SiteId, ThreadId, ThreadOperation, ThreadSet, Trace,
};

pub(super) const MAIN: ThreadId = ThreadId(0);
pub(super) const T1: ThreadId = ThreadId(1);
pub(super) const T2: ThreadId = ThreadId(2);

/// Four plain bytes, and four atomic ones elsewhere.
pub(super) const X: ByteRange = ByteRange { start: 0x1000, len: 4 };
pub(super) const FLAG: ByteRange = ByteRange { start: 0x2000, len: 4 };
pub(super) const M: Object = Object(0x3000);

pub(super) struct Script {
    pub(super) detector: RaceDetector<PagedShadow>,
    pub(super) trace: Trace,
}

impl Script {
    /// Main is running.
    pub(super) fn new() -> Self {
        let mut detector = RaceDetector::new(PagedShadow::new());
        detector.begin();
        Script { detector, trace: Trace::new() }
    }

    /// Main has created T1 and T2, and nothing else has happened.
    pub(super) fn two_threads() -> Self {
        let mut script = Script::new();
        script
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T2)));
        script
    }

    /// The next event; its site is its position plus 1000.
    pub(super) fn event(&mut self, thread: ThreadId, operation: Operation) -> &mut Self {
        let at = self.trace.events.len();
        let first = !self.trace.events.iter().any(|event| event.thread == thread);
        let enabled_by = self.trace.events.iter().rposition(|event| match operation {
            Operation::Thread(ThreadOperation::Join(child)) => {
                event.thread == child && event.operation == Operation::Thread(ThreadOperation::Exit(None))
            }
            _ => first && event.operation == Operation::Thread(ThreadOperation::Create(thread)),
        });
        let event = Event {
            thread,
            operation,
            choice: 0,
            alternatives: Alternatives::None,
            enabled: ThreadSet::EMPTY,
            enabled_by: enabled_by.map(|by| EventIndex(by as u32)),
            site: SiteId(at as u64 + 1000),
        };
        self.trace.events.push(event);
        self.detector.on_event(&event);
        self
    }

    pub(super) fn store(&mut self, thread: ThreadId, order: MemoryOrder) -> &mut Self {
        self.event(thread, Operation::Memory(MemoryOperation::AtomicStore(FLAG, order)))
    }

    pub(super) fn load(&mut self, thread: ThreadId, order: MemoryOrder) -> &mut Self {
        self.event(thread, Operation::Memory(MemoryOperation::AtomicLoad(FLAG, order)))
    }

    pub(super) fn update(&mut self, thread: ThreadId, order: MemoryOrder, wrote: bool) -> &mut Self {
        self.event(thread, Operation::Memory(MemoryOperation::AtomicUpdate { range: FLAG, order, wrote }))
    }

    pub(super) fn fence(&mut self, thread: ThreadId, order: MemoryOrder) -> &mut Self {
        self.detector.on_fence(thread, order);
        self
    }

    pub(super) fn read(&mut self, thread: ThreadId, range: ByteRange) -> &mut Self {
        self.detector.on_plain(thread, range, false, SiteId(u64::from(thread.0) + 1));
        self
    }

    pub(super) fn write(&mut self, thread: ThreadId, range: ByteRange) -> &mut Self {
        self.detector.on_plain(thread, range, true, SiteId(u64::from(thread.0) + 1));
        self
    }

    pub(super) fn pending(&mut self, thread: ThreadId, operation: Operation, status: PendingStatus) -> &mut Self {
        self.trace.pending.push(Pending { thread, operation, status, enabled_by: None, site: SiteId(77) });
        self
    }

    pub(super) fn races(&self) -> &[Race] {
        self.detector.races()
    }

    #[track_caller]
    pub(super) fn expect(&mut self, races: usize) {
        assert_eq!(self.races().len(), races, "{:#?}", self.races());
    }
}
