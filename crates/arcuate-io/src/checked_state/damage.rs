//! Damaged copies of a file of saved state, for tests of the functions that read saved state.

/// Returns every copy with one changed bit and every truncated copy, each with a description of the damage.
pub(super) fn damaged_copies(whole: &[u8]) -> impl Iterator<Item = (Vec<u8>, String)> {
    let changed = (0..8 * whole.len()).map(|bit| {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        (bytes, format!("bit {bit}"))
    });
    changed.chain((0..whole.len()).map(|length| (whole[..length].to_vec(), format!("{length} bytes"))))
}
