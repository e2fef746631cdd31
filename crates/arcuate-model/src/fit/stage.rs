//! The input of one stage of a fit: parameter values, unknowns, bounds and constraints, in base units and in
//! the precision of the fit.

use super::candidates::Candidates;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedStage;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use arcuate_numbers::Real;

/// The method that keeps parameters within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BoundsMethod {
    /// Steps of the fit stop at bounds. An unknown at a bound stays there as long as the slope of the cost
    /// pushes it outwards. The fit can end exactly at a bound.
    #[default]
    Projection,
    /// Each bounded unknown is a function of an unbounded variable, as in Hernandez-Fernandez et al. 2019.
    /// The function is logistic if there are two bounds, and an exponential if there is one bound.
    Transform,
}

/// A stage of a fit.
#[derive(Debug, Clone)]
pub(crate) struct StagePlan<T: Real> {
    /// The operations that compute the signal. For Levenberg–Marquardt, they also compute the derivatives of
    /// the signal with respect to the unknowns.
    pub(crate) schedule: Schedule,
    pub(crate) unknowns: Vec<Unknown>,
    /// The lower and upper bound of each unknown. An unknown that turns an orientation has infinite bounds.
    pub(crate) bounds: Vec<[T; 2]>,
    /// True for each unknown of the fit that is fixed in this stage.
    pub(crate) resting: Vec<bool>,
    pub(crate) constraints: Vec<LinearRow<T>>,
    /// All constraints of the model, if at least one constraint is not linear.
    pub(crate) curved: Option<CurvedStage>,
    /// The combinations of a grid search. `None` if the stage is Levenberg–Marquardt.
    pub(crate) search: Option<Candidates<T>>,
    /// Maximum number of evaluations of the signal per voxel in the Levenberg–Marquardt fit.
    pub(crate) evaluations: u32,
    /// True if this stage and later stages continue only from the best start.
    pub(crate) from_best: bool,
}

impl<T: Real> StagePlan<T> {
    /// Returns the number of stages that run once for each start of a grid search: all stages before the
    /// first one with `from_best`.
    pub(crate) fn followed(behind: &[Self]) -> usize {
        behind.iter().position(|stage| stage.from_best).unwrap_or(behind.len())
    }
}

/// Convergence criteria and damping of Levenberg–Marquardt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Control<T> {
    /// The Levenberg–Marquardt fit stops if the next step would lower the sum of squared residuals by less
    /// than this fraction of the sum.
    pub(crate) tolerance: T,
    /// The Levenberg–Marquardt fit also stops if the next step would lower the sum of squared residuals by
    /// less than this fraction of the sum of squared signals.
    pub(crate) floor: T,
    pub(crate) bounds: BoundsMethod,
}

/// The initial damping of Levenberg–Marquardt, its minimum and maximum, and the factors by which it changes.
pub(crate) const DAMPING: f64 = 1e-2;
pub(crate) const MIN_DAMPING: f64 = 1e-6;
pub(crate) const MAX_DAMPING: f64 = 1e8;
pub(crate) const LESS: f64 = 0.125;
pub(crate) const MORE: f64 = 8.0;
/// A step is good if the cost decreases by at least the fraction `GOOD` of the predicted decrease. A step is
/// bad if the cost decreases by less than the fraction `BAD`.
pub(crate) const GOOD: f64 = 0.75;
pub(crate) const BAD: f64 = 0.25;
/// Smallest diagonal element of the normal matrix for an unknown that counts. An unknown with a smaller
/// element has no effect on the signal.
pub(crate) const NO_CURVATURE: f64 = 1e-30;
/// Minimum distance of a transformed unknown's starting value from a bound. It is a fraction of the range
/// between both bounds, or of 1 if there is one bound.
pub(crate) const INSIDE: f64 = 1e-3;

/// Directions to try for an orientation without effect on the signal. Each direction is a sum of the
/// orientation and of two perpendicular vectors u and v, with these three factors. For a uniform
/// distribution, the slope of the cost is a quadratic form of the orientation with trace 0. If the cost
/// decreases in some direction, one of the tried directions has at least a third of the steepest slope.
pub(crate) const TURNS: [[f64; 3]; 6] = [
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [DIAGONAL, DIAGONAL, DIAGONAL],
    [DIAGONAL, DIAGONAL, -DIAGONAL],
    [DIAGONAL, -DIAGONAL, DIAGONAL],
    [DIAGONAL, -DIAGONAL, -DIAGONAL],
];
const DIAGONAL: f64 = 0.577_350_269_189_625_8;
