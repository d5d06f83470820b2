//! What calls access that compare strings, put one behind another, or print into memory.

use super::super::arguments::VaList;
use super::super::extent::{common_length, length};
use super::super::{format, real};
use super::Announced;
use crate::hooks::{argument_decides, argument_write};

impl Announced<'_> {
    pub(super) fn compare(&self, limit: Option<u8>, wide: bool) {
        let (a, b) = (self.argument(0), self.argument(1));
        let limit = limit.map_or(u64::MAX, |limit| self.argument(limit));
        let len = if wide { 4 * common_length::<u32>(a, b, limit) } else { common_length::<u8>(a, b, limit) };
        argument_decides(a, len, self.site);
        argument_decides(b, len, self.site);
    }

    pub(super) fn append(&self, limit: Option<u8>, wide: bool) {
        let (to, from, site) = (self.argument(0), self.argument(1), self.site);
        let limit = limit.map_or(u64::MAX, |limit| self.argument(limit));
        let size = if wide { 4 } else { 1 };
        let length = if wide { length::<u32> } else { length::<u8> };
        let (before, copied) = (length(to, u64::MAX), length(from, limit));
        argument_decides(to, size * (before + 1), site);
        argument_decides(from, size * (copied + 1).min(limit), site);
        argument_write(to + size * before, size * (copied + 1), site);
    }

    /// Printing into the buffer in argument 0: what it writes is known after printing to nowhere.
    pub(super) fn print_into(&self, limit: Option<u8>, format: u8, arguments: VaList) {
        let text = self.argument(format);
        format::print(text, false, arguments, self.site);
        let mut list = arguments;
        let measure = real!("vsnprintf" as fn(u64, u64, u64, *mut VaList) -> i32);
        let len = measure(0, 0, text, &raw mut list);
        let limit = limit.map_or(u64::MAX, |limit| self.argument(limit));
        argument_write(self.argument(0), (len.max(0) as u64 + 1).min(limit), self.site);
    }
}
