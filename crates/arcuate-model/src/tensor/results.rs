//! Results of a tensor fit.

use arcuate_core::{DiffusionTensor, Volume, VoxelCounts};

/// A tensor in every voxel of a mask, and how well it explains the measurements. All volumes are 0 outside the mask
/// and in voxels that could not be fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorFit {
    /// 6 channels D11, D22, D33, D12, D13, D23 (MRtrix's order) in mm²/s, scanner axes.
    pub tensor: Volume<f32>,
    /// S₀, the signal without diffusion weighting, in the unit of the signal.
    pub s0: Volume<f32>,
    /// Root mean square of measured − predicted signal over the fitted measurements, in the unit of the signal. The
    /// prediction uses the tensor with negative eigenvalues set to 0, because a negative eigenvalue predicts an
    /// unlimited growth of the signal with b.
    pub residual: Volume<f32>,
    /// Repairs of the signal.
    pub repairs: Repairs,
    /// Physically impossible tensors.
    pub impossible: ImpossibleTensors,
}

/// Numbers of voxels with a physically impossible tensor. Noise, motion and artefacts cause these in dark voxels and at
/// the edge. The tensors are kept unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImpossibleTensors {
    /// With a negative eigenvalue beyond rounding (a millionth of the largest).
    pub indefinite: usize,
    /// The indefinite tensors with a fractional anisotropy above 1.
    pub anisotropy_above_1: usize,
    /// The indefinite tensors with a mean diffusivity below 0.
    pub mean_below_0: usize,
}

impl ImpossibleTensors {
    /// Counts a tensor. Returns whether it is impossible.
    pub(super) fn count(&mut self, tensor: &DiffusionTensor, eigenvalues: [f64; 3]) -> bool {
        if !is_indefinite(eigenvalues) {
            return false;
        }
        self.indefinite += 1;
        self.anisotropy_above_1 += usize::from(tensor.fractional_anisotropy() > 1.0);
        self.mean_below_0 += usize::from(tensor.mean_diffusivity() < 0.0);
        true
    }

    /// Returns whether there are more than noise causes at good signal: above one in 500 voxels.
    pub fn are_many(&self, voxels: usize) -> bool {
        500 * self.indefinite > voxels
    }

    /// Describes the numbers, or returns `None` if all are 0.
    pub fn sentence(&self) -> Option<String> {
        let Self { indefinite, anisotropy_above_1, mean_below_0 } = self;
        (*indefinite > 0).then(|| {
            format!(
                "{indefinite} voxels have a negative eigenvalue ({anisotropy_above_1} of them an FA above 1, {mean_below_0} an \
                 MD below 0)"
            )
        })
    }
}

/// Returns whether one of the eigenvalues (in descending order) is negative beyond rounding.
pub(super) fn is_indefinite([largest, _, smallest]: [f64; 3]) -> bool {
    smallest < -1e-6 * largest.abs()
}

/// Repairs of measurements without a logarithm, and voxels without a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Number of measurements raised to a millionth of their voxel's maximum in fitted voxels, including zero and
    /// negative ones.
    pub raised: usize,
    /// Voxels without a tensor, and non-finite measurements, which the fit of their voxel does not use.
    pub counts: VoxelCounts,
}

impl Repairs {
    /// Adds the repairs of two parts of the voxels.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { raised: self.raised + other.raised, counts: self.counts.plus(&other.counts) }
    }

    /// Describes the repairs, or returns `None` if there were none.
    pub(super) fn sentence(&self) -> Option<String> {
        let raised = match self.raised {
            0 => None,
            1 => Some(
                "1 measurement at or near zero was raised to a millionth of its voxel's largest".to_owned(),
            ),
            raised => Some(format!(
                "{raised} measurements at or near zero were raised to a millionth of their voxel's largest"
            )),
        };
        let occurred: Vec<String> = self.counts.sentence().into_iter().chain(raised).collect();
        (!occurred.is_empty()).then(|| occurred.join("; "))
    }
}
