//! Stages of a fit, as declared by a model.

/// A stage of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The method of the stage.
    pub method: Method,
    /// Indices of the parameters that the stage changes. The others keep their values.
    pub parameters: Vec<usize>,
    /// Maximum number of evaluations of the signal, if lower than the fit's limit. Applies to Levenberg–Marquardt only.
    pub evaluations: Option<u32>,
    /// Whether this and later stages continue only from the best result of the preceding starts.
    pub from_best: bool,
}

impl Stage {
    /// Upper limit of `evaluations`.
    pub const MOST_EVALUATIONS: u32 = 10_000;

    /// Creates a stage that changes these parameters, from each start, until convergence.
    pub fn new(method: Method, parameters: Vec<usize>) -> Self {
        Self { method, parameters, evaluations: None, from_best: false }
    }
}

/// A method of estimating parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Selects the best combinations of grid values.
    GridSearch {
        /// Number of combinations that later stages start from: the best ones with different orientations, at most
        /// [`Method::MOST_KEPT`]. The fit keeps the best final result.
        keep: u8,
    },
    /// Finds the nearest minimum from the current values.
    LevenbergMarquardt,
}

impl Method {
    /// Maximum number of starts that a search keeps.
    pub const MOST_KEPT: u8 = 16;

    /// Returns whether the method is a search.
    pub fn searches(self) -> bool {
        matches!(self, Self::GridSearch { .. })
    }
}
