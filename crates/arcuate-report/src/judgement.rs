/// A sentence about a result, with a verdict (such as good or doubtful).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The result, stated in one sentence.
    pub sentence: String,
    /// The verdict about the result.
    pub verdict: Verdict,
    /// Text that states the number on which the verdict is based, and the limits between the verdicts.
    pub criterion: String,
}

/// The quality of a result. A later value is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The result can be used.
    Good,
    /// The verdict that the result needs a closer look before it is used.
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

    /// Gives a verdict on a number that is better if it is larger. `good` and `doubtful` are the smallest
    /// numbers with these verdicts. NaN is bad.
    pub fn at_least(value: f64, good: f64, doubtful: f64) -> Self {
        if value >= good {
            Self::Good
        } else if value >= doubtful {
            Self::Doubtful
        } else {
            Self::Bad
        }
    }

    /// Gives a verdict on a number that is better if it is smaller. `good` and `doubtful` are the largest
    /// numbers with these verdicts. NaN is bad.
    pub fn at_most(value: f64, good: f64, doubtful: f64) -> Self {
        Self::at_least(-value, -good, -doubtful)
    }
}
