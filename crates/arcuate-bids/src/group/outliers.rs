//! Detection of outliers in a cohort.
//!
//! A value is an outlier if at least one of two rules applies to it. The first rule uses Tukey's outer
//! fences: a value is *far* if it is more than three interquartile ranges beyond the quartiles (Tukey 1977,
//! "Exploratory Data Analysis"). The second rule uses the robust z, (x − median) / (1.4826 · MAD). MAD is
//! the median of |x − median|. The magnitude of the robust z must exceed 3.5 (Iglewicz and Hoaglin 1993, "How
//! to detect and handle outliers").

use arcuate_core::statistics::quantile_of_sorted;

/// The minimum number of values that a quantity must have for the detection of outliers.
pub(super) const FEWEST: usize = 8;
/// The distance of Tukey's outer fences from the quartiles, in units of the interquartile range.
pub(super) const FENCE: f64 = 3.0;
/// The maximum length of the whiskers of a box plot, in units of the interquartile range.
const WHISKER: f64 = 1.5;
/// The maximum magnitude of the robust z-score of a value that is not an outlier.
pub(super) const LARGEST_Z: f64 = 3.5;
/// The standard deviation of a normal distribution, divided by its median absolute deviation (MAD).
const MAD_TO_DEVIATION: f64 = 1.4826;
/// Relative limit for rounding errors. If the interquartile range or the MAD of a quantity is below this
/// fraction of its median, it is treated as zero.
const ROUNDING: f64 = 1e-9;

/// The spread of a set of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spread {
    /// The number of finite values.
    pub(super) count: usize,
    /// The minimum and the maximum value.
    pub(super) ends: [f64; 2],
    /// The median of the values.
    pub(super) median: f64,
    /// The first and the third quartile.
    pub(super) quartiles: [f64; 2],
    /// The ends of the whiskers: the lowest and the highest value that are at most 1.5 interquartile ranges
    /// away from the quartiles.
    pub(super) whiskers: [f64; 2],
    /// The standard deviation estimated from the MAD.
    deviation: f64,
}

/// The criteria by which a value is an outlier among the values of a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    /// The robust z-score of the value. `None` if more than half of all values are identical, so that the MAD
    /// is zero.
    pub(super) z: Option<f64>,
    /// True if the value is beyond Tukey's outer fences.
    pub(super) is_far: bool,
}

impl Spread {
    /// Computes the median, the quartiles and the other measures of spread from the finite values. Returns
    /// `None` if no value is finite.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values.iter().copied());
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let median = quantile_of_sorted(&sorted, 0.5)?;
        let quartiles = [quantile_of_sorted(&sorted, 0.25)?, quantile_of_sorted(&sorted, 0.75)?];
        let reach = WHISKER * (quartiles[1] - quartiles[0]);
        let within = |value: &&f64| (quartiles[0] - reach..=quartiles[1] + reach).contains(*value);
        // A quartile may be interpolated between two values. If no value exists between this quartile and the
        // limit of the whisker, the whisker has length zero.
        let low = sorted.iter().find(within).map_or(quartiles[0], |value| value.min(quartiles[0]));
        let high = sorted.iter().rev().find(within).map_or(quartiles[1], |value| value.max(quartiles[1]));
        let distances = self::sorted(sorted.iter().map(|value| (value - median).abs()));
        Some(Self {
            count: sorted.len(),
            ends: [first, last],
            median,
            quartiles,
            whiskers: [low, high],
            deviation: MAD_TO_DEVIATION * quantile_of_sorted(&distances, 0.5)?,
        })
    }

    /// Returns the criteria by which a value is an outlier. Returns `None` if the value is not an outlier, or
    /// if there are too few values.
    pub(super) fn verdict(&self, value: f64) -> Option<Verdict> {
        if self.count < FEWEST || !value.is_finite() {
            return None;
        }
        let minimum = ROUNDING * self.median.abs();
        let between = self.quartiles[1] - self.quartiles[0];
        let reach = FENCE * between;
        let beyond = value < self.quartiles[0] - reach || value > self.quartiles[1] + reach;
        let z = (self.deviation > minimum).then(|| (value - self.median) / self.deviation);
        let verdict = Verdict { z, is_far: between > minimum && beyond };
        (verdict.is_far || z.is_some_and(|z| z.abs() > LARGEST_Z)).then_some(verdict)
    }
}

/// Returns the finite values in ascending order.
fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_ignores_outliers_and_invalid_values() {
        let spread = Spread::of(&[4.0, 1.0, f64::NAN, 2.0, 3.0, 5.0, 100.0]).unwrap();
        assert_eq!((spread.count, spread.ends, spread.median), (6, [1.0, 100.0], 3.5));
        // The expected quartiles are those of `numpy.percentile`, which uses the same definition.
        assert_eq!(spread.quartiles, [2.25, 4.75]);
        assert_eq!(spread.whiskers, [1.0, 5.0]);
        assert!((spread.deviation - 1.4826 * 1.5).abs() < 1e-12);
        assert_eq!(Spread::of(&[f64::INFINITY]), None);
        let one = Spread::of(&[7.0]).unwrap();
        assert_eq!((one.median, one.quartiles, one.whiskers), (7.0, [7.0; 2], [7.0; 2]));
    }

    #[test]
    fn only_outliers_are_found() {
        let values: Vec<f64> = (0..9).map(f64::from).chain([60.0]).collect();
        let spread = Spread::of(&values).unwrap();
        let unlike: Vec<f64> =
            values.iter().copied().filter(|&value| spread.verdict(value).is_some()).collect();
        assert_eq!(unlike, [60.0]);
        assert!(spread.verdict(60.0).unwrap().is_far);
        // Only the rule of the robust z-score marks the value 19 as an outlier: its z-score is 3.9, but the
        // value is below the outer fence of 20.25.
        let unusual = spread.verdict(19.0).unwrap();
        assert!(!unusual.is_far && unusual.z.unwrap() > LARGEST_Z);
        assert_eq!(spread.verdict(f64::NAN), None);
    }

    #[test]
    fn few_values_and_rounding_differences_have_no_outliers() {
        let few = Spread::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1e9]).unwrap();
        assert_eq!(few.verdict(1e9), None);
        // All values are identical except for rounding.
        let same: Vec<f64> = (0..10).map(|n| 2.5 + f64::from(n % 2) * 1e-15).chain([2.6]).collect();
        assert_eq!(Spread::of(&same).unwrap().verdict(2.6), None);
        // More than half of the values are identical, so that the MAD is zero and no robust z-score exists.
        // The quartiles differ, so that the rule of the outer fences applies.
        let half = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 50.0];
        let verdict = Spread::of(&half).unwrap().verdict(50.0).unwrap();
        assert_eq!((verdict.z, verdict.is_far), (None, true));
    }
}
