//! What a stage of a fit works with: numbers, unknowns, bounds and constraints, in base units and in the precision of the fit.

use super::candidates::Candidates;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedStage;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use arcuate_compute::numbers::Real;

/// How bounds are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundsMethod {
    /// Steps end at bounds, and an unknown at a bound from which the signal would push it further rests: what is exactly at a
    /// bound is found there.
    #[default]
    Projection,
    /// Unknowns are functions of others without bounds, as in Hernandez-Fernandez et al. 2019: logistic ones between two
    /// bounds, exponentials above or below one.
    Transform,
}

/// A stage of a fit.
#[derive(Debug, Clone)]
pub(crate) struct StagePlan<T: Real> {
    /// The signal and, for Levenberg–Marquardt, its derivatives by the unknowns.
    pub(crate) schedule: Schedule,
    pub(crate) unknowns: Vec<Unknown>,
    /// Of each unknown; infinite for turns.
    pub(crate) bounds: Vec<[T; 2]>,
    /// Which unknowns stay where they are.
    pub(crate) resting: Vec<bool>,
    pub(crate) constraints: Vec<LinearRow<T>>,
    /// All constraints, where they are not all linear.
    pub(crate) curved: Option<CurvedStage>,
    /// What a search tries; nothing for Levenberg–Marquardt.
    pub(crate) search: Option<Candidates<T>>,
    /// Evaluations of the signal at most, of Levenberg–Marquardt.
    pub(crate) evaluations: u32,
    /// Whether it and what is behind it goes on from the best start alone.
    pub(crate) from_best: bool,
}

impl<T: Real> StagePlan<T> {
    /// How many of the stages behind a search each of its starts goes through: all before the one that goes on from the best.
    pub(crate) fn followed(behind: &[Self]) -> usize {
        behind.iter().position(|stage| stage.from_best).unwrap_or(behind.len())
    }
}

/// When Levenberg–Marquardt ends, and how it is damped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Control<T> {
    /// Ends where the next step would lower the sum of squares by less than this part of it …
    pub(crate) tolerance: T,
    /// … and this part of the signal's sum of squares.
    pub(crate) floor: T,
    pub(crate) bounds: BoundsMethod,
}

/// The damping at the start, its smallest and its largest value, and what it is multiplied with.
pub(crate) const DAMPING: f64 = 1e-2;
pub(crate) const LEAST_DAMPING: f64 = 1e-6;
pub(crate) const MOST_DAMPING: f64 = 1e8;
pub(crate) const LESS: f64 = 0.125;
pub(crate) const MORE: f64 = 8.0;
/// A step that lowers the sum of squares by at least this part of what was predicted was a good one; below the other a bad one.
pub(crate) const GOOD: f64 = 0.75;
pub(crate) const BAD: f64 = 0.25;
/// Elements of the normal matrix below this belong to unknowns that the signal does not depend on.
pub(crate) const NO_CURVATURE: f64 = 1e-30;
/// How far from a bound, relative to both bounds or to 1, a transformed unknown starts.
pub(crate) const INSIDE: f64 = 1e-3;

/// Orientations that are tried in place of one without effect: how much of it, and of the vectors u and v across it. Where a
/// distribution has become uniform, slopes are a quadratic form of the orientation whose trace is 0: if there is a way down,
/// one of these has at least a third of the steepest slope.
pub(crate) const TURNS: [[f64; 3]; 6] = [
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [DIAGONAL, DIAGONAL, DIAGONAL],
    [DIAGONAL, DIAGONAL, -DIAGONAL],
    [DIAGONAL, -DIAGONAL, DIAGONAL],
    [DIAGONAL, -DIAGONAL, -DIAGONAL],
];
const DIAGONAL: f64 = 0.577_350_269_189_625_8;
/// Bits that count them.
pub(crate) const TURN_BITS: u32 = 3;
