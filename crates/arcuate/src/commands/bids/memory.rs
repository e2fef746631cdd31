//! What a scan needs.

/// MB that the run of a scan needs, about: the series in single precision as it is read and once more, distributions of 45 coefficients
/// with what they are found by, and the program with its streamlines.
pub(super) fn memory_mb(voxels: usize, measurements: usize) -> u64 {
    let of_voxels = 4 * voxels as u64 * (2 * measurements as u64 + 4 * 45);
    600 + of_voxels / 1_000_000
}
