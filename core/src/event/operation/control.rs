//! What a thread does to the course of the run.

use super::Operation;
use super::choice::ChoiceKind;
use super::properties::{Description, EndKind, none, none_of};
use crate::event::{ByteRange, Footprint, Need, Object, ThreadId};

/// What a thread does to the course of the run: it touches nothing that another thread could touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ControlOperation {
    /// `inspect_choose(n)` or an input read from the explorer; the event's choice is the value.
    Choose,
    /// `sched_yield` where it has to be a step of its own (it depends on nothing).
    Yield,
    /// A failed assumption: never enabled, the thread stays here (S5).
    Assume,
    /// The thread wants to end the process.
    EndProcess(EndKind),
}

impl Description for ControlOperation {
    fn name(self) -> &'static str {
        match self {
            ControlOperation::Choose => "choose",
            ControlOperation::Yield => "yield",
            ControlOperation::Assume => "assumption fails",
            ControlOperation::EndProcess(EndKind::Exit(_)) => "exit",
            ControlOperation::EndProcess(EndKind::Abort) => "abort",
            ControlOperation::EndProcess(EndKind::AssertionFailed) => "assertion fails",
            ControlOperation::EndProcess(EndKind::Signal(_)) => "crash",
            ControlOperation::EndProcess(EndKind::HeapError) => "heap error",
            ControlOperation::EndProcess(EndKind::UncaughtException) => "uncaught exception",
            ControlOperation::EndProcess(EndKind::LastThread) => "exit, as no thread is left",
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            ControlOperation::Choose | ControlOperation::Yield => Need::Nothing,
            ControlOperation::Assume => Need::Never,
            ControlOperation::EndProcess(_) => Need::OthersStopped,
        }
    }

    #[inline]
    fn choice_kind(self) -> ChoiceKind {
        match self {
            ControlOperation::Choose => ChoiceKind::Value,
            ControlOperation::Yield | ControlOperation::Assume | ControlOperation::EndProcess(_) => ChoiceKind::None,
        }
    }

    #[inline]
    fn ends_process(self) -> Option<EndKind> {
        match self {
            ControlOperation::EndProcess(kind) => Some(kind),
            ControlOperation::Choose | ControlOperation::Yield | ControlOperation::Assume => None,
        }
    }

    #[inline]
    fn gives_way(self) -> bool {
        match self {
            ControlOperation::Yield => true,
            ControlOperation::Choose | ControlOperation::Assume | ControlOperation::EndProcess(_) => false,
        }
    }

    #[inline]
    fn is_idle(self) -> bool {
        match self {
            ControlOperation::Yield => true,
            ControlOperation::Choose | ControlOperation::Assume | ControlOperation::EndProcess(_) => false,
        }
    }

    /// The end of the process is delayed until no other thread can go on, so there is no operation it could depend on.
    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            ControlOperation::Choose
            | ControlOperation::Yield
            | ControlOperation::Assume
            | ControlOperation::EndProcess(_) => Footprint::none(),
        }
    }

    // They concern no other thread.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed objects lifecycle hold ends_hold is_failed_lock wait expiry signals woken }
    none! { has_outcome succeeded acquires releases creates joins detaches handle cancels exits goes_first rests is_unordered_look }
    none! { starts_timer }

    fn with_full_effect(self) -> Operation {
        Operation::Control(self)
    }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self
    }
}
