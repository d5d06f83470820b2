//! What channels offer, and who can go on there.
//!
//! The data are the driver's: after an operation on a channel it says what the channel offers then.

use super::{Run, Status};
use crate::event::{ChannelOperation, Object, Offer, ThreadId};

impl Run {
    pub(super) fn outcome_at_channel(&self, operation: ChannelOperation) -> ChannelOperation {
        ChannelOperation { found: self.objects.peek(operation.object()).offer, ..operation }
    }

    /// Whether a thread that waits at a channel finds there what it wants.
    pub(super) fn is_offered(&self, thread: ThreadId) -> bool {
        let Some(demand) = self.threads[thread.index()].request.operation.at_channel() else { return false };
        demand.is_met_by(self.objects.peek(demand.channel).offer)
    }

    /// Sets what a channel offers; of [`Object::ALL_CHANNELS`], what all channels together offer. The driver calls this
    /// when the channel is made, and after each operation on it before the operation's thread arrives at its next one.
    pub fn note_offer(&mut self, channel: Object, offer: Offer) {
        self.objects.get(channel).offer = offer;
        for thread in self.live.iter() {
            let slot = &self.threads[thread.index()];
            let demand = slot.request.operation.at_channel();
            if slot.status != Status::Arrived || !demand.is_some_and(|demand| demand.wanted.is_awaited()) {
                continue;
            }
            if self.is_offered(thread) {
                self.enabled.insert(thread);
            } else {
                self.enabled.remove(thread);
            }
        }
    }
}
