//! Statements that send and take signals, and those about timers.

use super::Machine;
use crate::event::{Object, SignalOperation, ThreadId};
use crate::model::Statement;
use crate::run::Request;

/// Above the bits of signals, a variable has the setting of its timer.
const SETTING: u32 = 32;

impl Machine<'_> {
    /// Performs the operation just executed by `thread`. Returns whether the thread rests now.
    pub(super) fn perform_on_signals(&mut self, thread: ThreadId, statement: Statement) -> bool {
        let slot = &mut self.memory.threads[thread.index()];
        let registers = slot.registers;
        match statement {
            Statement::SignalSend(place, signal) => {
                self.memory.variables[place.number(&registers) as usize] |= SignalOperation::bit(signal);
            }
            Statement::SignalTake(place, signals, register) | Statement::SignalAwait(place, signals, register) => {
                let pending = &mut self.memory.variables[place.number(&registers) as usize];
                slot.registers[register as usize] = take(pending, signals);
                let event = *self.run.last_event();
                if event.operation.awaits_signal() && event.operation.succeeded() == Some(false) {
                    let watch = [(SignalOperation::bytes_of(Object(place.range(&registers).start)), *pending)];
                    slot.at -= 1;
                    self.arrives(thread);
                    let request = Request::new(event.operation, event.site).with_signals(signals);
                    self.run.park(thread, request, &watch, None);
                    return true;
                }
            }
            Statement::SignalLook(place, register) => {
                slot.registers[register as usize] = self.memory.variables[place.number(&registers) as usize];
            }
            Statement::TimerSet(place, setting) => {
                let pending = &mut self.memory.variables[place.number(&registers) as usize];
                *pending = with_setting(*pending, setting);
            }
            Statement::TimerExpire(place, setting, signal) => {
                let pending = &mut self.memory.variables[place.number(&registers) as usize];
                if *pending >> SETTING == u64::from(setting) {
                    *pending = with_setting(*pending, 0) | SignalOperation::bit(signal);
                }
            }
            _ => unreachable!("no signal"),
        }
        false
    }
}

/// What is pending, with this setting of the timer.
fn with_setting(pending: u64, setting: u8) -> u64 {
    pending & ((1 << SETTING) - 1) | u64::from(setting) << SETTING
}

/// Takes the lowest of these signals that is pending. Returns its number, or 0 if there is none.
fn take(pending: &mut u64, signals: u64) -> u64 {
    let found = *pending & signals;
    *pending &= !(found & found.wrapping_neg());
    if found == 0 { 0 } else { u64::from(found.trailing_zeros()) + 1 }
}
