//! The cells of docs/library.md.

use inspect_wire::library::{
    CallEffect, Completion, Extent, Guest, Hidden, InLoops, LibraryRow, Outcome, PointerFlow, Present, Role,
    StoredExtent,
};

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
pub(super) fn effects(row: &LibraryRow) -> String {
    let nothing = row.guest == Guest::Announces && row.effects.is_empty();
    if nothing { "nothing".into() } else { row.effects.iter().map(effect).collect::<Vec<_>>().join("; ") }
}

const STORES_VECTOR: &str = "reads the vector at 1; writes as much of its (2) buffers as the result says";

/// What a call has written behind an argument, known when it is over.
fn written(at: u8, stored: StoredExtent) -> String {
    let most = |limit: u8| format!("at {at}, at most ({limit})");
    match stored {
        StoredExtent::Result { limit, size: 1 } => format!("as many bytes as the result says {}", most(limit)),
        StoredExtent::Result { limit, size } | StoredExtent::IntResult { limit, size } => {
            format!("as many times {size} bytes as the result says {}", most(limit))
        }
        StoredExtent::Printed { limit } => format!("as many bytes as the result says, and one, {}", most(limit)),
        StoredExtent::PrintedWide { limit } => {
            format!("as many wide characters as the result says, and one, {}", most(limit))
        }
        StoredExtent::Fitted { limit } => {
            format!("as many bytes as the result says, and one, {}; all if that is 0", most(limit))
        }
        StoredExtent::Text { limit, present } => {
            let when = match present {
                Present::Always => "",
                Present::ResultIsZero => ", if the result is 0",
                Present::ResultIsAddress => ", if the result is its address",
                Present::ResultIsPositive => ", if it succeeds",
            };
            format!("a string {}{when}", most(limit))
        }
        StoredExtent::Address { family } => format!("an address of the family {family} at {at}, if the result is 1"),
        StoredExtent::Taken { product: (count, size), .. } => {
            format!("what was read at {at}, at most ({count} times {size})")
        }
        StoredExtent::Line { limit, .. } | StoredExtent::WideLine { limit } => {
            format!("the line that was read {}", most(limit))
        }
    }
}

fn effect(effect: &CallEffect) -> String {
    use CallEffect::*;
    match *effect {
        Reads(at, of) => format!("reads {}", extent(at, of)),
        Writes(at, of) => format!("writes {}", extent(at, of)),
        Stores(at, stored) => format!("writes {}", written(at, stored)),
        StoresVector => STORES_VECTOR.into(),
        Compares { limit, wide } => {
            format!("reads {}{} at 0 and 1 up to their difference", at_most(limit, "characters of "), strings(wide))
        }
        Appends { limit, wide } => {
            format!(
                "reads the {} at 0 and 1; writes {}the second behind the first",
                strings(wide),
                at_most(limit, "characters of ")
            )
        }
        WritesVariable(variable, bytes) => format!("writes the {bytes} bytes of `{variable}`"),
        ReadsVariable(variable, bytes) => format!("reads the {bytes} bytes of `{variable}`"),
        WritesResult(Extent::Bytes(bytes)) => format!("writes the {bytes} bytes of its result"),
        WritesResult(_) => "writes the string that it returns".into(),
        Converts { to_wide, moves } => format!(
            "reads the text {} 1; writes it at 0 as {}, at most (2)",
            if moves { "that the pointer points to at" } else { "at" },
            if to_wide { "wide characters" } else { "bytes" }
        ),
        UsesShiftState(at) => {
            format!("writes the 8 bytes at {at}, or changes {} if that is null", Hidden::ShiftState.name())
        }
        TakesOption { long } => {
            format!(
                "reads the (0) strings at 1{}",
                if long { " and the table at 3; writes what it points to" } else { "" }
            )
        }
        TakesSuboption => "takes an option off the string that 0 points to; reads the strings at 1".into(),
        UsesOutput(at) => format!("writes to the stream {at}, one that exists from the beginning beside other threads"),
        ReadsString(at) => format!("reads the string {at}"),
        DrawsRandom(at) => format!("writes the state that {at} points to"),
        ChangesIfNull(at, object) => format!("changes {} if {at} is null", object.name()),
        SetsLocale => "changes the locale, or looks at it if 1 is null".into(),
        FlushesStreams(at) => format!("writes the stream {at}, or all if that is null"),
        AsksStream(at) => format!("reads the descriptor in the stream {at}"),
        ReplacesDescriptor => "changes the descriptor 1, depends on the descriptor 0".into(),
        Operates(at) => format!("operates on the object at {at}"),
        Unannounced(at, reason) => format!("nothing of {at}: {reason}"),
        UsesStreamUnlocked(at) => format!("writes the stream {at}, without its lock"),
        UsesStandardUnlocked(variable) => format!("writes the stream `{variable}`, without its lock"),
        UsesStandard(variable) => format!("reads the variable `{variable}`; uses its stream"),
        ClosesStream(at) => format!("closes the stream {at}"),
        DropsBuffer(at) => format!("the stream {at} no longer uses memory that it was given"),
        KeepsBuffer { stream, buffer, .. } => {
            format!("what is at {buffer} is written by later calls with the stream {stream}")
        }
        KeepsVariable(at) => format!("the string at {at} is read by later calls that use the environment"),
        KeepsState { state, .. } => format!("what is at {state} is written by later calls of `random`"),
        UsesKey(at) => format!("reads the key {at}"),
        UsesLocale(at) => format!("reads the locale object {at}"),
        Processors { thread, changes: false, .. } => format!("depends on the processors of the thread {thread}"),
        Processors { thread, .. } => format!("changes the processors of the thread {thread}"),
        AsksOwnProcessors => "depends on the processors of the calling thread".into(),
        SetsTimeZone => "sets `tzname`, `timezone` and `daylight` under the library's lock".into(),
        NamesThread => "reads the name at 1 if 0 asks for that; changes the name of a thread".into(),
        AsksName => "depends on the name of a thread; writes it at 1 if 0 asks for that".into(),
        UsesPriority { own, changes } => format!(
            "{} the priority of {}",
            if changes { "changes" } else { "depends on" },
            if own { "the calling thread" } else { "the thread 1 if 0 says that it is one" }
        ),
        AsksStatus { flags } => {
            format!("depends on the path at 1 in the folder 0, or on the descriptor 0 if {flags} says so")
        }
        ChangesFolder => "changes what paths and new files are, for all threads".into(),
        LooksAtFolder => "depends on the current folder".into(),
        OpensGrowingStream => "what is at 0 and 1 is written by later calls with the stream".into(),
        OpensStreamOfMemory => "(1) bytes at 0 are read or written by later calls with the stream".into(),
        MakesDescriptor => "makes a descriptor of something new".into(),
        CopiesFile { from, to } => format!("reads or changes the descriptor {from}; writes to the descriptor {to}"),
        ControlsDevice => "does what 1 says to the descriptor 0".into(),
        Looks(object) => format!("looks at {}", object.name()),
        Changes(object) => format!("changes {}", object.name()),
        Updates(object) => format!("changes {} under the library's lock", object.name()),
        TakesToken { text, kept } => format!("takes a token off the string at {text} or kept at {kept}"),
        TakesTokenAt(at) => format!("takes a token off the string that {at} points to"),
        Prints { format, .. } => format!("reads what the format at {format} prints"),
        PrintsList { format, list, .. } => format!("reads what the format at {format} prints of the list at {list}"),
        PrintsInto { limit, format } => {
            format!("reads what the format at {format} prints; writes {}that at 0", at_most(limit, "bytes of "))
        }
        PrintsListInto { limit, format, list } => format!(
            "reads what the format at {format} prints of the list at {list}; writes {}that at 0",
            at_most(limit, "bytes of ")
        ),
        Scans { format, .. } => format!("writes what the format at {format} scans"),
        ScansList { format, list, .. } => format!("writes what the format at {format} scans to the list at {list}"),
        ReadsVector => "reads the (2) buffers of the vector at 1".into(),
        ReadsStream(at) => format!("reads the stream {at}"),
        WritesStream(at) => format!("writes the stream {at}"),
        LooksUpPath(at) => format!("depends on the path at {at}"),
        ChangesPath(at) => format!("changes the path at {at}"),
        LooksUpPathAt => "depends on the path at 1 in the folder 0".into(),
        ChangesPathAt => "changes the path at 1 in the folder 0".into(),
        Opens => "opens the path at 0 with the flags 1".into(),
        OpensAt => "opens the path at 1 in the folder 0 with the flags 2".into(),
        OpensStream => "opens the path at 0 in the mode at 1".into(),
        ReopensStream => "opens the path at 0 in the mode at 1 with the stream 2".into(),
        Creates => "opens the path at 0, and changes it".into(),
        OpensSharedMemory => "opens the object of shared memory at 0 with the flags 1".into(),
        ChangesSharedMemory(at) => format!("changes the object of shared memory at {at}"),
        OpensFolder(at) => format!("opens the folder at {at}"),
        ClosesFolder(at) => format!("closes the stream of entries {at}, without a lock"),
        DuplicatesDescriptor(at) => format!("makes another descriptor of the file of the descriptor {at}"),
        ControlsDescriptor => "does what 1 says to the descriptor 0".into(),
        ReadsDescriptor(at) => format!("reads or changes the descriptor {at}"),
        AsksDescriptor(at) => format!("depends on the file of the descriptor {at}"),
        ClosesDescriptor(at) => format!("closes the descriptor {at}"),
        WritesDescriptor(at) => format!("writes to the descriptor {at}"),
        MakesTemporary => "makes a file and writes its name at 0".into(),
        ListsFolder(at) => format!("lists the folder at {at}"),
        UsesFolderStream(at) => format!("uses the stream of entries {at}, without a lock"),
        MapsFile => "depends on the file of the descriptor 4, if it maps one; writes what is at a fixed address, and changes its pages"
            .into(),
        Unmaps => "writes (1) bytes at 0: they go away; changes their pages".into(),
        Protects => "as an access to (1) bytes at 0 of the kind that is no longer allowed; changes their pages".into(),
        Advises => {
            "writes (1) bytes at 0 if the advice 2 lets them go; depends on the pages of (1) bytes at 0".into()
        }
        LooksAtPages => "depends on the pages of (1) bytes at 0".into(),
        LooksAtSignal(at) => format!("depends on the action for the signal {at}"),
        ChangesSignal { signal, action } => {
            format!("changes the action for the signal {signal} if {action} is not null")
        }
        ForAllThreads => "modelled only while all other threads are joined".into(),
        Exits { cleanly: false } => "ends the process".into(),
        Exits { cleanly: true } => "ends the process, and writes out the buffers of streams before".into(),
    }
}

fn at_most(limit: Option<u8>, of: &str) -> String {
    limit.map_or_else(String::new, |limit| format!("at most ({limit}) {of}"))
}

fn strings(wide: bool) -> &'static str {
    if wide { "wide strings" } else { "strings" }
}

fn extent(at: u8, extent: Extent) -> String {
    match extent {
        Extent::Bytes(bytes) => format!("{bytes} bytes at {at}"),
        Extent::Pages(count) => format!("a byte for each of ({count}) bytes' pages at {at}"),
        Extent::Elements(count, size) => format!("({count}) times {size} bytes at {at}"),
        Extent::Product(count, size) => format!("({count}) times ({size}) bytes at {at}"),
        Extent::Address(family) => format!("the address of the family {family} at {at}"),
        Extent::Counted(count) => format!("as many bytes at {at} as the number at {count} says"),
        Extent::TextUpTo(limit) => format!("at most ({limit}) bytes of the string at {at}"),
        Extent::TextOf(other) => format!("as much at {at} as the string at {other} has"),
        Extent::ToByte(byte) => format!("the string at {at} up to the byte {byte}"),
        Extent::ToByteWithin { byte, limit } => {
            format!("{}what is at {at} up to the byte {byte}", at_most(limit, "bytes of "))
        }
        Extent::Int(count) | Extent::Signed(count) => format!("({count}) bytes at {at}"),
        Extent::IntElements(count, size) => format!("({count}) times {size} bytes at {at}"),
        Extent::TextWithin(limit) => format!("at most {limit} bytes of the string at {at}"),
        Extent::ToByteOf { of, byte, limit } => {
            format!("as much at {at} as there is at {of} up to the byte {byte}, at most ({limit})")
        }
        Extent::Transformed { of, limit, .. } => format!("at {at} what the string at {of} becomes, at most ({limit})"),
        Extent::Character(limit) => format!("the character at {at}, at most ({limit}) bytes"),
        Extent::CharacterOf(wide) => format!("at {at} the bytes of the character ({wide})"),
        Extent::Decimal | Extent::Integer(_) => format!("the integer at {at}"),
        Extent::WideInteger(_) => format!("the integer in the wide string at {at}"),
        Extent::Wide => format!("the wide string at {at}"),
        Extent::WideUpTo(limit) => format!("at most ({limit}) characters of the wide string at {at}"),
        Extent::WideOf(other) => format!("as much at {at} as the wide string at {other} has"),
        Extent::WideNumber => format!("the number in the wide string at {at}"),
        Extent::Argument(count) => format!("({count}) bytes at {at}"),
        Extent::Text => format!("the string at {at}"),
        Extent::Number => format!("the number at {at}"),
    }
}

/// What the function does with pointers.
pub(super) fn flows(row: &LibraryRow) -> String {
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

fn flow(flow: &PointerFlow) -> String {
    match *flow {
        PointerFlow::ReturnsInside(at) => format!("returns {at} or a place in it"),
        PointerFlow::ReturnsBlock => "returns a new block".into(),
        PointerFlow::ReturnsResized(at) => format!("returns {at} or a copy of it in a new block"),
        PointerFlow::ReturnsUnknown => "returns what the library has".into(),
        PointerFlow::ReturnsContent(at) => format!("returns what {at} points to"),
        PointerFlow::ReturnsThreadVariable => "returns a variable of the thread".into(),
        PointerFlow::ReturnsConstantTable => "returns a constant table".into(),
        PointerFlow::StoresInside { of, at } => format!("stores a place in {of} at {at}"),
        PointerFlow::StoresBlock(at) => format!("stores a new block at {at}"),
        PointerFlow::StoresUnknown(at) => format!("stores at {at} what others gave to a library"),
        PointerFlow::GivesAway(at) => format!("gives away what is at {at}"),
        PointerFlow::KeepsNumber(at) => format!("keeps the number {at}"),
        PointerFlow::Copies { to, from } => format!("copies {from} to {to}"),
        PointerFlow::Exchanges => "moves values between its arguments".into(),
        PointerFlow::Calls { function, with: [] } => format!("calls {function}"),
        PointerFlow::Calls { function, with } => {
            let with: Vec<String> = with.iter().map(u8::to_string).collect();
            format!("calls {function} with places in {}", with.join(" and "))
        }
        PointerFlow::Starts { function, argument } => format!("starts a thread that calls {function} with {argument}"),
    }
}

/// What the result depends on.
pub(super) fn outcome(row: &LibraryRow) -> &'static str {
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
pub(super) fn threads(row: &LibraryRow) -> String {
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
    let cancellation = row.cancellation_point.then_some("a cancellation point");
    let essential = row.essential.then_some("essential");
    let words = |word: Option<&str>| word.map(str::to_owned);
    let parts = [words(role), completion, words(in_loops), words(cancellation), words(essential)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
