//! Which statements the generated programs are made of.

use crate::random::Random;

/// How often each kind of statement occurs in a program: relative weights.
#[derive(Clone, Copy)]
pub(super) struct Mix {
    pub(super) plain: u64,
    pub(super) atomic: u64,
    pub(super) exchange: u64,
    pub(super) section: u64,
    pub(super) try_section: u64,
    pub(super) wait: u64,
    pub(super) timed: u64,
    pub(super) wake: u64,
    pub(super) loose_lock: u64,
    pub(super) choose: u64,
    pub(super) assume: u64,
    pub(super) assert: u64,
    pub(super) exit: u64,
    pub(super) once: u64,
    pub(super) lifecycle: u64,
    pub(super) futex_wait: u64,
    pub(super) futex_wake: u64,
    pub(super) semaphore: u64,
    pub(super) rwlock: u64,
    pub(super) barrier: u64,
    pub(super) spin: u64,
    /// One in this many plain accesses, loads and stores has another size than the variable; 0 for none.
    pub(super) sized: u64,
    /// Whether mutexes are recursive.
    pub(super) recursive: bool,
}

const EVERYTHING: Mix = Mix {
    plain: 6,
    atomic: 4,
    exchange: 4,
    section: 4,
    try_section: 2,
    wait: 2,
    timed: 1,
    wake: 3,
    loose_lock: 1,
    choose: 1,
    assume: 1,
    assert: 1,
    exit: 1,
    once: 1,
    lifecycle: 0,
    futex_wait: 0,
    futex_wake: 0,
    semaphore: 0,
    rwlock: 0,
    barrier: 0,
    spin: 0,
    sized: 8,
    recursive: false,
};
const NOTHING: Mix = Mix {
    plain: 0,
    atomic: 0,
    exchange: 0,
    section: 0,
    try_section: 0,
    wait: 0,
    timed: 0,
    wake: 0,
    loose_lock: 0,
    choose: 0,
    assume: 0,
    assert: 0,
    exit: 0,
    once: 0,
    lifecycle: 0,
    futex_wait: 0,
    futex_wake: 0,
    semaphore: 0,
    rwlock: 0,
    barrier: 0,
    spin: 0,
    sized: 0,
    recursive: false,
};
const MIXES: [Mix; 13] = [
    EVERYTHING,
    Mix { plain: 6, atomic: 1, ..NOTHING },
    Mix { plain: 1, atomic: 3, exchange: 6, assume: 1, ..NOTHING },
    Mix { plain: 2, section: 5, loose_lock: 1, assert: 1, ..NOTHING },
    Mix { plain: 2, section: 3, try_section: 4, loose_lock: 2, exit: 1, ..NOTHING },
    Mix { plain: 1, section: 1, wait: 3, wake: 4, ..NOTHING },
    Mix { plain: 1, wait: 2, timed: 3, wake: 4, loose_lock: 1, choose: 1, ..NOTHING },
    Mix { plain: 4, atomic: 1, exchange: 1, section: 1, choose: 2, assume: 2, assert: 1, exit: 1, ..NOTHING },
    Mix { plain: 4, atomic: 2, exchange: 6, sized: 2, ..NOTHING },
    Mix { plain: 2, section: 2, try_section: 2, loose_lock: 2, lifecycle: 1, recursive: true, ..NOTHING },
    Mix { plain: 2, once: 4, section: 1, exit: 1, ..NOTHING },
    Mix { plain: 3, atomic: 4, exchange: 1, section: 1, spin: 2, ..NOTHING },
    Mix { section: 1, wait: 4, timed: 2, wake: 6, ..NOTHING },
];
/// With futexes: one in [`FUTEX_PROGRAMS`] programs is of these.
const FUTEX_MIXES: [Mix; 4] = [
    Mix { futex_wait: 1, futex_wake: 1, ..EVERYTHING },
    Mix { atomic: 3, futex_wait: 4, futex_wake: 4, ..NOTHING },
    Mix { plain: 1, atomic: 1, exchange: 2, futex_wait: 3, futex_wake: 4, choose: 1, ..NOTHING },
    Mix { atomic: 2, section: 1, spin: 1, futex_wait: 3, futex_wake: 3, wait: 1, wake: 1, ..NOTHING },
];

const FUTEX_PROGRAMS: u64 = 5;

/// Mixes with semaphores, read-write locks and barriers: one in [`SHARED_PROGRAMS`] of the other programs is of these.
const SHARED: [Mix; 5] = [
    Mix { plain: 2, semaphore: 6, exit: 1, ..NOTHING },
    Mix { plain: 1, rwlock: 6, assert: 1, ..NOTHING },
    Mix { plain: 2, atomic: 1, rwlock: 4, section: 1, ..NOTHING },
    Mix { plain: 1, barrier: 4, semaphore: 1, ..NOTHING },
    Mix { plain: 2, atomic: 1, semaphore: 3, rwlock: 3, barrier: 1, section: 1, wake: 1, wait: 1, ..NOTHING },
];

const SHARED_PROGRAMS: u64 = 4;

impl Mix {
    /// A mix drawn from `random`. Whether it has futexes or shared objects is decided by numbers that nothing else
    /// uses, so that these mixes have not changed the programs of the other seeds, which tests rely on.
    pub(super) fn draw(random: &mut Random) -> Mix {
        let aside = random.clone().number() >> 32;
        let mut shared = Random(!random.0);
        let mix = MIXES[random.below(MIXES.len() as u64) as usize];
        if aside.is_multiple_of(FUTEX_PROGRAMS) {
            FUTEX_MIXES[(aside / FUTEX_PROGRAMS) as usize % FUTEX_MIXES.len()]
        } else if shared.once_in(SHARED_PROGRAMS) {
            SHARED[shared.below(SHARED.len() as u64) as usize]
        } else {
            mix
        }
    }

    /// How often each kind of statement comes, in the order of [`Generator::unconditional`].
    pub(super) fn weights(&self) -> [u64; 21] {
        [
            self.plain,
            self.atomic,
            self.exchange,
            self.section,
            self.try_section,
            self.wait,
            self.timed,
            self.wake,
            self.loose_lock,
            self.choose,
            self.assume,
            self.assert,
            self.exit,
            self.once,
            self.lifecycle,
            self.futex_wait,
            self.futex_wake,
            self.semaphore,
            self.rwlock,
            self.barrier,
            self.spin,
        ]
    }
}
