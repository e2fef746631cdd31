//! What a fit of tensors leaves.

use arcuate_core::{DiffusionTensor, Volume, VoxelCounts};

/// A tensor in every voxel of a mask, and how well it explains the measurements. All volumes are 0 outside the mask
/// and in voxels that could not be fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorFit {
    /// 6 channels D11, D22, D33, D12, D13, D23 (MRtrix's order) in mm²/s, scanner axes.
    pub tensor: Volume<f32>,
    /// S₀, the signal without diffusion weighting, in the unit of the signal.
    pub s0: Volume<f32>,
    /// Root mean square of measured − predicted signal over the measurements used, in the unit of the signal. The prediction
    /// is that of the tensor with its negative eigenvalues at 0: others say that signal grows with b, without a limit.
    pub residual: Volume<f32>,
    /// What had to be done to the signal.
    pub repairs: Repairs,
    /// Tensors that diffusion does not have.
    pub impossible: ImpossibleTensors,
}

/// Voxels whose tensor is none of diffusion: noise, movement and artefacts do that to faint ones and to those at the edge.
/// They are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImpossibleTensors {
    /// With an eigenvalue below 0 by more than rounding (a millionth of the largest).
    pub indefinite: usize,
    /// Of these, with a fractional anisotropy above 1.
    pub anisotropy_above_1: usize,
    /// Of these, with a mean diffusivity below 0.
    pub mean_below_0: usize,
}

impl ImpossibleTensors {
    /// Counts a tensor; whether it is one of these.
    pub(super) fn count(&mut self, tensor: &DiffusionTensor, eigenvalues: [f64; 3]) -> bool {
        if !is_indefinite(eigenvalues) {
            return false;
        }
        self.indefinite += 1;
        self.anisotropy_above_1 += usize::from(tensor.fractional_anisotropy() > 1.0);
        self.mean_below_0 += usize::from(tensor.mean_diffusivity() < 0.0);
        true
    }

    /// More than noise leaves where the signal is good: above one of 500 voxels.
    pub fn are_many(&self, voxels: usize) -> bool {
        500 * self.indefinite > voxels
    }

    /// How many there are, in words; nothing where there are none.
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

/// Whether eigenvalues in descending order have one below 0 by more than rounding.
pub(super) fn is_indefinite([largest, _, smallest]: [f64; 3]) -> bool {
    smallest < -1e-6 * largest.abs()
}

/// Measurements that have no logarithm, and voxels without a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Measurements of fitted voxels below a millionth of the largest of their voxel (zero and negative ones among them), raised to
    /// it.
    pub raised: usize,
    /// Voxels without a tensor, and measurements that are not finite, which the fit of their voxel does not use.
    pub counts: VoxelCounts,
}

impl Repairs {
    /// The repairs of two parts of the voxels together.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { raised: self.raised + other.raised, counts: self.counts.plus(&other.counts) }
    }

    /// What occurred and nothing else; nothing if no repair was needed.
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
