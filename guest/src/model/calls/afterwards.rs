//! Calls that are made here, as their effects are known afterwards only.

use super::super::arguments::VaList;
use super::super::library_state::with_time_zone;
use super::super::stream_lock::Held;
use super::super::{channels, descriptors, file_calls, format, memory_streams, signal, stored};
use super::{Announced, refuse};
use crate::platform::elf;
use inspect_wire::library::CallEffect;

impl Announced<'_> {
    /// Whether the call reads from a pipe, an event counter or a socket, which announces what it writes once it has
    /// waited.
    pub(super) fn receives(&self) -> bool {
        channels::receives(self.effects, |number| self.argument(number))
    }

    /// Whether something is announced of the effect after the call.
    pub(super) fn ends_later(&self, effect: &CallEffect) -> bool {
        match *effect {
            CallEffect::Stores(..) | CallEffect::StoresVector => !self.receives(),
            CallEffect::SetsTimeZone
            | CallEffect::OpensGrowingStream
            | CallEffect::OpensStreamOfMemory
            | CallEffect::CopiesFile { .. } => true,
            CallEffect::FlushesStreams(stream) => self.argument(stream) == 0,
            CallEffect::ChangesSignal { action, .. } => self.argument(action) != 0,
            _ => effect.is_known_afterwards(),
        }
    }

    /// Makes the call, announces what is known of it then, and gives back the lock of the stream that it uses. No other
    /// thread runs in between.
    pub(super) fn make(&self, name: &str, function: *const (), lock: Option<Held>) -> u64 {
        let mut lists = self.effects.iter().filter_map(|&effect| match effect {
            CallEffect::Scans { format, wide } => Some((format, wide, self.behind(format), true)),
            CallEffect::ScansList { format, list, wide } => {
                Some((format, wide, VaList::copy_of(self.argument(list)), false))
            }
            _ => None,
        });
        let result = if let Some((format, wide, list, variable)) = lists.next() {
            let result = if variable { self.call_with_list(name, format, list) } else { self.frame.call(function) };
            format::scan(self.argument(format), wide, list, i64::from(result as i32), self.site);
            result
        } else {
            self.make_storing(name, function)
        };
        if let Some(lock) = lock {
            lock.release();
        }
        result
    }

    /// Makes a call that does not scan, and announces what it has stored.
    fn make_storing(&self, name: &str, function: *const ()) -> u64 {
        let position = stored::position(self.effects, |number| self.argument(number));
        let printed = self.effects.iter().find_map(|effect| match *effect {
            CallEffect::Prints { format, .. } => Some(format),
            _ => None,
        });
        let call = || match printed {
            Some(format) => self.call_with_list(name, format, self.behind(format)),
            None => self.frame.call(function),
        };
        let result = if self.effects.contains(&CallEffect::SetsTimeZone) { with_time_zone(call) } else { call() };
        self.effects.iter().for_each(|&effect| self.announce_afterwards(effect, result, position));
        result
    }

    /// Announces what is known of an effect after the call. `position` is where the stream stood before it.
    fn announce_afterwards(&self, effect: CallEffect, result: u64, position: Option<i64>) {
        match effect {
            CallEffect::WritesResult(extent) if result != 0 => {
                stored::announce(result, self.length(extent, result), self.site);
            }
            CallEffect::Stores(at, stored) if self.argument(at) != 0 => {
                let at = self.argument(at);
                let len = stored::bytes(stored, at, result, position, |number| self.argument(number));
                stored::announce(at, len, self.site);
            }
            CallEffect::OpensGrowingStream => {
                memory_streams::note_growing(result, self.argument(0), self.argument(1));
            }
            CallEffect::OpensStreamOfMemory => {
                memory_streams::note_fixed(result, self.argument(0), self.argument(1), self.argument(2));
            }
            CallEffect::CopiesFile { from, .. } => file_calls::end_copy(self.argument(from), self.site),
            CallEffect::StoresVector => {
                stored::fill_vector(self.argument(1), self.argument(2), result, self.site);
            }
            // Several objects at once: they are used once more afterwards, so that every order with others' calls on
            // any of them comes up.
            CallEffect::FlushesStreams(stream) if self.argument(stream) == 0 => {
                descriptors::use_all_streams(self.site);
            }
            CallEffect::ChangesSignal { signal, action } if self.argument(action) != 0 => {
                signal::note_action(self.argument(signal), self.site);
            }
            _ => {}
        }
    }

    /// Makes the call of a function with variable arguments behind the format in this argument: calls the one that
    /// takes them as a list, which for `scanf` is `vscanf`, and for `__printf_chk` is `__vprintf_chk`.
    fn call_with_list(&self, name: &str, format: u8, mut list: VaList) -> u64 {
        let (base, end) = name.strip_suffix("_chk").map_or((name, ""), |base| (base, "_chk"));
        let (prefix, base) = base.split_at(base.rfind('_').map_or(0, |at| at + 1));
        let function = elf::find(&alloc::format!("{prefix}v{base}{end}"));
        if function.is_null() {
            refuse(name, self.frame);
        }
        let list = &raw mut list as u64;
        let [first, second, third, fourth, fifth, sixth] = core::array::from_fn(|at| match at as u8 {
            number if number <= format => self.argument(number),
            _ => list,
        });
        type Function = extern "C" fn(u64, u64, u64, u64, u64, u64) -> i32;
        // SAFETY: the C library's function of this name takes the arguments up to the format, then the list.
        let function = unsafe { core::mem::transmute::<*const (), Function>(function) };
        function(first, second, third, fourth, fifth, sixth) as u32 as u64
    }
}
