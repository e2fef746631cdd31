//! What a scan needs.

/// Streamlines of a run by default, which the rest is reckoned for.
const USUAL: u64 = 50_000;

/// MB that the run of a scan needs, about: the series in single precision as it is read and once more, distributions of 45 coefficients
/// with what they are found by, the program with its usual streamlines, and of each one more that COMMIT weighs 8 kB (measured, of 78 mm
/// in voxels of 2 mm).
pub(super) fn memory_mb(voxels: usize, measurements: usize, streamlines: Option<u64>) -> u64 {
    let of_voxels = 4 * voxels as u64 * (2 * measurements as u64 + 4 * 45);
    600 + of_voxels / 1_000_000 + more(streamlines) / 125
}

/// Minutes that a job may take: measured, two processors do 100 million values of several shells in 4 minutes, and 50,000 streamlines that
/// COMMIT weighs in 200 s; ten times that.
pub(super) fn minutes(values: usize, streamlines: Option<u64>, threads: usize) -> u64 {
    let of_two = 4.0 * values as f64 / 1e8 + 200.0 / 60.0 * more(streamlines) as f64 / USUAL as f64;
    (10.0 * of_two * 2.0 / threads as f64).ceil().max(30.0) as u64
}

/// Streamlines beyond the usual ones.
fn more(streamlines: Option<u64>) -> u64 {
    streamlines.unwrap_or(USUAL).saturating_sub(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_streamlines_need_more() {
        let [voxels, measurements] = [104 * 104 * 72, 105];
        let needs = |streamlines| {
            let memory = memory_mb(voxels, measurements, streamlines);
            (memory, minutes(voxels * measurements, streamlines, 8))
        };
        assert_eq!(needs(None), (1814, 30));
        assert_eq!(needs(Some(5)), needs(None));
        // 80 GB where a table is made, measured less.
        assert_eq!(needs(Some(10_000_000)), (1814 + 79_600, 1667));
    }
}
