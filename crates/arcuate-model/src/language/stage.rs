//! Steps of a fit, as a model has them.

/// A step of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// What is done.
    pub method: Method,
    /// The parameters that it is done to, by their places in the model; the others stay.
    pub parameters: Vec<usize>,
    /// Evaluations of the signal at most, fewer than a fit has otherwise; of Levenberg–Marquardt alone.
    pub evaluations: Option<u32>,
    /// Whether it, and what is behind it, goes on from the best alone of what the starts of searches before it have led to.
    pub from_best: bool,
}

impl Stage {
    /// Evaluations that a stage may be restricted to, at most.
    pub const MOST_EVALUATIONS: u32 = 10_000;

    /// A step that is done to these parameters, from each start, until it ends by itself.
    pub fn new(method: Method, parameters: Vec<usize>) -> Self {
        Self { method, parameters, evaluations: None, from_best: false }
    }
}

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The best of all combinations of the values of grids.
    GridSearch {
        /// The stages behind it start from so many combinations, the best of those with different orientations (up to
        /// [`Method::MOST_KEPT`]), and what fits best in the end is kept.
        keep: u8,
    },
    /// From where they are to the nearest minimum.
    LevenbergMarquardt,
}

impl Method {
    /// Starts that a search hands on, at most.
    pub const MOST_KEPT: u8 = 16;

    /// Whether it is a search.
    pub fn searches(self) -> bool {
        matches!(self, Self::GridSearch { .. })
    }
}
