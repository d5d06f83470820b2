//! The cells of docs/library.md.

use inspect_wire::library::{Completion, Effect, Extent, Flow, Guest, InLoops, Outcome, Role, Row};

/// Who performs a call.
pub(super) fn guest(guest: Guest) -> &'static str {
    match guest {
        Guest::Unknown => "unknown",
        Guest::Harmless => "harmless",
        Guest::Announces => "announced",
        Guest::Models => "modelled",
        Guest::Refuses => "not modelled",
    }
}

/// What a call accesses.
pub(super) fn effects(row: &Row) -> String {
    let nothing = row.guest == Guest::Announces && row.effects.is_empty();
    if nothing { "nothing".into() } else { row.effects.iter().map(effect).collect::<Vec<_>>().join("; ") }
}

fn effect(effect: &Effect) -> String {
    match *effect {
        Effect::Reads(at, of) => format!("reads {}", extent(at, of)),
        Effect::Writes(at, of) => format!("writes {}", extent(at, of)),
        Effect::Looks(object) => format!("looks at {}", object.name()),
        Effect::Changes(object) => format!("changes {}", object.name()),
        Effect::Updates(object) => format!("changes {} under the library's lock", object.name()),
        Effect::TakesToken { text, kept } => format!("takes a token off the string at {text} or kept at {kept}"),
        Effect::TakesTokenAt(at) => format!("takes a token off the string that {at} points to"),
        Effect::Prints(at) => format!("reads what the format at {at} prints"),
        Effect::PrintsList { format, list } => {
            format!("reads what the format at {format} prints of the list at {list}")
        }
        Effect::PrintsInto => "reads what the format at 1 prints; writes that at 0".into(),
        Effect::PrintsIntoAtMost => "reads what the format at 2 prints; writes at most (1) bytes of it at 0".into(),
        Effect::PrintsListInto => "reads what the format at 1 prints of the list at 2; writes that at 0".into(),
        Effect::PrintsListIntoAtMost => {
            "reads what the format at 2 prints of the list at 3; writes at most (1) bytes of it at 0".into()
        }
        Effect::Scans(at) => format!("writes what the format at {at} scans"),
        Effect::ScansList { format, list } => format!("writes what the format at {format} scans to the list at {list}"),
        Effect::ReadsVector => "reads the (2) buffers of the vector at 1".into(),
        Effect::WritesVector => "writes the (2) buffers of the vector at 1".into(),
        Effect::ReadsStream(at) => format!("reads the stream {at}"),
        Effect::WritesStream(at) => format!("writes the stream {at}"),
        Effect::LooksUpPath(at) => format!("depends on the path at {at}"),
        Effect::ChangesPath(at) => format!("changes the path at {at}"),
        Effect::Opens => "opens the path at 0 with the flags 1".into(),
        Effect::OpensAt => "opens the path at 1 in the folder 0 with the flags 2".into(),
        Effect::OpensStream => "opens the path at 0 in the mode at 1".into(),
        Effect::ReadsDescriptor(at) => format!("reads or changes the descriptor {at}"),
        Effect::AsksDescriptor(at) => format!("depends on the file of the descriptor {at}"),
        Effect::WritesDescriptor(at) => format!("writes to the descriptor {at}"),
        Effect::MakesTemporary => "makes a file and writes its name at 0".into(),
        Effect::ListsFolder(at) => format!("lists the folder at {at}"),
        Effect::UsesFolderStream(at) => format!("uses the stream of entries {at}, without a lock"),
        Effect::MapsFile => "depends on the file of the descriptor 4, if it maps one".into(),
        Effect::Unmaps => "writes (1) bytes at 0: they go away".into(),
        Effect::Protects => "as an access to (1) bytes at 0 of the kind that is no longer allowed".into(),
        Effect::Advises => "writes (1) bytes at 0 if the advice 2 lets them go".into(),
        Effect::LooksAtSignal(at) => format!("depends on the action for the signal {at}"),
        Effect::ChangesSignal { signal, action } => {
            format!("changes the action for the signal {signal} if {action} is not null")
        }
        Effect::ForAllThreads => "modelled only while there are no other threads".into(),
        Effect::Exits => "ends the process".into(),
    }
}

fn extent(at: u8, extent: Extent) -> String {
    match extent {
        Extent::Bytes(bytes) => format!("{bytes} bytes at {at}"),
        Extent::Argument(count) => format!("({count}) bytes at {at}"),
        Extent::Text => format!("the string at {at}"),
        Extent::Number => format!("the number at {at}"),
    }
}

/// What becomes of pointers.
pub(super) fn flows(row: &Row) -> String {
    let mut parts: Vec<String> = match row.flows {
        None => return String::new(),
        Some([]) => vec!["keeps nothing".into()],
        Some(flows) => flows.iter().map(flow).collect(),
    };
    if row.writes_elsewhere {
        parts.push("goes on from addresses in memory, calls or throws".into());
    }
    parts.join("; ")
}

fn flow(flow: &Flow) -> String {
    match *flow {
        Flow::ReturnsInside(at) => format!("returns {at} or a place in it"),
        Flow::ReturnsBlock => "returns a new block".into(),
        Flow::ReturnsResized(at) => format!("returns {at} or a copy of it in a new block"),
        Flow::ReturnsUnknown => "returns what the library has".into(),
        Flow::ReturnsContent(at) => format!("returns what {at} points to"),
        Flow::ReturnsThreadVariable => "returns a variable of the thread".into(),
        Flow::ReturnsConstantTable => "returns a constant table".into(),
        Flow::StoresInside { of, at } => format!("stores a place in {of} at {at}"),
        Flow::StoresBlock(at) => format!("stores a new block at {at}"),
        Flow::StoresUnknown(at) => format!("stores at {at} what others gave to a library"),
        Flow::GivesAway(at) => format!("gives away what is at {at}"),
        Flow::Copies { to, from } => format!("copies {from} to {to}"),
        Flow::Exchanges => "moves values between its arguments".into(),
        Flow::Calls { function, with: [] } => format!("calls {function}"),
        Flow::Calls { function, with } => {
            let with: Vec<String> = with.iter().map(u8::to_string).collect();
            format!("calls {function} with places in {}", with.join(" and "))
        }
        Flow::Starts { function, argument } => format!("starts a thread that calls {function} with {argument}"),
    }
}

/// What the result depends on.
pub(super) fn outcome(row: &Row) -> &'static str {
    match row.outcome {
        Outcome::Unknown => "",
        Outcome::Determined => "arguments",
        Outcome::Varies => "time, choice or system",
        Outcome::Outside => "state outside of the program's memory",
        Outcome::Stream(_) => "the stream",
        Outcome::Heap => "the heap",
    }
}

/// What it does to threads and in loops.
pub(super) fn threads(row: &Row) -> String {
    let role = row.role.map(|role| match role {
        Role::Lock => "locks",
        Role::TryLock => "tries to lock",
        Role::Unlock => "unlocks",
        Role::Lifecycle => "initialises or destroys",
        Role::Wait => "waits for a condition",
        Role::TimedWait => "waits for a condition or a time",
        Role::Wake => "wakes",
        Role::Create => "creates a thread",
        Role::Join => "joins",
        Role::EndsThread => "ends the thread",
        Role::EndsProcess => "ends the process at once",
    });
    let completion = match row.completion {
        Completion::Writes => None,
        Completion::WritesNothing => Some("writes nothing afterwards".to_owned()),
        Completion::WritesUnlessNull(at) => Some(format!("writes nothing afterwards if {at} is null")),
    };
    let in_loops = match row.in_loops {
        InLoops::Changes => None,
        InLoops::Operation => Some("an operation in loops"),
        InLoops::Yields => Some("lets others run"),
        InLoops::Sleeps => Some("sleeps"),
    };
    let essential = row.essential.then_some("essential");
    let parts = [role.map(str::to_owned), completion, in_loops.map(str::to_owned), essential.map(str::to_owned)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
