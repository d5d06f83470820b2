//! The facts of a program (`inspect_core::explore::Facts`) as the pass writes them for the guest: a table of words in
//! the program, whose address and length `__inspect_facts` hands to the guest before main. A word is a number or an
//! address.
//!
//! | what | words |
//! |---|---|
//! | table | [`VERSION`], number of points, points |
//! | point | flags ([`VARIES`], [`OPAQUE`], [`FIXED`]), number of its join point, places, influences (count, points), untaken paths (count, untaken paths) |
//! | places | [`ANYWHERE`], or count and objects |
//! | untaken path | flags ([`OPAQUE`], [`REACHES`]), locks given up (count, addresses), locks at the join point, steps (count, steps) |
//! | step | what ([`EffectKind`]), bytes at an exact address or 0, that address if there is one, places, locks |
//! | locks | acquired (count, addresses), released (count, addresses) |

/// Version of the table.
pub const VERSION: u64 = 1;
/// In place of the count of a points-to set: the access may touch any object.
pub const ANYWHERE: u64 = u64::MAX;
/// Flag of a point: the value read there may differ between executions although no thread writes the memory.
pub const VARIES: u64 = 1;
/// Flag of a point or of an untaken path: it has an effect that the table does not describe.
pub const OPAQUE: u64 = 2;
/// Flag of a point: its description holds only if every execution passes it with the same values.
pub const FIXED: u64 = 4;
/// Flag of an untaken path: it leads to the join point.
pub const REACHES: u64 = 8;

/// In the argument of `__inspect_point`: the point is a call of a library.
pub const CALL: u32 = 1 << 31;

/// Name of the ELF section with the table; a program without it was built without facts.
pub const SECTION: &str = "inspect_facts";

/// The made-up object that stands for the C library's locale, which functions read that print text or classify
/// characters.
pub const LOCALE: u64 = MADE_UP + 8 * 64;

/// The environment variable in which the compiler driver asks the pass for the table.
pub const VARIABLE: &str = "INSPECT_FACTS";

pub use inspect_core::event::EffectKind;

use alloc::vec::Vec;
use inspect_core::event::{ByteRange, MADE_UP};
use inspect_core::explore::{Facts, LockChange, PathStep, Point, PointsTo, UntakenPath};

/// Every kind of step, by number.
const STEPS: [EffectKind; 12] = [
    EffectKind::Read,
    EffectKind::Write,
    EffectKind::AtomicRead,
    EffectKind::AtomicWrite,
    EffectKind::Lock,
    EffectKind::TryLock,
    EffectKind::Unlock,
    EffectKind::MutexLifecycle,
    EffectKind::Wait,
    EffectKind::Expire,
    EffectKind::Wake,
    EffectKind::CondLifecycle,
];

/// Reads a table; `None` if it is damaged or of another version.
pub fn decode(words: &[u64]) -> Option<Facts> {
    let mut words = Words(words);
    if words.next()? != VERSION {
        return None;
    }
    let count = words.next()?;
    let points = (0..count).map(|_| words.point()).collect::<Option<Vec<_>>>()?;
    words.0.is_empty().then_some(Facts { points })
}

/// The words of a table that are not decoded yet.
struct Words<'a>(&'a [u64]);

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn list(&mut self) -> Option<Vec<u64>> {
        let count = usize::try_from(self.next()?).ok()?;
        let (list, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        Some(list)
    }

    fn numbers(&mut self) -> Option<Vec<u32>> {
        self.list()?.into_iter().map(|number| u32::try_from(number).ok()).collect()
    }

    fn places(&mut self) -> Option<PointsTo> {
        if self.0.first() == Some(&ANYWHERE) {
            self.next()?;
            return Some(PointsTo::Anywhere);
        }
        self.numbers().map(PointsTo::Objects)
    }

    fn locks(&mut self) -> Option<LockChange> {
        Some(LockChange { acquired: self.list()?, released: self.list()? })
    }

    fn point(&mut self) -> Option<Point> {
        let flags = self.next()?;
        let merge = u32::try_from(self.next()?).ok()?;
        let places = self.places()?;
        let influences = self.numbers()?;
        let untaken_paths = self.next()?;
        let untaken_paths = (0..untaken_paths).map(|_| self.untaken()).collect::<Option<Vec<_>>>()?;
        let (varies, opaque, fixed) = (flags & VARIES != 0, flags & OPAQUE != 0, flags & FIXED != 0);
        Some(Point { influences, varies, places, opaque, fixed, untaken_paths, merge })
    }

    fn untaken(&mut self) -> Option<UntakenPath> {
        let flags = self.next()?;
        let given_up = self.list()?;
        let after = self.locks()?;
        let count = self.next()?;
        let steps = (0..count).map(|_| self.step()).collect::<Option<Vec<_>>>()?;
        Some(UntakenPath {
            opaque: flags & OPAQUE != 0,
            steps,
            given_up,
            after: (flags & REACHES != 0).then_some(after),
        })
    }

    fn step(&mut self) -> Option<PathStep> {
        let what = *STEPS.get(usize::try_from(self.next()?).ok()?)?;
        let exact = match self.next()? {
            0 => None,
            len => Some(ByteRange { len: u32::try_from(len).ok()?, start: self.next()? }),
        };
        Some(PathStep { what, exact, places: self.places()?, locks: self.locks()? })
    }
}
