//! Why a verdict cannot be `verified`, in words.

use crate::error::ToolError;
use crate::program::{Image, is_known_library};
use crate::run::{Divergence, GuestEnd, RunOutput, Target};
use crate::symbols::{Symbols, demangled};
use crate::verdict::Reason;
use crate::words;
use inspect_core::event::{Event, LimitKind, MAX_THREADS, SiteId};
use inspect_core::explore::catalogue::Requirement;
use inspect_wire::message::{InconclusiveReason, Job};
use std::path::Path;
use std::time::Duration;

/// What the user can try so that the search does not come to the limit.
fn further(job: &Job) -> String {
    let mut options = Vec::new();
    let sharing = job.algorithm.description().sharing;
    if sharing.among_guests().is_ok() && job.preemptions.is_none() {
        options.push("-j N (N processes share the search)");
    }
    if sharing.division().is_ok() && job.preemptions.is_none() {
        options.push("--checkpoint FILE (an interrupted search goes on with --resume FILE)");
    }
    if job.algorithm.description().bound().is_ok() && job.preemptions.is_none() {
        options.push("--preemptions 2 (covers what at most two preemptions show)");
    }
    options.push("a driver with fewer threads or operations");
    options.join(", ")
}

/// Every reason that a run gives.
pub(super) fn of_run(output: &RunOutput, job: &Job, target: &Target) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let symbols = Symbols::new(&target.program, &output.modules, &output.sites).naming(&output.objects);
    // That no execution ends is an assumption of the answer of `--algorithm stateful`; a turn of `auto` adds it.
    let counts = output.reasons.iter().filter(|reason| **reason != InconclusiveReason::Endless);
    reasons.extend(counts.map(|reason| of_guest(reason, job, &symbols)));
    // A run leaves its plan where the order of the accesses of a data race, which is not planned, decides what a thread
    // does.
    if !output.reasons.contains(&InconclusiveReason::UnexploredRace) {
        reasons.extend(output.divergences.iter().map(|left| of_divergence(left, &symbols)));
    }
    reasons.extend(output.tool_errors.iter().map(|error| of_tool_error(error)));
    reasons.extend(of_libraries(output, job));
    reasons
}

/// A defect that the guest has found in its own state.
fn of_tool_error(error: &str) -> Reason {
    Reason::new(
        format!("Inspect failed: {error}"),
        "the program alone under -fsanitize=address, as it may destroy memory; if it does not, this is a defect of Inspect: \
         please report it with the program",
    )
}

/// The limit of executions.
pub(super) fn of_full(job: &Job) -> Reason {
    let limit = job.max_executions;
    Reason::new(
        format!("the limit of {limit} executions was reached"),
        format!("a larger --max-executions, {}", further(job)),
    )
}

/// The counts are not of the whole search.
pub(super) fn of_new_pass() -> Reason {
    Reason::new(
        "the search had just begun anew, with more operations visible, when it was stopped; the counts are those of the pass \
         before",
        "the same with larger limits",
    )
}

/// What was done last is in no checkpoint.
pub(super) fn of_unwritten_checkpoint(why: &ToolError) -> Reason {
    Reason::new(
        format!("{why}; the file has what was done when it was last written"),
        "--resume with that file once it can be written",
    )
}

/// Everything was repeated in fork mode.
pub(super) fn of_repetition(why: &str) -> Reason {
    Reason::new(
        format!("{why}; it was repeated in fork mode"),
        "the program alone under -fsanitize=address: it may destroy memory that is not its own",
    )
}

/// The reason that lies in how the guest ended, if there is one.
pub(super) fn of_end(end: &GuestEnd, time_limit: Option<Duration>, job: &Job) -> Option<Reason> {
    let memory = "the program alone under -fsanitize=address: it may destroy memory that is not its own";
    let reason = match end {
        GuestEnd::Done => return None,
        GuestEnd::TimeLimit => {
            let limit = time_limit.map_or_else(String::new, |limit| format!(" of {limit:?}"));
            let next = format!("a longer --time-limit, {}", further(job));
            Reason::new(format!("the time limit{limit} was reached"), next)
        }
        GuestEnd::Interrupted => Reason::new("interrupted", format!("letting it run to its end, {}", further(job))),
        GuestEnd::HasShown => Reason::new(
            "the search was stopped, as it had shown all that it was made for",
            "inspect check --keep-going, which looks for everything else",
        ),
        GuestEnd::Stuck => Reason::new(
            "a run showed no progress for a minute and was given up",
            "--mode fork; if that shows the same, please report it with the program",
        ),
        GuestEnd::NotStarted { how, .. } => Reason::new(
            format!("the exploring process ended before it began: {how}"),
            "the program alone: it has to reach main",
        ),
        GuestEnd::Died { how, in_engine } => {
            let place = if *in_engine { "inside Inspect's engine" } else { "while the program ran" };
            Reason::new(format!("the exploring process died {place}: {how}"), memory)
        }
        GuestEnd::Garbled(what) => Reason::new(format!("the program overwrote the checker's memory: {what}"), memory),
    };
    Some(reason)
}

/// A run that left its plan, as a reason.
fn of_divergence(left: &Divergence, symbols: &Symbols) -> Reason {
    Reason::new(
        divergence(left, symbols),
        "taking what differs from run to run out of the driver: uninitialised memory (-fsanitize=memory), addresses used as \
         numbers, devices and files that change",
    )
}

/// A run that left its plan, in words.
pub(super) fn divergence(divergence: &Divergence, symbols: &Symbols) -> String {
    let event = |event: &Event| {
        let operation = words::operation(&event.operation, event.site, symbols, None);
        let at = symbols.locate(event.site).place().map_or_else(String::new, |place| format!(" at {place}"));
        format!("{}: {operation}{at}", words::thread(event.thread))
    };
    let step = divergence.at + 1;
    let what = match (&divergence.expected, &divergence.found) {
        (Some(expected), Some(found)) => {
            format!("at step {step} it was to do `{}` and did `{}`", event(expected), event(found))
        }
        (Some(expected), None) => format!("at step {step} it was to do `{}` and had ended", event(expected)),
        (None, Some(found)) => {
            format!("step {step} of the schedule is not possible; the thread is at `{}`", event(found))
        }
        (None, None) => format!("step {step} of the schedule is not possible"),
    };
    if divergence.suspect.is_empty() {
        return format!("the program is not deterministic: {what}");
    }
    format!("the program is not deterministic: {what}; the call that looks responsible is {}", divergence.suspect)
}

fn of_guest(reason: &InconclusiveReason, job: &Job, symbols: &Symbols) -> Reason {
    let at = |site: SiteId| match symbols.locate(site).place() {
        Some(place) => format!(" at {place}"),
        None => String::new(),
    };
    match reason {
        InconclusiveReason::Unmodelled { call, site } => Reason::new(
            format!("the program calls {}{}, which Inspect does not model", demangled(call), at(*site)),
            in_place_of(call),
        ),
        InconclusiveReason::OpaqueAssembly { site } => Reason::new(
            format!(
                "the program runs inline assembly, or a machine instruction of its choice, that Inspect cannot see through{}",
                at(*site)
            ),
            "the same in C: C11 atomics or the compiler's __atomic functions in place of assembly, clock_gettime in place of \
             a processor's clock",
        ),
        InconclusiveReason::TimeAfterLoop { passed_at, shown_at } => time_after_loop(&at(*passed_at), &at(*shown_at)),
        InconclusiveReason::Limit(limit) => of_limit(*limit, job),
        InconclusiveReason::PreemptionBound(bound) => of_bound(*bound),
        InconclusiveReason::UnexploredRace => Reason::new(
            "what follows from a data race is not explored with --plain-accesses sync",
            "--plain-accesses racy, the default",
        ),
        InconclusiveReason::UnknownFunction(name) => unknown_function("uses", name, &used_at(name, symbols)),
        InconclusiveReason::UnknownCall { call, site } => unknown_function("calls", call, &at(*site)),
        InconclusiveReason::ReplacedFunction(name) => replaced_function(name),
        InconclusiveReason::Endless => endless(),
        InconclusiveReason::Other(text) => {
            Reason::new(text.clone(), "docs/limits.md, which says what is not handled and how to go round it")
        }
    }
}

/// A clock was read after a loop of which only one number of rounds was explored; both places begin with "at".
fn time_after_loop(passed_at: &str, shown_at: &str) -> Reason {
    Reason::new(
        format!(
            "the clock is read{shown_at} after a loop that sleeps{passed_at}; how often that loop goes round is not explored"
        ),
        "a loop that looks at the clock itself or counts its rounds, which are explored then; or a driver that does not look at \
         the clock afterwards",
    )
}

/// The bound on preemptions has left something out.
pub(super) fn of_bound(bound: u32) -> Reason {
    Reason::new(
        format!("preemption bound {bound} covered, nothing beyond it"),
        format!("--preemptions {}, or no bound", bound + 1),
    )
}

/// From some state no execution comes to an end.
pub(super) fn endless() -> Reason {
    Reason::new(
        "some executions never end, whatever the scheduler does: threads go round loops for ever",
        "a way for the threads to end; --algorithm stateful, if the program is meant to run for ever",
    )
}

/// Where the program uses the address of a function.
fn used_at(name: &str, symbols: &Symbols) -> String {
    symbols.use_of(name).map_or_else(String::new, |place| format!(" at {place}"))
}

/// A function without a description: the program `uses` or `calls` it, and where.
fn unknown_function(does: &str, name: &str, at: &str) -> Reason {
    let of_cxx = ["_ZNSt", "_ZNKSt", "_ZSt", "_ZTVSt", "_ZTTSt", "_ZTVNSt", "_ZTTNSt"];
    let is_of_cxx = of_cxx.iter().any(|beginning| name.starts_with(beginning));
    let name = demangled(name);
    let advice = if is_of_cxx {
        "a driver without it: the C++ library is not built with inspect-cc, and bugs are found all the same".to_owned()
    } else {
        format!("building the library that has {name} with inspect-cc, or a driver without it")
    };
    Reason::new(format!("the program {does} {name}{at}, and what that accesses is not known"), advice)
}

fn replaced_function(name: &str) -> Reason {
    Reason::new(
        format!("the program defines {name} itself, so its own version is not modelled"),
        format!("a build for checking that leaves {name} to the system's library"),
    )
}

/// A run was cut by a limit.
pub(super) fn of_limit(limit: LimitKind, job: &Job) -> Reason {
    match limit {
        LimitKind::Steps => Reason::new(
            format!("an execution was cut after {} visible operations (--max-steps)", job.max_steps),
            "fewer rounds in the driver's loops, waiting on a condition variable in place of trying again, or a larger \
             --max-steps",
        ),
        LimitKind::Memory => Reason::new(
            format!("an execution used more than {} MiB of heap (--memory-limit)", job.memory_limit >> 20),
            "a larger --memory-limit, or smaller data",
        ),
        LimitKind::Threads => Reason::new(
            format!("an execution created more than {MAX_THREADS} threads"),
            "a driver with fewer threads: two or three show most bugs",
        ),
        LimitKind::Time => Reason::new(
            format!(
                "an execution computed for {} ms without a visible operation (--max-computation)",
                job.max_computation
            ),
            "smaller data for what it computes, a look at what is to end its loop, or a larger --max-computation",
        ),
        LimitKind::Unmodelled => Reason::new(
            "an execution was cut at a call that Inspect does not model",
            "a driver without the call that is named beside this",
        ),
    }
}

/// What a driver can do without a call that is not modelled.
fn in_place_of(call: &str) -> &'static str {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| call.starts_with(prefix));
    if begins(&["sem_", "pthread_rwlock"]) {
        "the same made of a mutex and a condition variable, in the build that is checked"
    } else if begins(&["pthread_kill", "kill", "a timer", "timer_", "sig", "pause"]) {
        "a flag under a mutex in place of the signal"
    } else if begins(&["fork", "vfork", "exec", "posix_spawn", "system", "popen", "clone", "wait"]) {
        "a driver that calls the code under test in threads of one process"
    } else if begins(&["socket", "connect", "accept", "send", "recv", "poll", "select", "epoll"]) {
        "a driver that hands the data over in memory, in place of the descriptor"
    } else if begins(&["open", "read"]) {
        "a regular file, or data in the driver, in place of it"
    } else {
        "a driver without the call, or a function of your own in its place in the build that is checked"
    }
}

/// Code that runs in the program and was not instrumented.
fn of_libraries(output: &RunOutput, job: &Job) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for module in output.modules.iter().filter(|module| !module.path.is_empty()) {
        let path = Path::new(&module.path);
        if is_known_library(path) {
            continue;
        }
        let shown = &module.path;
        let rebuilt = "building it with inspect-cc of this version";
        match Image::read(path) {
            Ok(image) if !image.instrumented && image.calls_thread_sanitizer => {
                reasons.push(Reason::new(format!("{shown} {SANITIZED}"), rebuilt));
            }
            Ok(image) if !image.instrumented => {
                reasons.push(Reason::new(format!("{shown} is not instrumented"), rebuilt));
            }
            Ok(image) if image.other_version.is_some() => {
                let what = format!("{shown} was instrumented by another version of Inspect");
                reasons.push(Reason::new(what, rebuilt));
            }
            Ok(_) if job.algorithm.description().requires == Requirement::Facts => {
                let name = job.algorithm.name();
                reasons.push(Reason::new(
                    format!("{shown} is checked together with the program, and {name} knows one module only"),
                    "linking it statically, or another algorithm",
                ));
            }
            Ok(image) => reasons.extend(of_image(&image)),
            Err(error) => {
                reasons
                    .push(Reason::new(format!("cannot tell whether it is instrumented: {error}"), "a readable file"));
            }
        }
    }
    reasons
}

/// What the calls for ThreadSanitizer do not tell.
const SANITIZED: &str =
    "is built with -fsanitize=thread, which does not show its assembly, where its variables end, nor which loops wait";

/// Inputs of a link that were not instrumented.
pub fn of_image(image: &Image) -> Option<Reason> {
    let name =
        image.path.file_name().map_or_else(|| image.path.display().to_string(), |name| name.to_string_lossy().into());
    let inputs = &image.uninstrumented_inputs;
    if !image.has_instrumented_code && image.calls_thread_sanitizer {
        let next = "building its objects with inspect-cc, for a verdict; what is found here is an error all the same";
        return Some(Reason::new(format!("{name} {SANITIZED}"), next));
    }
    if !image.has_instrumented_code {
        // It was linked with the guest, from objects of another compiler only: the pass had nothing to list them in.
        return Some(Reason::new(
            format!("nothing of {name} is instrumented"),
            "building its objects with inspect-cc, too: `make clean` first, if there are older ones",
        ));
    }
    (!inputs.is_empty()).then(|| {
        let what = format!("parts of {name} are not instrumented: {}", inputs.join(", "));
        Reason::new(what, "building them with inspect-cc, or leaving them out of the link")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_that_came_to_its_end_gives_no_reason_and_every_other_end_does() {
        let job = crate::run::tests::job();
        assert_eq!(of_end(&GuestEnd::Done, None, &job), None);
        for end in [
            GuestEnd::TimeLimit,
            GuestEnd::Interrupted,
            GuestEnd::HasShown,
            GuestEnd::Stuck,
            GuestEnd::NotStarted { output: String::new(), how: "x".into() },
            GuestEnd::Died { how: "x".into(), in_engine: true },
            GuestEnd::Garbled("x".into()),
        ] {
            assert!(of_end(&end, None, &job).is_some_and(|reason| !reason.next.is_empty()), "{end:?}");
        }
    }
}
