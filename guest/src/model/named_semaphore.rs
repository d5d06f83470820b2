//! Named semaphores, within the process.
//!
//! A name is an object that calls look at or change; the semaphore itself is like one without a name, in a block of the
//! heap. Opening a name that is to exist only looks, so where the semaphore lies does not depend on who opens it first:
//! the call that creates it has allocated its block, and the last one to close it, if its name still leads to it, the
//! block in which it lies from then on. The block before is released, so that a later use of it is one of freed memory.
//! No semaphore has a name when a run begins, and none is left in the system afterwards.

use super::error::{EEXIST, EINVAL, ENAMETOOLONG, ENOENT};
use super::library_state::{Use, use_semaphore_name};
use super::semaphore::{LARGEST, SEMAPHORE, fail, note_count};
use super::{export, real};
use crate::engine::named_semaphores::{NamedSemaphores, SemaphoreName};
use crate::engine::site::of_call;
use crate::engine::state::Engine;
use crate::engine::{note_misuse, with};
use crate::hooks::argument_read;
use crate::platform::{arena, program, started};
use core::ffi::{CStr, c_char};
use inspect_core::detect::FindingKind;
use inspect_core::event::{Object, SemaphoreOperation, SiteId};

export! {
    interpose_sem_open / 4 => open;
    interpose_sem_close / 1 => close;
    interpose_sem_unlink / 1 => unlink;
}

/// `SEM_FAILED`
const FAILED: u64 = 0;

/// The size of a `sem_t`, and where blocks of the heap lie.
const SIZE: u64 = 32;
const ALIGNMENT: u64 = 16;

/// `O_CREAT`, `O_EXCL`
const CREATE: i32 = 0o100;
const EXCLUSIVE: i32 = 0o200;

/// The name that the program passes, or the error for one that is none: as in the C library, without the slashes at its
/// beginning, with no other, and short enough for a file.
fn name_at(address: u64, site: SiteId) -> Result<SemaphoreName, i32> {
    const LONGEST: usize = 251;
    // SAFETY: the program passes a text; if not, it faults here as it would in the C library.
    let text = unsafe { CStr::from_ptr(address as *const c_char) };
    argument_read(address, text.count_bytes() as u64 + 1, site);
    let text = text.to_bytes();
    let slashes = text.iter().take_while(|&&byte| byte == b'/').count();
    let name = &text[slashes..];
    match name.len() {
        _ if name.is_empty() || name.contains(&b'/') => Err(EINVAL),
        0..=LONGEST => Ok(with(|engine| engine.named_semaphores.name(name))),
        _ => Err(ENAMETOOLONG),
    }
}

extern "C" fn open(name: u64, flags: i32, mode: u32, count: u32, pc: u64) -> u64 {
    if !started() {
        return real!("sem_open" as fn(u64, i32, u32, u32) -> u64)(name, flags, mode, count);
    }
    let site = of_call(pc);
    let opened = name_at(name, site).and_then(|name| match flags & CREATE {
        0 => open_existing(name, site),
        _ => create_or_open(name, flags & EXCLUSIVE != 0, count, pc),
    });
    opened.unwrap_or_else(|error| {
        program::set_errno(error as u32);
        FAILED
    })
}

fn open_existing(name: SemaphoreName, site: SiteId) -> Result<u64, i32> {
    use_semaphore_name(name, Use::Look, site);
    with(|engine| open_once(&mut engine.named_semaphores, name)).ok_or(ENOENT)
}

/// Opens the semaphore to which a name leads, if it leads to one.
fn open_once(semaphores: &mut NamedSemaphores, name: SemaphoreName) -> Option<u64> {
    let semaphore = semaphores.find(name)?;
    semaphore.opens += 1;
    Some(semaphore.block)
}

fn create_or_open(name: SemaphoreName, exclusive: bool, count: u32, pc: u64) -> Result<u64, i32> {
    // Which of two errors it is, the C library decides in this order.
    if exclusive && count > LARGEST {
        return Err(EINVAL);
    }
    // Allocated before the name is used, so that whoever opens the name later comes after that.
    let block = arena::allocate(SIZE, ALIGNMENT, true, pc);
    use_semaphore_name(name, Use::Change, of_call(pc));
    let opened = with(|engine| match engine.named_semaphores.find(name) {
        Some(_) if exclusive => Err(EEXIST),
        Some(_) => open_once(&mut engine.named_semaphores, name).ok_or(ENOENT),
        None if count > LARGEST => Err(EINVAL),
        None => {
            engine.named_semaphores.create(name, block);
            Ok(block)
        }
    });
    if opened == Ok(block) {
        note_count(block, count);
    } else {
        release(block, pc);
    }
    opened
}

fn release(block: u64, pc: u64) {
    arena::release(block, pc).unwrap_or_default();
}

extern "C" fn close(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_close" as fn(u64) -> i32)(semaphore);
    }
    let site = of_call(pc);
    if let Some(name) = with(|engine| engine.named_semaphores.at(semaphore).map(|semaphore| semaphore.name)) {
        // Allocated before the name is used, as by the call that creates a semaphore.
        let next = arena::allocate(SIZE, ALIGNMENT, true, pc);
        use_semaphore_name(name, Use::Change, site);
        let closed = with(|engine| close_once(engine, semaphore, next));
        match closed {
            Some(Closed::Kept { count }) => note_count(next, count),
            Some(Closed::Open | Closed::Gone) | None => release(next, pc),
        }
        match closed {
            Some(Closed::Open) => return 0,
            Some(Closed::Kept { .. } | Closed::Gone) => {
                SEMAPHORE.destroy(semaphore, SemaphoreOperation::Destroy(Object(semaphore)), pc);
                release(semaphore, pc);
                return 0;
            }
            // Another thread has closed it meanwhile.
            None => {}
        }
    }
    let operation = SemaphoreOperation::Destroy(Object(semaphore)).into();
    note_misuse(FindingKind::SemaphoreMisuse, operation, Object(semaphore), site);
    fail(EINVAL)
}

/// What is left of a semaphore that was closed.
enum Closed {
    /// It is open elsewhere.
    Open,
    /// Its name, with this count.
    Kept { count: u32 },
    /// Nothing.
    Gone,
}

/// Closes the semaphore in this block, if there is one, and moves it to `next` if it is to be opened again.
fn close_once(engine: &mut Engine, block: u64, next: u64) -> Option<Closed> {
    let count = engine.run.object(Object(block)).count;
    let semaphore = engine.named_semaphores.at(block)?;
    semaphore.opens -= 1;
    let closed = match semaphore.opens {
        0 if semaphore.linked => {
            semaphore.block = next;
            Closed::Kept { count }
        }
        0 => Closed::Gone,
        _ => Closed::Open,
    };
    engine.named_semaphores.tidy();
    Some(closed)
}

extern "C" fn unlink(name: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_unlink" as fn(u64) -> i32)(name);
    }
    let site = of_call(pc);
    let name = match name_at(name, site) {
        Ok(name) => name,
        // As the C library, which looks for a file.
        Err(EINVAL) => return fail(ENOENT),
        Err(error) => return fail(error),
    };
    use_semaphore_name(name, Use::Change, site);
    let unlinked = with(|engine| {
        let semaphore = engine.named_semaphores.find(name)?;
        semaphore.linked = false;
        let unlinked = *semaphore;
        engine.named_semaphores.tidy();
        Some(unlinked)
    });
    match unlinked {
        Some(semaphore) if semaphore.opens > 0 => 0,
        Some(semaphore) => {
            release(semaphore.block, pc);
            0
        }
        None => fail(ENOENT),
    }
}
