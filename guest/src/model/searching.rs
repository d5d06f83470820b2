//! Functions that look for something in memory of the program's own, and access what their arguments lead to: matches
//! of a regular expression, tables, lists. What they write is known when they have found it, or not.

use super::extent::length;
use super::indirect::pointee;
use super::library_state;
use super::stored;
use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::uncomparable_during;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden;

export! {
    interpose_regexec / 5 => match_expression;
    interpose_lsearch / 5 => find_or_append;
    interpose_insque / 2 => insert;
    interpose_remque / 1 => remove;
    interpose_hsearch_r / 5 => look_up;
}

/// Size of a `regex_t`.
const EXPRESSION: u64 = 64;

/// Whether the program has asked, as it compiled the expression, for no places of matches.
fn has_no_places(expression: u64) -> bool {
    const FLAGS: u64 = 56;
    const NO_PLACES: u8 = 0x10;
    // SAFETY: the program passes a `regex_t`; if not, it faults here as it would in the C library.
    unsafe { *((expression + FLAGS) as *const u8) & NO_PLACES != 0 }
}

/// `regexec`: with `REG_STARTEND`, the first place says which part of the text is meant.
extern "C" fn match_expression(expression: u64, text: u64, count: u64, places: u64, flags: i32, pc: u64) -> i32 {
    const PLACE: u64 = 8;
    const START_AND_END: i32 = 4;
    let function = real!("regexec" as fn(u64, u64, u64, u64, i32) -> i32);
    if !started() {
        return function(expression, text, count, places, flags);
    }
    let site = of_call(pc);
    argument_read(expression, EXPRESSION, site);
    library_state::read(Hidden::Locale, site);
    if flags & START_AND_END == 0 {
        argument_read(text, length::<u8>(text, u64::MAX - text) + 1, site);
    } else {
        argument_read(places, PLACE, site);
        // SAFETY: with this flag the program passes a place; if not, it faults here as it would in the C library.
        let [start, end] = unsafe { *(places as *const [i32; 2]) };
        let len = u64::try_from(i64::from(end) - i64::from(start)).unwrap_or(0);
        argument_read(text.wrapping_add_signed(start.into()), len, site);
    }
    let result = function(expression, text, count, places, flags);
    if result == 0 && !has_no_places(expression) {
        stored::announce(places, PLACE.saturating_mul(count), site);
    }
    result
}

/// `lsearch`: what is not in the table is copied behind it. What the comparisons access is hooked.
extern "C" fn find_or_append(key: u64, table: u64, count: u64, size: u64, compare: u64, pc: u64) -> u64 {
    let function = real!("lsearch" as fn(u64, u64, u64, u64, u64) -> u64);
    if !started() {
        return function(key, table, count, size, compare);
    }
    let site = of_call(pc);
    argument_read(count, 8, site);
    let before = pointee(count);
    let found = function(key, table, count, size, compare);
    if pointee(count) != before {
        argument_read(key, size, site);
        stored::announce(found, size, site);
        stored::announce(count, 8, site);
    }
    found
}

/// Where in an element of a list the address of the next one is, and that of the one before it.
const NEXT: u64 = 0;
const BEFORE: u64 = 8;

fn write_link(element: u64, link: u64, site: SiteId) {
    if element != 0 {
        argument_write(element + link, 8, site);
    }
}

/// `insque`.
extern "C" fn insert(element: u64, behind: u64, pc: u64) {
    if started() {
        let site = of_call(pc);
        uncomparable_during(|| {
            argument_write(element, 16, site);
            write_link(behind, NEXT, site);
            write_link(pointee(behind), BEFORE, site);
        });
    }
    real!("insque" as fn(u64, u64))(element, behind);
}

/// `remque`.
extern "C" fn remove(element: u64, pc: u64) {
    if started() {
        let site = of_call(pc);
        uncomparable_during(|| {
            argument_read(element, 16, site);
            write_link(pointee(element), BEFORE, site);
            write_link(pointee(element + BEFORE), NEXT, site);
        });
    }
    real!("remque" as fn(u64))(element);
}

/// `hsearch_r`, whose first argument is a structure of a key and a value.
extern "C" fn look_up(key: u64, value: u64, action: u32, result: u64, table: u64, pc: u64) -> i32 {
    const ENTER: u32 = 1;
    const TABLE: u64 = 16;
    if started() {
        let site = of_call(pc);
        argument_read(key, length::<u8>(key, u64::MAX - key) + 1, site);
        if action == ENTER {
            argument_write(table, TABLE, site);
        } else {
            argument_read(table, TABLE, site);
        }
        argument_write(result, 8, site);
    }
    real!("hsearch_r" as fn(u64, u64, u32, u64, u64) -> i32)(key, value, action, result, table)
}
