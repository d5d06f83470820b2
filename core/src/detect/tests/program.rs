//! Straight-line programs, run by [`Run`] and watched by an [`Observer`].

use crate::detect::{Finding, FindingKind, Observer, PagedShadow};
use crate::event::{
    ByteRange, ControlOperation, MemoryOperation, Operation, Plan, SiteId, Step, ThreadId, ThreadOperation,
};
use crate::run::{Next, Options, Request, Run, World};

pub(super) const WATCHED: ByteRange = ByteRange { start: 0x7000, len: 4 };

/// Stands for a spin loop on [`WATCHED`], which nobody changes.
pub(super) const SPIN: Operation = Operation::Control(ControlOperation::Choose);

/// Plain accesses to this granule are no events.
pub(super) const HIDDEN: ByteRange = ByteRange { start: 0x7100, len: 4 };

struct Zeros;

impl World for Zeros {
    fn value(&self, _: ByteRange) -> u64 {
        0
    }

    fn exchange_succeeds(&self, _: ThreadId) -> bool {
        true
    }

    fn is_interrupted(&self, _: ThreadId) -> bool {
        false
    }
}

/// The operations of each thread, main first. After its last one a thread exits.
pub(super) struct Program<'a>(pub(super) &'a [&'a [Operation]]);

/// The site of the n-th operation of a thread, from 0.
pub(super) fn site(thread: u8, n: u64) -> SiteId {
    SiteId(u64::from(thread) * 100 + n)
}

impl Program<'_> {
    /// Runs with threads taking their first steps in this order, then freely.
    pub(super) fn run(
        &self,
        order: &[u8],
        options: Options,
        observer: &mut Observer<PagedShadow>,
    ) -> (Run, Vec<Finding>) {
        let mut run = Run::new(options, &[]);
        let steps = order.iter().map(|&thread| Step { thread: ThreadId::at(thread.into()), choice: 0 }).collect();
        run.begin(&Plan { steps, ..Plan::default() });
        observer.begin();
        let mut done = vec![0; self.0.len()];
        self.arrive(ThreadId::MAIN, &mut run, &mut done, observer);
        loop {
            let next = run.next(&Zeros);
            observer.take_in(run.events());
            match next {
                Next::Execute(thread) => match run.last_event().operation {
                    Operation::Thread(ThreadOperation::Create(child)) => {
                        self.arrive(child, &mut run, &mut done, observer)
                    }
                    _ => self.arrive(thread, &mut run, &mut done, observer),
                },
                Next::Resume(thread) => self.arrive(thread, &mut run, &mut done, observer),
                Next::End => break,
            }
        }
        let mut findings = Vec::new();
        observer.end(&run, &mut findings);
        (run, findings)
    }

    fn arrive(&self, thread: ThreadId, run: &mut Run, done: &mut [usize], observer: &mut Observer<PagedShadow>) {
        let (operation, site) = loop {
            let at = done[thread.index()];
            done[thread.index()] += 1;
            let operation =
                self.0[thread.index()].get(at).copied().unwrap_or(Operation::Thread(ThreadOperation::Exit(None)));
            let site = site(thread.index() as u8, at as u64);
            match operation {
                Operation::Memory(MemoryOperation::Read(HIDDEN)) => observer.plain(thread, HIDDEN, false, site),
                Operation::Memory(MemoryOperation::Write(HIDDEN)) => observer.plain(thread, HIDDEN, true, site),
                _ => break (operation, site),
            };
        };
        if let Operation::Thread(ThreadOperation::Create(child)) = operation {
            assert_eq!(run.child_of(thread), Some(child), "threads are created in the order of their numbers");
        }
        if operation == SPIN {
            run.park(
                thread,
                Request::new(Operation::Memory(MemoryOperation::Read(WATCHED)), site),
                &[(WATCHED, 0)],
                None,
            );
        } else {
            run.arrive(thread, Request::new(operation, site));
        }
    }

    /// The findings of one run, by kind and the sites of their places.
    pub(super) fn findings(&self, order: &[u8]) -> Vec<(FindingKind, Vec<SiteId>)> {
        let options = Options { max_steps: 1000, spurious_wakeups: false };
        let (_, findings) = self.run(order, options, &mut Observer::new(PagedShadow::new()));
        findings.into_iter().map(|f| (f.kind, f.places.iter().map(|place| place.site).collect())).collect()
    }
}
