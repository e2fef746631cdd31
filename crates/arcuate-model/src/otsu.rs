//! A threshold between dark and bright voxels.

const BINS: usize = 256;

/// Returns Otsu's threshold of an image (1979, doi:10.1109/TSMC.1979.4310076). It divides the histogram of
/// the values into a darker and a brighter part. The parts have n₀ and n₁ values and the means m₀ and m₁. The
/// threshold is such that n₀ n₁ (m₀ − m₁)² is largest. Values above the threshold are the brighter part.
/// Returns `None` if all values are equal.
///
/// `values` must be finite. The histogram has 256 bins from the smallest value to the 99th percentile.
/// Brighter values count in the last bin, so that a few very bright voxels do not extend the range.
pub(crate) fn otsu_threshold(values: &[f32]) -> Option<f32> {
    let (low, high) = range(values)?;
    let scale = BINS as f32 / (high - low);
    let mut counts = [0u64; BINS];
    for &value in values {
        counts[(((value - low) * scale) as usize).min(BINS - 1)] += 1;
    }
    let total: u64 = counts.iter().sum();
    let moment: f64 = counts.iter().enumerate().map(|(bin, &n)| bin as f64 * n as f64).sum();
    let (mut below, mut below_moment) = (0u64, 0.0);
    let (mut first, mut last, mut largest) = (None, 0, 0.0);
    for (bin, &count) in counts.iter().enumerate().take(BINS - 1) {
        below += count;
        below_moment += bin as f64 * count as f64;
        let above = total - below;
        if below == 0 || above == 0 {
            continue;
        }
        let difference = below_moment / below as f64 - (moment - below_moment) / above as f64;
        let variance = below as f64 * above as f64 * difference * difference;
        if variance > largest {
            (first, last, largest) = (Some(bin), bin, variance);
        } else if variance == largest {
            // If there are empty bins between the darker and the brighter part, all thresholds in these bins
            // are equivalent.
            last = bin;
        }
    }
    // The threshold is the upper edge of the last bin of the darker part. If empty bins follow this bin, the
    // threshold is the middle of this gap.
    first.map(|first| low + (f64::midpoint(first as f64, last as f64) as f32 + 1.0) / scale)
}

/// Returns the smallest value and the 99th percentile of the values. If both are equal, the largest value
/// replaces the percentile. Returns `None` if all values are equal.
fn range(values: &[f32]) -> Option<(f32, f32)> {
    let low = values.iter().copied().reduce(f32::min)?;
    let mut sorted = values.to_vec();
    let percentile = arcuate_core::statistics::quantile(&mut sorted, 0.99)? as f32;
    let high = if percentile > low { percentile } else { values.iter().copied().fold(low, f32::max) };
    (high > low && (high - low).is_finite()).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};

    #[test]
    fn the_threshold_separates_two_groups_of_any_size_with_an_outlier() {
        let mut random = Random::new(5, Purpose::Noise, 0);
        for dark in [500, 5000, 9000] {
            let mut values: Vec<f32> = (0..10_000)
                .map(|n| if n < dark { 10.0 } else { 100.0 } + 5.0 * random.normal() as f32)
                .collect();
            values[17] = 1e6;
            let threshold = otsu_threshold(&values).unwrap();
            // The threshold must be about five standard deviations from the mean of the darker part, and from
            // the mean of the brighter part.
            assert!((35.0..75.0).contains(&threshold), "{dark}: {threshold}");
        }
    }

    #[test]
    fn a_few_bright_voxels_in_the_dark_are_found() {
        let mut values = vec![0.0; 10_000];
        values[3] = 7.0;
        let threshold = otsu_threshold(&values).unwrap();
        assert!((0.0..7.0).contains(&threshold));
        assert_eq!(otsu_threshold(&[3.0; 10]), None);
        assert_eq!(otsu_threshold(&[]), None);
    }
}
