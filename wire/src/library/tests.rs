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
fn of_effect(effect: &Effect) -> Vec<u8> {
    let of_extent = |extent: &Extent| match *extent {
        Extent::Argument(argument) => Some(argument),
        Extent::Bytes(_) | Extent::Text | Extent::Number => None,
    };
    match *effect {
        Effect::Reads(at, ref extent) | Effect::Writes(at, ref extent) => {
            [at].into_iter().chain(of_extent(extent)).collect()
        }
        Effect::Looks(_) | Effect::Changes(_) | Effect::Updates(_) => Vec::new(),
        Effect::TakesToken { text, kept } => [text, kept, 1].into(),
        Effect::TakesTokenAt(at) => [at, 1].into(),
        Effect::PrintsList { format, list } | Effect::ScansList { format, list } => [format, list].into(),
        Effect::PrintsInto | Effect::Unmaps | Effect::Opens | Effect::OpensStream => [0, 1].into(),
        Effect::PrintsIntoAtMost | Effect::PrintsListInto => [0, 1, 2].into(),
        Effect::PrintsListIntoAtMost => [0, 1, 2, 3].into(),
        Effect::ReadsVector | Effect::WritesVector => [1, 2].into(),
        Effect::OpensAt | Effect::Protects | Effect::Advises => [0, 1, 2].into(),
        Effect::MapsFile => [3, 4].into(),
        Effect::MakesTemporary | Effect::Exits => [0].into(),
        Effect::ForAllThreads => Vec::new(),
        Effect::ChangesSignal { signal, action } => [signal, action].into(),
        Effect::Prints(at)
        | Effect::Scans(at)
        | Effect::ReadsStream(at)
        | Effect::WritesStream(at)
        | Effect::LooksUpPath(at)
        | Effect::ChangesPath(at)
        | Effect::ReadsDescriptor(at)
        | Effect::AsksDescriptor(at)
        | Effect::WritesDescriptor(at)
        | Effect::ListsFolder(at)
        | Effect::UsesFolderStream(at)
        | Effect::LooksAtSignal(at) => [at].into(),
    }
}

/// The arguments that a flow speaks of.
fn of_flow(flow: &Flow) -> Vec<u8> {
    match *flow {
        Flow::ReturnsInside(at)
        | Flow::ReturnsResized(at)
        | Flow::ReturnsContent(at)
        | Flow::StoresBlock(at)
        | Flow::StoresUnknown(at)
        | Flow::GivesAway(at) => [at].into(),
        Flow::StoresInside { of, at } => [of, at].into(),
        Flow::Copies { to, from } => [to, from].into(),
        Flow::Calls { function, with } => with.iter().copied().chain([function]).collect(),
        Flow::Starts { function, argument } => [function, argument].into(),
        Flow::ReturnsBlock
        | Flow::ReturnsUnknown
        | Flow::ReturnsThreadVariable
        | Flow::ReturnsConstantTable
        | Flow::Exchanges => Vec::new(),
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
        let starts = row.flows.is_some_and(|flows| flows.iter().any(|flow| matches!(flow, Flow::Starts { .. })));
        assert_eq!(starts, row.role == Some(Role::Create), "{}", row.name);
    }
    for (number, object) in Hidden::ALL.iter().enumerate() {
        assert_eq!(*object as usize, number, "an object's number is its position");
    }
}
