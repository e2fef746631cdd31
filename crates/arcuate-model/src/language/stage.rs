//! Stages of a fit, which a model declares.

/// A stage of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The method by which this stage estimates parameters.
    pub method: Method,
    /// Indices of the parameters that this stage of the fit changes. Other parameters keep their values.
    pub parameters: Vec<usize>,
    /// Maximum number of evaluations of the signal in this stage, if it is lower than the maximum of the
    /// whole fit. It applies only to Levenberg–Marquardt.
    pub evaluations: Option<u32>,
    /// True if this stage and later stages of the fit continue only from the best result of the starts before
    /// them.
    pub from_best: bool,
}

impl Stage {
    /// Upper limit of the field `evaluations`.
    pub const MAX_EVALUATIONS: u32 = 10_000;

    /// Creates a stage of a fit that changes these parameters until convergence. The stage runs from each
    /// start that a grid search has kept.
    pub fn new(method: Method, parameters: Vec<usize>) -> Self {
        Self { method, parameters, evaluations: None, from_best: false }
    }
}

/// A method that estimates parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// A grid search, which evaluates all combinations of grid values and selects the best combination.
    GridSearch {
        /// Number of best combinations that the search keeps as starts for later stages, at most
        /// [`Method::MAX_KEPT`]. The kept combinations have different orientations. The fit keeps the best
        /// final result of all starts.
        keep: u8,
    },
    /// Levenberg–Marquardt, which finds the nearest minimum of the cost from the current parameter values.
    LevenbergMarquardt,
}

impl Method {
    /// Maximum number of starts that one grid search keeps.
    pub const MAX_KEPT: u8 = 16;

    /// Returns whether the method is a grid search.
    pub fn searches(self) -> bool {
        matches!(self, Self::GridSearch { .. })
    }
}
