//! Ranks on two nodes, each a network namespace of its own, joined by a bridge: nothing but the network is between
//! them. Packets are delayed by a millisecond where the kernel can do that. Skipped, and said so, where this user may
//! not make namespaces.

mod common;

use common::*;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

/// Two namespaces and the bridge between them. They end with this.
struct Network {
    /// The beginning of all names, no longer than the kernel's for interfaces allow.
    name: String,
}

impl Drop for Network {
    fn drop(&mut self) {
        for node in [1, 2] {
            ip(&format!("netns delete {}-{node}", self.name));
        }
        ip(&format!("link delete {}", self.name));
    }
}

/// Runs `ip` with these words; whether it succeeded.
fn ip(words: &str) -> bool {
    let command = Command::new("ip").args(words.split(' ')).stderr(Stdio::null()).status();
    command.is_ok_and(|status| status.success())
}

impl Network {
    /// None if this user may not do that.
    fn new() -> Option<Network> {
        let network = Network { name: format!("i{}", std::process::id() % 100_000) };
        let name = &network.name;
        let bridge = [format!("link add {name} type bridge"), format!("link set {name} up")];
        let nodes = [1, 2].map(|node| {
            let space = format!("{name}-{node}");
            [
                format!("netns add {space}"),
                format!("link add {space} type veth peer name eth0 netns {space}"),
                format!("link set {space} master {name} up"),
                format!("-n {space} addr add 10.77.0.{node}/24 dev eth0"),
                format!("-n {space} link set eth0 up"),
                format!("-n {space} link set lo up"),
            ]
        });
        let all = bridge.iter().chain(nodes.iter().flatten());
        let made = all.into_iter().all(|words| ip(words));
        if made && !nodes_are_delayed(name) {
            println!("without delay: this kernel has no netem");
        }
        made.then_some(network)
    }

    /// What so many ranks answer, half of them on each node.
    fn check(&self, program: &Program, ranks: u32, options: &[&str]) -> Output {
        let agent = program.path("agent");
        // Open MPI starts its daemon on another node with this, in place of a remote shell.
        let text = format!("#!/bin/sh\nnode=${{1##*.}}\nshift\nexec ip netns exec {}-$node sh -c \"$*\"\n", self.name);
        std::fs::write(&agent, text).expect("written");
        std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).expect("it may be changed");
        let slots = ranks / 2;
        let hosts = format!("10.77.0.1:{slots},10.77.0.2:{slots}");
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &format!("{}-1", self.name), "mpirun", "--oversubscribe", "--host", &hosts]);
        command.args(["--mca", "plm_rsh_agent"]).arg(agent).args(["--mca", "btl", "tcp,self"]);
        for interface in ["btl_tcp_if_include", "oob_tcp_if_include"] {
            command.args(["--mca", interface, "eth0"]);
        }
        command.args(["-n", &ranks.to_string()]).arg(tool("inspect-mpi"));
        command.args(["check", "--json", "--quiet", "-j", "1"]).args(options).arg(program.path("program"));
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1").stdin(Stdio::null());
        command.current_dir(program.folder.path()).output().expect("ip runs")
    }
}

/// Delays what each node sends by a millisecond; whether that is possible.
fn nodes_are_delayed(name: &str) -> bool {
    [1, 2].iter().all(|node| {
        let words = format!("-n {name}-{node} qdisc add dev eth0 root netem delay 1ms");
        let command = Command::new("tc").args(words.split(' ')).stderr(Stdio::null()).status();
        command.is_ok_and(|status| status.success())
    })
}

#[test]
fn ranks_on_two_nodes_find_what_one_process_finds() {
    let version = Command::new("mpirun").arg("--version").output().expect("mpirun is there");
    let Some(network) = Network::new().filter(|_| String::from_utf8_lossy(&version.stdout).contains("Open MPI")) else {
        println!("skipped: network namespaces, or Open MPI's way to start ranks in them, cannot be had here");
        return;
    };
    let indexer = if is_long() { "N=17" } else { "N=15" };
    let programs: [(&str, &[&str], &[&str]); 3] = [
        ("corpus/papers/indexer/prog.c", &[indexer], &[]),
        ("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2", "SIZE=2", "ITEMS=2"], &[]),
        ("host/tests/programs/late_races.c", &["ROUNDS=4"], &["--keep-going"]),
    ];
    for (source, defines, options) in programs {
        let program = Program::compile(source, defines);
        let alone = program.alone(options);
        for ranks in [2, 4] {
            let shared: Value = report(&network.check(&program, ranks, options));
            assert_eq!(result(&shared), result(&alone), "{source} {defines:?}, {ranks} ranks: {shared}");
        }
    }
}
