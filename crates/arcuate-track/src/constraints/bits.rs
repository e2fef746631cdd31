//! Bit sets of regions.

/// Set of regions with one bit per region, stored in 64-bit words.
pub(crate) type Bits = Vec<u64>;

/// Adds a region to a set.
pub(super) fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

/// Returns true if two sets of regions have a region in common.
pub(super) fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}
