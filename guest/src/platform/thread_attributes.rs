//! Names and priorities (nice values) of the threads of the program. All of them share one thread of the system, so
//! what the program asks for is remembered and answered. A run begins with what the process has at main; a new thread
//! has what its creator has.

use super::global::Global;
use super::sys::{self, error, nr};
use super::{affinity, elf, fiber, recover};
use alloc::vec::Vec;
use sys::errno::{EACCES, EFAULT, EINVAL, ESRCH};

/// Bytes of a name, the one that ends it included.
pub const NAME: usize = 16;

/// What a thread has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Attributes {
    name: [u8; NAME],
    priority: i32,
}

static AT_MAIN: Global<Attributes> = Global::new(Attributes { name: [0; NAME], priority: 0 });

/// Slots of threads of which the run has changed something.
static CHANGED: Global<Vec<(u64, Attributes)>> = Global::new(Vec::new());

fn changed() -> &'static mut Vec<(u64, Attributes)> {
    // SAFETY: one OS thread; the borrow ends in the statement of the caller.
    unsafe { CHANGED.get() }
}

/// What the kernel says instead of a priority, so that no answer is negative.
const HIGHEST: i64 = 20;

/// Remembers what runs start with.
pub(super) fn remember() {
    // SAFETY: asks for a number.
    let priority = unsafe { sys::call2(nr::__NR_getpriority, OF_THREAD, 0) };
    AT_MAIN.write(Attributes { name: name_of_program(), priority: (HIGHEST - priority) as i32 });
    reset();
}

/// The name that the system gives main: that of the program, without folders, as the C library knows it. What the
/// program was started as here may be called otherwise.
fn name_of_program() -> [u8; NAME] {
    let variable = elf::find("program_invocation_short_name").cast::<*const u8>();
    let mut name = [0; NAME];
    if !variable.is_null() {
        // SAFETY: the C library's variable, which it has set before main.
        recover::read(unsafe { *variable } as u64, &mut name[..NAME - 1]);
    }
    up_to_end(name)
}

/// A name with nothing behind the first byte that is 0.
fn up_to_end(name: [u8; NAME]) -> [u8; NAME] {
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(NAME - 1);
    let mut kept = [0; NAME];
    kept[..len].copy_from_slice(&name[..len]);
    kept
}

/// Undoes what the run did.
pub(super) fn reset() {
    changed().clear();
}

/// What the run has changed so far.
pub(super) fn save() -> Vec<(u64, Attributes)> {
    changed().clone()
}

/// Brings back what [`save`] has returned.
pub(super) fn load(saved: &[(u64, Attributes)]) {
    let changed = changed();
    changed.clear();
    changed.extend_from_slice(saved);
}

/// Adds to a hash what the run has changed.
pub(super) fn hash(hash: u64) -> u64 {
    if changed().is_empty() {
        return hash;
    }
    let words = changed().iter().flat_map(|(slot, attributes)| {
        let name = u128::from_le_bytes(attributes.name);
        [*slot, name as u64, (name >> 64) as u64, attributes.priority as u64]
    });
    words.fold(hash, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29))
}

fn of(slot: usize) -> Attributes {
    changed().iter().find(|(of, _)| *of == slot as u64).map_or(AT_MAIN.read(), |(_, attributes)| *attributes)
}

fn set(slot: usize, attributes: Attributes) {
    let changed = changed();
    changed.retain(|(of, _)| *of != slot as u64);
    if attributes != AT_MAIN.read() {
        changed.push((slot as u64, attributes));
        changed.sort_unstable_by_key(|(of, _)| *of);
    }
}

/// A new thread has what its creator has.
pub fn begin(child: usize, creator: usize) {
    if !changed().is_empty() {
        set(child, of(creator));
    }
}

/// The name of the thread in a slot.
pub fn name_of(slot: usize) -> [u8; NAME] {
    of(slot).name
}

/// Gives the thread in a slot a name, which ends at the first byte that is 0.
pub fn set_name(slot: usize, name: [u8; NAME]) {
    set(slot, Attributes { name: up_to_end(name), ..of(slot) });
}

const SET_NAME: u64 = 15;
const GET_NAME: u64 = 16;

/// Serves `prctl`, as far as it names the running thread or asks for something that no call changes. None if it is
/// another request.
pub(super) fn control(request: u64, address: u64) -> Option<i64> {
    const GET_DUMPABLE: u64 = 3;
    const GET_KEEP_CAPABILITIES: u64 = 7;
    const GET_TIMER_SLACK: u64 = 30;
    const GET_NO_NEW_PRIVILEGES: u64 = 39;
    let slot = fiber::current_slot();
    match request {
        SET_NAME => {
            let mut name = [0; NAME];
            let got = recover::read(address, &mut name[..NAME - 1]);
            if got < NAME - 1 && !name[..got].contains(&0) {
                return Some(error(EFAULT));
            }
            set_name(slot, name);
            Some(0)
        }
        GET_NAME => Some(if recover::write(address, &name_of(slot)) { 0 } else { error(EFAULT) }),
        GET_DUMPABLE | GET_KEEP_CAPABILITIES | GET_TIMER_SLACK | GET_NO_NEW_PRIVILEGES => {
            // SAFETY: asks for a number.
            Some(unsafe { sys::call5(nr::__NR_prctl, request, 0, 0, 0, 0) })
        }
        _ => None,
    }
}

/// Of a thread (`PRIO_PROCESS`); the others are of a group of processes and of a user.
const OF_THREAD: u64 = 0;
const OF_USER: u64 = 2;

/// The slot of the thread with this number.
fn thread(number: u64) -> Option<usize> {
    affinity::slot_of_number(number).filter(|&slot| !affinity::has_ended(slot))
}

/// Serves `getpriority`. None where it asks for several processes after the run has changed a priority.
pub(super) fn priority(which: u64, number: u64) -> Option<i64> {
    match u64::from(which as u32) {
        OF_THREAD => Some(thread(number).map_or(error(ESRCH), |slot| HIGHEST - i64::from(of(slot).priority))),
        _ if !changed().is_empty() => None,
        // SAFETY: asks for a number.
        _ => Some(unsafe { sys::call2(nr::__NR_getpriority, which, number) }),
    }
}

/// Serves `setpriority`. None for that of several processes.
pub(super) fn set_priority(which: u64, number: u64, wanted: u64) -> Option<i64> {
    const LOWEST: i32 = 19;
    match u64::from(which as u32) {
        OF_THREAD => {}
        1..=OF_USER => return None,
        _ => return Some(error(EINVAL)),
    }
    let Some(slot) = thread(number) else { return Some(error(ESRCH)) };
    let before = of(slot);
    let priority = (wanted as i32).clamp(-(HIGHEST as i32), LOWEST);
    if priority < before.priority && !may_raise_to(priority) {
        return Some(error(EACCES));
    }
    set(slot, Attributes { priority, ..before });
    Some(0)
}

/// Whether the process may raise a priority to this one: by its limit, or by a capability.
fn may_raise_to(priority: i32) -> bool {
    const LIMIT_OF_PRIORITY: u64 = 13;
    const VERSION: u64 = 0x2008_0522;
    const CAP_SYS_NICE: u32 = 23;
    let (mut limit, header, mut capabilities) = ([0u64; 2], [VERSION, 0], [0u32; 6]);
    // SAFETY: the kernel writes a limit, and the three sets of capabilities, two words each.
    let asked = unsafe {
        sys::call2(nr::__NR_getrlimit, LIMIT_OF_PRIORITY, limit.as_mut_ptr() as u64);
        sys::call2(nr::__NR_capget, header.as_ptr() as u64, capabilities.as_mut_ptr() as u64)
    };
    let has_capability = asked == 0 && capabilities[0] & 1 << CAP_SYS_NICE != 0;
    has_capability || HIGHEST - i64::from(priority) <= i64::try_from(limit[0]).unwrap_or(i64::MAX)
}
