//! Creates damaged copies of a file of saved state, to test the functions that read saved state.

/// Returns copies of the bytes `whole`: one copy for each changed bit, and one for each shorter length. Each
/// copy has a text that describes the damage.
pub(super) fn damaged_copies(whole: &[u8]) -> impl Iterator<Item = (Vec<u8>, String)> {
    let changed = (0..8 * whole.len()).map(|bit| {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        (bytes, format!("bit {bit}"))
    });
    changed.chain((0..whole.len()).map(|length| (whole[..length].to_vec(), format!("{length} bytes"))))
}
