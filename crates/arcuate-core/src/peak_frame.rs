//! The axes of directions in images.

use crate::{Affine, image_axes_to_scanner};

/// The coordinate frame of peak components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakFrame {
    /// Scanner axes: x to the right, y to the front, z up, independent of the image's axes (MRtrix's
    /// `sh2peaks` and `tensor2metric -vector`, `dmri-commit` with `peaks_use_affine=True`).
    Scanner,
    /// Image axes: along the first, second and third voxel axis towards higher indices, without sign changes
    /// (`dmri-commit` with `peaks_use_affine=False`).
    Image,
    /// FSL's axes: along the voxel axes, with x negated if the affine's determinant is positive, as in `bvec`
    /// files (`dyads` of `bedpostx`, `V1` of `dtifit`).
    Fsl,
}

impl PeakFrame {
    /// All frames.
    pub const ALL: [Self; 3] = [Self::Scanner, Self::Image, Self::Fsl];

    /// The directions, in RAS, of the frame's three unit vectors for an image with this affine. They convert
    /// components to scanner axes. For a sheared affine they are not orthogonal.
    pub fn axes(self, affine: &Affine) -> [[f64; 3]; 3] {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        match self {
            Self::Scanner => unit,
            Self::Image => affine.axes(),
            Self::Fsl => {
                let axes = image_axes_to_scanner(&unit, affine);
                [axes[0], axes[1], axes[2]]
            }
        }
    }
}

impl std::fmt::Display for PeakFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Scanner => "scanner axes",
            Self::Image => "image axes",
            Self::Fsl => "FSL's axes",
        })
    }
}
