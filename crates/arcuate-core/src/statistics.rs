//! Medians and quantiles. This module has the only definitions of Arcuate.
//!
//! A quantile is interpolated linearly between two neighbouring numbers (type 7 of Hyndman and Fan 1996,
//! doi:10.2307/2684934, the default of NumPy and R). The median is the quantile of 0.5. It is the middle one
//! of the sorted numbers, or the mean of the two middle numbers if the count is even.
//!
//! A few methods need a number of the data, which is not interpolated. The functions
//! [`lower_quantile_of_sorted`] and [`upper_quantile_of_sorted`] give the two numbers next to the quantile.
//! [`nearest_rank`] gives the quantile of the nearest rank.
//!
//! All functions sort with [`f64::total_cmp`], which also gives NaN a place, so callers must remove NaN
//! first.

/// Computes the quantile at the fraction `part` (0 to 1) of numbers in ascending order. Returns `None` for an
/// empty slice.
///
/// # Panics
/// Panics if `part` is not from 0 to 1.
pub fn quantile_of_sorted<T: Copy + Into<f64>>(ascending: &[T], part: f64) -> Option<f64> {
    let place = Place::of(ascending.len(), part)?;
    let low = ascending[place.below].into();
    Some(place.between(low, || ascending[place.below + 1].into()))
}

/// Computes the quantile at the fraction `part` (0 to 1) of numbers in any order. Returns `None` for an empty
/// slice. The function takes linear time and reorders the numbers.
///
/// # Panics
/// Panics if `part` is not from 0 to 1.
pub fn quantile<T: Copy + Into<f64>>(numbers: &mut [T], part: f64) -> Option<f64> {
    let place = Place::of(numbers.len(), part)?;
    let ascending = |a: &T, b: &T| -> std::cmp::Ordering { (*a).into().total_cmp(&(*b).into()) };
    let (_, &mut low, above) = numbers.select_nth_unstable_by(place.below, ascending);
    let next = || above.iter().copied().min_by(ascending).map_or(f64::NAN, Into::into);
    Some(place.between(low.into(), next))
}

/// Computes the median of numbers in any order. Returns `None` for an empty slice. The function takes linear
/// time and reorders the numbers.
pub fn median<T: Copy + Into<f64>>(numbers: &mut [T]) -> Option<f64> {
    quantile(numbers, 0.5)
}

/// Returns the last of the numbers in ascending order that is not after the quantile at the fraction `part` (0
/// to 1). Returns `None` for an empty slice.
///
/// # Panics
/// Panics if `part` is not from 0 to 1.
pub fn lower_quantile_of_sorted<T: Copy>(ascending: &[T], part: f64) -> Option<T> {
    Some(ascending[Place::of(ascending.len(), part)?.below])
}

/// Returns the first of the numbers in ascending order that is not before the quantile at the fraction `part`
/// (0 to 1). Returns `None` for an empty slice.
///
/// # Panics
/// Panics if `part` is not from 0 to 1.
pub fn upper_quantile_of_sorted<T: Copy>(ascending: &[T], part: f64) -> Option<T> {
    let place = Place::of(ascending.len(), part)?;
    Some(ascending[place.below + usize::from(place.part > 0.0)])
}

/// Returns the quantile of numbers in any order by the nearest rank. At least the fraction `part` (0 to 1) of
/// the numbers is not larger than the result, and the result is the smallest such number. Returns `None` for
/// an empty slice. The function takes linear time and reorders the numbers.
pub fn nearest_rank(numbers: &mut [f64], part: f64) -> Option<f64> {
    let last = numbers.len().checked_sub(1)?;
    let rank = (part * numbers.len() as f64).ceil() as usize;
    let (_, number, _) = numbers.select_nth_unstable_by(rank.saturating_sub(1).min(last), f64::total_cmp);
    Some(*number)
}

/// The position of a quantile among ascending numbers.
struct Place {
    /// Index of the number at or just below the quantile.
    below: usize,
    /// Position of the quantile between the next smaller number (0) and the next larger number (1).
    part: f64,
}

impl Place {
    fn of(count: usize, part: f64) -> Option<Self> {
        assert!((0.0..=1.0).contains(&part), "the quantile of {part}, which is not from 0 to 1");
        let last = count.checked_sub(1)?;
        let place = part * last as f64;
        // Because of rounding, the index could exceed the index of the last number, but only if there are
        // more than 2⁵³ numbers.
        let below = (place as usize).min(last);
        Some(Self { below, part: place - below as f64 })
    }

    /// Interpolates the quantile between the numbers `low` and `high`. The function `high` returns the larger
    /// number, and is only called if the quantile is not exactly `low`.
    fn between(&self, low: f64, high: impl FnOnce() -> f64) -> f64 {
        if self.part == 0.0 {
            return low;
        }
        let high = high();
        if low == high {
            // This branch is also taken if both numbers are the same infinity.
            low
        } else if self.part == 0.5 {
            // The mean of two numbers is correctly rounded.
            f64::midpoint(low, high)
        } else {
            low + self.part * (high - low)
        }
    }
}

/// Sums numbers from 0. If there are no numbers, [`Iterator::sum`] gives −0, which would be visible in
/// printed results.
pub fn total(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut [3.0f32, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [7.0f32]), Some(7.0));
        assert_eq!(median::<f64>(&mut []), None);
    }

    #[test]
    fn quantiles_agree_with_numpy() {
        // The expected quantiles were computed with `numpy.quantile`.
        let numbers = [1.0, 2.0, 4.0, 8.0, 16.0];
        let expected =
            [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 4.0), (0.7, 7.2), (0.875, 12.0), (1.0, 16.0)];
        for (part, expected) in expected {
            let sorted = quantile_of_sorted(&numbers, part).unwrap();
            assert!((sorted - expected).abs() < 1e-14, "{part}: {sorted}");
            let unsorted = quantile(&mut [8.0, 1.0, 16.0, 4.0, 2.0], part);
            assert_eq!(unsorted, Some(sorted), "{part}");
        }
        assert_eq!(quantile_of_sorted(&[3.0f32], 0.7), Some(3.0));
        assert_eq!(quantile_of_sorted::<f64>(&[], 0.7), None);
    }

    #[test]
    fn quantiles_of_equal_and_infinite_numbers_are_exact() {
        let third = 1.0 / 3.0;
        assert_eq!(quantile(&mut [third; 4], 0.3), Some(third));
        assert_eq!(quantile(&mut [f64::INFINITY; 4], 0.3), Some(f64::INFINITY));
        assert_eq!(median(&mut [1.0, f64::INFINITY, 2.0]), Some(2.0));
    }

    #[test]
    fn numbers_of_the_data_are_not_interpolated() {
        let numbers = [1, 2, 4, 8, 16, 32];
        let next_to = |part| {
            [lower_quantile_of_sorted(&numbers, part), upper_quantile_of_sorted(&numbers, part)]
                .map(Option::unwrap)
        };
        assert_eq!([next_to(0.0), next_to(0.25), next_to(0.4)], [[1, 1], [2, 4], [4, 4]]);
        assert_eq!([next_to(0.5), next_to(0.75), next_to(1.0)], [[4, 8], [8, 16], [32, 32]]);
        assert_eq!(lower_quantile_of_sorted::<f64>(&[], 0.5), None);
        assert_eq!(upper_quantile_of_sorted::<f64>(&[], 0.5), None);
        let rank = |part| nearest_rank(&mut [3.0, 1.0, 4.0, 2.0], part);
        assert_eq!([rank(0.0), rank(0.25), rank(0.26)], [Some(1.0), Some(1.0), Some(2.0)]);
        assert_eq!([rank(0.5), rank(0.95), rank(1.0)], [Some(2.0), Some(4.0), Some(4.0)]);
        assert_eq!(nearest_rank(&mut [], 0.5), None);
    }

    #[test]
    fn the_total_of_nothing_is_positive_zero() {
        assert_eq!((total([]).to_string(), total([1.5, 2.0])), ("0".to_owned(), 3.5));
    }

    #[test]
    #[should_panic(expected = "which is not from 0 to 1")]
    fn quantile_levels_above_1_are_rejected() {
        let _ = quantile(&mut [1.0], 1.5);
    }
}
