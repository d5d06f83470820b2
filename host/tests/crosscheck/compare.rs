//! Compares what a native search reported with what brute force over the model says.

use crate::batch::Batch;
use crate::brute::{Expected, Key, key, normal_site, synchronisation};
use crate::native::{self, MAX_STEPS, Way};
use crate::states::{self, Guests};
use crate::translate::{Translator, shown};
use crate::waits::named;
use inspect_core::detect::FindingKind;
use inspect_core::event::{ByteRange, Ending, Event, Plan, SiteId, Step, ThreadSet, Trace};
use inspect_core::explore::Algorithm;
use inspect_core::model::{Fingerprint, Machine, Part, Program, Statement, VARIABLES, fingerprint};
use inspect_host::run::{GuestEnd, ReplayTrace, ReportedFinding, RunOutput};
use inspect_host::search::FindingIdentity;
use inspect_wire::message::{InconclusiveReason, Job, Mode, PlainAccesses, ReportedValues};
use std::collections::{BTreeMap, BTreeSet};

/// Checks one program.
pub(crate) struct Checker<'a> {
    batch: &'a Batch,
    number: usize,
    program: &'a Program,
    expected: &'a Expected,
    translator: Translator<'a>,
    /// Findings whose replay was compared, by the visibility of plain accesses.
    replayed: BTreeSet<(&'static str, Key)>,
    /// Differences found.
    pub(crate) failures: Vec<String>,
    /// Native runs made.
    pub(crate) runs: u64,
}

impl<'a> Checker<'a> {
    /// For the program with this number in the batch.
    pub(crate) fn new(batch: &'a Batch, number: usize, program: &'a Program, expected: &'a Expected) -> Self {
        Checker {
            batch,
            number,
            program,
            expected,
            translator: Translator::new(batch, number),
            replayed: BTreeSet::new(),
            failures: Vec::new(),
            runs: 0,
        }
    }

    /// Explores in one way and compares the result with brute force.
    pub(crate) fn check(&mut self, way: Way) {
        if let Err(difference) = self.compare(way) {
            self.failures.push(format!("{way:?}: {difference}"));
        }
    }

    /// Has several guests explore with `stateful`, and compares what they reach together with brute force.
    pub(crate) fn check_states(&mut self, guests: Guests) {
        let way = Way { algorithm: Algorithm::Stateful, plain: PlainAccesses::All, bound: None, fork: false };
        let job = native::job(self.batch, way, Mode::Restore, self.program.spurious_wakeups, self.program.variables);
        let output = states::explore(self.batch, self.number, &job, guests);
        if let Err(difference) = self.compare_states(way, &output) {
            self.failures.push(format!("{way:?}, {guests:?}: {difference}"));
        }
    }

    fn compare_states(&mut self, way: Way, output: &RunOutput) -> Result<(), String> {
        let traces: Vec<&ReplayTrace> = output.earlier_traces.iter().chain(&output.trace).collect();
        self.runs += traces.len() as u64;
        if says(output, "read-write locks") {
            return Ok(());
        }
        sound(output, way)?;
        self.translator.learn_sites(output);
        let translated: Vec<(Trace, &ReplayTrace)> =
            traces.iter().map(|native| (self.translator.trace(native), *native)).collect();
        self.traces(way, &translated)?;
        self.findings(way, output)
    }

    fn compare(&mut self, way: Way) -> Result<(), String> {
        let variables = self.program.variables;
        let job = native::job(self.batch, way, Mode::Restore, self.program.spurious_wakeups, variables);
        let output = native::explore(self.batch, self.number, &job);
        let traces: Vec<&ReplayTrace> = output.earlier_traces.iter().chain(&output.trace).collect();
        self.runs += traces.len() as u64;
        if way.algorithm == Algorithm::Stateful && says(&output, "read-write locks") {
            return Ok(());
        }
        sound(&output, way)?;
        self.translator.learn_sites(&output);
        let translated: Vec<(Trace, &ReplayTrace)> =
            traces.iter().map(|native| (self.translator.trace(native), *native)).collect();
        self.traces(way, &translated)?;
        if way.bound.is_some_and(|bound| bound < native::ENOUGH) {
            return Ok(());
        }
        self.findings(way, &output)?;
        if way.plain == PlainAccesses::All && way.algorithm != Algorithm::Stateful {
            for (trace, native) in &translated {
                self.step_by_step(trace, native)?;
            }
        }
        if way.fork {
            let forked = Job { mode: Mode::Fork, ..job.clone() };
            self.otherwise("in fork mode", &forked, &output)?;
            for every in [0, 1, 3, 16] {
                let how = format!("with a checkpoint every {every} operations");
                self.otherwise(&how, &Job { checkpoint_every: every, ..job.clone() }, &output)?;
            }
        }
        for reported in &output.findings {
            self.replay(&job, reported, &output)?;
        }
        Ok(())
    }

    /// The set of traces, and how often each was made.
    fn traces(&self, way: Way, translated: &[(Trace, &ReplayTrace)]) -> Result<(), String> {
        if way.algorithm == Algorithm::Stateful {
            let ended = translated.iter().filter(|(trace, _)| trace.ending != Ending::Revisited);
            let seen: BTreeSet<_> = ended.map(|(_, native)| native.contents.clone()).collect();
            return same_set("contents", &self.expected.traces.values().cloned().collect(), &seen, true);
        }
        let maximal = || translated.iter().filter(|(trace, _)| trace.ending != Ending::Blocked);
        if matches!(way.algorithm, Algorithm::Optimal | Algorithm::CbPor) {
            let mut seen: BTreeMap<Fingerprint, usize> = BTreeMap::new();
            maximal().for_each(|(trace, _)| *seen.entry(fingerprint(trace)).or_default() += 1);
            let again = seen.values().filter(|&&times| times > 1).count();
            let blocked = translated.len() - maximal().count();
            let excused = way.algorithm == Algorithm::Optimal && compares_parts(self.program);
            if (again > 0 && !excused) || blocked > 0 {
                return Err(format!("{again} traces again, {blocked} blocked of {}", translated.len()));
            }
        }
        if way.plain == PlainAccesses::All {
            let seen: BTreeMap<_, _> =
                maximal().map(|(trace, native)| (fingerprint(trace), native.contents.clone())).collect();
            return same("traces", &self.expected.within(way.bound), &seen);
        }
        let ended = maximal().filter(|(trace, _)| !matches!(trace.ending, Ending::Diverged(_)));
        let seen: BTreeSet<_> =
            ended.map(|(trace, native)| (fingerprint(&synchronisation(trace)), native.contents.clone())).collect();
        let complete = way.plain == PlainAccesses::Racy || !self.expected.races();
        if !complete && self.program.bodies.iter().flatten().any(|s| matches!(s, Statement::Await(..))) {
            // A loop that is woken by a plain write that is no event has an enabling edge from an event before the
            // write.
            return Ok(());
        }
        if !complete {
            let invented = seen.iter().find(|&trace| !self.expected.is_synchronisation(trace));
            return invented.map_or(Ok(()), |trace| Err(format!("synchronisation traces: {trace:?} is invented")));
        }
        same_set("synchronisation traces", &self.expected.sync, &seen, true)
    }

    fn waits_expire(&self) -> bool {
        let timed = |statement: &Statement| matches!(statement, Statement::TimedWait(..));
        self.program.spurious_wakeups || self.program.bodies.iter().flatten().any(timed)
    }

    fn findings(&self, way: Way, output: &RunOutput) -> Result<(), String> {
        let mut seen: BTreeMap<Key, BTreeSet<Option<ByteRange>>> = BTreeMap::new();
        for reported in &output.findings {
            let object = reported.finding.object.map(|range| self.translator.range(range).unwrap_or(range));
            seen.entry(key(&reported.finding, |site| self.translator.site(site))).or_default().insert(object);
        }
        let complete = way.plain != PlainAccesses::Sync || !self.expected.races();
        let keys = |findings: &BTreeMap<Key, _>| findings.keys().cloned().collect::<BTreeSet<_>>();
        let mut expected = keys(&self.expected.findings);
        if self.waits_expire() {
            // Whether two waits overlap can differ between the runs of one trace: the end of a wait commutes with the
            // beginning of another one.
            expected.retain(|key| key.0 != FindingKind::CondTwoMutexes || seen.contains_key(key));
        }
        let mut found = keys(&seen);
        if !complete {
            found.retain(|key| expected.contains(key) || !self.is_beside_another(key, &seen[key]));
        }
        same_set("findings", &expected, &found, complete)?;
        for (key, objects) in seen.iter().filter(|(key, _)| found.contains(key)) {
            let expected = &self.expected.findings[key];
            if !objects.is_subset(expected) {
                return Err(format!("{key:?} is about {objects:x?} instead of {expected:x?}"));
            }
        }
        let race = |key: &Key| key.0 == FindingKind::DataRace;
        if !complete && !seen.keys().any(race) {
            return Err("no race was found where there is one".into());
        }
        Ok(())
    }

    /// Whether a data race has one access in common with an expected one, the other in the same thread, and the object.
    /// Of two accesses of a thread that no operation parts, the detector names the first, if they are no operations.
    fn is_beside_another(&self, (kind, _, places): &Key, objects: &BTreeSet<Option<ByteRange>>) -> bool {
        let thread = |site: &SiteId| site.0 >> 16;
        let beside = |other: &[SiteId]| {
            let threads = |sites: &[SiteId]| sites.iter().map(thread).collect::<Vec<_>>();
            threads(other) == threads(places) && other.iter().any(|site| places.contains(site))
        };
        let mut races = self.expected.findings.iter().filter(|(key, _)| key.0 == FindingKind::DataRace);
        *kind == FindingKind::DataRace && races.any(|(key, expected)| beside(&key.2) && objects.is_subset(expected))
    }

    /// Makes the run again in the model.
    fn step_by_step(&self, trace: &Trace, native: &ReplayTrace) -> Result<(), String> {
        let steps = trace.events.iter().map(|event| Step { thread: event.thread, choice: event.choice }).collect();
        let mut machine = Machine::new(self.program, MAX_STEPS);
        let mut model = named(machine.run(&Plan { steps, ..Plan::default() }), self.expected.mutexes());
        for event in &mut model.events {
            event.site = normal_site(self.program, event.site);
        }
        for pending in &mut model.pending {
            pending.site = normal_site(self.program, pending.site);
        }
        let mut events = trace.events.clone();
        // A thread that is about to use a descriptor can go on where its operation on the pipe would wait, which in the
        // model comes at once.
        if model.events.iter().any(|event| event.operation.at_channel().is_some()) {
            model.events.iter_mut().chain(&mut events).for_each(|event| event.enabled = ThreadSet::EMPTY);
        }
        let length = events.len();
        let same = model.events.get(..length) == Some(&events[..])
            && (trace.ending == Ending::Blocked
                || (model.pending == trace.pending
                    && model.ending == trace.ending
                    && machine.variables() == native.contents
                    && self.values_fit(native)));
        if same {
            return Ok(());
        }
        Err(format!(
            "a run differs from the model's, native\n{}    {:?}, values {:?}\n  model\n{}    {:?}",
            shown(trace),
            native.contents,
            self.values(native),
            shown(&model),
            machine.variables()
        ))
    }

    /// The accesses to variables with the values before and after.
    fn values(&self, native: &ReplayTrace) -> Vec<(ByteRange, bool, ReportedValues)> {
        let access = |(event, values): (&Event, &ReportedValues)| {
            let (range, mode) = event.operation.access()?;
            let range = self.translator.range(range)?;
            // What a thread sees that comes to wait for a futex word is not recorded.
            event.operation.begins_wait().is_none().then(|| (range, mode.writes(), *values))
        };
        native.events.iter().zip(&native.values).filter_map(access).collect()
    }

    /// Whether what was read is what was written before, up to the contents at the end.
    fn values_fit(&self, native: &ReplayTrace) -> bool {
        let mut memory = vec![0u8; 8 * native.contents.len() + 16];
        for (range, writes, values) in self.values(native) {
            let at = (range.start - VARIABLES) as usize;
            let len = range.len.min(8) as usize;
            if memory[at..at + len] != values.before.to_le_bytes()[..len] || (!writes && values.before != values.after)
            {
                return false;
            }
            // A write of two variables writes the same to both.
            for part in (0..range.len as usize).step_by(8).filter(|_| writes) {
                memory[at + part..at + part + len].copy_from_slice(&values.after.to_le_bytes()[..len]);
            }
        }
        native
            .contents
            .iter()
            .enumerate()
            .all(|(number, value)| memory[8 * number..8 * number + 8] == value.to_le_bytes())
    }

    /// The search must report the same, event by event, if runs are started or resumed in another way.
    fn otherwise(&mut self, how: &str, job: &Job, output: &RunOutput) -> Result<(), String> {
        let other = native::explore(self.batch, self.number, job);
        self.runs += other.earlier_traces.len() as u64 + 1;
        let what = [
            ("traces", other.earlier_traces == output.earlier_traces && other.trace == output.trace),
            ("findings", other.findings == output.findings),
            ("promoted locations", other.promoted == output.promoted),
            ("counts", other.done == output.done),
            ("reasons", other.reasons == output.reasons),
            ("ends", other.end == output.end),
        ];
        for (what, same) in what {
            if !same {
                let traces = [&other, output].map(|output| output.earlier_traces.len());
                return Err(format!(
                    "{what} differ {how} ({traces:?} traces, {:?}, {:?}, {:?}): {}",
                    other.end,
                    other.tool_errors,
                    other.reasons,
                    first_difference(&other, output)
                ));
            }
        }
        Ok(())
    }

    /// A replay of a finding must show it again in fresh processes, in the same run, wherever the kernel maps the
    /// program.
    fn replay(&mut self, job: &Job, reported: &ReportedFinding, found_by: &RunOutput) -> Result<(), String> {
        let name = key(&reported.finding, |site| self.translator.site(site));
        if !self.replayed.insert((job.plain_accesses.name(), name.clone())) {
            return Ok(());
        }
        let job = native::replay(job, reported);
        let wanted = FindingIdentity::of(&reported.finding, &found_by.modules);
        let mut first = None;
        for (how, output) in [
            ("", native::explore(self.batch, self.number, &job)),
            (" in fork mode", native::explore(self.batch, self.number, &Job { mode: Mode::Fork, ..job.clone() })),
            (" with other addresses", native::explore_elsewhere(self.batch, self.number, &job)),
        ] {
            let again = output
                .findings
                .iter()
                .find(|reported| FindingIdentity::of(&reported.finding, &output.modules) == wanted);
            let Some(again) = again else {
                return Err(format!("{name:?} does not show again{how}: {:?} {:?}", output.end, output.divergences));
            };
            let object = again.finding.object.map(|range| self.translator.range(range).unwrap_or(range));
            if self.expected.findings.get(&name).is_some_and(|expected| !expected.contains(&object)) {
                return Err(format!("{name:?} is about {object:x?}{how}"));
            }
            let trace = output.trace.clone().ok_or("a replay without a trace")?;
            let taken = trace.events.iter().map(|event| Step { thread: event.thread, choice: event.choice });
            if !taken.take(reported.finding.steps.len()).eq(reported.finding.steps.iter().copied()) {
                return Err(format!("{name:?}: another run{how}"));
            }
            self.translator.learn_sites(&output);
            let run = (self.translator.trace(&trace), self.values(&trace));
            if *first.get_or_insert_with(|| run.clone()) != run {
                return Err(format!("{name:?}: the run differs{how}"));
            }
        }
        Ok(())
    }
}

/// Whether the search gives a reason with these words.
fn says(output: &RunOutput, words: &str) -> bool {
    let has = |reason: &InconclusiveReason| matches!(reason, InconclusiveReason::Other(text) if text.contains(words));
    output.reasons.iter().any(has)
}

/// Checks that the search came to its end, and left nothing out. With `--plain-accesses sync` the order of the accesses
/// of a data race is not planned: what depends on it is not explored, and runs may leave their plans there.
fn sound(output: &RunOutput, way: Way) -> Result<(), String> {
    let unexplored = InconclusiveReason::UnexploredRace;
    let excused = |reason: &InconclusiveReason| match reason {
        InconclusiveReason::PreemptionBound(_) => way.bound.is_some_and(|bound| bound < native::ENOUGH),
        reason => way.plain == PlainAccesses::Sync && *reason == unexplored,
    };
    let left_plan = !output.divergences.is_empty();
    let may_leave = way.plain == PlainAccesses::Sync && output.reasons.contains(&unexplored);
    let clean = output.end == GuestEnd::Done
        && (!left_plan || may_leave)
        && output.done.is_some_and(|(_, complete)| complete != left_plan)
        && output.tool_errors.is_empty()
        && output.reasons.iter().all(excused);
    if clean {
        return Ok(());
    }
    let RunOutput { end, done, divergences, tool_errors, reasons, .. } = output;
    Err(format!("{end:?}, {done:?}, {divergences:?}, {tool_errors:?}, {reasons:?}"))
}

fn same<K: Ord, V: PartialEq>(what: &str, expected: &BTreeMap<K, V>, seen: &BTreeMap<K, V>) -> Result<(), String> {
    let missed = expected.keys().filter(|key| !seen.contains_key(key)).count();
    let invented = seen.keys().filter(|key| !expected.contains_key(key)).count();
    let other = seen.iter().filter(|(key, value)| expected.get(key).is_some_and(|expected| expected != *value)).count();
    if missed + invented + other == 0 {
        return Ok(());
    }
    Err(format!("{what}: {missed} of {} missed, {invented} invented, {other} with another end", expected.len()))
}

fn same_set<T: Ord + std::fmt::Debug>(
    what: &str,
    expected: &BTreeSet<T>,
    seen: &BTreeSet<T>,
    complete: bool,
) -> Result<(), String> {
    let missed: Vec<&T> = expected.difference(seen).collect();
    let invented: Vec<&T> = seen.difference(expected).collect();
    if invented.is_empty() && (missed.is_empty() || !complete) {
        return Ok(());
    }
    let first = |list: &[&T]| list.iter().take(2).map(|item| format!("{item:x?}")).collect::<Vec<_>>().join(" ");
    Err(format!(
        "{what}: {} of {} missed ({}), {} invented ({})",
        missed.len(),
        expected.len(),
        first(&missed),
        invented.len(),
        first(&invented)
    ))
}

fn first_difference(a: &RunOutput, b: &RunOutput) -> String {
    let all = |output: &RunOutput| output.earlier_traces.iter().chain(&output.trace).cloned().collect::<Vec<_>>();
    let (a, b) = (all(a), all(b));
    match a.iter().zip(&b).position(|(a, b)| a != b) {
        None => "no trace differs".into(),
        Some(at) => format!("trace {at}\n  there {:x?}\n  here {:x?}", a[at], b[at]),
    }
}

/// Whether a compare-exchange may overlap with an access of another size. Then `optimal` may make a trace again
/// (see its documentation).
pub(crate) fn compares_parts(program: &Program) -> bool {
    let mut sized = false;
    let mut compares = false;
    for statement in program.bodies.iter().flatten() {
        match statement {
            Statement::Read(place, _) | Statement::Write(place, _) => sized |= place.part != Part::Whole,
            Statement::Load(place, _) | Statement::Store(place, _) => sized |= place.part != Part::Whole,
            Statement::CompareExchange(..) => compares = true,
            _ => {}
        }
    }
    sized && compares
}
