//! Input of a stage of a fit: numbers, unknowns, bounds and constraints, in base units and in the precision of the fit.

use super::candidates::Candidates;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedStage;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use arcuate_compute::numbers::Real;

/// The method that keeps parameters within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundsMethod {
    /// Steps stop at bounds. An unknown at a bound stays there while the signal pushes it outwards. Finds values
    /// exactly at a bound.
    #[default]
    Projection,
    /// Unknowns are functions of unbounded variables, as in Hernandez-Fernandez et al. 2019: logistic functions between
    /// two bounds, exponentials above or below one bound.
    Transform,
}

/// A stage of a fit.
#[derive(Debug, Clone)]
pub(crate) struct StagePlan<T: Real> {
    /// The signal and, for Levenberg–Marquardt, its derivatives by the unknowns.
    pub(crate) schedule: Schedule,
    pub(crate) unknowns: Vec<Unknown>,
    /// Bounds of each unknown; infinite for turns.
    pub(crate) bounds: Vec<[T; 2]>,
    /// Whether each unknown is fixed.
    pub(crate) resting: Vec<bool>,
    pub(crate) constraints: Vec<LinearRow<T>>,
    /// All constraints, if they are not all linear.
    pub(crate) curved: Option<CurvedStage>,
    /// The combinations of a search; `None` for Levenberg–Marquardt.
    pub(crate) search: Option<Candidates<T>>,
    /// Maximum number of evaluations of the signal in Levenberg–Marquardt.
    pub(crate) evaluations: u32,
    /// Whether this and later stages continue only from the best start.
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
    /// Stops if the next step would lower the sum of squares by less than this fraction of it …
    pub(crate) tolerance: T,
    /// … and of the signal's sum of squares.
    pub(crate) floor: T,
    pub(crate) bounds: BoundsMethod,
}

/// Initial damping, its minimum and maximum, and the factors that change it.
pub(crate) const DAMPING: f64 = 1e-2;
pub(crate) const LEAST_DAMPING: f64 = 1e-6;
pub(crate) const MOST_DAMPING: f64 = 1e8;
pub(crate) const LESS: f64 = 0.125;
pub(crate) const MORE: f64 = 8.0;
/// A step is good if it achieves at least this fraction of the predicted decrease, and bad below `BAD`.
pub(crate) const GOOD: f64 = 0.75;
pub(crate) const BAD: f64 = 0.25;
/// Diagonal elements of the normal matrix below this belong to unknowns without effect on the signal.
pub(crate) const NO_CURVATURE: f64 = 1e-30;
/// Distance of the start of a transformed unknown from a bound, relative to both bounds or to 1.
pub(crate) const INSIDE: f64 = 1e-3;

/// Directions to try for an orientation without effect, as multiples of the orientation itself and of the vectors u and
/// v perpendicular to it. For a uniform distribution, the slopes are a quadratic form of the orientation with trace 0.
/// If there is a descent direction, one of these has at least a third of the steepest slope.
pub(crate) const TURNS: [[f64; 3]; 6] = [
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [DIAGONAL, DIAGONAL, DIAGONAL],
    [DIAGONAL, DIAGONAL, -DIAGONAL],
    [DIAGONAL, -DIAGONAL, DIAGONAL],
    [DIAGONAL, -DIAGONAL, -DIAGONAL],
];
const DIAGONAL: f64 = 0.577_350_269_189_625_8;
/// Bits of the counter of tried directions.
pub(crate) const TURN_BITS: u32 = 3;
