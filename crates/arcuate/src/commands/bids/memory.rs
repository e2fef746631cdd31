//! Estimates the memory and the time that the processing of one scan needs.

/// Default number of streamlines of a run. The other constants are for this number.
const USUAL: u64 = 50_000;

/// Returns the approximate memory of the run of a scan in MB. It is a sum of three terms. The first is two
/// copies of the series in single precision. The second is FODs of 45 coefficients with the data to fit them.
/// The third is the program with the default number of streamlines. Each additional streamline that COMMIT
/// weighs needs 8 kB (measured for 78 mm in voxels of 2 mm).
pub(super) fn memory_mb(voxels: usize, measurements: usize, streamlines: Option<u64>) -> u64 {
    let of_voxels = 4 * voxels as u64 * (2 * measurements as u64 + 4 * 45);
    600 + of_voxels / 1_000_000 + more(streamlines) / 125
}

/// Returns the time limit of a job in minutes, which is ten times the measured time. Two processors process
/// 100 million values of several shells in 4 minutes, and COMMIT weighs 50,000 streamlines in 200 s.
pub(super) fn minutes(values: usize, streamlines: Option<u64>, threads: usize) -> u64 {
    let of_two = 4.0 * values as f64 / 1e8 + 200.0 / 60.0 * more(streamlines) as f64 / USUAL as f64;
    (10.0 * of_two * 2.0 / threads as f64).ceil().max(30.0) as u64
}

/// Returns the number of streamlines above the default number.
fn more(streamlines: Option<u64>) -> u64 {
    streamlines.unwrap_or(USUAL).saturating_sub(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_streamlines_need_more_memory() {
        let [voxels, measurements] = [104 * 104 * 72, 105];
        let needs = |streamlines| {
            let memory = memory_mb(voxels, measurements, streamlines);
            (memory, minutes(voxels * measurements, streamlines, 8))
        };
        assert_eq!(needs(None), (1814, 30));
        assert_eq!(needs(Some(5)), needs(None));
        // The estimate of 80 GB includes a table of all streamlines. The measured use of memory was lower.
        assert_eq!(needs(Some(10_000_000)), (1814 + 79_600, 1667));
    }
}
