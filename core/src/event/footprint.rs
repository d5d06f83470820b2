//! What an operation touches: at most two objects, each in one [`Touch`] mode. Dependence is decided by it alone.

use super::{ByteRange, Object, Touch};

/// The objects an operation touches, at most two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    parts: [Option<(ByteRange, Touch)>; 2],
}

impl Footprint {
    /// Nothing is touched.
    #[inline]
    pub(super) fn none() -> Self {
        Footprint::default()
    }

    /// One range of bytes is touched.
    #[inline]
    pub(super) fn bytes(range: ByteRange, touch: Touch) -> Self {
        Footprint { parts: [Some((range, touch)), None] }
    }

    /// One synchronisation object is touched; its first byte stands for it.
    #[inline]
    pub(super) fn object(object: Object, touch: Touch) -> Self {
        Footprint::bytes(ByteRange { start: object.0, len: 1 }, touch)
    }

    /// Two synchronisation objects are touched.
    #[inline]
    pub(super) fn objects(a: (Object, Touch), b: (Object, Touch)) -> Self {
        let part = |(object, touch): (Object, Touch)| Some((ByteRange { start: object.0, len: 1 }, touch));
        Footprint { parts: [part(a), part(b)] }
    }

    /// What two footprints of one part each touch together.
    #[inline]
    pub(super) fn and(self, other: Footprint) -> Self {
        Footprint { parts: [self.parts[0], other.parts[0]] }
    }

    /// The touched ranges with their modes, unused ones last.
    #[inline]
    pub fn parts(self) -> [Option<(ByteRange, Touch)>; 2] {
        self.parts
    }

    /// The touched ranges with their modes.
    pub fn iter(self) -> impl Iterator<Item = (ByteRange, Touch)> {
        self.parts.into_iter().flatten()
    }

    /// Whether it touches this object.
    pub fn names(self, object: Object) -> bool {
        self.iter().any(|(range, _)| { range.start } == { object.0 })
    }

    /// Whether the two footprints share an object in conflicting modes.
    #[inline]
    pub fn conflicts(self, other: Footprint) -> bool {
        let clash = |one: Option<(ByteRange, Touch)>, two: Option<(ByteRange, Touch)>| match (one, two) {
            (Some((range, touch)), Some((other_range, other_touch))) => {
                range.overlaps(other_range) && touch.conflicts_in(other_touch, range == other_range)
            }
            (None, _) | (_, None) => false,
        };
        let ([first, second], [third, fourth]) = (self.parts, other.parts);
        clash(first, third) || clash(first, fourth) || clash(second, third) || clash(second, fourth)
    }
}
