//! Tensor images that other programs wrote.

use arcuate_core::{Result, Volume};
use arcuate_io::read_volume;
use arcuate_model::{TensorOrder, indefinite_share, tensors_in_order};
use clap::ValueEnum;
use std::path::Path;

/// Which program's order the volumes of a tensor image have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TensorOrderArg {
    /// D11 D22 D33 D12 D13 D23, scanner axes
    Arcuate,
    /// The same: dwi2tensor
    Mrtrix,
    /// Dxx Dxy Dxz Dyy Dyz Dzz, axes of the bvec file: dtifit --save_tensor
    Fsl,
    /// Dxx Dxy Dyy Dxz Dyz Dzz, axes of the bvec file: dipy_fit_dti
    Dipy,
}

impl From<TensorOrderArg> for TensorOrder {
    fn from(argument: TensorOrderArg) -> Self {
        match argument {
            TensorOrderArg::Arcuate | TensorOrderArg::Mrtrix => Self::Arcuate,
            TensorOrderArg::Fsl => Self::Fsl,
            TensorOrderArg::Dipy => Self::Dipy,
        }
    }
}

/// More tensors than this are indefinite by a wrong order, not by noise: of a real scan fitted with all its air 14 % are, of
/// one read in a wrong order 91 % or more.
const INDEFINITE_BY_NOISE: f64 = 0.5;

/// Reads a tensor image into Arcuate's order and scanner axes, with a warning where its order may be another.
pub(crate) fn read_tensor(path: &Path, order: TensorOrderArg) -> Result<Volume<f32>> {
    let tensor = tensors_in_order(read_volume(path)?, order.into()).map_err(|e| e.about(path.display()))?;
    let share = indefinite_share(&tensor);
    if share > INDEFINITE_BY_NOISE {
        tracing::warn!(
            "{}: {:.0} % of its tensors have a negative eigenvalue; check --tensor-order",
            path.display(),
            100.0 * share
        );
    }
    Ok(tensor)
}
