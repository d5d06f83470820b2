//! `inspect-mpi --restarts N LAUNCHER ...`: a search on a cluster that outlives the loss of a rank. MPI ends the whole
//! job then; this process, which is no rank, starts the same command again, and the search goes on from its checkpoint.
//!
//! Launchers may change the exit status of the job: it does not say whether a rank was lost. So the leader is told to
//! write its status to a file when it ends, and a job that has not written one has been lost. Some launchers also write
//! to standard output what they have to say: the report comes in a file as well, and what they say goes to standard
//! error.

use super::FAILED;
use super::cluster::{default_checkpoint, report_file};
use super::flags::{ClusterFlags, RestartFlags};
use super::print::print;
use crate::error::{ToolError, plain};
use clap::Parser;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, SystemTime};

/// How long ranks of a lost job have to notice that before the next job begins.
const PAUSE: Duration = Duration::from_secs(1);
/// The pause between two looks whether the job has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Whether a command line of `inspect-mpi` is for [`restart`].
pub fn is_for_restarts(args: &[OsString]) -> bool {
    let first = args.get(1).and_then(|arg| arg.to_str());
    first.is_some_and(|first| first == "--restarts" || first.starts_with("--restarts="))
}

/// Starts the launcher, and starts it again as often as it may be, until the search has ended.
pub fn restart(args: Vec<OsString>) -> ExitCode {
    let flags = match RestartFlags::try_parse_from(args) {
        Ok(flags) => flags,
        Err(error) => return wrong_usage(&error),
    };
    let search = match Search::read(&flags.launcher) {
        Ok(search) => search,
        Err(WrongCommand::Tool(error)) => return fail(&error.to_string()),
        Err(WrongCommand::Flags(error)) => return wrong_usage(&error),
    };
    search.run(flags.restarts).unwrap_or_else(|error| fail(&error.to_string()))
}

fn wrong_usage(error: &clap::Error) -> ExitCode {
    // Nothing is left to do if the terminal is gone.
    let _ = error.print();
    ExitCode::from(error.exit_code().unsigned_abs() as u8)
}

fn say(what: &str) {
    // Nothing is left to do if standard error is gone.
    let _ = writeln!(std::io::stderr(), "inspect-mpi: {what}");
}

fn fail(what: &str) -> ExitCode {
    say(what);
    ExitCode::from(FAILED)
}

/// Why a command cannot be started again.
#[derive(Debug)]
enum WrongCommand {
    Tool(ToolError),
    Flags(clap::Error),
}

/// A command that starts a search on a cluster.
#[derive(Debug)]
struct Search {
    /// The launcher and its options, up to the word `check`.
    launcher: Vec<OsString>,
    /// What comes after it.
    rest: Vec<OsString>,
    /// Where the search keeps what it has done.
    checkpoint: PathBuf,
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JobEnd {
    /// The search has ended with this status.
    Answered(u8),
    /// Somebody has asked for the end.
    Stopped,
    /// A rank was lost, or the launcher.
    Lost(ExitStatus),
}

impl Search {
    /// Finds the search in the command line of a launcher. The flags of the first `inspect-mpi check` are those of rank
    /// 0, which alone reads them.
    fn read(words: &[OsString]) -> Result<Search, WrongCommand> {
        let is_ours = |word: &OsString| Path::new(word).file_name() == Some(OsStr::new("inspect-mpi"));
        let found = words.windows(2).position(|pair| is_ours(&pair[0]) && pair[1] == "check");
        let Some(at) = found else {
            let what = "--restarts needs the command that starts the ranks: mpirun -n 4 inspect-mpi check ...";
            return Err(WrongCommand::Tool(ToolError::new(what)));
        };
        let of_rank_0 = words[at..].iter().take_while(|word| *word != ":").cloned();
        let (flags, _) = ClusterFlags::read(of_rank_0.collect()).map_err(WrongCommand::Flags)?;
        let said = flags.check.checkpoint.clone().or(flags.check.resume.clone());
        Ok(Search {
            launcher: words[..at + 2].to_vec(),
            rest: words[at + 2..].to_vec(),
            checkpoint: said.unwrap_or_else(|| default_checkpoint(&flags.check)),
        })
    }

    /// The command: the user's, with the file for the status and, once there is something to go on from, the
    /// checkpoint. Of two `--resume`, the last one holds, and the user's own come later.
    fn command(&self, status: &Path, resume: bool) -> Command {
        let mut command = Command::new(&self.launcher[0]);
        command.args(&self.launcher[1..]).arg("--status-file").arg(status);
        if !resume {
            command.args(&self.rest);
            return command;
        }
        command.arg("--resume").arg(&self.checkpoint);
        command.args(without_resume(&self.rest));
        command
    }

    fn run(&self, restarts: u32) -> Result<ExitCode, ToolError> {
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| failed("signals", &error))?;
        let (mut resume, mut lost_jobs) = (false, Vec::new());
        for left in (0..=restarts).rev() {
            // Each job has a file of its own: what is left of a lost job may still write to that of its own.
            let status = self.status_file(left)?;
            let before = written(&self.checkpoint);
            let job = self.command(&status, resume).stdout(std::io::stderr()).spawn();
            let job = job.map_err(|error| failed(&self.launcher[0].display().to_string(), &error))?;
            let end = wait(job, &mut signals, &status)?;
            let report = take(&report_file(&status));
            let lost = match end {
                JobEnd::Answered(FAILED) => return late_answer(&lost_jobs).unwrap_or_else(|| answer(FAILED, report)),
                JobEnd::Answered(code) => return answer(code, report),
                JobEnd::Stopped => {
                    say(&format!("stopped; --resume {} goes on", self.checkpoint.display()));
                    return Ok(ExitCode::from(FAILED));
                }
                JobEnd::Lost(lost) => lost,
            };
            // What an earlier search has left there is not what this one goes on from.
            resume |= written(&self.checkpoint) != before && self.checkpoint.exists();
            if !resume {
                return Err(ToolError::new(format!("the job has ended before the search began ({lost})")));
            }
            lost_jobs.push(status);
            std::thread::sleep(PAUSE);
            if let Some(answer) = late_answer(&lost_jobs) {
                return answer;
            }
            let file = self.checkpoint.display();
            if left == 0 {
                let lost = format!("the job was lost once more ({lost}), and no restart is left");
                return Err(ToolError::new(format!("{lost}: --resume {file} goes on")));
            }
            say(&format!("the job was lost ({lost}): going on from {file}, {} restarts left", left - 1));
        }
        unreachable!("the last round returns");
    }

    /// The file for the status, beside the checkpoint: all nodes on which rank 0 may be see both.
    /// Neither it nor the report is there yet, as what an earlier process of this number has left is not this job's.
    fn status_file(&self, left: u32) -> Result<PathBuf, ToolError> {
        let mut name = self.checkpoint.file_name().unwrap_or(OsStr::new("search")).to_owned();
        name.push(format!(".status-{}-{left}", std::process::id()));
        let file = std::path::absolute(self.checkpoint.with_file_name(name));
        let file = file.map_err(|error| failed(&self.checkpoint.display().to_string(), &error))?;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| failed(&folder.display().to_string(), &error))?;
        }
        remove(&file)?;
        remove(&report_file(&file))?;
        Ok(file)
    }
}

/// The answer of a job that was taken for lost. Where the launcher alone was killed, the ranks live on for a moment, in
/// which the leader may end the search and remove its checkpoint.
fn late_answer(lost_jobs: &[PathBuf]) -> Option<Result<ExitCode, ToolError>> {
    let ended = |status: &PathBuf| Some((status_in(status)?, take(&report_file(status))));
    let mut answers = lost_jobs.iter().filter_map(ended).filter(|(code, _)| *code != FAILED);
    answers.next().map(|(code, report)| answer(code, report))
}

/// The status of the leader, once it has written it to this file, which is removed.
fn status_in(file: &Path) -> Option<u8> {
    let code = std::fs::read_to_string(file).ok()?.trim().parse().ok()?;
    take(file);
    Some(code)
}

/// Prints the report of a search that has ended with this status. Only a search that could not be made has none.
fn answer(code: u8, report: Option<String>) -> Result<ExitCode, ToolError> {
    match report {
        Some(report) => print(&report)?,
        None if code == FAILED => {}
        None => return Err(ToolError::new("the search has ended, but its report is not there")),
    }
    Ok(ExitCode::from(code))
}

/// Removes a file if it is there.
fn remove(file: &Path) -> Result<(), ToolError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(&file.display().to_string(), &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The contents of a file, which is removed; None if it is not there.
fn take(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok();
    // It may not be there.
    let _ = std::fs::remove_file(file);
    text
}

fn failed(what: &str, error: &std::io::Error) -> ToolError {
    ToolError::new(format!("{what}: {}", plain(error)))
}

/// The arguments without a `--resume` of their own. What comes after `--` is the program's.
fn without_resume(args: &[OsString]) -> Vec<OsString> {
    let own = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let mut kept = Vec::new();
    let mut words = args[..own].iter();
    while let Some(word) = words.next() {
        if word == "--resume" {
            words.next();
        } else if !word.to_string_lossy().starts_with("--resume=") {
            kept.push(word.clone());
        }
    }
    kept.extend_from_slice(&args[own..]);
    kept
}

/// When the file was written last.
fn written(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|about| about.modified()).ok()
}

/// Waits until the job has ended. The terminal sends SIGINT to the launcher as well; a batch system may send SIGTERM to
/// this process alone.
fn wait(mut job: Child, signals: &mut Signals, status: &Path) -> Result<JobEnd, ToolError> {
    let mut stopped = false;
    let exit = loop {
        for signal in signals.pending() {
            stopped = true;
            if signal == SIGTERM {
                // The job has not been waited for, so the number is its own.
                let _over = kill(Pid::from_raw(job.id() as i32), Signal::SIGTERM);
            }
        }
        if let Some(exit) = job.try_wait().map_err(|error| failed("the launcher", &error))? {
            break exit;
        }
        std::thread::sleep(LOOK);
    };
    // There is none if the job was lost.
    Ok(match status_in(status) {
        Some(code) => JobEnd::Answered(code),
        None if stopped => JobEnd::Stopped,
        None => JobEnd::Lost(exit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn line(command: &Command) -> String {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    fn resumed(text: &str) -> String {
        line(&Search::read(&words(text)).expect("a search").command(Path::new("/s"), true))
    }

    #[test]
    fn the_same_command_goes_on_from_the_checkpoint() {
        assert_eq!(
            resumed("mpirun -n 4 /bin/inspect-mpi check ./prog -j 1 -- --resume x"),
            "mpirun -n 4 /bin/inspect-mpi check --status-file /s --resume inspect-out/prog.checkpoint ./prog -j 1 -- \
             --resume x"
        );
        assert_eq!(
            resumed("srun inspect-mpi check --checkpoint c ./prog"),
            "srun inspect-mpi check --status-file /s --resume c --checkpoint c ./prog"
        );
        assert_eq!(
            resumed("srun inspect-mpi check --resume r --checkpoint c ./prog"),
            "srun inspect-mpi check --status-file /s --resume c --checkpoint c ./prog"
        );
        assert_eq!(
            resumed("srun inspect-mpi check ./prog --resume=r : -n 2 inspect-mpi check ./prog"),
            "srun inspect-mpi check --status-file /s --resume r ./prog : -n 2 inspect-mpi check ./prog"
        );
    }

    #[test]
    fn a_first_job_is_what_the_user_wrote() {
        let search = Search::read(&words("mpirun inspect-mpi check --resume r ./prog")).expect("a search");
        let first = line(&search.command(Path::new("/s"), false));
        assert_eq!(first, "mpirun inspect-mpi check --status-file /s --resume r ./prog");
    }

    #[test]
    fn a_command_without_a_search_is_refused() {
        assert!(matches!(Search::read(&words("mpirun -n 4 ./prog")), Err(WrongCommand::Tool(_))));
        let unknown = Search::read(&words("mpirun inspect-mpi check --no-such ./prog"));
        assert!(matches!(unknown, Err(WrongCommand::Flags(_))));
    }

    /// A status that is not the job's own would be taken for its answer.
    #[test]
    fn a_status_that_was_left_is_not_that_of_a_job() {
        let home = tempfile::tempdir().expect("a folder");
        let checkpoint = home.path().join("c").display().to_string();
        let search = Search::read(&words(&format!("mpirun inspect-mpi check --checkpoint {checkpoint} ./prog")));
        let search = search.expect("a search");
        let file = search.status_file(1).expect("a name");
        for left in [&file, &report_file(&file)] {
            std::fs::write(left, "0\n").expect("written");
        }
        assert_eq!(search.status_file(1).expect("a name"), file);
        assert!(!file.exists() && !report_file(&file).exists());
        assert_ne!(search.status_file(0).expect("a name"), file);
    }

    #[test]
    fn the_answer_of_a_job_that_was_taken_for_lost_is_an_answer() {
        let home = tempfile::tempdir().expect("a folder");
        let lost_jobs = ["a", "b", "c"].map(|name| home.path().join(name));
        assert!(late_answer(&lost_jobs).is_none());
        std::fs::write(&lost_jobs[0], format!("{FAILED}\n")).expect("written");
        assert!(late_answer(&lost_jobs).is_none(), "a job that was lost may say that it has failed");
        std::fs::write(&lost_jobs[2], "").expect("written");
        assert!(late_answer(&lost_jobs).is_none(), "it is just being written");
        std::fs::write(&lost_jobs[1], "3\n").expect("written");
        std::fs::write(report_file(&lost_jobs[1]), "").expect("written");
        let answer = late_answer(&lost_jobs).expect("an answer").expect("with a report");
        assert_eq!(format!("{answer:?}"), format!("{:?}", ExitCode::from(3)));
        assert!(!lost_jobs[1].exists() && !report_file(&lost_jobs[1]).exists());
    }

    /// The status alone would be taken for a search that has found nothing to say.
    #[test]
    fn an_answer_without_its_report_is_an_error() {
        assert!(answer(0, None).is_err());
        assert!(answer(1, None).is_err());
        assert!(answer(0, Some(String::new())).is_ok());
        assert!(answer(FAILED, None).is_ok(), "what has failed says so on standard error");
    }

    #[test]
    fn restarts_are_asked_for_first() {
        assert!(is_for_restarts(&words("inspect-mpi --restarts 3 mpirun")));
        assert!(is_for_restarts(&words("inspect-mpi --restarts=3 mpirun")));
        assert!(!is_for_restarts(&words("inspect-mpi check ./prog -- --restarts 3")));
    }
}
