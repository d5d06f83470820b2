//! Objects and sets of them.

/// Something that can be pointed to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct AbstractObject(pub(crate) u32);

/// A set of objects: a bit for each number.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn insert(&mut self, object: AbstractObject) -> bool {
        let (word, bit) = (object.0 as usize / 64, 1 << (object.0 % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub(crate) fn remove(&mut self, object: AbstractObject) {
        if let Some(word) = self.0.get_mut(object.0 as usize / 64) {
            *word &= !(1 << (object.0 % 64));
        }
    }

    pub(crate) fn contains(&self, object: AbstractObject) -> bool {
        self.0.get(object.0 as usize / 64).is_some_and(|word| word & (1 << (object.0 % 64)) != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = AbstractObject> + '_ {
        (0u32..).zip(&self.0).flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(AbstractObject(index * 64 + bit))
            })
        })
    }

    /// The same set, in the form that all sets with these objects have.
    pub(crate) fn trimmed(&self) -> Set {
        let len = self.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        Set(self.0[..len].to_vec())
    }

    /// Adds the other set; returns whether anything was new.
    pub(crate) fn add_all(&mut self, other: &Set) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grew = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// The objects that the other set does not have.
    pub(crate) fn without(&self, other: &Set) -> Set {
        let word = |i: usize| other.0.get(i).copied().unwrap_or(0);
        Set(self.0.iter().enumerate().map(|(i, mine)| mine & !word(i)).collect())
    }

    /// The objects that both sets have.
    pub(crate) fn common(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & theirs).collect())
    }

    /// Whether the two sets have an object in common.
    pub(crate) fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }
}
