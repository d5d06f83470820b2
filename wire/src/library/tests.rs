use super::*;
use alloc::vec::Vec;

#[test]
fn rows_are_sorted_and_no_name_comes_twice() {
    for header in headers() {
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
    assert_eq!(
        row("pthread_attr_setguardsize").map(|row| (row.name, row.guest)),
        Some(("pthread_attr_", Guest::Harmless))
    );
    assert_eq!(row("pthread_mutex_lock").map(|row| row.name), Some("pthread_mutex_lock"));
    for (at, family) in FAMILIES.iter().enumerate() {
        assert_eq!(family.arguments, Arguments::Family);
        let hidden = FAMILIES[at + 1..].iter().find(|later| later.name.starts_with(family.name));
        assert_eq!(hidden, None, "{} hides it", family.name);
        assert!(!family.guest.exports(), "nobody can export {}", family.name);
    }
}

/// The arguments that an effect speaks of.
fn of_effect(effect: &CallEffect) -> Vec<u8> {
    let of_extent = |extent: &Extent| match *extent {
        Extent::Argument(argument) => Some(argument),
        Extent::Bytes(_) | Extent::Text | Extent::Number => None,
    };
    match *effect {
        CallEffect::Reads(at, ref extent) | CallEffect::Writes(at, ref extent) => {
            [at].into_iter().chain(of_extent(extent)).collect()
        }
        CallEffect::Looks(_) | CallEffect::Changes(_) | CallEffect::Updates(_) => Vec::new(),
        CallEffect::TakesToken { text, kept } => [text, kept, 1].into(),
        CallEffect::TakesTokenAt(at) => [at, 1].into(),
        CallEffect::PrintsList { format, list } | CallEffect::ScansList { format, list } => [format, list].into(),
        CallEffect::PrintsInto | CallEffect::Unmaps | CallEffect::Opens | CallEffect::OpensStream => [0, 1].into(),
        CallEffect::PrintsIntoAtMost | CallEffect::PrintsListInto => [0, 1, 2].into(),
        CallEffect::PrintsListIntoAtMost => [0, 1, 2, 3].into(),
        CallEffect::ReadsVector | CallEffect::WritesVector => [1, 2].into(),
        CallEffect::OpensAt | CallEffect::Protects | CallEffect::Advises => [0, 1, 2].into(),
        CallEffect::MapsFile => [3, 4].into(),
        CallEffect::MakesTemporary | CallEffect::Exits => [0].into(),
        CallEffect::ForAllThreads => Vec::new(),
        CallEffect::ChangesSignal { signal, action } => [signal, action].into(),
        CallEffect::Prints(at)
        | CallEffect::Scans(at)
        | CallEffect::ReadsStream(at)
        | CallEffect::WritesStream(at)
        | CallEffect::LooksUpPath(at)
        | CallEffect::ChangesPath(at)
        | CallEffect::ReadsDescriptor(at)
        | CallEffect::AsksDescriptor(at)
        | CallEffect::WritesDescriptor(at)
        | CallEffect::ListsFolder(at)
        | CallEffect::UsesFolderStream(at)
        | CallEffect::LooksAtSignal(at) => [at].into(),
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
        let count = match row.arguments {
            Arguments::Fixed(count) | Arguments::Variadic(count) => count,
            Arguments::Variable | Arguments::Family => 0,
        };
        let effects = row.effects.iter().flat_map(of_effect);
        let flows = row.flows.into_iter().flatten().flat_map(of_flow);
        let stream = if let Outcome::Stream(at) = row.outcome { Some(at) } else { None };
        let null = if let Completion::WritesUnlessNull(at) = row.completion { Some(at) } else { None };
        let mut arguments: Vec<u8> = effects.chain(flows).chain(stream).chain(null).collect();
        arguments.sort_unstable();
        assert!(arguments.last().is_none_or(|last| *last < count), "{row:?}");
    }
}

#[test]
fn rows_do_not_contradict_themselves() {
    for row in ALL.iter().chain(FAMILIES) {
        assert!(row.effects.is_empty() || row.guest == Guest::Announces, "{}: who announces?", row.name);
        assert!(row.role.is_none() || row.outcome == Outcome::Unknown, "{}: its role says that", row.name);
        assert!(!row.writes_elsewhere || row.flows.is_some(), "{}: nothing is known anyway", row.name);
        let starts = row.flows.is_some_and(|flows| flows.iter().any(|flow| matches!(flow, PointerFlow::Starts { .. })));
        assert_eq!(starts, row.role == Some(Role::Create), "{}", row.name);
    }
    for (number, object) in Hidden::ALL.iter().enumerate() {
        assert_eq!(*object as usize, number, "an object's number is its position");
    }
}
