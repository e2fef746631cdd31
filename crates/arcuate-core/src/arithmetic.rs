use std::ops::{Add, Div, Mul, Neg, Sub};

/// Double-precision arithmetic that is generic over `f64`, a processor's vector register, or any number of
/// lanes. Code is written once and compiled for each type.
///
/// Every lane rounds as `f64` does. Types differ in two ways: whether [`times_plus`](Self::times_plus) rounds
/// once or twice, and the order in which [`polynomial`](Self::polynomial) sums.
pub trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A truth value for each lane.
    type Flags: Copy;

    /// `value` in every lane. `self` only provides the context that some types need to create a value.
    fn all(self, value: f64) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The absolute value.
    fn abs(self) -> Self;

    /// `self` · `factor` + `term`. The product is rounded or fused, whichever is faster for the type.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// c₀ + c₁ x + c₂ x² + … at `self`, by Horner's rule unless the type has a faster method.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: [f64; N]) -> Self {
        let mut sum = self.all(coefficients[N - 1]);
        for n in (0..N - 1).rev() {
            sum = sum.times_plus(self, self.all(coefficients[n]));
        }
        sum
    }

    /// Clamps to the range from `low` to `high`. For NaN the result may be either limit or NaN.
    fn within(self, low: f64, high: f64) -> Self;

    /// Greater; false for NaN.
    fn above(self, other: Self) -> Self::Flags;

    /// Greater or equal; false for NaN.
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

    /// Rounds twice, since not every processor has fused multiply-add.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        // Each comparison compiles to one vector instruction, which returns its second operand for NaN.
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
