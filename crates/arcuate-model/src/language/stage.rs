//! Stages of a fit, as declared by a model.

/// A stage of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The method that estimates the parameters in this stage.
    pub method: Method,
    /// Indices of the parameters that the stage changes. Other parameters keep their values.
    pub parameters: Vec<usize>,
    /// Maximum number of evaluations of the signal in this stage, if it is lower than that of the fit. It
    /// applies to Levenberg–Marquardt only.
    pub evaluations: Option<u32>,
    /// True if this and later stages continue only from the best result of the starts before them.
    pub from_best: bool,
}

impl Stage {
    /// Upper limit of the field `evaluations`.
    pub const MOST_EVALUATIONS: u32 = 10_000;

    /// Creates a stage that changes these parameters until convergence, from each start that a search has
    /// kept.
    pub fn new(method: Method, parameters: Vec<usize>) -> Self {
        Self { method, parameters, evaluations: None, from_best: false }
    }
}

/// A method that estimates parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A grid search: evaluates all combinations of grid values, and selects the best.
    GridSearch {
        /// Number of combinations from which later stages start: the best ones with different orientations,
        /// at most [`Method::MOST_KEPT`]. The fit keeps the best final result.
        keep: u8,
    },
    /// Levenberg–Marquardt: finds the nearest minimum from the current parameter values.
    LevenbergMarquardt,
}

impl Method {
    /// Maximum number of starts that one grid search keeps.
    pub const MOST_KEPT: u8 = 16;

    /// Returns whether the method is a grid search.
    pub fn searches(self) -> bool {
        matches!(self, Self::GridSearch { .. })
    }
}
