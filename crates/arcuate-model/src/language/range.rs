//! Interval arithmetic (Moore 1966, "Interval analysis"). It computes the range of a formula's value over all
//! allowed parameter values. The range is narrow enough to detect divisors that can be 0.

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Range {
    /// All real numbers.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Creates an interval from both ends.
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Creates an interval that contains one number.
    pub(super) const fn of(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Returns whether the interval contains a number.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns the largest absolute value of any number in the interval.
    pub(crate) fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Returns the intersection of two intervals. If the intersection is empty, returns one of the two
    /// intervals.
    pub(super) fn within(self, other: Self) -> Self {
        let both = Self::new(self.low.max(other.low), self.high.min(other.high));
        if both.low <= both.high { both } else { self }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }

    pub(super) fn negative(self) -> Self {
        Self::new(-self.high, -self.low)
    }

    pub(super) fn times(self, other: Self) -> Self {
        // An infinite end of an interval is a limit that no value reaches. The product of this end with 0 is
        // therefore 0.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Self::around([
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ])
    }

    pub(super) fn square(self) -> Self {
        let high = self.size() * self.size();
        let low = if self.contains(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()).powi(2) };
        Self::new(low, high)
    }

    /// Returns the range of 1 / x for x in this interval. If x can be 0, returns the interval of all real
    /// numbers.
    pub(super) fn inverse(self) -> Self {
        if self.low > 0.0 || self.high < 0.0 { Self::new(1.0 / self.high, 1.0 / self.low) } else { Self::ALL }
    }

    /// Returns the range of f(x) for x in this interval, where f is a non-decreasing function.
    pub(super) fn mapped(self, function: impl Fn(f64) -> f64) -> Self {
        Self::new(function(self.low), function(self.high))
    }

    pub(super) fn absolute(self) -> Self {
        let low = if self.contains(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Self::new(low, self.size())
    }

    /// Returns the smallest interval that contains all given numbers.
    pub(super) fn around<const N: usize>(values: [f64; N]) -> Self {
        let low = values.into_iter().fold(f64::INFINITY, f64::min);
        let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self::new(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_ranges_are_handled() {
        let (open, half) = (Range::new(0.0, f64::INFINITY), Range::new(-1.0, 0.5));
        assert_eq!(open.times(half), Range::new(f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(open.times(Range::of(0.0)), Range::of(0.0));
        assert_eq!(open.plus(Range::of(1.0)).inverse(), Range::new(0.0, 1.0));
        assert_eq!(open.inverse(), Range::ALL);
        assert_eq!(half.square(), Range::new(0.0, 1.0));
        assert_eq!(half.absolute(), Range::new(0.0, 1.0));
        assert_eq!(half.within(Range::new(0.0, 9.0)), Range::new(0.0, 0.5));
        assert_eq!(half.within(Range::new(1.0, 9.0)), half);
    }
}
