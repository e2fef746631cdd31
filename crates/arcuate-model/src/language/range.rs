//! Between which numbers a value lies whatever the parameters are: interval arithmetic (Moore 1966, "Interval analysis"),
//! good enough to see that a divisor can be 0.

/// Both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Range {
    /// Every number.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// From one number to another.
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// One number.
    pub(super) const fn of(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Whether a number lies within.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The larger of the sizes of both ends.
    pub(crate) fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// What both have; one of them where that is nothing.
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
        // An end that is infinite is never reached: times 0 it is 0.
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

    /// Of 1 / x; everything where x can be 0.
    pub(super) fn inverse(self) -> Self {
        if self.low > 0.0 || self.high < 0.0 { Self::new(1.0 / self.high, 1.0 / self.low) } else { Self::ALL }
    }

    /// Of a function that never falls.
    pub(super) fn mapped(self, function: impl Fn(f64) -> f64) -> Self {
        Self::new(function(self.low), function(self.high))
    }

    pub(super) fn absolute(self) -> Self {
        let low = if self.contains(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Self::new(low, self.size())
    }

    /// What holds all of these.
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
    fn ends_that_are_infinite_do_no_harm() {
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
