//! The functions that compare two entries of a folder by their names: what they are given leads to the entries by one
//! more address, which no row can say.

use super::extent::length;
use super::{export, library_state, real};
use crate::engine::site::of_call;
use crate::engine::uncomparable_during;
use crate::hooks::argument_read;
use crate::platform::started;
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden;

export! {
    interpose_alphasort / 2 => alphasort;
    interpose_alphasort64 / 2 => alphasort;
    interpose_versionsort / 2 => versionsort;
    interpose_versionsort64 / 2 => versionsort;
}

/// Where the name is in a `struct dirent`.
const NAME: u64 = 19;

extern "C" fn alphasort(left: u64, right: u64, pc: u64) -> i32 {
    announce([left, right], pc);
    real!("alphasort" as fn(u64, u64) -> i32)(left, right)
}

extern "C" fn versionsort(left: u64, right: u64, pc: u64) -> i32 {
    announce([left, right], pc);
    real!("versionsort" as fn(u64, u64) -> i32)(left, right)
}

fn announce(places: [u64; 2], pc: u64) {
    if !started() {
        return;
    }
    let site = of_call(pc);
    library_state::read(Hidden::Locale, site);
    uncomparable_during(|| places.into_iter().for_each(|place| read_name(place, site)));
}

fn read_name(place: u64, site: SiteId) {
    argument_read(place, 8, site);
    // SAFETY: the program passes the address of an entry's address; if not, it faults here as in the C library.
    let entry = unsafe { (place as *const u64).read_volatile() };
    let name = entry + NAME;
    argument_read(name, length::<u8>(name, u64::MAX - name) + 1, site);
}
