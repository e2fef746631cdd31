//! Sets of regions.

/// A set of regions: a bit each, in as many words as they need.
pub(crate) type Bits = Vec<u64>;

/// Adds a region.
pub(super) fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

/// Whether two sets have a region in common.
pub(super) fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}
