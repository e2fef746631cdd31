//! The option for the order of elements in tensor images.

use arcuate_model::TensorOrder;
use clap::ValueEnum;

pub(crate) use arcuate_pipeline::tensor_order::{check_tensors, read_tensor};

/// Which program's order the volumes of a tensor image have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TensorOrderArg {
    /// D11 D22 D33 D12 D13 D23, scanner axes
    Arcuate,
    /// The same order, from dwi2tensor
    Mrtrix,
    /// Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file, from dtifit --save_tensor
    Fsl,
    /// Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file, from dipy_fit_dti
    Dipy,
    /// Dxx Dxy Dyy Dxz Dyz Dzz, voxel axes, from ANTs
    Ants,
    /// Dxx Dxy Dyy Dxz Dyz Dzz, scanner axes
    LowerTriangle,
}

impl From<TensorOrderArg> for TensorOrder {
    fn from(argument: TensorOrderArg) -> Self {
        match argument {
            TensorOrderArg::Arcuate | TensorOrderArg::Mrtrix => Self::Arcuate,
            TensorOrderArg::Fsl => Self::Fsl,
            TensorOrderArg::Dipy => Self::Dipy,
            TensorOrderArg::Ants => Self::Ants,
            TensorOrderArg::LowerTriangle => Self::LowerTriangle,
        }
    }
}
