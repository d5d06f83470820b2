//! Whether several processes can make a search, and how.

use super::Combination;

/// How several processes can make one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchSharing {
    /// It can be divided, among processes on one machine or several, or among those of now and of later.
    Divided,
    /// Each process on one machine makes the whole search, and they tell each other which states are explored.
    States,
    /// Not at all, for this reason.
    Alone(&'static str),
}

impl SearchSharing {
    /// Whether several guests on one machine can make the search: `-j`.
    pub fn among_guests(self) -> Combination {
        match self {
            SearchSharing::Divided | SearchSharing::States => Ok(()),
            SearchSharing::Alone(why) => Err(why),
        }
    }

    /// Whether it can be divided: `--checkpoint`, `--resume`, ranks of a cluster.
    pub fn division(self) -> Combination {
        match self {
            SearchSharing::Divided => Ok(()),
            SearchSharing::States => {
                Err("what was explored below a state is known to the processes of one search only")
            }
            SearchSharing::Alone(why) => Err(why),
        }
    }
}
