//! `inspect-mpi check`: what rank 0 does. The other ranks are told by it.
//!
//! A search on a cluster is kept in a file, also if the user does not say in which one: the loss of a rank ends the
//! whole job. So `--algorithm auto` is the exhaustive search alone, as it is with `--checkpoint`.

use super::build::name_of;
use super::check::check;
use super::combinations::on_a_cluster;
use super::config::{Config, Surroundings};
use super::flags::{CheckFlags, ClusterFlags};
use super::{FAILED, supported};
use crate::error::{ToolError, plain};
use crate::report::progress::ProgressKind;
use crate::search::cluster::{Cluster, MessageCount, Messenger, Traffic};
use crate::verdict::Verdict;
use nix::sys::resource::{UsageWho, getrusage};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Beginnings of the names of variables by which launchers speak to their processes. Their values differ from rank to
/// rank and from job to job, and the program under test is to have the same environment in all of them.
const OF_LAUNCHERS: [&str; 10] =
    ["OMPI_", "OPAL_", "ORTE_", "PRTE_", "PMIX_", "PMI_", "HYDI_", "HYDRA_", "MPI_LOCAL", "SLURM_"];

/// Runs the command `args`, whose first element is the name it was called by, on the ranks that `messenger` leads to.
pub fn lead(args: Vec<OsString>, messenger: Box<dyn Messenger>) -> ExitCode {
    let (flags, guests) = match ClusterFlags::read(args) {
        Ok(read) => read,
        Err(error) => {
            Cluster::new(messenger, None).quit();
            // Help is no error. Nothing is left to do if the terminal is gone.
            let _ = error.print();
            return ExitCode::from(error.exit_code().unsigned_abs() as u8);
        }
    };
    let cluster = Cluster::new(messenger, guests);
    let report = flags.status_file.as_deref().map(report_file);
    let result = supported().and_then(|()| check_shared(flags.check, report, &cluster));
    cluster.quit();
    if flags.traffic {
        // As with the error below.
        let _ = std::io::stderr().write_all(in_words(&cluster.traffic()).as_bytes());
    }
    let status = result.unwrap_or_else(|error| {
        // Nothing is left to do if standard error is gone too.
        let _ = writeln!(std::io::stderr(), "inspect-mpi: {error}");
        FAILED
    });
    if let Some(Err(error)) = flags.status_file.map(|file| std::fs::write(file, format!("{status}\n"))) {
        // As above.
        let _ = writeln!(std::io::stderr(), "inspect-mpi: the file for the status: {}", plain(&error));
    }
    ExitCode::from(status)
}

/// Where the report goes if the exit status goes to this file.
pub(super) fn report_file(status: &Path) -> PathBuf {
    let mut name = status.as_os_str().to_owned();
    name.push(".report");
    name.into()
}

fn check_shared(flags: CheckFlags, report: Option<PathBuf>, cluster: &Cluster) -> Result<u8, ToolError> {
    on_a_cluster(&flags)?;
    let default = default_checkpoint(&flags);
    let begins = flags.checkpoint.is_none() && flags.resume.is_none();
    let goes_on = flags.checkpoint.is_none() && flags.resume.as_ref() == Some(&default);
    let checkpoint = flags.checkpoint.clone().or(begins.then(|| default.clone()));
    // Launchers carry what ranks write to the user's terminal, or to a file: the rank itself cannot know.
    let plain = Surroundings { colour: false, progress: ProgressKind::Lines };
    let mut config = Config::resolve(CheckFlags { checkpoint, ..flags }, plain)?;
    config.files.report = report;
    config.environment = Some(environment());
    (config.options.workers, config.options.cluster) = (cluster.size(), Some(cluster.clone()));
    if begins {
        make_room(&default)?;
    }
    let status = check(&config)?;
    if (begins || goes_on) && status != Verdict::Inconclusive(Vec::new()).exit_code() {
        // A search that is settled is not resumed. A file that cannot be removed does no harm.
        let _ = std::fs::remove_file(default);
    }
    Ok(status)
}

/// Where the checkpoint is kept unless the user says it: beside the schedules.
pub(super) fn default_checkpoint(flags: &CheckFlags) -> PathBuf {
    let name = flags.inputs.first().map_or_else(|| "program".to_owned(), |input| name_of(input));
    flags.out.join(format!("{name}.checkpoint"))
}

/// Moves the checkpoint of an earlier search out of the way, which may be worth resuming.
fn make_room(path: &Path) -> Result<(), ToolError> {
    let fail = |error: std::io::Error| ToolError::new(format!("{}: {}", path.display(), plain(&error)));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    if path.exists() {
        let old = path.with_extension("checkpoint.old");
        std::fs::rename(path, &old).map_err(fail)?;
        let old = old.display();
        // Nothing is left to do if standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "inspect-mpi: an earlier search was not settled; its checkpoint is {old} now (--resume goes on with it)"
        );
    }
    Ok(())
}

/// The environment that the program has in all ranks.
fn environment() -> Vec<(OsString, OsString)> {
    let is_of_launcher =
        |name: &OsString| OF_LAUNCHERS.iter().any(|start| name.as_bytes().starts_with(start.as_bytes()));
    std::env::vars_os().filter(|(name, _)| !is_of_launcher(name)).collect()
}

/// What was sent, a line for each kind, and what it has cost this process.
fn in_words(traffic: &Traffic) -> String {
    let line = |what: &str, sent: MessageCount| {
        format!("inspect-mpi: {what}: {} messages, {} bytes, {} items\n", sent.messages, sent.bytes, sent.items)
    };
    let mut text = line("packages", traffic.packages);
    text.push_str(&line("commits", traffic.commits));
    text.push_str(&line("others", traffic.others));
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) {
        let time = |of: nix::sys::time::TimeVal| of.tv_sec() as f64 + of.tv_usec() as f64 / 1e6;
        let seconds = time(usage.user_time()) + time(usage.system_time());
        text.push_str(&format!("inspect-mpi: the leader has had a processor for {seconds:.2} s\n"));
    }
    text
}
