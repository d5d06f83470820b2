//! Calls that are made here, as their effects are known afterwards only.

use super::super::arguments::VaList;
use super::super::library_state::with_time_zone;
use super::super::{channels, descriptors, format, signal, stored};
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
            CallEffect::SetsTimeZone => true,
            CallEffect::FlushesStreams(stream) => self.argument(stream) == 0,
            CallEffect::ChangesSignal { action, .. } => self.argument(action) != 0,
            _ => effect.is_known_afterwards(),
        }
    }

    /// Makes the call and announces what is known of it then. No other thread runs in between.
    pub(super) fn make(&self, name: &str, function: *const ()) -> u64 {
        let mut lists = self.effects.iter().filter_map(|&effect| match effect {
            CallEffect::Scans(format) => Some((format, self.behind(format), true)),
            CallEffect::ScansList { format, list } => Some((format, VaList::copy_of(self.argument(list)), false)),
            _ => None,
        });
        if let Some((format, list, variable)) = lists.next() {
            let result = if variable { self.scan(name, format, list) } else { self.frame.call(function) };
            format::scan(self.argument(format), list, i64::from(result as i32), self.site);
            return result;
        }
        let position = stored::position(self.effects, |number| self.argument(number));
        let call = || self.frame.call(function);
        let result = if self.effects.contains(&CallEffect::SetsTimeZone) { with_time_zone(call) } else { call() };
        for effect in self.effects {
            match *effect {
                CallEffect::WritesResult(extent) if result != 0 => {
                    stored::announce(result, self.length(extent, result), self.site);
                }
                CallEffect::Stores(at, stored) if self.argument(at) != 0 => {
                    let at = self.argument(at);
                    let len = stored::bytes(stored, at, result, position, |number| self.argument(number));
                    stored::announce(at, len, self.site);
                }
                CallEffect::StoresVector => {
                    stored::fill_vector(self.argument(1), self.argument(2), result, self.site);
                }
                // Several objects at once: they are used once more afterwards, so that every order with others' calls
                // on any of them comes up.
                CallEffect::FlushesStreams(stream) if self.argument(stream) == 0 => {
                    descriptors::use_all_streams(self.site);
                }
                CallEffect::ChangesSignal { signal, action } if self.argument(action) != 0 => {
                    signal::note_action(self.argument(signal), self.site);
                }
                _ => {}
            }
        }
        result
    }

    /// Scans with the function that takes the variable arguments as a list: of `scanf` that is `vscanf`.
    fn scan(&self, name: &str, format: u8, mut list: VaList) -> u64 {
        let (prefix, base) = name.split_at(name.rfind('_').map_or(0, |at| at + 1));
        let function = elf::find(&alloc::format!("{prefix}v{base}"));
        if function.is_null() {
            refuse(name, self.frame);
        }
        let list = &raw mut list as u64;
        let [first, second, third] =
            if format == 0 { [self.argument(0), list, 0] } else { [self.argument(0), self.argument(1), list] };
        // SAFETY: the C library's function of this name takes these.
        let function = unsafe { core::mem::transmute::<*const (), extern "C" fn(u64, u64, u64) -> i32>(function) };
        function(first, second, third) as u32 as u64
    }
}
