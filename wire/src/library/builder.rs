//! How rows are written: `function("strtok_r", 3).announces(..).flows(..)`. What a row does not say is the cautious answer.

use super::{Arguments, Completion, Effect, Flow, Guest, InLoops, Outcome, Role, Row};

/// A function with so many arguments.
pub(super) const fn function(name: &'static str, arguments: u8) -> Row {
    nothing_known(name, Arguments::Fixed(arguments))
}

/// A function with so many arguments and more after them.
pub(super) const fn variadic(name: &'static str, arguments: u8) -> Row {
    nothing_known(name, Arguments::Variadic(arguments))
}

/// A variable.
pub(super) const fn variable(name: &'static str) -> Row {
    nothing_known(name, Arguments::Variable)
}

/// The functions whose names begin so.
pub(super) const fn family(beginning: &'static str) -> Row {
    nothing_known(beginning, Arguments::Family)
}

const fn nothing_known(name: &'static str, arguments: Arguments) -> Row {
    Row {
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
        essential: false,
    }
}

impl Row {
    /// The library performs it, and nobody else has to know: see [`Guest::Harmless`].
    pub(super) const fn harmless(self) -> Row {
        Row { guest: Guest::Harmless, ..self }
    }

    /// The guest announces these effects, then the library performs the call.
    pub(super) const fn announces(self, effects: &'static [Effect]) -> Row {
        Row { guest: Guest::Announces, effects, ..self }
    }

    /// The guest has a model.
    pub(super) const fn modelled(self) -> Row {
        Row { guest: Guest::Models, ..self }
    }

    /// The run ends as not modelled.
    pub(super) const fn refused(self) -> Row {
        Row { guest: Guest::Refuses, ..self }
    }

    /// What it does with pointers, all of it.
    pub(super) const fn flows(self, flows: &'static [Flow]) -> Row {
        Row { flows: Some(flows), ..self }
    }

    /// It keeps no pointer, returns none and calls nobody back.
    pub(super) const fn keeps_nothing(self) -> Row {
        self.flows(&[])
    }

    /// See [`Row::writes_elsewhere`].
    pub(super) const fn writes_elsewhere(self) -> Row {
        Row { writes_elsewhere: true, ..self }
    }

    /// What it does to threads.
    pub(super) const fn role(self, role: Role) -> Row {
        Row { role: Some(role), ..self }
    }

    /// What its result depends on.
    pub(super) const fn outcome(self, outcome: Outcome) -> Row {
        Row { outcome, ..self }
    }

    /// See [`Completion`].
    pub(super) const fn completes(self, completion: Completion) -> Row {
        Row { completion, ..self }
    }

    /// See [`InLoops`].
    pub(super) const fn in_loops(self, in_loops: InLoops) -> Row {
        Row { in_loops, ..self }
    }

    /// See [`Row::essential`].
    pub(super) const fn essential(self) -> Row {
        Row { essential: true, ..self }
    }
}
