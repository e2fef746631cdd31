use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number in double precision, or several side by side that go through the same arithmetic: `f64`, a vector register of
/// a processor, or any number of lanes. What is written for any of them is compiled for each.
///
/// Every lane rounds as `f64` does. Kinds differ in two things: whether [`times_plus`](Self::times_plus) rounds once or
/// twice, and in what order [`polynomial`](Self::polynomial) sums.
pub trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A truth value for each lane.
    type Flags: Copy;

    /// `value` in every lane. Of `self` nothing counts but the kind: some can only be had from one that is there.
    fn all(self, value: f64) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The number without its sign.
    fn abs(self) -> Self;

    /// `self` · `factor` + `term`, the product rounded or not, as is quicker for the kind.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// c₀ + c₁ x + c₂ x² + … of this x; by Horner's rule unless the kind has a quicker way.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: [f64; N]) -> Self {
        let mut sum = self.all(coefficients[N - 1]);
        for n in (0..N - 1).rev() {
            sum = sum.times_plus(self, self.all(coefficients[n]));
        }
        sum
    }

    /// What is nearest between two numbers; of NaN it may be either of them or NaN.
    fn within(self, low: f64, high: f64) -> Self;

    /// Greater; false for NaN.
    fn above(self, other: Self) -> Self::Flags;

    /// Greater or equal; false for NaN.
    fn reaches(self, other: Self) -> Self::Flags;

    /// One or the other.
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

    /// Rounds twice: not every processor fuses.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        // Written so that each half is one vector instruction, which returns its second operand for NaN.
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
