//! A search that several guests (*workers*) share: a balancer that gives parts of it to them, and the ledger of which
//! worker has which parts. A *part* is an [`Item`].
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Robert M. Kirby: "Distributed dynamic partial order reduction based
//! verification of threaded software", SPIN 2007; chapter 6 of Yang's dissertation. From there: one balancer and many
//! workers, a soft limit on what a worker must have open before it gives anything away, and giving away what lies
//! deepest in the stack, as that is likely to be the largest part.
//!
//! Departures: the balancer asks for work ahead of time and places it with the workers that have least, so that a
//! worker that has finished finds work without asking; a worker gives away half of what it has, not one branch; and it
//! gives parts away by commits only. The ledger ([`member`]) has for each worker what is left of its last commit, and
//! the counts of all commits. Counts and remaining work of a commit are of one moment, so when a worker is killed, no
//! work is lost or counted twice: what was left at its last commit, and the packages it was given since, go to the
//! other workers.
//!
//! On a cluster there are two levels of this: the workers of the leader's balancer are the balancers of the ranks
//! ([`node`]), whose workers are guests.

mod ending;
mod member;
pub(in crate::search) mod node;
mod rounds;
mod states;
#[cfg(test)]
mod tests;

pub(super) use self::ending::Shared;
use self::ending::Stopping;
use self::member::{Member, checked, memory};
use super::checkpoint::Progressed;
use crate::error::ToolError;
use crate::run::{Counters, GuestEnd, Limits, RunOutput, Transport};
use inspect_core::explore::{Counts, Item, TurnTime};
use inspect_wire::message::{Job, Task};
use inspect_wire::work::{Bundle, Commit};
use std::cmp::Reverse;
use std::time::{Duration, Instant};

/// What a worker has to have open before it is asked to give something away.
const SOFT_LIMIT: u32 = 2;
/// How many parts a worker gives away at once, at most.
const MOST: u32 = 256;
/// A second worker is started only for searches that take longer than this.
const WARM_UP: Duration = Duration::from_millis(20);
/// The pause between two polls of the workers.
pub(super) const LOOK: Duration = Duration::from_millis(1);
/// The longest such pause if there is nothing to divide.
const LONG_LOOK: Duration = Duration::from_millis(20);
/// How long no worker is asked for work after one had none to give: at least, and at most.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));
/// How often every worker commits, whatever is asked of it: what is lost when it is killed.
const COMMIT_EVERY: Duration = Duration::from_secs(1);
/// How many workers may be killed one after the other without any commit in between.
const MOST_KILLED: u32 = 20;

/// How a search stands.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The counters of all workers together.
    pub counters: &'a Counters,
    /// How many workers there are, processes or ranks.
    pub workers: usize,
    /// How many of them wait for work.
    pub idle: usize,
}

/// Called at intervals with all that a checkpoint file needs.
pub(super) type Keep<'a> = dyn FnMut(&Progressed, &[&RunOutput]) + 'a;

/// The balancer.
pub(super) struct Balancer<'a> {
    pub(super) transport: &'a mut dyn Transport,
    /// The job of each worker. With [`Task::Work`], they divide the search among themselves; with [`Task::Explore`],
    /// there is one worker, which has the whole search and never reports what it has left: the plain case, and the only
    /// one for algorithms that cannot be divided. If there are several all the same, each has the whole search, and
    /// they share the states that they have explored ([`states`]).
    pub(super) job: Job,
    /// How many workers there are to be.
    pub(super) workers: usize,
    pub(super) limits: Limits,
    /// How often `keep` is called.
    pub(super) keep_every: Duration,
    /// Whether workers that have reported this have shown all that the search is made for.
    pub(super) has_shown: &'a dyn Fn(&[&RunOutput]) -> bool,
    /// How long it may take, if it is a turn that can go on later.
    pub(super) turn: Option<TurnTime>,
    /// Says what time it is: [`Instant::now`], or the time of a simulation.
    pub(super) clock: &'a dyn Fn() -> Instant,
}

/// A search under way.
pub(super) struct Balance<'a, 'b> {
    balancer: Balancer<'a>,
    members: Vec<Member>,
    /// Work that no worker has.
    pool: Bundle,
    state: Progressed,
    outputs: Vec<RunOutput>,
    threads: u32,
    /// The worker's own estimate of all executions, in a search that is not divided.
    estimated_total: Option<f64>,
    /// How many states the worker remembers, in such a search.
    states: Option<u64>,
    /// Whether the state has all that is left: in such a search, if the worker has said it at its end.
    is_left_known: bool,
    /// What was counted before.
    before: Counts,
    killed: u32,
    /// The time of its turn is over, and the workers were asked to stop.
    timed_out: bool,
    /// How many findings there were when it was last looked whether they are all that the search is made for.
    looked_at: usize,
    /// How often everything began anew.
    begun_anew: u32,
    /// How many workers were started since then.
    hired: u32,
    /// A worker that shares states was about to begin anew when it was stopped.
    is_void: bool,
    /// Once nothing is left, more may come from a leader: the search is not over.
    is_led: bool,
    /// Why the workers are to stop, once they are.
    stopping: Option<Stopping>,
    /// When a worker may be asked for parts again, and how long the last pause before such a request was.
    ask_at: Instant,
    patience: Duration,
    start: Instant,
    /// When `keep` was last called.
    kept: Instant,
    /// The pause before the next look at the workers.
    pause: Duration,
    keep: &'b mut Keep<'b>,
}

impl<'a, 'b> Balance<'a, 'b> {
    fn new(balancer: Balancer<'a>, state: Progressed, keep: &'b mut Keep<'b>) -> Result<Self, ToolError> {
        let pool = checked(state.work.clone())?;
        let start = (balancer.clock)();
        Ok(Balance {
            is_left_known: balancer.job.task == Task::Work,
            before: state.counts,
            balancer,
            members: Vec::new(),
            pool,
            stopping: None,
            state,
            outputs: Vec::new(),
            threads: 0,
            estimated_total: None,
            states: None,
            killed: 0,
            timed_out: false,
            looked_at: 0,
            begun_anew: 0,
            hired: 0,
            is_void: false,
            is_led: false,
            ask_at: start,
            patience: PATIENCE.0,
            start,
            kept: start,
            pause: LOOK,
            keep,
        })
    }

    fn now(&self) -> Instant {
        (self.balancer.clock)()
    }

    /// Whether each worker has the whole search: mostly, there is one.
    fn is_undivided(&self) -> bool {
        self.balancer.job.task == Task::Explore
    }

    /// Takes in what workers have reported. Returns how a worker ended, if the whole search cannot be relied on for it.
    fn listen(&mut self) -> Result<Option<GuestEnd>, ToolError> {
        let mut at = 0;
        while at < self.members.len() {
            let update = self.members[at].worker.poll().map_err(memory)?;
            let anew = self.members[at].worker.output().passes != self.members[at].passes;
            if anew && self.shares_states() {
                return self.begin_anew_with_states(at).map(|()| None);
            }
            if anew && !self.is_undivided() {
                at = self.begin_anew(at)?;
            }
            if let Some(commit) = update.commit {
                self.take_in(at, commit)?;
            }
            self.members[at].note_taken(update.taken)?;
            let done = self.members[at].worker.output().done;
            let Some(end) = update.end else {
                if let (true, Some(_)) = (self.is_undivided(), done) {
                    self.stop_others()?;
                }
                at += 1;
                continue;
            };
            self.dismiss(at)?;
            if self.is_undivided() {
                self.one_has_ended(end, update.killed, done.is_some())?;
            } else if done.is_some() {
                let own = done.is_some_and(|(counts, _)| counts.runs() >= self.limit_of_worker());
                self.stop_with(own || self.all_counts().runs() >= self.balancer.job.max_executions)?;
            } else if update.killed && self.killed < MOST_KILLED {
                self.killed += 1;
            } else {
                return self.dismiss_all().map(|()| Some(end));
            }
        }
        Ok(None)
    }

    /// A worker has ended that has found something that ends the search, or reached the limit of executions: the others
    /// are to stop. They are told once, as a thousand ranks that end would have each other told a million times.
    fn stop_with(&mut self, full: bool) -> Result<(), ToolError> {
        if self.stopping.is_some() {
            return Ok(());
        }
        self.stopping = Some(Stopping { full, ..Stopping::because(GuestEnd::Done, self.now()) });
        self.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)
    }

    /// A worker's search began anew: what all have done is void, and the whole search is left to it. Returns its new
    /// position among the members.
    fn begin_anew(&mut self, at: usize) -> Result<usize, ToolError> {
        self.begun_anew += 1;
        self.state.voided = self.all_counts();
        let mut first = self.members.swap_remove(at);
        self.dismiss_all()?;
        self.pool = Bundle::default();
        let output = first.worker.output();
        self.balancer.job.promoted = output.promoted.clone();
        self.balancer.job.watch_sets = output.watch_sets.clone();
        self.balancer.job.promoted_in = output.modules.clone();
        (first.passes, first.left, first.ahead) = (output.passes, Bundle::of([Item::everything()]), None);
        (first.idle, first.asked, first.counted, first.covered) = (false, None, Counts::default(), 0.0);
        (self.state.counts, self.state.covered, self.state.lost) = (Counts::default(), 0.0, 0);
        self.members.push(first);
        Ok(0)
    }

    fn take_in(&mut self, at: usize, commit: Commit) -> Result<(), ToolError> {
        let now = self.now();
        let member = &mut self.members[at];
        if let Some((_, parts)) = member.asked.take_if(|asked| asked.0 == commit.answers)
            && parts > 0
        {
            let found = !commit.given.is_empty();
            self.patience = if found { PATIENCE.0 } else { (self.patience * 2).min(PATIENCE.1) };
            self.ask_at = now + self.patience;
        }
        if commit.pass != member.passes {
            // The commit is of a pass that is void.
            return Ok(());
        }
        self.state.counts += commit.counts;
        self.state.lost += commit.lost;
        self.state.covered += commit.covered;
        member.counted += commit.counts;
        member.covered += commit.covered;
        member.committed = now;
        if commit.packages == member.packages {
            member.ahead = None;
            member.idle = commit.left.is_empty();
        }
        member.left = checked(commit.left)?;
        self.killed = if commit.counts == Counts::default() { self.killed } else { 0 };
        self.is_left_known = true;
        self.pool.append(checked(commit.given)?);
        Ok(())
    }

    /// Removes a worker that has ended; what it has not done goes back to the pool.
    fn dismiss(&mut self, at: usize) -> Result<(), ToolError> {
        let mut member = self.members.swap_remove(at);
        if !self.is_undivided() {
            self.pool.append(member.all_left());
        }
        let counters = member.worker.output().counters;
        self.threads = self.threads.max(counters.threads);
        if self.shares_states() {
            self.note_states_of(&member);
        } else if self.is_undivided() {
            self.state.counts = self.counts_of(&member);
            (self.estimated_total, self.states) = (counters.estimated_total, counters.states);
            self.state.work = std::mem::take(&mut member.left);
            let output = member.worker.output();
            self.state.promoted = output.promoted.clone();
            (self.state.watch_sets, self.state.promoted_in) = (output.watch_sets.clone(), output.modules.clone());
        }
        let mut output = member.worker.take_output();
        output.end = GuestEnd::Done;
        self.outputs.push(output);
        Ok(())
    }

    fn dismiss_all(&mut self) -> Result<(), ToolError> {
        while let Some(member) = self.members.last_mut() {
            member.worker.kill().map_err(memory)?;
            // Reads what it reported before its end.
            member.worker.poll().map_err(memory)?;
            self.dismiss(self.members.len() - 1)?;
        }
        Ok(())
    }

    /// Gives parts to the workers that wait, puts down parts for others, starts workers and asks workers for parts.
    fn distribute(&mut self) -> Result<(), ToolError> {
        if self.shares_states() {
            return self.recruit();
        }
        if self.is_undivided() {
            return if self.members.is_empty() { self.hire() } else { Ok(()) };
        }
        let waiting = self.serve()?;
        self.provide()?;
        self.recruit()?;
        if self.pool.is_empty() && self.members.len() > 1 && self.now() >= self.ask_at {
            self.ask(waiting)?;
        }
        self.ask_for_commits()
    }

    /// Gives parts to the workers that wait. Returns how many are left that wait.
    fn serve(&mut self) -> Result<usize, ToolError> {
        let mut waiting = self.members.iter().filter(|member| member.idle).count();
        for member in self.members.iter_mut().filter(|member| member.idle) {
            if self.pool.is_empty() {
                break;
            }
            let count = self.pool.len().div_ceil(waiting);
            // Large parts go to the end, which is where a worker gives work away from.
            member.assign(self.pool.take_first(count).reversed())?;
            waiting -= 1;
        }
        Ok(waiting)
    }

    /// Starts workers, if there are to be more: as many as there are, since one in a round takes long for a thousand.
    fn recruit(&mut self) -> Result<(), ToolError> {
        let (there, wanted) = (self.members.len(), self.balancer.workers);
        if there == 0 {
            return self.hire();
        }
        let more = if self.now() - self.start >= WARM_UP { there.min(wanted.saturating_sub(there)) } else { 0 };
        for _ in 0..more {
            if self.balancer.transport.has_room() {
                self.hire()?;
            }
        }
        Ok(())
    }

    /// Has every worker commit from time to time.
    fn ask_for_commits(&mut self) -> Result<(), ToolError> {
        let every = COMMIT_EVERY.min(self.balancer.keep_every / 2);
        let now = self.now();
        for member in self.members.iter_mut().filter(|member| member.asked.is_none() && !member.idle) {
            if now - member.committed >= every {
                member.asked = Some((member.worker.ask(0).map_err(memory)?, 0));
            }
        }
        Ok(())
    }

    /// Puts down parts, ahead of time, for the workers that are likely to finish first.
    fn provide(&mut self) -> Result<(), ToolError> {
        while let Some(poorest) = self.poorest().filter(|_| !self.pool.is_empty()) {
            let half = self.pool.take_first(self.pool.len().div_ceil(2));
            self.members[poorest].assign(half.reversed())?;
        }
        Ok(())
    }

    /// The worker with the fewest open parts of those for which no package is put down, unless no other has more.
    fn poorest(&self) -> Option<usize> {
        let most = self.members.iter().map(Member::open).max()?;
        let unprovided = |member: &Member| !member.idle && member.can_be_assigned() && member.open() < most;
        let members = self.members.iter().enumerate().filter(|(_, member)| unprovided(member));
        members.min_by_key(|(_, member)| member.open()).map(|(at, _)| at)
    }

    /// Asks the workers with the most open parts to give some away: one more than there are workers `waiting`, those
    /// included that have been asked already. If none waits, the one is for a worker for which no package is put down.
    fn ask(&mut self, waiting: usize) -> Result<(), ToolError> {
        let most = self.members.iter().map(Member::open).max().unwrap_or(0);
        let least = if waiting > 0 { SOFT_LIMIT } else { most.max(SOFT_LIMIT) };
        if waiting == 0 && self.poorest().is_none() {
            return Ok(());
        }
        let asked = self.members.iter().filter(|member| member.asked.is_some_and(|(_, parts)| parts > 0)).count();
        let free = self.members.iter_mut().filter(|member| member.asked.is_none() && !member.idle);
        let mut donors: Vec<&mut Member> = free.filter(|member| member.open() >= least).collect();
        donors.sort_by_key(|member| Reverse(member.open()));
        for member in donors.into_iter().take((waiting + 1).saturating_sub(asked)) {
            let parts = (member.open() / 2).min(MOST);
            member.asked = Some((member.worker.ask(parts).map_err(memory)?, parts));
        }
        Ok(())
    }

    /// How many runs a worker may make beyond what was counted before.
    fn limit_of_worker(&self) -> u64 {
        self.balancer.job.max_executions.saturating_sub(self.before.runs())
    }

    fn hire(&mut self) -> Result<(), ToolError> {
        let job = Job { max_executions: self.limit_of_worker(), ..self.balancer.job.clone() };
        let job = if self.shares_states() { self.with_table(job) } else { job };
        self.hired += 1;
        let worker = self.balancer.transport.start(&job)?;
        self.members.push(Member::hired(worker, self.now()));
        Ok(())
    }

    /// The same as the counters of a single guest.
    fn counters(&self) -> Counters {
        if let (true, [member]) = (self.is_undivided() && !self.shares_states(), self.members.as_slice()) {
            return member.worker.output().counters;
        }
        let counts = self.all_counts();
        let all = || self.members.iter().map(|member| (member, &member.worker.output().counters));
        let covered = self.covered();
        Counters {
            executions: counts.executions,
            blocked: counts.blocked,
            assume_blocked: counts.assume_blocked,
            transitions: counts.transitions,
            estimated_total: (covered > 0.0).then(|| counts.runs() as f64 / covered),
            findings: all().map(|(_, counters)| counters.findings).max().unwrap_or(0),
            threads: all().map(|(_, counters)| counters.threads).max().unwrap_or(0).max(self.threads),
            states: if self.shares_states() { self.all_states() } else { None },
            ..Counters::default()
        }
    }

    /// The estimated share of the search that is covered, committed or not.
    fn covered(&self) -> f64 {
        let members = self.members.iter();
        let uncommitted = members.map(|member| (member.worker.output().counters.covered - member.covered).max(0.0));
        self.state.covered + uncommitted.sum::<f64>()
    }

    /// Brings the state's list of work up to date.
    fn settle(&mut self) -> Result<(), ToolError> {
        if self.is_undivided() {
            self.state.threads = self.counters().threads.max(self.state.threads);
            return Ok(());
        }
        self.state.work = self.pool.clone();
        for member in &self.members {
            self.state.work.append(member.all_left());
        }
        let job = &self.balancer.job;
        self.state.promoted = job.promoted.clone();
        (self.state.watch_sets, self.state.promoted_in) = (job.watch_sets.clone(), job.promoted_in.clone());
        self.state.threads = self.counters().threads.max(self.state.threads);
        Ok(())
    }

    fn keep(&mut self) -> Result<(), ToolError> {
        self.settle()?;
        let outputs: Vec<&RunOutput> =
            self.outputs.iter().chain(self.members.iter().map(|member| member.worker.output())).collect();
        (self.keep)(&self.state, &outputs);
        Ok(())
    }
}
