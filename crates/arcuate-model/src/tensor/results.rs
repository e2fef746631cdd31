//! Results of a tensor fit.

use arcuate_core::{DiffusionTensor, Volume, VoxelCounts};

/// The fitted tensor in every voxel of a mask, and how well the tensor explains the measurements. All images
/// are 0 outside the mask and in voxels that could not be fitted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TensorFit {
    /// The tensor image, with six channels D11, D22, D33, D12, D13, D23 (MRtrix's order) in mm²/s, in scanner
    /// axes.
    pub tensor: Volume<f32>,
    /// S₀, the signal without diffusion weighting, in the unit of the signal.
    pub s0: Volume<f32>,
    /// Root mean square of the difference between measured and predicted signals over the fitted
    /// measurements, in the unit of the signal. The prediction uses the tensor with negative eigenvalues set
    /// to 0, because a negative eigenvalue predicts an unlimited growth of the signal with b.
    pub residual: Volume<f32>,
    /// Numbers of repaired signals.
    pub repairs: Repairs,
    /// Numbers of physically impossible tensors.
    pub impossible: ImpossibleTensors,
}

/// Numbers of voxels with a physically impossible tensor. Noise, motion and artefacts cause such tensors in
/// dark voxels and at the edge of the brain. These tensors are kept unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImpossibleTensors {
    /// Number of tensors with a negative eigenvalue beyond rounding (a millionth of the largest eigenvalue).
    pub indefinite: usize,
    /// Number of tensors with a negative eigenvalue whose fractional anisotropy is above 1.
    pub anisotropy_above_1: usize,
    /// Number of tensors with a negative eigenvalue whose mean diffusivity is below 0.
    pub mean_below_0: usize,
}

impl ImpossibleTensors {
    /// Adds a tensor to the counts. Returns whether the tensor is impossible.
    pub(super) fn count(&mut self, tensor: &DiffusionTensor, eigenvalues: [f64; 3]) -> bool {
        if !is_indefinite(eigenvalues) {
            return false;
        }
        self.indefinite += 1;
        self.anisotropy_above_1 += usize::from(tensor.fractional_anisotropy() > 1.0);
        self.mean_below_0 += usize::from(tensor.mean_diffusivity() < 0.0);
        true
    }

    /// Returns whether there are more impossible tensors than noise causes in a good scan. The limit is one
    /// impossible tensor in 500 voxels.
    #[doc(hidden)]
    pub fn are_many(&self, voxels: usize) -> bool {
        500 * self.indefinite > voxels
    }

    /// Describes the numbers of impossible tensors in words. Returns `None` if there are no such tensors.
    #[doc(hidden)]
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

/// Returns whether one of a tensor's eigenvalues (in descending order) is negative beyond rounding.
pub(super) fn is_indefinite([largest, _, smallest]: [f64; 3]) -> bool {
    smallest < -1e-6 * largest.abs()
}

/// Number of signals whose logarithm does not exist or is very low, and number of voxels without a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Number of signals in fitted voxels that were replaced by a millionth of their voxel's largest signal,
    /// including zero and negative signals.
    pub raised: usize,
    /// Number of voxels without a tensor, and number of non-finite signals, which the fit of their voxel does
    /// not use.
    pub counts: VoxelCounts,
}

impl Repairs {
    /// Returns the sums of these numbers and of the numbers for other voxels.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { raised: self.raised + other.raised, counts: self.counts.plus(&other.counts) }
    }

    /// Describes the repaired signals in words. Returns `None` if no signal was repaired.
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
