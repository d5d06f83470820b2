//! The rows of the table: programs of the corpus with the counts derived there, the goals, and what the fastest peers
//! take on the same kind of machine (docs/performance.md).

/// One program to measure.
pub(crate) struct Row {
    /// Its name in the table and on the command line.
    pub(crate) name: &'static str,
    /// The source below `corpus/`.
    pub(crate) source: &'static str,
    /// Macros.
    pub(crate) defines: &'static [&'static str],
    /// Flags of `inspect cc`.
    pub(crate) build: &'static [&'static str],
    /// Flags of `inspect check`.
    pub(crate) flags: &'static [&'static str],
    /// The count derived in the corpus.
    pub(crate) executions: u64,
    /// The goal, in words.
    pub(crate) goal: &'static str,
    /// The whole time of the best peer, if there is one.
    pub(crate) peer_seconds: Option<f64>,
    /// Measured once only.
    pub(crate) long: bool,
}

const ROW: Row = Row {
    name: "",
    source: "",
    defines: &[],
    build: &[],
    flags: &[],
    executions: 0,
    goal: "",
    peer_seconds: None,
    long: false,
};

/// The table.
pub(crate) const ROWS: &[Row] = &[
    Row { name: "fifty", source: "bench/fifty/prog.c", executions: 252_252, goal: "200,000/s", ..ROW },
    Row {
        name: "readers16",
        source: "counts/readers/prog.c",
        defines: &["N=16"],
        executions: 65_536,
        goal: "0.45 s",
        peer_seconds: Some(1.4),
        ..ROW
    },
    Row {
        name: "lastzero15",
        source: "counts/lastzero/prog.c",
        defines: &["N=15"],
        executions: 147_456,
        goal: "1 s, 64 MB",
        peer_seconds: Some(4.5),
        ..ROW
    },
    Row {
        name: "indexer15",
        source: "papers/indexer/prog.c",
        defines: &["N=15"],
        executions: 4_096,
        goal: "0.1 s",
        peer_seconds: Some(1.4),
        ..ROW
    },
    Row {
        name: "fsbench26",
        source: "papers/fsbench/prog.c",
        defines: &["N=26"],
        executions: 8_192,
        goal: "2.5 s",
        peer_seconds: Some(7.5),
        ..ROW
    },
    Row {
        name: "mutex5x2",
        source: "counts/mutex/prog.c",
        defines: &["THREADS=5", "K=2"],
        executions: 113_400,
        goal: "2.2 s",
        peer_seconds: Some(6.7),
        ..ROW
    },
    // The peers' own program has 65,538 traces; their time is that of as many as ours at their rate (34,000/s).
    Row {
        name: "treiber3x3",
        source: "sync/treiber/prog.c",
        defines: &["OPERATIONS=\"uuu\",\"ooo\",\"ooo\""],
        executions: 37_101,
        goal: "0.36 s",
        peer_seconds: Some(1.09),
        ..ROW
    },
    Row {
        name: "chaselev",
        source: "sync/chase_lev/prog.c",
        defines: &["STEALS=2"],
        executions: 55_078,
        goal: "0.19 s",
        peer_seconds: Some(0.57),
        ..ROW
    },
    Row {
        name: "buffer2+2",
        source: "papers/boundedbuffer/prog.c",
        defines: &["PRODUCERS=2", "CONSUMERS=2", "SIZE=2", "ITEMS=2"],
        executions: 33_192,
        goal: "1.4 s",
        peer_seconds: Some(4.1),
        ..ROW
    },
    // 1,440 operations before the first choice, which checkpoints save in all runs but the first.
    Row { name: "long", source: "bench/long/prog.c", executions: 1_680, ..ROW },
    Row {
        name: "long-from-start",
        source: "bench/long/prog.c",
        flags: &["--checkpoint-every", "0"],
        executions: 1_680,
        ..ROW
    },
    // 51 operations a run.
    Row {
        name: "fifty-random",
        source: "bench/fifty/prog.c",
        flags: &["--algorithm", "random", "--runs", "300000"],
        executions: 300_000,
        goal: "300,000/s",
        ..ROW
    },
    // 96,010 operations a run: the goal is 20 million operations a second.
    Row {
        name: "long-random",
        source: "rare/switches/good.c",
        defines: &["LOOKS=1", "WORK=20000", "NOISE=14000"],
        flags: &["--algorithm", "random", "--runs", "200"],
        executions: 200,
        goal: "208/s",
        ..ROW
    },
    // No state is kept, so that there is something to measure.
    Row {
        name: "fifty-states",
        source: "bench/fifty/prog.c",
        build: &["-finspect-frames"],
        flags: &["--algorithm", "stateful", "--state-memory", "1"],
        executions: 252_252,
        goal: "100,000/s",
        ..ROW
    },
    Row {
        name: "fifty-from-start",
        source: "bench/fifty/prog.c",
        flags: &["--checkpoint-every", "0"],
        executions: 252_252,
        ..ROW
    },
    Row {
        name: "buffer4+4",
        source: "papers/boundedbuffer/prog.c",
        defines: &["PRODUCERS=4", "CONSUMERS=4", "SIZE=2"],
        executions: 10_020_672,
        goal: "60 s",
        long: true,
        ..ROW
    },
];
