//! Colours, where the output supports them.

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Colours are welcome.
    pub colour: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// For errors.
    pub fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// For warnings and what is not decided.
    pub fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// For what is good.
    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// For what matters most in a paragraph.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// For what is only there for orientation.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }
}
