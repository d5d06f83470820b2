//! The balancer's loop: one look at the workers after the other, with pauses in between. A simulation, whose time is
//! another, makes the rounds itself.

use super::member::memory;
use super::{Balance, Balancer, Keep, LONG_LOOK, Shared, Standing, Stopping};
use crate::error::ToolError;
use crate::run::Interrupt;
use crate::search::checkpoint::Progressed;

impl<'a> Balancer<'a> {
    /// Explores what `state` says is left.
    pub(in crate::search) fn run<'b>(
        self,
        state: Progressed,
        interrupt: &Interrupt,
        look: &mut dyn FnMut(Standing<'_>),
        keep: &'b mut Keep<'b>,
    ) -> Result<Shared, ToolError> {
        let mut balance = self.begin(state, keep)?;
        loop {
            if let Some(shared) = balance.round(interrupt, look)? {
                return Ok(shared);
            }
            balance.rest();
        }
    }

    /// The search that explores what `state` says is left, before its first round.
    pub(in crate::search) fn begin<'b>(
        self,
        state: Progressed,
        keep: &'b mut Keep<'b>,
    ) -> Result<Balance<'a, 'b>, ToolError> {
        Balance::new(self, state, keep)
    }
}

impl Balance<'_, '_> {
    /// One look at the workers, and what follows from it. Returns the result once the search is over.
    pub(in crate::search) fn round(
        &mut self,
        interrupt: &Interrupt,
        look: &mut dyn FnMut(Standing<'_>),
    ) -> Result<Option<Shared>, ToolError> {
        if let Some(end) = self.listen()? {
            return Ok(Some(self.over(Stopping { why: end, until: self.start, full: false, finished: false })));
        }
        let idle = self.members.iter().filter(|member| member.idle).count();
        look(Standing { counters: &self.counters(), workers: self.members.len(), idle });
        match &self.stopping {
            Some(_) if self.members.is_empty() => {
                return Ok(self.stopping.take().map(|stopping| self.over(stopping)));
            }
            Some(Stopping { until, .. }) if self.now() >= *until => self.dismiss_all()?,
            Some(_) => {}
            None => self.go_on(interrupt)?,
        }
        Ok(None)
    }

    /// Distributes what is left, unless there is a reason to stop.
    fn go_on(&mut self, interrupt: &Interrupt) -> Result<(), ToolError> {
        self.distribute()?;
        self.end_turn()?;
        self.stopping = self.reason_to_stop(interrupt);
        let now = self.now();
        if self.stopping.is_some() {
            self.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)?;
        } else if now - self.kept >= self.balancer.keep_every {
            self.keep()?;
            self.kept = self.now();
        }
        Ok(())
    }

    /// Pauses before the next look.
    pub(super) fn rest(&mut self) {
        match self.members.as_slice() {
            [member] => member.worker.wait(self.pause),
            _ => std::thread::sleep(self.pause),
        }
        // The only worker waits for nothing from the balancer.
        if self.is_undivided() && self.stopping.is_none() {
            self.pause = (self.pause * 2).min(LONG_LOOK);
        }
    }
}
