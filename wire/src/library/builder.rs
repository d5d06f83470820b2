//! How rows are written: `function("strtok_r", "pcp").announces(..).flows(..)`. What a row does not say is the cautious
//! answer.

use super::{Arguments, CallEffect, Completion, Guest, InLoops, LibraryRow, Outcome, PointerFlow, Role, Signature};

/// A function with these arguments, a letter each ([`Signature`]).
pub(super) const fn function(name: &'static str, arguments: &'static str) -> LibraryRow {
    nothing_known(name, Arguments::Fixed(Signature(arguments)))
}

/// A function with these arguments and more after them.
pub(super) const fn variadic(name: &'static str, arguments: &'static str) -> LibraryRow {
    nothing_known(name, Arguments::Variadic(Signature(arguments)))
}

/// A function that computes its result from values alone. It may note errors for the calling thread.
pub(super) const fn pure(name: &'static str, arguments: &'static str) -> LibraryRow {
    function(name, arguments).harmless().keeps_nothing().outcome(Outcome::Determined)
}

/// A variable.
pub(super) const fn variable(name: &'static str) -> LibraryRow {
    nothing_known(name, Arguments::Variable)
}

/// The functions whose names begin so.
pub(super) const fn family(beginning: &'static str) -> LibraryRow {
    nothing_known(beginning, Arguments::Family)
}

const fn nothing_known(name: &'static str, arguments: Arguments) -> LibraryRow {
    LibraryRow {
        name,
        arguments,
        guest: Guest::Unknown,
        effects: &[],
        flows: None,
        writes_elsewhere: false,
        role: None,
        outcome: Outcome::Unknown,
        completion: Completion::Writes,
        in_loops: InLoops::Changes,
        cancellation_point: false,
        essential: false,
    }
}

impl LibraryRow {
    /// Who performs a call. What is modelled or refused stays so: a later word would silently give the call to the
    /// library.
    const fn performed(self, guest: Guest) -> LibraryRow {
        assert!(!matches!(self.guest, Guest::Models | Guest::Refuses), "a row says twice who performs the call");
        LibraryRow { guest, ..self }
    }

    /// The library performs the call, and the guest announces nothing: see [`Guest::Harmless`].
    pub(super) const fn harmless(self) -> LibraryRow {
        self.performed(Guest::Harmless)
    }

    /// The guest announces these effects, then the library performs the call.
    pub(super) const fn announces(self, effects: &'static [CallEffect]) -> LibraryRow {
        LibraryRow { effects, ..self.performed(Guest::Announces) }
    }

    /// What the model or the library accesses.
    pub(super) const fn accesses(self, effects: &'static [CallEffect]) -> LibraryRow {
        LibraryRow { effects, ..self }
    }

    /// The guest has a model.
    pub(super) const fn modelled(self) -> LibraryRow {
        self.performed(Guest::Models)
    }

    /// The run ends at a call, as not modelled.
    pub(super) const fn refused(self) -> LibraryRow {
        self.performed(Guest::Refuses)
    }

    /// What it does with pointers, all of it.
    pub(super) const fn flows(self, flows: &'static [PointerFlow]) -> LibraryRow {
        LibraryRow { flows: Some(flows), ..self }
    }

    /// It keeps no pointer, returns none and calls no function of the program.
    pub(super) const fn keeps_nothing(self) -> LibraryRow {
        self.flows(&[])
    }

    /// See [`LibraryRow::writes_elsewhere`].
    pub(super) const fn writes_elsewhere(self) -> LibraryRow {
        LibraryRow { writes_elsewhere: true, ..self }
    }

    /// What it does to threads.
    pub(super) const fn role(self, role: Role) -> LibraryRow {
        LibraryRow { role: Some(role), ..self }
    }

    /// What its result depends on.
    pub(super) const fn outcome(self, outcome: Outcome) -> LibraryRow {
        LibraryRow { outcome, ..self }
    }

    /// See [`Completion`].
    pub(super) const fn completes(self, completion: Completion) -> LibraryRow {
        LibraryRow { completion, ..self }
    }

    /// See [`InLoops`].
    pub(super) const fn in_loops(self, in_loops: InLoops) -> LibraryRow {
        LibraryRow { in_loops, ..self }
    }

    /// See [`LibraryRow::cancellation_point`].
    pub(super) const fn cancellation_point(self) -> LibraryRow {
        LibraryRow { cancellation_point: true, ..self }
    }

    /// See [`LibraryRow::essential`].
    pub(super) const fn essential(self) -> LibraryRow {
        LibraryRow { essential: true, ..self }
    }
}
