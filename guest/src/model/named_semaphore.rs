//! Named semaphores, within the process.
//!
//! A name is an object that calls look at or change; the semaphore itself is like one without a name, in a block of the
//! heap of the thread that opens it first (each call that may be that one allocates a block). Once all have closed it,
//! only its count is kept, so that a later use is one of freed memory. No semaphore has a name when a run begins, and
//! none is left in the system afterwards.

use super::error::{EEXIST, EINVAL, ENAMETOOLONG, ENOENT};
use super::library_state::{Use, use_semaphore_name};
use super::semaphore::{LARGEST, SEMAPHORE, fail, note_count};
use super::{export, real};
use crate::engine::named_semaphores::{NamedSemaphore, NamedSemaphores};
use crate::engine::site::of_call;
use crate::engine::{note_misuse, with};
use crate::hooks::argument_read;
use crate::platform::{arena, program, started};
use alloc::string::{String, ToString};
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
fn name_at(address: u64, site: SiteId) -> Result<String, i32> {
    const LONGEST: usize = 251;
    // SAFETY: the program passes a text; if not, it faults here as it would in the C library.
    let text = unsafe { CStr::from_ptr(address as *const c_char) };
    argument_read(address, text.count_bytes() as u64 + 1, site);
    let name = text.to_string_lossy();
    let name = name.trim_start_matches('/');
    match name.len() {
        _ if name.is_empty() || name.contains('/') => Err(EINVAL),
        0..=LONGEST => Ok(name.to_string()),
        _ => Err(ENAMETOOLONG),
    }
}

fn open_fails(error: i32) -> u64 {
    program::set_errno(error as u32);
    FAILED
}

extern "C" fn open(name: u64, flags: i32, mode: u32, count: u32, pc: u64) -> u64 {
    if !started() {
        return real!("sem_open" as fn(u64, i32, u32, u32) -> u64)(name, flags, mode, count);
    }
    let site = of_call(pc);
    let name = match name_at(name, site) {
        Ok(name) => name,
        Err(error) => return open_fails(error),
    };
    let creates = flags & CREATE != 0;
    // Allocated before the name is used, so that whoever opens the name later comes after that.
    let block = arena::allocate(SIZE, ALIGNMENT, true, pc);
    use_semaphore_name(&name, if creates { Use::Change } else { Use::Look }, site);
    let opened = with(|engine| open_once(&mut engine.named_semaphores, &name, flags, count, block));
    match opened {
        Ok((own, count)) if own == block => note_count(block, count),
        Ok(_) | Err(_) => arena::release(block, pc).unwrap_or_default(),
    }
    opened.map_or_else(open_fails, |(semaphore, _)| semaphore)
}

/// Opens the semaphore to which a name leads; one that nobody has open, in this block. Returns where it is, and its
/// count if it was opened there.
fn open_once(
    semaphores: &mut NamedSemaphores,
    name: &str,
    flags: i32,
    count: u32,
    block: u64,
) -> Result<(u64, u32), i32> {
    if semaphores.find(name).is_some() {
        if flags & CREATE != 0 && flags & EXCLUSIVE != 0 {
            return Err(EEXIST);
        }
    } else if flags & CREATE == 0 {
        return Err(ENOENT);
    } else if count > LARGEST {
        return Err(EINVAL);
    } else {
        semaphores.0.push(NamedSemaphore { name: name.to_string(), linked: true, opens: 0, block, count });
    }
    let semaphore = semaphores.find(name).ok_or(ENOENT)?;
    if semaphore.opens == 0 {
        semaphore.block = block;
    }
    semaphore.opens += 1;
    Ok((semaphore.block, semaphore.count))
}

extern "C" fn close(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_close" as fn(u64) -> i32)(semaphore);
    }
    let site = of_call(pc);
    let name = |engine: &mut crate::engine::state::Engine| {
        engine.named_semaphores.at(semaphore).map(|semaphore| semaphore.name.clone())
    };
    if let Some(name) = with(name) {
        use_semaphore_name(&name, Use::Change, site);
        if let Some(is_last) = with(|engine| close_once(engine, semaphore)) {
            if is_last {
                SEMAPHORE.destroy(semaphore, SemaphoreOperation::Destroy(Object(semaphore)), pc);
                arena::release(semaphore, pc).unwrap_or_default();
            }
            return 0;
        }
    }
    let operation = SemaphoreOperation::Destroy(Object(semaphore)).into();
    note_misuse(FindingKind::SemaphoreMisuse, operation, Object(semaphore), site);
    fail(EINVAL)
}

/// Closes the semaphore in this block, if there is one. Returns whether nobody else has it open.
fn close_once(engine: &mut crate::engine::state::Engine, block: u64) -> Option<bool> {
    let count = engine.run.object(Object(block)).count;
    let semaphore = engine.named_semaphores.at(block)?;
    semaphore.opens -= 1;
    let is_last = semaphore.opens == 0;
    if is_last {
        (semaphore.block, semaphore.count) = (0, count);
    }
    engine.named_semaphores.tidy();
    Some(is_last)
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
    use_semaphore_name(&name, Use::Change, site);
    let unlinked = with(|engine| {
        let found = engine.named_semaphores.find(&name).map(|semaphore| semaphore.linked = false).is_some();
        engine.named_semaphores.tidy();
        found
    });
    if unlinked { 0 } else { fail(ENOENT) }
}
