//! A search shared by guests that are made to divide it.

use inspect_core::event::{Ending, Trace};
use inspect_core::explore::Item;
use inspect_core::model::{Fingerprint, fingerprint};
use inspect_host::run::{Local, RunOutput, Target, Transport, Worker};
use inspect_wire::message::Job;
use inspect_wire::work::{Bundle, Package};
use std::collections::BTreeMap;
use std::time::Duration;

/// A random number below `below`, which differs from call to call.
pub(crate) fn chance(below: u64) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % below
}

/// A guest of a divided search.
struct Guest {
    worker: Box<dyn Worker>,
    packages: u32,
    idle: bool,
    /// The number of the request that the guest has not answered with a commit yet.
    asked: Option<u32>,
}

impl Guest {
    /// Puts into the pool what the guest has given away since the last look.
    fn collect(&mut self, pool: &mut Vec<Item>) {
        let news = self.worker.poll().expect("readable");
        let output = self.worker.output();
        assert_eq!(news.end, None, "{:?} {:?}", output.tool_errors, output.divergences);
        if let Some(commit) = news.commit {
            self.idle = commit.left.is_empty() && commit.packages == self.packages;
            self.asked.take_if(|asked| *asked == commit.answers);
            pool.extend(commit.given.items().expect("understood"));
        }
    }

    /// Ends the guest and returns all that it reported.
    fn stop(mut self) -> RunOutput {
        self.worker.stop().expect("writable");
        while self.worker.poll().expect("readable").end.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.worker.take_output()
    }
}

/// Divides a search as often as its guests can be asked for work, with `pause` in between. Returns what each guest
/// reported, and how often a guest was given work.
pub(crate) fn divided(target: &Target, job: &Job, guests: usize, pause: Duration) -> (Vec<RunOutput>, u32) {
    divided_by(&mut Local::new(target), job, guests, pause)
}

/// The same with other workers than guests on this machine.
pub(crate) fn divided_by(
    transport: &mut dyn Transport,
    job: &Job,
    guests: usize,
    pause: Duration,
) -> (Vec<RunOutput>, u32) {
    let start = || {
        let worker = transport.start(job).expect("it starts");
        Guest { worker, packages: 0, idle: false, asked: Some(0) }
    };
    let mut guests: Vec<Guest> = std::iter::repeat_with(start).take(guests).collect();
    let mut pool = vec![Item::everything()];
    let mut hands = 0;
    while !(pool.is_empty() && guests.iter().all(|guest| guest.idle)) {
        for guest in &mut guests {
            guest.collect(&mut pool);
            if guest.idle && !pool.is_empty() {
                let some = pool.split_off(pool.len() - pool.len().div_ceil(2));
                guest.worker.assign(&Package { pass: 0, work: Bundle::of(some) }).expect("writable");
                (guest.idle, guest.packages) = (false, guest.packages + 1);
                hands += 1;
            } else if !guest.idle && guest.asked.is_none() {
                guest.asked = Some(guest.worker.ask(1 + chance(8) as u32).expect("writable"));
            }
        }
        std::thread::sleep(pause);
    }
    (guests.into_iter().map(Guest::stop).collect(), hands)
}

/// How often each trace was visited.
pub(crate) fn visits(outputs: &[RunOutput]) -> BTreeMap<Fingerprint, u32> {
    let mut visits = BTreeMap::new();
    for trace in outputs.iter().flat_map(|output| output.earlier_traces.iter().chain(&output.trace)) {
        let (events, pending, ending) = (trace.events.clone(), trace.pending.clone(), trace.ending);
        let trace = Trace { events, pending, ending, ..Trace::new() };
        if ending != Ending::Blocked {
            *visits.entry(fingerprint(&trace)).or_default() += 1;
        }
    }
    visits
}
