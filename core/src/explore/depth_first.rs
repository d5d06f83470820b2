//! The stack that every depth-first search keeps, and the walk over it.
//!
//! Such a search stores the states of one path. After a run it goes back to the deepest state of the path in which
//! something is left to try, and the next run leaves the path there. The algorithms differ in what is left to try
//! ([`DepthFirst::next_step`]) and in what they conclude from an event ([`DepthFirst::extend`]); everything else is
//! here.
//!
//! Invariant (a-state-a-step): each state of the stack has exactly one step, the one tried at present. The steps have
//! been executed, except the last state's between [`next_plan`] and the [`learn`] or [`lose`] that follows.

use crate::event::{Alternatives, Event, Plan, Step, Trace};
use alloc::vec::Vec;

/// The states of the present path.
#[derive(Debug)]
pub(super) struct Stack<S> {
    states: Vec<S>,
    /// By state: the step tried at present, and the alternatives that it has.
    steps: Vec<Step>,
    alternatives: Vec<Alternatives>,
    /// The last state's step is planned and has not been executed.
    planned: bool,
    started: bool,
}

impl<S> Default for Stack<S> {
    fn default() -> Self {
        let (states, steps, alternatives) = (Vec::new(), Vec::new(), Vec::new());
        Stack { states, steps, alternatives, planned: false, started: false }
    }
}

impl<S> Stack<S> {
    /// The states, from the first one on.
    pub(super) fn states(&self) -> &[S] {
        &self.states
    }

    /// The states, to be changed.
    pub(super) fn states_mut(&mut self) -> &mut [S] {
        &mut self.states
    }

    /// By state: the step tried at present.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The alternatives of the step of the state at `position`.
    pub(super) fn alternatives(&self, position: usize) -> Alternatives {
        self.alternatives[position]
    }

    /// How many steps of the path have been executed.
    pub(super) fn executed(&self) -> usize {
        debug_assert!(self.states.len() == self.steps.len() && self.steps.len() == self.alternatives.len());
        self.states.len() - usize::from(self.planned)
    }

    /// Whether a first run was planned.
    pub(super) fn has_started(&self) -> bool {
        self.started
    }

    /// Adds the state before `event`, which is the next event of the path.
    pub(super) fn push(&mut self, state: S, event: &Event) {
        debug_assert!(!self.planned, "a-state-a-step");
        self.states.push(state);
        self.steps.push(Step { thread: event.thread, choice: event.choice });
        self.alternatives.push(event.alternatives);
    }

    /// Leaves the last state.
    pub(super) fn pop(&mut self) -> Option<S> {
        self.planned = false;
        self.steps.pop();
        self.alternatives.pop();
        self.states.pop()
    }

    /// Leaves all states but the first `length`.
    pub(super) fn truncate(&mut self, length: usize) {
        while self.states.len() > length {
            self.pop();
        }
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
        self.started = false;
    }

    /// The last state.
    pub(super) fn last(&self) -> Option<&S> {
        self.states.last()
    }

    /// The last state, to be changed.
    pub(super) fn last_mut(&mut self) -> Option<&mut S> {
        self.states.last_mut()
    }

    /// The last state's step, and its alternatives.
    pub(super) fn last_step(&self) -> Option<(Step, Alternatives)> {
        Some((*self.steps.last()?, *self.alternatives.last()?))
    }

    /// The last state's step with its next alternative, if there is one left.
    pub(super) fn next_choice(&self) -> Option<Step> {
        let (step, alternatives) = self.last_step()?;
        Some(Step { choice: alternatives.after(step.choice)?, ..step })
    }

    /// Tries another step in the last state. A thread's alternatives are not known before it has executed the step.
    fn plan(&mut self, step: Step) {
        self.planned = true;
        if let (Some(last), Some(alternatives)) = (self.steps.last_mut(), self.alternatives.last_mut()) {
            *last = step;
            if step.choice == Step::FIRST {
                *alternatives = Alternatives::None;
            }
        }
    }

    /// The last state's planned step was executed.
    fn execute(&mut self, event: &Event) {
        self.planned = false;
        if let (Some(step), Some(alternatives)) = (self.steps.last_mut(), self.alternatives.last_mut()) {
            *step = Step { thread: event.thread, choice: event.choice };
            *alternatives = event.alternatives;
        }
    }
}

/// What a search adds to the walk over the stack.
pub(super) trait DepthFirst {
    /// What the search keeps of a state.
    type State;

    /// Its stack.
    fn stack(&mut self) -> &mut Stack<Self::State>;

    /// The next step to try in the last state, if one is left. Everything below that state's present step is explored.
    fn next_step(&mut self) -> Option<Step>;

    /// Leaves the last state, in which nothing is left to try.
    fn leave(&mut self) {
        self.stack().pop();
    }

    /// Takes in the event at a position of a run. If the stack has no state for the position, pushes the state before
    /// the event. Returns false if nothing new can follow that state: it is then not pushed, and the rest of the run is
    /// skipped.
    fn extend(&mut self, trace: &Trace, position: usize) -> bool;
}

/// Plans the run that leaves the path at the deepest state with something left to try; the plan of the first run is
/// empty. Returns false if nothing is left in any state.
pub(super) fn next_plan<D: DepthFirst>(search: &mut D, plan: &mut Plan) -> bool {
    plan.clear();
    if !core::mem::replace(&mut search.stack().started, true) {
        return true;
    }
    while !search.stack().states.is_empty() {
        if let Some(step) = search.next_step() {
            let stack = search.stack();
            stack.plan(step);
            plan.steps.extend_from_slice(&stack.steps);
            return true;
        }
        search.leave();
    }
    false
}

/// Takes in the events with which the run of the last plan continues the executed part of the path.
pub(super) fn learn<D: DepthFirst>(search: &mut D, trace: &Trace) {
    learn_until(search, trace, trace.events.len());
}

/// As [`learn`], for the first `end` events of the run only.
pub(super) fn learn_until<D: DepthFirst>(search: &mut D, trace: &Trace, end: usize) {
    learn_unless(search, trace, end, &mut || false);
}

/// As [`learn_until`]; leaves the rest of the run out, and returns false, if `gives_up` says so before an event.
pub(super) fn learn_unless<D: DepthFirst>(
    search: &mut D,
    trace: &Trace,
    end: usize,
    gives_up: &mut dyn FnMut() -> bool,
) -> bool {
    for position in search.stack().executed()..end {
        if gives_up() {
            return false;
        }
        if search.stack().planned {
            search.stack().execute(&trace.events[position]);
        }
        if !search.extend(trace, position) {
            break;
        }
    }
    true
}

/// The run of the last plan was lost. The alternatives of its last step are not known, so no further one is tried.
pub(super) fn lose<S>(stack: &mut Stack<S>) {
    stack.planned = false;
    if let (Some(step), Some(alternatives)) = (stack.steps.last_mut(), stack.alternatives.last_mut()) {
        (step.choice, *alternatives) = (0, Alternatives::None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ControlOperation, Operation, SiteId, ThreadId, ThreadSet};

    /// Two alternatives of main's only step.
    #[derive(Default)]
    struct Choices {
        stack: Stack<()>,
        left: u32,
    }

    impl DepthFirst for Choices {
        type State = ();

        fn stack(&mut self) -> &mut Stack<()> {
            &mut self.stack
        }

        fn next_step(&mut self) -> Option<Step> {
            self.stack.next_choice()
        }

        fn leave(&mut self) {
            self.left += 1;
            self.stack.pop();
        }

        fn extend(&mut self, trace: &Trace, position: usize) -> bool {
            if position == self.stack.states().len() {
                self.stack.push((), &trace.events[position]);
            }
            true
        }
    }

    fn run(choice: u32) -> Trace {
        let event = Event {
            thread: ThreadId::MAIN,
            operation: Operation::Control(ControlOperation::Choose),
            choice,
            alternatives: Alternatives::Count(2),
            enabled: ThreadSet::only(ThreadId::MAIN),
            enabled_by: None,
            site: SiteId(0),
        };
        Trace { events: alloc::vec![event], ..Trace::default() }
    }

    #[test]
    fn each_alternative_is_planned_once_and_then_the_state_is_left() {
        let (mut search, mut plan) = (Choices::default(), Plan::default());
        assert!(next_plan(&mut search, &mut plan) && plan.steps.is_empty(), "the first run is free");
        learn(&mut search, &run(0));
        assert!(next_plan(&mut search, &mut plan));
        assert_eq!(plan.steps, [Step { thread: ThreadId::MAIN, choice: 1 }]);
        assert_eq!((search.stack.executed(), search.stack.states().len()), (0, 1), "planned, not executed");
        learn(&mut search, &run(1));
        assert_eq!(search.stack.executed(), 1);
        assert!(!next_plan(&mut search, &mut plan) && search.left == 1);
    }

    #[test]
    fn a_lost_step_has_no_further_alternatives() {
        let (mut search, mut plan) = (Choices::default(), Plan::default());
        next_plan(&mut search, &mut plan);
        learn(&mut search, &run(0));
        next_plan(&mut search, &mut plan);
        lose(&mut search.stack);
        assert_eq!(search.stack.last_step(), Some((Step { thread: ThreadId::MAIN, choice: 0 }, Alternatives::None)));
        assert!(!next_plan(&mut search, &mut plan));
    }
}
