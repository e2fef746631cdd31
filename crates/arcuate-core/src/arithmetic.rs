use std::ops::{Add, Div, Mul, Neg, Sub};

/// Double-precision arithmetic with one number (`f64`), with a SIMD register of the processor, or with a
/// fixed number of values at once (lanes). Code that uses this trait is written once and compiled for each of
/// these types.
///
/// The operations of all these types are rounded like those of `f64`. The types differ only in whether
/// [`times_plus`](Self::times_plus) rounds once or twice, and in the order in which
/// [`polynomial`](Self::polynomial) sums.
pub trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// One truth value for each lane, the result of a comparison.
    type Flags: Copy;

    /// Creates a number that has `value` in every lane. `self` is needed because some types cannot create a
    /// number without an existing number; its value does not matter.
    fn all(self, value: f64) -> Self;

    /// The square root of each lane.
    fn sqrt(self) -> Self;

    /// The absolute value of each lane.
    fn abs(self) -> Self;

    /// Computes `self` · `factor` + `term`. Each type uses its faster method: a product that is rounded
    /// before the addition, or a fused multiply-add.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// Evaluates the polynomial c₀ + c₁ x + c₂ x² + … at x = `self`. Horner's rule is used unless the type
    /// has a faster method.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: [f64; N]) -> Self {
        let mut sum = self.all(coefficients[N - 1]);
        for n in (0..N - 1).rev() {
            sum = sum.times_plus(self, self.all(coefficients[n]));
        }
        sum
    }

    /// Clamps each lane to the range from `low` to `high`. For NaN, the result is either NaN or one of the
    /// limits.
    fn within(self, low: f64, high: f64) -> Self;

    /// Compares each lane: true if `self` is greater than `other`, false for NaN.
    fn above(self, other: Self) -> Self::Flags;

    /// Compares each lane: true if `self` is greater than or equal to `other`, false for NaN.
    fn reaches(self, other: Self) -> Self::Flags;

    /// Selects `if_true` or `if_false` for each lane.
    fn choose(flags: Self::Flags, if_true: Self, if_false: Self) -> Self;
}

impl Arithmetic for f64 {
    type Flags = bool;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    /// Rounds the product and then the sum, since not every processor has fused multiply-add.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        // Each comparison compiles to one vector instruction. The instruction returns its second operand if
        // one operand is NaN.
        let above = if self > low { self } else { low };
        if above < high { above } else { high }
    }

    #[inline(always)]
    fn above(self, other: Self) -> bool {
        self > other
    }

    #[inline(always)]
    fn reaches(self, other: Self) -> bool {
        self >= other
    }

    #[inline(always)]
    fn choose(flag: bool, if_true: Self, if_false: Self) -> Self {
        if flag { if_true } else { if_false }
    }
}
