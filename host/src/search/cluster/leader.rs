//! The leader's side: the ranks as workers of its balancer.

use super::super::balance::node::{NodeReport, Order};
use super::message::{Messenger, Setup, ToLeader, ToRank, encode, fingerprint, own_host, own_version};
use super::rank::{Guests, local, serve_here};
use super::sent::Sent;
use crate::error::ToolError;
use crate::run::{GuestEnd, RunOutput, Target, Transport, Worker, WorkerUpdate, libraries_of};
use inspect_wire::message::Job;
use inspect_wire::work::Package;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long a rank may take to say that it is there, or that it has the program.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause between two looks for messages while the leader waits for such an answer.
const LOOK: Duration = Duration::from_millis(1);

/// How much was sent between the leader and the other ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Packages to other ranks.
    pub packages: MessageCount,
    /// Reports of other ranks with a commit.
    pub commits: MessageCount,
    /// Everything else, both ways.
    pub others: MessageCount,
}

/// Messages of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MessageCount {
    /// Their number.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
    /// The items in them.
    pub items: u64,
}

impl MessageCount {
    fn count(&mut self, bytes: usize, items: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
        self.items += items as u64;
    }
}

/// The ranks of a cluster. Copies are the same cluster.
#[derive(Clone)]
pub struct Cluster(Rc<RefCell<Hub>>);

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a cluster of {} ranks", self.size())
    }
}

impl Cluster {
    /// The ranks that this messenger leads to, and a thread that does rank 0's own share of the work. Each rank has
    /// `guests` guests, or as many as it may use cores.
    pub fn new(messenger: Box<dyn Messenger>, guests: Option<u32>) -> Cluster {
        Cluster::with(messenger, guests, local)
    }

    /// The same with other guests of rank 0.
    pub(super) fn with(messenger: Box<dyn Messenger>, guests: Option<u32>, start_guests: Guests) -> Cluster {
        let (orders, from_leader) = channel();
        let (to_leader, reports) = channel();
        std::thread::spawn(move || serve_here(&from_leader, &to_leader, start_guests));
        Cluster::beside(messenger, guests, orders, reports)
    }

    /// The same, where somebody else does rank 0's own share of the work: whoever has the other ends of the channels.
    pub(super) fn beside(
        messenger: Box<dyn Messenger>,
        guests: Option<u32>,
        orders: Sender<ToRank>,
        reports: Receiver<ToLeader>,
    ) -> Cluster {
        Cluster(Rc::new(RefCell::new(Hub::new(messenger, guests, orders, reports))))
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.0.borrow().peers.len()
    }

    /// What was sent so far.
    pub fn traffic(&self) -> Traffic {
        self.0.borrow().traffic
    }

    /// Tells all ranks that there is nothing more to do, and waits until they have sent their last messages: none may
    /// be on its way when MPI is.
    pub fn quit(&self) {
        let mut hub = self.0.borrow_mut();
        (0..hub.peers.len()).for_each(|rank| hub.send(rank, &ToRank::Quit));
        // Whoever does not answer is left behind.
        let _ = hub.wait("that it ends", |peer| peer.has_quit);
    }

    /// The ranks as workers that explore `target`.
    ///
    /// # Errors
    /// On a node, the program, a library or Inspect itself is missing or another one.
    pub fn ranks(&self, target: &Target) -> Result<Ranks<'_>, ToolError> {
        let wide = target.room.is_wide();
        self.0.borrow_mut().set_up(target)?;
        Ok(Ranks { cluster: self, wide })
    }
}

/// A rank as the leader sees it.
#[derive(Default)]
struct Peer {
    /// Its version and its node's name, once it has said them.
    hello: Option<(String, String)>,
    /// Whether it can explore the program, once it has said that.
    ready: Option<Readiness>,
    /// The search that it takes part in.
    search: Option<u32>,
    /// What it has reported of it.
    inbox: VecDeque<News>,
    /// It has sent its last message.
    has_quit: bool,
}

/// Whether a rank can explore the program.
#[derive(Clone)]
enum Readiness {
    Ready,
    /// It lacks these files.
    Lacks(Vec<OsString>),
    /// It cannot, for this reason.
    Refused(String),
}

/// What becomes of a rank in a search.
enum News {
    Report(Box<NodeReport>),
    /// It cannot go on, and another rank could not either.
    Failed(String),
    /// It is not there any more.
    Gone,
}

/// Where all messages come together.
struct Hub {
    messenger: Box<dyn Messenger>,
    /// To and from rank 0's own share of the work.
    orders: Sender<ToRank>,
    reports: Receiver<ToLeader>,
    peers: Vec<Peer>,
    /// The number of the last search.
    searches: u32,
    guests: Option<u32>,
    /// What the ranks were told last.
    setup: Option<Setup>,
    traffic: Traffic,
}

impl Hub {
    fn new(
        messenger: Box<dyn Messenger>,
        guests: Option<u32>,
        orders: Sender<ToRank>,
        reports: Receiver<ToLeader>,
    ) -> Hub {
        let mut peers: Vec<Peer> = std::iter::repeat_with(Peer::default).take(messenger.ranks()).collect();
        peers[0].hello = Some((own_version(), own_host()));
        Hub { messenger, orders, reports, peers, searches: 0, guests, setup: None, traffic: Traffic::default() }
    }

    fn send(&mut self, rank: usize, message: &ToRank) {
        if rank == 0 {
            // If the thread has panicked, its messages have ended as well.
            _ = self.orders.send(message.clone());
            return;
        }
        let bytes = encode(message);
        match message {
            ToRank::Order { order: Order::Assign(package), .. } => {
                self.traffic.packages.count(bytes.len(), package.work.len());
            }
            ToRank::Order { .. } | ToRank::Setup(_) | ToRank::Files { .. } | ToRank::Start { .. } | ToRank::Quit => {
                self.traffic.others.count(bytes.len(), 0);
            }
        }
        self.messenger.send(rank, bytes);
    }

    /// Takes in all messages that have arrived.
    fn receive(&mut self) {
        use std::sync::mpsc::TryRecvError::{Disconnected, Empty};
        loop {
            match self.reports.try_recv() {
                Ok(message) => self.take_in(0, message),
                Err(Empty) => break,
                Err(Disconnected) => {
                    // Without a last message, it has panicked.
                    self.lose(0, News::Gone);
                    break;
                }
            }
        }
        while let Some((rank, bytes)) = self.messenger.receive() {
            match postcard::from_bytes(&bytes) {
                Ok(message) => {
                    self.count(&message, bytes.len());
                    self.take_in(rank, message);
                }
                Err(_) => self.lose(rank, News::Failed("what it says cannot be understood".into())),
            }
        }
    }

    fn count(&mut self, message: &ToLeader, bytes: usize) {
        match message {
            ToLeader::Report { report, .. } if report.commit.is_some() => {
                let items = report.commit.as_ref().map_or(0, |commit| commit.given.len() + commit.left.len());
                self.traffic.commits.count(bytes, items);
            }
            ToLeader::Report { .. }
            | ToLeader::Hello { .. }
            | ToLeader::Ready
            | ToLeader::HasQuit
            | ToLeader::Lacks(_)
            | ToLeader::Refused(_)
            | ToLeader::Failed { .. } => self.traffic.others.count(bytes, 0),
        }
    }

    fn take_in(&mut self, rank: usize, message: ToLeader) {
        let peer = &mut self.peers[rank];
        let mut add = |search, news| {
            // What came too late is of no use.
            if peer.search == Some(search) {
                peer.inbox.push_back(news);
            }
        };
        match message {
            ToLeader::Hello { version, host } => peer.hello = Some((version, host)),
            // The first answer holds: a rank that could not take in the files that it was sent lacks them after that.
            ToLeader::Ready => _ = peer.ready.get_or_insert(Readiness::Ready),
            ToLeader::Lacks(files) => _ = peer.ready.get_or_insert(Readiness::Lacks(files)),
            ToLeader::Refused(why) => _ = peer.ready.get_or_insert(Readiness::Refused(why)),
            ToLeader::HasQuit => self.lose(rank, News::Gone),
            ToLeader::Report { search, report } => add(search, News::Report(report)),
            ToLeader::Failed { search, why } => add(search, News::Failed(why)),
        }
    }

    /// A rank takes no further part in anything.
    fn lose(&mut self, rank: usize, news: News) {
        let peer = &mut self.peers[rank];
        if !peer.has_quit {
            peer.has_quit = true;
            peer.inbox.push_back(news);
        }
    }

    /// The number of a rank that takes part in no search and can.
    fn free(&self) -> Option<usize> {
        self.peers.iter().position(|peer| peer.search.is_none() && !peer.has_quit)
    }

    /// How a rank is named to the user.
    fn name(&self, rank: usize) -> String {
        match &self.peers[rank].hello {
            Some((_, host)) => format!("rank {rank} on {host}"),
            None => format!("rank {rank}"),
        }
    }

    /// Waits until all ranks have answered.
    fn wait(&mut self, what: &str, has_answered: fn(&Peer) -> bool) -> Result<(), ToolError> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.receive();
            let Some(silent) = self.peers.iter().position(|peer| !has_answered(peer)) else { return Ok(()) };
            if Instant::now() >= until {
                let (name, seconds) = (self.name(silent), PATIENCE.as_secs());
                return Err(ToolError::new(format!("{name} has not said within {seconds} seconds {what}")));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Has all ranks look whether they can explore `target`.
    fn set_up(&mut self, target: &Target) -> Result<(), ToolError> {
        let setup = setup(target, self.guests)?;
        if self.setup.as_ref() == Some(&setup) {
            return Ok(());
        }
        self.wait("that it is there", |peer| peer.hello.is_some())?;
        let version = own_version();
        let is_other = |peer: &Peer| peer.hello.as_ref().is_some_and(|(other, _)| *other != version);
        if let Some(other) = self.peers.iter().position(is_other) {
            return Err(ToolError::new(format!("{}: another version or build of Inspect there", self.name(other))));
        }
        let lacking = self.ask(&setup)?;
        if !lacking.is_empty() {
            let sent = Sent::new(&setup, &lacking)?;
            self.tell_all(&sent.files);
            let lacking = self.ask(&sent.setup)?;
            if let Some(file) = lacking.first() {
                return Err(ToolError::new(format!(
                    "{}: a rank does not have it although it was sent",
                    file.display()
                )));
            }
        }
        self.setup = Some(setup);
        Ok(())
    }

    /// Has all ranks look whether they can explore this; the files that some of them lack.
    fn ask(&mut self, setup: &Setup) -> Result<Vec<OsString>, ToolError> {
        self.peers.iter_mut().filter(|peer| !peer.has_quit).for_each(|peer| peer.ready = None);
        self.tell_all(&ToRank::Setup(setup.clone()));
        self.wait("whether it has the program", |peer| peer.ready.is_some() || peer.has_quit)?;
        let (mut refusals, mut lacking) = (Vec::new(), BTreeSet::new());
        for (rank, peer) in self.peers.iter().enumerate().filter(|(_, peer)| !peer.has_quit) {
            match &peer.ready {
                Some(Readiness::Refused(why)) => refusals.push(format!("{}: {why}", self.name(rank))),
                Some(Readiness::Lacks(files)) => lacking.extend(files.iter().cloned()),
                Some(Readiness::Ready) | None => {}
            }
        }
        if refusals.is_empty() { Ok(lacking.into_iter().collect()) } else { Err(ToolError::new(refusals.join("\n  "))) }
    }

    fn tell_all(&mut self, message: &ToRank) {
        let there = (0..self.peers.len()).filter(|&rank| !self.peers[rank].has_quit);
        there.collect::<Vec<_>>().into_iter().for_each(|rank| self.send(rank, message));
    }

    /// The next that a rank has reported of a search.
    fn next(&mut self, rank: usize) -> Option<News> {
        self.receive();
        self.peers[rank].inbox.pop_front()
    }
}

/// What ranks have to know to explore `target`.
fn setup(target: &Target, guests: Option<u32>) -> Result<Setup, ToolError> {
    let program = target.program.clone();
    let files = std::iter::once(program).chain(libraries_of(target));
    let fingerprinted = |path: std::path::PathBuf| {
        let fingerprint = fingerprint(&path)?;
        Ok((path.into_os_string(), fingerprint))
    };
    Ok(Setup {
        program: target.program.clone().into_os_string(),
        args: target.args.clone(),
        environment: target.environment.clone(),
        files: files.map(fingerprinted).collect::<Result<_, ToolError>>()?,
        guests,
    })
}

/// The ranks as workers.
#[derive(Debug)]
pub struct Ranks<'a> {
    cluster: &'a Cluster,
    wide: bool,
}

impl Transport for Ranks<'_> {
    fn start(&mut self, job: &Job) -> Result<Box<dyn Worker>, ToolError> {
        let hub = Rc::clone(&self.cluster.0);
        let mut borrowed = hub.borrow_mut();
        let rank = borrowed.free().ok_or_else(|| ToolError::new("no rank of the cluster is left"))?;
        borrowed.searches += 1;
        let search = borrowed.searches;
        borrowed.peers[rank].search = Some(search);
        borrowed.peers[rank].inbox.clear();
        borrowed.send(rank, &ToRank::Start { search, wide: self.wide, job: Box::new(job.clone()) });
        drop(borrowed);
        Ok(Box::new(RankWorker { hub, rank, search, output: RunOutput::new(), taken: 0, requests: 0, over: false }))
    }

    fn has_room(&self) -> bool {
        self.cluster.0.borrow().free().is_some()
    }
}

/// A rank that takes part in a search.
struct RankWorker {
    hub: Rc<RefCell<Hub>>,
    rank: usize,
    search: u32,
    output: RunOutput,
    taken: u32,
    requests: u32,
    /// It has ended, or was told to.
    over: bool,
}

impl RankWorker {
    fn order(&self, order: Order) {
        let (rank, search) = (self.rank, self.search);
        self.hub.borrow_mut().send(rank, &ToRank::Order { search, order });
    }
}

impl Worker for RankWorker {
    fn poll(&mut self) -> io::Result<WorkerUpdate> {
        let mut update = WorkerUpdate::default();
        // Reports before a commit belong to it, and those after it to the next one.
        while update.commit.is_none() && update.end.is_none() {
            let Some(news) = self.hub.borrow_mut().next(self.rank) else { break };
            let report = match news {
                News::Report(report) => report,
                News::Failed(why) => {
                    let name = self.hub.borrow().name(self.rank);
                    return Err(io::Error::other(ToolError::new(format!("{name}: {why}"))));
                }
                News::Gone => {
                    self.over = true;
                    let end = GuestEnd::Died { how: "its rank has ended".into(), in_engine: true };
                    return Ok(WorkerUpdate { end: Some(end), killed: true, taken: self.taken, commit: None });
                }
            };
            if let Some(news) = report.news {
                self.output.add(*news);
            }
            if let Some(GuestEnd::NotStarted { output, how }) = &report.end {
                let name = self.hub.borrow().name(self.rank);
                let what = format!("{name}: the program ended before Inspect could take over: {how}\n{output}");
                return Err(io::Error::other(ToolError::new(what.trim_end())));
            }
            (self.output.counters, self.taken) = (report.counters, report.taken);
            (update.commit, update.end) = (report.commit, report.end);
        }
        self.over |= update.end.is_some();
        Ok(WorkerUpdate { taken: self.taken, ..update })
    }

    fn wait(&self, at_most: Duration) {
        std::thread::sleep(at_most);
    }

    /// Ranks take no turns.
    fn processor_time(&self) -> Option<Duration> {
        None
    }

    fn assign(&mut self, package: &Package) -> io::Result<()> {
        self.order(Order::Assign(package.clone()));
        Ok(())
    }

    fn ask(&mut self, parts: u32) -> io::Result<u32> {
        self.requests = self.requests.wrapping_add(1);
        self.order(Order::Ask { request: self.requests, parts });
        Ok(self.requests)
    }

    fn stop(&mut self) -> io::Result<()> {
        self.order(Order::Stop);
        Ok(())
    }

    fn kill(&mut self) -> io::Result<()> {
        if !self.over {
            self.over = true;
            self.order(Order::Kill);
        }
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}

impl Drop for RankWorker {
    fn drop(&mut self) {
        // Sending an order does not fail.
        _ = self.kill();
        self.hub.borrow_mut().peers[self.rank].search = None;
    }
}
