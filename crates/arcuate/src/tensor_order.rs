//! The option for the order of the six tensor elements in the volumes of an image.

use arcuate_model::TensorOrder;
use clap::ValueEnum;

pub(crate) use arcuate_pipeline::tensor_order::{check_tensors, read_tensor};

/// Program whose order the volumes of a tensor image have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TensorOrderArg {
    /// Volumes D11 D22 D33 D12 D13 D23, in scanner axes
    Arcuate,
    /// Volumes D11 D22 D33 D12 D13 D23, in scanner axes, as MRtrix's dwi2tensor writes them
    Mrtrix,
    /// Volumes Dxx Dxy Dxz Dyy Dyz Dzz, in the axes of the bvec file, as dtifit --save_tensor writes them
    Fsl,
    /// Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in the axes of the bvec file, as dipy_fit_dti writes them
    Dipy,
    /// Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in voxel axes, as ANTs writes them
    Ants,
    /// Volumes Dxx Dxy Dyy Dxz Dyz Dzz, in scanner axes
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
