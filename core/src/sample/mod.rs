//! Sampled runs: orders that are drawn by chance. One strategy, one paper, one file.
//!
//! A [`Sampler`] has what a strategy keeps during a run. Seed and parameters are part of the plan
//! ([`SampledRun`]), so the same plan gives the same trace, as for all runs. Which runs a search makes, and what it
//! learns for the parameters of the later ones, is in `explore::Sampling`.
//!
//! *Fair:* a strategy orders the operations up to [`SampledRun::expected`]; beyond them, every strategy draws threads
//! as [`random`] does. So a thread that never ends keeps no other thread from running.

mod delay;
mod pct;
mod pos;
mod random;
mod rff;
mod surw;

use crate::event::{Alternatives, Event, Operation, Plan, SampledRun, SiteId, Strategy, ThreadId, ThreadSet};
use crate::random::Random;
use delay::Delays;
use pct::Priorities;
use pos::PartialOrder;
use rff::Constrained;
use surw::UniformWalk;

pub use rff::LastWriters;
pub use surw::is_selected;

/// What a strategy sees of a run when it draws the next thread.
#[derive(Clone, Copy)]
pub struct Moment<'a, O> {
    /// The threads that can take the next step; at least one.
    pub takers: ThreadSet,
    /// The threads that have begun and not ended.
    pub live: ThreadSet,
    /// The thread that took the last step.
    pub current: ThreadId,
    /// The events so far.
    pub events: &'a [Event],
    /// What a live thread is about to do.
    pub operation: O,
    /// Where in the source it does that.
    pub site: &'a dyn Fn(ThreadId) -> SiteId,
}

/// Draws the order of a run. Its memory is used again from run to run.
#[derive(Debug)]
pub struct Sampler {
    run: SampledRun,
    random: Random,
    priorities: Priorities,
    partial_order: PartialOrder,
    uniform: UniformWalk,
    constrained: Constrained,
    delays: Delays,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler::new()
    }
}

impl Sampler {
    /// A sampler that has drawn nothing.
    pub fn new() -> Self {
        Sampler {
            run: SampledRun { strategy: Strategy::Random, seed: 0, expected: 1 },
            random: Random(0),
            priorities: Priorities::new(),
            partial_order: PartialOrder::new(),
            uniform: UniformWalk::new(),
            constrained: Constrained::new(),
            delays: Delays::default(),
        }
    }

    /// A run of this plan begins.
    pub fn begin(&mut self, run: SampledRun, plan: &Plan) {
        (self.run, self.random) = (run, Random(run.seed));
        match run.strategy {
            Strategy::Random => {}
            Strategy::Priorities { changes } => self.priorities.begin(changes, run.expected, &mut self.random),
            Strategy::PartialOrder => self.partial_order.begin(),
            Strategy::Uniform { .. } => self.uniform.begin(&plan.weights),
            Strategy::ReadsFrom => self.constrained.begin(&plan.reads_from),
            Strategy::Delays { number } => self.delays.begin(number, run.expected, &mut self.random),
        }
    }

    /// The thread that takes the next step.
    pub fn thread<'a, O: Fn(ThreadId) -> &'a Operation>(&mut self, moment: &Moment<'a, O>) -> ThreadId {
        let random = &mut self.random;
        if moment.events.len() >= self.run.expected as usize {
            return random::any(moment.takers, random);
        }
        match self.run.strategy {
            Strategy::Random | Strategy::Uniform { selected: None } => random::any(moment.takers, random),
            Strategy::Priorities { .. } => self.priorities.thread(moment, random),
            Strategy::PartialOrder => self.partial_order.thread(moment, random),
            Strategy::Uniform { selected: Some(selected) } => self.uniform.thread(moment, selected, random),
            Strategy::ReadsFrom => self.constrained.thread(moment, random),
            Strategy::Delays { .. } => self.delays.thread(moment),
        }
    }

    /// The alternative that this thread takes; each has the same probability.
    pub fn alternative(&mut self, alternatives: Alternatives) -> u32 {
        match alternatives {
            Alternatives::None => 0,
            Alternatives::Count(count) => self.random.index(count.max(1)),
            Alternatives::Threads(threads) => u32::from(random::any(threads, &mut self.random).0),
        }
    }
}
