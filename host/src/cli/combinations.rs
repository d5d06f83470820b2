//! Which options go with which algorithm and with each other. All refusals are made here: what an algorithm can be
//! combined with is in its row of the [catalogue](inspect_core::explore::catalogue), and the rest of the program sees
//! only combinations that are sound.

use super::flags::{CheckFlags, LocalStatesName, ModeName, PlainAccessesName, VolatileName};
use crate::error::ToolError;
use inspect_core::explore::Algorithm;
use inspect_core::explore::catalogue::{AlgorithmRow, CATALOGUE, Combination, Requirement, SearchSharing};

/// Refuses options that contradict the algorithm or each other.
pub(super) fn check(flags: &CheckFlags) -> Result<(), ToolError> {
    refused_by_the_algorithm(flags)?;
    let name = flags.algorithm.name();
    let bounded = flags.preemptions.is_some();
    if flags.algorithm.first().description().needs_bound() && !bounded {
        return Err(ToolError::new(format!("--algorithm {name} needs a bound: --preemptions N or 0..N")));
    }
    if is_shared(flags) && bounded {
        return Err(ToolError::new(
            "-j, --checkpoint and --resume cannot be combined with --preemptions: a bounded search \
             is not divided",
        ));
    }
    options_of_some(flags)?;
    let partly = matches!(flags.plain_accesses, Some(PlainAccessesName::Sync | PlainAccessesName::Racy));
    if partly && flags.local_states == Some(LocalStatesName::Delta) {
        return Err(ToolError::new(
            "--local-states delta needs --plain-accesses all: its deltas are those between operations, and every access \
             that may be shared has to be one",
        ));
    }
    if flags.symmetry && partly {
        return Err(ToolError::new(
            "--symmetry needs --plain-accesses all: races with accesses that are no operations of their own show in the \
             history of a run only, which symmetric threads do not share",
        ));
    }
    if flags.symmetry && flags.uninitialised {
        return Err(ToolError::new(
            "--symmetry cannot be combined with --uninitialised: threads are compared by what their memory holds, not by \
             whether that was initialised",
        ));
    }
    of_shared_states(flags, partly)?;
    of_races(flags)
}

/// Refuses guests that share explored states, each of which knows `partly` which accesses have to be operations.
fn of_shared_states(flags: &CheckFlags, partly: bool) -> Result<(), ToolError> {
    if partly && flags.workers() > 1 && flags.algorithm.first().description().sharing == SearchSharing::States {
        return Err(ToolError::new(format!(
            "-j with --algorithm {} needs --plain-accesses all: which accesses are always ordered shows in all \
             executions together, and each process sees its own",
            flags.algorithm.name()
        )));
    }
    Ok(())
}

/// Refuses searches that the ranks of a cluster cannot share.
pub(super) fn on_a_cluster(flags: &CheckFlags) -> Result<(), ToolError> {
    if flags.preemptions.is_some() {
        return Err(ToolError::new("--preemptions is not for inspect-mpi: a bounded search is not divided"));
    }
    let Err(why) = flags.algorithm.first().description().sharing.division() else { return Ok(()) };
    let others = CATALOGUE.iter().filter(|row| row.sharing == SearchSharing::Divided).map(|row| row.name);
    let (name, others) = (flags.algorithm.name(), others.collect::<Vec<_>>().join(", "));
    Err(ToolError::new(format!(
        "--algorithm {name} is not for inspect-mpi: {why}\n  algorithms that it goes with: {others}"
    )))
}

/// Whether a program that has this can find uses of uninitialised memory as well.
pub(super) fn goes_with_uninitialised(requirement: Requirement) -> Combination {
    match requirement {
        Requirement::Hooks | Requirement::Facts => Ok(()),
        Requirement::FrameRecords => Err("the programs that it searches begin all variables as zeros"),
    }
}

/// Refuses what changes which races there are with searches that rely on them.
fn of_races(flags: &CheckFlags) -> Result<(), ToolError> {
    let pdp = flags.algorithm.first() == Algorithm::Pdp;
    if flags.races_in.is_some() && flags.plain_accesses == Some(PlainAccessesName::Sync) {
        return Err(ToolError::new(
            "--races-in cannot be combined with --plain-accesses sync, which does not explore what follows from a race",
        ));
    }
    if flags.races_in.is_some() && pdp {
        return Err(ToolError::new(
            "--races-in is not for --algorithm pdp, which leaves out what follows from a race and cannot lead to another",
        ));
    }
    if flags.volatile != VolatileName::Plain && pdp {
        return Err(ToolError::new(
            "--volatile is not for --algorithm pdp: the static facts that it goes by describe volatile accesses as plain",
        ));
    }
    Ok(())
}

/// An option, whether it was given, and which algorithms have it.
type OptionOfSome = (&'static str, bool, fn(Algorithm) -> bool);

/// Refuses options that are for some searches only with the others.
fn options_of_some(flags: &CheckFlags) -> Result<(), ToolError> {
    let samples = |algorithm: Algorithm| algorithm.description().samples();
    let options: [OptionOfSome; 4] = [
        ("--runs", flags.runs.is_some(), samples),
        ("--pct-depth", flags.pct_depth.is_some(), |algorithm| algorithm == Algorithm::Pct),
        ("--backtrack-sets", flags.backtrack_sets.is_some(), |algorithm| algorithm == Algorithm::Ddpor),
        ("--delays", flags.delays.is_some(), |algorithm| algorithm == Algorithm::Delay),
    ];
    for (option, given, is_for) in options {
        if given && !is_for(flags.algorithm.first()) {
            let name = flags.algorithm.name();
            let others = Algorithm::ALL.iter().filter(|other| is_for(**other)).map(|other| other.name());
            let others = others.collect::<Vec<_>>().join(", ");
            return Err(ToolError::new(format!("{option} is not for --algorithm {name}: it is for {others}")));
        }
    }
    Ok(())
}

/// Whether the search may be made by several processes.
fn is_shared(flags: &CheckFlags) -> bool {
    flags.workers() > 1 || is_kept(flags)
}

/// Whether the search may be taken up again by another process.
fn is_kept(flags: &CheckFlags) -> bool {
    flags.checkpoint.is_some() || flags.resume.is_some()
}

/// An option, whether it was given, and whether an algorithm can be combined with it.
type Asked = (&'static str, bool, fn(&AlgorithmRow) -> Combination);

fn refused_by_the_algorithm(flags: &CheckFlags) -> Result<(), ToolError> {
    let sync = flags.plain_accesses == Some(PlainAccessesName::Sync);
    let options: [Asked; 8] = [
        ("--preemptions", flags.preemptions.is_some(), AlgorithmRow::bound),
        ("-j", flags.workers() > 1, |row| row.sharing.among_guests()),
        ("--checkpoint or --resume", is_kept(flags), |row| row.sharing.division()),
        ("--symmetry", flags.symmetry, |row| row.symmetry),
        ("--mode fork", flags.mode == ModeName::Fork, |row| row.fork),
        ("--plain-accesses sync", sync, |row| row.sync),
        ("--local-states", flags.local_states.is_some(), |row| row.local_states),
        ("--uninitialised", flags.uninitialised, |row| goes_with_uninitialised(row.requires)),
    ];
    for (option, asked, answer) in options {
        if let (true, Err(why)) = (asked, answer(flags.algorithm.first().description())) {
            let name = flags.algorithm.name();
            let others = CATALOGUE.iter().filter(|row| answer(row).is_ok()).map(|row| row.name);
            let others = others.collect::<Vec<_>>().join(", ");
            return Err(ToolError::new(format!(
                "{option} is not for --algorithm {name}: {why}\n  algorithms that it goes with: {others}"
            )));
        }
    }
    Ok(())
}
