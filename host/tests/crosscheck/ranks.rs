//! The ranks of a cluster as threads of this process, each with guests that are processes.

use crate::division::divided_by;
use inspect_host::run::{RunOutput, Target};
use inspect_host::search::cluster::{Cluster, Messenger, serve};
use inspect_wire::message::Job;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The place of a thread in the mail between them.
struct Mail {
    rank: usize,
    boxes: Vec<Sender<(usize, Vec<u8>)>>,
    own: Receiver<(usize, Vec<u8>)>,
}

impl Messenger for Mail {
    fn ranks(&self) -> usize {
        self.boxes.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) {
        self.boxes[to].send((self.rank, message)).expect("ranks end after their last message");
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        self.own.try_recv().ok()
    }
}

/// Divides a search as often as the ranks can be asked for work, with `pause` in between. Returns what each of them
/// reported, and how often one was given work.
pub(crate) fn divided_by_ranks(
    target: &Target,
    job: &Job,
    (ranks, guests): (usize, u32),
    pause: Duration,
) -> (Vec<RunOutput>, u32) {
    let (boxes, owners): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let place = |(rank, own)| Mail { rank, boxes: boxes.clone(), own };
    let mut places: Vec<Mail> = owners.into_iter().enumerate().map(place).collect();
    let others: Vec<Mail> = places.drain(1..).collect();
    let threads: Vec<_> = others.into_iter().map(|mut place| std::thread::spawn(move || serve(&mut place))).collect();
    let cluster = Cluster::new(Box::new(places.remove(0)), Some(guests));
    let mut transport = cluster.ranks(target).expect("all ranks have these files");
    let divided = divided_by(&mut transport, job, ranks, pause);
    cluster.quit();
    threads.into_iter().for_each(|thread| thread.join().expect("no rank panics"));
    divided
}
