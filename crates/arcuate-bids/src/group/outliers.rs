//! Which values of a cohort are unlike the others.
//!
//! Two rules, either of which is enough. Tukey's outer fences: a value is *far* that lies more than three times the distance of the
//! quartiles beyond them (Tukey 1977, "Exploratory Data Analysis"). The robust z: (x − median) / (1.4826 · MAD), MAD the median of
//! |x − median|, beyond 3.5 (Iglewicz and Hoaglin 1993, "How to detect and handle outliers").

use arcuate_core::statistics::quantile_of_sorted;

/// Of fewer values than these nothing is said.
pub(super) const FEWEST: usize = 8;
/// Distances of the quartiles beyond them: the outer fences …
pub(super) const FENCE: f64 = 3.0;
/// … and as far as whiskers go.
const WHISKER: f64 = 1.5;
/// A robust z beyond this is unusual.
pub(super) const LARGEST_Z: f64 = 3.5;
/// The standard deviation of a normal distribution over its MAD.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// A spread below this part of the median is none: values differ by rounding alone.
const ROUNDING: f64 = 1e-9;

/// How values are spread.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spread {
    /// How many there are.
    pub(super) count: usize,
    /// The smallest and the largest.
    pub(super) ends: [f64; 2],
    /// The middle one.
    pub(super) median: f64,
    /// A quarter of them is below the first, a quarter above the second.
    pub(super) quartiles: [f64; 2],
    /// The last values within one and a half distances of the quartiles beyond them.
    pub(super) whiskers: [f64; 2],
    /// The standard deviation that the MAD stands for.
    deviation: f64,
}

/// Why a value is unlike the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    /// The robust z; nothing where more than half of the values are one.
    pub(super) z: Option<f64>,
    /// Whether it is beyond the outer fences.
    pub(super) is_far: bool,
}

impl Spread {
    /// Of the values that are numbers; nothing where there are none.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values.iter().copied());
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let median = quantile_of_sorted(&sorted, 0.5)?;
        let quartiles = [quantile_of_sorted(&sorted, 0.25)?, quantile_of_sorted(&sorted, 0.75)?];
        let reach = WHISKER * (quartiles[1] - quartiles[0]);
        let within = |value: &&f64| (quartiles[0] - reach..=quartiles[1] + reach).contains(*value);
        // Between two values a quartile has perhaps no value beyond it that a whisker could reach.
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

    /// Why a value is unlike the others; nothing where it is like them, or they are too few to say.
    pub(super) fn verdict(&self, value: f64) -> Option<Verdict> {
        if self.count < FEWEST || !value.is_finite() {
            return None;
        }
        let least = ROUNDING * self.median.abs();
        let between = self.quartiles[1] - self.quartiles[0];
        let reach = FENCE * between;
        let beyond = value < self.quartiles[0] - reach || value > self.quartiles[1] + reach;
        let z = (self.deviation > least).then(|| (value - self.median) / self.deviation);
        let verdict = Verdict { z, is_far: between > least && beyond };
        (verdict.is_far || z.is_some_and(|z| z.abs() > LARGEST_Z)).then_some(verdict)
    }
}

/// The numbers among values, in order.
fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_that_of_the_values() {
        let spread = Spread::of(&[4.0, 1.0, f64::NAN, 2.0, 3.0, 5.0, 100.0]).unwrap();
        assert_eq!((spread.count, spread.ends, spread.median), (6, [1.0, 100.0], 3.5));
        // As numpy.percentile has them.
        assert_eq!(spread.quartiles, [2.25, 4.75]);
        assert_eq!(spread.whiskers, [1.0, 5.0]);
        assert!((spread.deviation - 1.4826 * 1.5).abs() < 1e-12);
        assert_eq!(Spread::of(&[f64::INFINITY]), None);
        let one = Spread::of(&[7.0]).unwrap();
        assert_eq!((one.median, one.quartiles, one.whiskers), (7.0, [7.0; 2], [7.0; 2]));
    }

    #[test]
    fn what_is_unlike_the_others_is_found_and_nothing_else() {
        let values: Vec<f64> = (0..9).map(f64::from).chain([60.0]).collect();
        let spread = Spread::of(&values).unwrap();
        let unlike: Vec<f64> =
            values.iter().copied().filter(|&value| spread.verdict(value).is_some()).collect();
        assert_eq!(unlike, [60.0]);
        assert!(spread.verdict(60.0).unwrap().is_far);
        // Beyond the z alone: 3.9, and the fence at 20.25.
        let unusual = spread.verdict(19.0).unwrap();
        assert!(!unusual.is_far && unusual.z.unwrap() > LARGEST_Z);
        assert_eq!(spread.verdict(f64::NAN), None);
    }

    #[test]
    fn nothing_is_said_of_few_or_of_rounding() {
        let few = Spread::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1e9]).unwrap();
        assert_eq!(few.verdict(1e9), None);
        // Of values that are one but for rounding.
        let same: Vec<f64> = (0..10).map(|n| 2.5 + f64::from(n % 2) * 1e-15).chain([2.6]).collect();
        assert_eq!(Spread::of(&same).unwrap().verdict(2.6), None);
        // More than half the same, yet the quartiles differ: the fences alone speak.
        let half = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 50.0];
        let verdict = Spread::of(&half).unwrap().verdict(50.0).unwrap();
        assert_eq!((verdict.z, verdict.is_far), (None, true));
    }
}
