//! Result status of the fit of a voxel.

/// The result status of a fit in a voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Status {
    /// The voxel is outside the mask.
    Outside = 0,
    /// The fit converged to a minimum.
    Converged = 1,
    /// The fit converged to a minimum at which a parameter is at a bound, or an inequality constraint of the
    /// model holds with equality.
    AtBound = 2,
    /// The fit stopped at the maximum number of evaluations of the signal.
    Limit = 3,
    /// The voxel was not fitted, because none of its signals is above 0.
    NoSignal = 4,
    /// The voxel was not fitted, because it has fewer usable measurements than unknowns.
    TooFew = 5,
    /// The voxel was not fitted, because the model's signal is not finite at the starting values.
    NoModel = 6,
    /// The Markov chain of the voxel remains at its start, because no proposal was accepted.
    Stuck = 7,
    /// The voxel has samples of a chain.
    Sampled = 8,
}

impl Status {
    /// Every status with its description.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Outside, "outside the mask"),
        (Self::Converged, "converged"),
        (Self::AtBound, "converged, at a bound or a constraint"),
        (Self::Limit, "not converged: evaluations ran out"),
        (Self::NoSignal, "not fitted: no signal above 0"),
        (Self::TooFew, "not fitted: fewer usable measurements than unknowns"),
        (Self::NoModel, "not fitted: the model has no signal where the fit starts"),
        (Self::Stuck, "no proposal was accepted: the chain stands where it began"),
        (Self::Sampled, "sampled"),
    ];

    /// Returns whether the result maps have values in voxels with this status.
    pub fn is_fitted(self) -> bool {
        matches!(self, Self::Converged | Self::AtBound | Self::Limit | Self::Stuck | Self::Sampled)
    }

    /// Returns the description of the status.
    #[doc(hidden)]
    pub fn says(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns the number of the status, as in maps.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn of(code: u8) -> Self {
        Self::ALL
            .into_iter()
            .map(|(status, _)| status)
            .find(|status| status.code() == code)
            .unwrap_or(Self::NoModel)
    }
}
