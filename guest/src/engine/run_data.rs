//! Data of the engine that belong to a run: declared once, in the list of `state.rs`.
//!
//! Every run has to begin with the engine in the same state; a checkpoint has to hold what a run needs to go on from
//! there; and a run that a forked child makes has to leave what it found to the parent. So each part of the engine
//! implements [`RunData`], and `run_data!` makes of the list of parts the engine's structure, what checkpoints hold,
//! what children leave behind, and the functions for all parts. A part without one of the trait's functions does not
//! compile, nor does the use of a part that is not in the list.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::{Deref, DerefMut};
use inspect_core::run::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A part of the engine.
pub(crate) trait RunData {
    /// What a checkpoint holds of the part. [`save`](Self::save) gets an old value, whose memory it may use again.
    type Saved: Default;
    /// What a run has left in the part, for the parent of the child that made the run.
    type Left: Serialize + DeserializeOwned;

    /// A run begins, and the scheduler is at the run's start: forgets the run before.
    fn begin(&mut self, run: &Run);
    /// Fills in what a checkpoint of this moment holds. False if no checkpoint can be taken of it.
    fn save(&mut self, run: &Run, saved: &mut Self::Saved) -> bool;
    /// The run goes on from a checkpoint, to which the scheduler has returned already. Whatever the run before left
    /// here is forgotten.
    fn restore(&mut self, run: &Run, saved: &Self::Saved);
    /// The run is over: takes out what it found.
    fn leave(&mut self) -> Self::Left;
    /// Takes in what a child has found.
    fn adopt(&mut self, left: Self::Left);
}

/// Something that runs do not change, or that only grows from run to run.
#[derive(Debug, Default)]
pub(crate) struct Lasting<T>(pub(crate) T);

impl<T> RunData for Lasting<T> {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

/// What runs have found and what was not reported to the host yet.
#[derive(Debug)]
pub(crate) struct Unreported<T>(pub(crate) Vec<T>);

impl<T: Serialize + DeserializeOwned> RunData for Unreported<T> {
    type Saved = ();
    type Left = Vec<T>;

    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) -> Vec<T> {
        core::mem::take(&mut self.0)
    }

    fn adopt(&mut self, left: Vec<T>) {
        self.0.extend(left);
    }
}

/// A value that is the default at the start of each run, and that is not needed after the run.
#[derive(Debug, Default)]
pub(crate) struct PerRun<T>(pub(crate) T);

impl<T: Copy + Default> RunData for PerRun<T> {
    type Saved = T;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.0 = T::default();
    }

    fn save(&mut self, _run: &Run, saved: &mut T) -> bool {
        *saved = self.0;
        true
    }

    fn restore(&mut self, _run: &Run, saved: &T) {
        self.0 = *saved;
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

macro_rules! contains {
    ($wrapper:ident: $target:ty) => {
        impl<T> Deref for $wrapper<T> {
            type Target = $target;

            #[inline(always)]
            fn deref(&self) -> &$target {
                &self.0
            }
        }

        impl<T> DerefMut for $wrapper<T> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $target {
                &mut self.0
            }
        }
    };
}
contains!(Lasting: T);
contains!(Unreported: Vec<T>);
contains!(PerRun: T);

impl<T: RunData> RunData for RefCell<T> {
    type Saved = T::Saved;
    type Left = T::Left;

    fn begin(&mut self, run: &Run) {
        self.get_mut().begin(run);
    }

    fn save(&mut self, run: &Run, saved: &mut T::Saved) -> bool {
        self.get_mut().save(run, saved)
    }

    fn restore(&mut self, run: &Run, saved: &T::Saved) {
        self.get_mut().restore(run, saved);
    }

    fn leave(&mut self) -> T::Left {
        self.get_mut().leave()
    }

    fn adopt(&mut self, left: T::Left) {
        self.get_mut().adopt(left);
    }
}

/// Replaces the contents of a list, in the memory it has.
pub(super) fn refill<T: Copy>(list: &mut Vec<T>, contents: &[T]) {
    list.clear();
    list.extend_from_slice(contents);
}

/// Declares the engine: its parts, what a checkpoint holds of all of them, and what a child leaves behind. The
/// scheduler and the detectors' observer come from `inspect_core` and are part of every engine.
macro_rules! run_data {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $engine:ident, $saved:ident, $left:ident {
            $($(#[$field_attribute:meta])* $field:ident: $kind:ty,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $engine {
            /// The scheduler.
            pub(crate) run: inspect_core::run::Run,
            /// Feeds the detectors.
            pub(crate) observer: inspect_core::detect::Observer<inspect_core::detect::PagedShadow>,
            $($(#[$field_attribute])* pub(crate) $field: $kind,)+
        }

        /// What a checkpoint holds of the engine.
        #[derive(Default)]
        $visibility struct $saved {
            run: inspect_core::run::SavedRun,
            observer: inspect_core::detect::SavedObserver,
            $($field: <$kind as RunData>::Saved,)+
        }

        /// What a run leaves behind, as a forked child hands it to its parent.
        #[derive(serde::Serialize, serde::Deserialize)]
        $visibility struct $left {
            trace: inspect_core::event::Trace,
            paths: alloc::vec::Vec<(inspect_core::event::ThreadId, u32)>,
            $($field: <$kind as RunData>::Left,)+
        }

        impl $engine {
            /// A run along `plan` begins.
            pub(crate) fn begin(&mut self, plan: &inspect_core::event::Plan) {
                self.run.begin(plan);
                self.observer.begin();
                $(self.$field.begin(&self.run);)+
            }

            /// Fills in what a checkpoint of this moment holds; false if none can be taken.
            pub(crate) fn save(&mut self, saved: &mut $saved) -> bool {
                $(if !self.$field.save(&self.run, &mut saved.$field) {
                    return false;
                })+
                self.run.save(&mut saved.run);
                self.observer.save(&mut saved.observer)
            }

            /// Goes on from a checkpoint along `plan`. False if the detectors have no memory of that moment any more:
            /// then nothing has changed.
            pub(crate) fn restore(&mut self, saved: &$saved, plan: &inspect_core::event::Plan) -> bool {
                if !self.observer.resume(&saved.observer) {
                    return false;
                }
                self.run.resume(&saved.run, plan);
                $(self.$field.restore(&self.run, &saved.$field);)+
                true
            }

            /// The run is over: takes out all that it leaves behind.
            pub(crate) fn leave(&mut self) -> $left {
                $left {
                    trace: core::mem::take(self.run.trace_mut()),
                    paths: self.run.paths().to_vec(),
                    $($field: self.$field.leave(),)+
                }
            }

            /// Takes in what a child has left behind, as if the run had been made here.
            pub(crate) fn adopt(&mut self, left: $left) {
                self.run.adopt(left.trace, left.paths);
                $(self.$field.adopt(left.$field);)+
            }
        }

        impl $saved {
            /// How many events the run had.
            pub(crate) fn events(&self) -> usize {
                self.run.events()
            }
        }
    };
}
pub(super) use run_data;
