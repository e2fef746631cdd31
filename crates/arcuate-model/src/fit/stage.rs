//! What a stage of a fit works with: numbers, unknowns, bounds and constraints, in base units and in the precision of the fit.
//! Kernels take the same.

use super::candidates::Candidates;
use super::constants;
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
    /// What a search tries; nothing for Levenberg–Marquardt.
    pub(crate) search: Option<Candidates<T>>,
}

/// offset + Σ weights · numbers, to be 0 or at least 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearRow<T> {
    /// One for each free number of the model.
    pub(crate) weights: Vec<T>,
    pub(crate) offset: T,
    pub(crate) is_equality: bool,
}

/// When Levenberg–Marquardt ends, and how it is damped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Control<T> {
    /// Ends where the next step would lower the sum of squares by less than this part of it …
    pub(crate) tolerance: T,
    /// … and this part of the signal's sum of squares.
    pub(crate) floor: T,
    /// Evaluations of the signal at most.
    pub(crate) evaluations: u32,
    pub(crate) bounds: BoundsMethod,
}

/// The damping at the start, its smallest and its largest value, and what it is multiplied with.
pub(crate) const DAMPING: f64 = constants::DAMPING;
pub(crate) const LEAST_DAMPING: f64 = constants::LEAST_DAMPING;
pub(crate) const MOST_DAMPING: f64 = constants::MOST_DAMPING;
pub(crate) const LESS: f64 = constants::LESS;
pub(crate) const MORE: f64 = constants::MORE;
/// A step that lowers the sum of squares by at least this part of what was predicted was a good one; below the other a bad one.
pub(crate) const GOOD: f64 = constants::GOOD;
pub(crate) const BAD: f64 = constants::BAD;
/// Elements of the normal matrix below this belong to unknowns that the signal does not depend on.
pub(crate) const NO_CURVATURE: f64 = constants::NO_CURVATURE;
/// How far from a bound, relative to both bounds or to 1, a transformed unknown starts.
pub(crate) const INSIDE: f64 = constants::INSIDE;

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
const DIAGONAL: f64 = constants::DIAGONAL;
/// Bits that count them.
pub(crate) const TURN_BITS: u32 = constants::TURN_BITS;

/// How a fit of a voxel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Not asked for.
    Outside = 0,
    /// At a minimum.
    Converged = 1,
    /// At a minimum where a parameter is at one of its bounds.
    AtBound = 2,
    /// Evaluations ran out.
    Limit = 3,
    /// There is no signal above 0: not fitted.
    NoSignal = 4,
    /// Fewer usable measurements than unknowns: not fitted.
    TooFew = 5,
    /// The model has no signal where the fit starts: not fitted.
    NoModel = 6,
    /// A chain of which not one proposal was accepted: it stands where it began.
    Stuck = 7,
    /// A chain of which samples were kept.
    Sampled = 8,
}

impl Status {
    /// Every one with what it says.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Outside, "outside the mask"),
        (Self::Converged, "converged"),
        (Self::AtBound, "converged, a parameter at a bound"),
        (Self::Limit, "not converged: evaluations ran out"),
        (Self::NoSignal, "not fitted: no signal above 0"),
        (Self::TooFew, "not fitted: fewer usable measurements than unknowns"),
        (Self::NoModel, "not fitted: the model has no signal where the fit starts"),
        (Self::Stuck, "no proposal was accepted: the chain stands where it began"),
        (Self::Sampled, "sampled"),
    ];

    /// Whether maps have values there.
    pub fn is_fitted(self) -> bool {
        matches!(self, Self::Converged | Self::AtBound | Self::Limit | Self::Stuck | Self::Sampled)
    }

    /// What it means, in words.
    pub fn says(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub(crate) fn of(code: u8) -> Self {
        Self::ALL
            .into_iter()
            .map(|(status, _)| status)
            .find(|status| *status as u8 == code)
            .unwrap_or(Self::NoModel)
    }
}
