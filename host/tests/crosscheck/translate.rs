//! From a native trace to one of the model: addresses, places and accesses that the model does not have.

use crate::batch::Batch;
use inspect_core::event::{
    ByteRange, Event, EventIndex, MemoryOperation, Object, ObjectKind, Operation, Pending, SiteId, ThreadSet, Trace,
};
use inspect_core::model::{CONDITIONS, MUTEXES, RECURSIVE, SPACING, VARIABLES, objects};
use inspect_host::run::{ReplayTrace, RunOutput};
use inspect_host::symbols::Symbols;
use std::collections::BTreeMap;

/// Sizes of the C library's objects.
const MUTEX: u64 = 40;
const CONDITION: u64 = 48;
const ONCE: u64 = 4;
const SEMAPHORE: u64 = 32;
const RWLOCK: u64 = 56;
const BARRIER: u64 = 32;

/// Translates the report of one guest.
pub(crate) struct Translator<'b> {
    batch: &'b Batch,
    program: usize,
    lines: BTreeMap<SiteId, SiteId>,
}

impl<'b> Translator<'b> {
    /// For the program with this number.
    pub(crate) fn new(batch: &'b Batch, program: usize) -> Self {
        Translator { batch, program, lines: BTreeMap::new() }
    }

    /// Looks up the places that this guest used.
    pub(crate) fn learn_sites(&mut self, output: &RunOutput) {
        let traces = output.earlier_traces.iter().chain(&output.trace);
        let events = traces.flat_map(|trace| {
            trace.events.iter().map(|event| event.site).chain(trace.pending.iter().map(|pending| pending.site))
        });
        let places = output.findings.iter().flat_map(|reported| reported.finding.places.iter().map(|place| place.site));
        let mut unknown: Vec<SiteId> = events.chain(places).filter(|site| !self.lines.contains_key(site)).collect();
        unknown.sort();
        unknown.dedup();
        if unknown.is_empty() {
            return;
        }
        let symbols = Symbols::new(&self.batch.path, &output.modules, &output.sites);
        for site in unknown {
            let found = self.batch.site(symbols.locate(site).line);
            let site_in_model = found.filter(|(program, _)| *program == self.program).map(|(_, site)| site);
            self.lines.insert(site, site_in_model.unwrap_or(SiteId(u64::MAX)));
        }
    }

    /// The statement at a place; the greatest number if there is none.
    pub(crate) fn site(&self, site: SiteId) -> SiteId {
        self.lines[&site]
    }

    /// Bytes of a variable or a synchronisation object, if they are in the model.
    pub(crate) fn range(&self, range: ByteRange) -> Option<ByteRange> {
        let start = self.variable(range.start).or_else(|| self.object(Object(range.start)).map(|object| object.0))?;
        Some(ByteRange { start, len: range.len })
    }

    fn variable(&self, address: u64) -> Option<u64> {
        let (start, size) = self.batch.array("variables");
        (start..start + size).contains(&address).then(|| address - start + VARIABLES)
    }

    fn object(&self, object: Object) -> Option<Object> {
        if object.is_futex() {
            return self.variable(object.in_memory()).map(Object::futex);
        }
        let Object(address) = object;
        let kinds = [
            ("mutexes", MUTEX, MUTEXES),
            ("recursive_mutexes", MUTEX, MUTEXES + SPACING * u64::from(RECURSIVE)),
            ("conditions", CONDITION, CONDITIONS),
            ("onces", ONCE, objects(ObjectKind::Once)),
            ("semaphores", SEMAPHORE, objects(ObjectKind::Semaphore)),
            ("rwlocks", RWLOCK, objects(ObjectKind::Rwlock)),
            // A program has locks of one of the two kinds.
            ("writers_first", RWLOCK, objects(ObjectKind::Rwlock)),
            ("barriers", BARRIER, objects(ObjectKind::Barrier)),
        ];
        kinds.into_iter().find_map(|(name, element, base)| {
            let (start, size) = self.batch.array(name);
            (start..start + size).contains(&address).then(|| Object(base + (address - start) / element * SPACING))
        })
    }

    /// The trace in the terms of the model. An access to anything but the variables is left out: the model has none,
    /// and nobody else can make one.
    pub(crate) fn trace(&self, native: &ReplayTrace) -> Trace {
        let mut trace = Trace::new();
        trace.ending = native.ending;
        trace.events.clone_from(&native.events);
        trace.pending.clone_from(&native.pending);
        let foreign = |operation: Operation| match operation {
            Operation::Memory(MemoryOperation::Read(range)) | Operation::Memory(MemoryOperation::Write(range)) => {
                self.variable(range.start).is_none()
            }
            // The model's pipes have no descriptors.
            Operation::Descriptor(_) => true,
            _ => false,
        };
        let mut trace = without(&trace, |event| foreign(event.operation));
        // A run that ends in a known state may end in front of such an access.
        trace.pending.retain(|pending| !foreign(pending.operation));
        for event in &mut trace.events {
            event.operation = self.operation(event.operation);
            event.site = self.site(event.site);
        }
        for pending in &mut trace.pending {
            pending.operation = self.operation(pending.operation);
            pending.site = self.site(pending.site);
        }
        trace
    }

    fn operation(&self, operation: Operation) -> Operation {
        let range = |range: ByteRange| self.range(range).unwrap_or_else(|| panic!("no variable at {range:x?}"));
        let object = |object: Object| self.object(object).expect("an object of the model");
        operation.relocated(range, object)
    }
}

/// The trace without some of its events. What enabled one of these enables its thread's next; what one of these
/// enabled is enabled by nothing that is left.
pub(crate) fn without(trace: &Trace, left_out: impl Fn(&Event) -> bool) -> Trace {
    let mut rest = Trace::new();
    rest.ending = trace.ending;
    let mut positions: Vec<Option<EventIndex>> = Vec::new();
    let mut inherited = BTreeMap::new();
    let moved = |positions: &[Option<EventIndex>], by: Option<EventIndex>| by.and_then(|by| positions[by.index()]);
    for event in &trace.events {
        let enabled_by = moved(&positions, event.enabled_by).or_else(|| inherited.remove(&event.thread));
        let left_out = left_out(event);
        positions.push((!left_out).then_some(EventIndex(rest.events.len() as u32)));
        if left_out {
            inherited.extend(enabled_by.map(|by| (event.thread, by)));
        } else {
            rest.events.push(Event { enabled_by, ..*event });
        }
    }
    for pending in &trace.pending {
        let enabled_by = moved(&positions, pending.enabled_by).or_else(|| inherited.remove(&pending.thread));
        rest.pending.push(Pending { enabled_by, ..*pending });
    }
    rest
}

/// The trace as text, for the messages of failed tests.
pub(crate) fn shown(trace: &Trace) -> String {
    let set = |set: ThreadSet| set.iter().map(|thread| thread.0.to_string()).collect::<Vec<_>>().join(",");
    let mut text = String::new();
    for event in &trace.events {
        let at = format!("{}.{}", event.site.0 >> 16, event.site.0 & 0xFFFF);
        text += &format!(
            "    {} {:?} choice {} of {{{}}} by {:?} at {at}\n",
            event.thread.0,
            event.operation,
            event.choice,
            set(event.enabled),
            event.enabled_by.map(|by| by.0)
        );
    }
    for pending in &trace.pending {
        text += &format!("    pending {} {:?} {:?}\n", pending.thread.0, pending.operation, pending.status);
    }
    text + &format!("    {:?}\n", trace.ending)
}
