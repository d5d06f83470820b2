//! A search shared by guests that are made to divide it.

use inspect_core::event::{Ending, Trace};
use inspect_core::explore::Item;
use inspect_core::model::{Fingerprint, fingerprint};
use inspect_host::run::{Local, RunOutput, Target, Transport, Worker};
use inspect_wire::message::Job;
use inspect_wire::work::{Bundle, Package};
use std::collections::BTreeMap;
use std::time::Duration;

/// A few numbers that differ from call to call.
pub(crate) fn chance(below: u64) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % below
}

/// Has a search divided as often as its guests can be asked, or at most every so often; what each of them told, and how
/// often work changed hands.
pub(crate) fn divided(target: &Target, job: &Job, guests: usize, pause: Duration) -> (Vec<RunOutput>, u32) {
    struct Guest {
        worker: Box<dyn Worker>,
        packages: u32,
        idle: bool,
        asked: Option<u32>,
    }
    let mut transport = Local::new(target);
    let start = || {
        let worker = transport.start(job).expect("it starts");
        Guest { worker, packages: 0, idle: false, asked: Some(0) }
    };
    let mut guests: Vec<Guest> = std::iter::repeat_with(start).take(guests).collect();
    let mut pool = vec![Item::everything()];
    let mut hands = 0;
    while !(pool.is_empty() && guests.iter().all(|guest| guest.idle)) {
        for guest in &mut guests {
            let news = guest.worker.poll().expect("readable");
            assert_eq!(
                news.end,
                None,
                "{:?} {:?}",
                guest.worker.output().tool_errors,
                guest.worker.output().divergences
            );
            if let Some(commit) = news.commit {
                guest.idle = commit.left.is_empty() && commit.packages == guest.packages;
                guest.asked.take_if(|asked| *asked == commit.answers);
                pool.extend(commit.given.items().expect("understood"));
            }
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
    let told = guests.into_iter().map(|mut guest| {
        guest.worker.stop().expect("writable");
        while guest.worker.poll().expect("readable").end.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        guest.worker.take_output()
    });
    (told.collect(), hands)
}

/// How often each trace was visited.
pub(crate) fn visits(told: &[RunOutput]) -> BTreeMap<Fingerprint, u32> {
    let mut visits = BTreeMap::new();
    for told in told.iter().flat_map(|output| output.earlier_traces.iter().chain(&output.trace)) {
        let (events, pending, ending) = (told.events.clone(), told.pending.clone(), told.ending);
        let trace = Trace { events, pending, ending, ..Trace::new() };
        if ending != Ending::Blocked {
            *visits.entry(fingerprint(&trace)).or_default() += 1;
        }
    }
    visits
}
