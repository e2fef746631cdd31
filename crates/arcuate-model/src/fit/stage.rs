//! Input of a stage of a fit: parameter values, unknowns, bounds and constraints, in base units and in the
//! precision of the fit.

use super::candidates::Candidates;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedStage;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use arcuate_compute::numbers::Real;

/// The method that keeps parameters within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundsMethod {
    /// Steps stop at bounds. An unknown at a bound stays there as long as the signal's slope pushes it
    /// outwards. Values exactly at a bound can be found.
    #[default]
    Projection,
    /// Unknowns are functions of unbounded variables, as in Hernandez-Fernandez et al. 2019. The function is
    /// logistic if there are two bounds, and an exponential if there is one bound.
    Transform,
}

/// A stage of a fit.
#[derive(Debug, Clone)]
pub(crate) struct StagePlan<T: Real> {
    /// Computes the signal. For Levenberg–Marquardt, also computes its derivatives by the unknowns.
    pub(crate) schedule: Schedule,
    pub(crate) unknowns: Vec<Unknown>,
    /// The lower and upper bound of each unknown. For turns of orientations, both are infinite.
    pub(crate) bounds: Vec<[T; 2]>,
    /// True for each unknown that is fixed in this stage.
    pub(crate) resting: Vec<bool>,
    pub(crate) constraints: Vec<LinearRow<T>>,
    /// All constraints of the model, if at least one is not linear.
    pub(crate) curved: Option<CurvedStage>,
    /// The combinations of a grid search. `None` if the stage is Levenberg–Marquardt.
    pub(crate) search: Option<Candidates<T>>,
    /// Maximum number of evaluations of the signal per voxel in Levenberg–Marquardt.
    pub(crate) evaluations: u32,
    /// True if this stage and later ones continue only from the best start.
    pub(crate) from_best: bool,
}

impl<T: Real> StagePlan<T> {
    /// Returns the number of stages that each start of a search runs: all stages before one with `from_best`.
    pub(crate) fn followed(behind: &[Self]) -> usize {
        behind.iter().position(|stage| stage.from_best).unwrap_or(behind.len())
    }
}

/// Convergence criteria and damping of Levenberg–Marquardt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Control<T> {
    /// Levenberg–Marquardt stops if the next step would lower the sum of squared residuals by less than this
    /// fraction of the sum.
    pub(crate) tolerance: T,
    /// Levenberg–Marquardt also stops if the decrease is below this fraction of the signal's sum of squares.
    pub(crate) floor: T,
    pub(crate) bounds: BoundsMethod,
}

/// The initial damping, its minimum and maximum, and the factors by which it changes.
pub(crate) const DAMPING: f64 = 1e-2;
pub(crate) const LEAST_DAMPING: f64 = 1e-6;
pub(crate) const MOST_DAMPING: f64 = 1e8;
pub(crate) const LESS: f64 = 0.125;
pub(crate) const MORE: f64 = 8.0;
/// A step is good if the cost decreases by at least the fraction `GOOD` of the predicted decrease, and bad
/// below the fraction `BAD`.
pub(crate) const GOOD: f64 = 0.75;
pub(crate) const BAD: f64 = 0.25;
/// Limit of a diagonal element of the normal matrix. An unknown with a smaller element has no effect on the
/// signal.
pub(crate) const NO_CURVATURE: f64 = 1e-30;
/// Minimum distance between the start of a transformed unknown and a bound, as a fraction of the range
/// between both bounds (of 1 if there is one bound).
pub(crate) const INSIDE: f64 = 1e-3;

/// Directions to try for an orientation without effect on the signal. Each has the factors of the orientation
/// itself and of the vectors u and v perpendicular to it. For a uniform distribution, the slope of the cost
/// is a quadratic form of the orientation with trace 0. If the cost decreases in some direction, one of these
/// directions has at least a third of the steepest slope.
pub(crate) const TURNS: [[f64; 3]; 6] = [
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [DIAGONAL, DIAGONAL, DIAGONAL],
    [DIAGONAL, DIAGONAL, -DIAGONAL],
    [DIAGONAL, -DIAGONAL, DIAGONAL],
    [DIAGONAL, -DIAGONAL, -DIAGONAL],
];
const DIAGONAL: f64 = 0.577_350_269_189_625_8;
/// Number of bits of the counter of tried directions.
pub(crate) const TURN_BITS: u32 = 3;
