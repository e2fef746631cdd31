//! Scales numbers by powers of two, so that their products do not overflow or underflow.

/// Limit above which numbers are scaled. If the largest number is between 1 divided by this limit and the
/// limit, the numbers are not scaled. This is the usual case, which needs no copy.
const ROOM: f64 = 256.0;

/// Returns the power of two that scales the largest of these numbers to about 1. If the largest number needs
/// no scaling, or if it is 0, returns 1.
pub(crate) fn near_one(numbers: impl Iterator<Item = f64>) -> f64 {
    let largest = numbers.fold(0.0, |largest: f64, number| largest.max(number.abs()));
    if largest == 0.0 || (1.0 / ROOM..=ROOM).contains(&largest) {
        return 1.0;
    }
    // The exponent is limited, because 2¹⁰²³ is the largest power of two in double precision.
    (-largest.log2().round()).clamp(-1022.0, 1022.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two() {
        let scale = |largest: f64| near_one([0.0, -largest, 0.1 * largest].into_iter());
        for largest in [0.0, 0.01, 1.0, 200.0] {
            assert_eq!(scale(largest), 1.0, "{largest}");
        }
        for largest in [1e-300, 1e-20, 1e-3, 300.0, 1e15, 1e300] {
            let scale = scale(largest);
            assert!((0.5..=2.0).contains(&(scale * largest)), "{largest} {scale}");
            assert_eq!(scale.log2().fract(), 0.0, "{largest}");
        }
    }
}
