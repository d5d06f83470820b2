//! What functions without a body do with the pointers they are given, by their rows ([`inspect_wire::library`]). A
//! function without a row may do anything: what it is given escapes, and what it returns may point to anything that
//! escaped.

use inspect_wire::library::{LibraryRow, PointerFlow, row};

/// The row of a function and what it does with pointers, if that is known.
pub(crate) fn described(name: &str) -> Option<(&'static LibraryRow, &'static [PointerFlow])> {
    let row = row(name)?;
    Some((row, row.flows?))
}

/// Whether a function is known to write to nothing but what its arguments point to themselves, to make no block, to
/// call no function of the program and to throw nothing.
pub(crate) fn writes_directly(name: &str) -> bool {
    let is_direct = |flow: &PointerFlow| match flow {
        PointerFlow::ReturnsInside(_)
        | PointerFlow::ReturnsResized(_)
        | PointerFlow::ReturnsThreadVariable
        | PointerFlow::ReturnsConstantTable
        | PointerFlow::StoresInside { .. }
        | PointerFlow::StoresUnknown(_)
        | PointerFlow::GivesAway(_)
        | PointerFlow::KeepsNumber(_)
        | PointerFlow::Copies { .. }
        | PointerFlow::Exchanges => true,
        PointerFlow::ReturnsBlock
        | PointerFlow::ReturnsUnknown
        | PointerFlow::ReturnsContent(_)
        | PointerFlow::StoresBlock(_)
        | PointerFlow::Calls { .. }
        | PointerFlow::Starts { .. } => false,
    };
    row(name).is_some_and(|row| !row.writes_elsewhere && row.flows.is_some_and(|flows| flows.iter().all(is_direct)))
}

/// Whether data may move in a way that the flows do not say: they say where pointers come to be, not text or numbers.
pub(crate) fn may_move_data(flows: &[PointerFlow]) -> bool {
    flows.iter().all(|flow| match flow {
        PointerFlow::ReturnsInside(_)
        | PointerFlow::ReturnsBlock
        | PointerFlow::StoresInside { .. }
        | PointerFlow::StoresBlock(_)
        | PointerFlow::KeepsNumber(_) => true,
        PointerFlow::ReturnsResized(_)
        | PointerFlow::ReturnsUnknown
        | PointerFlow::ReturnsContent(_)
        | PointerFlow::ReturnsThreadVariable
        | PointerFlow::ReturnsConstantTable
        | PointerFlow::StoresUnknown(_)
        | PointerFlow::GivesAway(_)
        | PointerFlow::Copies { .. }
        | PointerFlow::Exchanges
        | PointerFlow::Calls { .. }
        | PointerFlow::Starts { .. } => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_from_an_address_in_memory_does_not_write_directly() {
        for name in
            ["strtok", "strtok_r", "getline", "__getdelim", "vsnprintf", "__vsnprintf_chk", "qsort", "exit", "unlisted"]
        {
            assert!(!writes_directly(name), "{name}");
        }
        for name in ["read", "snprintf", "__snprintf_chk", "strtoul", "memset", "sscanf"] {
            assert!(writes_directly(name), "{name}");
        }
    }

    #[test]
    fn what_keeps_or_calls_what_it_is_given_is_not_called_harmless() {
        for name in [
            "pthread_setspecific",
            "signal",
            "sigaction",
            "atexit",
            "setvbuf",
            "putenv",
            "pthread_key_create",
            "mmap",
            "tss_set",
        ] {
            assert!(described(name).is_none(), "{name}");
        }
        let flows = |name| described(name).map(|(_, flows)| flows);
        assert_eq!(flows("pthread_mutex_lock"), Some(&[][..]));
        assert_eq!(flows("pthread_create"), Some(&[PointerFlow::Starts { function: 2, argument: 3 }][..]));
    }
}
