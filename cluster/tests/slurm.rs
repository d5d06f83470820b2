//! The example of a batch job, under a Slurm of one node on this machine. It is skipped, and says so, where Slurm's
//! programs are not there or cannot be started.

mod common;

use common::*;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Slurm's daemons and the one that vouches for users. They end with this.
struct Slurm {
    folder: TempDir,
    daemons: Vec<Child>,
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for mut daemon in self.daemons.drain(..).rev() {
            signal(daemon.id(), "-TERM");
            let _ = daemon.wait();
        }
    }
}

impl Slurm {
    /// Starts them; what is missing otherwise.
    fn start() -> Result<Slurm, String> {
        let mut slurm = Slurm { folder: TempDir::new().expect("a temporary directory"), daemons: Vec::new() };
        let folder = slurm.folder.path().to_path_buf();
        for name in ["state", "spool"] {
            std::fs::create_dir(folder.join(name)).expect("a folder");
        }
        std::fs::write(folder.join("slurm.conf"), configuration(&folder)).expect("written");
        std::fs::write(folder.join("key"), [7; 64]).expect("written");
        let key = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(folder.join("key"), key).expect("it may be changed");
        let at = |option: &str, name: &str| format!("--{option}={}", folder.join(name).display());
        let munge = [
            at("key-file", "key"),
            at("socket", "munge"),
            at("pid-file", "munge.pid"),
            at("log-file", "munge.log"),
            at("seed-file", "munge.seed"),
        ];
        slurm.daemon(Command::new("munged").args(["--foreground", "--force"]).args(munge))?;
        let waits = |socket: &Path| (0..50).all(|_| !socket.exists() && pause(100));
        if waits(&folder.join("munge")) {
            return Err("munged does not listen".to_owned());
        }
        for daemon in ["slurmctld", "slurmd"] {
            slurm.daemon(Command::new(daemon).arg("-D").env("SLURM_CONF", folder.join("slurm.conf")))?;
        }
        let is_up = || String::from_utf8_lossy(&slurm.run("sinfo", &["-h", "-o", "%t"]).stdout).contains("idle");
        let until = Instant::now() + Duration::from_secs(20);
        while !is_up() {
            if Instant::now() > until {
                return Err("no node comes up".to_owned());
            }
            pause(200);
        }
        Ok(slurm)
    }

    fn daemon(&mut self, command: &mut Command) -> Result<(), String> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let daemon = quiet.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        self.daemons.push(daemon);
        Ok(())
    }

    /// Runs a command of Slurm's to its end.
    fn run(&self, name: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(name);
        command.args(arguments).env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs the example with these options of sbatch, for this program and its options. Returns what it has written.
    fn batch(&self, options: &[&str], program: &Program, of_search: &[&str]) -> String {
        let script = repository().join("cluster/slurm/inspect.sbatch");
        let (script, written) = (script.display().to_string(), program.path("written").display().to_string());
        let folder = program.folder.path().display().to_string();
        let tools = tool("inspect-mpi").parent().expect("a folder").display().to_string();
        let path = format!("{tools}:{}", std::env::var("PATH").unwrap_or_default());
        let export = format!("--export=PATH={path},SLURM_CONF={}", self.folder.path().join("slurm.conf").display());
        let mut words = vec!["--wait", "--overcommit", "--chdir", &folder, "--output", &written, &export];
        words.extend(options);
        words.extend([script.as_str(), "./program", "--json", "--quiet", "-j", "1"]);
        words.extend(of_search);
        let batch = self.run("sbatch", &words);
        let text = std::fs::read_to_string(&written).unwrap_or_default();
        assert!(text.contains("\"verdict\""), "{batch:?}: {text}");
        text
    }
}

/// Waits so many milliseconds.
fn pause(milliseconds: u64) -> bool {
    std::thread::sleep(Duration::from_millis(milliseconds));
    true
}

fn configuration(folder: &Path) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().split('.').next().unwrap_or_default().to_owned();
    let at = folder.display();
    format!(
        "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort=26817\nSlurmdPort=26818\n\
         AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket={at}/munge\nSlurmUser=root\nSlurmdUser=root\n\
         StateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\nSlurmctldPidFile={at}/ctld.pid\n\
         SlurmdPidFile={at}/d.pid\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
         SelectType=select/cons_tres\nSlurmdParameters=config_overrides\nKillWait=5\nReturnToService=2\nNodeName={host} NodeAddr=127.0.0.1 CPUs=4\n\
         PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES\n"
    )
}

/// The report in what a job has written.
fn report_in(text: &str) -> serde_json::Value {
    let object = text.find('{').map_or("", |start| &text[start..]);
    let first = serde_json::Deserializer::from_str(object).into_iter().next();
    first.and_then(Result::ok).unwrap_or_else(|| panic!("no report: {text}"))
}

#[test]
fn a_batch_job_searches_is_terminated_and_goes_on() {
    let slurm = match Slurm::start() {
        Ok(slurm) => slurm,
        Err(why) => {
            println!("skipped: no Slurm can be started here: {why}");
            return;
        }
    };
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=15"]);
    let alone = program.alone(&[]);
    let job = report_in(&slurm.batch(&["--ntasks=2", "--cpus-per-task=1"], &program, &[]));
    assert_eq!(result(&job), result(&alone), "{job}");
    // As near the end of its time: Slurm sends SIGTERM to the ranks.
    let long = Program::compile("corpus/papers/indexer/prog.c", &["N=19"]);
    let cut = std::thread::scope(|scope| {
        let cut = scope.spawn(|| slurm.batch(&["--ntasks=2", "--cpus-per-task=1", "--job-name=long"], &long, &[]));
        let checkpoint = long.path("inspect-out/program.checkpoint");
        let until = Instant::now() + Duration::from_secs(30);
        while !checkpoint.exists() && Instant::now() < until {
            pause(50);
        }
        pause(1500);
        slurm.run("scancel", &["--signal=TERM", "--name=long"]);
        report_in(&cut.join().expect("the job ends"))
    });
    assert_eq!(cut["verdict"], "inconclusive", "{cut}");
    assert!(cut["executions"].as_u64() > Some(0), "{cut}");
    let options = ["--resume", "inspect-out/program.checkpoint", "--time-limit", "2s"];
    let on = report_in(&slurm.batch(&["--ntasks=3", "--cpus-per-task=1"], &long, &options));
    assert!(on["executions"].as_u64() > cut["executions"].as_u64(), "{on}");
}
