//! How the signals that are pending were sent: real-time signals are queued, each with its value.

use super::run_data::RunData;
use crate::platform::sent::Sent;
use crate::platform::sigaction;
use alloc::vec::Vec;
use inspect_core::run::Run;

/// A signal that is pending at a word.
#[derive(Clone, Copy)]
pub(crate) struct Queued {
    word: u64,
    signal: u8,
    sent: Sent,
}

/// The pending signals that threads have sent, in the order of their sending. The words of what is pending say no more
/// than which signals there are ([`inspect_core::event::SignalOperation`]): sends and takes at one word are dependent,
/// so the order is the same in all executions of a trace.
#[derive(Default)]
pub(crate) struct SignalQueue {
    queued: Vec<Queued>,
}

impl SignalQueue {
    /// A signal is sent. One that is pending already is not added unless its number is queued. As in Linux, of each
    /// timer at most one signal is pending; it is added even if another sender's signal of this number is pending.
    pub(crate) fn add(&mut self, word: u64, signal: u8, sent: Sent) {
        let of_same_timer = |queued: &&mut Queued| sent.is_of_timer_of(queued.sent);
        if let Some(queued) = self.queued.iter_mut().find(of_same_timer) {
            queued.sent = sent;
        } else if sigaction::is_queued(signal.into()) || sent.timer().is_some() || !self.has(word, signal) {
            self.queued.push(Queued { word, signal, sent });
        }
    }

    /// Takes the first of the signals with this number out, if there is one; says how it was sent.
    pub(crate) fn take(&mut self, word: u64, signal: u8) -> Option<Sent> {
        let at = self.queued.iter().position(|queued| (queued.word, queued.signal) == (word, signal))?;
        Some(self.queued.remove(at).sent)
    }

    /// Whether one with this number is there.
    pub(crate) fn has(&self, word: u64, signal: u8) -> bool {
        self.queued.iter().any(|queued| (queued.word, queued.signal) == (word, signal))
    }

    /// The signals with this number are discarded, wherever they are pending.
    pub(crate) fn discard(&mut self, signal: u8) {
        self.queued.retain(|queued| queued.signal != signal);
    }

    /// Discards the signal of a timer. The word and the signal, and whether another one of that number is left there.
    pub(crate) fn discard_of_timer(&mut self, number: u16) -> Option<(u64, u8, bool)> {
        let of_timer = |queued: &Queued| queued.sent.timer().is_some_and(|(timer, _)| timer == number);
        let at = self.queued.iter().position(of_timer)?;
        let Queued { word, signal, .. } = self.queued.remove(at);
        Some((word, signal, self.has(word, signal)))
    }

    /// Whether the signal of a timer is pending.
    pub(crate) fn has_of_timer(&self, number: u16) -> bool {
        self.queued.iter().any(|queued| queued.sent.timer().is_some_and(|(timer, _)| timer == number))
    }

    /// Hashes what is queued. Only the order of signals of one number at one word counts: they are taken in that order.
    pub(super) fn hash(&self, mut word: impl FnMut(u64)) {
        let mut sorted: Vec<Queued> = self.queued.clone();
        sorted.sort_by_key(|queued| (queued.word, queued.signal));
        for Queued { word: at, signal, sent } in sorted {
            [at, signal.into()].into_iter().chain(sent.words()).for_each(&mut word);
        }
    }
}

impl RunData for SignalQueue {
    type Saved = Vec<Queued>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.queued.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Self::Saved) -> bool {
        saved.clone_from(&self.queued);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Self::Saved) {
        self.queued.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
