//! What the guest reports to the host: each finding once, each source location before its first use.

use super::goal::WantedFinding;
use crate::engine::site;
use crate::platform::{elf, link};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::detect::{Finding, FindingKind, Severity, Witness};
use inspect_core::event::{Event, Operation, Pending, SiteId};
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Job, Message, ResolvedSite, Uncompared};
use inspect_wire::race_pattern::RacePattern;

/// Reports to the host, and remembers what it has reported.
pub(super) struct Reporter {
    severities: Vec<(FindingKind, Severity)>,
    /// Data races that are no findings, and whether one was seen that the pattern names.
    harmless_races: Vec<(RacePattern, bool)>,
    sites: BTreeSet<SiteId>,
    objects: BTreeSet<u64>,
    findings: BTreeSet<(FindingKind, Option<Witness>, Vec<SiteId>)>,
    reasons: BTreeSet<InconclusiveReason>,
    /// The name of the object at an address, if it was given one.
    object_name: fn(u64) -> Option<String>,
    /// Errors after the first one are reported as well.
    keep_going: bool,
    /// An error was found.
    pub(super) error_found: bool,
    /// A message could not be sent: the shared memory is full.
    pub(super) full: bool,
    /// The only finding that is reported, each time a run shows it with fewer preemptions.
    pub(super) wanted: Option<WantedFinding>,
}

impl Reporter {
    /// Reports for a job; nothing was reported yet. `object_name` gives the name of the object at an address, if it has
    /// one.
    pub(super) fn new(job: &Job, object_name: fn(u64) -> Option<String>) -> Self {
        Reporter {
            keep_going: job.keep_going,
            severities: job.severities.clone(),
            harmless_races: job.harmless_races.iter().map(|pattern| (pattern.clone(), false)).collect(),
            sites: BTreeSet::new(),
            objects: BTreeSet::new(),
            findings: BTreeSet::new(),
            reasons: BTreeSet::new(),
            object_name,
            error_found: false,
            full: false,
            wanted: WantedFinding::of(job),
        }
    }

    /// Appends a message, unless one was lost before: what the host reads has no gaps.
    pub(super) fn send(&mut self, message: &Message) {
        self.full |= self.full || !link::send(message);
    }

    /// Reports where the program and its libraries are in memory.
    pub(super) fn modules(&mut self) {
        let modules = elf::modules();
        site::note_modules(&modules);
        self.send(&Message::Modules(modules));
    }

    fn site(&mut self, site: SiteId) {
        if self.sites.insert(site)
            && let Some(resolved) = site::resolve(site)
        {
            self.send(&Message::Site(resolved));
        }
    }

    /// The severity of a kind of finding: what the user says, or the default one.
    pub(super) fn severity(&self, kind: FindingKind) -> Severity {
        let own = self.severities.iter().rev().find(|severity| severity.0 == kind);
        own.map_or(kind.default_severity(), |severity| severity.1)
    }

    /// Reports a finding unless it was reported or is ignored.
    pub(super) fn finding(&mut self, finding: Finding, trace: &[Event], pending: &[Pending]) {
        if let Some(wanted) = &mut self.wanted {
            if wanted.takes(&finding) {
                self.send_finding(finding, trace, pending);
            }
            return;
        }
        // A race is reported again when there is better evidence, whose places beside the two accesses differ.
        let relevant = if finding.kind == FindingKind::DataRace { 2 } else { usize::MAX };
        let sites = finding.places.iter().take(relevant).map(|place| place.site);
        let severity = self.severity(finding.kind);
        if finding.kind == FindingKind::DataRace && self.is_harmless_race(&finding) {
            return;
        }
        if self.error_found && severity == Severity::Error && !self.keep_going {
            return;
        }
        if severity == Severity::Ignored || !self.findings.insert((finding.kind, finding.witness, key(sites))) {
            return;
        }
        self.error_found |= severity == Severity::Error;
        self.send_finding(finding, trace, pending);
        link::header().findings.store(self.findings.len() as u32, core::sync::atomic::Ordering::Relaxed);
    }

    fn send_finding(&mut self, finding: Finding, trace: &[Event], pending: &[Pending]) {
        self.sites_of(trace, pending);
        for place in &finding.places {
            self.site(place.site);
            if let Some(range) = place.operation.as_ref().and_then(Operation::bytes) {
                self.object(range.start);
            }
        }
        self.send(&Message::Finding(finding));
    }

    /// The fewest preemptions of a run that showed the only finding that is reported; `None` if no run has shown it, or
    /// if all findings are reported.
    pub(super) fn fewest(&self) -> Option<u32> {
        self.wanted.as_ref()?.fewest
    }

    /// Whether the user has declared a data race harmless; reports the pattern that names it.
    fn is_harmless_race(&mut self, race: &Finding) -> bool {
        if self.harmless_races.is_empty() {
            return false;
        }
        let accesses: Vec<ResolvedSite> =
            race.places.iter().take(2).filter_map(|place| site::resolve(place.site)).collect();
        let names = |(pattern, _): &(RacePattern, bool)| {
            accesses.iter().any(|access| pattern.names(&access.function, &access.file))
        };
        let Some(number) = self.harmless_races.iter().position(names) else { return false };
        if !core::mem::replace(&mut self.harmless_races[number].1, true) {
            self.send(&Message::HarmlessRace(number as u32));
        }
        true
    }

    /// Reports every source location of a run.
    pub(super) fn sites_of(&mut self, events: &[Event], pending: &[Pending]) {
        for site in events.iter().map(|event| event.site).chain(pending.iter().map(|pending| pending.site)) {
            self.site(site);
        }
        let operations = events.iter().map(|event| &event.operation);
        for operation in operations.chain(pending.iter().map(|pending| &pending.operation)) {
            if let Some(range) = operation.bytes() {
                self.object(range.start);
            }
            for (object, _) in operation.objects().into_iter().flatten() {
                if object.cancelled_thread().is_some() || object.is_channel() {
                    self.object(object.0);
                }
            }
        }
    }

    fn object(&mut self, start: u64) {
        if !self.objects.contains(&start)
            && let Some(name) = (self.object_name)(start)
        {
            self.objects.insert(start);
            self.send(&Message::Object(start, name));
        }
    }

    /// Reports why the verdict cannot be `verified`.
    pub(super) fn inconclusive(&mut self, reason: InconclusiveReason) {
        if let InconclusiveReason::Unmodelled { site, .. }
        | InconclusiveReason::UnknownCall { site, .. }
        | InconclusiveReason::OpaqueAssembly { site } = &reason
        {
            self.site(*site);
        }
        if let InconclusiveReason::TimeAfterLoop { passed_at, shown_at } = &reason {
            self.site(*passed_at);
            self.site(*shown_at);
        }
        if !self.reasons.contains(&reason) {
            self.reasons.insert(reason.clone());
            self.send(&Message::Inconclusive(reason));
        }
    }

    /// Reports that `states` states could not be compared for this reason, the first one where a thread stood at
    /// `site`.
    pub(super) fn uncompared(&mut self, why: Uncompared, states: u64, site: SiteId) {
        if site != SiteId(0) {
            self.site(site);
        }
        self.send(&Message::Uncompared { why, states, site });
    }

    /// Reports the first event that differs from what the plan's origin had there.
    pub(super) fn divergence(&mut self, at: u32, expected: Option<Event>, found: Option<Event>) {
        for event in expected.iter().chain(found.iter()) {
            self.sites_of(core::slice::from_ref(event), &[]);
        }
        self.send(&Message::Divergence { at, expected, found, suspect: String::new() });
    }

    /// The last message; ends the process.
    pub(super) fn done(&mut self, counts: Counts, complete: bool) -> ! {
        if self.full {
            // Without `Done` the host knows that messages are missing.
            link::finish();
        }
        self.send(&Message::Done { counts, complete });
        link::finish()
    }
}

/// Places in ascending order: the same race found from both sides is one finding.
fn key(sites: impl Iterator<Item = SiteId>) -> Vec<SiteId> {
    let mut sites: Vec<SiteId> = sites.collect();
    sites.sort();
    sites
}

/// A pending operation as an event, to show what happened where another event was expected.
pub(super) fn as_event(pending: &Pending) -> Event {
    let operation: Operation = pending.operation;
    Event {
        thread: pending.thread,
        operation,
        choice: 0,
        alternatives: inspect_core::event::Alternatives::None,
        enabled: inspect_core::event::ThreadSet::only(pending.thread),
        enabled_by: pending.enabled_by,
        site: pending.site,
    }
}
