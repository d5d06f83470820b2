//! Messages between ranks over MPI.

use inspect_host::search::cluster::Messenger;
use mpi::Rank;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::scope;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::{Destination, Source};
use std::collections::VecDeque;
use std::time::Duration;

/// The pause between two looks whether a message has been sent. MPI itself would wait by looking all the time, on a
/// core that a guest could use.
const LOOK: Duration = Duration::from_micros(200);

/// All ranks of an MPI job.
pub(crate) struct Mpi {
    world: SimpleCommunicator,
    /// What has arrived and nobody has asked for.
    arrived: VecDeque<(usize, Vec<u8>)>,
}

impl Mpi {
    pub(crate) fn new(world: SimpleCommunicator) -> Mpi {
        Mpi { world, arrived: VecDeque::new() }
    }
}

/// Takes in all messages that have arrived.
fn collect(world: &SimpleCommunicator, arrived: &mut VecDeque<(usize, Vec<u8>)>) {
    while let Some(found) = world.any_process().immediate_matched_probe() {
        let (bytes, status) = found.matched_receive_vec();
        arrived.push_back((status.source_rank() as usize, bytes));
    }
}

impl Messenger for Mpi {
    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    /// A long message is sent only once the other rank receives it, which may be waiting in the same way. So this rank
    /// goes on to receive.
    fn send(&mut self, to: usize, message: Vec<u8>) {
        let Mpi { world, arrived } = self;
        let receiver = world.process_at_rank(to as Rank);
        scope(|scope| {
            let mut request = receiver.immediate_send(scope, &message[..]);
            while let Err(unsent) = request.test() {
                request = unsent;
                collect(world, arrived);
                std::thread::sleep(LOOK);
            }
        });
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        if self.arrived.is_empty() {
            collect(&self.world, &mut self.arrived);
        }
        self.arrived.pop_front()
    }
}
