//! The stages that a run may have.

/// A stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The brain is found in the series.
    Mask,
    /// A diffusion tensor is fitted in every voxel.
    FitTensor,
    /// Streamlines follow the tensors.
    TrackTensor,
    /// Shortest paths are followed through the tensors.
    TrackGeodesic,
    /// The posteriors of a ball and two sticks are sampled in every voxel.
    SampleFibres,
    /// Streamlines follow the samples.
    TrackSamples,
    /// Responses of fibres and other tissues are found in the series.
    EstimateResponse,
    /// Fibre orientation distributions are found in every voxel.
    FitCsd,
    /// Streamlines follow the distributions.
    TrackFod,
    /// LiFE weighs streamlines.
    EvaluateLife,
    /// COMMIT weighs streamlines.
    EvaluateCommit,
    /// Streamlines are counted in every voxel.
    Density,
    /// Streamlines are counted between regions.
    Connectome,
}

impl Stage {
    /// All of them, in an order in which a run could do them.
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

    /// Its name, in words: what is done, and of what or by what.
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
