//! The kinds of bugs that runs and detectors report.

/// How much a finding matters. Only errors decide the verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Severity {
    /// Not reported (`--ignore KIND`).
    Ignored,
    /// Listed beside the verdict; never stops the search.
    Warning,
    /// Makes the verdict `violated`.
    Error,
}

macro_rules! finding_kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $severity:ident),+ $(,)?) => {
        /// What kind of bug a finding is. The names are those of the command line and of the JSON output.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum FindingKind { $($(#[$doc])* $kind),+ }

        impl FindingKind {
            /// Every kind there is.
            pub const ALL: &[FindingKind] = &[$(FindingKind::$kind),+];

            /// The name of the kind in options and output.
            pub fn name(self) -> &'static str {
                match self { $(FindingKind::$kind => $name),+ }
            }

            /// The severity unless the user says otherwise: something left over at the end of a run and the status
            /// that a program ends with, which may be its result, are warnings, anything else is an error. Lost blocks
            /// are looked for on request only.
            pub fn default_severity(self) -> Severity {
                match self { $(FindingKind::$kind => Severity::$severity),+ }
            }

            /// The kind with this name.
            pub fn from_name(name: &str) -> Option<FindingKind> {
                FindingKind::ALL.iter().copied().find(|kind| kind.name() == name)
            }
        }
    };
}

finding_kinds! {
    /// Two conflicting accesses, not both atomic, unordered by C11 happens-before.
    DataRace "data-race" Error,
    /// Every live thread is blocked.
    Deadlock "deadlock" Error,
    /// No thread is enabled and at least one spins.
    Livelock "livelock" Error,
    /// Some threads can never go on although others ended normally.
    LostThread "lost-thread" Error,
    /// A failed `assert`.
    Assertion "assertion" Error,
    /// `abort` was called.
    Abort "abort" Error,
    /// A fatal signal.
    Crash "crash" Error,
    /// A C++ exception that was not caught.
    UncaughtException "uncaught-exception" Error,
    /// A panic of a Rust program, also one that is caught: a thread that panics is one.
    Panic "panic" Error,
    /// The process ended with a status other than 0.
    ExitStatus "exit-status" Warning,
    /// An access to a freed heap block.
    HeapUseAfterFree "heap-use-after-free" Error,
    /// An access to the red zone beside a heap block.
    HeapOverflow "heap-overflow" Error,
    /// A heap block freed twice.
    DoubleFree "double-free" Error,
    /// `free` of something that is no heap block.
    InvalidFree "invalid-free" Error,
    /// An access to another thread's local variable after its function has returned, or after the thread has ended.
    StackUseAfterReturn "stack-use-after-return" Error,
    /// A branch or an address that depends on memory which nobody has initialised.
    UninitialisedUse "uninitialised-use" Error,
    /// A heap block that cannot be reached at exit.
    Leak "leak" Ignored,
    /// A mutex used without having been initialised.
    MutexUninitialized "mutex-uninitialized" Error,
    /// A mutex with static storage used without an initialiser and without having been initialised by a call.
    MutexZeroInitialized "mutex-zero-initialized" Warning,
    /// A mutex initialised by a call and never destroyed.
    MutexNotDestroyed "mutex-not-destroyed" Warning,
    /// A mutex destroyed while locked.
    MutexDestroyedLocked "mutex-destroyed-locked" Error,
    /// A normal mutex locked again by its owner.
    MutexRelock "mutex-relock" Error,
    /// A mutex unlocked by a thread that does not own it.
    UnlockNotOwner "unlock-not-owner" Error,
    /// A condition variable used without having been initialised.
    CondUninitialized "cond-uninitialized" Error,
    /// The same of a condition variable.
    CondZeroInitialized "cond-zero-initialized" Warning,
    /// A condition variable initialised by a call and never destroyed.
    CondNotDestroyed "cond-not-destroyed" Warning,
    /// One condition variable waited on with two mutexes at the same time.
    CondTwoMutexes "cond-two-mutexes" Error,
    /// A wait by a thread that does not hold the mutex.
    CondWaitUnlocked "cond-wait-unlocked" Error,
    /// Main ended the process although some thread had not been joined.
    MissingPthreadExit "missing-pthread-exit" Warning,
    /// A join of a thread that cannot be joined.
    JoinInvalid "join-invalid" Error,
    /// A call that names a thread which was joined, or has ended detached.
    ThreadGone "thread-gone" Error,
    /// A thread that was neither joined nor detached.
    ThreadNotJoined "thread-not-joined" Warning,
    /// Misuse of a read-write lock.
    RwlockMisuse "rwlock-misuse" Error,
    /// Misuse of a barrier.
    BarrierMisuse "barrier-misuse" Error,
    /// Misuse of a semaphore.
    SemaphoreMisuse "semaphore-misuse" Error,
    /// A synchronisation object initialised twice.
    DoubleInit "double-init" Error,
    /// A synchronisation object destroyed twice.
    DoubleDestroy "double-destroy" Error,
    /// A run that does not end.
    Nonterminating "nonterminating" Error,
}
