//! What brute force over the pure model finds out about a program.

use crate::native::MAX_STEPS;
use crate::waits::{Waits, named};
use inspect_core::detect::{Finding, FindingKind, Observer, PagedShadow};
use inspect_core::event::{ByteRange, Ending, Event, Mutexes, Object, ObjectKind, Pending, Plan, SiteId, Trace};
use inspect_core::explore::{Dfs, Explorer};
use inspect_core::model::{Fingerprint, Machine, Program, fingerprint, print};
use inspect_core::run::Run;
use std::collections::{BTreeMap, BTreeSet};

/// Interleavings above which a program is too large for brute force.
pub(crate) const INTERLEAVINGS: u64 = 2_000;

/// A finding without what differs between equivalent runs: kind, number, places in ascending order.
pub(crate) type Key = (FindingKind, i32, Vec<SiteId>);

/// What the search for a program must give.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// How many interleavings there are.
    pub(crate) interleavings: u64,
    /// Maximal traces with what is in memory at their end.
    pub(crate) traces: BTreeMap<Fingerprint, Vec<u64>>,
    /// The fewest preemptions of a linearisation of each.
    least: BTreeMap<Fingerprint, u32>,
    /// The same with synchronisation events only; one such trace may end with different memory.
    pub(crate) sync: BTreeSet<(Fingerprint, Vec<u64>)>,
    /// Findings with the objects they are about.
    pub(crate) findings: BTreeMap<Key, BTreeSet<Option<ByteRange>>>,
    /// From how many preemptions on a search sees waits with several mutexes.
    several_from: Option<u32>,
    /// What a search expects that has not seen them.
    before: Option<Box<Expected>>,
}

/// A run of the model.
struct Made {
    trace: Trace,
    memory: Vec<u64>,
    preemptions: u32,
}

impl Expected {
    /// With how many mutexes a search sees waits for one condition variable.
    pub(crate) fn mutexes(&self) -> Mutexes {
        if self.several_from.is_some() { Mutexes::Several } else { Mutexes::One }
    }

    /// The maximal traces that have a linearisation of at most so many preemptions.
    pub(crate) fn within(&self, bound: Option<u32>) -> BTreeMap<Fingerprint, Vec<u64>> {
        let Some(bound) = bound else { return self.traces.clone() };
        let sees_all = self.several_from.is_some_and(|from| from <= bound);
        let expected = if sees_all { self } else { self.before.as_deref().unwrap_or(self) };
        let is_within = |(name, _): &(&Fingerprint, _)| expected.least[*name] <= bound;
        expected.traces.iter().filter(is_within).map(|(name, memory)| (*name, memory.clone())).collect()
    }

    /// Whether a maximal trace is one of these, by its synchronisation events. A search that does not cover everything
    /// may not have seen waits with several mutexes.
    pub(crate) fn is_synchronisation(&self, trace: &(Fingerprint, Vec<u64>)) -> bool {
        self.sync.contains(trace) || self.before.as_ref().is_some_and(|before| before.sync.contains(trace))
    }

    /// The traces of these runs, as a search sees them.
    fn note_traces(&mut self, runs: &[Made], mutexes: Mutexes) {
        for Made { trace, memory, preemptions } in runs {
            let trace = named(trace, mutexes);
            self.sync.insert((fingerprint(&synchronisation(&trace)), memory.clone()));
            let name = fingerprint(&trace);
            self.least.entry(name).and_modify(|least| *least = *preemptions.min(least)).or_insert(*preemptions);
            self.traces.insert(name, memory.clone());
        }
    }

    /// Whether there is a data race.
    pub(crate) fn races(&self) -> bool {
        self.findings.keys().any(|(kind, ..)| *kind == FindingKind::DataRace)
    }
}

/// Brute force, unless the program is too large for it.
pub(crate) fn expected(program: &Program) -> Option<Expected> {
    expected_within(program, INTERLEAVINGS)
}

impl Expected {
    /// Takes in the findings of a run that is over.
    fn note_findings(&mut self, program: &Program, observer: &mut Observer<PagedShadow>, run: &Run) {
        let mut findings = Vec::new();
        observer.end(run, &mut findings);
        for finding in &findings {
            let site = |site| normal_site(program, site);
            self.findings.entry(key(finding, site)).or_default().insert(finding.object);
        }
        // Which bytes of two accesses race can differ from run to run; a search reports those of the first one.
        for race in observer.races() {
            let mut sites = [race.first.site, race.second.site].map(|site| normal_site(program, site));
            sites.sort();
            let key = (FindingKind::DataRace, 0, sites.to_vec());
            self.findings.entry(key).or_default().insert(Some(race.range));
        }
    }
}

/// Whether a thread waits for a read-write lock that it has locked to write: in a native run the lock is refused.
pub(crate) fn waits_for_itself(run: &Run, pending: &Pending) -> bool {
    let own = |&(object, kind): &(Object, ObjectKind)| {
        kind == ObjectKind::Rwlock && run.object(object).owner == Some(pending.thread)
    };
    pending.operation.objects().iter().flatten().any(own)
}

/// The same, for programs of at most so many interleavings.
pub(crate) fn expected_within(program: &Program, interleavings: u64) -> Option<Expected> {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut dfs = Dfs::new();
    let mut plan = Plan::default();
    let mut expected = Expected::default();
    let mut runs = Vec::new();
    while dfs.next_plan(&mut plan) {
        expected.interleavings += 1;
        if expected.interleavings > interleavings {
            return None;
        }
        // Of its own for each run, as an observer reports a finding once, and not again about another object.
        let mut observer = Observer::new(PagedShadow::new());
        observer.begin();
        let trace = machine.run(&plan).clone();
        dfs.learn(&trace);
        assert!(
            !matches!(trace.ending, Ending::Blocked | Ending::Revisited | Ending::Limit(_) | Ending::Diverged(_)),
            "{:?}",
            trace.ending
        );
        if trace.pending.iter().any(|pending| waits_for_itself(machine.record(), pending)) {
            return None;
        }
        expected.note_findings(program, &mut observer, machine.record());
        runs.push(Made { memory: machine.variables().to_vec(), preemptions: preemptions(&trace.events), trace });
    }
    expected.several_from = several_from(program, &mut runs);
    if expected.several_from.is_some() {
        let mut before = Expected::default();
        before.note_traces(&runs, Mutexes::One);
        expected.before = Some(Box::new(before));
    }
    expected.note_traces(&runs, expected.mutexes());
    Some(expected)
}

/// From how many preemptions on the runs show waits with several mutexes. Brings the runs into ascending order.
fn several_from(program: &Program, runs: &mut [Made]) -> Option<u32> {
    runs.sort_by_key(|made| made.preemptions);
    let mut shown = Waits::default();
    runs.iter().find(|made| shown.clash_with(program, &made.trace)).map(|made| made.preemptions)
}

/// Switches away from threads that could go on and neither wait nor yield.
fn preemptions(events: &[Event]) -> u32 {
    let preempted = |before: &Event, after: &Event| {
        before.thread != after.thread && after.enabled.contains(before.thread) && !before.operation.gives_way()
    };
    events.windows(2).filter(|pair| preempted(&pair[0], &pair[1])).count() as u32
}

/// The key by which findings of equivalent runs are equal.
pub(crate) fn key(finding: &Finding, site: impl Fn(SiteId) -> SiteId) -> Key {
    // The key of a race has its two accesses only: the operations that fail to order them depend on the run.
    let places = if finding.kind == FindingKind::DataRace { 2 } else { finding.places.len() };
    let mut sites: Vec<SiteId> = finding.places[..places].iter().map(|place| site(place.site)).collect();
    sites.sort();
    (finding.kind, finding.code, sites)
}

/// The site at which the guest reports a statement: ends of threads have none, and the second half of a once is
/// reported at the call.
pub(crate) fn normal_site(program: &Program, site: SiteId) -> SiteId {
    let statement = program.bodies.get((site.0 >> 16) as usize).and_then(|body| body.get(site.0 as usize & 0xFFFF));
    match statement {
        None => SiteId(u64::MAX),
        Some(_) => print::once_of(program, site),
    }
}

/// The trace without plain accesses.
pub(crate) fn synchronisation(trace: &Trace) -> Trace {
    crate::translate::without(trace, |event| event.operation.plain_bytes().is_some())
}
