//! What a search has shown that came to its end.

/// What a search that came to its end without a finding has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No interleaving (within the bound on preemptions, if there is one) shows any kind of finding.
    EveryFinding,
    /// No interleaving shows a data race. Other findings may be in executions that were left out.
    DataRaces,
    /// Nothing: the search samples, and the interleavings that it has not drawn may show anything.
    Nothing,
}

impl Claim {
    /// What was covered, in the words of a verdict `verified`.
    pub fn covered(self) -> &'static str {
        match self {
            Claim::EveryFinding => "every interleaving was covered",
            Claim::DataRaces => "every interleaving was covered as far as data races are concerned",
            Claim::Nothing => "some interleavings were sampled",
        }
    }

    /// What is not claimed, in words, if anything is not.
    pub fn exception(self) -> Option<&'static str> {
        match self {
            // A search that claims nothing is never verified, so its report needs no exception.
            Claim::EveryFinding | Claim::Nothing => None,
            Claim::DataRaces => Some(
                "only data races were looked for: deadlocks, failed assertions and everything else may be in the executions \
                 that were left out",
            ),
        }
    }
}
