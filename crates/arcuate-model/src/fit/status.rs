//! How the fit of a voxel ended.

/// How a fit of a voxel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Not asked for.
    Outside = 0,
    /// At a minimum.
    Converged = 1,
    /// At a minimum where a parameter is at one of its bounds, or an inequality of the model holds with equality.
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
        (Self::AtBound, "converged, at a bound or a constraint"),
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
