//! Stages that a run can have.

/// A stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Computes the brain mask from the series.
    Mask,
    /// Fits a diffusion tensor in each voxel.
    FitTensor,
    /// Tracks streamlines along the principal directions of the tensors.
    TrackTensor,
    /// Tracks shortest paths through the tensors.
    TrackGeodesic,
    /// Samples the posterior of the ball-and-two-sticks model in each voxel.
    SampleFibres,
    /// Tracks streamlines through the posterior samples.
    TrackSamples,
    /// Estimates the response functions of fibres and other tissues from the series.
    EstimateResponse,
    /// Fits a fibre orientation distribution (FOD) in each voxel.
    FitCsd,
    /// Tracks streamlines through the fibre orientation distributions.
    TrackFod,
    /// Weights the streamlines with LiFE.
    EvaluateLife,
    /// Weights the streamlines with COMMIT.
    EvaluateCommit,
    /// Counts the streamlines in each voxel.
    Density,
    /// Counts the streamlines between regions.
    Connectome,
}

impl Stage {
    /// All stages, in order. Each stage follows the stages that write its inputs.
    pub const ALL: [Self; 13] = [
        Self::Mask,
        Self::FitTensor,
        Self::TrackTensor,
        Self::TrackGeodesic,
        Self::SampleFibres,
        Self::TrackSamples,
        Self::EstimateResponse,
        Self::FitCsd,
        Self::TrackFod,
        Self::EvaluateLife,
        Self::EvaluateCommit,
        Self::Density,
        Self::Connectome,
    ];

    /// Returns the feature of this crate that compiles the stage; `None` if the stage is always compiled.
    #[doc(hidden)]
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Self::TrackGeodesic => Some("geodesic"),
            Self::SampleFibres => Some("models"),
            Self::TrackSamples => Some("samples"),
            _ => None,
        }
    }

    /// Returns the name of the stage for users, such as "fit tensor".
    pub fn name(self) -> &'static str {
        match self {
            Self::Mask => "mask",
            Self::FitTensor => "fit tensor",
            Self::TrackTensor => "track tensor",
            Self::TrackGeodesic => "track geodesic",
            Self::SampleFibres => "fit ball-2-sticks",
            Self::TrackSamples => "track samples",
            Self::EstimateResponse => "response",
            Self::FitCsd => "fit csd",
            Self::TrackFod => "track fod",
            Self::EvaluateLife => "evaluate life",
            Self::EvaluateCommit => "evaluate commit",
            Self::Density => "density",
            Self::Connectome => "connectome",
        }
    }
}
