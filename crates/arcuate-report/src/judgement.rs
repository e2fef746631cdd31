/// A sentence about a result, with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The result in one sentence.
    pub sentence: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The number that was judged, and its limits.
    pub criterion: String,
}

/// The quality of a result. A later value is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The result can be used.
    Good,
    /// The result needs a closer look before it is used.
    Doubtful,
    /// The result should not be used.
    Bad,
}

impl Verdict {
    /// Returns the verdict in one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
        }
    }

    /// Judges a number whose large values are good. NaN is bad.
    pub fn at_least(value: f64, good: f64, doubtful: f64) -> Self {
        if value >= good {
            Self::Good
        } else if value >= doubtful {
            Self::Doubtful
        } else {
            Self::Bad
        }
    }

    /// Judges a number whose small values are good. NaN is bad.
    pub fn at_most(value: f64, good: f64, doubtful: f64) -> Self {
        Self::at_least(-value, -good, -doubtful)
    }
}
