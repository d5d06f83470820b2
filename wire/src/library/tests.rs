use super::*;
use alloc::vec::Vec;

#[test]
fn rows_are_sorted_and_no_name_comes_twice() {
    for header in headers().filter(|header| header.is_sorted()) {
        assert!(header.rows.is_sorted_by(|a, b| a.name < b.name), "{}", header.name);
    }
    let mut names: Vec<&str> = ALL.iter().map(|row| row.name).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn every_row_is_found_by_its_name_and_position() {
    for (at, wanted) in ALL.iter().enumerate() {
        assert_eq!(row(wanted.name).expect("listed").name, wanted.name);
        assert_eq!(position(wanted.name), at);
    }
    assert_eq!(row("no_such_function"), None);
}

#[test]
fn a_family_speaks_for_those_without_a_row_of_their_own() {
    assert_eq!(row("_Unwind_Backtrace").map(|row| (row.name, row.guest)), Some(("_Unwind_", Guest::Harmless)));
    assert_eq!(row("pthread_mutex_lock").map(|row| row.name), Some("pthread_mutex_lock"));
    for (at, family) in FAMILIES.iter().enumerate() {
        assert_eq!(family.arguments, Arguments::Family);
        let hidden = FAMILIES[at + 1..].iter().find(|later| later.name.starts_with(family.name));
        assert_eq!(hidden, None, "{} hides it", family.name);
        assert!(!family.guest.exports(), "nobody can export {}", family.name);
    }
}

/// The arguments that a flow speaks of.
fn of_flow(flow: &PointerFlow) -> Vec<u8> {
    match *flow {
        PointerFlow::ReturnsInside(at)
        | PointerFlow::ReturnsResized(at)
        | PointerFlow::ReturnsContent(at)
        | PointerFlow::StoresBlock(at)
        | PointerFlow::StoresUnknown(at)
        | PointerFlow::KeepsNumber(at)
        | PointerFlow::GivesAway(at) => [at].into(),
        PointerFlow::StoresInside { of, at } => [of, at].into(),
        PointerFlow::Copies { to, from } => [to, from].into(),
        PointerFlow::Calls { function, with } => with.iter().copied().chain([function]).collect(),
        PointerFlow::Starts { function, argument } => [function, argument].into(),
        PointerFlow::ReturnsBlock
        | PointerFlow::ReturnsUnknown
        | PointerFlow::ReturnsThreadVariable
        | PointerFlow::ReturnsConstantTable
        | PointerFlow::Exchanges => Vec::new(),
    }
}

#[test]
fn rows_speak_of_arguments_that_there_are() {
    for row in &ALL {
        let count = row.arguments.signature().count();
        let effects = row.effects.iter().flat_map(CallEffect::arguments);
        let flows = row.flows.into_iter().flatten().flat_map(of_flow);
        let stream = if let Outcome::Stream(at) = row.outcome { Some(at) } else { None };
        let null = if let Completion::WritesUnlessNull(at) = row.completion { Some(at) } else { None };
        let mut arguments: Vec<u8> = effects.chain(flows).chain(stream).chain(null).collect();
        arguments.sort_unstable();
        assert!(arguments.last().is_none_or(|last| usize::from(*last) < count), "{row:?}");
    }
}

/// Functions of which the pass announces what they access, where it inserts hooks for the calls.
const HOOKED: [&str; 8] =
    ["__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "memcpy", "memmove", "mempcpy", "memset"];

#[test]
fn every_pointer_that_a_known_function_is_given_is_described() {
    let mut silent = Vec::new();
    for row in ALL.iter().filter(|row| !matches!(row.guest, Guest::Unknown | Guest::Refuses)) {
        let described: Vec<u8> = row.effects.iter().flat_map(CallEffect::arguments).collect();
        for (at, kind) in (0u8..).zip(row.arguments.signature().kinds()) {
            let points = matches!(kind, ArgumentKind::Constant | ArgumentKind::Pointer);
            if points && !described.contains(&at) {
                silent.push((row.name, at));
            }
        }
        let accesses = row.effects.iter().any(|effect| !matches!(effect, CallEffect::Unannounced(..)));
        assert!(
            row.guest != Guest::Harmless || !accesses || HOOKED.contains(&row.name),
            "{}: nobody announces it",
            row.name
        );
    }
    assert!(silent.is_empty(), "nothing is said of arguments: {silent:?}");
}

#[test]
fn what_may_be_written_is_written_or_there_is_a_reason() {
    let mut silent = Vec::new();
    for row in ALL.iter().filter(|row| matches!(row.guest, Guest::Announces)) {
        for (at, kind) in (0u8..).zip(row.arguments.signature().kinds()) {
            let only_read = |effect: &CallEffect| matches!(*effect, CallEffect::Reads(of, _) if of == at);
            let other = |effect: &CallEffect| effect.arguments().contains(&at) && !only_read(effect);
            let is_read = row.effects.iter().any(only_read) && !row.effects.iter().any(other);
            if kind == ArgumentKind::Pointer && is_read && !READ_THROUGH_POINTERS.contains(&(row.name, at)) {
                silent.push((row.name, at));
            }
        }
    }
    assert!(silent.is_empty(), "only read, although the prototype allows more: {silent:?}");
}

/// Arguments that are only read although their prototypes do not say so, or written once the call has waited: the model
/// of `recvmsg` announces that itself.
const READ_THROUGH_POINTERS: [(&str, u8); 10] = [
    ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 1),
    ("_obstack_memory_used", 0),
    ("dirfd", 0),
    ("lcong48", 0),
    ("lfind", 2),
    ("putenv", 0),
    ("recvmsg", 1),
    ("seed48", 0),
    ("setstate", 0),
    ("setstate_r", 0),
];

#[test]
fn registers_of_arguments_are_counted_without_floating_point_ones() {
    let signature = Signature("dpmip");
    assert_eq!([1, 3, 4].map(|argument| signature.register(argument)), [0, 1, 2]);
}

#[test]
fn rows_do_not_contradict_themselves() {
    for row in ALL.iter().chain(FAMILIES) {
        let described = matches!(row.guest, Guest::Announces | Guest::Models | Guest::Harmless);
        assert!(row.effects.is_empty() || described, "{}: who announces?", row.name);
        let models = |effect: &CallEffect| matches!(effect, CallEffect::Operates(_));
        assert!(row.guest == Guest::Models || !row.effects.iter().any(models), "{}: no model", row.name);
        assert!(row.role.is_none() || row.outcome == Outcome::Unknown, "{}: its role says that", row.name);
        assert!(!row.writes_elsewhere || row.flows.is_some(), "{}: nothing is known anyway", row.name);
        let starts = row.flows.is_some_and(|flows| flows.iter().any(|flow| matches!(flow, PointerFlow::Starts { .. })));
        assert_eq!(starts, row.role == Some(Role::Create), "{}", row.name);
    }
    for (number, object) in Hidden::ALL.iter().enumerate() {
        assert_eq!(*object as usize, number, "an object's number is its position");
    }
}
