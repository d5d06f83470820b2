//! `inspect-mpi`: `inspect check` on a cluster. Each of its processes, which mpirun or srun starts, is a rank; what
//! they do is `inspect_host`'s business (`search::cluster`), and how they speak is this crate's.
#![forbid(unsafe_code)]

mod messenger;

use inspect_host::cli::cluster::lead;
use inspect_host::cli::restarts::{is_for_restarts, restart};
use inspect_host::run::Interrupt;
use inspect_host::search::cluster::serve;
use messenger::Mpi;
use mpi::Threading;
use mpi::topology::Communicator;
use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Exit status for failures of the tool.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if is_for_restarts(&args) {
        // This process starts the ranks, and is none.
        return restart(args);
    }
    // Only the thread that runs this function calls MPI.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        return fail("MPI cannot be initialised");
    };
    if threading < Threading::Funneled {
        return fail("this MPI does not permit threads");
    }
    let world = universe.world();
    let mut messenger = Mpi::new(universe.world());
    let work = || {
        if world.rank() == 0 {
            return lead(args, Box::new(messenger));
        }
        // Launchers send their signals to all ranks; what comes of them is the leader's decision.
        match Interrupt::install() {
            Ok(_) => {
                serve(&mut messenger);
                ExitCode::SUCCESS
            }
            Err(error) => fail(&format!("cannot listen for signals: {error}")),
        }
    };
    // The others would wait for this rank for ever.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| world.abort(FAILED.into()))
}

fn fail(what: &str) -> ExitCode {
    // Nothing is left to do if standard error is gone.
    let _ = writeln!(std::io::stderr(), "inspect-mpi: {what}");
    ExitCode::from(FAILED)
}
