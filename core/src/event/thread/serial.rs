//! How threads and sets of threads are written down: alike in both forms of this crate, so that a host with room for
//! many threads reads what a guest with room for few writes, and the other way round.

use super::{ALL_THREADS, Bits, ThreadId, ThreadNumber, ThreadSet, WORDS};
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};

impl Serialize for ThreadId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(if *self == ThreadId::UNKNOWN { u16::MAX } else { self.index() as u16 })
    }
}

impl<'de> Deserialize<'de> for ThreadId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u16::deserialize(deserializer)?;
        if number == u16::MAX {
            return Ok(ThreadId::UNKNOWN);
        }
        ThreadNumber::try_from(number).map(ThreadId).map_err(|_| Error::custom("more threads than there is room for"))
    }
}

/// A number of threads that stands for all of them from [`ALL_THREADS`] on.
pub(in crate::event) mod count {
    use super::{ALL_THREADS, Deserialize, Deserializer, Error, Serializer, ThreadNumber};

    pub(in crate::event) fn serialize<S: Serializer>(count: &ThreadNumber, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(if *count >= ALL_THREADS { u16::MAX } else { usize::from(*count) as u16 })
    }

    pub(in crate::event) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ThreadNumber, D::Error> {
        match u16::deserialize(deserializer)? {
            u16::MAX => Ok(ALL_THREADS),
            count => ThreadNumber::try_from(count).map_err(|_| Error::custom("more threads than there is room for")),
        }
    }
}

impl Serialize for ThreadSet {
    /// Its words without the last ones that are 0.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = self.words();
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let mut list = serializer.serialize_seq(Some(used))?;
        words[..used].iter().try_for_each(|word| list.serialize_element(word))?;
        list.end()
    }
}

struct Words;

impl<'de> Visitor<'de> for Words {
    type Value = ThreadSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a set of threads: at most {WORDS} words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ThreadSet, A::Error> {
        let mut words = [0; WORDS];
        let mut at = 0;
        while let Some(word) = list.next_element()? {
            *words.get_mut(at).ok_or_else(|| Error::custom("more threads than there is room for"))? = word;
            at += 1;
        }
        Ok(ThreadSet(words.map(Bits)))
    }
}

impl<'de> Deserialize<'de> for ThreadSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Words)
    }
}
