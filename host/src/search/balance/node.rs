//! The balancer of a rank: it shares out among its own guests what a leader gives it, and is a worker of that leader.
//!
//! It reports what a guest would report. Its commits are its ledger: what its guests have committed and what is left of
//! that are of one moment at any time, so a commit needs no guest's answer unless parts are to be given away. A package
//! of the leader's lies beside the pool until the guests run out of parts, so that the leader can tell who is well
//! provided for.

use super::ending::Stopping;
use super::member::{Member, memory};
use super::{Balance, Balancer, Keep, MOST, Progressed, SOFT_LIMIT};
use crate::error::ToolError;
use crate::run::{Counters, GuestEnd, Interrupt, RunOutput};
use inspect_core::event::SiteId;
use inspect_core::explore::Counts;
use inspect_wire::work::{Bundle, Commit, Package};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often counters are reported that have changed.
const REPORT_EVERY: Duration = Duration::from_millis(10);

/// What a leader wants of a rank that is at work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::search) enum Order {
    /// Work for it. It has taken all packages before.
    Assign(Package),
    /// It is to commit, and to give away so many parts.
    Ask {
        /// The number of the request.
        request: u32,
        /// The number of parts.
        parts: u32,
    },
    /// It is to commit what it has done, and to end.
    Stop,
    /// It is to end at once; nobody wants to know what it has done.
    Kill,
}

/// What a rank that is at work reports.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::search) struct NodeReport {
    /// The counters of all of its guests together.
    pub(in crate::search) counters: Counters,
    /// How many packages it has taken.
    pub(in crate::search) taken: u32,
    /// What guests have reported since the last time, before the commit.
    pub(in crate::search) news: Option<Box<RunOutput>>,
    /// What it commits.
    pub(in crate::search) commit: Option<Commit>,
    /// How it ended, with the last report.
    pub(in crate::search) end: Option<GuestEnd>,
}

/// The way to a leader.
pub(in crate::search) trait Leader {
    /// The next order that has come.
    fn order(&mut self) -> Option<Order>;
    /// Sends a report.
    fn report(&mut self, report: NodeReport);
}

impl Balancer<'_> {
    /// Explores what the leader gives, until it says that the search is over.
    pub(in crate::search) fn serve(self, leader: &mut dyn Leader) -> Result<(), ToolError> {
        self.follow(leader, &mut |_, _| {})?.work()
    }
}

impl<'a> Balancer<'a> {
    /// The same before it has begun: each round is one look at everybody. A rank keeps no file.
    pub(in crate::search) fn follow<'b, 'l>(
        self,
        leader: &'l mut dyn Leader,
        keep: &'b mut Keep<'b>,
    ) -> Result<NodeBalancer<'a, 'b, 'l>, ToolError> {
        let state = Progressed { work: Bundle::default(), ..Progressed::nothing() };
        let balance = Balance { is_led: true, ..Balance::new(self, state, keep)? };
        Ok(NodeBalancer::new(balance, leader))
    }
}

/// What was committed of the present pass.
#[derive(Default)]
struct Committed {
    counts: Counts,
    lost: u64,
    covered: f64,
}

/// A request that was not answered yet.
struct Request {
    number: u32,
    parts: u32,
    /// The guests were asked.
    passed_on: bool,
}

/// The balancer of a rank.
pub(in crate::search) struct NodeBalancer<'a, 'b, 'l> {
    balance: Balance<'a, 'b>,
    leader: &'l mut dyn Leader,
    /// How many packages were taken, and the one that was not.
    taken: u32,
    ahead: Option<Package>,
    request: Option<Request>,
    /// The last request that was answered.
    answered: u32,
    committed: Committed,
    pass: u32,
    /// The leader knows that nothing is left here.
    is_idle: bool,
    /// What guests have reported and the leader does not know, and which source locations it knows.
    news: RunOutput,
    sites: BTreeSet<SiteId>,
    modules_reported: bool,
    counters: Counters,
    reported: Instant,
}

/// Whether there is more to do.
#[derive(PartialEq, Debug)]
pub(in crate::search) enum Next {
    /// There may be.
    GoOn,
    /// There is not: the leader has the last report.
    Over,
}

impl<'a, 'b, 'l> NodeBalancer<'a, 'b, 'l> {
    fn new(balance: Balance<'a, 'b>, leader: &'l mut dyn Leader) -> Self {
        let reported = balance.now();
        NodeBalancer {
            balance,
            leader,
            taken: 0,
            ahead: None,
            request: None,
            answered: 0,
            committed: Committed::default(),
            pass: 0,
            is_idle: false,
            news: RunOutput::new(),
            sites: BTreeSet::new(),
            modules_reported: false,
            counters: Counters::default(),
            reported,
        }
    }

    fn work(&mut self) -> Result<(), ToolError> {
        while self.round()? == Next::GoOn {
            self.balance.rest();
        }
        Ok(())
    }

    /// One look at the guests and at what the leader wants.
    pub(in crate::search) fn round(&mut self) -> Result<Next, ToolError> {
        if let Some(end) = self.balance.listen()? {
            self.gather();
            return self.end(end);
        }
        self.gather();
        while let Some(order) = self.leader.order() {
            if self.obey(order)? == Next::Over {
                return Ok(Next::Over);
            }
        }
        let now = self.balance.now();
        match &self.balance.stopping {
            Some(stopping) if self.balance.members.is_empty() => return self.end(stopping.why.clone()),
            Some(Stopping { until, .. }) if now >= *until => self.balance.dismiss_all()?,
            Some(_) => {}
            None => {
                self.divide()?;
                self.balance.stopping = self.balance.reason_to_stop(&Interrupt::default());
                if self.balance.stopping.is_some() {
                    self.stop_guests()?;
                }
            }
        }
        self.report()?;
        Ok(Next::GoOn)
    }

    fn stop_guests(&mut self) -> Result<(), ToolError> {
        self.balance.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)
    }

    fn obey(&mut self, order: Order) -> Result<Next, ToolError> {
        match order {
            Order::Assign(package) => {
                self.is_idle = false;
                self.ahead = Some(package);
            }
            Order::Ask { request, parts } => {
                self.request = Some(Request { number: request, parts, passed_on: false });
            }
            Order::Stop => {
                if self.balance.stopping.is_none() {
                    self.balance.stopping = Some(Stopping::because(GuestEnd::Done, self.balance.now()).sooner());
                    self.stop_guests()?;
                }
            }
            Order::Kill => {
                self.balance.dismiss_all()?;
                return Ok(Next::Over);
            }
        }
        Ok(Next::GoOn)
    }

    /// Takes over what the guests have reported. If one of them has promoted a location, what was done before is void.
    fn gather(&mut self) {
        for mut output in std::mem::take(&mut self.balance.outputs) {
            self.take_news(output.take_news());
        }
        if self.balance.begun_anew != self.pass {
            self.pass = self.balance.begun_anew;
            self.committed = Committed::default();
            self.is_idle = false;
            self.news.forget_traces();
            let job = &self.balance.balancer.job;
            (self.news.promoted, self.news.watch_sets) = (job.promoted.clone(), job.watch_sets.clone());
            (self.news.passes, self.news.modules) = (self.pass, job.promoted_in.clone());
        }
        for at in 0..self.balance.members.len() {
            let news = self.balance.members[at].worker.output_mut().take_news();
            self.take_news(news);
        }
    }

    fn take_news(&mut self, mut news: RunOutput) {
        news.sites.retain(|site| self.sites.insert(site.site));
        if self.modules_reported {
            news.modules.clear();
        }
        self.modules_reported |= !news.modules.is_empty();
        self.news.add(news);
    }

    /// Gives parts to the guests and, if the leader has asked for some, takes them from the guests.
    fn divide(&mut self) -> Result<(), ToolError> {
        let void = self.ahead.as_ref().is_some_and(|package| package.pass != self.pass);
        let wanted = self.request.as_ref().is_some_and(|request| request.parts > 0);
        if void || wanted || self.runs_dry() {
            self.take_package()?;
        }
        if !wanted {
            return self.balance.distribute();
        }
        self.balance.serve()?;
        self.balance.recruit()?;
        self.pass_on()?;
        self.balance.ask_for_commits()
    }

    /// Whether the guests have hardly a part beside those that they explore.
    fn runs_dry(&self) -> bool {
        let members = &self.balance.members;
        let open: u32 = members.iter().map(Member::open).sum();
        self.balance.pool.is_empty() && (members.iter().any(|member| member.idle) || open <= members.len() as u32)
    }

    /// Puts the package of the leader into the pool, unless it is of a pass that is void.
    fn take_package(&mut self) -> Result<(), ToolError> {
        let Some(package) = self.ahead.take() else { return Ok(()) };
        self.taken = self.taken.wrapping_add(1);
        if package.pass == self.pass {
            // A package is in the order in which a guest has parts, the pool in the order in which it gives them away.
            self.balance.pool.append(super::checked(package.work)?.reversed());
        }
        Ok(())
    }

    /// Asks the guests for the parts that the leader wants, each for its share.
    fn pass_on(&mut self) -> Result<(), ToolError> {
        let Some(request) = self.request.as_mut().filter(|request| !request.passed_on) else { return Ok(()) };
        request.passed_on = true;
        let missing = request.parts.saturating_sub(self.balance.pool.len() as u32);
        let members = &mut self.balance.members;
        let all: u32 = members.iter().map(Member::open).sum();
        let donors = members.iter_mut().filter(|member| member.asked.is_none() && !member.idle);
        for member in donors.filter(|member| missing > 0 && member.open() >= SOFT_LIMIT) {
            let share = (u64::from(missing) * u64::from(member.open())).div_ceil(u64::from(all)) as u32;
            let parts = share.min(member.open() / 2).min(MOST);
            member.asked = Some((member.worker.ask(parts).map_err(memory)?, parts));
        }
        Ok(())
    }

    /// The commit that is due, if one is: an answer to the leader, or that nothing is left.
    fn commit_due(&mut self) -> Result<Option<Commit>, ToolError> {
        let waits = |member: &Member| member.asked.is_some_and(|(_, parts)| parts > 0);
        let answer = self
            .request
            .take_if(|request| request.parts == 0 || request.passed_on && !self.balance.members.iter().any(waits));
        let mut given = Bundle::default();
        if let Some(Request { number, parts, .. }) = answer {
            given = self.balance.pool.take_first(parts as usize);
            self.answered = number;
        }
        let members = &self.balance.members;
        let nothing_left = self.balance.pool.is_empty()
            && self.ahead.is_none()
            && members.iter().all(|member| member.left.is_empty() && member.ahead.is_none());
        let becomes_idle = nothing_left && !self.is_idle;
        self.is_idle = nothing_left;
        if answer.is_none() && !becomes_idle { Ok(None) } else { Ok(Some(self.commit(given)?)) }
    }

    /// The ledger, with what was counted since the last commit.
    fn commit(&mut self, given: Bundle) -> Result<Commit, ToolError> {
        self.balance.settle()?;
        let state = &mut self.balance.state;
        let committed = std::mem::replace(
            &mut self.committed,
            Committed { counts: state.counts, lost: state.lost, covered: state.covered },
        );
        Ok(Commit {
            pass: self.pass,
            answers: self.answered,
            packages: self.taken,
            counts: state.counts - committed.counts,
            lost: state.lost - committed.lost,
            covered: state.covered - committed.covered,
            given,
            left: std::mem::take(&mut state.work),
        })
    }

    /// Reports what is new, if it is time for that.
    fn report(&mut self) -> Result<(), ToolError> {
        let now = self.balance.now();
        let commit = self.commit_due()?;
        let counters = self.all_counters();
        let news = (self.news != RunOutput::new()).then(|| Box::new(std::mem::take(&mut self.news)));
        let beat = counters != self.counters && now - self.reported >= REPORT_EVERY;
        if commit.is_some() || news.is_some() || beat {
            (self.counters, self.reported) = (counters, now);
            self.leader.report(NodeReport { counters, taken: self.taken, news, commit, end: None });
        }
        Ok(())
    }

    fn all_counters(&self) -> Counters {
        let of_members = || self.balance.members.iter().map(|member| &member.worker.output().counters);
        let pool = self.balance.pool.len() as u32;
        Counters {
            heartbeat: of_members().map(|counters| counters.heartbeat).sum(),
            open: self.balance.members.iter().map(Member::open).sum::<u32>() + pool,
            covered: self.balance.covered(),
            ..self.balance.counters()
        }
    }

    /// The last report.
    fn end(&mut self, why: GuestEnd) -> Result<Next, ToolError> {
        self.gather();
        let commit = Some(self.commit(Bundle::default())?);
        self.news.done = (why == GuestEnd::Done).then_some((self.balance.state.counts, false));
        let news = Some(Box::new(std::mem::take(&mut self.news)));
        let counters = self.all_counters();
        self.leader.report(NodeReport { counters, taken: self.taken, news, commit, end: Some(why) });
        Ok(Next::Over)
    }
}
