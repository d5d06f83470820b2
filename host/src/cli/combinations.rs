//! Which options go with which algorithm. All refusals are made here, in one table; the rest of the program sees only
//! combinations that are sound.

use super::config::{algorithm, algorithm_name};
use super::flags::{AlgorithmName, CheckFlags, LocalStatesName, ModeName, PlainAccessesName};
use crate::error::ToolError;

/// What an option finds with an algorithm: nothing against it, or the reason why it is refused.
type Answer = Result<(), &'static str>;

/// What can be combined with an algorithm.
struct Supports {
    /// `--preemptions`, and whether there has to be one.
    preemptions: Answer,
    needs_preemptions: bool,
    /// `-j`, `--checkpoint` and `--resume`.
    sharing: Answer,
    symmetry: Answer,
    fork: Answer,
    /// `--plain-accesses sync`.
    sync: Answer,
    local_states: Answer,
}

const NOT_BOUNDED: Answer =
    Err("it has no form with a bound; the default search, bpor, cb-por, cb-por-basic and cb-dfs have");
const NOT_DIVISIBLE: Answer =
    Err("a search that can be divided is needed: --algorithm optimal or ddpor, without --preemptions");
const NO_TWINS: Answer = Err(
    "a search with backtrack sets is needed, --algorithm dpor or source without --preemptions: for the others it is not \
     proved that no interleaving is lost",
);

/// An algorithm that plain searches resemble: no bound, one process, threads told apart, everything else free.
const PLAIN: Supports = Supports {
    preemptions: NOT_BOUNDED,
    needs_preemptions: false,
    sharing: NOT_DIVISIBLE,
    symmetry: NO_TWINS,
    fork: Ok(()),
    sync: Ok(()),
    local_states: Err("only --algorithm stateful compares local states"),
};

fn supports(algorithm: AlgorithmName) -> Supports {
    match algorithm {
        AlgorithmName::Optimal => Supports { preemptions: Ok(()), sharing: Ok(()), ..PLAIN },
        AlgorithmName::Source | AlgorithmName::Dpor => Supports { symmetry: Ok(()), ..PLAIN },
        AlgorithmName::Ddpor => Supports { sharing: Ok(()), ..PLAIN },
        AlgorithmName::Flip | AlgorithmName::Dfs => PLAIN,
        AlgorithmName::Pdp => Supports { preemptions: Err("what is pruned is not counted in preemptions"), ..PLAIN },
        AlgorithmName::CbDfs | AlgorithmName::CbPorBasic | AlgorithmName::CbPor | AlgorithmName::Bpor => {
            Supports { preemptions: Ok(()), needs_preemptions: true, ..PLAIN }
        }
        AlgorithmName::Stateful => Supports {
            preemptions: Err("how many preemptions are left depends on how a state was reached"),
            sharing: Err("what was explored below a state is known to one process only"),
            fork: Err("there no process sees more than one execution, and none could know a state again"),
            sync: Err(
                "it needs --plain-accesses all or racy: whether accesses that are no scheduling points race depends on how a \
                 state was reached",
            ),
            local_states: Ok(()),
            ..PLAIN
        },
    }
}

/// Refuses options that contradict the algorithm or each other.
pub(super) fn check(flags: &CheckFlags) -> Result<(), ToolError> {
    let supports = supports(flags.algorithm);
    let name = algorithm_name(algorithm(flags.algorithm));
    let refuse = |asked: bool, option: &str, answer: Answer| match answer {
        Err(why) if asked => Err(ToolError::new(format!("{option} is not for --algorithm {name}: {why}"))),
        _ => Ok(()),
    };
    let bounded = flags.preemptions.is_some();
    let shared = flags.jobs > 1 || flags.checkpoint.is_some() || flags.resume.is_some();
    let partly = matches!(flags.plain_accesses, Some(PlainAccessesName::Sync | PlainAccessesName::Racy));
    refuse(bounded, "--preemptions", supports.preemptions)?;
    refuse(shared, "-j, --checkpoint or --resume", supports.sharing)?;
    refuse(flags.symmetry, "--symmetry", supports.symmetry)?;
    refuse(flags.mode == ModeName::Fork, "--mode fork", supports.fork)?;
    let sync = flags.plain_accesses == Some(PlainAccessesName::Sync);
    refuse(sync, "--plain-accesses sync", supports.sync)?;
    refuse(flags.local_states.is_some(), "--local-states", supports.local_states)?;
    if supports.needs_preemptions && !bounded {
        return Err(ToolError::new(format!("--algorithm {name} needs a bound: --preemptions N or 0..N")));
    }
    if shared && bounded {
        return Err(ToolError::new(
            "-j, --checkpoint and --resume cannot be combined with --preemptions: a bounded search \
             is not divided",
        ));
    }
    if partly && flags.local_states == Some(LocalStatesName::Delta) {
        return Err(ToolError::new(
            "--local-states delta needs --plain-accesses all: its deltas are those between operations, and every access \
             that may be shared has to be one",
        ));
    }
    if flags.symmetry && partly {
        return Err(ToolError::new(
            "--symmetry needs --plain-accesses all: races with accesses that are no operations of their own show in the \
             history of a run only, which threads that are alike do not share",
        ));
    }
    Ok(())
}
